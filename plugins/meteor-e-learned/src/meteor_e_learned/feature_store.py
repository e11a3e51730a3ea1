"""Disk cache of feature values, with one SQLite database per feature."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Hashable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from meteor_e.api import ConfigError
from meteor_e.base.array_cache import Floats, digest
from meteor_e.base.folders import cache_folder

LOCK_TIMEOUT = 60
"""Number of seconds to wait for another process that writes."""
CHECKSUM_SIZE = 8
"""Number of bytes of the checksum after each row."""
MAX_QUERY_KEYS = 500
"""Maximum number of keys in one query."""


class FeatureStore:
    """A cache of feature rows on disk.

    Args:
        folder: the folder of the databases. The default is ``features`` in the folder that ``METEOR_E_CACHE`` names, or
            in the user's cache folder.
        enabled: whether to read and write the cache.
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None, *, enabled: bool = True) -> None:
        self.folder = Path(folder) if folder is not None else cache_folder("features")
        self.enabled = enabled

    @contextlib.contextmanager
    def _open(self, signature: str) -> Iterator[sqlite3.Connection]:
        """Open the database of a feature, and create it if necessary.

        Raises:
            ConfigError: if the database is locked or cannot be used.
        """
        file = self.folder / f"{digest([signature])[:32]}.sqlite"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with contextlib.closing(sqlite3.connect(file, timeout=LOCK_TIMEOUT)) as connection:
                connection.execute("create table if not exists rows (key blob primary key, value blob) without rowid")
                yield connection
        except (OSError, sqlite3.Error) as error:
            raise ConfigError(_describe_failure(file, error)) from error

    def get(self, signature: str, keys: Sequence[Hashable], dimension: int) -> dict[Hashable, Floats]:
        """Return the cached feature rows for the given keys. Missing keys are omitted.

        Args:
            signature: the signature of the feature.
            keys: the keys of the rows.
            dimension: the length of a row. Rows of another length and damaged rows are ignored.
        """
        if not self.enabled or not keys:
            return {}
        rows: dict[Hashable, Floats] = {}
        with self._open(signature) as connection:
            for key, stored_bytes in _select_rows(connection, keys):
                row_bytes = stored_bytes[:-CHECKSUM_SIZE]
                # A row consists of little-endian floating-point numbers of 8 bytes each.
                has_dimension = len(row_bytes) == 8 * dimension
                is_intact = stored_bytes == _add_checksum(key, row_bytes)
                if has_dimension and is_intact:
                    rows[key] = np.frombuffer(row_bytes, "<f8")
        return rows

    def put(self, signature: str, rows: Mapping[Hashable, Floats]) -> None:
        """Write rows to the database of a feature.

        Args:
            signature: the signature of the feature.
            rows: the rows by key.
        """
        if not self.enabled or not rows:
            return
        values = [(key, _add_checksum(key, np.ascontiguousarray(row, "<f8").tobytes())) for key, row in rows.items()]
        with self._open(signature) as connection, connection:
            connection.executemany("insert or replace into rows values (?, ?)", values)


def _select_rows(connection: sqlite3.Connection, keys: Sequence[Hashable]) -> Iterator[tuple[bytes, bytes]]:
    """Yield the key and the bytes of each requested row that the database contains."""
    for start in range(0, len(keys), MAX_QUERY_KEYS):
        query_keys = keys[start : start + MAX_QUERY_KEYS]
        placeholders = ",".join("?" * len(query_keys))
        yield from connection.execute(f"select key, value from rows where key in ({placeholders})", query_keys)


def _describe_failure(file: Path, error: Exception) -> str:
    """Return an error message that explains why a cache database cannot be used."""
    advice = "choose another folder with METEOR_E_CACHE, or use --no-cache"
    if "locked" in str(error):
        return (
            f"another process has locked the stored features in {file} for {LOCK_TIMEOUT} seconds; wait until it "
            f"ends, {advice}"
        )
    return f"the stored features in {file} cannot be used ({error}); delete the file, {advice}"


def _add_checksum(key: Hashable, row: bytes) -> bytes:
    """Append a checksum to the bytes of a row, so that damaged database files are detected."""
    import hashlib

    assert isinstance(key, bytes)
    return row + hashlib.sha256(key + row).digest()[:CHECKSUM_SIZE]
