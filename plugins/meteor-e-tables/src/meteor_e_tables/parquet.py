"""Parquet: a file, or a folder of files as Dask and Spark write it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from meteor_e.api import InputError, TextColumns
from meteor_e.base.files import PathLike
from meteor_e.formats.inputs import parquet_files
from meteor_e_tables.arrow import arrow_batch, arrow_errors, find_text_columns
from meteor_e_tables.batches import BATCH_ROWS, BatchedTable, TableBatch


def _open(path: str | Path) -> Any:
    import pyarrow.parquet as pq

    # The pages of a memory-mapped file would count as memory of each process.
    return pq.ParquetFile(path, memory_map=False, page_checksum_verification=True)


class Parquet(BatchedTable):
    """A Parquet table.

    Args:
        path: a file, or a folder of files.
        texts: the columns that contain the texts; ``translation.de`` is a field of a column.

    Raises:
        InputError: if a file cannot be read, if the files have different columns, or if a column is missing.
    """

    def __init__(self, path: PathLike, texts: TextColumns) -> None:
        self.name, self.texts, self.size = str(path), texts, 0
        self._files = parquet_files(Path(path))
        self._schema: Any = None
        for file_path in self._files:
            with arrow_errors(f"cannot read {file_path}"), _open(file_path) as file:
                schema = file.schema_arrow
                if self._schema is None:
                    self._schema = schema
                elif not self._schema.equals(schema):
                    raise InputError(f"{file_path} and {self._files[0]} have different columns; score them separately")
                self.size += file.metadata.num_rows
        self._paths = find_text_columns(self._schema, texts, self.name)
        if not self.size:
            raise InputError(f"{self.name} is empty; there is nothing to score")

    def batches(self, all_columns: bool = False) -> Iterator[TableBatch]:
        """Read the table; the batches contain ``rows`` if ``all_columns`` is true."""
        columns = None if all_columns else sorted({path[0] for path in self._paths.values()})
        for path in self._files:
            first_row = 1
            with arrow_errors(f"cannot read {path}"):
                file = _open(path)
            with file:
                # One iterator per row group, because an iterator keeps all data that it has read.
                tables = itertools.chain.from_iterable(
                    file.iter_batches(BATCH_ROWS, row_groups=[index], columns=columns, use_threads=False)
                    for index in range(file.num_row_groups)
                )
                while True:
                    with arrow_errors(f"cannot read {path}"):
                        table = next(tables, None)
                    if table is None:
                        break
                    if table.num_rows:
                        yield arrow_batch(str(path), first_row, self.texts, self._paths, table, all_columns)
                        first_row += table.num_rows

    def schema(self) -> Any:
        """Return the table's ``pyarrow.Schema``."""
        return self._schema
