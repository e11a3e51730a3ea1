"""Write tables of scores as Parquet or JSON Lines files. If an error occurs, no file is created."""

from __future__ import annotations

import contextlib
import gzip
from collections.abc import Container, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from meteor_e.api import ConfigError, InputError
from meteor_e.base.atomic import atomic_output
from meteor_e.formats.inputs import JSON_LINES, PARQUET
from meteor_e_tables.arrow import arrow_errors
from meteor_e_tables.batches import Rows

if TYPE_CHECKING:
    import numpy as np

SIGNATURE_KEY = "meteor_e.chains.signature"
"""The key of the signature in the metadata of a Parquet file."""

Columns = Mapping[str, "np.ndarray[Any, Any]"]
"""Columns of numbers by name."""

_ROW_GROUP_SIZE = 1 << 17
"""The number of rows after which a row group is written."""
_ROW_GROUP_BYTES = 1 << 27
"""The number of bytes after which a row group is written."""


@contextlib.contextmanager
def table_writer(path: str, signature: str, schema: Any = None) -> Iterator[ParquetWriter | JsonLinesWriter]:
    """Create a table file, and return a writer. The suffix of the file determines the format.

    Args:
        path: the path of the file. Its suffix is ``.parquet``, ``.jsonl`` or ``.jsonl.gz``.
        signature: the signature of the metric.
        schema: the ``pyarrow.Schema`` of the input columns, or None to infer the schema from the first rows.

    Raises:
        ConfigError: if the file has a different suffix.
        InputError: if the file cannot be written.
    """
    is_parquet = path.endswith(PARQUET)
    if not is_parquet and not path.endswith(JSON_LINES):
        raise ConfigError(f"{path} is not the name of a table; use .parquet, .jsonl or .jsonl.gz")
    with atomic_output(path) as temporary_path, temporary_path.open("wb") as stream:
        writer = ParquetWriter(stream, path, signature, schema) if is_parquet else JsonLinesWriter(stream, path)
        with contextlib.closing(writer):
            yield writer


class ParquetWriter:
    """Write the batches of a table to a Parquet file.

    Args:
        stream: the binary stream to which the file is written.
        path: the path of the file, for error messages.
        signature: the signature of the metric, which is stored in the metadata of the file.
        schema: the ``pyarrow.Schema`` of the input columns, or None to infer the schema from the first rows.
    """

    def __init__(self, stream: Any, path: str, signature: str, schema: Any) -> None:
        self._stream = stream
        self._path = path
        self._signature = signature
        self._input_schema = schema
        self._writer: Any = None
        self._pending: list[Any] = []
        self._pending_rows = 0

    def write(self, rows: Rows, new_columns: Columns) -> None:
        """Append new columns to several rows, and write the rows."""
        input_table = rows.arrow(self._input_schema)
        if self._input_schema is None:
            self._input_schema = input_table.schema
        table = _append_columns(input_table, new_columns, self._path)
        with arrow_errors(f"cannot write {self._path}"):
            if self._writer is None:
                self._start_file(table.schema)
            self._pending.append(table.replace_schema_metadata(self._writer.schema.metadata))
            self._pending_rows += table.num_rows
            # Batches are combined, because many small row groups make a file large and slow to read.
            pending_bytes = sum(pending_table.nbytes for pending_table in self._pending)
            if self._pending_rows >= _ROW_GROUP_SIZE or pending_bytes >= _ROW_GROUP_BYTES:
                self._flush()

    def _start_file(self, schema: Any) -> None:
        """Start the Parquet file. Its schema is the given one, and its metadata also contain the signature."""
        import pyarrow.parquet as pq

        metadata = {**(schema.metadata or {}), SIGNATURE_KEY: self._signature}
        output_schema = schema.with_metadata(metadata)
        self._writer = pq.ParquetWriter(self._stream, output_schema, compression="zstd", write_page_checksum=True)

    def _flush(self) -> None:
        """Write the pending tables as one row group."""
        import pyarrow as pa

        if self._pending:
            # The chunks are combined, so that the content of the file does not depend on the batch size.
            self._writer.write_table(pa.concat_tables(self._pending).combine_chunks())
            self._pending = []
            self._pending_rows = 0

    def close(self) -> None:
        """Write the pending tables, and finish the file."""
        if self._writer is not None:
            with arrow_errors(f"cannot write {self._path}"):
                self._flush()
                self._writer.close()


def _append_columns(table: Any, new_columns: Columns, path: str) -> Any:
    """Append new columns to an Arrow table, and return the new table.

    Args:
        table: an Arrow table or record batch.
        new_columns: the new columns.
        path: the path of the output, for error messages.
    """
    import pyarrow as pa

    if not isinstance(table, pa.Table):
        table = pa.Table.from_batches([table])
    for name, values in new_columns.items():
        _check_new_column(name, table.column_names, path)
        table = table.append_column(name, pa.array(values))
    return table


def _check_new_column(name: str, columns: Container[str], path: str) -> None:
    """Raise an InputError if the input already has a column with the name of a new column."""
    if name in columns:
        raise InputError(f"cannot write {path}: the input already has a column {name!r}; choose another --prefix")


class JsonLinesWriter:
    """Write the batches of a table to a JSON Lines file.

    Args:
        stream: the binary stream to which the file is written.
        path: the path of the file. If it ends with ``.gz``, the file is compressed.
    """

    def __init__(self, stream: Any, path: str) -> None:
        self._stream = stream
        if path.endswith(".gz"):
            # The gzip header contains no file name and no time, so that equal tables result in equal files.
            self._stream = gzip.GzipFile("", "wb", compresslevel=6, fileobj=stream, mtime=0)
        self._path = path
        self._encoder = msgspec.json.Encoder()

    def write(self, rows: Rows, new_columns: Columns) -> None:
        """Append new columns to several rows, and write the rows."""
        names = list(new_columns)
        new_rows = zip(*(column.tolist() for column in new_columns.values()), strict=True)
        for row, new_values in zip(rows.objects(), new_rows, strict=True):
            for name in names:
                _check_new_column(name, row, self._path)
            cells = dict(row)
            cells.update(zip(names, new_values, strict=True))
            self._stream.write(self._encode(cells) + b"\n")

    def close(self) -> None:
        """Finish the file."""
        self._stream.close()

    def _encode(self, cells: dict[str, Any]) -> bytes:
        """Encode a row as a JSON object. Raise an InputError if a cell cannot be encoded."""
        try:
            return self._encoder.encode(cells)
        except (TypeError, ValueError, UnicodeError) as error:
            raise InputError(
                f"cannot write {self._path}: a row cannot be written as JSON ({error}); write .parquet"
            ) from error
