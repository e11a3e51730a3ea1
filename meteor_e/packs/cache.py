"""Indexes of METEOR-format files that are in no pack: built once, kept by content."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from meteor_e.base.errors import ResourceError
from meteor_e.base.files import cache_folder, locked, os_errors_as, sha256_of, workplace
from meteor_e.base.progress import Progress, silent
from meteor_e.packs.build_indexes import build_paraphrase_index, build_synonym_index, refuse_huge
from meteor_e.packs.indexes import FORMAT_VERSION, ParaphraseIndex, SynonymIndex

MAX_CACHE = 2 << 30
"""Bytes that the cached indexes may take; beyond it those go that were not used for longest."""

_Index = TypeVar("_Index")


def cached_paraphrase_index(path: str | os.PathLike[str], progress: Progress = silent) -> ParaphraseIndex:
    """Return the index of a paraphrase table in METEOR's format; build it the first time.

    Raises :class:`ResourceError` as :func:`build_paraphrase_index` does, or if the cache cannot be written.
    """
    source = Path(path)
    key = f"paraphrases-{_content(source)}"
    return cached_index(key, ParaphraseIndex, lambda to: build_paraphrase_index(source, to, progress), progress)


def cached_synonym_index(
    directory: str | os.PathLike[str], language: str = "english", progress: Progress = silent
) -> SynonymIndex:
    """Return the index of ``language.synsets`` and ``language.exceptions``; build it the first time.

    This is the folder of the Java program's ``-d``, which calls its files by the language's English name.
    Either file may be gzipped and end in ``.gz``; the exceptions may be absent.
    """
    synsets, exceptions = (_plain_or_packed(Path(directory), f"{language}.{end}") for end in ("synsets", "exceptions"))
    if synsets is None:
        raise ResourceError(f"there is no {language}.synsets in the synonym folder {os.fspath(directory)}")
    return cached_synonym_file(synsets, exceptions, progress)


def cached_synonym_file(
    synsets: str | os.PathLike[str], exceptions: Path | None = None, progress: Progress = silent
) -> SynonymIndex:
    """Return the index of a file of synsets and one of exceptions, whatever they are called; build it the first time.

    The files are plain or gzipped, as for :func:`build_synonym_index`.
    """
    key = f"synonyms-{_content(Path(synsets), exceptions)}"
    return cached_index(key, SynonymIndex, lambda to: build_synonym_index(synsets, exceptions, to, progress), progress)


def cached_index(
    key: str, opened: Callable[[Path], _Index], build: Callable[[Path], object], progress: Progress = silent
) -> _Index:
    """Return an index of the cache; build it if it is not there, or damaged.

    Args:
        key: what it is known by: its kind, and a digest of what it is built from.
        opened: maps it; :class:`ResourceError` if it is damaged.
        build: writes it to a path.
        progress: told when another process is waited for.

    Raises:
        ResourceError: if the cache cannot be written; and what ``build`` raises.
    """
    folder = cache_folder()
    target = folder / f"{key}-v{FORMAT_VERSION}.idx"
    index = _usable(target, opened)
    if index is not None:
        return index
    with locked(folder, "indexes", progress):
        index = _usable(target, opened)
        if index is None:
            with workplace(folder / "index") as work:
                built = work / target.name
                with os_errors_as(ResourceError, f"cannot write {target}"):
                    build(built)
                    built.replace(target)
            index = opened(target)
            _evict(folder, target)
    return index


def _usable(target: Path, opened: Callable[[Path], _Index]) -> _Index | None:
    """Open a cached index and note its use; None where there is none or it is damaged."""
    try:
        index = opened(target)
    except ResourceError:
        return None
    with contextlib.suppress(OSError):
        os.utime(target)
    return index


def _evict(folder: Path, keep: Path) -> None:
    """Delete the indexes that were used longest ago until the bound is kept; a mapped one stays mapped."""
    with contextlib.suppress(OSError):  # what cannot be deleted now is deleted later
        found = {path: path.stat() for path in folder.glob("*.idx")}
        total = sum(status.st_size for status in found.values())
        for path, status in sorted(found.items(), key=lambda item: item[1].st_mtime_ns):
            if total > MAX_CACHE and path != keep:
                path.unlink()
                total -= status.st_size


def _content(*paths: Path | None) -> str:
    """Return a key for the contents of files."""
    try:
        for path in paths:
            if path is not None:
                refuse_huge(path)
        hashes = [sha256_of(path) if path is not None else "none" for path in paths]
    except OSError as error:
        raise ResourceError(f"cannot read {error.filename}: {error.strerror}") from error
    return hashlib.sha256(" ".join(hashes).encode()).hexdigest()[:40]


def _plain_or_packed(directory: Path, name: str) -> Path | None:
    # What is there but cannot be read, such as a pipe or a dead link, must be an error, and not absent.
    return next((path for path in (directory / name, directory / f"{name}.gz") if os.path.lexists(path)), None)
