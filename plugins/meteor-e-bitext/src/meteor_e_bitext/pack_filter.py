"""``meteor-e pack filter``: paraphrases cut down to those that a text can use."""

from __future__ import annotations

import gzip
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import click

from meteor_e import ConfigError, ResourceError
from meteor_e.base.files import atomic_binary_writer
from meteor_e.base.progress import Progress, silent, terminal_progress
from meteor_e.cli.commands import GroupedCommand
from meteor_e.formats.plain import read_segments
from meteor_e.packs.build import pack_place
from meteor_e.packs.build_indexes import build_paraphrase_index
from meteor_e.packs.pack import PARAPHRASES, TABLE_FILE, Pack, check_name
from meteor_e.packs.store import named_pack
from meteor_e_bitext.texts import language_text, pack_text

Entry = tuple[str, str, str]
"""Probability, phrase, paraphrase."""


@click.command("filter", cls=GroupedCommand)
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
@click.option("-o", "--output", required=True, metavar="PATH", help="The new pack's folder; of a table, the new file.")
@click.option("-l", "--language", metavar="CODE|FILE", help="Language of the text.  [default: the pack's]")
def filter_pack(source: str, references: tuple[str, ...], output: str, language: str | None) -> None:
    """Cut a pack's paraphrases, or a table in METEOR's format, down to those that a text can use.

    An entry stays if either side of it occurs in the text. Scores against references stay the same.

    \b
    meteor-e pack filter en -R references.txt -o ./small-en
    """
    table = Path(source)
    if table.is_file():
        if language is None:
            raise ConfigError("a table does not say what language it is; name it with --language")
        words = _words(references, language_text(language).words)
        with terminal_progress() as progress, atomic_binary_writer(output) as stream:
            before, after = filter_table(lambda: table_entries(table), words, stream, progress)
    else:
        found = named_pack(source)
        check_name(Path(output).absolute().name)
        if found.path == Path(output).absolute():
            raise ConfigError("a pack cannot be filtered into its own folder; name another one")
        words = _words(references, pack_text(found, language).words)
        with terminal_progress() as progress, tempfile.TemporaryDirectory() as scratch:
            filtered = Path(scratch) / TABLE_FILE
            with filtered.open("wb") as stream:
                before, after = filter_table(lambda: pack_entries(found), words, stream, progress)
            derive_pack(found, Path(output), filtered, "filtered", progress)
    click.echo(f"kept {after:,} of {before:,} paraphrases in {output}")


def _words(files: Sequence[str], split: Callable[[str], list[str]]) -> Iterator[list[str]]:
    for file in files:
        yield from map(split, read_segments(file))


def derive_pack(
    pack: Pack, target: str | os.PathLike[str], paraphrases: Path, how: str, progress: Progress = silent
) -> Pack:
    """Build a pack in the folder ``target`` that is like another one except for its paraphrases, and open it.

    Args:
        pack: the other one.
        target: the new pack's folder.
        paraphrases: a table in METEOR's format. It is part of the new pack if the old one had its table.
        how: what was done, which the version says.
        progress: told how far it is.

    Raises:
        ResourceError: if the pack is damaged, the table is malformed, or the new pack cannot be written.
    """
    pack.check()
    with pack_place(target, progress=progress) as place:
        manifest = replace(pack.manifest, version=f"{pack.manifest.version} {how}")
        with place.finished(manifest) as (folder, contents):
            for name in pack.manifest.files:
                if name not in (PARAPHRASES, TABLE_FILE):
                    shutil.copyfile(pack.path / name, folder / name)
            contents["paraphrases"] = build_paraphrase_index(paraphrases, folder / PARAPHRASES, progress)
            if TABLE_FILE in pack.manifest.files:
                shutil.copyfile(paraphrases, folder / TABLE_FILE)
    return Pack(place.target)


def table_entries(path: str | os.PathLike[str]) -> Iterator[Entry]:
    """Iterate over the entries of a table in METEOR's format, plain, gzip, bzip2 or xz.

    Raises:
        InputError: if it cannot be read.
        ResourceError: if it ends inside an entry, or has none where a probability must be.
    """
    lines = read_segments(path)
    number = 0
    for probability in lines:
        number += 3
        left, right = next(lines, None), next(lines, None)
        if left is None or right is None:
            raise ResourceError(f"{path}: the table ends inside an entry; an entry is three lines")
        try:
            float(probability.split()[0])
        except (ValueError, IndexError):
            raise ResourceError(
                f"{path}, line {number - 2}: expected a probability, found {probability[:40]!r}"
            ) from None
        yield probability, left, right


def pack_entries(pack: Pack) -> Iterator[Entry]:
    """Iterate over the entries of a pack's table; where only its index is there, every probability is 1."""
    if TABLE_FILE in pack.manifest.files:
        pack.check()
        yield from table_entries(pack.path / TABLE_FILE)
        return
    index = pack.paraphrases
    if index is None:
        raise ResourceError(f"the pack {pack.name!r} has no paraphrases to filter")
    for node in range(index.nodes):
        others = index.paraphrases(node)
        if len(others):
            left = " ".join(index.phrase(node))
            for other in others:
                yield "1", left, " ".join(index.phrase(other))


def filter_table(
    entries: Callable[[], Iterator[Entry]],
    texts: Iterable[list[str]],
    target: BinaryIO,
    progress: Progress = silent,
) -> tuple[int, int]:
    """Write the entries of which a side occurs in a text into a table; return how many there were and are.

    Args:
        entries: gives the entries; called twice, first for the length of phrases.
        texts: segments, as words.
        target: where the table is written, as gzip; equal tables are equal bytes.
        progress: told how far it is.
    """
    longest = all_entries = 0
    for _, left, right in entries():
        longest = max(longest, len(left.split()), len(right.split()))
        all_entries += 1
    progress("reading references", 0, None)
    present: set[str] = set()
    for words in texts:
        for start in range(len(words)):
            for end in range(start + 1, min(start + longest, len(words)) + 1):
                present.add(" ".join(words[start:end]))
    kept = 0
    with gzip.GzipFile("", "wb", 6, target, mtime=0) as packed:
        for number, (probability, left, right) in enumerate(entries(), 1):
            if " ".join(left.split()) in present or " ".join(right.split()) in present:
                packed.write(f"{probability}\n{left}\n{right}\n".encode())
                kept += 1
            if number % 100_000 == 0:
                progress("filtering", number, all_entries)
    progress("filtering", all_entries, all_entries)
    return all_entries, kept
