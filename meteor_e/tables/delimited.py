"""CSV and TSV with a header: one row per segment."""

from __future__ import annotations

import csv
from collections.abc import Generator, Iterator

import msgspec

from meteor_e.base.errors import InputError
from meteor_e.formats.plain import read_segments
from meteor_e.tables.jsonlines import JsonLines

__all__ = ["Delimited"]

_ENCODER = msgspec.json.Encoder()


class Delimited(JsonLines):
    """A file of comma-separated values (quoted as RFC 4180 has it), or of tab-separated values (without quotes).

    The first line names the columns. Arguments and errors are those of :class:`JsonLines`.
    """

    def _objects(self) -> Generator[tuple[int, dict[str, msgspec.Raw]], None, None]:
        rows = self._rows()
        _, header = next(rows, (0, []))
        for at, name in enumerate(header):
            if name in header[:at]:
                raise InputError(f"{self.name}: two columns are called {name!r}")
        for number, cells in rows:
            if len(cells) != len(header):
                raise InputError(f"{self.name}, line {number}: {len(cells)} columns; the header has {len(header)}")
            values = (msgspec.Raw(_ENCODER.encode(cell)) for cell in cells)
            yield number, dict(zip(header, values, strict=True))

    def _rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield each row with the number of its last line."""
        lines = read_segments(self._path)
        if self.name.removesuffix(".gz").endswith(".tsv"):
            for number, line in enumerate(lines, 1):
                yield number, line.split("\t")
            return
        # A quoted cell may go over several lines.
        reader = csv.reader((f"{line}\n" for line in lines), strict=True)
        try:
            for cells in reader:
                if cells:
                    yield reader.line_num, cells
        except csv.Error as error:
            raise InputError(f"{self.name}, line {reader.line_num}: {error}") from None
