"""BLEU-1 to 4, ROUGE-L and CIDEr-D of captions, with the numbers of pycocoevalcap, from arrays of n-grams.

Captions are tokenized texts, words joined by blanks, as :class:`meteor_e_captions.coco.PTBTokenizer` gives them.
pycocoevalcap's own choices, which decide its numbers:

* BLEU (Papineni et al., 2002): clipped n-gram precisions with 1e-15 added to what matches and 1e-9 to what there is;
  the reference length is the one that is closest to the caption's, the shorter of two.
* ROUGE-L (Lin, 2004): β = 1.2; the best precision and the best recall over the references.
* CIDEr-D (Vedantam et al., 2015): σ = 6, times 10; the length that its Gaussian compares is the number of word pairs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from meteor_e.base.extras import require
from meteor_e.scoring.arrays import each_number
from meteor_e_captions.grouping import distinct, grouped

if TYPE_CHECKING:
    from meteor_e.base.array_cache import Floats, Integers

ORDERS = 4
_TINY, _SMALL = 1e-15, 1e-9
_BETA, _SIGMA = 1.2, 6.0


class Counted(NamedTuple):
    """The n-grams of captions and of their references, of one order.

    Attributes:
        own_text, own_gram, own_count: for each caption and distinct n-gram of it, ordered, how often it has it.
        ref_text, ref_gram, ref_count: the same of references; their texts are counted over all captions.
        grams: number of distinct n-grams.
    """

    own_text: Integers
    own_gram: Integers
    own_count: Integers
    ref_text: Integers
    ref_gram: Integers
    ref_count: Integers
    grams: int


class DocumentFrequencies(NamedTuple):
    """Document frequencies of n-grams; a document is the references of one image.

    Attributes:
        words: numbers of the words.
        keys: for each order from 2 the n-grams, ordered, as the number of their beginning and their last word.
        images: for each order from 1 and each n-gram the number of images.
        documents: number of images.
    """

    words: dict[str, int]
    keys: list[Integers]
    images: list[Integers]
    documents: int

    def of(self, before: Integers, words: Integers, order: int) -> Integers:
        """Return numbers of n-grams by the numbers of their beginnings and their last words; -1 for unknown ones."""
        size = len(self.words)
        wanted = np.where((before >= 0) & (words < size), before * size + words, -1)
        known = self.keys[order - 2]
        found = np.full(len(wanted), -1)
        at, hit = _find(known, wanted)
        found[hit] = at
        return found


class Captions(NamedTuple):
    """Captions and references as numbers.

    Attributes:
        orders: n-grams of each order from 1.
        images: for each order and n-gram the number of images with a reference that has it.
        documents: number of images.
        own_lengths, ref_lengths: in words.
        caption_of: for each reference, the caption that it belongs to.
        per: number of references of each caption.
        characters: captions and references, with a character per word.
    """

    orders: list[Counted]
    images: list[Integers]
    documents: int
    own_lengths: Integers
    ref_lengths: Integers
    caption_of: Integers
    per: Integers
    characters: tuple[list[str], list[str]]


class _Words(NamedTuple):
    """Words of texts: their numbers, the text of each, and how many there are from it to the end of its text."""

    numbers: Integers
    text: Integers
    left: Integers
    lengths: Integers


def _flat(numbered: Sequence[Sequence[int]]) -> _Words:
    lengths = np.array([len(words) for words in numbered], np.int64)
    numbers = np.array([word for text in numbered for word in text], np.int64)
    within = np.arange(len(numbers)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    text = np.repeat(np.arange(len(numbered)), lengths)
    return _Words(numbers, text, lengths[text] - within, lengths)


def _longer(words: _Words, before: Integers, order: int, size: int) -> tuple[Integers, Integers, Integers]:
    """Return distinct n-grams of an order as numbers, each place's n-gram, and which places have one.

    Args:
        words: all words.
        before: for each place, the number of the n-gram that is shorter by one word.
        order: at least 2.
        size: number of distinct words.
    """
    usable = np.flatnonzero(words.left >= order)
    keys, _, _, inverse = grouped(before[usable] * size + words.numbers[usable + order - 1])
    grams = np.zeros(len(words.numbers), np.int64)
    grams[usable] = inverse
    return keys, grams, usable


def count_frequencies(references: Sequence[Sequence[str]]) -> DocumentFrequencies:
    """Count in how many images' references n-grams are."""
    known: dict[str, int] = {}
    number = known.setdefault
    words = _flat([[number(word, len(known)) for word in text.split()] for texts in references for text in texts])
    image = np.repeat(np.arange(len(references)), [len(texts) for texts in references])[words.text]
    keys, images = [], []
    grams, usable, different = words.numbers, np.arange(len(words.numbers)), len(known)
    for order in range(1, ORDERS + 1):
        if order > 1:
            found, grams, usable = _longer(words, grams, order, max(len(known), 1))
            keys.append(found)
            different = len(found)
        having = distinct(image[usable] * max(different, 1) + grams[usable])
        images.append(np.bincount(having % max(different, 1), minlength=different))
    return DocumentFrequencies(known, keys, images, len(references))


def count_ngrams(
    captions: Sequence[str], references: Sequence[Sequence[str]], frequencies: DocumentFrequencies | None = None
) -> Captions:
    """Count the n-grams of captions and references.

    Args:
        captions: one per image.
        references: of each image.
        frequencies: of the whole data set; by default of these references.
    """
    frequencies = count_frequencies(references) if frequencies is None else frequencies
    known = frequencies.words
    further: dict[str, int] = {}
    size = len(known)

    def number(word: str) -> int:
        found = known.get(word)
        return further.setdefault(word, size + len(further)) if found is None else found

    per = np.array([len(texts) for texts in references], np.int64)
    numbered = [
        [number(word) for word in text.split()]
        for text in (*captions, *(text for texts in references for text in texts))
    ]
    words, count = _flat(numbered), len(captions)
    characters = ["".join([chr(_character(word)) for word in text]) for text in numbered]
    # A word's number, one of a longer n-gram that is local, and the same n-gram's number in the whole data set.
    grams, usable, different = words.numbers, np.arange(len(words.numbers)), max(size + len(further), 1)
    overall = np.append(np.arange(size), np.full(different - size, -1))
    orders, images = [], []
    for order in range(1, ORDERS + 1):
        if order > 1:
            keys, grams, usable = _longer(words, grams, order, max(size + len(further), 1))
            before, last = np.divmod(keys, max(size + len(further), 1))
            overall, different = frequencies.of(overall[before], last, order), max(len(keys), 1)
        having = frequencies.images[order - 1]
        images.append(np.where(overall >= 0, having[overall] if len(having) else 0, 0))
        key, _, counts, _ = grouped(words.text[usable] * different + grams[usable])
        text, gram = np.divmod(key, different)
        first = int(np.searchsorted(text, count))
        own, theirs = slice(None, first), slice(first, None)
        orders.append(
            Counted(text[own], gram[own], counts[own], text[theirs] - count, gram[theirs], counts[theirs], different)
        )
    caption_of = np.repeat(np.arange(count), per)
    sides = characters[:count], characters[count:]
    lengths = words.lengths
    return Captions(orders, images, frequencies.documents, lengths[:count], lengths[count:], caption_of, per, sides)


def _character(number: int) -> int:
    """Return the code of a character that stands for a word; halves of characters are left out."""
    return number + 0x800 + 1 if number + 1 >= 0xD800 else number + 1


def _find(ordered: Integers, wanted: Integers) -> tuple[Integers, Integers]:
    """Return where ordered keys have wanted ones, and which of the wanted ones they are."""
    if not len(ordered) or not len(wanted):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    at = np.minimum(np.searchsorted(ordered, wanted), len(ordered) - 1)
    hit = np.flatnonzero(ordered[at] == wanted)
    return at[hit], hit


def bleu_statistics(counted: Captions) -> Floats:
    """Return what BLEU is made of, ``(captions, 10)``: correct and all n-grams of each order, and both lengths."""
    count = len(counted.own_lengths)
    columns = []
    for order, grams in enumerate(counted.orders, 1):
        own = grams.own_text * grams.grams + grams.own_gram
        most = np.zeros(len(own), np.int64)
        at, hit = _find(own, counted.caption_of[grams.ref_text] * grams.grams + grams.ref_gram)
        np.maximum.at(most, at, grams.ref_count[hit])
        columns.append(np.bincount(grams.own_text, np.minimum(grams.own_count, most), count))
        columns.append(np.maximum(counted.own_lengths - order + 1, 0).astype(float))
    own_of_reference = counted.own_lengths[counted.caption_of]
    # The closest length, of two the shorter: the least of (distance, length), as one number.
    rank = np.abs(counted.ref_lengths - own_of_reference) * (1 << 32) + counted.ref_lengths
    starts = np.cumsum(counted.per) - counted.per
    closest = np.minimum.reduceat(rank, starts) & ((1 << 32) - 1)
    return np.stack([*columns, counted.own_lengths.astype(float), closest.astype(float)], axis=1)


def bleu(statistics: Floats) -> Floats:
    """Return BLEU-1 to 4 of rows of :func:`bleu_statistics`, or of sums of them, ``(rows, 4)``."""
    correct, all_grams = statistics[:, 0:8:2], statistics[:, 1:8:2]
    product = np.cumprod((correct + _TINY) / (all_grams + _SMALL), axis=1)
    roots = [each_number(partial(_root, order), column) for order, column in enumerate(product.T, 1)]
    ratio = (statistics[:, 8] + _TINY) / (statistics[:, 9] + _SMALL)
    penalty = each_number(math.exp, np.minimum(1 - 1 / np.maximum(ratio, 1e-300), 0.0))
    result: Floats = np.stack(roots, axis=1) * penalty[:, None]
    return result


def _root(order: int, value: float) -> float:
    return float(value ** (1 / order))


def rouge_l(counted: Captions) -> Floats:
    """Return ROUGE-L of each caption."""
    library = require("rapidfuzz.distance", "ROUGE-L", distribution="meteor-e-captions")
    similarity = library.LCSseq.similarity
    captions, references = counted.characters
    common = np.array(
        [similarity(captions[at], text) for at, text in zip(counted.caption_of.tolist(), references, strict=True)],
        float,
    )
    starts = np.cumsum(counted.per) - counted.per
    # A caption without words has one empty word in pycocoevalcap, which matches only another such.
    own = np.maximum(counted.own_lengths, 1)[counted.caption_of]
    theirs = np.maximum(counted.ref_lengths, 1)
    common = np.where((counted.own_lengths[counted.caption_of] == 0) & (counted.ref_lengths == 0), 1.0, common)
    precision = np.maximum.reduceat(common / own, starts)
    recall = np.maximum.reduceat(common / theirs, starts)
    square = _BETA**2
    weighed = recall + square * precision
    result: Floats = np.where(weighed > 0, (1 + square) * precision * recall / np.where(weighed > 0, weighed, 1), 0.0)
    return result


def cider(counted: Captions) -> Floats:
    """Return CIDEr-D of each caption."""
    count = len(counted.own_lengths)
    total = math.log(counted.documents)
    pairs = [np.maximum(lengths - 1, 0).astype(float) for lengths in (counted.own_lengths, counted.ref_lengths)]
    difference = pairs[0][counted.caption_of] - pairs[1]
    damping = each_number(math.exp, -(difference**2) / (2 * _SIGMA**2))
    similar = np.zeros(len(counted.ref_lengths))
    for grams, having in zip(counted.orders, counted.images, strict=True):
        weight = total - each_number(math.log, np.maximum(having, 1.0))
        own, theirs = grams.own_count * weight[grams.own_gram], grams.ref_count * weight[grams.ref_gram]
        own_key = grams.own_text * grams.grams + grams.own_gram
        at, hit = _find(own_key, counted.caption_of[grams.ref_text] * grams.grams + grams.ref_gram)
        of_hit = grams.ref_text[hit]
        dots = np.bincount(of_hit, np.minimum(own[at], theirs[hit]) * theirs[hit], len(similar))
        own_norm = np.sqrt(np.bincount(grams.own_text, own**2, count))[counted.caption_of]
        their_norm = np.sqrt(np.bincount(grams.ref_text, theirs**2, len(similar)))
        norms = own_norm * their_norm
        similar += np.where(norms > 0, dots / np.where(norms > 0, norms, 1), dots) * damping
    mean = np.bincount(counted.caption_of, similar, count) / counted.per
    result: Floats = mean / ORDERS * 10
    return result
