"""What the features count, for all segments of a batch at once: n-grams by number, and what two sides share.

Words and characters are numbered once for each distinct text. An n-gram is one number, made of those of its items;
counting what two sides have in common is then a sort.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import FeatureBatch
from meteor_e_learned.splitting import split

__all__ = [
    "Pairs",
    "Tally",
    "characters",
    "groups_of_pairs",
    "mean_over_references",
    "numbered",
    "precision_recall_f",
    "segment_pairs",
    "words",
]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def segment_pairs(batch: FeatureBatch) -> tuple[list[str], list[str]]:
    """Return hypotheses and references side by side; a hypothesis stands there once for each of its references."""
    left = [text for text, each in zip(batch.hypotheses, batch.references, strict=True) for _ in each]
    return left, list(chain.from_iterable(batch.references))


def mean_over_references(rows: Floats, batch: FeatureBatch) -> Floats:
    """Return a row for each hypothesis: the mean of the rows of its pairs."""
    counts = np.array([len(each) for each in batch.references])
    if (counts == 1).all():
        return rows
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    result: Floats = np.add.reduceat(rows, starts, axis=0) / counts[:, None]
    return result


@dataclass(frozen=True)
class Tally:
    """How often each item occurs on both sides of each pair; a row for each item that a pair has.

    Attributes:
        pairs: number of pairs.
        pair: of each row.
        item: its number.
        left, right: how often the hypothesis and the reference have it.
    """

    pairs: int
    pair: Integers
    item: Integers
    left: Integers
    right: Integers

    @property
    def common(self) -> Integers:
        """How often both sides have each item."""
        return np.minimum(self.left, self.right)

    def total(self, values: NDArray[np.generic]) -> Floats:
        """Return the sum over each pair's items, ``(pairs,)``."""
        result = np.bincount(self.pair, values, self.pairs).astype(np.float64)
        return result

    def largest(self, values: Floats) -> Floats:
        """Return the largest value of each pair's items, at least 0, ``(pairs,)``."""
        result = np.zeros(self.pairs)
        np.maximum.at(result, self.pair, values)
        return result

    def shares(self) -> Floats:
        """Return precision, recall and F, ``(pairs, 3)``."""
        return precision_recall_f(self.total(self.common), self.total(self.left), self.total(self.right))


@dataclass(frozen=True)
class Pairs:
    """Sequences of numbered items in pairs: hypothesis and reference.

    Attributes:
        count: number of pairs.
        items: the items of all hypotheses, then those of all references; numbers below ``size``.
        owner: which sequence each item is of: the pair, or ``count`` + the pair for a reference.
        size: number of different items.
    """

    count: int
    items: Integers
    owner: Integers
    size: int

    @property
    def lengths(self) -> tuple[Integers, Integers]:
        """Items of each hypothesis, and of each reference."""
        found = np.bincount(self.owner, minlength=2 * self.count)
        return found[: self.count], found[self.count :]

    def ngrams(self, order: int) -> Pairs:
        """Return the n-grams of all sequences, numbered."""
        numbers, size = self.items, self.size
        for step in range(1, order):
            if size > (1 << 60) // max(1, self.size) // max(1, 2 * self.count):
                distinct, numbers = np.unique(numbers, return_inverse=True)
                size = len(distinct)
            numbers = numbers[:-1] * self.size + self.items[step:]
            size *= self.size
        whole = self.owner[order - 1 :] == self.owner[: max(0, len(self.owner) - order + 1)]
        return Pairs(self.count, numbers[whole], self.owner[order - 1 :][whole], size)

    def skip_bigrams(self, skipped: int) -> Pairs:
        """Return pairs of items, in order, with at most so many between them."""
        numbers, owners = [], []
        for gap in range(1, skipped + 2):
            whole = self.owner[gap:] == self.owner[:-gap]
            numbers.append((self.items[:-gap] * self.size + self.items[gap:])[whole])
            owners.append(self.owner[gap:][whole])
        return Pairs(self.count, np.concatenate(numbers), np.concatenate(owners), self.size**2)

    def replaced(self, numbers: Integers) -> Pairs:
        """Return the same sequences with other numbers of items; ``numbers`` has one for each old number."""
        return Pairs(self.count, numbers[self.items], self.owner, int(numbers.max(initial=0)) + 1)

    def where(self, wanted: NDArray[np.bool_]) -> Pairs:
        """Return the sequences without the items that are not wanted; a truth value for each item."""
        return Pairs(self.count, self.items[wanted], self.owner[wanted], self.size)

    def tally(self) -> Tally:
        """Count each item on both sides of each pair."""
        keys, bits = self._keys()
        keys.sort()
        kinds = keys >> 1
        starts = _changes(kinds)
        count = np.diff(np.append(starts, len(keys)))
        right = np.add.reduceat(keys & 1, starts) if len(keys) else np.empty(0, np.int64)
        firsts = kinds[starts]
        return Tally(self.count, firsts >> bits, firsts & ((1 << bits) - 1), count - right, right)

    def once_on_both(self) -> tuple[Integers, Integers, Integers]:
        """Return pair, place on the left and place on the right of items that both sides have once.

        They come by pair and, within one, by their place on the right.
        """
        keys, _ = self._keys()
        order = np.argsort(keys, kind="stable")
        starts = _changes(keys[order] >> 1)
        twice = starts[np.diff(np.append(starts, len(keys))) == 2]
        left, right = order[twice], order[twice + 1]
        once = (self.owner[left] < self.count) & (self.owner[right] >= self.count)
        left, right = left[once], right[once]
        by_place = np.argsort(right)
        left, right = left[by_place], right[by_place]
        return self.owner[left], left, right

    def texts(self) -> tuple[list[str], list[str]]:
        """Return each sequence as a text with one character for each item, for libraries that compare texts."""
        # Surrogates are no characters that a decoder takes without being told.
        whole = self.items.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
        ends = np.cumsum(np.bincount(self.owner, minlength=2 * self.count)).tolist()
        found = [whole[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)] if ends else []
        return found[: self.count], found[self.count :]

    def _keys(self) -> tuple[Integers, int]:
        """Return a number for each item that sorts by pair, then item, then side; and how many bits an item takes."""
        bits = max(1, int(self.size - 1).bit_length())
        if bits + max(1, self.count).bit_length() > 62:
            raise OverflowError("n-grams have too many different items")
        reference = self.owner >= self.count
        result: Integers = ((self.owner - self.count * reference) << (bits + 1)) | (self.items << 1) | reference
        return result, bits


def _changes(values: Integers) -> NDArray[np.intp]:
    """Return where runs of equal values begin."""
    if not len(values):
        return np.empty(0, np.intp)
    return np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]]))


def precision_recall_f(common: Floats, left: Floats, right: Floats) -> Floats:
    """Return precision, recall and their harmonic mean, ``(pairs, 3)``; 0 for a side without anything."""
    precision, recall = (common / np.maximum(side, 1e-300) * (side > 0) for side in (left, right))
    both = precision + recall
    return np.stack([precision, recall, 2 * precision * recall / np.where(both > 0, both, 1.0)], axis=1)


def numbered(
    left: Sequence[str], right: Sequence[str], items: Callable[[str], Sequence[str]]
) -> tuple[Pairs, list[str]]:
    """Return sequences by number, and the items by their number; each distinct text is split once.

    Args:
        left, right: texts in pairs.
        items: what a text consists of.
    """
    known: dict[str, int] = {}
    of_text: dict[str, Integers] = {}
    for text in chain(left, right):
        if text not in of_text:
            of_text[text] = np.array([known.setdefault(item, len(known)) for item in items(text)], np.int64)
    parts = [of_text[text] for text in chain(left, right)]
    owner = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    flat = np.concatenate(parts) if parts else np.empty(0, np.int64)
    return Pairs(len(left), flat, owner, max(1, len(known))), list(known)


def words(batch: FeatureBatch) -> tuple[Pairs, list[str]]:
    """Return the words of a batch's pairs by number, and the words; made once for all features."""
    return batch.shared("words", lambda: numbered(*segment_pairs(batch), split))


def characters(
    batch: FeatureBatch, change: Callable[[str], str] | None = None, name: str = ""
) -> tuple[Pairs, Integers]:
    """Return the characters of a batch's pairs by number, and their code points.

    Args:
        batch: the batch.
        change: applied to each distinct text first.
        name: of the change; what has been made under a name is used again.
    """

    def make() -> tuple[Pairs, Integers]:
        left, right = segment_pairs(batch)
        if change is not None:
            changed = {text: change(text) for text in {*left, *right}}
            left, right = [changed[text] for text in left], [changed[text] for text in right]
        texts = left + right
        points = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), "<u4")
        found = np.zeros(int(points.max(initial=0)) + 1, bool)
        found[points] = True
        distinct = np.flatnonzero(found)
        place = np.cumsum(found) - 1
        owner = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
        return Pairs(len(left), place[points], owner, max(1, len(distinct))), distinct

    return batch.shared(f"characters {name}", make)


def groups_of_pairs(sizes: Integers, room: int = 1 << 20) -> Iterator[Integers]:
    """Yield the positions of pairs in groups of like size, whose tables fit into ``room`` numbers.

    Args:
        sizes: the table that each pair needs.
    """
    order = np.argsort(sizes, kind="stable")
    start = 0
    while start < len(order):
        end = start + 1
        # The last of a group is the largest; all of a group take as much as it does.
        while end < len(order) and int(sizes[order[end]]) * (end + 1 - start) <= room:
            end += 1
        yield order[start:end]
        start = end
