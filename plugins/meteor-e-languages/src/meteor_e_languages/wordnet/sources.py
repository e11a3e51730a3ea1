"""Where WordNet is: in a folder or file that the user names, in nltk's data folders, or as Debian installs it."""

from __future__ import annotations

import hashlib
import os
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from meteor_e import ResourceError
from meteor_e.api import Language
from meteor_e.base.files import os_errors_as

DEBIAN = Path("/usr/share/wordnet")
DATA_FILES = tuple(f"{kind}.{part}" for part in ("noun", "verb", "adj", "adv") for kind in ("data", "index"))
"""The files without which a folder is no WordNet."""
EXCEPTIONS = tuple(f"{part}.exc" for part in ("noun", "verb", "adj", "adv"))
_IN_NLTK = ("wordnet31", "wordnet")
_MULTILINGUAL = ("omw-1.4", "omw", "extended_omw")

CODES = {
    **{"ar": "arb", "bg": "bul", "ca": "cat", "cs": "ces", "cz": "ces", "da": "dan", "de": "deu", "el": "ell"},
    **{"en": "eng", "es": "spa", "eu": "eus", "fa": "fas", "fi": "fin", "fr": "fra", "gl": "glg", "he": "heb"},
    **{"hr": "hrv", "hu": "hun", "id": "ind", "is": "isl", "it": "ita", "ja": "jpn", "lt": "lit", "ms": "zsm"},
    **{"nb": "nob", "nl": "nld", "nn": "nno", "no": "nob", "pl": "pol", "pt": "por", "ro": "ron", "ru": "rus"},
    **{"sk": "slk", "sl": "slv", "sq": "als", "sv": "swe", "th": "tha", "tr": "tur", "zh": "cmn"},
}
"""ISO 639-1 codes, and what the Open Multilingual WordNet calls the languages."""


@dataclass(frozen=True)
class Princeton:
    """Princeton WordNet's files, or those of a dictionary in its format.

    Attributes:
        root: the folder, or a zip file.
        inner: the folder within the zip file.
    """

    root: Path
    inner: str = ""

    def digest(self) -> str:
        """Return the SHA-256 of all that counts."""
        digest = hashlib.sha256()
        with os_errors_as(ResourceError, f"cannot read {self.root}"):
            if self.inner:
                digest.update(self.root.read_bytes())
            else:
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
        path: the file, plain or gzipped, or a zip file.
        inner: its path within the zip file.
    """

    path: Path
    inner: str = ""

    def read(self) -> bytes:
        """Return the file's content, unpacked.

        Raises:
            ResourceError: if it cannot be read.
        """
        import gzip
        import zlib

        try:
            if self.inner:
                with zipfile.ZipFile(self.path) as archive:
                    return archive.read(self.inner)
            content = self.path.read_bytes()
            return gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content
        except (OSError, EOFError, zlib.error, zipfile.BadZipFile) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise ResourceError(f"cannot read {self}: {reason}") from error

    def __str__(self) -> str:
        return f"{self.path}/{self.inner}" if self.inner else str(self.path)


def find_princeton(folder: Path | None) -> Princeton | None:
    """Return WordNet in a folder, or wherever it is installed; ``None`` if it is nowhere.

    The folder may be WordNet's own (with ``data.noun``), or one of nltk's (with ``corpora/wordnet``).
    """
    for place in [folder] if folder is not None else [*nltk_folders(), DEBIAN]:
        for found in _princeton_in(place):
            return found
    return None


def _princeton_in(folder: Path) -> Iterator[Princeton]:
    candidates = [folder, folder / "dict", *(folder / "corpora" / name for name in _IN_NLTK)]
    candidates += [folder / name for name in _IN_NLTK]
    for place in candidates:
        if all((place / name).is_file() for name in DATA_FILES):
            yield Princeton(place)
    for place in (folder / "corpora", folder):
        for name in _IN_NLTK:
            archive = place / f"{name}.zip"
            if archive.is_file():
                yield Princeton(archive, name)


def find_tabs(folder: Path | None, language: Language) -> Tab | None:
    """Return the file of a language of the Open Multilingual WordNet, ``None`` if there is none.

    The folder may hold the files itself (``wn-data-fra.tab``, ``wn-wikt-fra.tab``, plain or gzipped), in folders of
    their wordnets, or be one of nltk's. A language's own wordnet comes before one made from Wiktionary.
    """
    code = CODES.get(language.code, language.code)
    names = [f"wn-{kind}-{code}.tab" for kind in ("data", "wikt", "cldr")]
    for place in [folder] if folder is not None else nltk_folders():
        roots = [
            place,
            *(place / "corpora" / name for name in _MULTILINGUAL),
            *(place / name for name in _MULTILINGUAL),
        ]
        for name in names:
            for root in roots:
                for pattern in (name, f"{name}.gz", f"*/{name}", f"*/{name}.gz"):
                    for path in sorted(root.glob(pattern)) if root.is_dir() else ():
                        return Tab(path)
            for archive in _archives(place):
                for inner in sorted(archive.names):
                    if inner.rpartition("/")[2] == name:
                        return Tab(archive.path, inner)
    return None


@dataclass(frozen=True)
class _Archive:
    path: Path
    names: Sequence[str]


def _archives(folder: Path) -> Iterator[_Archive]:
    for place in (folder / "corpora", folder):
        for name in _MULTILINGUAL:
            path = place / f"{name}.zip"
            if path.is_file():
                try:
                    with zipfile.ZipFile(path) as archive:
                        yield _Archive(path, archive.namelist())
                except (OSError, zipfile.BadZipFile) as error:
                    raise ResourceError(f"cannot read {path}: {error}") from error


def nltk_folders() -> list[Path]:
    """Return nltk's data folders: those that its documentation names, without an import of nltk."""
    import sys

    named = [entry for entry in os.environ.get("NLTK_DATA", "").split(os.pathsep) if entry]
    if sys.platform == "win32":
        roots = [os.environ.get("APPDATA", "C:\\"), "C:\\", "D:\\", "E:\\"]
        places = [Path(root) / "nltk_data" for root in roots]
    else:
        parts = ("share", "local/share", "lib", "local/lib")
        places = [Path("/usr") / part / "nltk_data" for part in parts]
    home = [Path("~/nltk_data").expanduser()] if Path("~").expanduser() != Path("~") else []
    inside = [Path(sys.prefix) / part for part in ("nltk_data", "share/nltk_data", "lib/nltk_data")]
    return [*map(Path, named), *home, *inside, *places]


def how_to_get(what: str, folder: Path | None = None) -> str:
    """Return the end of an error message: how the data can be had, and where they were looked for."""
    if what == "WordNet":
        ways = ["`python -m nltk.downloader wordnet`", "`apt-get install wordnet-base` (Debian)"]
    else:
        ways = ["`python -m nltk.downloader omw-1.4`", "a .tab file of https://omwn.org"]
    if folder is not None:
        places = str(folder)
    else:
        places = f"{DEBIAN} and nltk's folders (NLTK_DATA)" if what == "WordNet" else "nltk's folders"
    return (
        f"get it with {' or '.join(ways)}; looked in {places}; data elsewhere are named by the matcher's option "
        f"{'folder' if what == 'WordNet' else 'file or folder'}"
    )
