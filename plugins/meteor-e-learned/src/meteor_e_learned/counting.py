"""What the features count, for all segments of a batch at once: n-grams by number, and what two sides share.

Words and characters are numbered once for each distinct text. An n-gram is one number, made of those of its items;
counting what two sides have in common is then a sort.

The extension ``_native`` counts the same several times as fast. Where it could not be built, or ``METEOR_E_PURE`` is
set, numpy counts. All counts are whole numbers, so both ways give the same digits.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import FeatureBatch
from meteor_e_learned.splitting import split, unified

_native: ModuleType | None = None
if os.environ.get("METEOR_E_PURE", "0") in ("", "0"):
    with contextlib.suppress(ImportError):
        from meteor_e_learned import _native  # type: ignore[no-redef]

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

    def totals(self, values: NDArray[np.generic], kind: Integers, kinds: int) -> Floats:
        """Return the sums over each pair's items of each kind, ``(pairs, kinds)``; a kind for each row."""
        result = np.bincount(self.pair * kinds + kind, values, self.pairs * kinds).astype(np.float64)
        return result.reshape(self.pairs, kinds)


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

    @cached_property
    def lengths(self) -> tuple[Integers, Integers]:
        """Items of each hypothesis, and of each reference."""
        found = np.bincount(self.owner, minlength=2 * self.count)
        return found[: self.count], found[self.count :]

    @cached_property
    def starts(self) -> Integers:
        """Where each sequence starts among the items, and where the last one ends, ``(2 * count + 1,)``."""
        lengths = np.bincount(self.owner, minlength=2 * self.count)
        return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)

    def common_ngrams(self, longest: int) -> Integers:
        """Return how many n-grams both sides of each pair have, ``(pairs, longest)``: a column for each order."""
        if _native is not None:
            found: Integers = _native.common_ngrams(self.items, self.starts, self.size, longest)
            return found
        tallies = (self.ngrams(order).tally() for order in range(1, longest + 1))
        return np.stack([tally.total(tally.common) for tally in tallies], axis=1).astype(np.int64)

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

    def where(self, wanted: NDArray[np.bool_]) -> Pairs:
        """Return the sequences without the items that are not wanted; a truth value for each item."""
        return Pairs(self.count, self.items[wanted], self.owner[wanted], self.size)

    def tally(self) -> Tally:
        """Count each item on both sides of each pair; counted once."""
        return self._tally

    @cached_property
    def _tally(self) -> Tally:
        if _native is not None:
            return Tally(self.count, *_native.tally(self.items, self.starts, self.size))
        keys, bits = self._keys()
        keys.sort()
        kinds = keys >> 1
        starts = _changes(kinds)
        count = np.diff(np.append(starts, len(keys)))
        right = np.add.reduceat(keys & 1, starts) if len(keys) else np.empty(0, np.int64)
        firsts = kinds[starts]
        return Tally(self.count, firsts >> bits, firsts & ((1 << bits) - 1), count - right, right)

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
    left: Sequence[str],
    right: Sequence[str],
    items: Callable[[str], Sequence[str]],
    at_once: Callable[[list[str]], tuple[Integers, Integers, list[str]]] | None = None,
) -> tuple[Pairs, list[str]]:
    """Return sequences by number, and the items by their number; each distinct text is split once.

    Args:
        left, right: texts in pairs.
        items: what a text consists of.
        at_once: splits many texts: returns their items by number, the length of each, and the items.
    """
    place: dict[str, int] = {}
    of_text = np.array([place.setdefault(text, len(place)) for text in chain(left, right)], np.int64)
    if at_once is not None:
        flat, lengths, known = at_once(list(place))
    else:
        numbers: dict[str, int] = {}
        parts = [[numbers.setdefault(item, len(numbers)) for item in items(text)] for text in place]
        flat = np.array(list(chain.from_iterable(parts)), np.int64)
        lengths, known = np.array([len(part) for part in parts], np.int64), list(numbers)
    starts = np.cumsum(lengths) - lengths
    counts = lengths[of_text]
    # The places of each text's items one after the other.
    within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    found = flat[np.repeat(starts[of_text], counts) + within]
    return Pairs(len(left), found, np.repeat(np.arange(len(of_text)), counts), max(1, len(known))), known


def words(batch: FeatureBatch) -> tuple[Pairs, list[str]]:
    """Return the words of a batch's pairs by number, and the words; made once for all features."""
    native = _native

    def at_once(texts: list[str]) -> tuple[Integers, Integers, list[str]]:
        assert native is not None
        found: tuple[Integers, Integers, list[str]] = native.split([unified(text) for text in texts])
        return found

    return batch.shared("words", lambda: numbered(*segment_pairs(batch), split, None if native is None else at_once))


def capitals(batch: FeatureBatch) -> Pairs:
    """Return the words that begin with a capital, except for each text's first word, by number."""

    def items(text: str) -> list[str]:
        return [word for word in text.split()[1:] if word[0].isupper()]

    return numbered(*segment_pairs(batch), items, None if _native is None else _native.capitals)[0]


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
        place = np.cumsum(found, dtype=np.int64) - 1
        owner = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
        return Pairs(len(left), place[points], owner, max(1, len(distinct))), distinct

    return batch.shared(f"characters {name}", make)


def alike(left: Sequence[str], right: Sequence[str], scorer: Callable[..., float]) -> Floats:
    """Return what one of RapidFuzz's scorers says of each pair of texts, ``(pairs,)``."""
    from rapidfuzz.process import cpdist

    found: Floats = cpdist(left, right, scorer=scorer, dtype=np.float64, workers=1)
    return found
