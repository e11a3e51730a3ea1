"""Convert wordnets of the Open Multilingual Wordnet to synonym files for packs."""

from __future__ import annotations

import gzip
import re
import zipfile
import zlib
from pathlib import Path

from meteor_e.api import ResourceError
from meteor_e.packs.build import Ingredients

_LICENCE_NAMES = {"wordnet": "WordNet license"}


def convert_wordnet(path: Path, code: str, folder: Path) -> tuple[Ingredients, int]:
    """Convert a wordnet to a synset file in METEOR's format. Phrases are omitted.

    Args:
        path: a zip file that contains ``wn-data-CODE.tab``, or such a table, plain or compressed with gzip.
        code: the code of the language in the name of the table.
        folder: the folder for the synset file.

    Returns:
        The content of the pack, and the number of words with synonyms.

    Raises:
        ResourceError: if the file cannot be read, or does not contain synonyms of the language.
    """
    text = _read_table(path, code).decode("utf-8", "replace")
    words_by_synset = _group_words(text)
    ids_by_word = _number_synsets(words_by_synset)
    if not ids_by_word:
        raise ResourceError(f"{path}: the wordnet has no synonyms")
    synset_path = folder / "synsets.txt"
    with synset_path.open("w", encoding="utf-8", newline="\n") as file:
        for word, synset_ids in sorted(ids_by_word.items()):
            file.write(f"{word}\n{' '.join(map(str, synset_ids))}\n")
    return Ingredients(synonyms=synset_path, licence=_read_licence(text)), len(ids_by_word)


def _read_licence(text: str) -> str:
    """Return the license that the first line of a table names, or ``unknown`` if it does not name a license."""
    first_line, _, _ = text.partition("\n")
    columns = first_line.split("\t")
    is_header = columns[0].startswith("#") and len(columns) > 3
    licence = columns[3].strip() if is_header else "unknown"
    return _LICENCE_NAMES.get(licence.lower(), licence)


def _group_words(text: str) -> dict[str, set[str]]:
    """Return the lowercased words of each synset in a wordnet table."""
    words_by_synset: dict[str, set[str]] = {}
    for line in text.splitlines():
        columns = line.split("\t")
        if len(columns) < 3:
            continue
        synset, attribute, word = columns[0], columns[1], columns[-1]
        if attribute == "lemma" or attribute.endswith(":lemma"):
            words_by_synset.setdefault(synset, set()).add(word.strip().lower())
    return words_by_synset


def _number_synsets(words_by_synset: dict[str, set[str]]) -> dict[str, list[int]]:
    """Return the synset ids of each word that has synonyms. Phrases are ignored."""
    ids_by_word: dict[str, list[int]] = {}
    synset_id = 0
    for synset_words in words_by_synset.values():
        single_words = sorted(word for word in synset_words if word and not re.search(r"[\s()_]", word))
        if len(single_words) < 2:
            continue
        synset_id += 1
        for word in single_words:
            ids_by_word.setdefault(word, []).append(synset_id)
    return ids_by_word


def _read_table(path: Path, code: str) -> bytes:
    """Return the decompressed wordnet table of a language. Raise ResourceError if the table cannot be read."""
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
