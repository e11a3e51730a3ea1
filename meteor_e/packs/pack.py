"""An installed resource pack with its manifest, its word lists and its indexes."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from meteor_e.api.languages import ISO_CODES, NonbreakingPrefixes
from meteor_e.base.atomic import atomic_file
from meteor_e.base.errors import ResourceError
from meteor_e.base.files import decode_utf8, os_errors_as, read_regular, sha256_of
from meteor_e.packs.indexes import ParaphraseIndex, SynonymIndex
from meteor_e.packs.resources import LanguageResources

FORMAT_VERSION = 1
FILE_NAME = "manifest.json"
FUNCTION_WORDS = "function.words"
PREFIXES = "nonbreaking.prefixes"
SYNONYMS = "synonyms.idx"
PARAPHRASES = "paraphrases.idx"
TABLE_FILE = "paraphrase.gz"
"""The name of the optional paraphrase table. It contains the probabilities, which the index omits."""
LANGUAGE_FILE = "language.yaml"
"""The name of the language definition, which is part of packs that were built from bitext."""
DATA_FILES = (FUNCTION_WORDS, PREFIXES, SYNONYMS, PARAPHRASES)
"""The files that determine scores."""
CONTENTS = ("function_words", "prefixes", "synonyms", "paraphrases")
"""The contents that a manifest counts."""
CHECKED = ".checked.json"
"""The file that stores the size and modification time of each file at the last check of its hash."""

LANGUAGES = {"cs": "czech", "de": "german", "en": "english", "es": "spanish", "fr": "french", "ru": "russian"}
"""The codes of the languages that METEOR has data for, and the names of their word lists."""

MAX_LIST = 64 << 20
"""The maximum size of a word list in bytes."""
_MAX_MANIFEST = 1 << 20
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_NUMERIC = re.compile(r"(.*?)\s+#NUMERIC_ONLY#")


@dataclass(frozen=True)
class SourceFile:
    """A file that a pack was built from."""

    name: str
    sha256: str

    @classmethod
    def from_path(cls, path: Path) -> SourceFile:
        """Return the name and SHA-256 of a file.

        Raises:
            OSError: if the file cannot be read.
        """
        return cls(path.name, sha256_of(path))


@dataclass(frozen=True)
class PackFile:
    """A file of a pack."""

    size: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """The content of ``manifest.json``, which describes the origin and the files of a pack."""

    name: str
    language: str
    """The ISO code of the language."""
    version: str
    """The version of the data, as its publisher states it."""
    sources: tuple[SourceFile, ...]
    licence: str
    built_with: str = ""
    """The name and version of the program that built the indexes."""
    contents: dict[str, int] = field(default_factory=dict)
    """The numbers of function words, prefixes, synonyms (words with synsets) and paraphrases (entries).

    Resources that the pack does not contain are omitted.
    """
    files: dict[str, PackFile] = field(default_factory=dict)
    format: int = FORMAT_VERSION

    def to_json(self) -> str:
        """Return the manifest as a JSON string."""
        return json.dumps(asdict(self), ensure_ascii=False, indent=2) + "\n"

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """Read and validate the manifest of a pack.

        Raises:
            ResourceError: if the manifest cannot be read or is invalid.
        """
        path = folder / FILE_NAME
        with os_errors_as(ResourceError, f"cannot read {path}"):
            content = read_regular(path, _MAX_MANIFEST)
        try:
            return cls._parse(content)
        except KeyError as error:
            raise ResourceError(f"{path} is damaged: the key {error} is missing") from None
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise ResourceError(f"{path} is damaged: {error}") from None

    @classmethod
    def _parse(cls, content: bytes) -> Manifest:
        """Parse the JSON manifest of a resource pack. Different mistakes raise different exceptions."""
        data = json.loads(content)
        json.dumps(data, ensure_ascii=False).encode()  # This raises an error for surrogates, which cannot be printed.
        if data["format"] != FORMAT_VERSION:
            raise ValueError(f"its format is {data['format']!r}; this release reads format {FORMAT_VERSION}")
        manifest = cls(
            name=data["name"],
            language=data["language"],
            version=data["version"],
            sources=tuple(SourceFile(**source) for source in data["sources"]),
            licence=data["licence"],
            built_with=data["built_with"],
            contents=data["contents"],
            files={name: PackFile(**file) for name, file in data["files"].items()},
        )
        manifest._check_types()
        manifest._check_values()
        return manifest

    def _check_types(self) -> None:
        """Raise TypeError if a value does not have the type that the manifest requires."""
        for key in ("name", "language", "version", "licence", "built_with"):
            _check_type(key, getattr(self, key), str)
        for key, count in self.contents.items():
            _check_type(key, count, int)
        for source in self.sources:
            _check_type("name", source.name, str)
        for file in self.files.values():
            _check_type("size", file.size, int)

    def _check_values(self) -> None:
        """Raise ValueError if a hash, the name of the pack, or the name of a file is invalid."""
        hashes = [source.sha256 for source in self.sources] + [file.sha256 for file in self.files.values()]
        if not all(map(_SHA256.fullmatch, hashes)):
            raise ValueError("a value of 'sha256' is not a SHA-256")
        for name in (self.name, *self.files):
            # The manifest does not list itself, because it cannot contain its own hash.
            if not _NAME.fullmatch(name) or name == FILE_NAME:
                raise ValueError(f"{name!r} is not a name for a pack or for a file of a pack")

    @property
    def data_files(self) -> list[str]:
        """The names of the files that determine scores."""
        return [name for name in DATA_FILES if name in self.files]

    def compute_digest(self) -> str:
        """Return a digest of the data files as twelve hexadecimal digits."""
        lines = [f"{name} {self.files[name].sha256}\n" for name in self.data_files]
        return hashlib.sha256("".join(lines).encode()).hexdigest()[:12]


def _check_type(key: str, value: object, expected_type: type) -> None:
    """Raise TypeError if a value does not have the expected type. True and False are not accepted as integers."""
    if type(value) is not expected_type:
        raise TypeError(f"the value of {key!r} has the type {type(value).__name__}, not {expected_type.__name__}")


def check_name(name: str) -> str:
    """Check that a name is valid for a pack, and return the name.

    Raises:
        ResourceError: if the name is not valid, for example because it contains a slash.
    """
    if not _NAME.fullmatch(name):
        raise ResourceError(f"{name!r} is not a name for a pack: use letters, digits, '-', '_' and '.'")
    return name


def is_installable(name: str) -> bool:
    """Return whether the resource pack of a language can be downloaded because METEOR has data for the language."""
    return ISO_CODES.get(name, name) in LANGUAGES


def how_to_install(name: str, *, again: bool = False) -> str:
    """Return the part of an error message that says how to install a pack.

    Args:
        name: the name of the pack.
        again: whether the pack is damaged, not missing.
    """
    if is_installable(name):
        return f"install it{' again' if again else ''} with `meteor-e pack install {name}`"
    if again:
        return "build it again (`meteor-e pack build` or `build_pack`), or copy it again from its source"
    return "METEOR has no such pack; `meteor-e pack build` builds packs from bitext, `build_pack` from your own files"


def read_word_list(path: str | os.PathLike[str]) -> str:
    """Return the text of a word list.

    Raises:
        ResourceError: if the file cannot be read or is not valid UTF-8.
    """
    with os_errors_as(ResourceError, f"cannot read the word list {os.fspath(path)}"):
        content = read_regular(path, MAX_LIST)
    return decode_utf8(content, os.fspath(path))


def parse_function_words(text: str) -> frozenset[str]:
    """Parse a list with one word per line. Spaces are part of a word, as in the Java program."""
    return frozenset(word for word in re.split(r"\r\n|\n|\r", text) if word)


def parse_prefixes(text: str) -> NonbreakingPrefixes:
    """Parse a list of nonbreaking prefixes, such as "Mr", in the format of Moses.

    Each line contains one prefix. A line that begins with ``#`` is a comment. The mark ``#NUMERIC_ONLY#`` means that
    the prefix only counts before digits.
    """
    always = set()
    numeric = set()
    for line in re.split(r"[\r\n]", text):
        entry = line.strip()
        if not entry or entry.startswith("#"):
            continue
        numeric_match = _NUMERIC.match(entry)
        if numeric_match:
            numeric.add(numeric_match[1])
        else:
            always.add(entry)
    return NonbreakingPrefixes(frozenset(always), frozenset(numeric))


class Pack(LanguageResources):
    """The resources of a language in a folder.

    Opening a pack checks its files and maps the indexes into memory. The size of each file is always checked. The hash
    of a file is only checked if the file has changed since the last check. Pickling a pack only stores its path.
    Several threads can share a pack.

    Args:
        path: the folder.

    Raises:
        ResourceError: if the folder does not contain a manifest, or if a file is damaged.

    Attributes:
        path: the absolute path of the folder.
        manifest: the manifest.
        name: the name of the pack.
        language: the ISO code of the language.
        version: the version of the data.
        digest: twelve hexadecimal digits that are computed from the data files. Packs with equal digests yield equal
            scores. The digest is part of signatures.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path).absolute()
        try:
            self.manifest = Manifest.read(self.path)
            self._load_data_files(self.manifest.data_files)
        except ResourceError as error:
            advice = how_to_install(self.path.name, again=True)
            raise ResourceError(f"pack {self.path.name!r} in {self.path} is damaged: {error}; {advice}") from error
        self.name = self.manifest.name
        self.language = self.manifest.language
        self.version = self.manifest.version
        self.digest = self.manifest.compute_digest()
        self.description = f"{self.name}@{self.digest}"

    def _load_data_files(self, names: Collection[str]) -> None:
        """Check the data files of the pack, read its word lists, and map its indexes into memory.

        Args:
            names: the names of the files that the pack contains.
        """
        problems = self._find_problems(names, trusted_stamps=self._load_stamps())
        if problems:
            raise ResourceError(problems[0])
        if FUNCTION_WORDS in names:
            self.function_words = parse_function_words(read_word_list(self.path / FUNCTION_WORDS))
        if PREFIXES in names:
            self.nonbreaking_prefixes = parse_prefixes(read_word_list(self.path / PREFIXES))
        if SYNONYMS in names:
            self.synonyms = SynonymIndex(self.path / SYNONYMS)
        if PARAPHRASES in names:
            self.paraphrases = ParaphraseIndex(self.path / PARAPHRASES)

    @property
    def summary(self) -> str:
        """A summary that tells how many function words, prefixes, synonyms and paraphrases the pack contains."""
        descriptions = []
        for key in CONTENTS:
            count = self.manifest.contents.get(key)
            count_text = "no" if count is None else f"{count:,}"
            descriptions.append(f"{count_text} {key.replace('_', ' ')}")
        return ", ".join(descriptions)

    def verify(self) -> list[str]:
        """Hash all files of the pack, and return an error message for each file that is damaged."""
        return self._find_problems(self.manifest.files, trusted_stamps={})

    def _find_problems(self, names: Iterable[str], trusted_stamps: Mapping[str, str]) -> list[str]:
        """Check files of the pack, and return an error message for each file that is damaged.

        The stamp of a file consists of its size and its modification time. The pack stores the stamps of all files that
        were intact at their last check.

        Args:
            names: the names of the files.
            trusted_stamps: stamps of files at their last check. If the stamp of a file still applies, the file is not
                hashed.
        """
        intact_stamps = {}
        problems = []
        for name in names:
            try:
                intact_stamps[name] = self._check_file(name, trusted_stamps.get(name))
            except ResourceError as error:
                problems.append(str(error))
            except OSError as error:
                problems.append(f"{name} cannot be read: {error.strerror}")
        self._update_stamps(intact_stamps)
        return problems

    def _load_stamps(self) -> dict[str, str]:
        """Load the size and modification time of each file at its last check.

        The result is empty if this information cannot be read.
        """
        try:
            stamps = json.loads((self.path / CHECKED).read_bytes())
            return {name: str(stamp) for name, stamp in stamps.items()}
        except (OSError, ValueError, AttributeError, RecursionError):
            return {}

    def _update_stamps(self, new_stamps: Mapping[str, str]) -> None:
        """Store the sizes and modification times of files, so that the next check does not hash unchanged files.

        If the folder is read-only, the function stores nothing, and the next check hashes the files again.
        """
        stored_stamps = self._load_stamps()
        stamps = {**stored_stamps, **new_stamps}
        if stamps == stored_stamps:
            return
        with contextlib.suppress(OSError), atomic_file(self.path / CHECKED) as temporary_file:
            temporary_file.write_text(json.dumps(stamps) + "\n", encoding="utf-8")

    def _check_file(self, name: str, trusted_stamp: str | None) -> str:
        """Check the size and the hash of a file, and return its stamp, which contains its size and modification time.

        Args:
            name: the name of the file.
            trusted_stamp: the stamp of the file at its last check. If it still applies, the file is not hashed.

        Raises:
            ResourceError: if the size or the hash differs from the manifest.
            OSError: if the file cannot be read.
        """
        expected_file = self.manifest.files[name]
        status = (self.path / name).stat()
        if status.st_size != expected_file.size:
            raise ResourceError(f"{name} has {status.st_size} bytes instead of {expected_file.size}")
        stamp = f"{status.st_size} {status.st_mtime_ns}"
        if trusted_stamp is not None and _is_same_stamp(stamp, trusted_stamp):
            return trusted_stamp
        if sha256_of(self.path / name) != expected_file.sha256:
            raise ResourceError(f"the SHA-256 of {name} differs from the manifest")
        return stamp

    def __repr__(self) -> str:
        return f"Pack({self.name!r}, digest={self.digest!r}, path={str(self.path)!r})"

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return Pack, (self.path,)


def _is_same_stamp(stamp: str, trusted_stamp: str) -> bool:
    """Return whether a file has not changed since its last check.

    Archives truncate modification times to whole seconds, so nanoseconds are ignored if they are 0.
    """
    is_truncated = stamp.endswith("0" * 9)
    return stamp == trusted_stamp or (is_truncated and stamp[:-9] == trusted_stamp[:-9])
