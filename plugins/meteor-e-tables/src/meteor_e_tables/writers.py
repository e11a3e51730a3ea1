"""Writes tables with scores as Parquet or JSON Lines. If an error occurs, no file is written."""

from __future__ import annotations

import contextlib
import gzip
from collections.abc import Iterator, Mapping
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
"""Key of the signature in the metadata of a Parquet file."""

Columns = Mapping[str, "np.ndarray[Any, Any]"]


@contextlib.contextmanager
def table_writer(path: str, signature: str, schema: Any = None) -> Iterator[ParquetWriter | JsonLinesWriter]:
    """Open a table for writing; the suffix is ``.parquet``, ``.jsonl`` or ``.jsonl.gz``.

    Args:
        path: the path of the file.
        signature: the signature of the metric.
        schema: the ``pyarrow.Schema`` of the input columns, or ``None`` to infer it from the first rows.

    Raises:
        ConfigError: if the file has a different suffix.
        InputError: if the file cannot be written.
    """
    if path.endswith(PARQUET):
        with atomic_output(path) as scratch, scratch.open("wb") as stream:
            parquet = ParquetWriter(stream, path, signature, schema)
            try:
                yield parquet
            finally:
                parquet.close()
    elif path.endswith(JSON_LINES):
        with atomic_output(path) as scratch, scratch.open("wb") as stream:
            if path.endswith(".gz"):
                with gzip.GzipFile("", "wb", 6, stream, mtime=0) as packed:
                    yield JsonLinesWriter(packed, path)
            else:
                yield JsonLinesWriter(stream, path)
    else:
        raise ConfigError(f"{path} is not the name of a table; use .parquet, .jsonl or .jsonl.gz")


class ParquetWriter:
    """Writes Parquet batch by batch."""

    def __init__(self, stream: Any, path: str, signature: str, schema: Any) -> None:
        self._stream = stream
        self._path = path
        self._signature = signature
        self._schema = schema
        self._writer: Any = None
        self._pending: list[Any] = []
        self._pending_rows = 0

    def write(self, rows: Rows, new_columns: Columns) -> None:
        """Write rows, followed by new columns."""
        table = _append_columns(rows.arrow(self._schema), new_columns, self._path)
        with arrow_errors(f"cannot write {self._path}"):
            if self._writer is None:
                self._open(table, len(new_columns))
            self._pending.append(table.replace_schema_metadata(self._writer.schema.metadata))
            self._pending_rows += table.num_rows
            # Small row groups would make the file large and slow to read.
            pending_bytes = sum(pending_table.nbytes for pending_table in self._pending)
            if self._pending_rows >= _ROW_GROUP_SIZE or pending_bytes >= _ROW_GROUP_BYTES:
                self._flush()

    def _open(self, table: Any, n_new_columns: int) -> None:
        """Open the file with the schema of the first table, whose last columns are new."""
        import pyarrow.parquet as pq

        if self._schema is None:
            self._schema = table.select(table.column_names[:-n_new_columns]).schema
        metadata = {**(table.schema.metadata or {}), SIGNATURE_KEY: self._signature}
        schema = table.schema.with_metadata(metadata)
        self._writer = pq.ParquetWriter(self._stream, schema, compression="zstd", write_page_checksum=True)

    def _flush(self) -> None:
        """Write the pending tables as one row group."""
        import pyarrow as pa

        if self._pending:
            # Chunks are combined, so that the file does not depend on the size of the batches.
            self._writer.write_table(pa.concat_tables(self._pending).combine_chunks())
            self._pending, self._pending_rows = [], 0

    def close(self) -> None:
        """Finish the file."""
        if self._writer is not None:
            with arrow_errors(f"cannot write {self._path}"):
                self._flush()
                self._writer.close()


_ROW_GROUP_SIZE = 1 << 17
_ROW_GROUP_BYTES = 1 << 27


def _append_columns(table: Any, new_columns: Columns, path: str) -> Any:
    import pyarrow as pa

    if not isinstance(table, pa.Table):
        table = pa.Table.from_batches([table])
    for name, values in new_columns.items():
        _check_new_column(name, table.column_names, path)
        table = table.append_column(name, pa.array(values))
    return table


def _check_new_column(name: str, columns: Any, path: str) -> None:
    if name in columns:
        raise InputError(f"cannot write {path}: the input already has a column {name!r}; choose another --prefix")


class JsonLinesWriter:
    """Writes JSON Lines batch by batch."""

    def __init__(self, stream: Any, path: str) -> None:
        self._stream = stream
        self._path = path
        self._encoder = msgspec.json.Encoder()

    def write(self, rows: Rows, new_columns: Columns) -> None:
        """Write rows, followed by new columns."""
        names = list(new_columns)
        value_rows = zip(*(values.tolist() for values in new_columns.values()), strict=True)
        for row, values in zip(rows.objects(), value_rows, strict=True):
            for name in names:
                _check_new_column(name, row, self._path)
            try:
                line = self._encoder.encode({**row, **dict(zip(names, values, strict=True))})
            except (TypeError, ValueError, UnicodeError) as error:
                raise InputError(
                    f"cannot write {self._path}: a row cannot be written as JSON ({error}); write .parquet"
                ) from error
            self._stream.write(line + b"\n")
