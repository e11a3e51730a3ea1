"""``meteor-e pack``: install, list, verify and remove resource packs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from meteor_e.base.errors import ConfigError, ResourceError
from meteor_e.base.yamlfile import is_folder
from meteor_e.cli.tables import format_table, isolated, printable
from meteor_e.packs import Pack, PackStore, open_pack, terminal_progress
from meteor_e.packs.languages import how_to_install

_CONTENTS = ("function_words", "prefixes", "synonyms", "paraphrases")


@click.group()
def pack() -> None:
    """Install, build, list, verify and remove resource packs.

    A pack holds a language's function words, nonbreaking prefixes, synonyms and paraphrases. Packs lie in the
    folder that METEOR_E_PACKS names, by default in your user data folder.
    """


@pack.command()
@click.argument("language", metavar="LANGUAGE")
@click.option(
    "--from",
    "source",
    metavar="PATH|URL",
    help="Where METEOR's data is: the wheel pycocoevalcap 1.2, the tarball meteor-1.5.tar.gz, or meteor-1.5.jar "
    "with its data folder beside it. Default: the wheel, through pip.",
)
@click.option("--offline", is_flag=True, envvar="METEOR_E_OFFLINE", help="Never download anything.")
def install(language: str, source: str | None, offline: bool) -> None:
    """Build METEOR's pack of a language: en, cs, de, es, fr or ru."""
    with terminal_progress() as progress:
        installed = PackStore().install(language, source, progress=progress, offline=offline)
    click.echo(f"installed {installed.name} ({_summary(installed)}) in {installed.path}")


@pack.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_packs(as_json: bool) -> None:
    """List the installed packs."""
    store = PackStore()
    rows = [_row(store, name) for name in store.names()]
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    if not rows:
        click.echo(f"no packs in {store.root}; install one with `meteor-e pack install en`", err=True)
        return
    header = ["name", "state", "version", "digest", *(key.replace("_", " ") for key in _CONTENTS)]
    lines = [
        [row["name"], "damaged" if row["problem"] else "ok", row["version"], row["digest"]]
        + [_count(row["contents"].get(key)) for key in _CONTENTS]
        for row in rows
    ]
    click.echo(format_table(header, lines, left=4))


@pack.command()
@click.argument("names", metavar="[NAME]...", nargs=-1)
def verify(names: tuple[str, ...]) -> None:
    """Check the SHA-256 of every file of the packs named, or of all; exit with 3 if one is damaged."""
    store = PackStore()
    damaged = []
    for name in names or store.names():
        problems = store.verify(name)
        for problem in problems:
            click.echo(f"{name}: {problem}")
        if problems:
            damaged.append(name)
        else:
            click.echo(f"{name}: ok")
    if damaged:
        raise ResourceError(
            "; ".join(f"the resource pack {name!r} is damaged, {how_to_install(name, again=True)}" for name in damaged)
        )


@pack.command()
@click.argument("name")
def remove(name: str) -> None:
    """Remove a pack."""
    PackStore().remove(name)
    click.echo(f"removed {name}")


@pack.command()
@click.argument("name")
def path(name: str) -> None:
    """Print the folder of a pack."""
    click.echo(str(PackStore().get(name).path))


@pack.command()
@click.argument("name", metavar="NAME|DIR")
@click.option("--top", type=click.IntRange(min=0), default=0, help="Also the N paraphrases that most phrases share.")
@click.option("--text", metavar="FILE", help="Also how much of a text the pack knows; plain, gzip, bzip2 or xz.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def info(name: str, top: int, text: str | None, as_json: bool) -> None:
    """Print what a pack holds and where it comes from, and how much of a text it covers."""
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
        **{key.replace("_", " "): _count(manifest.contents.get(key)) for key in _CONTENTS},
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


@pack.command("filter")
@click.argument("source", metavar="NAME|DIR|TABLE")
@click.option(
    "-r",
    "--references",
    multiple=True,
    required=True,
    metavar="FILE",
    help="Text to filter to, a segment a line; may be repeated.",
)
@click.option("-o", "--output", required=True, metavar="PATH", help="The new pack's folder; of a table, the new file.")
@click.option("-l", "--language", metavar="CODE|FILE", help="Language of the text.  [default: the pack's]")
def filter_pack(source: str, references: tuple[str, ...], output: str, language: str | None) -> None:
    """Cut a pack's paraphrases, or a table in METEOR's format, down to those that a text can use.

    An entry stays if either side of it occurs in the text. Scores against references stay the same.
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


@pack.command()
@click.option("-l", "--language", required=True, metavar="CODE|FILE", help="Language of the first file, and the pack.")
@click.option(
    "--bitext",
    nargs=2,
    required=True,
    metavar="TEXT TRANSLATION",
    help="Text in the language and its translation into another one, line by line; plain, gzip, bzip2 or xz.",
)
@click.option(
    "--pivot-language",
    metavar="CODE|FILE",
    help="Language of the translation, for its tokenization.  [default: none in particular]",
)
@click.option("-o", "--output", metavar="DIR", help="The pack's folder.  [default: LANGUAGE-bitext among your packs]")
@click.option(
    "--tokenization",
    type=click.Choice(["language", "whitespace"]),
    default="language",
    help="How text becomes words: as it would be to be scored, or at white space.  [default: language]",
)
@click.option("--prefixes", metavar="FILE", help="Nonbreaking prefixes.  [default: those of the language's pack]")
@click.option("--alignment", metavar="FILE", help="Take word alignments from a Pharaoh file.")
@click.option("--phrase-table", metavar="FILE", help="Take phrase pairs from a Moses phrase table.")
@click.option("--table-first", is_flag=True, help="The table's first column is the language's; METEOR's is the second.")
@click.option(
    "--heuristic",
    default="grow-diag-final-and",
    metavar="NAME",
    help="How two alignments become one: intersection, union, grow-diag, "
    "grow-diag-final, grow-diag-final-and.  [default: grow-diag-final-and]",
)
@click.option("--iterations", type=click.IntRange(1, 100), default=5, help="Of the word aligner.  [default: 5]")
@click.option("--longest-sentence", type=int, default=100, help="Leave longer lines out.  [default: 100 words]")
@click.option("--longest-phrase", type=int, default=7, help="Words of a phrase at most.  [default: 7]")
@click.option("--least-count", type=int, default=2, help="Leave out phrases that occur less often.  [default: 2]")
@click.option("--common", type=float, default=0.001, help="Relative frequency of function words.  [default: 0.001]")
@click.option("--least-product", type=float, default=0.001, help="Least p(f|e)*p(e'|f).  [default: 0.001]")
@click.option("--least-probability", type=float, default=0.01, help="Least p(e'|e).  [default: 0.01]")
@click.option("--symbols", help="Characters that no phrase may hold.  [default: ASCII's punctuation]")
@click.option(
    "--target-lines",
    type=click.IntRange(min=0),
    default=0,
    help="Paraphrase only phrases in so many first lines (METEOR's script: 10000).  [default: 0, all]",
)
@click.option("--sample", type=click.IntRange(min=0), default=100, help="Paraphrases in the report.  [default: 100]")
@click.option("--seed", type=int, default=1, help="Of their choice.  [default: 1]")
@click.option("--encoding", default="utf-8", help="Encoding of the text.  [default: utf-8]")
@click.option("--threads", type=click.IntRange(min=1), help="Threads that work.  [default: as many as processors]")
@click.option("--work", metavar="DIR", help="Where intermediate results lie.  [default: beside the pack]")
@click.option("--keep-work", is_flag=True, help="Leave them there.")
def build(
    language: str,
    bitext: tuple[str, str],
    pivot_language: str | None,
    output: str | None,
    tokenization: str,
    prefixes: str | None,
    alignment: str | None,
    phrase_table: str | None,
    table_first: bool,
    heuristic: str,
    iterations: int,
    longest_sentence: int,
    longest_phrase: int,
    least_count: int,
    common: float,
    least_product: float,
    least_probability: float,
    symbols: str | None,
    target_lines: int,
    sample: int,
    seed: int,
    encoding: str,
    threads: int | None,
    work: str | None,
    keep_work: bool,
) -> None:
    """Build a pack from bitext: function words and paraphrases of any language.

    Interrupted, it goes on where it was when the same command is given again.

    \b
    meteor-e pack build --language fr --bitext europarl.fr europarl.en
    meteor-e score system.txt reference.txt --language fr --pack fr-bitext
    """
    from meteor_e.bitext.alignment import AlignmentOptions
    from meteor_e.bitext.build import BitextOptions, build_from_bitext
    from meteor_e.bitext.pivot import SYMBOLS, PivotOptions
    from meteor_e.bitext.sides import language_side
    from meteor_e.engine.threads import default_threads

    whitespace = tokenization == "whitespace"
    side = language_side(language, whitespace=whitespace, prefixes=prefixes)
    pivot_side = language_side(pivot_language, whitespace=whitespace)
    options = BitextOptions(
        alignment=AlignmentOptions(iterations=iterations, heuristic=heuristic),
        pivot=PivotOptions(least_product, least_probability, common, SYMBOLS if symbols is None else symbols),
        longest_sentence=longest_sentence,
        longest_phrase=longest_phrase,
        least_count=least_count,
        table_first=table_first,
        target_lines=target_lines,
        sample=sample,
        seed=seed,
        encoding=encoding,
    )
    target = output if output is not None else PackStore().root / f"{side.code}-bitext"

    def say(stage: str, seconds: float, reused: bool) -> None:
        # Not by click, which would write into the middle of the bars.
        print(f"{stage}: {'done before' if reused else f'{seconds:.1f} s'}", file=sys.stderr)

    with terminal_progress() as progress:
        built = build_from_bitext(
            target,
            side,
            pivot_side,
            bitext,
            options=options,
            alignments=alignment,
            phrase_table=phrase_table,
            work=work,
            keep_work=keep_work,
            threads=default_threads(threads),
            progress=progress,
            done=say,
        )
    click.echo(f"built {built.name} ({_summary(built)}) in {built.path}")


def _find(name: str) -> Pack:
    """Return a pack by its name, or by its folder: a path with a slash in it, as for ``--pack``."""
    return open_pack(name) if is_folder(name) else PackStore().get(name)


def _language_of(pack: Pack) -> str:
    """Return how text in a pack's language becomes words: as the pack itself says, if it is made of bitext."""
    from meteor_e.packs.manifest import LANGUAGE_FILE

    return str(pack.path / LANGUAGE_FILE) if LANGUAGE_FILE in pack.manifest.files else pack.language


def _words(files: Sequence[str], language: str, pack: Pack | None) -> Iterator[list[str]]:
    """Yield the words of each line of text files, as a language's text is normalised with a pack."""
    from meteor_e.api.tokens import split_words
    from meteor_e.bitext.sides import language_side
    from meteor_e.formats.plain import read_segments
    from meteor_e.text.normalization import Normalizer

    side = language_side(language)
    normalizer = side.normalizer
    assert normalizer is not None  # only text that is taken as it is has none
    if pack is not None:
        normalizer = Normalizer(normalizer.mode, normalizer.apostrophes, pack.nonbreaking_prefixes)
    for file in files:
        for line in read_segments(file):
            yield split_words(normalizer(side.segment(line) if side.segment is not None else line))


def _row(store: PackStore, name: str) -> dict[str, Any]:
    """Return a pack's line of the list; a damaged one is listed, too."""
    try:
        found = store.get(name)
    except ResourceError as error:
        return {"name": name, "version": "", "digest": "", "contents": {}, "path": "", "problem": str(error)}
    problem = None
    try:
        found.check()
    except ResourceError as error:
        problem = str(error)
    return {
        "name": found.name,
        "language": found.language,
        "version": found.version,
        "digest": found.digest,
        "contents": found.manifest.contents,
        "path": str(found.path),
        "problem": problem,
    }


def _count(number: int | None) -> str:
    return "no" if number is None else f"{number:,}"


def _summary(found: Pack) -> str:
    contents = found.manifest.contents
    return ", ".join(f"{_count(contents.get(key))} {key.replace('_', ' ')}" for key in _CONTENTS)
