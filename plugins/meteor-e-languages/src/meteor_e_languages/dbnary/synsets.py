"""Where the matcher's synsets come from: a METEOR-E synset file, or a pack."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from meteor_e import ResourceError
from meteor_e.base.files import PathLike, os_errors_as, sha256_of
from meteor_e.languages.files import named_languages
from meteor_e.packs.cache import load_synonym_file
from meteor_e.packs.indexes import SynonymIndex
from meteor_e.packs.store import PackStore


@dataclass(frozen=True)
class Synsets:
    """Synsets of a language, and what a score's signature says of them.

    Attributes:
        index: the synset ids of words, memory-mapped; ``None`` for no synsets at all.
        description: name and digest of the content.
        languages: code of their language, as a pack or the name of a file says; none where neither does.
    """

    index: SynonymIndex | None
    description: str
    languages: tuple[str, ...] = ()


NO_SYNSETS = Synsets(None, "none")


def pack_name(language: str) -> str:
    """Return the name of a language's DBnary pack in the store of packs.

    Args:
        language: its code.
    """
    return f"dbnary-{language}"


def load_synsets(path: PathLike) -> Synsets:
    """Read a synset file of METEOR-E, plain or gzipped.

    It has two lines per word: the word, the tokens of one of several joined by ``_``, then its synset ids with
    spaces between them. The file is indexed the first time and mapped from the cache afterwards.

    Raises:
        ResourceError: if it cannot be read, is malformed (with the line), or holds nothing.
    """
    path = Path(path)
    index = load_synonym_file(path)
    if not len(index):
        raise ResourceError(f"there are no synsets in {path}; a word and its synset ids take two lines")
    with os_errors_as(ResourceError, f"cannot read {path}"):
        return Synsets(index, f"{path.name}@{sha256_of(path)[:12]}", named_languages(path))


def load_pack(name: str) -> Synsets | None:
    """Take the synsets of a pack in the store of packs; ``None`` if it is not installed.

    Raises:
        ResourceError: if it is damaged, or has no synonyms.
    """
    pack = PackStore().find(name)
    if pack is None:
        return None
    if pack.synonyms is None:
        raise ResourceError(f"the pack {name!r} in {pack.path} holds no synonyms")
    return Synsets(pack.synonyms, f"{pack.name}@{pack.digest}", (pack.manifest.language,))
