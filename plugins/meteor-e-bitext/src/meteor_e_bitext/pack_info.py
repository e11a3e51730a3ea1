"""Define the command ``meteor-e pack info``, which prints the content of a pack and its coverage of a text."""

from __future__ import annotations

import json
from typing import Any

import click

from meteor_e.api import ResourceError
from meteor_e.base.progress import terminal_progress
from meteor_e.base.yamlfile import is_path
from meteor_e.formats.plain import read_segments
from meteor_e.packs.pack import CONTENTS, Pack, how_to_install
from meteor_e.packs.store import PackStore
from meteor_e.render.plain import format_count, isolate, printable
from meteor_e_bitext.coverage import Coverage, measure_coverage
from meteor_e_bitext.texts import pack_text


@click.command()
@click.argument("name", metavar="NAME|DIR")
@click.option("--text", metavar="FILE", help="Print how much of this text the pack covers; plain, gzip, bzip2 or xz.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def info(name: str, text: str | None, as_json: bool) -> None:
    """Verify the files of a pack, and print its content, its sources, and how much of a text it covers.

    \b
    meteor-e pack info en
    meteor-e pack info oc-bitext --text references.oc
    """
    pack = Pack(name) if is_path(name) else PackStore().get(name)
    _verify_pack(pack)
    coverage = None if text is None else _measure_file_coverage(pack, text)
    if as_json:
        _print_json(pack, coverage)
        return
    _print_manifest(pack)
    if coverage is not None:
        _print_coverage(coverage)


def _verify_pack(pack: Pack) -> None:
    """Raise ResourceError if a file of a pack is missing or damaged."""
    problems = pack.verify()
    if problems:
        advice = how_to_install(pack.name, again=True)
        raise ResourceError(f"pack {pack.name!r} in {pack.path} is damaged: {'; '.join(problems)}; {advice}")


def _measure_file_coverage(pack: Pack, path: str) -> Coverage:
    """Measure how much of a text file the pack covers."""
    tokenize = pack_text(pack).words
    with terminal_progress() as progress:
        return measure_coverage(pack, map(tokenize, read_segments(path)), progress=progress)


def _print_json(pack: Pack, coverage: Coverage | None) -> None:
    """Print the manifest, digest, path and (if measured) coverage of a pack as a JSON object."""
    content: dict[str, Any] = json.loads(pack.manifest.to_json())
    content["digest"] = pack.digest
    content["path"] = str(pack.path)
    if coverage is not None:
        content["coverage"] = coverage._asdict()
    click.echo(json.dumps(content, ensure_ascii=False, indent=2))


def _print_manifest(pack: Pack) -> None:
    """Print one line for each value in the manifest of a pack."""
    manifest = pack.manifest
    _print_row("name", manifest.name)
    _print_row("language", manifest.language)
    _print_row("version", manifest.version)
    _print_row("digest", pack.digest)
    _print_row("path", str(pack.path))
    for key in CONTENTS:
        _print_row(key.replace("_", " "), format_count(manifest.contents.get(key)))
    _print_row("size", f"{sum(file.size for file in manifest.files.values()):,} bytes")
    _print_row("licence", manifest.licence or "not stated")
    _print_row("built with", manifest.built_with)
    for source in manifest.sources:
        _print_row("source", f"{source.name}  sha256 {source.sha256}")
    for file_name, file in sorted(manifest.files.items()):
        _print_row("file", f"{file_name}  {file.size} bytes  sha256 {file.sha256}")


def _print_coverage(coverage: Coverage) -> None:
    """Print how many words of a text a pack covers, and the most frequent phrases that have paraphrases."""
    _print_row("text", f"{coverage.words:,} words")
    _print_row("function words", _format_share(coverage.function_words, coverage.words))
    paraphrased = _format_share(coverage.paraphrased_words, coverage.words)
    _print_row("in the table", f"{paraphrased}, {coverage.phrases:,} phrases")
    for phrase, frequency, paraphrases in coverage.frequent:
        texts = "; ".join(_make_printable(paraphrase) for paraphrase in paraphrases)
        _print_row("frequent", f"{frequency:,} x {_make_printable(phrase)}: {texts}")


def _print_row(label: str, value: str) -> None:
    click.echo(f"{label:16}{value}")


def _format_share(count: int, total: int) -> str:
    percentage = 100 * count / total if total else 0
    return f"{count:,} ({percentage:.1f} %)"


def _make_printable(phrase: str) -> str:
    """Remove control characters from a phrase, and prevent right-to-left text from reordering the line."""
    return isolate(printable(phrase))
