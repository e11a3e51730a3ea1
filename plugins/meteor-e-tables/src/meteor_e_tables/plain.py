"""What is no table of ours, as a table: lines of plain text files, other systems, and rows that others read."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from meteor_e.api import InputError, SystemInput, TextColumns, TextTable
from meteor_e.base.files import compression, open_regular, reading
from meteor_e_tables.batches import BATCH_ROWS, RANGE_ROWS, Batch, Range, Source, Texts, text_batch
from meteor_e_tables.jsonlines import ObjectRows


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
                "hypotheses and references must line up, one segment per line"
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


class PairSource(Source):
    """A system that comes from no table of ours, as a table.

    Args:
        system: its segments with their references.
        several: whether there are other systems, so that the output must say which is which.
    """

    def __init__(self, system: SystemInput, *, several: bool = False) -> None:
        self.name = system.name
        self.size = system.size
        self.texts = TextColumns((system.name,), ("references",))
        self._input = system
        self._system = system.name if several else None

    def batches(self, whole: bool = False) -> Iterator[Batch]:
        """Read the segments."""
        pairs = self._input.pairs()
        first = 1
        while some := list(itertools.islice(pairs, BATCH_ROWS)):
            texts = Texts([[hypothesis for hypothesis, _ in some]], [references for _, references in some])
            rows = _pair_rows(self.name, first, texts, self._system) if whole else None
            yield Batch(self.name, first, texts, rows, "segment")
            first += len(some)

    def ranges(self) -> Sequence[Range] | None:
        """Return ranges of lines, if the pairs come from lines of uncompressed files."""
        files = self._input.lines
        return None if not files or any(map(_is_packed, files)) else line_ranges(files, self._system)


def _is_packed(path: str) -> bool:
    with contextlib.suppress(OSError), open_regular(path) as file:
        return compression(file.read(10)) is not None
    return False


class RecordSource(Source):
    """A table that the core or another plugin reads row by row, with all its columns.

    Args:
        table: the table; its :meth:`~meteor_e.api.TextTable.records` must not be ``None``.
    """

    def __init__(self, table: TextTable) -> None:
        self.name = table.name
        self.size = table.size
        self.texts = table.texts
        self._table = table

    def batches(self, whole: bool = False) -> Iterator[Batch]:
        """Read the table; all columns if ``whole``."""
        records = self._table.records()
        assert records is not None
        columns = dict.fromkeys((*self.texts.hypotheses, *self.texts.references))
        # A batch is of rows without a gap between their numbers, so that errors name the right line.
        for _, numbered in itertools.groupby(enumerate(records), lambda item: item[1][0] - item[0]):
            while some := [record for _, record in itertools.islice(numbered, BATCH_ROWS)]:
                rows = [dict(row) for _, row in some]
                cells = {column: [row[column] for row in rows] for column in columns}
                kept = ObjectRows(self.name, rows) if whole else None
                yield text_batch(self.name, some[0][0], self.texts, cells, kept, "line")


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
