"""Keeps what was computed once: arrays by a key of signature and input."""

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
"""Which cells are wanted: ``(systems, segments)`` truth values."""


FORMAT = "2"
"""Of the files: the SHA-256 of the rest, then NumPy's archive."""
_DIGEST = 32


def digest(parts: Iterable[str]) -> str:
    """Return a hash of texts; their borders count."""
    encoded = [part.encode("utf-8", "surrogatepass") for part in parts]
    return hashlib.sha256(b"".join(b"%d:%b" % (len(part), part) for part in encoded)).hexdigest()


class ArrayCache:
    """A folder of arrays, each set in a file that its key names.

    Files are written whole or not at all, so that several processes can share a folder. A file that cannot be
    read or is damaged is as good as none. If meteor_e or a plugin is installed editable, the files' names depend on a
    digest of its code, so that nothing is read that other code has computed.

    Args:
        folder: the folder; by default ``evaluation`` in the folder that the environment variable
            ``METEOR_E_CACHE`` names, else in the user's cache folder.
        enabled: whether to keep anything.
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None, *, enabled: bool = True) -> None:
        self.enabled = enabled
        self.folder = Path(folder) if folder is not None else cache_folder("evaluation")

    def _file(self, key: str) -> Path:
        # Code that is being edited may give other arrays for the same key.
        name = digest([FORMAT, key, editable_code_digest()])
        return self.folder / name[:2] / f"{name[2:]}.npz"

    def get(self, key: str) -> dict[str, NDArray[np.generic]] | None:
        """Return the arrays of a key, ``None`` if there are none."""
        if not self.enabled:
            return None
        try:
            kept = self._file(key).read_bytes()
        except OSError:
            return None
        data = kept[_DIGEST:]
        if hashlib.sha256(data).digest() != kept[:_DIGEST]:
            return None
        with np.load(io.BytesIO(data), allow_pickle=False) as content:
            if str(content["key"]) != key:
                return None
            return {name: content[name] for name in content.files if name != "key"}

    def put(self, key: str, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Keep arrays.

        Raises:
            ConfigError: if the folder cannot be written to.
        """
        if not self.enabled:
            return
        file = self._file(key)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            stream = io.BytesIO()
            np.savez_compressed(stream, key=np.array(key), **arrays)  # type: ignore[arg-type]
            data = stream.getvalue()
            with atomic_file(file) as scratch:
                scratch.write_bytes(hashlib.sha256(data).digest() + data)
        except OSError as error:
            raise ConfigError(
                f"cannot write to the cache {self.folder} ({error.strerror}); name another with METEOR_E_CACHE, "
                "or use --no-cache"
            ) from error
