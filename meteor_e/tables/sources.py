"""Open a table of any kind."""

from __future__ import annotations

from pathlib import Path

from meteor_e.base.errors import ConfigError
from meteor_e.tables.batches import Source, TextColumns
from meteor_e.tables.kinds import DELIMITED, JSON_LINES, is_dataset, is_parquet

__all__ = ["open_table"]


def open_table(path: str, texts: TextColumns, *, split: str | None = None) -> Source:
    """Open a table to be scored.

    Args:
        path: a Parquet file or a folder of them, JSON Lines, or a folder of ``datasets``; ``-`` is JSON Lines on
            standard input.
        texts: which columns hold the texts.
        split: split of a dataset.

    Raises:
        InputError: if it cannot be read, or a column is missing or holds no texts.
        ConfigError: if a library is not installed, or the path holds no table.
    """
    place = Path(path)
    if path != "-" and is_dataset(place):
        from meteor_e.tables.huggingface import SavedDataset

        return SavedDataset(path, texts, split)
    if split is not None:
        raise ConfigError(f"{path} is no dataset with splits; leave --split out")
    if path != "-" and is_parquet(place):
        from meteor_e.tables.parquet import Parquet

        return Parquet(path, texts)
    if path == "-" or path.endswith(JSON_LINES):
        from meteor_e.tables.jsonlines import JsonLines

        return JsonLines(path, texts)
    if path.endswith(DELIMITED):
        from meteor_e.tables.delimited import Delimited

        return Delimited(path, texts)
    if place.is_dir():
        raise ConfigError(f"{path} is a folder with neither Parquet files nor a dataset that save_to_disk wrote")
    raise ConfigError(
        f"{path} is no table (Parquet, a datasets folder, .csv, .tsv, or JSON Lines as .jsonl or .jsonl.gz); "
        "columns are of tables only"
    )
