"""Converting vectors of other programs, and keeping what was converted."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from meteor_e import ResourceError
from meteor_e.base.files import os_errors_as
from meteor_e.base.folders import temporary_folder
from meteor_e.packs.cache import load_cached_index
from meteor_e_vectors.readers import WordVectors, read_vectors
from meteor_e_vectors.vector_file import VectorFile, open_vectors, write_vectors


def convert(
    source: Path,
    target: Path,
    *,
    key: str = "word",
    language: str | None = None,
) -> WordVectors:
    """Convert vectors of another program to a vector file.

    Args:
        source: the file.
        target: the vector file.
        key: what the vectors are looked up by.
        language: code of their language, if it is known.

    Raises:
        ResourceError, InputError: if the source cannot be read, or the target cannot be written.
    """
    folder = target.absolute().parent
    with temporary_folder(folder, target.name) as scratch:
        found = read_vectors(source, scratch)
        write_vectors(
            target,
            found.words,
            found.rows,
            counts=found.counts,
            subwords=found.subwords,
            metadata={
                "key": key,
                "source": source.name,
                "source format": found.format,
                **({} if language is None else {"language": language}),
            },
        )
    return found


def converted(source: Path) -> VectorFile:
    """Return the vectors of another program; converted the first time, then kept in the cache.

    A source is known again by its path, size and time of change: reading gigabytes to see whether they changed
    would cost seconds at every start.
    """
    with os_errors_as(ResourceError, f"cannot read the vectors {source}"):
        state = source.stat()
    identity = f"{os.path.realpath(source)}\0{state.st_size}\0{state.st_mtime_ns}"
    name = f"vectors-{hashlib.sha256(identity.encode('utf-8', 'surrogateescape')).hexdigest()[:40]}"
    return load_cached_index(name, open_vectors, lambda target: convert(source, target))
