"""Validates the cells of tables: texts, references and ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from meteor_e.api import InputError
from meteor_e.api.segments import SegmentId
from meteor_e.base.errors import near_miss

RowLocator = Callable[[int], str]
"""Returns the location of a row, by its index, for error messages."""


def read_texts(cells: Iterable[Any], column: str, locate: RowLocator) -> list[str]:
    """Return the texts of a column.

    Args:
        cells: the cells of the column.
        column: the name of the column.
        locate: returns the location of a row.

    Raises:
        InputError: if a cell does not contain a text. The message names the first such cell.
    """
    texts = list(cells)
    for row, text in enumerate(texts):
        if type(text) is not str:
            if not isinstance(text, str):
                raise InputError(f"{locate(row)}, column {column!r}: {_describe_mismatch(text)}")
            texts[row] = str(text)
        if not text.isascii():
            _check_surrogates(text, f"{locate(row)}, column {column!r}")
    return texts


def read_ids(cells: Iterable[Any], column: str, locate: RowLocator) -> list[SegmentId]:
    """Return the ids of a column: strings or integers.

    Raises:
        InputError: if a cell contains anything else. The message names the first such row.
    """
    ids: list[SegmentId] = []
    for row, cell in enumerate(cells):
        if isinstance(cell, bool) or not isinstance(cell, int | str):
            raise InputError(f"{locate(row)}, column {column!r}: an id is a text or a whole number, not {cell!r:.40}")
        ids.append(cell)
    return ids


def read_references(columns: dict[str, Iterable[Any]], locate: RowLocator) -> list[Sequence[str]]:
    """Return the references of each row, in the order of the columns.

    Args:
        columns: the cells of each column; a cell contains a text or a list of texts.
        locate: returns the location of a row.

    Raises:
        InputError: if a cell contains anything else or an empty list. The message names the first such cell.
    """
    references_by_column = [
        [_read_cell_references(cell, column, row, locate) for row, cell in enumerate(cells)]
        for column, cells in columns.items()
    ]
    if len(references_by_column) == 1:
        return references_by_column[0]
    return [[text for texts in row for text in texts] for row in zip(*references_by_column, strict=True)]


def _read_cell_references(cell: Any, column: str, row: int, locate: RowLocator) -> Sequence[str]:
    if isinstance(cell, str):
        if not cell.isascii():
            _check_surrogates(cell, f"{locate(row)}, column {column!r}")
        return (cell if type(cell) is str else str(cell),)
    if hasattr(cell, "tolist"):
        # pandas returns lists as arrays, and numbers as NumPy scalars.
        cell = cell.tolist()
    if not isinstance(cell, list | tuple):
        raise InputError(f"{locate(row)}, column {column!r}: {_describe_mismatch(cell)}")
    if not cell:
        raise InputError(f"{locate(row)}, column {column!r}: an empty list; a hypothesis needs at least one reference")
    for position, text in enumerate(cell, 1):
        if not isinstance(text, str):
            raise InputError(f"{locate(row)}, column {column!r}, item {position}: {_describe_mismatch(text)}")
        _check_surrogates(text, f"{locate(row)}, column {column!r}, item {position}")
    return cell


def _check_surrogates(text: str, location: str) -> None:
    """Raise an InputError if a text contains a lone surrogate, which cannot be encoded."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"{location}: a lone surrogate (U+{ord(text[error.start]):04X})") from None


def _describe_mismatch(cell: Any) -> str:
    """Say what a cell contains instead of a text."""
    # pandas has several missing values. Its NA does not support comparison.
    if cell is None or type(cell).__name__ in ("NAType", "NaTType") or (isinstance(cell, float) and cell != cell):
        return "expected a text, not a missing value (null)"
    return f"expected a text, not {type(cell).__name__}"


def find_column(columns: Sequence[str], column_path: str, name: str, option: str) -> list[str]:
    """Find a column, or a field inside one: ``translation.de`` is field ``de`` of column ``translation``.

    Args:
        columns: the columns of the table.
        column_path: the column, or the path of the field.
        name: the name of the table in error messages.
        option: the option that chooses a different column.

    Returns:
        The names of the column and of the nested fields.

    Raises:
        InputError: if the column does not exist.
    """
    if column_path in columns:
        return [column_path]
    # The names of columns can contain periods.
    parts = column_path.split(".")
    for n_parts in range(1, len(parts)):
        column = ".".join(parts[:n_parts])
        if column in columns:
            return [column, *parts[n_parts:]]
    column_list = ", ".join(map(repr, columns)) or "none"
    raise InputError(
        f"{name} has no column {column_path!r}{near_miss(column_path, columns)}; it has {column_list}; choose with "
        f"{option}"
    )


def get_nested(cells: Iterable[Any], path: Sequence[str], locate: RowLocator) -> Iterable[Any]:
    """Return the value of a nested field for each cell of a column.

    Args:
        cells: the cells of the column.
        path: the names of the column and of the nested fields.
        locate: returns the location of a row.

    Raises:
        InputError: if a cell does not have the field.
    """
    for depth, field in enumerate(path[1:], 1):
        cells = [_get_field(value, field, ".".join(path[:depth]), row, locate) for row, value in enumerate(cells)]
    return cells


def _get_field(value: Any, field: str, column: str, row: int, locate: RowLocator) -> Any:
    if not isinstance(value, dict) or field not in value:
        raise InputError(f"{locate(row)}, column {column!r}: no field {field!r} in it")
    return value[field]
