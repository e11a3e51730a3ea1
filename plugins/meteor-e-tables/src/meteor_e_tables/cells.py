"""Validate table cells that contain texts, references or ids."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from meteor_e.api import InputError
from meteor_e.api.segments import SegmentId
from meteor_e.base.errors import near_miss
from meteor_e.base.texts import are_valid_texts

RowLocator = Callable[[int], str]
"""A function that returns the location of the row with a given index, for error messages."""

_MISSING_VALUE_TYPES = ("NAType", "NaTType")
"""The names of the classes that pandas uses for missing values."""


def read_texts(cells: Iterable[Any], column: str, locate: RowLocator) -> list[str]:
    """Return the cells of a column as strings.

    Args:
        cells: the cells of the column.
        column: the name of the column.
        locate: returns the location of a row.

    Raises:
        InputError: if a cell does not contain a string. The message contains the location of the first such cell.
    """
    texts = list(cells)
    # The column is checked as a whole first, because formatting the location of each row is slow.
    if not are_valid_texts(texts):
        for row, text in enumerate(texts):
            _check_text(text, f"{locate(row)}, column {column!r}")
    return [str(text) for text in texts]  # NumPy has a subclass of str.


def read_ids(cells: Iterable[Any], column: str, locate: RowLocator) -> list[SegmentId]:
    """Return the cells of a column that contains the ids of segments.

    Args:
        cells: the cells of the column.
        column: the name of the column.
        locate: returns the location of a row.

    Raises:
        InputError: if a cell contains neither a string nor an integer. The message contains the location of the first
            such cell.
    """
    ids: list[SegmentId] = []
    for row, cell in enumerate(cells):
        if isinstance(cell, bool) or not isinstance(cell, int | str):
            raise InputError(f"{locate(row)}, column {column!r}: an id is a text or a whole number, not {cell!r:.40}")
        ids.append(cell)
    return ids


def read_references(columns: dict[str, Sequence[Any]], locate: RowLocator) -> list[Sequence[str]]:
    """Return the references of each row, in the order of the columns.

    Args:
        columns: the cells of each column. A cell contains one reference or a list of references.
        locate: returns the location of a row.

    Raises:
        InputError: if a cell contains neither a string nor a list of at least one string. The message contains the
            location of the first such cell.
    """
    reference_columns = [_read_reference_column(cells, column, locate) for column, cells in columns.items()]
    if len(reference_columns) == 1:
        return reference_columns[0]
    rows = zip(*reference_columns, strict=True)
    return [list(itertools.chain.from_iterable(row)) for row in rows]


def _read_reference_column(cells: Sequence[Any], column: str, locate: RowLocator) -> list[Sequence[str]]:
    """Read a column of references. Return the references of each row as a sequence of strings."""
    # A column of strings or of lists is checked as a whole, because formatting the location of each row is slow.
    if are_valid_texts(cells):
        return [(str(text),) for text in cells]  # NumPy has a subclass of str.
    if all(isinstance(cell, list) and cell and are_valid_texts(cell) for cell in cells):
        return list(cells)
    return [_read_reference_cell(cell, f"{locate(row)}, column {column!r}") for row, cell in enumerate(cells)]


def _read_reference_cell(cell: Any, location: str) -> Sequence[str]:
    """Return the references in a cell. Raise an InputError unless the cell contains a string or a list of strings.

    Args:
        cell: the cell.
        location: the location of the cell, for error messages.
    """
    if isinstance(cell, str):
        _check_text(cell, location)
        return (str(cell),)
    # A cell of a pandas column can be an array instead of a list, or a NumPy scalar instead of a number.
    value = cell.tolist() if hasattr(cell, "tolist") else cell
    if not isinstance(value, list | tuple):
        raise InputError(f"{location}: {_describe_mismatch(value)}")
    if not value:
        raise InputError(f"{location}: an empty list; a hypothesis needs at least one reference")
    for position, text in enumerate(value, 1):
        _check_text(text, f"{location}, item {position}")
    return value


def _check_text(text: Any, location: str) -> None:
    """Raise an InputError if a value is not a string, or if it contains a lone surrogate, which cannot be encoded."""
    if not isinstance(text, str):
        raise InputError(f"{location}: {_describe_mismatch(text)}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"{location}: a lone surrogate (U+{ord(text[error.start]):04X})") from None


def _describe_mismatch(cell: Any) -> str:
    """Return a message such as ``expected a text, not int`` about a cell that is not a string."""
    is_nan = isinstance(cell, float) and math.isnan(cell)
    if cell is None or is_nan or type(cell).__name__ in _MISSING_VALUE_TYPES:
        return "expected a text, not a missing value (null)"
    return f"expected a text, not {type(cell).__name__}"


def find_column(columns: Sequence[str], column_path: str, name: str, option: str) -> list[str]:
    """Find a column, or a field in a nested column, by its name.

    For example, ``translation.de`` is the field ``de`` in the column ``translation``.

    Args:
        columns: the columns of the table.
        column_path: the column, or the path of the field.
        name: the name of the table, for error messages.
        option: the option that selects the column, for error messages.

    Returns:
        The names of the column and of the nested fields.

    Raises:
        InputError: if the column does not exist.
    """
    if column_path in columns:
        return [column_path]
    # Column names can contain periods, so any prefix of a dotted path such as ``a.b.c`` can be a column name.
    path_parts = column_path.split(".")
    for prefix_length in range(1, len(path_parts)):
        column = ".".join(path_parts[:prefix_length])
        if column in columns:
            return [column, *path_parts[prefix_length:]]
    column_list = ", ".join(map(repr, columns)) or "none"
    raise InputError(
        f"{name} has no column {column_path!r}{near_miss(column_path, columns)}; it has {column_list}; choose with "
        f"{option}"
    )


def get_nested(cells: list[Any], path: Sequence[str], locate: RowLocator) -> list[Any]:
    """Return the value of a nested field in each cell of a column.

    Args:
        cells: the cells of the column.
        path: the names of the column and of the nested fields. Without nested fields, the cells are returned.
        locate: returns the location of a row.

    Raises:
        InputError: if a cell does not contain the field.
    """
    if len(path) == 1:
        return cells
    return [_follow_path(cell, path, locate, row) for row, cell in enumerate(cells)]


def _follow_path(cell: Any, path: Sequence[str], locate: RowLocator, row: int) -> Any:
    """Return the value of a nested field inside a cell.

    Args:
        cell: the cell.
        path: the names of the column and of the nested fields.
        locate: returns the location of a row.
        row: the index of the cell's row.
    """
    value = cell
    for depth, field in enumerate(path[1:], 1):
        if not isinstance(value, dict) or field not in value:
            parent = ".".join(path[:depth])
            raise InputError(f"{locate(row)}, column {parent!r}: no field {field!r} in it")
        value = value[field]
    return value
