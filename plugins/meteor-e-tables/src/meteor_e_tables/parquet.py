"""Parquet: a file, or a folder of files as Dask and Spark write it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from meteor_e.api import InputError, TextColumns
from meteor_e.base.files import PathLike
from meteor_e.formats.inputs import parquet_files
from meteor_e_tables.arrow import arrow_batch, arrow_errors, text_paths
from meteor_e_tables.batches import BATCH_ROWS, BatchedTable, TableBatch


def _open(path: str | Path) -> Any:
    import pyarrow.parquet as pq

    # Not mapped: pages of a mapped file count as memory of the process, and with many processes they crowd it.
    return pq.ParquetFile(path, memory_map=False, page_checksum_verification=True)


class Parquet(BatchedTable):
    """A Parquet table.

    Args:
        path: a file, or a folder of files.
        texts: which columns hold the texts; ``translation.de`` is a field of a column.

    Raises:
        InputError: if it cannot be read, the files differ in their columns, or one of the columns is missing or
            holds no texts.
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
                    raise InputError(f"{file_path} has other columns than {self._files[0]}; score them one by one")
                self.size += file.metadata.num_rows
        self._paths = text_paths(self._schema, texts, self.name)
        if not self.size:
            raise InputError(f"{self.name} is empty; there is nothing to score")

    def batches(self, whole: bool = False) -> Iterator[TableBatch]:
        """Read the table; all columns if ``whole``."""
        columns = None if whole else sorted({path[0] for path in self._paths.values()})
        for path in self._files:
            first = 1
            with arrow_errors(f"cannot read {path}"):
                file = _open(path)
            with file:
                # Row group by row group: the reader keeps what it has read of a file until it is done.
                tables = itertools.chain.from_iterable(
                    file.iter_batches(BATCH_ROWS, row_groups=[number], columns=columns, use_threads=False)
                    for number in range(file.num_row_groups)
                )
                while True:
                    with arrow_errors(f"cannot read {path}"):
                        table = next(tables, None)
                    if table is None:
                        break
                    if table.num_rows:
                        yield arrow_batch(str(path), first, self.texts, self._paths, table, whole)
                        first += table.num_rows

    def schema(self) -> Any:
        """Return the table's ``pyarrow.Schema``."""
        return self._schema
