"""Cache the indexes of the user's own synonym files and paraphrase tables."""

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
from meteor_e.packs.build_indexes import build_paraphrase_index, build_synonym_index
from meteor_e.packs.entries import check_table_size
from meteor_e.packs.index_format import FORMAT_VERSION
from meteor_e.packs.indexes import ParaphraseIndex, SynonymIndex

MAX_CACHE = 2 << 30
"""The maximum size of all cached indexes in bytes. The least recently used indexes are deleted first."""

_Index = TypeVar("_Index")


def load_paraphrase_index(path: str | os.PathLike[str], progress: Progress = silent) -> ParaphraseIndex:
    """Return the index of a paraphrase table in METEOR's format. Build the index if it is not cached.

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
    """Return the index of ``LANGUAGE.synsets`` and ``LANGUAGE.exceptions``. Build the index if it is not cached.

    The file of exceptions is optional. Both files may be compressed with gzip and end in ``.gz``.

    Args:
        directory: the folder of the files, which is the value of the Java program's option ``-d``.
        language: the English name of the language in lowercase.
        progress: a callback that receives the progress.
    """
    synsets = _find_file(Path(directory), f"{language}.synsets")
    exceptions = _find_file(Path(directory), f"{language}.exceptions")
    if synsets is None:
        raise ResourceError(f"there is no {language}.synsets in the synonym folder {os.fspath(directory)}")
    return load_synonym_file(synsets, exceptions, progress)


def load_synonym_file(
    synsets: str | os.PathLike[str], exceptions: Path | None = None, progress: Progress = silent
) -> SynonymIndex:
    """Return the synonym index for a synset file and an exception file. Build the index if it is not cached.

    The files have the format that :func:`build_synonym_index` reads.
    """
    key = f"synonyms-{_hash_contents(Path(synsets), exceptions)}"
    return load_cached_index(
        key, SynonymIndex, lambda target: build_synonym_index(synsets, exceptions, target, progress), progress
    )


def load_cached_index(
    key: str, open_index: Callable[[Path], _Index], build: Callable[[Path], object], progress: Progress = silent
) -> _Index:
    """Return an index from the cache. Build the index if it is missing or damaged.

    Args:
        key: the kind of the index, and a digest of the files that it is built from.
        open_index: a function that maps the index and raises :class:`ResourceError` if it is damaged.
        build: a function that writes the index to a path.
        progress: a callback that is called while another process is building an index.

    Raises:
        ResourceError: if the cache cannot be written, or if ``build`` raises it.
    """
    folder = cache_folder()
    target = folder / f"{key}-v{FORMAT_VERSION}.idx"
    cached_index = _open_if_valid(target, open_index)
    if cached_index is not None:
        return cached_index
    with lock_folder(folder, "indexes", progress):
        # Another process may have built the index while this process waited for the lock.
        concurrent_index = _open_if_valid(target, open_index)
        if concurrent_index is not None:
            return concurrent_index
        _build_and_replace(target, build)
        new_index = open_index(target)
        _evict(folder, keep=target)
        return new_index


def _build_and_replace(target: Path, build: Callable[[Path], object]) -> None:
    """Build an index in a temporary folder, and move it to its path in the cache when it is complete."""
    with (
        working_folder(target.parent / "index") as temporary_folder,
        os_errors_as(ResourceError, f"cannot write {target}"),
    ):
        temporary_file = temporary_folder / target.name
        build(temporary_file)
        temporary_file.replace(target)


def _open_if_valid(target: Path, open_index: Callable[[Path], _Index]) -> _Index | None:
    """Open a cached index and mark it as recently used. Return ``None`` if the index is missing or damaged."""
    try:
        index = open_index(target)
    except ResourceError:
        return None
    with contextlib.suppress(OSError):
        os.utime(target)
    return index


def _evict(folder: Path, keep: Path) -> None:
    """Delete the least recently used indexes until the cache is within its maximum size.

    Args:
        folder: the folder of the cache.
        keep: an index that is not deleted. Other indexes remain usable in processes that have already mapped them.
    """
    # If a file cannot be deleted, the next call of this function tries again.
    with contextlib.suppress(OSError):
        statuses = {path: path.stat() for path in folder.glob("*.idx")}
        total_size = sum(status.st_size for status in statuses.values())
        least_recent_first = sorted(statuses.keys() - {keep}, key=lambda path: statuses[path].st_mtime_ns)
        for path in least_recent_first:
            if total_size <= MAX_CACHE:
                break
            path.unlink()
            total_size -= statuses[path].st_size


def _hash_contents(*paths: Path | None) -> str:
    """Return a digest of the contents of files. All sizes are checked first, because hashing takes time."""
    try:
        for path in paths:
            if path is not None:
                check_table_size(path)
        hashes = ["none" if path is None else sha256_of(path) for path in paths]
    except OSError as error:
        raise ResourceError(f"cannot read {error.filename}: {error.strerror}") from error
    return hashlib.sha256(" ".join(hashes).encode()).hexdigest()[:40]


def _find_file(directory: Path, name: str) -> Path | None:
    """Find a file or its compressed version ``FILE.gz``, and return ``None`` if neither exists."""
    for path in (directory / name, directory / f"{name}.gz"):
        # A broken link counts as an existing file, so that reading it raises an error later.
        if os.path.lexists(path):
            return path
    return None
