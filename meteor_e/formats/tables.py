"""Which paths are tables: told by names and first bytes, without the libraries that read them."""

from __future__ import annotations

import re
from pathlib import Path

from meteor_e.base.files import open_regular

_DELIMITED = {".csv": "csv", ".csv.gz": "csv", ".tsv": "tsv", ".tsv.gz": "tsv"}

JSON_LINES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
"""What names of JSON Lines end in."""

PARQUET = (".parquet", ".pq")
"""What names of Parquet files that are to be written end in; what is read is known by its content."""

_PARQUET_MAGIC = b"PAR1"


def table_format(path: str, *, alone: bool = False) -> str | None:
    """Return the format of a table: JSON Lines by its name, Parquet and folders by their content.

    Args:
        path: of a file or folder.
        alone: whether it must be a table, because nothing else is given; then CSV and TSV are known by their names.
            Plain text may be called so, too.

    Returns:
        The name of its :class:`~meteor_e.api.TableFormat`; ``None`` if it is not a table.
    """
    if path == "-":
        return None
    if alone:
        for ending, form in _DELIMITED.items():
            if path.endswith(ending):
                return form
    place = Path(path)
    try:
        if _is_parquet(place):
            return "parquet"
    except (OSError, ValueError):
        return None
    return "jsonl" if path.endswith(JSON_LINES) else None


def is_table_name(path: str) -> bool:
    """Return whether a file's name is that of a table that is to be written."""
    return path.endswith((*PARQUET, *JSON_LINES))


def _is_parquet(path: Path) -> bool:
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
