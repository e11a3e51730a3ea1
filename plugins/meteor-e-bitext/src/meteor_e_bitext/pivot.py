"""Find paraphrases by pivoting: p(e₂|e₁) = Σ p(f|e₁)·p(e₂|f) over the phrases f of the pivot language.

The method is that of Bannard and Callison-Burch, "Paraphrasing with Bilingual Parallel Corpora", ACL 2005. The filters
are those of METEOR's paraphrase extraction (Denkowski and Lavie, "METEOR-NEXT and the METEOR Paraphrase Tables", WMT
2010).
"""

from __future__ import annotations

import string
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import Meta
from meteor_e.base.progress import Progress
from meteor_e.base.thread_pool import ThreadPool
from meteor_e_bitext import _native
from meteor_e_bitext.phrases import PhrasePairs, Phrases

SYMBOLS = string.punctuation
"""The characters that a phrase must not contain. As in METEOR, they are the punctuation characters of ASCII."""

Probability = Annotated[float, Meta(ge=0, le=1)]

_BATCH = 1 << 18
"""Number of phrases whose paraphrases are computed together."""

RESULT = [("phrase", "<u4"), ("paraphrase", "<u4"), ("probability", "<f8")]
"""An entry of the array that the extension returns."""


@dataclass(frozen=True)
class PivotOptions:
    """Filters and thresholds for paraphrases. The defaults are METEOR's.

    Attributes:
        least_product: minimum of a product p(f|e₁)·p(e₂|f). Smaller products are left out of the sum.
        least_probability: minimum probability of a paraphrase.
        common: minimum relative frequency of a common word. The common words are the function words of the pack.
            Phrases of common words only are left out, in both languages.
        symbols: characters that a phrase must not contain, in both languages.
    """

    least_product: Probability = 0.001
    least_probability: Probability = 0.01
    common: Probability = 0.001
    symbols: str = SYMBOLS


class WordFilter:
    """Decides by their words which phrases can take part in paraphrases.

    Args:
        common: the common words of the language. A phrase must contain another word.
        symbols: the characters that a phrase must not contain.
    """

    def __init__(self, common: list[str], symbols: str) -> None:
        self._common = frozenset(common)
        self._symbols = frozenset(symbols)

    def __call__(self, words: list[str]) -> bool:
        """Return whether a phrase passes the filter."""
        return not self._common.issuperset(words) and not any(map(self._has_symbol, words))

    def select(self, phrases: Phrases) -> NDArray[np.bool_]:
        """Return for each phrase whether it passes the filter."""
        vocabulary = phrases.vocabulary
        is_common = np.fromiter((word in self._common for word in vocabulary), bool, len(vocabulary))
        has_symbol = np.fromiter(map(self._has_symbol, vocabulary), bool, len(vocabulary))
        passes: NDArray[np.bool_] = ~phrases.all_words(is_common) & ~phrases.any_word(has_symbol)
        return passes

    def _has_symbol(self, word: str) -> bool:
        return not self._symbols.isdisjoint(word)


class Paraphrases(NamedTuple):
    """The entries of a paraphrase table, sorted by the words of both phrases.

    Attributes:
        phrases: the phrases.
        left, right: the indices of the phrase and the paraphrase of each entry.
        probabilities: the probability p(right | left) of each entry.
    """

    phrases: Phrases
    left: NDArray[np.uint32]
    right: NDArray[np.uint32]
    probabilities: NDArray[np.float64]


class _Translations(NamedTuple):
    """Phrase pairs, sorted by one of their phrases.

    Attributes:
        starts: the index of the first pair of each phrase, followed by the number of pairs.
        translations: the other phrase of each pair.
        probabilities: the probability of the other phrase, given the phrase.
    """

    starts: NDArray[np.uint64]
    translations: NDArray[np.uint32]
    probabilities: NDArray[np.float64]


def pivot(
    pairs: PhrasePairs,
    phrase_filter: WordFilter,
    pivot_filter: WordFilter,
    options: PivotOptions,
    threads: int,
    progress: Progress,
) -> Paraphrases:
    """Return the paraphrases that follow from phrase pairs.

    Args:
        pairs: the phrase pairs.
        phrase_filter: the filter for phrases of the pack's language.
        pivot_filter: the filter for phrases of the pivot language.
        options: the thresholds.
        threads: number of threads.
        progress: called with the progress.
    """
    progress("pivoting", 0, None)
    phrases = pairs.phrases
    to_pivot, from_pivot = _sort_pairs(pairs, phrase_filter, pivot_filter, options.least_product)
    translated_phrases = np.flatnonzero(np.diff(to_pivot.starts)).astype(np.uint32)

    def find_paraphrases(begin: int) -> NDArray[np.void]:
        data = _native.pivot(
            phrases=np.ascontiguousarray(translated_phrases[begin : begin + _BATCH]),
            to_starts=to_pivot.starts,
            to_translations=to_pivot.translations,
            to_probabilities=to_pivot.probabilities,
            from_starts=from_pivot.starts,
            from_translations=from_pivot.translations,
            from_probabilities=from_pivot.probabilities,
            min_product=options.least_product,
            min_probability=options.least_probability,
        )
        entries = np.frombuffer(data, RESULT)
        distinct: NDArray[np.void] = entries[~_are_nested(phrases, entries["phrase"], entries["paraphrase"])]
        return distinct

    batches: list[NDArray[np.void]] = [np.zeros(0, RESULT)]
    with ThreadPool(threads) as pool:
        for index, batch in enumerate(pool.map(find_paraphrases, range(0, len(translated_phrases), _BATCH)), 1):
            batches.append(batch)
            progress("pivoting", min(index * _BATCH, len(translated_phrases)), len(translated_phrases))
    progress("sorting paraphrases", 0, None)
    entries = _sort_entries(phrases, np.concatenate(batches))
    progress("sorting paraphrases", 1, 1)
    return Paraphrases(phrases, entries["phrase"], entries["paraphrase"], entries["probability"])


def _sort_pairs(
    pairs: PhrasePairs, phrase_filter: WordFilter, pivot_filter: WordFilter, min_probability: float
) -> tuple[_Translations, _Translations]:
    """Return the translations into the pivot language and back, without pairs that cannot lead to paraphrases."""
    pivot_count = len(pairs.pivots.positions)
    passes_phrase_filter = phrase_filter.select(pairs.phrases)[pairs.pair_phrases]
    passes_pivot_filter = pivot_filter.select(pairs.pivots)[pairs.pair_pivots]
    is_usable = passes_phrase_filter & passes_pivot_filter
    # A pivot with a single pair leads from a phrase back to the same phrase only.
    pairs_per_pivot = np.bincount(pairs.pair_pivots[is_usable], minlength=pivot_count)
    is_usable &= (pairs_per_pivot > 1)[pairs.pair_pivots]
    to_pivot = _group_pairs(
        np.flatnonzero(is_usable & (pairs.to_pivot >= min_probability)),
        pairs.pair_phrases,
        pairs.pair_pivots,
        pairs.to_pivot,
        len(pairs.phrases.positions),
    )
    from_pivot = _group_pairs(
        np.flatnonzero(is_usable & (pairs.from_pivot >= min_probability)),
        pairs.pair_pivots,
        pairs.pair_phrases,
        pairs.from_pivot,
        pivot_count,
    )
    return to_pivot, from_pivot


def _group_pairs(
    indices: NDArray[np.intp],
    phrases: NDArray[np.uint32],
    translations: NDArray[np.uint32],
    probabilities: NDArray[np.float64],
    phrase_count: int,
) -> _Translations:
    """Return the pairs with these indices, sorted by phrase."""
    indices = indices[np.argsort(phrases[indices], kind="stable")]
    starts = np.zeros(phrase_count + 1, np.uint64)
    starts[1:] = np.cumsum(np.bincount(phrases[indices], minlength=phrase_count))
    return _Translations(starts, translations[indices], probabilities[indices])


def _sort_entries(phrases: Phrases, entries: NDArray[np.void]) -> NDArray[np.void]:
    """Return the entries sorted by the words of both phrases, so that their order does not depend on phrase ids."""
    distinct = np.unique(np.concatenate([entries["phrase"], entries["paraphrase"]]))
    ranks = np.empty(len(distinct), np.uint32)
    ranks[phrases.order(distinct)] = np.arange(len(distinct), dtype=np.uint32)
    left_ranks = ranks[np.searchsorted(distinct, entries["phrase"])]
    right_ranks = ranks[np.searchsorted(distinct, entries["paraphrase"])]
    return entries[np.lexsort((right_ranks, left_ranks))]


def _are_nested(phrases: Phrases, left: NDArray[np.uint32], right: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Return for each pair of phrases whether one phrase contains the other, word for word."""
    is_left_longer = phrases.lengths[left] > phrases.lengths[right]
    inner = np.where(is_left_longer, right, left)
    outer = np.where(is_left_longer, left, right)
    inner_lengths = phrases.lengths[inner].astype(int)
    outer_lengths = phrases.lengths[outer].astype(int)
    is_nested = np.zeros(len(left), bool)
    for inner_length in np.unique(inner_lengths).tolist():
        for outer_length in np.unique(outer_lengths[inner_lengths == inner_length]).tolist():
            indices = np.flatnonzero((inner_lengths == inner_length) & (outer_lengths == outer_length))
            inner_positions = phrases.positions[inner[indices]]
            outer_positions = phrases.positions[outer[indices]]
            for offset in range(outer_length - inner_length + 1):
                is_equal = np.ones(len(indices), bool)
                for i in range(inner_length):
                    inner_words = phrases.words[inner_positions + i]
                    is_equal &= inner_words == phrases.words[outer_positions + offset + i]
                is_nested[indices] |= is_equal
    return is_nested
