"""Build the trie of a paraphrase index, which contains the phrases of a paraphrase table."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from meteor_e.base.errors import ResourceError
from meteor_e.packs.indexes import FLAG_BITS, LEFT_SIDE, RIGHT_SIDE
from meteor_e.packs.paraphrase_table import Phrases

_MAX_NODES = (1 << 32) - 1
"""The limit of the number of trie nodes. The number of a node has 32 bits."""
_ROOT_WORD = 0x3FFFFFFF
"""The word id of the root, which does not have a word. It is the highest id that fits into 30 bits."""


class Trie(NamedTuple):
    """The nodes of a trie in breadth-first order. Node 0 is the root.

    Attributes:
        words: the word of each node.
        parents: the parent of each node except the root.
        phrase_nodes: the last node of each phrase. Each phrase is followed by its paraphrase.
    """

    words: NDArray[np.uint32]
    parents: NDArray[np.uint32]
    phrase_nodes: NDArray[np.uint32]

    @property
    def left_nodes(self) -> NDArray[np.uint32]:
        """The node of the phrase of each entry of the table."""
        return self.phrase_nodes[0::2]

    @property
    def right_nodes(self) -> NDArray[np.uint32]:
        """The node of the paraphrase of each entry of the table."""
        return self.phrase_nodes[1::2]

    def count_root_children(self) -> int:
        """Return the number of children of the root, which is the number of words that begin a phrase."""
        return int((self.parents == 0).sum())


def build_trie(phrases: Phrases) -> Trie:
    """Create the nodes of a trie level by level. Nodes on the same level are sorted by parent and then by word."""
    starts = phrases.compute_starts()
    phrase_nodes = np.zeros(len(phrases.lengths), np.uint32)
    words_by_level = [np.array([_ROOT_WORD], np.uint32)]
    parents_by_level = [np.zeros(0, np.uint32)]
    n_nodes = 1
    for position in range(int(phrases.lengths.max(initial=0))):
        longer_phrases = np.flatnonzero(phrases.lengths > position)
        words = phrases.ids[starts[longer_phrases] + position]
        level = _make_level(phrase_nodes[longer_phrases], words, len(phrases.vocabulary))
        phrase_nodes[longer_phrases] = n_nodes + level.indexes
        words_by_level.append(level.words)
        parents_by_level.append(level.parents)
        n_nodes += len(level.words)
    if n_nodes >= _MAX_NODES:
        raise ResourceError("the paraphrase table is too large for an index")
    return Trie(np.concatenate(words_by_level), np.concatenate(parents_by_level), phrase_nodes)


class _Level(NamedTuple):
    """The trie nodes at the same distance from the root, sorted by parent and then by word.

    Attributes:
        words: the word of each node.
        parents: the parent of each node.
        indexes: for each phrase that reaches this level, the index of its node in ``words``.
    """

    words: NDArray[np.uint32]
    parents: NDArray[np.uint32]
    indexes: NDArray[np.intp]


def _make_level(parents: NDArray[np.uint32], words: NDArray[np.uint32], n_words: int) -> _Level:
    """Create a node for each distinct pair of a parent and a word.

    Args:
        parents: the node of the preceding words of each phrase.
        words: the next word of each phrase.
        n_words: the number of words in the vocabulary.
    """
    # The parent and the word of each node are combined in one integer, because integers can be sorted quickly.
    keys = parents.astype(np.uint64) * np.uint64(n_words) + words
    node_keys, indexes = np.unique(keys, return_inverse=True)
    node_parents, node_words = np.divmod(node_keys, np.uint64(n_words))
    return _Level(node_words.astype(np.uint32), node_parents.astype(np.uint32), indexes)


def make_node_records(trie: Trie) -> NDArray[np.uint32]:
    """Return the record of each node, ``(nodes + 1, NODE_FIELDS)``. An additional record marks the end.

    A record consists of the word of the node with its flags, the first child of the node, and the first entry of the
    table. In breadth-first order, the children of a node come after the children of all previous nodes.
    """
    n_nodes = len(trie.words)
    words = np.append(trie.words << FLAG_BITS, np.uint32(0))
    words[trie.left_nodes] |= LEFT_SIDE
    words[trie.right_nodes] |= RIGHT_SIDE
    first_children = 1 + _count_lower(trie.parents, n_nodes)
    first_entries = _count_lower(trie.left_nodes, n_nodes)
    return np.column_stack([words, first_children, first_entries])


def _count_lower(nodes: NDArray[np.uint32], n_nodes: int) -> NDArray[np.uint32]:
    """For each number from 0 to ``n_nodes``, return how many items of ``nodes`` are lower."""
    return np.append(0, np.cumsum(np.bincount(nodes, minlength=n_nodes))).astype(np.uint32)


def list_entries(trie: Trie) -> NDArray[np.uint32]:
    """Return the nodes of the paraphrases, sorted by the nodes of their phrases.

    Paraphrases of the same phrase keep the order of the paraphrase table.
    """
    entries: NDArray[np.uint32] = trie.right_nodes[np.argsort(trie.left_nodes, kind="stable")]
    return entries
