"""Which kind of table a path holds."""

from __future__ import annotations

from pathlib import Path

from meteor_e.errors import ConfigError
from meteor_e.tables.batches import Source, TextColumns

__all__ = ["is_table", "open_table"]

_JSON_LINES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")


def is_table(path: str) -> bool:
    """Return whether a path holds a table: JSON Lines by its name, Parquet by its content, a folder of either kind."""
    from meteor_e.tables.huggingface import is_dataset
    from meteor_e.tables.parquet import is_parquet

    if path == "-":
        return False
    place = Path(path)
    try:
        return path.endswith(_JSON_LINES) or (place.is_dir() and is_dataset(place)) or is_parquet(place)
    except (OSError, ValueError):
        return False


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
    from meteor_e.tables.huggingface import SavedDataset, is_dataset
    from meteor_e.tables.parquet import Parquet, is_parquet

    place = Path(path)
    if path != "-" and is_dataset(place):
        return SavedDataset(path, texts, split)
    if split is not None:
        raise ConfigError(f"{path} is no dataset with splits; leave --split out")
    if path != "-" and is_parquet(place):
        return Parquet(path, texts)
    if path == "-" or path.endswith(_JSON_LINES):
        from meteor_e.tables.jsonlines import JsonLines

        return JsonLines(path, texts)
    if place.is_dir():
        raise ConfigError(f"{path} is a folder with neither Parquet files nor a dataset that save_to_disk wrote")
    raise ConfigError(
        f"{path} is no table (Parquet, a datasets folder, or JSON Lines with the ending .jsonl or .jsonl.gz); "
        "columns are of tables only"
    )
