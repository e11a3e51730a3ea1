"""JSON Lines: one object per line. What a line holds is handed on as it stands, byte for byte."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from meteor_e.api import InputError, TextColumns
from meteor_e.base.files import PathLike, input_name, open_binary, os_errors_as
from meteor_e.base.texts import distinct_keys
from meteor_e.formats.plain import read_segments
from meteor_e_tables.arrow import arrow_table
from meteor_e_tables.batches import BATCH_ROWS, BatchedTable, TableBatch, text_batch
from meteor_e_tables.cells import find_column, nested

_ARRAY = msgspec.json.Decoder(list[dict[str, msgspec.Raw]])
_LINE = msgspec.json.Decoder(dict[str, msgspec.Raw])


@dataclass
class ObjectRows:
    """Rows as mappings; a value may be JSON that has not been decoded."""

    name: str
    rows: list[dict[str, Any]]

    def __len__(self) -> int:
        return len(self.rows)

    def objects(self) -> list[dict[str, Any]]:
        """Return them."""
        return self.rows

    def arrow(self, schema: Any = None) -> Any:
        """Return a table; without a schema, what these rows suggest.

        Raises:
            InputError: if the rows do not fit one schema.
        """
        decoded = [{key: self._cell(value, key) for key, value in row.items()} for row in self.rows]
        return arrow_table(decoded, schema, self.name)

    def _cell(self, value: Any, key: str) -> Any:
        try:
            return _decoded(value)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise InputError(f"{self.name}, field {key!r}: {error}; write .jsonl, which keeps it as it is") from None


class JsonLines(BatchedTable):
    """A file of JSON Lines, plain or gzip.

    Args:
        path: the file; ``-`` is standard input.
        texts: which fields hold the texts; ``translation.de`` is a field of a field.

    Raises:
        InputError: if it cannot be read, or its first line lacks a field.
    """

    row_name = "line"
    """What messages call a row."""

    def __init__(self, path: PathLike, texts: TextColumns) -> None:
        self.name = input_name(path)
        self.size = None
        self._path = path
        self.texts = texts
        self._lines: Iterator[tuple[int, dict[str, msgspec.Raw]]] | None = self._objects()
        self._first = next(self._lines, None)
        if self._first is None:
            raise InputError(f"{self.name} is empty; there is nothing to score")
        self._fields = {
            column: find_column(tuple(self._first[1]), column, self.name, option) for column, option in texts.options()
        }

    def _objects(self) -> Iterator[tuple[int, dict[str, msgspec.Raw]]]:
        # The decoder keeps the last of fields that have one name. What may be such a line is read again.
        keys = {f'"{column.partition(".")[0]}' for column, _ in self.texts.options()}
        for number, line in enumerate(read_segments(self._path), 1):
            if not line.strip():
                continue
            try:
                row = _LINE.decode(line)
                if any(line.count(key) > 1 for key in keys):
                    json.loads(line, object_pairs_hook=distinct_keys)
                yield number, row
            except msgspec.ValidationError:
                raise InputError(f"{self.name}, line {number}: no JSON object") from None
            except (ValueError, RecursionError) as error:
                raise InputError(f"{self.name}, line {number}: {error}") from None

    def batches(self, whole: bool = False) -> Iterator[TableBatch]:
        """Read the file; standard input can be read once."""
        lines = self._all_lines()
        while some := list(itertools.islice(lines, BATCH_ROWS)):
            yield self._batch([number for number, _ in some], [row for _, row in some], whole)

    def _all_lines(self) -> Iterator[tuple[int, dict[str, msgspec.Raw]]]:
        # What the constructor read comes first: standard input has it no more.
        lines, self._lines = self._lines, None
        return self._objects() if lines is None or self._first is None else itertools.chain([self._first], lines)

    def _batch(self, numbers: list[int], rows: list[dict[str, msgspec.Raw]], whole: bool) -> TableBatch:
        def where(row: int) -> str:
            return f"{self.name}, {self.row_name} {numbers[row]}"

        values = {}
        for column, path in self._fields.items():
            cells = []
            for row, entry in enumerate(rows):
                if path[0] not in entry:
                    raise InputError(f"{where(row)}: no field {path[0]!r}")
                try:
                    cells.append(_decoded(entry[path[0]]))
                except (msgspec.DecodeError, RecursionError) as error:
                    raise InputError(f"{where(row)}, field {path[0]!r}: {error}") from None
            values[column] = list(nested(cells, path, where))
        return text_batch(self.texts, values, ObjectRows(self.name, [*rows]) if whole else None, where)


class JsonArray(JsonLines):
    """A JSON file with one array of objects, which is decoded in memory.

    Args:
        path: the file, plain or compressed; ``-`` is standard input.
        texts: which fields contain the texts; ``translation.de`` is a field of a field.

    Raises:
        InputError: if the file cannot be read, is not an array of objects, or its first object lacks a field.
    """

    row_name = "entry"

    def _objects(self) -> Iterator[tuple[int, dict[str, msgspec.Raw]]]:
        with open_binary(self._path) as stream, os_errors_as(InputError, f"cannot read {self.name}"):
            data = stream.read()
        try:
            entries = _ARRAY.decode(data)
            json.loads(data, object_pairs_hook=distinct_keys)
        except msgspec.ValidationError as error:
            raise InputError(f"{self.name} is not a JSON array of objects: {error}") from None
        except (ValueError, RecursionError) as error:
            raise InputError(f"{self.name} is not JSON ({error})") from None
        return enumerate(entries, 1)


def _decoded(value: Any) -> Any:
    return msgspec.json.decode(value) if isinstance(value, msgspec.Raw) else value
