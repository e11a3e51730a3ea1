"""An installed resource pack: its manifest, its word lists, and the indexes that it opens."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TypeVar

from meteor_e.api.languages import ISO_CODES, NonbreakingPrefixes
from meteor_e.base.errors import ResourceError
from meteor_e.base.files import decode_utf8, os_errors_as, read_regular, sha256_of, whole_file
from meteor_e.packs.indexes import ParaphraseIndex, SynonymIndex
from meteor_e.packs.resources import LanguageResources

FORMAT_VERSION = 1
FILE_NAME = "manifest.json"
FUNCTION_WORDS = "function.words"
PREFIXES = "nonbreaking.prefixes"
SYNONYMS = "synonyms.idx"
PARAPHRASES = "paraphrases.idx"
TABLE_FILE = "paraphrase.gz"
"""A pack's table in METEOR's own format, where the pack has it, with the probabilities that its index lacks."""
LANGUAGE_FILE = "language.yaml"
"""The language's definition, in packs made of bitext."""
DATA_FILES = (FUNCTION_WORDS, PREFIXES, SYNONYMS, PARAPHRASES)
"""The files that decide on scores."""
CONTENTS = ("function_words", "prefixes", "synonyms", "paraphrases")
"""What a manifest counts."""
CHECKED = ".checked.json"
"""Size and modification time of each file when its hash was last known to be right."""

LANGUAGES = {"cs": "czech", "de": "german", "en": "english", "es": "spanish", "fr": "french", "ru": "russian"}
"""The languages that METEOR has data for, and what it calls their word lists."""

MAX_LIST = 64 << 20
"""Bytes that a word list may hold."""
_MAX_MANIFEST = 1 << 20
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_NUMERIC = re.compile(r"(.*?)\s+#NUMERIC_ONLY#")

_T = TypeVar("_T")


@dataclass(frozen=True)
class SourceFile:
    """A file that a pack was built from."""

    name: str
    sha256: str

    @classmethod
    def of(cls, path: Path) -> SourceFile:
        """Return a file's name and SHA-256; OSError as it comes."""
        return cls(path.name, sha256_of(path))


@dataclass(frozen=True)
class PackFile:
    """A file of a pack."""

    size: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """Origin and contents of a pack: what it says about itself in ``manifest.json``."""

    name: str
    language: str
    """ISO code."""
    version: str
    """Of the data, as its origin counts it."""
    sources: tuple[SourceFile, ...]
    licence: str
    built_with: str = ""
    """Name and version of the program that built the indexes."""
    contents: dict[str, int] = field(default_factory=dict)
    """How many function words, prefixes, synonyms (words with synsets) and paraphrases (entries) there are.

    What the pack has no file for is left out.
    """
    files: dict[str, PackFile] = field(default_factory=dict)
    format: int = FORMAT_VERSION

    def to_json(self) -> str:
        """Return the file's text."""
        return json.dumps(asdict(self), ensure_ascii=False, indent=2) + "\n"

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """Read a pack's manifest, which may come from anywhere; :class:`ResourceError` says what is wrong with it."""
        path = folder / FILE_NAME
        with os_errors_as(ResourceError, f"cannot read {path}"):
            content = read_regular(path, _MAX_MANIFEST)
        try:
            data = json.loads(content)
            json.dumps(data, ensure_ascii=False).encode()  # refuses halves of characters, which cannot be printed
            if data["format"] != FORMAT_VERSION:
                raise ValueError(f"its format is {data['format']!r}; this release reads format {FORMAT_VERSION}")
            texts = {key: data[key] for key in ("name", "language", "version", "licence", "built_with")}
            sources = tuple(SourceFile(**source) for source in data["sources"])
            files = {name: PackFile(**file) for name, file in data["files"].items()}
            manifest = cls(**texts, sources=sources, contents=data["contents"], files=files)
            if not all(isinstance(text, str) for text in [*texts.values(), *(source.name for source in sources)]):
                raise TypeError("a text in it is of another type")
            if not all(
                type(number) is int for number in [*manifest.contents.values(), *(f.size for f in files.values())]
            ):
                raise TypeError("a number in it is of another type")
            hashes = [*(source.sha256 for source in sources), *(file.sha256 for file in files.values())]
            if not all(map(_SHA256.fullmatch, hashes)):
                raise ValueError("a 'sha256' in it is not a SHA-256")
            for name in (manifest.name, *files):
                if not _NAME.fullmatch(name) or name == FILE_NAME:
                    raise ValueError(f"{name!r} is not a name for a pack or a file of one")
        except KeyError as error:
            raise ResourceError(f"{path} is damaged: its {error} is missing") from None
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise ResourceError(f"{path} is damaged: {error}") from None
        return manifest


def check_name(name: str) -> str:
    """Return a name that is fit for a pack, that is for a folder; ResourceError for another one."""
    if not _NAME.fullmatch(name):
        raise ResourceError(f"{name!r} is not a name for a pack: use letters, digits, '-', '_' and '.'")
    return name


def is_installable(name: str) -> bool:
    """Return whether a pack is one of METEOR's, which can be downloaded."""
    return ISO_CODES.get(name, name) in LANGUAGES


def how_to_install(name: str, *, again: bool = False) -> str:
    """Return the end of a message on a pack that is missing, or damaged (``again``): what to do."""
    if is_installable(name):
        return f"install it{' again' if again else ''} with `meteor-e pack install {name}`"
    if again:
        return "build it again (`meteor-e pack build`, or `build_pack`), or take it from where it came from"
    return "it is none of METEOR's; `meteor-e pack build` makes packs from bitext, `build_pack` from files of your own"


def read_list(path: str | os.PathLike[str], parse: Callable[[str], _T]) -> _T:
    """Return what is in a word list: small text files, read whole; :class:`ResourceError` if it cannot be read."""
    with os_errors_as(ResourceError, f"cannot read the word list {os.fspath(path)}"):
        return parse(decode_utf8(read_regular(path, MAX_LIST), os.fspath(path)))


def parse_function_words(text: str) -> frozenset[str]:
    """Return the words of a list that has one a line. Spaces belong to the word, as in the Java program."""
    return frozenset(word for word in re.split(r"\r\n|\n|\r", text) if word)


def parse_prefixes(text: str) -> NonbreakingPrefixes:
    """Return the prefixes of a list in METEOR's (and Moses') format.

    One a line; ``#`` begins a comment line. ``PREFIX #NUMERIC_ONLY#`` is a prefix only before digits.
    """
    prefixes = [line.strip() for line in re.split(r"[\r\n]", text)]
    marked = {prefix: _NUMERIC.match(prefix) for prefix in prefixes if prefix and not prefix.startswith("#")}
    return NonbreakingPrefixes(
        frozenset(prefix for prefix, match in marked.items() if not match),
        frozenset(match[1] for match in marked.values() if match),
    )


_PARTS: dict[str, tuple[str, Callable[[Path], object]]] = {
    FUNCTION_WORDS: ("function_words", functools.partial(read_list, parse=parse_function_words)),
    PREFIXES: ("nonbreaking_prefixes", functools.partial(read_list, parse=parse_prefixes)),
    SYNONYMS: ("synonyms", SynonymIndex),
    PARAPHRASES: ("paraphrases", ParaphraseIndex),
}
"""What each data file gives, and what reads it."""


class Pack(LanguageResources):
    """The resources of a language in a folder: the manifest is read, the files are checked, and the indexes mapped.

    A file's size is always checked, and its hash when the file has changed since the hash was last checked. Packs
    pickle by path and may be shared by threads.

    Args:
        path: the folder.

    Raises:
        ResourceError: if it has no manifest, or if something of it is damaged.

    Attributes:
        path: the folder.
        manifest: what the pack says about itself.
        name: by which it is installed.
        language: ISO code of its language.
        version: of its data.
        digest: twelve hexadecimal digits over the data files, for signatures: equal digests, equal scores.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path).absolute()
        try:
            self.manifest = manifest = Manifest.read(self.path)
            there = [name for name in DATA_FILES if name in manifest.files]
            for problem in self._problems(there, trust=True):
                raise ResourceError(problem)
            for name in there:
                part, read = _PARTS[name]
                setattr(self, part, read(self.path / name))
        except ResourceError as error:
            name = self.path.name
            advice = how_to_install(name, again=True)
            raise ResourceError(f"pack {name!r} in {self.path} is damaged: {error}; {advice}") from error
        self.name, self.language, self.version = manifest.name, manifest.language, manifest.version
        hashes = "".join(f"{name} {manifest.files[name].sha256}\n" for name in there)
        self.digest = hashlib.sha256(hashes.encode()).hexdigest()[:12]
        self.description = f"{self.name}@{self.digest}"

    @property
    def summary(self) -> str:
        """How many function words, prefixes, synonyms and paraphrases it holds, in words."""
        counts = {key: self.manifest.contents.get(key) for key in CONTENTS}
        return ", ".join(
            f"{'no' if count is None else f'{count:,}'} {key.replace('_', ' ')}" for key, count in counts.items()
        )

    def verify(self) -> list[str]:
        """Hash every file anew; return what is wrong, an empty list if nothing is."""
        return self._problems(self.manifest.files, trust=False)

    def _problems(self, names: Iterable[str], trust: bool) -> list[str]:
        """Return what is wrong with files; with ``trust``, those that have not changed are not hashed again."""
        checked: dict[str, object] = {}
        with contextlib.suppress(OSError, ValueError, TypeError, RecursionError):
            checked = dict(json.loads((self.path / CHECKED).read_bytes()))
        known, problems = dict(checked), []
        for name in names:
            expected = self.manifest.files[name]
            try:
                status = (self.path / name).stat()
                stamp = f"{status.st_size} {status.st_mtime_ns}"
                # Archives and container images keep whole seconds only.
                end = -9 if stamp.endswith("0" * 9) else None
                if status.st_size != expected.size:
                    problems.append(f"{name} holds {status.st_size} bytes and should hold {expected.size}")
                elif not (trust and str(known.get(name))[:end] == stamp[:end]):
                    if sha256_of(self.path / name) == expected.sha256:
                        checked[name] = stamp
                    else:
                        problems.append(f"the SHA-256 of {name} is not the manifest's")
            except OSError as error:
                problems.append(f"{name} cannot be read: {error.strerror}")
        if checked != known:
            # A pack that cannot be written to is hashed again next time.
            with contextlib.suppress(OSError), whole_file(self.path / CHECKED) as scratch:
                scratch.write_text(json.dumps(checked) + "\n", encoding="utf-8")
        return problems

    def __repr__(self) -> str:
        return f"Pack({self.name!r}, digest={self.digest!r}, path={str(self.path)!r})"

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return Pack, (self.path,)
