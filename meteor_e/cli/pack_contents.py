"""``meteor-e pack info`` and ``meteor-e pack filter``: what a pack holds, and what of it a text can use."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from meteor_e.base.errors import ConfigError
from meteor_e.base.yamlfile import is_folder
from meteor_e.cli.options import replaced_option
from meteor_e.cli.tables import count_or_no, isolated, printable
from meteor_e.packs import Pack, PackStore, open_pack, terminal_progress
from meteor_e.packs.manifest import CONTENTS

__all__ = ["filter_pack", "info"]


@click.command()
@click.argument("name", metavar="NAME|DIR")
@click.option("--top", type=click.IntRange(min=0), default=0, help="Also the N paraphrases that most phrases share.")
@click.option("--text", metavar="FILE", help="Also how much of a text the pack knows; plain, gzip, bzip2 or xz.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def info(name: str, top: int, text: str | None, as_json: bool) -> None:
    """Print what a pack holds and where it comes from, and how much of a text it covers.

    \b
    meteor-e pack info en
    meteor-e pack info oc-bitext --top 20 --text references.oc
    """
    found = _find(name)
    manifest = found.manifest
    extra: dict[str, Any] = {}
    if top:
        from meteor_e.packs.usage import most_paraphrased

        extra["frequent_paraphrases"] = most_paraphrased(found.paraphrases, top) if found.paraphrases else []
    if text is not None:
        from meteor_e.packs.usage import coverage

        with terminal_progress() as progress:
            words = _words([text], _language_of(found), found)
            extra["coverage"] = coverage(found, words, top or 10, progress=progress)._asdict()
    if as_json:
        shown = {**json.loads(manifest.to_json()), "digest": found.digest, "path": str(found.path), **extra}
        click.echo(json.dumps(shown, ensure_ascii=False, indent=2))
        return
    lines = {
        "name": manifest.name,
        "language": manifest.language,
        "version": manifest.version,
        "digest": found.digest,
        "path": str(found.path),
        **{key.replace("_", " "): count_or_no(manifest.contents.get(key)) for key in CONTENTS},
        "size": f"{sum(file.size for file in manifest.files.values()):,} bytes",
        "licence": manifest.licence or "not stated",
        "built with": manifest.built_with,
    }
    for key, value in lines.items():
        click.echo(f"{key:16}{value}")
    for origin in manifest.sources:
        click.echo(f"{'source':16}{origin.name}  sha256 {origin.sha256}")
    for file_name, file in sorted(manifest.files.items()):
        click.echo(f"{'file':16}{file_name}  {file.size} bytes  sha256 {file.sha256}")
    for phrase, count in extra.get("frequent_paraphrases", []):
        click.echo(f"{'paraphrase':16}{_shown(phrase)}  of {count:,} phrases")
    if "coverage" in extra:
        _echo_coverage(extra["coverage"])


def _echo_coverage(found: dict[str, Any]) -> None:
    words = found["words"]

    def share(count: int) -> str:
        return f"{count:,} ({100 * count / words if words else 0:.1f} %)"

    click.echo(f"{'text':16}{words:,} words")
    click.echo(f"{'function words':16}{share(found['function_words'])}")
    click.echo(f"{'in the table':16}{share(found['paraphrased_words'])}, {found['phrases']:,} phrases")
    for phrase, count, others in found["frequent"]:
        click.echo(f"{'frequent':16}{count:,} x {_shown(phrase)}: {'; '.join(map(_shown, others))}")


def _shown(phrase: str) -> str:
    return isolated(printable(phrase))


@click.command("filter")
@click.argument("source", metavar="NAME|DIR|TABLE")
@click.option(
    "-R",
    "--reference",
    "references",
    multiple=True,
    required=True,
    metavar="FILE",
    help="Text to filter to, one segment per line; may be repeated.",
)
@replaced_option("-r", "name texts with -R FILE")
@replaced_option("--references", "name texts with --reference FILE")
@click.option("-o", "--output", required=True, metavar="PATH", help="The new pack's folder; of a table, the new file.")
@click.option("-l", "--language", metavar="CODE|FILE", help="Language of the text.  [default: the pack's]")
def filter_pack(source: str, references: tuple[str, ...], output: str, language: str | None) -> None:
    """Cut a pack's paraphrases, or a table in METEOR's format, down to those that a text can use.

    An entry stays if either side of it occurs in the text. Scores against references stay the same.

    \b
    meteor-e pack filter en -R references.txt -o ./small-en
    """
    import tempfile

    from meteor_e.base.files import atomic_binary_writer
    from meteor_e.packs.build import derive_pack
    from meteor_e.packs.manifest import check_name
    from meteor_e.packs.usage import filter_table, pack_entries, table_entries

    table = Path(source)
    if table.is_file():
        if language is None:
            raise ConfigError("a table does not say what language it is; name it with --language")
        with terminal_progress() as progress, atomic_binary_writer(output) as stream:
            words = _words(references, language, None)
            before, after = filter_table(lambda: table_entries(table), words, stream, progress)
        click.echo(f"kept {after:,} of {before:,} paraphrases in {output}")
        return
    found = _find(source)
    check_name(Path(output).absolute().name)
    if found.path == Path(output).absolute():
        raise ConfigError("a pack cannot be filtered into its own folder; name another one")
    with terminal_progress() as progress, tempfile.TemporaryDirectory() as scratch:
        filtered = Path(scratch) / "paraphrase.gz"
        words = _words(references, language or _language_of(found), found)
        with atomic_binary_writer(filtered) as stream:
            before, after = filter_table(lambda: pack_entries(found), words, stream, progress)
        derive_pack(found, Path(output), filtered, "filtered", progress)
    click.echo(f"kept {after:,} of {before:,} paraphrases in {output}")


def _find(name: str) -> Pack:
    """Return a pack by its name, or by its folder: a path with a slash in it, as for ``--pack``."""
    return open_pack(name) if is_folder(name) else PackStore().get(name)


def _language_of(pack: Pack) -> str:
    """Return how text in a pack's language becomes words: as the pack itself says, if it is made of bitext."""
    from meteor_e.packs.manifest import LANGUAGE_FILE

    return str(pack.path / LANGUAGE_FILE) if LANGUAGE_FILE in pack.manifest.files else pack.language


def _words(files: Sequence[str], language: str, pack: Pack | None) -> Iterator[list[str]]:
    """Yield the words of each line of text files, as a language's text is normalized with a pack."""
    from meteor_e.chains.texts import language_text
    from meteor_e.formats.plain import read_segments

    text = language_text(language, prefixes=pack.nonbreaking_prefixes if pack is not None else None)
    for file in files:
        yield from map(text.words, read_segments(file))
