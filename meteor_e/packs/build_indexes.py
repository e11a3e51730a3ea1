"""Build memory-mapped indexes from METEOR's synonym files and paraphrase tables."""

from __future__ import annotations

import itertools
import os
from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from meteor_e.base.errors import ResourceError
from meteor_e.base.progress import Progress, Stage, silent
from meteor_e.packs.entries import Format, PathOrStream, read_entries
from meteor_e.packs.index_format import write_index
from meteor_e.packs.indexes import PARAPHRASES, SYNONYMS, ParaphraseParameters, make_vocabulary_sections

_SYNONYM_FORMAT = Format("synonyms", lines_per_entry=2, max_size=1 << 30)
_N_STEPS = 4
"""The number of steps in which paraphrases are indexed, for the progress."""


def build_synonym_index(
    synsets: PathOrStream, exceptions: PathOrStream | None, target: str | os.PathLike[str], progress: Progress = silent
) -> int:
    """Build the index of METEOR's synonym files, which list the synsets of words. Words in a synset are synonyms.

    Args:
        synsets: the synsets. A word is on one line, and the ids of its synsets are on the next line. If a word occurs
            twice, its last entry is used. Ids are integers from 0 to 2³² - 1; leading zeros are ignored.
        exceptions: irregular forms. A base form is on one line, and its irregular forms are on the next line.
        target: the path of the index, which is written in place.
        progress: a callback that receives the progress.

    Returns:
        The number of words that have synsets.

    Raises:
        ResourceError: for a malformed file, with file and line.
    """
    synset_ids_by_word = _read_synset_ids(synsets, progress)
    base_forms_by_word = {} if exceptions is None else _read_base_forms(exceptions, progress)
    base_forms = itertools.chain.from_iterable(base_forms_by_word.values())
    words = list(dict.fromkeys([*synset_ids_by_word, *base_forms_by_word, *base_forms]))
    vocabulary = make_vocabulary_sections(words, Path(target))
    synset_sections = _flatten_rows(synset_ids_by_word.get(word, []) for word in words)
    base_form_sections = _flatten_rows(_list_base_ids(words, base_forms_by_word))
    parameters = [*vocabulary.parameters, len(synset_ids_by_word)]
    sections = [*vocabulary.sections, *synset_sections, *base_form_sections]
    write_index(Path(target), SYNONYMS, parameters, sections)
    progress("indexing synonyms", 1, 1)
    return len(synset_ids_by_word)


def _list_base_ids(words: list[bytes], base_forms_by_word: dict[bytes, list[bytes]]) -> Iterator[list[int]]:
    """For each word, yield the ids of its base forms. The id of a word is its index in the list of words."""
    word_ids = {word: word_id for word_id, word in enumerate(words)}
    for word in words:
        base_forms = base_forms_by_word.get(word, [])
        yield [word_ids[base_form] for base_form in base_forms]


def _read_synset_ids(synsets: PathOrStream, progress: Progress) -> dict[bytes, list[int]]:
    """Read a synonym file, and return the synset ids of each word. If a word is repeated, the last line is used."""
    synset_ids_by_word: dict[bytes, list[int]] = {}
    for pair in _read_pairs(synsets, progress):
        synset_ids_by_word[pair.word] = [_parse_synset_id(item, pair.location) for item in pair.items]
    return synset_ids_by_word


def _read_base_forms(exceptions: PathOrStream, progress: Progress) -> dict[bytes, list[bytes]]:
    """Return the base forms of each irregular word in WordNet's list of exceptions."""
    base_forms_by_word: dict[bytes, list[bytes]] = {}
    for pair in _read_pairs(exceptions, progress):
        for irregular_word in pair.items:
            base_forms_by_word.setdefault(irregular_word, []).append(pair.word)
    return base_forms_by_word


class _LinePair(NamedTuple):
    """Two adjacent lines of a synonym file.

    Attributes:
        word: the first line.
        items: the items of the second line.
        location: the location of the second line in error messages.
    """

    word: bytes
    items: list[bytes]
    location: str


def _read_pairs(source: PathOrStream, progress: Progress) -> Iterator[_LinePair]:
    """Read the pairs of lines in a synonym file."""
    for block in read_entries(source, _SYNONYM_FORMAT, progress):
        for index in range(0, len(block.lines), _SYNONYM_FORMAT.lines_per_entry):
            word, item_line = block.lines[index : index + _SYNONYM_FORMAT.lines_per_entry]
            if not word.strip():
                raise ResourceError(f"{block.locate(index)}: expected a word, found an empty line")
            yield _LinePair(word, item_line.split(), block.locate(index + 1))


def _parse_synset_id(text: bytes, location: str) -> int:
    """Parse a synset id. Raise ResourceError if it is not an integer below 2³²."""
    is_number = text.isdigit() and len(text) <= 20
    if not is_number or int(text) >= 1 << 32:
        raise ResourceError(
            f"{location}: {text[:40].decode()!r} is not a synset id; ids are whole numbers below 4294967296"
        )
    return int(text)


def _flatten_rows(rows: Iterable[list[int]]) -> list[bytes]:
    """Concatenate rows of integers. Return the offset of each row as bytes, and the integers as bytes."""
    starts = array("I", [0])
    integers = array("I")
    for row in rows:
        integers.extend(row)
        starts.append(len(integers))
    return [starts.tobytes(), integers.tobytes()]


def build_paraphrase_index(source: PathOrStream, target: str | os.PathLike[str], progress: Progress = silent) -> int:
    """Build the index of a paraphrase table.

    Args:
        source: the table. An entry consists of three lines: the probability, the phrase of the reference, and the
            paraphrase. Words are separated by white space. Probabilities are checked, but the index does not contain
            them.
        target: the path of the index, which is written in place.
        progress: a callback that receives the progress.

    Returns:
        The number of entries.

    Raises:
        ResourceError: for a malformed table, with file and line.
    """
    # The import is local, because the module imports NumPy. Programs that only read indexes do not need NumPy.
    from meteor_e.packs import paraphrase_table

    stage = Stage("indexing paraphrases", "steps")
    phrases = paraphrase_table.sort_vocabulary(paraphrase_table.read_phrases(source, progress))
    progress(stage, 1, _N_STEPS)
    trie = paraphrase_table.build_trie(phrases.ids, phrases.lengths)
    progress(stage, 2, _N_STEPS)
    node_records = paraphrase_table.make_node_records(trie)
    entries = paraphrase_table.list_entries(trie)
    progress(stage, 3, _N_STEPS)
    vocabulary = make_vocabulary_sections(phrases.vocabulary, Path(target))
    parameters = ParaphraseParameters(
        *vocabulary.parameters,
        n_first_words=trie.n_first_words,
        n_nodes=len(trie.words),
        n_entries=len(entries),
        longest=int(phrases.lengths.max(initial=0)),
    )
    write_index(Path(target), PARAPHRASES, parameters, [*vocabulary.sections, node_records.data, entries.data])
    progress(stage, _N_STEPS, _N_STEPS)
    return len(entries)
