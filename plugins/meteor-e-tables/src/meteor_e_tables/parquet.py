"""Read Parquet files, and folders of Parquet files such as those that Dask and Spark write."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from meteor_e.api import InputError, TextColumns
from meteor_e.base.files import PathLike
from meteor_e.formats.inputs import parquet_files
from meteor_e_tables.arrow import ArrowRows, arrow_batch, arrow_errors, find_text_columns
from meteor_e_tables.batches import BATCH_ROWS, BatchedTable, TableBatch


def _open(path: str | Path) -> Any:
    """Open a Parquet file without memory mapping, because mapped pages count towards the memory usage of a process."""
    import pyarrow.parquet as pq

    return pq.ParquetFile(path, memory_map=False, page_checksum_verification=True)


class Parquet(BatchedTable):
    """Read a table from a Parquet file or from a folder of Parquet files.

    Args:
        path: the path of the file or the folder.
        texts: the columns that contain the texts. ``translation.de`` denotes a field of a nested column.

    Raises:
        InputError: if a file cannot be read, if the files have different columns, or if a column is missing.
    """

    def __init__(self, path: PathLike, texts: TextColumns) -> None:
        self.name = str(path)
        self.texts = texts
        self._files = parquet_files(Path(path))
        self._schema, self.size = _read_schema_and_size(self._files)
        self._paths = find_text_columns(self._schema, texts, self.name)
        if not self.size:
            raise InputError(f"{self.name} is empty; there is nothing to score")

    def batches(self, all_columns: bool = False) -> Iterator[TableBatch]:
        """Read the table from the start.

        Args:
            all_columns: whether the ``rows`` of the batches contain all columns.
        """
        columns = None if all_columns else sorted({path[0] for path in self._paths.values()})
        for file_path in self._files:
            first_row = 1
            for record_batch in _read_record_batches(file_path, columns):
                rows = ArrowRows(str(file_path), record_batch)
                yield arrow_batch(rows, first_row, self.texts, self._paths)
                first_row += record_batch.num_rows

    def schema(self) -> Any:
        """Return the ``pyarrow.Schema`` that all files of the table share."""
        return self._schema


def _read_record_batches(path: str | Path, columns: list[str] | None) -> Iterator[Any]:
    """Yield the record batches of a Parquet file, except for empty ones.

    Args:
        path: the path of the file.
        columns: the names of the columns to read, or None to read all columns.

    Raises:
        InputError: if the file cannot be read.
    """
    with arrow_errors(f"cannot read {path}"), _open(path) as file:
        for index in range(file.num_row_groups):
            # Each row group is read by a separate iterator, because an iterator retains all data that it has read.
            for record_batch in file.iter_batches(BATCH_ROWS, row_groups=[index], columns=columns, use_threads=False):
                if record_batch.num_rows:
                    yield record_batch


def _read_schema_and_size(paths: Sequence[Path]) -> tuple[Any, int]:
    """Return the common schema and the total number of rows of several files.

    Raises:
        InputError: if a file cannot be read, or if the files have different columns.
    """
    table_schema: Any = None
    row_count = 0
    for path in paths:
        with arrow_errors(f"cannot read {path}"), _open(path) as file:
            file_schema = file.schema_arrow
            row_count += file.metadata.num_rows
        if table_schema is None:
            table_schema = file_schema
        elif not table_schema.equals(file_schema):
            raise InputError(f"{path} and {paths[0]} have different columns; score them separately")
    return table_schema, row_count
