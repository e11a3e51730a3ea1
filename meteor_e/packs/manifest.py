"""What a pack says about itself: ``manifest.json``."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from meteor_e.base.errors import ResourceError
from meteor_e.base.files import os_errors_as, read_regular, sha256_of

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

_MAX_SIZE = 1 << 20
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
_SHA256 = re.compile(r"[0-9a-f]{64}")


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
    """Origin and contents of a pack."""

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

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits over the data files: equal digests, equal scores."""
        digest = hashlib.sha256()
        for name in DATA_FILES:
            if name in self.files:
                digest.update(f"{name} {self.files[name].sha256}\n".encode())
        return digest.hexdigest()[:12]

    def to_json(self) -> str:
        """Return the file's text."""
        return json.dumps(asdict(self), ensure_ascii=False, indent=2) + "\n"

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """Read a pack's manifest; :class:`ResourceError` says what is wrong with it."""
        path = folder / FILE_NAME
        with os_errors_as(ResourceError, f"cannot read {path}"):
            data = read_regular(path, _MAX_SIZE)
        try:
            found = json.loads(data)
            json.dumps(found, ensure_ascii=False).encode()  # refuses halves of characters, which cannot be printed
            return _manifest(found)
        except (ValueError, RecursionError) as error:
            raise ResourceError(f"{path} is damaged: {error}") from None


def check_name(name: str) -> str:
    """Return a name that is fit for a pack, that is for a folder; ResourceError for another one."""
    if not _NAME.fullmatch(name):
        raise ResourceError(f"{name!r} is no name for a pack: use letters, digits, '-', '_' and '.'")
    return name


def _manifest(data: object) -> Manifest:
    """Check everything: the file may come from anywhere. ValueError says what is wrong."""
    if not isinstance(data, dict):
        raise ValueError("it is no JSON object")
    if data.get("format") != FORMAT_VERSION:
        raise ValueError(f"its format is {data.get('format')!r}; this release reads format {FORMAT_VERSION}")
    texts = {key: _item(data, key, str) for key in ("name", "language", "version", "licence", "built_with")}
    if not _NAME.fullmatch(texts["name"]):
        raise ValueError("its 'name' is no name for a pack")
    contents = _item(data, "contents", dict)
    for key in contents:
        _item(contents, key, int)
    return Manifest(
        **texts,
        sources=tuple(SourceFile(_item(s, "name", str), _hash(s)) for s in _item(data, "sources", list)),
        contents=contents,
        files={
            _file_name(name): PackFile(_item(file, "size", int), _hash(file))
            for name, file in _item(data, "files", dict).items()
        },
    )


def _item(data: object, key: str, kind: type) -> Any:
    if not isinstance(data, dict) or type(data.get(key)) is not kind:
        raise ValueError(f"its {key!r} is missing or of the wrong type")
    return data[key]


def _hash(data: object) -> str:
    text = _item(data, "sha256", str)
    if not _SHA256.fullmatch(text):
        raise ValueError("a 'sha256' in it is no SHA-256")
    return str(text)


def _file_name(name: str) -> str:
    if not _NAME.fullmatch(name) or name == FILE_NAME:
        raise ValueError(f"{name!r} is no name for a file of a pack")
    return name
