"""Cells that should hold texts: checked, because a table can hold anything."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from meteor_e.api import InputError
from meteor_e.api.segments import SegmentId
from meteor_e.base.errors import near_miss

Where = Callable[[int], str]
"""Says where a row (from 0) is."""


def checked_texts(values: Iterable[Any], column: str, where: Where) -> list[str]:
    """Return the texts of a column.

    Args:
        values: its cells.
        column: its name.
        where: says where a row is.

    Raises:
        InputError: for the first cell that holds no text, with its place.
    """
    texts = list(values)
    for row, text in enumerate(texts):
        if type(text) is not str:
            if not isinstance(text, str):
                raise InputError(f"{where(row)}, column {column!r}: {_what(text)}")
            texts[row] = str(text)
        if not text.isascii():
            _check_characters(text, f"{where(row)}, column {column!r}")
    return texts


def checked_ids(values: Iterable[Any], column: str, where: Where) -> list[SegmentId]:
    """Return the ids of a column: texts or whole numbers.

    Raises:
        InputError: for the first cell that holds something else, naming its row.
    """
    ids: list[SegmentId] = []
    for row, value in enumerate(values):
        if isinstance(value, bool) or not isinstance(value, int | str):
            raise InputError(f"{where(row)}, column {column!r}: an id is a text or a whole number, not {value!r:.40}")
        ids.append(value)
    return ids


def checked_references(columns: dict[str, Iterable[Any]], where: Where) -> list[Sequence[str]]:
    """Return the references of each row: those of the first column, of the second, and so on.

    Args:
        columns: columns by name; a cell holds a text, or a list of texts.
        where: says where a row is.

    Raises:
        InputError: for the first cell that holds something else or an empty list, with its place.
    """
    sides = [[_references(cell, name, row, where) for row, cell in enumerate(cells)] for name, cells in columns.items()]
    if len(sides) == 1:
        return sides[0]
    return [[text for texts in row for text in texts] for row in zip(*sides, strict=True)]


def _references(cell: Any, column: str, row: int, where: Where) -> Sequence[str]:
    if isinstance(cell, str):
        if not cell.isascii():
            _check_characters(cell, f"{where(row)}, column {column!r}")
        return (cell if type(cell) is str else str(cell),)
    if hasattr(cell, "tolist"):
        # pandas gives arrays for lists, and NumPy's numbers for numbers.
        cell = cell.tolist()
    if not isinstance(cell, list | tuple):
        raise InputError(f"{where(row)}, column {column!r}: {_what(cell)}")
    if not cell:
        raise InputError(f"{where(row)}, column {column!r}: an empty list; a hypothesis needs at least one reference")
    for number, text in enumerate(cell, 1):
        if not isinstance(text, str):
            raise InputError(f"{where(row)}, column {column!r}, item {number}: {_what(text)}")
        _check_characters(text, f"{where(row)}, column {column!r}, item {number}")
    return cell


def _check_characters(text: str, place: str) -> None:
    """Refuse a text that no file could hold."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"{place}: half of a character (the surrogate U+{ord(text[error.start]):04X})") from None


def _what(cell: Any) -> str:
    # pandas has several ways to say it; its NA cannot even be compared.
    if cell is None or type(cell).__name__ in ("NAType", "NaTType") or (isinstance(cell, float) and cell != cell):
        return "no text but a missing value (null)"
    return f"no text but {type(cell).__name__}"


def find_column(columns: Sequence[str], wanted: str, name: str, option: str) -> list[str]:
    """Find a column, or a field inside one: ``translation.de`` is field ``de`` of column ``translation``.

    Args:
        columns: what the table has.
        wanted: column or path.
        name: what to call the table.
        option: the option that chooses another column.

    Returns:
        The column's name and the fields' below it.

    Raises:
        InputError: if there is no such column.
    """
    if wanted in columns:
        return [wanted]
    head, dot, rest = wanted.partition(".")
    while dot:
        if head in columns:
            return [head, *rest.split(".")]
        more, dot, rest = rest.partition(".")
        head = f"{head}.{more}"
    known = ", ".join(map(repr, columns)) or "none"
    raise InputError(
        f"{name} has no column {wanted!r}{near_miss(wanted, columns)}; it has {known}; choose with {option}"
    )


def nested(values: Iterable[Any], path: Sequence[str], where: Where) -> Iterable[Any]:
    """Follow a path of fields below a column.

    Raises:
        InputError: for the first cell that lacks it.
    """
    for depth, field in enumerate(path[1:], 1):
        values = [_field(value, field, ".".join(path[:depth]), row, where) for row, value in enumerate(values)]
    return values


def _field(value: Any, field: str, column: str, row: int, where: Where) -> Any:
    if not isinstance(value, dict) or field not in value:
        raise InputError(f"{where(row)}, column {column!r}: no field {field!r} in it")
    return value[field]
