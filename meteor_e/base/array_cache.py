"""A disk cache for computed arrays. Each key is a string that identifies a metric and its input."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from meteor_e.base.atomic import atomic_file
from meteor_e.base.editable import editable_code_digest
from meteor_e.base.errors import ConfigError
from meteor_e.base.folders import cache_folder

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]

Cells: TypeAlias = NDArray[np.bool_]
"""A mask of ``(systems, segments)``, which is true for the requested cells of a table."""


FORMAT = "2"
"""The version of the file format. A file consists of a SHA-256 and an NPZ archive, from which the hash is computed."""
_HASH_SIZE = 32


def digest(parts: Iterable[str]) -> str:
    """Return the SHA-256 of a sequence of strings. The hash also depends on the boundaries between the strings."""
    result = hashlib.sha256()
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        result.update(b"%d:%b" % (len(encoded), encoded))
    return result.hexdigest()


class ArrayCache:
    """A cache folder with one file per key. Each file contains one or more named arrays.

    Files are written atomically, so several processes can share a folder. Unreadable and damaged files are ignored. If
    meteor_e or a plugin is installed in editable mode, file names depend on a digest of its code, so that results of
    older code are not used.

    Args:
        folder: the folder. By default, it is the folder ``evaluation`` in the folder that the environment variable
            ``METEOR_E_CACHE`` names, or else in the user's cache folder.
        enabled: whether arrays are stored and read.
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None, *, enabled: bool = True) -> None:
        self.enabled = enabled
        self.folder = Path(folder) if folder is not None else cache_folder("evaluation")

    def _file(self, key: str) -> Path:
        """Return the path of the file for a key."""
        # If developers edit the code, the digest changes. The cache then ignores the results of older code.
        name = digest([FORMAT, key, editable_code_digest()])
        return self.folder / name[:2] / f"{name[2:]}.npz"

    def get(self, key: str) -> dict[str, NDArray[np.generic]] | None:
        """Return the arrays that are stored under a key, or ``None`` if the cache does not contain the key."""
        if not self.enabled:
            return None
        try:
            content = self._file(key).read_bytes()
        except OSError:
            return None
        stored_hash, archive_bytes = content[:_HASH_SIZE], content[_HASH_SIZE:]
        if hashlib.sha256(archive_bytes).digest() != stored_hash:
            return None  # The file is damaged.
        with np.load(io.BytesIO(archive_bytes), allow_pickle=False) as archive:
            arrays = dict(archive)
        stored_key = str(arrays.pop("key"))
        return arrays if stored_key == key else None

    def put(self, key: str, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Store arrays under a key.

        Raises:
            ConfigError: if a file cannot be written to the folder.
        """
        if not self.enabled:
            return
        stream = io.BytesIO()
        np.savez_compressed(stream, key=np.array(key), **arrays)  # type: ignore[arg-type]
        archive_bytes = stream.getvalue()
        archive_hash = hashlib.sha256(archive_bytes).digest()
        file = self._file(key)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with atomic_file(file) as temporary_file:
                temporary_file.write_bytes(archive_hash + archive_bytes)
        except OSError as error:
            raise ConfigError(
                f"cannot write to the cache {self.folder} ({error.strerror}); name another folder with "
                "METEOR_E_CACHE, or use --no-cache"
            ) from error
