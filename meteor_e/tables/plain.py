"""Lines of plain text files, as a table: hypotheses in one file, references in others."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from meteor_e.base.errors import InputError
from meteor_e.base.files import compression, reading
from meteor_e.tables.batches import BATCH_ROWS, RANGE_ROWS, Batch, Range, Texts
from meteor_e.tables.jsonlines import ObjectRows

__all__ = ["LineRange", "PairSource", "line_ranges"]


@dataclass(frozen=True)
class LineRange:
    """The same lines of several uncompressed UTF-8 files.

    Attributes:
        paths: the files: hypotheses, then references.
        offsets: where the lines begin and end in each file, in bytes.
        size: how many lines.
        first: number of the first line, from 1.
        system: name of the system, for output.
    """

    paths: tuple[str, ...]
    offsets: tuple[tuple[int, int], ...]
    size: int
    first: int
    system: str | None = None

    @property
    def files(self) -> tuple[str, ...]:
        """The files."""
        return self.paths

    def read(self, whole: bool = False) -> Batch:
        """Read the lines."""
        hypotheses, *references = (
            self._lines(path, *offsets) for path, offsets in zip(self.paths, self.offsets, strict=True)
        )
        texts = Texts([hypotheses], list(zip(*references, strict=True)))
        rows = _pair_rows(self.paths[0], self.first, texts, self.system) if whole else None
        return Batch(self.paths[0], self.first, texts, rows, "line")

    def _lines(self, path: str, start: int, stop: int) -> list[str]:
        with reading(path), Path(path).open("rb") as file:
            file.seek(start)
            data = file.read(stop - start)
        lines = [line.removesuffix(b"\r") for line in data.split(b"\n")]
        if data.endswith(b"\n"):
            lines.pop()
        elif data.endswith(b"\r"):
            # A line end has both; see read_segments.
            lines[-1] += b"\r"
        if len(lines) != self.size or len(data) != stop - start:
            raise InputError(f"{path} was changed while it was read; start again")
        texts = []
        for number, line in enumerate(lines, self.first):
            try:
                texts.append(line.decode())
            except UnicodeDecodeError as error:
                raise InputError(
                    f"{path}, line {number}: not valid UTF-8 (byte {error.start + 1}: {error.reason}); "
                    "convert the file, or name its encoding"
                ) from error
        if self.first == 1 and texts:
            texts[0] = texts[0].removeprefix("\ufeff")
        return texts


def line_ranges(paths: Sequence[str], system: str | None = None, *, rows: int = RANGE_ROWS) -> list[LineRange]:
    """Find where the lines of files begin, and cut the files into ranges of as many lines.

    Args:
        paths: hypotheses, then references: uncompressed, UTF-8.
        system: name of the system, for output.
        rows: lines of a range.

    Raises:
        InputError: if a file cannot be read, is compressed, or has another number of lines than the others.
    """
    names = tuple(str(Path(path).absolute()) for path in paths)
    found = {name: _line_offsets(name, rows) for name in dict.fromkeys(names)}
    (first, (lines, _)), *others = found.items()
    for name, (count, _) in others:
        if count != lines:
            raise InputError(
                f"{first} has {lines} segments, but {name} has {count}; "
                "hypotheses and references must line up, one segment a line"
            )
    if not lines:
        raise InputError(f"{first} is empty; there is nothing to score")
    offsets = [found[name][1] for name in names]
    return [
        LineRange(
            names,
            tuple((side[number], side[number + 1]) for side in offsets),
            min(rows, lines - number * rows),
            number * rows + 1,
            system,
        )
        for number in range(len(offsets[0]) - 1)
    ]


def _line_offsets(path: str, rows: int) -> tuple[int, list[int]]:
    """Return the number of lines, and where each ``rows``-th of them begins, and the end."""
    offsets, at, count = [0], 0, 0
    with reading(path), Path(path).open("rb") as file:
        if compression(file.read(10)) is not None:
            raise InputError(f"{path} is compressed, and cannot be read in parts; unpack it, or make it Parquet")
        file.seek(0)
        for line in file:
            at += len(line)
            count += 1
            if count % rows == 0:
                offsets.append(at)
    if offsets[-1] != at:
        offsets.append(at)
    return count, offsets


class PairSource:
    """One system's segments with their references, from any iterable, as a table.

    Args:
        name: of the system.
        size: how many segments, ``None`` if only reading tells.
        pairs: gives them, once.
        several: whether there are other systems, so that the output must say which is which.
        files: the plain UTF-8 files that the pairs come from line by line, if they do, hypotheses first.
    """

    def __init__(
        self,
        name: str,
        size: int | None,
        pairs: Callable[[], Iterable[tuple[str, Sequence[str]]]],
        *,
        several: bool = False,
        files: Sequence[str] | None = None,
    ) -> None:
        self.name = name
        self.size = size
        self.systems: tuple[str, ...] = (name,)
        self.columns: tuple[str, ...] = ("system", "segment", "hypothesis", "references")[0 if several else 1 :]
        self._pairs = pairs
        self._system = name if several else None
        self._files = files

    def batches(self, whole: bool = False) -> Iterator[Batch]:
        """Read the segments."""
        pairs = iter(self._pairs())
        first = 1
        while some := list(itertools.islice(pairs, BATCH_ROWS)):
            texts = Texts([[hypothesis for hypothesis, _ in some]], [references for _, references in some])
            rows = _pair_rows(self.name, first, texts, self._system) if whole else None
            yield Batch(self.name, first, texts, rows, "segment")
            first += len(some)

    def ranges(self) -> list[Range] | None:
        """Return ranges of lines, if the pairs come from lines."""
        return None if self._files is None else list(line_ranges(self._files, self._system))

    def schema(self) -> Any:
        """Return ``None``: the rows tell."""
        return None


def _pair_rows(name: str, first: int, texts: Texts, system: str | None) -> ObjectRows:
    begin: dict[str, Any] = {} if system is None else {"system": system}
    return ObjectRows(
        name,
        [
            {**begin, "segment": number, "hypothesis": hypothesis, "references": list(references)}
            for number, (hypothesis, references) in enumerate(
                zip(texts.hypotheses[0], texts.references, strict=True), first
            )
        ],
    )
