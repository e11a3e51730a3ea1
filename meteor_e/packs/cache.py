"""A cache of indexes for files in METEOR's format that are not part of a pack, by the content of the files."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from meteor_e.base.errors import ResourceError
from meteor_e.base.files import os_errors_as, sha256_of
from meteor_e.base.folders import cache_folder, working_folder
from meteor_e.base.locks import lock_folder
from meteor_e.base.progress import Progress, silent
from meteor_e.packs.build_indexes import build_paraphrase_index, build_synonym_index, check_table_size
from meteor_e.packs.indexes import FORMAT_VERSION, ParaphraseIndex, SynonymIndex

MAX_CACHE = 2 << 30
"""The maximum size of all cached indexes in bytes. The least recently used indexes are deleted first."""

_Index = TypeVar("_Index")


def load_paraphrase_index(path: str | os.PathLike[str], progress: Progress = silent) -> ParaphraseIndex:
    """Return the index of a paraphrase table in METEOR's format; build it if it is not cached.

    Raises:
        ResourceError: if the table is malformed, or the cache cannot be written.
    """
    source = Path(path)
    key = f"paraphrases-{_hash_contents(source)}"
    return load_cached_index(
        key, ParaphraseIndex, lambda target: build_paraphrase_index(source, target, progress), progress
    )


def load_synonym_index(
    directory: str | os.PathLike[str], language: str = "english", progress: Progress = silent
) -> SynonymIndex:
    """Return the index of ``language.synsets`` and ``language.exceptions``; build it if it is not cached.

    The folder is that of the Java program's option ``-d``, where the files are named after the English name of the
    language. Either file may be compressed by gzip and end in ``.gz``. The file of exceptions is optional.
    """
    synsets = _find_file(Path(directory), f"{language}.synsets")
    exceptions = _find_file(Path(directory), f"{language}.exceptions")
    if synsets is None:
        raise ResourceError(f"there is no {language}.synsets in the synonym folder {os.fspath(directory)}")
    return load_synonym_file(synsets, exceptions, progress)


def load_synonym_file(
    synsets: str | os.PathLike[str], exceptions: Path | None = None, progress: Progress = silent
) -> SynonymIndex:
    """Return the index of a file of synsets and a file of exceptions; build it if it is not cached.

    The files have the format that :func:`build_synonym_index` reads.
    """
    key = f"synonyms-{_hash_contents(Path(synsets), exceptions)}"
    return load_cached_index(
        key, SynonymIndex, lambda target: build_synonym_index(synsets, exceptions, target, progress), progress
    )


def load_cached_index(
    key: str, open_index: Callable[[Path], _Index], build: Callable[[Path], object], progress: Progress = silent
) -> _Index:
    """Return an index of the cache; build it if it is missing or damaged.

    Args:
        key: the kind of the index, and a digest of the files that it is built from.
        open_index: a function that maps the index and raises :class:`ResourceError` if it is damaged.
        build: a function that writes the index to a path.
        progress: called while another process is building an index.

    Raises:
        ResourceError: if the cache cannot be written, or if ``build`` raises it.
    """
    folder = cache_folder()
    target = folder / f"{key}-v{FORMAT_VERSION}.idx"
    index = _open_if_valid(target, open_index)
    if index is not None:
        return index
    with lock_folder(folder, "indexes", progress):
        # Another process may have built the index while this process waited.
        index = _open_if_valid(target, open_index)
        if index is None:
            with working_folder(folder / "index") as temporary_folder:
                temporary_file = temporary_folder / target.name
                with os_errors_as(ResourceError, f"cannot write {target}"):
                    build(temporary_file)
                    temporary_file.replace(target)
            index = open_index(target)
            _evict(folder, target)
    return index


def _open_if_valid(target: Path, open_index: Callable[[Path], _Index]) -> _Index | None:
    """Return a cached index and update its time of use; ``None`` if the index is missing or damaged."""
    try:
        index = open_index(target)
    except ResourceError:
        return None
    with contextlib.suppress(OSError):
        os.utime(target)
    return index


def _evict(folder: Path, keep: Path) -> None:
    """Delete the least recently used indexes, except for ``keep``, until the cache is within its maximum size.

    An index that a process has mapped remains usable in that process.
    """
    with contextlib.suppress(OSError):  # A later call deletes the files that cannot be deleted now.
        statuses = {path: path.stat() for path in folder.glob("*.idx")}
        total_size = sum(status.st_size for status in statuses.values())
        for path, status in sorted(statuses.items(), key=lambda item: item[1].st_mtime_ns):
            if total_size > MAX_CACHE and path != keep:
                path.unlink()
                total_size -= status.st_size


def _hash_contents(*paths: Path | None) -> str:
    """Return a digest of the contents of files."""
    hashes = []
    try:
        for path in paths:
            if path is not None:
                check_table_size(path)
        for path in paths:
            hashes.append("none" if path is None else sha256_of(path))
    except OSError as error:
        raise ResourceError(f"cannot read {error.filename}: {error.strerror}") from error
    return hashlib.sha256(" ".join(hashes).encode()).hexdigest()[:40]


def _find_file(directory: Path, name: str) -> Path | None:
    """Return the path of a file that may be compressed by gzip; ``None`` if it does not exist."""
    for path in (directory / name, directory / f"{name}.gz"):
        # A file that exists but cannot be read, such as a pipe or a broken link, must cause an error later.
        if os.path.lexists(path):
            return path
    return None
