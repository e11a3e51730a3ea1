"""Convert rows to and from Arrow tables, which pyarrow uses to read and write Parquet files."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from meteor_e.api import InputError, TextColumns
from meteor_e_tables.batches import TableBatch, make_batch
from meteor_e_tables.cells import find_column, get_nested


@contextlib.contextmanager
def arrow_errors(message: str) -> Iterator[None]:
    """Convert exceptions that pyarrow raises in the block to :class:`InputError`.

    Args:
        message: the start of the error message, such as ``cannot read data.parquet``.
    """
    import pyarrow as pa

    try:
        yield
    except OSError as error:
        # An OSError from pyarrow itself does not have an error number, but its first line contains the message.
        raise InputError(f"{message}: {error.strerror or _first_line(error)}") from error
    except (pa.ArrowException, UnicodeError, OverflowError) as error:
        raise InputError(f"{message}: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    """Return the first line of an exception's message, or the name of its class if the message is empty."""
    lines = str(error).splitlines()
    return lines[0] if lines else type(error).__name__


@dataclass
class ArrowRows:
    """Represent rows by an Arrow table.

    Attributes:
        name: the name of the file, for error messages.
        table: the Arrow table or record batch.
    """

    name: str
    table: Any

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def arrow(self, schema: Any = None) -> Any:
        """Return the Arrow table or record batch. The argument ``schema`` is ignored."""
        return self.table

    def objects(self) -> list[dict[str, Any]]:
        """Return one dictionary per row."""
        with arrow_errors(f"cannot read {self.name}"):
            rows: list[dict[str, Any]] = self.table.to_pylist()
        return rows


def arrow_table(rows: list[dict[str, Any]], schema: Any, name: str) -> Any:
    """Create an Arrow table from dictionaries.

    Args:
        rows: one dictionary per row. Missing keys become null.
        schema: the schema of the columns, or None to infer the schema from the rows.
        name: the name of the file, for error messages.

    Raises:
        InputError: if the rows do not fit one schema.
    """
    import pyarrow as pa

    if schema is None:
        with arrow_errors(f"{name}: the rows do not fit one schema; write .jsonl instead"):
            return _infer_table(rows)
    _check_keys(rows, set(schema.names), name)
    with arrow_errors(f"{name}: the rows do not fit the schema of the first ones; write .jsonl instead"):
        return pa.Table.from_pylist(rows, schema=schema)


def _infer_table(rows: list[dict[str, Any]]) -> Any:
    """Create an Arrow table with one column for each key of the rows. The type of a column fits all of its cells."""
    import pyarrow as pa

    # Table.from_pylist would ignore columns that are missing from the first row.
    names = dict.fromkeys(name for row in rows for name in row)
    return pa.table({name: pa.array([row.get(name) for row in rows]) for name in names})


def _check_keys(rows: list[dict[str, Any]], column_names: set[str], name: str) -> None:
    """Raise an InputError if a row has a key that is not the name of a column."""
    for row in rows:
        for key in row:
            if key not in column_names:
                raise InputError(
                    f"{name}: a row has a field {key!r} that the first rows lack, so the rows do not fit one "
                    "schema; write .jsonl instead"
                )


def find_text_columns(schema: Any, texts: TextColumns, name: str) -> dict[str, list[str]]:
    """Find the columns that contain texts. The cells of these columns are validated later.

    Args:
        schema: the ``pyarrow.Schema`` of the table.
        texts: the columns that contain the texts. ``translation.de`` denotes a nested field.
        name: the name of the table, for error messages.

    Returns:
        For each of these columns, its path: the names of the column and of the nested fields, if there are any.

    Raises:
        InputError: if a column is missing, or if two columns have the same name.
    """
    paths = {}
    for text_column, command_line_option in texts.options():
        path = find_column(schema.names, text_column, name, command_line_option)
        table_column = path[0]
        if schema.names.count(table_column) > 1:
            raise InputError(f"{name} has two columns {table_column!r}; rename one of them")
        paths[text_column] = path
    return paths


def arrow_batch(rows: ArrowRows, first_row: int, texts: TextColumns, paths: dict[str, list[str]]) -> TableBatch:
    """Create a batch from an Arrow table or record batch.

    Args:
        rows: the rows.
        first_row: the number of the first row, for error messages.
        texts: the columns that contain the texts.
        paths: the path of each column; see :func:`find_text_columns`.
    """

    def locate(index: int) -> str:
        return f"{rows.name}, row {first_row + index}"

    cells = {}
    with arrow_errors(f"cannot read {rows.name}"):
        for column, path in paths.items():
            values = rows.table.column(path[0]).to_pylist()
            cells[column] = get_nested(values, path, locate)
    return make_batch(texts, cells, rows, locate)
