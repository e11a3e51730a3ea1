"""Tables with scores: Parquet, JSON Lines and ``datasets``, written whole or not at all."""

from __future__ import annotations

import contextlib
import gzip
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from meteor_e.api import ConfigError, InputError
from meteor_e.base.files import atomic_binary_writer, os_errors_as, scratch_beside
from meteor_e.formats.tables import JSON_LINES, PARQUET
from meteor_e_tables.arrow import arrow_errors, pyarrow
from meteor_e_tables.batches import Rows
from meteor_e_tables.libraries import require

if TYPE_CHECKING:
    import numpy as np

SIGNATURE_KEY = "meteor_e.chains.signature"
"""Key of the signature in the metadata of a schema."""

SCORE_KEY = "meteor_e.corpus_score."
"""What the keys of the corpus scores begin with, in the metadata of a Parquet file; then comes the system's name."""

Columns = Mapping[str, "np.ndarray[Any, Any]"]


class TableWriter(Protocol):
    """Writes a table batch by batch."""

    def write(self, rows: Rows, added: Columns) -> None:
        """Write rows, with columns added behind their own."""

    def finish(self, scores: Mapping[str, float]) -> None:
        """Note the corpus scores of the systems, where the format has a place for them."""


@contextlib.contextmanager
def table_writer(path: str, signature: str, schema: Any = None) -> Iterator[TableWriter]:
    """Write a table of the kind that the name tells: ``.parquet``, ``.jsonl``, ``.jsonl.gz``, or a folder.

    Args:
        path: file, or a folder (a name without an ending) for ``datasets``.
        signature: of the metric.
        schema: what the rows' columns are, a ``pyarrow.Schema``; ``None``: what the first rows suggest.

    Raises:
        ConfigError: for another name, or if a library is not installed.
        InputError: if it cannot be written.
    """
    if path.endswith(PARQUET):
        pyarrow("writing Parquet")
        with atomic_binary_writer(path) as stream:
            parquet = _ParquetWriter(stream, path, signature, schema)
            try:
                yield parquet
            finally:
                parquet.close()
    elif path.endswith(JSON_LINES):
        with atomic_binary_writer(path) as stream:
            if path.endswith(".gz"):
                with gzip.GzipFile("", "wb", 6, stream, mtime=0) as packed:
                    yield _JsonLinesWriter(packed, path)
            else:
                yield _JsonLinesWriter(stream, path)
    elif "." not in Path(path).name:
        with _dataset_writer(path, signature, schema) as dataset:
            yield dataset
    else:
        raise ConfigError(
            f"{path} is not the name of a table; use .parquet, .jsonl or .jsonl.gz, "
            "or a name without an ending for a datasets folder"
        )


class _ParquetWriter:
    def __init__(self, stream: Any, path: str, signature: str, schema: Any) -> None:
        self._stream = stream
        self._path = path
        self._signature = signature
        self._schema = schema
        self._writer: Any = None

    def write(self, rows: Rows, added: Columns) -> None:
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

    def finish(self, scores: Mapping[str, float]) -> None:
        if self._writer is not None:
            with arrow_errors(f"cannot write {self._path}"):
                self._flush()
                self._writer.add_key_value_metadata({SCORE_KEY + name: repr(score) for name, score in scores.items()})

    def close(self) -> None:
        if self._writer is not None:
            with arrow_errors(f"cannot write {self._path}"):
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


class _JsonLinesWriter:
    def __init__(self, stream: Any, path: str) -> None:
        self._stream = stream
        self._path = path
        self._encoder = msgspec.json.Encoder()

    def write(self, rows: Rows, added: Columns) -> None:
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

    def finish(self, scores: Mapping[str, float]) -> None:
        pass


@contextlib.contextmanager
def _dataset_writer(path: str, signature: str, schema: Any) -> Iterator[TableWriter]:
    datasets = require("datasets", "writing a dataset folder", "datasets")
    import pyarrow as pa

    target = Path(path).absolute()
    if target.exists():
        raise InputError(f"cannot write {path}: it is there already; choose another name, or remove it")
    scratch = scratch_beside(target)
    with os_errors_as(InputError, f"cannot write {path}"):
        scratch.mkdir()
    try:
        rows = scratch / "rows.arrow"
        with rows.open("wb") as stream:
            writer = _ArrowWriter(stream, path, datasets, schema)
            yield writer
            writer.close()
        if writer.schema is not None:
            with arrow_errors(f"cannot write {path}"):
                dataset = datasets.Dataset.from_file(str(rows))
                dataset.info.description = f"{SIGNATURE_KEY}: {signature}" + "".join(
                    f"\n{SCORE_KEY}{name}: {score!r}" for name, score in writer.scores.items()
                )
                bars = datasets.utils.logging.is_progress_bar_enabled()
                datasets.disable_progress_bars()
                try:
                    dataset.save_to_disk(str(scratch / "dataset"))
                finally:
                    if bars:
                        datasets.enable_progress_bars()
                (scratch / "dataset").rename(target)
    except pa.ArrowException as error:
        raise InputError(f"cannot write {path}: {error}") from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


class _ArrowWriter:
    def __init__(self, stream: Any, path: str, datasets: Any, schema: Any) -> None:
        self._stream = stream
        self._path = path
        self._datasets = datasets
        self._rows_schema = schema
        self._writer: Any = None
        self.schema: Any = None
        self.scores: dict[str, float] = {}

    def write(self, rows: Rows, added: Columns) -> None:
        import pyarrow as pa

        own = rows.arrow(self._rows_schema)
        if self._rows_schema is None:
            self._rows_schema = own.schema
        table = _with_columns(own, added, self._path)
        with arrow_errors(f"cannot write {self._path}"):
            if self._writer is None:
                # Features say more than Arrow's types: what is a class, an image and so on.
                features = self._datasets.Features.from_arrow_schema(self._rows_schema)
                for name in added:
                    kind = str(table.schema.field(name).type)
                    features[name] = self._datasets.Value("float64" if kind == "double" else kind)
                self.schema = features.arrow_schema
                self._writer = pa.ipc.new_stream(self._stream, self.schema)
            self._writer.write_table(table.cast(self.schema))

    def finish(self, scores: Mapping[str, float]) -> None:
        self.scores = dict(scores)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
