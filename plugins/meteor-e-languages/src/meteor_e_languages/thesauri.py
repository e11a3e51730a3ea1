"""Conversion of wordnets of the Open Multilingual Wordnet to the synonyms of a pack."""

from __future__ import annotations

import gzip
import re
import zipfile
import zlib
from pathlib import Path

from meteor_e.api import ResourceError
from meteor_e.packs.build import Ingredients

_LICENCE_NAMES = {"wordnet": "WordNet license"}


def read_wordnet_synonyms(path: Path, code: str, scratch: Path) -> tuple[Ingredients, int]:
    """Convert a wordnet to a synset file in METEOR's format. Phrases are omitted.

    Args:
        path: a zip file that contains ``wn-data-CODE.tab``, or such a table, plain or compressed with gzip.
        code: the code of the language in the name of the table.
        scratch: the folder for the synsets.

    Returns:
        The sources of the pack, and the number of words with synonyms.

    Raises:
        ResourceError: if the file cannot be read, or does not contain synonyms of the language.
    """
    text = _read_table(path, code).decode("utf-8", "replace")
    synsets = _number_synsets(_group_words(text))
    if not synsets:
        raise ResourceError(f"{path}: the wordnet has no synonyms")
    target = scratch / "synsets.txt"
    with target.open("w", encoding="utf-8", newline="\n") as stream:
        for word, synset_ids in sorted(synsets.items()):
            stream.write(f"{word}\n{' '.join(map(str, synset_ids))}\n")
    return Ingredients(synonyms=target, licence=_read_licence(text)), len(synsets)


def _read_licence(text: str) -> str:
    """Return the license in the first line of a table."""
    header = text.partition("\n")[0].split("\t")
    has_licence = header[0].startswith("#") and len(header) > 3
    licence = header[3].strip() if has_licence else "unknown"
    return _LICENCE_NAMES.get(licence.lower(), licence)


def _group_words(text: str) -> dict[str, set[str]]:
    """Return the lowercased words of each synset in a wordnet table."""
    words: dict[str, set[str]] = {}
    for line in text.splitlines():
        fields = line.split("\t")
        is_word = len(fields) > 2 and fields[1].rpartition(":")[2] == "lemma"
        if is_word:
            words.setdefault(fields[0], set()).add(fields[-1].strip().lower())
    return words


def _number_synsets(words_by_synset: dict[str, set[str]]) -> dict[str, list[int]]:
    """Return the synset ids of each word that has synonyms. Phrases are ignored."""
    synsets: dict[str, list[int]] = {}
    synset_id = 0
    for group in words_by_synset.values():
        words = sorted(word for word in group if word and not re.search(r"[\s()_]", word))
        if len(words) < 2:
            continue
        synset_id += 1
        for word in words:
            synsets.setdefault(word, []).append(synset_id)
    return synsets


def _read_table(path: Path, code: str) -> bytes:
    """Return the decompressed wordnet table of a language. Raise ResourceError if it cannot be read."""
    try:
        if zipfile.is_zipfile(path):
            return _read_archived_table(path, code)
        content = path.read_bytes()
        is_compressed = content.startswith(b"\x1f\x8b")
        return gzip.decompress(content) if is_compressed else content
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise ResourceError(f"cannot read {path}: {error}") from error


def _read_archived_table(path: Path, code: str) -> bytes:
    """Return the wordnet table of a language in a zip file. Raise ResourceError if there is no such table."""
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if name.endswith(f"/wn-data-{code}.tab"):
                return archive.read(name)
    raise ResourceError(f"{path} has no file wn-data-{code}.tab")
