"""Convert the vectors of other programs to vector files, and keep the converted files in a cache."""

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


def convert_vectors(source: Path, target: Path, *, key: str = "word", language: str | None = None) -> WordVectors:
    """Convert vectors of another program to a vector file.

    Args:
        source: the file of the other program.
        target: the vector file.
        key: how the vectors are looked up; see :data:`~meteor_e_vectors.keys.KEYS`.
        language: the code of the language of the vectors, if it is known.

    Returns:
        The vectors of the source.

    Raises:
        ResourceError: if the source cannot be read, or the target cannot be written.
        InputError: if the source is malformed.
    """
    with temporary_folder(target.absolute().parent, target.name) as scratch_folder:
        word_vectors = read_vectors(source, scratch_folder)
        metadata = {"key": key, "source": source.name, "source format": word_vectors.format}
        if language is not None:
            metadata["language"] = language
        write_vectors(
            target,
            word_vectors.words,
            word_vectors.rows,
            counts=word_vectors.counts,
            subwords=word_vectors.subwords,
            metadata=metadata,
        )
    return word_vectors


def open_converted(source: Path) -> VectorFile:
    """Convert the vectors of another program to a vector file, and open this file. The converted file is cached.

    The cache identifies a source by its path, size and modification time, because hashing gigabytes would take seconds
    whenever a program starts.
    """
    with os_errors_as(ResourceError, f"cannot read the vectors {source}"):
        status = source.stat()
    identity = f"{os.path.realpath(source)}\0{status.st_size}\0{status.st_mtime_ns}"
    name = f"vectors-{hashlib.sha256(identity.encode('utf-8', 'surrogateescape')).hexdigest()[:40]}"
    return load_cached_index(name, open_vectors, lambda target: convert_vectors(source, target))
