"""Read paraphrase tables, and assign ids to their words."""

from __future__ import annotations

import collections
import itertools
import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from meteor_e.base.errors import ResourceError
from meteor_e.base.progress import Progress
from meteor_e.packs.entries import MAX_TEXT, Block, Format, PathOrStream, read_entries

MAX_WORDS = 255
"""The maximum number of words in a phrase."""
_FORMAT = Format("paraphrases", lines_per_entry=3, max_size=MAX_TEXT)
_SEPARATOR = b"\xff"
"""The token after each phrase. It does not occur in UTF-8."""
_JAVA_WORDS = re.compile(rb"[^ \t\f]+")
"""Words as the Java program splits them. It does not treat a vertical tab as white space."""


class Phrases(NamedTuple):
    """The phrases of a paraphrase table. Each phrase is followed by its paraphrase.

    Attributes:
        vocabulary: the words in the order of their ids.
        ids: the concatenated word ids of all phrases.
        lengths: the number of words in each phrase.
    """

    vocabulary: list[bytes]
    ids: NDArray[np.uint32]
    lengths: NDArray[np.uint8]

    def compute_starts(self) -> NDArray[np.int64]:
        """Return the index in ``ids`` of the first word of each phrase."""
        starts: NDArray[np.int64] = np.cumsum(self.lengths, dtype=np.int64) - self.lengths
        return starts


def read_phrases(source: PathOrStream, progress: Progress) -> Phrases:
    """Read a paraphrase table. The ids of the words are in the order of their first occurrence."""
    # The defaultdict assigns the next free id to a new word, so a single lookup is enough for each word.
    word_ids = collections.defaultdict[bytes, int](itertools.count().__next__)
    separator_id = word_ids[_SEPARATOR]
    all_ids = [np.empty(0, np.uint32)]
    all_lengths = [np.empty(0, np.uint8)]
    for block in read_entries(source, _FORMAT, progress):
        _check_probabilities(block)
        tokens = _tokenize_phrases(block)
        token_ids = np.fromiter(map(word_ids.__getitem__, tokens), np.uint32, len(tokens))
        is_separator = token_ids == separator_id
        lengths = np.diff(np.flatnonzero(is_separator), prepend=-1) - 1
        _check_lengths(lengths, block)
        all_lengths.append(lengths.astype(np.uint8))
        # The id 0 belongs to the separator, so 1 is subtracted from the ids of all words.
        all_ids.append(token_ids[~is_separator] - np.uint32(1))
    return Phrases(list(word_ids)[1:], np.concatenate(all_ids), np.concatenate(all_lengths))


def _tokenize_phrases(block: Block) -> list[bytes]:
    """Return the words of all phrases in a block of a paraphrase table, with a separator after each phrase.

    A single list of words is faster than a list for each phrase.
    """
    phrases = list(block.lines)
    del phrases[:: _FORMAT.lines_per_entry]  # The first line of an entry is the probability.
    text = (b" " + _SEPARATOR + b" ").join([*phrases, b""])
    return text.split() if b"\x0b" not in text else _JAVA_WORDS.findall(text)


def sort_vocabulary(phrases: Phrases) -> Phrases:
    """Sort the vocabulary by frequency, and update the word ids. Words that begin a phrase precede all other words.

    In this order, the id of the first word of a phrase determines its trie node, and frequent words share few memory
    pages.
    """
    n_words = len(phrases.vocabulary)
    begins_phrase = np.zeros(n_words, bool)
    begins_phrase[phrases.ids[phrases.compute_starts()]] = True
    frequencies = np.bincount(phrases.ids, minlength=n_words)
    # np.lexsort() sorts by its last key first.
    order = np.lexsort((-frequencies, ~begins_phrase))
    new_ids = np.empty(n_words, np.uint32)
    new_ids[order] = np.arange(n_words, dtype=np.uint32)
    return Phrases([phrases.vocabulary[old_id] for old_id in order.tolist()], new_ids[phrases.ids], phrases.lengths)


def _check_probabilities(block: Block) -> None:
    """Raise a ResourceError if an entry of a paraphrase table does not begin with a probability."""
    lines_per_entry = _FORMAT.lines_per_entry
    first_lines = block.lines[::lines_per_entry]
    try:
        # Usually, all lines are numbers. A deque of length 0 is the fastest way to check this.
        collections.deque(map(float, first_lines), maxlen=0)
    except ValueError:
        for entry, line in enumerate(first_lines):
            _check_probability(line, block.locate(lines_per_entry * entry))


def _check_probability(line: bytes, location: str) -> None:
    """Raise a ResourceError if a line does not begin with a number. The Java program ignores the rest of the line."""
    try:
        float(line.split(maxsplit=1)[0])
    except (ValueError, IndexError):
        excerpt = line.decode()[:40].strip()
        raise ResourceError(f"{location}: expected a probability, found {excerpt!r}") from None


def _check_lengths(lengths: NDArray[np.int64], block: Block) -> None:
    """Raise a ResourceError for the first phrase of a block that is empty or too long."""
    is_invalid = (lengths == 0) | (lengths > MAX_WORDS)
    if is_invalid.any():
        phrase = int(is_invalid.argmax())
        # The second and third line of each entry are phrases.
        entry, is_paraphrase = divmod(phrase, 2)
        line = _FORMAT.lines_per_entry * entry + 1 + is_paraphrase
        problem = f"a phrase of more than {MAX_WORDS} words" if lengths[phrase] else "an empty phrase"
        raise ResourceError(f"{block.locate(line)}: {problem}")
