"""Tables with scores: Parquet and JSON Lines, written whole or not at all."""

from __future__ import annotations

import contextlib
import gzip
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from meteor_e.api import ConfigError, InputError
from meteor_e.base.files import whole_output
from meteor_e.formats.inputs import JSON_LINES, PARQUET
from meteor_e_tables.arrow import arrow_errors
from meteor_e_tables.batches import Rows

if TYPE_CHECKING:
    import numpy as np

SIGNATURE_KEY = "meteor_e.chains.signature"
"""Key of the signature in the metadata of a schema."""

Columns = Mapping[str, "np.ndarray[Any, Any]"]


@contextlib.contextmanager
def table_writer(path: str, signature: str, schema: Any = None) -> Iterator[ParquetWriter | JsonLinesWriter]:
    """Write a table of the kind that the name tells: ``.parquet``, ``.jsonl`` or ``.jsonl.gz``.

    Args:
        path: of the file.
        signature: of the metric.
        schema: what the rows' columns are, a ``pyarrow.Schema``; ``None``: what the first rows suggest.

    Raises:
        ConfigError: for another name.
        InputError: if it cannot be written.
    """
    if path.endswith(PARQUET):
        with whole_output(path) as scratch, scratch.open("wb") as stream:
            parquet = ParquetWriter(stream, path, signature, schema)
            try:
                yield parquet
            finally:
                parquet.close()
    elif path.endswith(JSON_LINES):
        with whole_output(path) as scratch, scratch.open("wb") as stream:
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

    def write(self, rows: Rows, added: Columns) -> None:
        """Write rows, with columns added behind their own."""
        import pyarrow.parquet as pq

        table = _with_columns(rows.arrow(self._schema), added, self._path)
        with arrow_errors(f"cannot write {self._path}"):
            if self._writer is None:
                if self._schema is None:
                    self._schema = table.select(table.column_names[: -len(added)]).schema
                metadata = {**(table.schema.metadata or {}), SIGNATURE_KEY: self._signature}
                schema = table.schema.with_metadata(metadata)
                self._writer = pq.ParquetWriter(self._stream, schema, compression="zstd", write_page_checksum=True)
                self._pending: list[Any] = []
                self._rows = 0
            self._pending.append(table.replace_schema_metadata(self._writer.schema.metadata))
            self._rows += table.num_rows
            # Small row groups would make the file large and slow to read.
            if self._rows >= _ROW_GROUP or sum(part.nbytes for part in self._pending) >= _ROW_GROUP_BYTES:
                self._flush()

    def _flush(self) -> None:
        import pyarrow as pa

        if self._pending:
            # In one piece, so that the file does not depend on the sizes of batches.
            self._writer.write_table(pa.concat_tables(self._pending).combine_chunks())
            self._pending, self._rows = [], 0

    def close(self) -> None:
        """End the file."""
        if self._writer is not None:
            with arrow_errors(f"cannot write {self._path}"):
                self._flush()
                self._writer.close()


_ROW_GROUP = 1 << 17
_ROW_GROUP_BYTES = 1 << 27


def _with_columns(table: Any, added: Columns, path: str) -> Any:
    import pyarrow as pa

    if not isinstance(table, pa.Table):
        table = pa.Table.from_batches([table])
    for name, values in added.items():
        _refuse_taken(name, table.column_names, path)
        table = table.append_column(name, pa.array(values))
    return table


def _refuse_taken(name: str, columns: Any, path: str) -> None:
    if name in columns:
        raise InputError(f"cannot write {path}: the input has a column {name!r} already; choose another --prefix")


class JsonLinesWriter:
    """Writes JSON Lines batch by batch."""

    def __init__(self, stream: Any, path: str) -> None:
        self._stream = stream
        self._path = path
        self._encoder = msgspec.json.Encoder()

    def write(self, rows: Rows, added: Columns) -> None:
        """Write rows, with columns added behind their own."""
        columns = list(added)
        numbers = zip(*(values.tolist() for values in added.values()), strict=True)
        for row, values in zip(rows.objects(), numbers, strict=True):
            for name in columns:
                _refuse_taken(name, row, self._path)
            try:
                line = self._encoder.encode({**row, **dict(zip(columns, values, strict=True))})
            except (TypeError, ValueError, UnicodeError) as error:
                raise InputError(
                    f"cannot write {self._path}: a row cannot be JSON ({error}); write .parquet"
                ) from error
            self._stream.write(line + b"\n")
