"""BLEU-1 to 4, ROUGE-L and CIDEr-D of captions, with the numbers of pycocoevalcap, from arrays of n-grams.

Captions are tokenized texts, words joined by blanks, as :class:`meteor_e.integrations.coco.PTBTokenizer` gives them.
Where pycocoevalcap's numbers follow from choices of its own, they are said here:

* BLEU (Papineni et al., 2002): clipped n-gram precisions with 1e-15 added to what matches and 1e-9 to what there is;
  the reference length is the one that is closest to the caption's, the shorter of two.
* ROUGE-L (Lin, 2004): β = 1.2; the best precision and the best recall over the references.
* CIDEr-D (Vedantam et al., 2015): σ = 6, times 10; the length that its Gaussian compares is the number of word pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from meteor_e.toolkit import require

if TYPE_CHECKING:
    from meteor_e.toolkit import Floats, Integers

__all__ = ["ORDERS", "Counted", "bleu", "bleu_statistics", "cider", "count_ngrams", "document_frequencies", "rouge_l"]

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


class Captions(NamedTuple):
    """Captions and references as numbers.

    Attributes:
        orders: n-grams of each order from 1.
        own_lengths, ref_lengths: in words.
        caption_of: for each reference, the caption that it belongs to.
        per: number of references of each caption.
        characters: each text with a character per word, captions first.
    """

    orders: list[Counted]
    own_lengths: Integers
    ref_lengths: Integers
    caption_of: Integers
    per: Integers
    characters: tuple[list[str], list[str]]


def count_ngrams(captions: Sequence[str], references: Sequence[Sequence[str]]) -> Captions:
    """Count the n-grams of captions and references."""
    known: dict[str, int] = {}
    number = known.setdefault
    per = np.array([len(texts) for texts in references], np.int64)
    texts = [*captions, *(text for texts in references for text in texts)]
    numbered = [[number(word, len(known)) for word in text.split()] for text in texts]
    lengths = np.array([len(words) for words in numbered], np.int64)
    words = np.array([word for text in numbered for word in text], np.int64)
    characters = ["".join([chr(_character(word)) for word in text]) for text in numbered]
    text_of = np.repeat(np.arange(len(texts)), lengths)
    within = np.arange(len(words)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    left = lengths[text_of] - within  # words from here to the end of the text
    grams, size = words, max(len(known), 1)
    count, orders = len(captions), []
    distinct = size
    for order in range(1, ORDERS + 1):
        if order > 1:
            keep = left >= order
            longer = grams[:-1] * size + words[order - 1 :] if len(grams) else grams
            longer, keep = longer[keep[: len(longer)]], keep
            found, inverse = np.unique(longer, return_inverse=True)
            # Places without such an n-gram keep a number that is never used.
            grams = np.zeros(max(len(words) - order + 1, 0), np.int64)
            grams[keep[: len(grams)]] = inverse
            distinct = max(len(found), 1)
        usable = left[: len(grams)] >= order
        key, counts = np.unique(text_of[: len(grams)][usable] * distinct + grams[usable], return_counts=True)
        text, gram = key // distinct, key % distinct
        first = int(np.searchsorted(text, count))
        orders.append(
            Counted(
                text[:first], gram[:first], counts[:first], text[first:] - count, gram[first:], counts[first:], distinct
            )
        )
    caption_of = np.repeat(np.arange(count), per)
    sides = characters[:count], characters[count:]
    return Captions(orders, lengths[:count], lengths[count:], caption_of, per, sides)


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
    scores = product ** (1 / np.arange(1, ORDERS + 1))
    ratio = (statistics[:, 8] + _TINY) / (statistics[:, 9] + _SMALL)
    penalty = np.where(ratio < 1, np.exp(1 - 1 / np.maximum(ratio, 1e-300)), 1.0)
    result: Floats = scores * penalty[:, None]
    return result


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


def document_frequencies(counted: Captions) -> list[Integers]:
    """Return for each order and n-gram the number of images with a reference that has it."""
    found = []
    for grams in counted.orders:
        key = np.unique(counted.caption_of[grams.ref_text] * grams.grams + grams.ref_gram)
        found.append(np.bincount(key % grams.grams, minlength=grams.grams))
    return found


def cider(counted: Captions, frequencies: Sequence[Integers] | None = None, documents: int | None = None) -> Floats:
    """Return CIDEr-D of each caption.

    Args:
        counted: captions and references.
        frequencies: for each order and n-gram the number of images with it; by default of these references.
        documents: the number of images that they were counted in; by default those here.
    """
    count = len(counted.own_lengths)
    frequencies = document_frequencies(counted) if frequencies is None else frequencies
    total = np.log(float(count if documents is None else documents))
    pairs = [np.maximum(lengths - 1, 0).astype(float) for lengths in (counted.own_lengths, counted.ref_lengths)]
    difference = pairs[0][counted.caption_of] - pairs[1]
    damping = np.exp(-(difference**2) / (2 * _SIGMA**2))
    similar = np.zeros(len(counted.ref_lengths))
    for grams, having in zip(counted.orders, frequencies, strict=True):
        weight = total - np.log(np.maximum(having, 1.0))
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
