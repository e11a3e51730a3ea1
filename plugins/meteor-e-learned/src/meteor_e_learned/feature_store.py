"""Rows of features on disk, one database per feature."""

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

LOCKED_AFTER = 60
"""Seconds to wait for another process that writes."""
_SEAL = 8
"""Bytes of the checksum after each row."""


class FeatureStore:
    """Rows of features on disk.

    Args:
        folder: where; by default ``features`` in the folder that ``METEOR_E_CACHE`` names, else in the user's
            cache folder.
        enabled: whether to keep anything.
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None, *, enabled: bool = True) -> None:
        self.folder = Path(folder) if folder is not None else cache_folder("features")
        self.enabled = enabled

    @contextlib.contextmanager
    def _open(self, signature: str) -> Iterator[sqlite3.Connection]:
        file = self.folder / f"{digest([signature])[:32]}.sqlite"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with contextlib.closing(sqlite3.connect(file, timeout=LOCKED_AFTER)) as connection:
                connection.execute("create table if not exists rows (key blob primary key, value blob) without rowid")
                yield connection
        except (OSError, sqlite3.Error) as error:
            if "locked" in str(error):
                raise ConfigError(
                    f"another process has kept the features in {file} to itself for {LOCKED_AFTER} seconds; let it "
                    "end, choose another folder with METEOR_E_CACHE, or use --no-cache"
                ) from error
            raise ConfigError(
                f"the kept features in {file} cannot be used ({error}); delete the file, choose another folder with "
                "METEOR_E_CACHE, or use --no-cache"
            ) from error

    def get(self, signature: str, keys: Sequence[Hashable], dimension: int) -> dict[Hashable, Floats]:
        """Return the rows that are known."""
        if not self.enabled or not keys:
            return {}
        found: dict[Hashable, Floats] = {}
        with self._open(signature) as connection:
            for start in range(0, len(keys), 500):
                part = keys[start : start + 500]
                query = f"select key, value from rows where key in ({','.join('?' * len(part))})"
                for key, value in connection.execute(query, part):
                    row = value[:-_SEAL]
                    if len(row) == 8 * dimension and value == _sealed(key, row):
                        found[key] = np.frombuffer(row, "<f8")
        return found

    def put(self, signature: str, rows: Mapping[Hashable, Floats]) -> None:
        """Keep rows."""
        if not self.enabled or not rows:
            return
        with self._open(signature) as connection, connection:
            connection.executemany(
                "insert or replace into rows values (?, ?)",
                [(key, _sealed(key, np.ascontiguousarray(row, "<f8").tobytes())) for key, row in rows.items()],
            )


def _sealed(key: Hashable, row: bytes) -> bytes:
    """Return a row with a checksum of it and its key after it: a damaged file must give no other features."""
    import hashlib

    assert isinstance(key, bytes)
    return row + hashlib.sha256(key + row).digest()[:_SEAL]
