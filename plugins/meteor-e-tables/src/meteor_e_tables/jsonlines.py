"""JSON Lines: one object per line. The values of a line are copied to the output unchanged, byte for byte."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from meteor_e.api import InputError, TextColumns
from meteor_e.base.files import PathLike, input_name, open_binary, os_errors_as
from meteor_e.base.texts import reject_duplicate_keys
from meteor_e.formats.plain import read_segments
from meteor_e_tables.arrow import arrow_table
from meteor_e_tables.batches import BATCH_ROWS, BatchedTable, TableBatch, make_batch
from meteor_e_tables.cells import find_column, get_nested

_ARRAY_DECODER = msgspec.json.Decoder(list[dict[str, msgspec.Raw]])
_LINE_DECODER = msgspec.json.Decoder(dict[str, msgspec.Raw])


@dataclass
class ObjectRows:
    """Rows as dictionaries, whose values can be JSON that is not decoded yet."""

    name: str
    rows: list[dict[str, Any]]

    def __len__(self) -> int:
        return len(self.rows)

    def objects(self) -> list[dict[str, Any]]:
        """Return the rows."""
        return self.rows

    def arrow(self, schema: Any = None) -> Any:
        """Return an Arrow table; if ``schema`` is ``None``, it is inferred from the rows.

        Raises:
            InputError: if the rows do not fit one schema.
        """
        decoded = [{key: self._decode_cell(value, key) for key, value in row.items()} for row in self.rows]
        return arrow_table(decoded, schema, self.name)

    def _decode_cell(self, value: Any, key: str) -> Any:
        try:
            return _decode(value)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise InputError(f"{self.name}, field {key!r}: {error}; write .jsonl, which keeps it as it is") from None


class JsonLines(BatchedTable):
    """A file of JSON Lines, plain or gzip.

    Args:
        path: the file; ``-`` is standard input.
        texts: the fields that contain the texts; ``translation.de`` is a nested field.

    Raises:
        InputError: if the file cannot be read, or if its first line lacks a field.
    """

    row_name = "line"
    """The term for a row in error messages."""

    def __init__(self, path: PathLike, texts: TextColumns) -> None:
        self.name = input_name(path)
        self.size = None
        self._path = path
        self.texts = texts
        self._rows: Iterator[tuple[int, dict[str, msgspec.Raw]]] | None = self._read_rows()
        self._first_row = next(self._rows, None)
        if self._first_row is None:
            raise InputError(f"{self.name} is empty; there is nothing to score")
        self._fields = {
            column: find_column(tuple(self._first_row[1]), column, self.name, option)
            for column, option in texts.options()
        }

    def _read_rows(self) -> Iterator[tuple[int, dict[str, msgspec.Raw]]]:
        # If a field occurs twice, the decoder keeps the last one. Lines that may contain such a field are parsed again.
        keys = {f'"{column.partition(".")[0]}' for column, _ in self.texts.options()}
        for number, line in enumerate(read_segments(self._path), 1):
            if not line.strip():
                continue
            try:
                row = _LINE_DECODER.decode(line)
                if any(line.count(key) > 1 for key in keys):
                    json.loads(line, object_pairs_hook=reject_duplicate_keys)
                yield number, row
            except msgspec.ValidationError:
                raise InputError(f"{self.name}, line {number}: expected a JSON object") from None
            except (ValueError, RecursionError) as error:
                raise InputError(f"{self.name}, line {number}: {error}") from None

    def batches(self, all_columns: bool = False) -> Iterator[TableBatch]:
        """Read the file; standard input can be read only once."""
        numbered_rows = self._get_rows()
        while batch := list(itertools.islice(numbered_rows, BATCH_ROWS)):
            yield self._make_batch([number for number, _ in batch], [row for _, row in batch], all_columns)

    def _get_rows(self) -> Iterator[tuple[int, dict[str, msgspec.Raw]]]:
        # The first call continues after the row that the constructor read, because standard input cannot be reread.
        rows, self._rows = self._rows, None
        if rows is None or self._first_row is None:
            return self._read_rows()
        return itertools.chain([self._first_row], rows)

    def _make_batch(self, numbers: list[int], rows: list[dict[str, msgspec.Raw]], all_columns: bool) -> TableBatch:
        def locate(row: int) -> str:
            return f"{self.name}, {self.row_name} {numbers[row]}"

        cells = {}
        for column, path in self._fields.items():
            values = []
            for index, row in enumerate(rows):
                if path[0] not in row:
                    raise InputError(f"{locate(index)}: no field {path[0]!r}")
                try:
                    values.append(_decode(row[path[0]]))
                except (msgspec.DecodeError, RecursionError) as error:
                    raise InputError(f"{locate(index)}, field {path[0]!r}: {error}") from None
            cells[column] = list(get_nested(values, path, locate))
        return make_batch(self.texts, cells, ObjectRows(self.name, [*rows]) if all_columns else None, locate)


class JsonArray(JsonLines):
    """A JSON file with one array of objects, which is decoded in memory.

    Args:
        path: the file, plain or compressed; ``-`` is standard input.
        texts: the fields that contain the texts; ``translation.de`` is a nested field.

    Raises:
        InputError: if the file cannot be read, is not an array of objects, or its first object lacks a field.
    """

    row_name = "entry"

    def _read_rows(self) -> Iterator[tuple[int, dict[str, msgspec.Raw]]]:
        with open_binary(self._path) as stream, os_errors_as(InputError, f"cannot read {self.name}"):
            data = stream.read()
        try:
            entries = _ARRAY_DECODER.decode(data)
            json.loads(data, object_pairs_hook=reject_duplicate_keys)
        except msgspec.ValidationError as error:
            raise InputError(f"{self.name} is not a JSON array of objects: {error}") from None
        except (ValueError, RecursionError) as error:
            raise InputError(f"{self.name} is not JSON ({error})") from None
        return enumerate(entries, 1)


def _decode(value: Any) -> Any:
    return msgspec.json.decode(value) if isinstance(value, msgspec.Raw) else value
