"""Resource packs as archives, to be sent to machines that lack them."""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import Path

from meteor_e.api import ResourceError
from meteor_e.base.files import os_errors_as
from meteor_e.base.folders import locked, put_folder, workplace
from meteor_e.packs.manifest import FILE_NAME, Manifest
from meteor_e.packs.pack import Pack
from meteor_e_tables.portable import PackNeeded, shipped_folder

_MAX_MANIFEST = 1 << 20
_PIECE = 1 << 20
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, KeyError, NotImplementedError, RuntimeError, ValueError)


def pack_archive(pack: Pack) -> bytes:
    """Return a pack's files as a ZIP archive.

    Raises:
        ResourceError: if the pack is damaged.
    """
    pack.check()
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as out:
        for name in (FILE_NAME, *sorted(pack.manifest.files)):
            with os_errors_as(ResourceError, f"cannot read {pack.path / name}"):
                out.write(pack.path / name, name)
    return archive.getvalue()


def install_archive(needed: PackNeeded, archive: bytes) -> Path:
    """Unpack a pack into the cache of this machine, whole or not at all; return its folder.

    The archive decides on nothing: only the files that the manifest names are read, by these names (which can hold
    no slash), up to the sizes there, and their hashes must be the manifest's. Several processes may do it at once:
    one works, the others wait.

    Args:
        needed: the pack that it should be.
        archive: as :func:`pack_archive` makes it.

    Raises:
        ResourceError: if the archive holds anything else, or cannot be written.
    """
    target = shipped_folder(needed)
    with locked(target.parent, target.name):
        if _is_whole(target, needed):
            return target
        with workplace(target) as work:
            built = work / "pack"
            built.mkdir()
            try:
                with zipfile.ZipFile(io.BytesIO(archive)) as files:
                    _take(files, FILE_NAME, built, _MAX_MANIFEST)
                    manifest = Manifest.read(built)
                    for name, file in manifest.files.items():
                        _take(files, name, built, file.size)
            except _BROKEN as error:
                raise ResourceError(f"the archive of pack {needed.name!r} is damaged: {error}") from error
            except OSError as error:
                raise ResourceError(f"cannot write {target}: {error.strerror or error}") from error
            problems = Pack.open(built).verify()
            if problems or (manifest.name, manifest.digest) != (needed.name, needed.digest):
                what = problems[0] if problems else f"it holds {manifest.name!r} with digest {manifest.digest}"
                raise ResourceError(f"the archive of pack {needed.name!r} is damaged: {what}")
            put_folder(built, target)
    return target


def _is_whole(target: Path, needed: PackNeeded) -> bool:
    try:
        pack = Pack.open(target)
        pack.check()
    except ResourceError:
        return False
    return pack.digest == needed.digest


def _take(archive: zipfile.ZipFile, name: str, folder: Path, limit: int) -> None:
    """Write one file of an archive, by a name that was checked; no more than a limit of it."""
    left = limit
    with archive.open(name) as stream, (folder / name).open("xb") as out:
        while piece := stream.read(min(_PIECE, left + 1)):
            left -= len(piece)
            if left < 0:
                raise ValueError(f"{name} is larger than {limit} bytes")
            out.write(piece)
