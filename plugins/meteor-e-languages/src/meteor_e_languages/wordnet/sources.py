"""Finds the files of WordNet in a folder that the user names, or by default in the folders of nltk and Debian."""

from __future__ import annotations

import functools
import hashlib
import os
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from meteor_e import ResourceError
from meteor_e.api import Language
from meteor_e.base.files import os_errors_as

DEBIAN = Path("/usr/share/wordnet")
"""The folder of Debian's package."""
DATA_FILES = tuple(f"{kind}.{part}" for part in ("noun", "verb", "adj", "adv") for kind in ("data", "index"))
"""The files that a folder of WordNet must contain."""
EXCEPTIONS = tuple(f"{part}.exc" for part in ("noun", "verb", "adj", "adv"))
"""The files of irregular forms."""
_PRINCETON_NAMES = ("wordnet31", "wordnet")
"""The names of Princeton WordNet in nltk's data folders."""
_MULTILINGUAL_NAMES = ("omw-1.4", "omw", "extended_omw")
"""The names of the Open Multilingual WordNet in nltk's data folders."""

CODES = {
    **{"ar": "arb", "bg": "bul", "ca": "cat", "cs": "ces", "cz": "ces", "da": "dan", "de": "deu", "el": "ell"},
    **{"en": "eng", "es": "spa", "eu": "eus", "fa": "fas", "fi": "fin", "fr": "fra", "gl": "glg", "he": "heb"},
    **{"hr": "hrv", "hu": "hun", "id": "ind", "is": "isl", "it": "ita", "ja": "jpn", "lt": "lit", "ms": "zsm"},
    **{"nb": "nob", "nl": "nld", "nn": "nno", "no": "nob", "pl": "pol", "pt": "por", "ro": "ron", "ru": "rus"},
    **{"sk": "slk", "sl": "slv", "sq": "als", "sv": "swe", "th": "tha", "tr": "tur", "zh": "cmn"},
}
"""ISO 639-1 codes, and the codes of the languages in the Open Multilingual WordNet."""


@dataclass(frozen=True)
class Princeton:
    """The files of Princeton WordNet, or of another dictionary in the same format.

    Attributes:
        root: the folder, or a zip file.
        inner: the folder in the zip file; an empty string if the root is a folder.
    """

    root: Path
    inner: str = ""

    def digest(self) -> str:
        """Return the SHA-256 digest of the zip file, or of all files of the dictionary."""
        digest = hashlib.sha256()
        with os_errors_as(ResourceError, f"cannot read {self.root}"):
            if self.inner:
                digest.update(self.root.read_bytes())
                return digest.hexdigest()
            for name in (*DATA_FILES, *EXCEPTIONS):
                path = self.root / name
                digest.update(f"{name}\n".encode())
                if path.is_file():
                    digest.update(path.read_bytes())
        return digest.hexdigest()

    def __str__(self) -> str:
        return str(self.root / self.inner) if self.inner else str(self.root)


@dataclass(frozen=True)
class Tab:
    """A file of the Open Multilingual WordNet.

    Attributes:
        path: the file, plain or compressed with gzip, or a zip file.
        inner: the path of the file in the zip file; an empty string if the path is not a zip file.
    """

    path: Path
    inner: str = ""

    @functools.cached_property
    def content(self) -> bytes:
        """The decompressed content of the file.

        Raises:
            ResourceError: if the file cannot be read.
        """
        import gzip
        import zlib

        try:
            if self.inner:
                with zipfile.ZipFile(self.path) as archive:
                    return archive.read(self.inner)
            content = self.path.read_bytes()
            is_compressed = content.startswith(b"\x1f\x8b")
            return gzip.decompress(content) if is_compressed else content
        except (OSError, EOFError, zlib.error, zipfile.BadZipFile) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise ResourceError(f"cannot read {self}: {reason}") from error

    def __str__(self) -> str:
        return f"{self.path}/{self.inner}" if self.inner else str(self.path)


def find_princeton(folder: Path | None) -> Princeton | None:
    """Find Princeton WordNet in a folder, or in the folders of nltk and Debian. Return None if it is not found.

    The folder either contains WordNet's files, such as ``data.noun``, or is a data folder of nltk that contains
    ``corpora/wordnet``.
    """
    folders = [folder] if folder is not None else [*nltk_folders(), DEBIAN]
    for data_folder in folders:
        princeton = _find_princeton_in(data_folder)
        if princeton is not None:
            return princeton
    return None


def _find_princeton_in(folder: Path) -> Princeton | None:
    """Find Princeton WordNet in a folder, including known subfolders and zip files. Return None if it is not found."""
    corpora = [folder / "corpora" / name for name in _PRINCETON_NAMES]
    subfolders = [folder / name for name in _PRINCETON_NAMES]
    for candidate in (folder, folder / "dict", *corpora, *subfolders):
        if all((candidate / name).is_file() for name in DATA_FILES):
            return Princeton(candidate)
    for parent in (folder / "corpora", folder):
        for name in _PRINCETON_NAMES:
            archive = parent / f"{name}.zip"
            if archive.is_file():
                return Princeton(archive, name)
    return None


def find_tab(folder: Path | None, language: Language) -> Tab | None:
    """Return the Open Multilingual WordNet file of a language, or ``None`` if the file is not found.

    The folder contains the files (such as ``wn-data-fra.tab`` or ``wn-wikt-fra.tab``, plain or compressed with gzip),
    possibly in a subfolder per wordnet, or it is a data folder of nltk. A wordnet of the language is preferred to a
    wordnet that was extracted from Wiktionary.
    """
    code = CODES.get(language.code, language.code)
    file_names = [f"wn-{kind}-{code}.tab" for kind in ("data", "wikt", "cldr")]
    folders = [folder] if folder is not None else nltk_folders()
    for data_folder in folders:
        for file_name in file_names:
            tab = _find_tab_file(data_folder, file_name) or _find_tab_in_archives(data_folder, file_name)
            if tab is not None:
                return tab
    return None


def _find_tab_file(folder: Path, file_name: str) -> Tab | None:
    """Search a folder and its usual subfolders for a file of the Open Multilingual WordNet."""
    corpora = [folder / "corpora" / name for name in _MULTILINGUAL_NAMES]
    subfolders = [folder / name for name in _MULTILINGUAL_NAMES]
    for root in (folder, *corpora, *subfolders):
        if not root.is_dir():
            continue
        for pattern in (file_name, f"{file_name}.gz", f"*/{file_name}", f"*/{file_name}.gz"):
            paths = sorted(root.glob(pattern))
            if paths:
                return Tab(paths[0])
    return None


def _find_tab_in_archives(folder: Path, file_name: str) -> Tab | None:
    """Search the zip archives in nltk's data folder for a file of the Open Multilingual WordNet."""
    for path, members in _list_archives(folder):
        for member in sorted(members):
            if member.rpartition("/")[2] == file_name:
                return Tab(path, member)
    return None


def _list_archives(folder: Path) -> Iterator[tuple[Path, list[str]]]:
    """Yield the zip files of the Open Multilingual WordNet in a folder, and the names of their members."""
    for parent in (folder / "corpora", folder):
        for name in _MULTILINGUAL_NAMES:
            path = parent / f"{name}.zip"
            if not path.is_file():
                continue
            try:
                with zipfile.ZipFile(path) as archive:
                    members = archive.namelist()
            except (OSError, zipfile.BadZipFile) as error:
                raise ResourceError(f"cannot read {path}: {error}") from error
            yield path, members


def nltk_folders() -> list[Path]:
    """Return the data folders that nltk searches by default, without importing nltk."""
    import sys

    setting = os.environ.get("NLTK_DATA", "")
    setting_folders = [Path(entry) for entry in setting.split(os.pathsep) if entry]
    home = Path("~").expanduser()
    home_folders = [home / "nltk_data"] if home != Path("~") else []
    prefix_folders = [Path(sys.prefix) / name for name in ("nltk_data", "share/nltk_data", "lib/nltk_data")]
    if sys.platform == "win32":
        roots = [os.environ.get("APPDATA", "C:\\"), "C:\\", "D:\\", "E:\\"]
    else:
        roots = ["/usr/share", "/usr/local/share", "/usr/lib", "/usr/local/lib"]
    system_folders = [Path(root) / "nltk_data" for root in roots]
    return [*setting_folders, *home_folders, *prefix_folders, *system_folders]


def how_to_get(name: str, folder: Path | None = None) -> str:
    """Return installation advice for an error message, including the folders that were searched.

    Args:
        name: ``WordNet``, or the name of another wordnet.
        folder: the folder that the user named.
    """
    if name == "WordNet":
        commands = "`python -m nltk.downloader wordnet` or `apt-get install wordnet-base` (Debian)"
        default_folders = f"{DEBIAN} and nltk's folders (NLTK_DATA)"
        options = "folder"
    else:
        commands = "`python -m nltk.downloader omw-1.4` or a .tab file of https://omwn.org"
        default_folders = "nltk's folders"
        options = "file or folder"
    locations = folder or default_folders
    return f"get it with {commands}; looked in {locations}; name data elsewhere with the matcher's option {options}"
