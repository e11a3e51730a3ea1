"""What there is to score: systems and references, lined up, from whatever files hold them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from meteor_e.errors import ConfigError, InputError
from meteor_e.formats.plain import read_segments

Pair = tuple[str, list[str]]


class SystemInput(NamedTuple):
    """One system's segments with their references.

    Attributes:
        name: what to call the system.
        count: number of segments, ``None`` where only reading tells (standard input).
        pairs: gives the hypotheses and their references, once.
    """

    name: str
    count: int | None
    pairs: Callable[[], Iterator[Pair]]


def plain_systems(
    hypotheses: Sequence[str], references: Sequence[str], references_per_segment: int, encoding: str
) -> list[SystemInput]:
    """Line up plain text files, one segment a line.

    Args:
        hypotheses: a file a system; ``-`` is standard input.
        references: one or several files.
        references_per_segment: how many lines of a reference file belong to a segment.
        encoding: of all the files.

    Raises:
        InputError: if a file cannot be read, is empty, or has another number of segments than the others.
    """
    if [*hypotheses, *references].count("-") > 1:
        raise InputError("standard input (-) can stand for one file only")
    if "-" in references and len(hypotheses) > 1:
        raise InputError("references from standard input can be read once only; give one system, or a file")
    counts = {
        path: _count(path, encoding) for path in dict.fromkeys([*hypotheses, *references]) if path != "-"
    }
    for path in references:
        if counts.get(path, 0) % references_per_segment:
            raise InputError(
                f"{path} has {counts[path]} lines, which is no multiple of {references_per_segment} references "
                "a segment"
            )
    segments = {
        path: count // references_per_segment if path in references else count
        for path, count in counts.items()
    }
    _check_counts(segments)
    names = system_names(hypotheses)
    return [
        SystemInput(
            name,
            next(iter(segments.values()), None),
            lambda path=path: _pairs(path, references, references_per_segment, encoding),  # type: ignore[misc]
        )
        for name, path in zip(names, hypotheses, strict=True)
    ]


def _count(path: str, encoding: str) -> int:
    """Count a file's lines; by the way, everything that is wrong with it shows before a number is printed."""
    return sum(1 for _ in read_segments(path, encoding=encoding))


def _check_counts(segments: dict[str, int]) -> None:
    if not segments:
        return
    (first, expected), *others = segments.items()
    for path, count in others:
        if count != expected:
            raise InputError(
                f"{first} has {expected} segments, but {path} has {count}; "
                "hypotheses and references must line up, one segment a line"
            )
    if not expected:
        raise InputError(f"{first} is empty; there is nothing to score")


def system_names(paths: Sequence[str]) -> list[str]:
    """Name systems after their files: by the shortest end of the path that tells them apart."""
    parts = [Path(path).parts if path != "-" else ("standard input",) for path in paths]
    for length in range(1, max(map(len, parts), default=1) + 1):
        names = ["/".join(part[-length:]) for part in parts]
        if len(set(names)) == len(names):
            return names
    return list(paths)


def _pairs(
    hypothesis: str, references: Sequence[str], references_per_segment: int, encoding: str
) -> Iterator[Pair]:
    sides = [read_segments(hypothesis, encoding=encoding)]
    sides += [
        lines
        for path in references
        for lines in _interleaved(read_segments(path, encoding=encoding), references_per_segment)
    ]
    missing = object()
    for number, row in enumerate(itertools.zip_longest(*sides, fillvalue=missing)):
        if missing in row:
            raise InputError(
                f"hypotheses and references do not have the same number of segments ({number} and more)"
            )
        yield row[0], list(row[1:])


def _interleaved(lines: Iterator[str], count: int) -> list[Iterator[str]]:
    """Split a stream whose lines take turns into one stream a turn."""
    if count == 1:
        return [lines]
    copies = itertools.tee(lines, count)
    return [itertools.islice(copy, start, None, count) for start, copy in enumerate(copies)]


def systems(
    files: Sequence[str], references: Sequence[str], references_per_segment: int, encoding: str
) -> list[SystemInput]:
    """Find out what the files of a command line hold, and line up systems and references.

    Args:
        files: hypotheses, and behind them the reference unless ``references`` names it.
        references: files that hold nothing but references.
        references_per_segment: how many lines of a plain reference file belong to a segment.
        encoding: of plain text files.

    Raises:
        ConfigError: if there is no hypothesis or no reference.
        InputError: if a file cannot be used, or files do not line up.
    """
    hypotheses = list(files)
    if not references:
        if len(hypotheses) < 2:
            raise ConfigError(
                "a reference is missing: give the hypotheses and, as the last file, the reference"
            )
        references = [hypotheses.pop()]
    return plain_systems(hypotheses, references, references_per_segment, encoding)
