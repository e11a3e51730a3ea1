"""Parquet: a file, or a folder of files as Dask and Spark write it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from meteor_e.api import InputError, TextColumns
from meteor_e.base.files import PathLike
from meteor_e.formats.tables import parquet_files
from meteor_e_tables.arrow import arrow_batch, arrow_errors, pyarrow, text_paths
from meteor_e_tables.batches import BATCH_ROWS, RANGE_ROWS, Batch, Range, Source


def _open(path: str | Path) -> Any:
    import pyarrow.parquet as pq

    # Not mapped: pages of a mapped file count as memory of the process, and with many processes they crowd it.
    return pq.ParquetFile(path, memory_map=False, page_checksum_verification=True)


@dataclass(frozen=True)
class ParquetRange:
    """Rows of one row group.

    Attributes:
        path: the file.
        row_group: number of the row group.
        start: how many rows of the row group come before.
        size: how many rows.
        first: number of the first row in the file, from 1.
        texts, paths: the columns with texts, and where they are.
    """

    path: str
    row_group: int
    start: int
    size: int
    first: int
    texts: TextColumns
    paths: dict[str, list[str]]

    @property
    def files(self) -> tuple[str, ...]:
        """The file."""
        return (self.path,)

    def read(self, whole: bool = False) -> Batch:
        """Read the rows; all columns if ``whole``."""
        columns = None if whole else sorted({path[0] for path in self.paths.values()})
        with arrow_errors(f"cannot read {self.path}"), _open(self.path) as file:
            table = file.read_row_group(self.row_group, columns=columns, use_threads=False)
            table = table.slice(self.start, self.size)
        if table.num_rows != self.size:
            raise InputError(f"{self.path} was changed while it was read; start again")
        return arrow_batch(self.path, self.first, self.texts, self.paths, table, whole)


class Parquet(Source):
    """A Parquet table.

    Args:
        path: a file, or a folder of files.
        texts: which columns hold the texts; ``translation.de`` is a field of a column.
        options: names of the options that choose them, for messages.

    Raises:
        InputError: if it cannot be read, the files differ in their columns, or one of the columns is missing or
            holds no texts.
        ConfigError: if pyarrow is not installed.
    """

    def __init__(
        self,
        path: PathLike,
        texts: TextColumns,
        options: tuple[str, str] = ("--hypothesis-column", "--reference-column"),
    ) -> None:
        pyarrow("Parquet")
        self.name = str(path)
        self.texts = texts
        self._files = parquet_files(Path(path))
        self._row_groups: list[list[int]] = []
        self._schema: Any = None
        for path in self._files:
            with arrow_errors(f"cannot read {path}"), _open(path) as file:
                schema = file.schema_arrow
                if self._schema is None:
                    self._schema = schema
                elif not self._schema.equals(schema):
                    raise InputError(f"{path} has other columns than {self._files[0]}; score them one by one")
                groups = [file.metadata.row_group(number).num_rows for number in range(file.num_row_groups)]
            self._row_groups.append(groups)
        self._paths = text_paths(self._schema, texts, self.name, options)
        self.size = sum(map(sum, self._row_groups))
        if not self.size:
            raise InputError(f"{self.name} is empty; there is nothing to score")

    def batches(self, whole: bool = False) -> Iterator[Batch]:
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

    def ranges(self) -> list[Range]:
        """Return the table as ranges of rows; a range is within one row group."""
        ranges: list[Range] = []
        for path, groups in zip(self._files, self._row_groups, strict=True):
            before = 0
            for number, rows in enumerate(groups):
                for start in range(0, rows, RANGE_ROWS):
                    size = min(RANGE_ROWS, rows - start)
                    name = str(path.absolute())
                    ranges.append(ParquetRange(name, number, start, size, before + start + 1, self.texts, self._paths))
                before += rows
        return ranges

    def schema(self) -> Any:
        """Return the table's ``pyarrow.Schema``."""
        return self._schema
