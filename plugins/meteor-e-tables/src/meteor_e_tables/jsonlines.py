"""Read JSON Lines and arrays of JSON objects. Values that are only copied to the output are not decoded."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec

from meteor_e.api import InputError, TextColumns
from meteor_e.base.files import PathLike, input_name, open_binary, os_errors_as
from meteor_e.base.texts import reject_duplicate_keys
from meteor_e.formats.plain import read_segments
from meteor_e_tables.arrow import arrow_table
from meteor_e_tables.batches import BATCH_ROWS, BatchedTable, TableBatch, make_batch
from meteor_e_tables.cells import RowLocator, find_column, get_nested

_ARRAY_DECODER = msgspec.json.Decoder(list[dict[str, msgspec.Raw]])
_VALUE_DECODER = msgspec.json.Decoder()
_LINE_DECODER = msgspec.json.Decoder(dict[str, msgspec.Raw])


@dataclass
class ObjectRows:
    """Represent each row by a dictionary.

    Attributes:
        name: the name of the table, for error messages.
        rows: one dictionary per row. Its values can be encoded JSON.
    """

    name: str
    rows: list[dict[str, Any]]

    def __len__(self) -> int:
        return len(self.rows)

    def objects(self) -> list[dict[str, Any]]:
        """Return one dictionary per row."""
        return self.rows

    def arrow(self, schema: Any = None) -> Any:
        """Return an Arrow table with the given schema. By default, the schema is inferred from the rows.

        Raises:
            InputError: if the rows do not fit one schema.
        """
        decoded = [{key: self._decode_cell(value, key) for key, value in row.items()} for row in self.rows]
        return arrow_table(decoded, schema, self.name)

    def _decode_cell(self, value: Any, key: str) -> Any:
        """Decode a cell if it contains encoded JSON. Raise an InputError if the JSON is invalid."""
        try:
            return _decode(value)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise InputError(f"{self.name}, field {key!r}: {error}; write .jsonl, which keeps it as it is") from None


class _NumberedRow(NamedTuple):
    """A row of a JSON file.

    Attributes:
        number: the number of the line or of the array entry, from 1.
        cells: the encoded values by key.
    """

    number: int
    cells: dict[str, msgspec.Raw]


def _check_duplicate_keys(line: str, key_prefixes: Sequence[str]) -> None:
    """Raise a ValueError if a JSON object contains the key of a text column twice.

    Args:
        line: a JSON object.
        key_prefixes: for each column with texts, the quotation mark and the characters with which its key begins.
    """
    # Only the json module detects duplicate keys. Because it is slow, it parses only lines that may contain them.
    if any(line.count(prefix) > 1 for prefix in key_prefixes):
        json.loads(line, object_pairs_hook=reject_duplicate_keys)


def _parse_line(line: str, key_prefixes: Sequence[str], location: str) -> dict[str, msgspec.Raw]:
    """Parse a JSON object, but not its values. Raise an InputError if the line contains anything else.

    Args:
        line: the line of the file.
        key_prefixes: for each column with texts, the quotation mark and the characters with which its key begins.
        location: the location of the line, for error messages.
    """
    try:
        cells = _LINE_DECODER.decode(line)
        _check_duplicate_keys(line, key_prefixes)
    except msgspec.ValidationError:
        raise InputError(f"{location}: expected a JSON object") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{location}: {error}") from None
    return cells


class JsonLines(BatchedTable):
    """Read a table from a JSON Lines file, which contains one object per line and can be compressed with gzip.

    Args:
        path: the path of the file. ``-`` means standard input.
        texts: the fields that contain the texts. ``translation.de`` denotes a nested field.

    Raises:
        InputError: if the file cannot be read, or if a field is missing from its first line.
    """

    row_name = "line"
    """The word that error messages use for a row."""

    def __init__(self, path: PathLike, texts: TextColumns) -> None:
        self.name = input_name(path)
        self.size = None
        self._path = path
        self.texts = texts
        self._rows: Iterator[_NumberedRow] | None = self._read_rows()
        self._first_row = next(self._rows, None)
        if self._first_row is None:
            raise InputError(f"{self.name} is empty; there is nothing to score")
        self._fields = {
            column: find_column(tuple(self._first_row.cells), column, self.name, option)
            for column, option in texts.options()
        }

    def _read_rows(self) -> Iterator[_NumberedRow]:
        """Yield the rows of the file. Empty lines are skipped."""
        # Without a closing quotation mark, a prefix matches both of the keys ``translation`` and ``translation.de``.
        key_prefixes = ['"' + column.split(".")[0] for column, _ in self.texts.options()]
        for line_number, line in enumerate(read_segments(self._path), 1):
            if line.strip():
                cells = _parse_line(line, key_prefixes, f"{self.name}, line {line_number}")
                yield _NumberedRow(line_number, cells)

    def batches(self, all_columns: bool = False) -> Iterator[TableBatch]:
        """Read the table from the start. Standard input can be read only once.

        Args:
            all_columns: ignored, because the batches always contain all columns.
        """
        rows = self._start_reading()
        while batch := list(itertools.islice(rows, BATCH_ROWS)):
            yield self._make_batch(batch)

    def _start_reading(self) -> Iterator[_NumberedRow]:
        """Return an iterator over all rows.

        The constructor has already read the first row. Standard input cannot be read twice, so the first call continues
        with the open file.
        """
        rows, self._rows = self._rows, None
        if rows is None or self._first_row is None:
            return self._read_rows()
        return itertools.chain([self._first_row], rows)

    def _make_batch(self, rows: list[_NumberedRow]) -> TableBatch:
        """Create a batch from several rows."""

        def locate(index: int) -> str:
            return f"{self.name}, {self.row_name} {rows[index].number}"

        cells = {}
        for column, path in self._fields.items():
            values = [_decode_field(row.cells, path[0], locate, index) for index, row in enumerate(rows)]
            cells[column] = get_nested(values, path, locate)
        return make_batch(self.texts, cells, ObjectRows(self.name, [row.cells for row in rows]), locate)


class JsonArray(JsonLines):
    """Read a table from a JSON file that consists of one array of objects. The complete file is loaded into memory.

    Args:
        path: the path of the file, which can be compressed. ``-`` means standard input.
        texts: the fields that contain the texts. ``translation.de`` denotes a nested field.

    Raises:
        InputError: if the file cannot be read, if it is not an array of objects, or if a field is missing from its
            first object.
    """

    row_name = "entry"

    def _read_rows(self) -> Iterator[_NumberedRow]:
        """Load the file, and yield its objects."""
        with open_binary(self._path) as stream, os_errors_as(InputError, f"cannot read {self.name}"):
            data = stream.read()
        try:
            entries = _ARRAY_DECODER.decode(data)
            json.loads(data, object_pairs_hook=reject_duplicate_keys)
        except msgspec.ValidationError as error:
            raise InputError(f"{self.name} is not a JSON array of objects: {error}") from None
        except (ValueError, RecursionError) as error:
            raise InputError(f"{self.name} is not JSON ({error})") from None
        return itertools.starmap(_NumberedRow, enumerate(entries, 1))


def _decode_field(cells: dict[str, msgspec.Raw], field: str, locate: RowLocator, index: int) -> Any:
    """Return the decoded value of a field in a row.

    Args:
        cells: the encoded values of the row.
        field: the name of the field.
        locate: returns the location of a row.
        index: the index of the row.

    Raises:
        InputError: if the row does not contain the field, or if the value is not valid JSON.
    """
    if field not in cells:
        raise InputError(f"{locate(index)}: no field {field!r}")
    try:
        return _decode(cells[field])
    except (msgspec.DecodeError, RecursionError) as error:
        raise InputError(f"{locate(index)}, field {field!r}: {error}") from None


def _decode(value: Any) -> Any:
    """Decode a value if it is encoded JSON."""
    return _VALUE_DECODER.decode(value) if isinstance(value, msgspec.Raw) else value
