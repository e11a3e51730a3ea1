"""Which paths are tables: told by names and first bytes, without the libraries that read them."""

from __future__ import annotations

import re
from pathlib import Path

from meteor_e.base.files import open_regular

__all__ = [
    "DATASET_DICTIONARY",
    "DELIMITED",
    "JSON_LINES",
    "PARQUET",
    "is_dataset",
    "is_parquet",
    "is_table",
    "is_table_name",
    "parquet_files",
]

DELIMITED = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
"""What names of tables with separators end in; they are tables only where columns are named, for plain text may be
called so, too."""

JSON_LINES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
"""What names of JSON Lines end in."""

PARQUET = (".parquet", ".pq")
"""What names of Parquet files that are to be written end in; what is read is known by its content."""

DATASET_DICTIONARY = "dataset_dict.json"
"""The file that names the splits of a dataset."""

_PARQUET_MAGIC = b"PAR1"


def is_table(path: str) -> bool:
    """Return whether a path holds a table: JSON Lines by its name, Parquet by its content, a folder of either kind."""
    if path == "-":
        return False
    place = Path(path)
    try:
        return path.endswith(JSON_LINES) or (place.is_dir() and is_dataset(place)) or is_parquet(place)
    except (OSError, ValueError):
        return False


def is_table_name(path: str) -> bool:
    """Return whether a file's name is that of a table."""
    return path.endswith((*PARQUET, *JSON_LINES))


def is_dataset(path: Path) -> bool:
    """Return whether a path is a folder that ``save_to_disk`` of ``datasets`` wrote."""
    return (path / "state.json").is_file() or (path / DATASET_DICTIONARY).is_file()


def is_parquet(path: Path) -> bool:
    """Return whether a path is a Parquet file or a folder of such files."""
    if path.is_dir():
        return bool(parquet_files(path))
    try:
        with open_regular(path) as file:
            return file.read(4) == _PARQUET_MAGIC
    except (OSError, ValueError):
        return False


def parquet_files(path: Path) -> list[Path]:
    """Return the files of a table: itself, or a folder's, numbers in their names counted as numbers."""
    if not path.is_dir():
        return [path]
    # Spark and Dask put their own files there, with names that begin with "_" or ".".
    files = (file for file in path.glob("*.parquet") if file.name[0] not in "._")
    return sorted(files, key=lambda file: [int(part) if part.isdigit() else part for part in _parts(file.name)])


def _parts(name: str) -> list[str]:
    return re.split("([0-9]+)", name)
