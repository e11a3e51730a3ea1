"""Load synsets for the matcher ``dbnary`` from synset files of METEOR-E and from packs."""

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
    """The synsets of a language.

    Attributes:
        index: the synset ids of words, memory-mapped; ``None`` if there are no synsets.
        description: the name and digest of the content, for the signature.
        languages: the code of the language, from a pack or the name of a file; empty if it is unknown.
    """

    index: SynonymIndex | None
    description: str
    languages: tuple[str, ...] = ()


NO_SYNSETS = Synsets(None, "none")


def pack_name(language: str) -> str:
    """Return the name of the DBnary pack of a language.

    Args:
        language: the code of the language.
    """
    return f"dbnary-{language}"


def load_synsets(path: PathLike) -> Synsets:
    """Load a synset file of METEOR-E, plain or compressed with gzip.

    The file has two lines per word: the word itself and its synset ids, separated by spaces. The tokens of a multiword
    expression are joined by ``_``. The file is indexed at first use. Afterwards, the cached index is opened as a memory
    map.

    Raises:
        ResourceError: if the file cannot be read, is malformed (with the line), or is empty.
    """
    path = Path(path)
    index = load_synonym_file(path)
    if not len(index):
        raise ResourceError(
            f"there are no synsets in {path}; the file must contain two lines per word: the word and its synset ids"
        )
    with os_errors_as(ResourceError, f"cannot read {path}"):
        return Synsets(index, f"{path.name}@{sha256_of(path)[:12]}", named_languages(path))


def load_pack(name: str) -> Synsets | None:
    """Load the synsets of an installed pack, or return ``None`` if the pack is not installed.

    Raises:
        ResourceError: if the pack is damaged, or does not contain synonyms.
    """
    pack = PackStore().find(name)
    if pack is None:
        return None
    if pack.synonyms is None:
        raise ResourceError(f"the pack {name!r} in {pack.path} does not contain synonyms")
    return Synsets(pack.synonyms, f"{pack.name}@{pack.digest}", (pack.manifest.language,))
