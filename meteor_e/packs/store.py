"""Where packs are installed."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from meteor_e.api.context import MatcherContext
from meteor_e.api.languages import ISO_CODES, Language
from meteor_e.base.errors import ResourceError, near_miss
from meteor_e.base.files import data_folder, locked, os_errors_as, workplace
from meteor_e.base.offline import is_offline
from meteor_e.base.progress import Progress, silent, terminal_progress
from meteor_e.base.yamlfile import is_path
from meteor_e.packs.pack import FILE_NAME, LANGUAGES, Pack, check_name, how_to_install, is_installable
from meteor_e.packs.resources import LanguageResources

_PATIENCE = 0.05
"""Seconds."""


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
        tarball, or its jar with ``data`` beside it, by path or URL; by default pip downloads the wheel.
        ``offline`` forbids any download. Several processes may install at once: one builds, the others wait.
        Interrupted, it leaves the store as it was. Raises :class:`ResourceError`.
        """
        # What downloads and builds is heavy, and a process that scores never needs it.
        from meteor_e.packs import download
        from meteor_e.packs.build import pack_place
        from meteor_e.packs.meteor_data import ingredients, open_meteor

        code = ISO_CODES.get(language, language)
        if code not in LANGUAGES:
            raise ResourceError(
                f"METEOR has no data for the language {language!r}{near_miss(language, LANGUAGES)}; "
                f"it has for {', '.join(LANGUAGES)}. A language without data needs no pack; "
                "`meteor-e pack build` makes one from bitext"
            )
        path = download.local_path(os.fspath(source)) if source is not None else None
        otherwise = download.OTHERWISE.format(language=code)
        if offline and path is None:
            raise ResourceError(
                f"offline, so the pack {code!r} is not downloaded; when online, run `meteor-e pack install {code}`; "
                f"offline, {otherwise}"
            )
        if path is not None and not path.exists():
            raise ResourceError(f"there is no {path} to install the pack {code!r} from")
        target = self.root / code
        before = _identity(target)
        with pack_place(target, code, progress) as place:
            if source is None and _identity(target) != before:
                # Another process installed it while this one waited.
                return Pack(target)
            if source is None:
                path = download.download_wheel(download.METEOR_WHEEL, place.scratch, progress, otherwise)
            elif path is None:
                path = download.download_url(os.fspath(source), place.scratch, progress)
            with open_meteor(path) as data, ingredients(data, code) as parts:
                return place.build(parts, code, data.sources, version=data.version)

    def names(self) -> list[str]:
        """Return the names of the installed packs, damaged ones included, sorted."""
        with os_errors_as(ResourceError, f"cannot read {self.root}"):
            there = self.root.iterdir() if self.root.is_dir() else ()
            return sorted(path.name for path in there if path.name[0] != "." and path.is_dir())

    def find(self, name: str) -> Pack | None:
        """Return the pack of this name (or METEOR's language code), None if it is not installed.

        Raises :class:`ResourceError` if it is there and damaged.
        """
        folder = self.root / check_name(ISO_CODES.get(name, name))
        if not folder.is_dir():
            return None
        try:
            found = Pack(folder)
        except ResourceError:
            time.sleep(_PATIENCE)  # another process may be putting a new pack in its place
            found = Pack(folder)
        if found.name != folder.name:
            advice = how_to_install(folder.name, again=True)
            raise ResourceError(f"pack {folder.name!r} in {folder} is that of a pack {found.name!r}; {advice}")
        return found

    def get(self, name: str) -> Pack:
        """Return the pack of this name; :class:`ResourceError` says how to install a missing one."""
        pack = self.find(name)
        if pack is None:
            raise ResourceError(f"the resource pack {name!r} is not installed in {self.root}; {how_to_install(name)}")
        return pack

    def remove(self, name: str) -> None:
        """Remove a pack, damaged or not; :class:`ResourceError` if it is not installed."""
        target = self.root / check_name(ISO_CODES.get(name, name))
        if not target.is_dir():
            raise ResourceError(f"the resource pack {target.name!r} is not installed in {self.root}")
        what = f"cannot remove {target}"
        with locked(self.root, target.name), os_errors_as(ResourceError, what), workplace(target) as work:
            if target.is_dir():
                target.rename(work / "removed")


def find_resources(
    language: Language, pack: str | None, function_words: str | None, offline: bool | None = None
) -> LanguageResources:
    """Return the resources of packs, which are installed if they are missing.

    Args:
        language: that they are for.
        pack: name or folder of the pack; ``None`` for none.
        function_words: the pack whose function words take the place of the pack's own.
        offline: never download a pack; ``None`` for the user's setting.
    """
    found = None if pack is None else find_pack(pack, offline)
    if found is not None and pack != language.pack:
        # A pack that the language itself names is what its author means.
        MatcherContext(language, found).check_language([found.language], f"the pack {pack!r} is", claimed=True)
    if found is not None and function_words is None:
        return found
    if function_words is None:
        return LanguageResources()
    words = find_pack(function_words, offline)
    origin = f"function-words-of-{words.name}@{words.digest}"
    return (found or LanguageResources()).replaced(origin, function_words=words.function_words)


def find_pack(name: str, offline: bool | None = None) -> Pack:
    """Return a pack by its name, or by its folder: a path with a slash in it; one of METEOR's is installed if missing.

    Args:
        name: of the pack.
        offline: never download a pack; ``None`` for the user's setting.

    Raises:
        ResourceError: if it is not there, or damaged; it says how to install one of METEOR's.
    """
    store = PackStore()
    found = Pack(name) if is_path(name) else store.find(name)
    if found is not None:
        return found
    if not is_installable(name):
        return store.get(name)
    offline = is_offline() if offline is None else offline
    if not offline:
        print(f"meteor_e: resource pack {name!r} is not installed; installing it (99 MiB to download)", file=sys.stderr)
    with terminal_progress() as progress:
        return store.install(name, offline=offline, progress=progress)


def _identity(target: Path) -> tuple[int, int] | None:
    """Return what changes whenever a pack is put in place."""
    try:
        status = (target / FILE_NAME).stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns
