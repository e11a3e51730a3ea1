"""Compute a digest of code that is installed in editable mode, because edits do not change its version number.

With the digest, cached results are not used again after the code has been edited. Released distributions do not need a
digest, because their version is part of each metric's signature.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterator
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

_ENTRY_POINT_GROUP = "meteor_e"
_MAX_HASHED_SIZE = 1 << 20
"""The maximum size in bytes of files whose content is hashed."""
_IGNORED_SUFFIXES = frozenset({".pyc", ".pyo"})


@functools.lru_cache(maxsize=1)
def editable_code_digest() -> str:
    """Return a digest of the files of all editable installations of meteor_e and its plugins.

    The digest is an empty string if there are no editable installations. It is computed once per process, because
    later edits do not affect code that is already imported.
    """
    packages = sorted(set(_editable_packages()))
    if not packages:
        return ""
    digest = hashlib.sha256()
    for package in packages:
        for folder in _package_folders(package):
            _add_folder(digest, package, folder)
    return digest.hexdigest()


def _editable_packages() -> Iterator[str]:
    """Yield the import names of the packages that are installed in editable mode."""
    if _is_editable(_find_distribution("meteor_e")):
        yield "meteor_e"
    for entry_point in metadata.entry_points(group=_ENTRY_POINT_GROUP):
        if _is_editable(entry_point.dist):
            yield entry_point.module.partition(".")[0]


def _find_distribution(name: str) -> metadata.Distribution | None:
    """Return a distribution by its name, or ``None`` if it is not installed."""
    try:
        return metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return None


def _is_editable(distribution: metadata.Distribution | None) -> bool:
    """Return whether a distribution was installed with ``pip install --editable`` (PEP 610)."""
    text = distribution.read_text("direct_url.json") if distribution is not None else None
    if text is None:
        return False
    try:
        return bool(json.loads(text)["dir_info"]["editable"])
    except (ValueError, KeyError, TypeError):
        return False


def _package_folders(package: str) -> list[Path]:
    """Return the folders of a package. For a module that is not a package, return its file."""
    spec = find_spec(package)
    if spec is None:
        return []
    if spec.submodule_search_locations is not None:
        return sorted(Path(location) for location in spec.submodule_search_locations)
    return [Path(spec.origin)] if spec.origin is not None else []


def _add_folder(digest: hashlib._Hash, package: str, folder: Path) -> None:
    """Add all files of a folder to a digest. Large files are identified by their size and modification time."""
    files = sorted(folder.rglob("*")) if folder.is_dir() else [folder]
    for file in files:
        if file.suffix in _IGNORED_SUFFIXES or not file.is_file():
            continue
        status = file.stat()
        name = file.relative_to(folder).as_posix()
        if status.st_size <= _MAX_HASHED_SIZE:
            content = hashlib.sha256(file.read_bytes()).hexdigest()
        else:
            content = f"{status.st_size} {status.st_mtime_ns}"
        digest.update(f"{package}/{name}\0{content}\0".encode("utf-8", "surrogateescape"))
