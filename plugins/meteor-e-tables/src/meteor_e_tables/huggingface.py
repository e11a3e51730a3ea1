"""Hugging Face ``datasets``, as ``save_to_disk`` writes them: from disk only, and nothing in them is executed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from meteor_e.api import ConfigError, InputError, TextColumns
from meteor_e.base.errors import near_miss
from meteor_e.base.files import PathLike
from meteor_e.formats.tables import DATASET_DICTIONARY
from meteor_e_tables.arrow import arrow_batch, arrow_errors, text_paths
from meteor_e_tables.batches import BATCH_ROWS, Batch, Source
from meteor_e_tables.libraries import require


def _splits(path: Path) -> list[str]:
    try:
        splits = json.loads((path / DATASET_DICTIONARY).read_bytes())["splits"]
        if not all(isinstance(split, str) for split in splits):
            raise ValueError("names of splits are texts")
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(f"cannot read {path / DATASET_DICTIONARY}: {error}") from error
    return list(splits)


class SavedDataset(Source):
    """A dataset in a folder.

    Args:
        path: the folder.
        texts: which columns hold the texts; ``translation.de`` is a field of a column.
        split: which of its splits; ``None`` if it has one.
        options: names of the options that choose the columns, for messages.

    Raises:
        InputError: if it cannot be read, or a column is missing or holds no texts.
        ConfigError: if there is no such split, or ``datasets`` is not installed.
    """

    def __init__(
        self,
        path: PathLike,
        texts: TextColumns,
        split: str | None = None,
        options: tuple[str, str] = ("--hypothesis-column", "--reference-column"),
    ) -> None:
        datasets = require("datasets", "a dataset in a folder", "datasets")
        self.name = str(path)
        self.texts = texts
        folder = Path(path)
        if (folder / DATASET_DICTIONARY).is_file():
            folder = folder / _chosen(_splits(folder), split, self.name)
            self.name = str(folder)
        elif split is not None:
            raise ConfigError(f"{self.name} has no splits; leave --split out")
        with arrow_errors(f"cannot read {self.name}"):
            try:
                self.dataset = datasets.load_from_disk(str(folder.absolute()), keep_in_memory=False)
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                # What datasets raises for a folder that was altered.
                raise InputError(f"cannot read {self.name}: {error}") from error
        self.size = len(self.dataset)
        self._paths = text_paths(self.schema(), texts, self.name, options)
        if not self.size:
            raise InputError(f"{self.name} is empty; there is nothing to score")

    def batches(self, whole: bool = False) -> Iterator[Batch]:
        """Read the dataset; all columns if ``whole``."""
        dataset = self.dataset
        if not whole:
            dataset = dataset.select_columns(sorted({path[0] for path in self._paths.values()}))
        first = 1
        tables = dataset.with_format("arrow").iter(BATCH_ROWS)
        while True:
            with arrow_errors(f"cannot read {self.name}"):
                table = next(tables, None)
            if table is None:
                return
            yield arrow_batch(self.name, first, self.texts, self._paths, table, whole)
            first += table.num_rows

    def schema(self) -> Any:
        """Return the dataset's ``pyarrow.Schema``, with its features in the metadata."""
        return self.dataset.features.arrow_schema


def _chosen(splits: list[str], split: str | None, name: str) -> str:
    known = ", ".join(splits)
    if split is None:
        if len(splits) == 1:
            return splits[0]
        raise ConfigError(f"{name} has the splits {known}; choose one with --split")
    if split not in splits:
        raise ConfigError(f"{name} has no split {split!r}{near_miss(split, splits)}; it has {known}")
    return split
