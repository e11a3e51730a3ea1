"""Read paraphrase tables, and build the trie of their phrases, which is part of a paraphrase index."""

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
from meteor_e.packs.indexes import FLAG_BITS, LEFT_SIDE, RIGHT_SIDE

MAX_WORDS = 255
"""The maximum number of words in a phrase."""
_FORMAT = Format("paraphrases", lines_per_entry=3, max_size=MAX_TEXT)
_SEPARATOR = b"\xff"
"""The token after each phrase. It does not occur in UTF-8."""
_JAVA_WORDS = re.compile(rb"[^ \t\f]+")
"""Words as the Java program splits them. It does not treat a vertical tab as white space."""

_MAX_NODES = (1 << 32) - 1
"""The limit of the number of trie nodes. The number of a node has 32 bits."""
_WORD_BITS = np.uint64(32)
"""The number of bits of a word id in an integer that combines a node and a word."""
_ROOT_WORD = 0x3FFFFFFF
"""The word id of the root, which does not have a word. It is the highest id that fits into 30 bits."""


class Phrases(NamedTuple):
    """The phrases and paraphrases of a paraphrase table. In each entry, the paraphrase follows the phrase.

    Attributes:
        vocabulary: the words in the order of their ids.
        ids: the concatenated word ids of all phrases.
        lengths: the number of words in each phrase.
    """

    vocabulary: list[bytes]
    ids: NDArray[np.uint32]
    lengths: NDArray[np.uint8]


def compute_starts(lengths: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the index of the first word of each phrase in the concatenated words of all phrases."""
    ends: NDArray[np.int64] = np.cumsum(lengths, dtype=np.int64)
    return ends - lengths


def read_phrases(source: PathOrStream, progress: Progress) -> Phrases:
    """Read a paraphrase table. The ids of the words are in the order of their first occurrence."""
    # The separator has the id 0. Any other token receives the next free id when it is first looked up.
    ids_by_token = collections.defaultdict(itertools.count(1).__next__, {_SEPARATOR: 0})
    word_ids = []
    lengths = []
    for block in read_entries(source, _FORMAT, progress):
        _check_probabilities(block)
        tokens = _tokenize_phrases(block)
        token_ids = np.fromiter(map(ids_by_token.__getitem__, tokens), np.uint32, len(tokens))
        block_lengths = _measure_phrases(token_ids)
        _check_lengths(block_lengths, block)
        lengths.append(block_lengths.astype(np.uint8))
        word_ids.append(_remove_separators(token_ids))
    vocabulary = [token for token in ids_by_token if token != _SEPARATOR]
    return Phrases(vocabulary, np.concatenate(word_ids), np.concatenate(lengths))


def _measure_phrases(token_ids: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Return the number of words of each phrase. A separator, whose id is 0, follows each phrase."""
    separator_positions = np.flatnonzero(token_ids == 0)
    return np.diff(separator_positions, prepend=-1) - 1


def _remove_separators(token_ids: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Remove the separators from a list of token ids, and subtract 1 from all other ids to get word ids."""
    word_tokens: NDArray[np.uint32] = token_ids[token_ids != 0]
    return word_tokens - np.uint32(1)


def _tokenize_phrases(block: Block) -> list[bytes]:
    """Return the words of all phrases in a block of a paraphrase table, with a separator after each phrase.

    Creating a single list for all words is faster than creating a list for each phrase.
    """
    phrases = list(block.lines)
    del phrases[:: _FORMAT.lines_per_entry]  # The first line of an entry is the probability.
    text = (b" " + _SEPARATOR + b" ").join([*phrases, b""])
    # The method split() is faster than the regular expression, but also splits at vertical tabs.
    return _JAVA_WORDS.findall(text) if b"\v" in text else text.split()


def _check_probabilities(block: Block) -> None:
    """Raise a ResourceError if an entry of a paraphrase table does not begin with a probability."""
    lines_per_entry = _FORMAT.lines_per_entry
    first_lines = block.lines[::lines_per_entry]
    try:
        # Usually, all lines are numbers. Filling a deque of length 0 is the fastest way to call float() for each line.
        collections.deque(map(float, first_lines), maxlen=0)
    except ValueError:
        for entry, line in enumerate(first_lines):
            _check_probability(line, block.locate(lines_per_entry * entry))


def _check_probability(line: bytes, location: str) -> None:
    """Raise a ResourceError if a line does not begin with a number. Text after the number is ignored, as in Java."""
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


def sort_vocabulary(phrases: Phrases) -> Phrases:
    """Sort the vocabulary by frequency, and update the word ids. Words that begin a phrase precede all other words.

    Words that begin a phrase get the lowest ids, so an index can compute the trie node of such a word from the word's
    id. Frequent words also get low ids, so the data of frequent words are stored on few memory pages.
    """
    n_words = len(phrases.vocabulary)
    first_words = phrases.ids[compute_starts(phrases.lengths)]
    begins_phrase = np.bincount(first_words, minlength=n_words) > 0
    frequencies = np.bincount(phrases.ids, minlength=n_words)
    # The function lexsort() sorts by its last key first, and uses the preceding keys to break ties.
    sorted_ids = np.lexsort((-frequencies, ~begins_phrase))
    # The new id of a word is its position in the sorted vocabulary.
    new_ids = np.empty(n_words, np.uint32)
    new_ids[sorted_ids] = np.arange(n_words)
    vocabulary = [phrases.vocabulary[old_id] for old_id in sorted_ids.tolist()]
    return Phrases(vocabulary, new_ids[phrases.ids], phrases.lengths)


class Trie(NamedTuple):
    """The nodes of a trie in breadth-first order. Node 0 is the root.

    Attributes:
        words: the word of each node.
        parents: the parent of each node except the root.
        phrase_nodes: the last node of each phrase. In each entry of the table, the paraphrase follows the phrase.
    """

    words: NDArray[np.uint32]
    parents: NDArray[np.uint32]
    phrase_nodes: NDArray[np.uint32]

    @property
    def left_nodes(self) -> NDArray[np.uint32]:
        """For each entry of the paraphrase table, the trie node that represents the phrase on the left."""
        return self.phrase_nodes[0::2]

    @property
    def right_nodes(self) -> NDArray[np.uint32]:
        """For each entry of the paraphrase table, the trie node that represents the paraphrase on the right."""
        return self.phrase_nodes[1::2]

    @property
    def n_first_words(self) -> int:
        """The number of words that begin a phrase. The root of the trie has a child for each of these words."""
        return int((self.parents == 0).sum())


def build_trie(ids: NDArray[np.uint32], lengths: NDArray[np.uint8]) -> Trie:
    """Create the nodes of a trie level by level. Nodes on the same level are sorted by parent and then by word.

    Args:
        ids: the concatenated word ids of all phrases. The array may be a memory map.
        lengths: the number of words in each phrase.
    """
    starts = compute_starts(lengths)
    longest = int(lengths.max(initial=0))
    root_level = _Level(words=np.array([_ROOT_WORD], np.uint32), parents=np.zeros(0, np.uint32))
    levels = [root_level]
    n_nodes = 1
    # At first, the node of each phrase is the root, whose number is 0.
    phrase_nodes = np.zeros(len(lengths), np.uint32)
    for position in range(longest):
        # Each phrase that has a word at this position moves from its current trie node to the child node for the word.
        longer_phrases = np.flatnonzero(lengths > position)
        parents = phrase_nodes[longer_phrases]
        words = ids[starts[longer_phrases] + position]
        level, level_indexes = _make_level(parents, words)
        # The numbers of these nodes follow the numbers of the nodes of all previous levels.
        phrase_nodes[longer_phrases] = n_nodes + level_indexes
        levels.append(level)
        n_nodes += len(level.words)
        if n_nodes >= _MAX_NODES:
            raise ResourceError("the paraphrase table is too large for an index")
    return Trie(
        words=np.concatenate([level.words for level in levels]),
        parents=np.concatenate([level.parents for level in levels]),
        phrase_nodes=phrase_nodes,
    )


class _Level(NamedTuple):
    """The trie nodes at the same distance from the root, sorted by parent and then by word.

    Attributes:
        words: the word of each node.
        parents: the parent of each node. It is empty for the root.
    """

    words: NDArray[np.uint32]
    parents: NDArray[np.uint32]


def _make_level(parents: NDArray[np.uint32], words: NDArray[np.uint32]) -> tuple[_Level, NDArray[np.intp]]:
    """Create a node for each distinct pair of a parent and a word.

    Return the created nodes, and for each phrase the index of its node.

    Args:
        parents: the node of the preceding words of each phrase.
        words: the next word of each phrase.
    """
    # Integers can be sorted quickly. The high 32 bits of a key are the parent, and the low 32 bits are the word.
    keys = (parents.astype(np.uint64) << _WORD_BITS) | words
    node_keys, node_indexes = np.unique(keys, return_inverse=True)
    node_parents = (node_keys >> _WORD_BITS).astype(np.uint32)
    node_words = node_keys.astype(np.uint32)  # The conversion keeps only the low bits.
    return _Level(node_words, node_parents), node_indexes


def make_node_records(trie: Trie) -> NDArray[np.uint32]:
    """Return an array with a record for each node, ``(nodes + 1, NODE_FIELDS)``. The last record is an end marker.

    Each record describes a trie node by three numbers. The first number combines the id of the node's word with flags.
    The second number is the index of the node's first child. The third number is the index of the node's first entry
    in the paraphrase table. The children of a node end where the children of the next node begin.
    """
    n_nodes = len(trie.words)
    words = np.append(trie.words << FLAG_BITS, np.uint32(0))
    words[trie.left_nodes] |= LEFT_SIDE
    words[trie.right_nodes] |= RIGHT_SIDE
    first_children = 1 + _count_lower(trie.parents, n_nodes)
    first_entries = _count_lower(trie.left_nodes, n_nodes)
    return np.column_stack([words, first_children, first_entries])


def _count_lower(nodes: NDArray[np.uint32], n_nodes: int) -> NDArray[np.uint32]:
    """For each integer ``n`` from 0 to ``n_nodes``, return how many values in ``nodes`` are less than ``n``."""
    return np.append(0, np.cumsum(np.bincount(nodes, minlength=n_nodes))).astype(np.uint32)


def list_entries(trie: Trie) -> NDArray[np.uint32]:
    """Return the trie nodes of all paraphrases, sorted by the trie node of the phrase that is paraphrased.

    Paraphrases of the same phrase keep the order of the paraphrase table.
    """
    entries: NDArray[np.uint32] = trie.right_nodes[np.argsort(trie.left_nodes, kind="stable")]
    return entries
