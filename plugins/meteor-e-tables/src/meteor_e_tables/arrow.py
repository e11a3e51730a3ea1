"""Arrow tables: what Parquet holds."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from meteor_e.api import InputError, TextColumns
from meteor_e_tables.batches import TableBatch, text_batch
from meteor_e_tables.cells import find_column, nested


@contextlib.contextmanager
def arrow_errors(what: str) -> Iterator[None]:
    """Turn what pyarrow raises into an :class:`InputError`.

    Args:
        what: what is being done, such as ``cannot read data.parquet``.
    """
    import pyarrow as pa

    try:
        yield
    except OSError as error:
        # pyarrow's own have no number, and say it all in their first line.
        raise InputError(f"{what}: {error.strerror or _first_line(error)}") from error
    except (pa.ArrowException, UnicodeError, OverflowError) as error:
        raise InputError(f"{what}: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)


@dataclass
class ArrowRows:
    """Rows as an Arrow table."""

    name: str
    table: Any

    def __len__(self) -> int:
        rows: int = self.table.num_rows
        return rows

    def arrow(self, schema: Any = None) -> Any:
        """Return the table."""
        return self.table

    def objects(self) -> list[dict[str, Any]]:
        """Return one mapping per row."""
        with arrow_errors(f"cannot read {self.name}"):
            rows: list[dict[str, Any]] = self.table.to_pylist()
        return rows


def arrow_table(rows: list[dict[str, Any]], schema: Any, name: str) -> Any:
    """Make a table of mappings.

    Args:
        rows: one mapping per row; without a schema, a key that a row lacks is null in it.
        schema: what the columns are; ``None``: what the rows suggest.
        name: of the file, for messages.

    Raises:
        InputError: if the rows do not fit one schema.
    """
    import pyarrow as pa

    if schema is None:
        # pyarrow takes the columns of the first row for all.
        keys = list(dict.fromkeys(key for row in rows for key in row))
        with arrow_errors(f"{name}: the rows do not fit one schema; write .jsonl instead"):
            return pa.table({key: pa.array([row.get(key) for row in rows]) for key in keys})
    known = set(schema.names)
    for row in rows:
        unknown = next((key for key in row if key not in known), None)
        if unknown is not None:
            raise InputError(
                f"{name}: a row has a field {unknown!r} that the first rows lack, so the rows do not fit one "
                "schema; write .jsonl instead"
            )
    with arrow_errors(f"{name}: the rows do not fit the schema of the first ones; write .jsonl instead"):
        return pa.Table.from_pylist(rows, schema=schema)


def text_paths(schema: Any, texts: TextColumns, name: str) -> dict[str, list[str]]:
    """Find the columns that hold texts; what their cells are is checked when they are read.

    Returns:
        For each of them the column's name and the fields' below it.

    Raises:
        InputError: if one is missing, or there are two of one name.
    """
    paths = {}
    for column, option in texts.options():
        paths[column] = path = find_column(schema.names, column, name, option)
        if schema.names.count(path[0]) > 1:
            raise InputError(f"{name} has two columns {path[0]!r}; rename one of them")
    return paths


def arrow_batch(
    name: str, first: int, texts: TextColumns, paths: dict[str, list[str]], table: Any, whole: bool
) -> TableBatch:
    """Make a batch of a table or record batch.

    Args:
        name: of the file.
        first: number of the table's first row.
        texts: which columns hold the texts.
        paths: where they are, as :func:`text_paths` finds them.
        table: the rows.
        whole: keep all columns.
    """
    with arrow_errors(f"cannot read {name}"):
        values = {column: table.column(path[0]).to_pylist() for column, path in paths.items()}

    def where(row: int) -> str:
        return f"{name}, row {first + row}"

    cells = {column: list(nested(values[column], path, where)) for column, path in paths.items()}
    return text_batch(texts, cells, ArrowRows(name, table) if whole else None, where)
