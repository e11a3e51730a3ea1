"""Find paraphrases by pivoting: phrases with the same translations are paraphrases of each other.

The probability of a paraphrase is p(e₂|e₁) = Σ p(f|e₁)·p(e₂|f), where f are phrases of the pivot language. Bannard and
Callison-Burch introduced this method ("Paraphrasing with Bilingual Parallel Corpora", ACL 2005). The filters are those
of METEOR's paraphrase extraction (Denkowski and Lavie, "METEOR-NEXT and the METEOR Paraphrase Tables", WMT 2010).
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
"""The number of phrases whose paraphrases are computed together."""

_LENGTHS = 256
"""The number of possible lengths of a phrase, including 0."""

RESULT = [("phrase", "<u4"), ("paraphrase", "<u4"), ("probability", "<f8")]
"""The fields of the entries that the extension module returns."""


@dataclass(frozen=True)
class PivotOptions:
    """Store the filters and thresholds for paraphrases. The defaults are the same as in METEOR.

    Attributes:
        least_product: the minimum of a product p(f|e₁)·p(e₂|f). Smaller products are omitted from the sum.
        least_probability: the minimum probability of a paraphrase.
        common: the minimum relative frequency of a common word. The common words become the function words of the pack.
            Phrases that consist only of common words are omitted in both languages.
        symbols: the characters that a phrase must not contain in either language.
    """

    least_product: Probability = 0.001
    least_probability: Probability = 0.01
    common: Probability = 0.001
    symbols: str = SYMBOLS


class WordFilter:
    """Reject phrases that consist of common words or contain certain characters.

    Args:
        common: the common words of the language. A phrase must contain at least one word that is not common.
        symbols: the characters that a phrase must not contain.
    """

    def __init__(self, common: list[str], symbols: str) -> None:
        self._common = frozenset(common)
        self._symbols = frozenset(symbols)

    def __call__(self, words: list[str]) -> bool:
        """Return whether a phrase passes the filter."""
        return not self._common.issuperset(words) and not any(map(self._has_symbol, words))

    def select(self, phrases: Phrases) -> NDArray[np.bool_]:
        """Return a Boolean array that tells which phrases pass the filter."""
        vocabulary = phrases.vocabulary
        is_common = np.fromiter((word in self._common for word in vocabulary), bool, len(vocabulary))
        has_symbol = np.fromiter(map(self._has_symbol, vocabulary), bool, len(vocabulary))
        passes: NDArray[np.bool_] = phrases.any_word(~is_common) & ~phrases.any_word(has_symbol)
        return passes

    def _has_symbol(self, word: str) -> bool:
        """Return whether a word contains a character that phrases must not contain."""
        return not self._symbols.isdisjoint(word)


class WordFilters(NamedTuple):
    """Store the filters for the phrases of the pack's language and of the pivot language."""

    phrases: WordFilter
    pivots: WordFilter


class Paraphrases(NamedTuple):
    """Store the entries of a paraphrase table in the alphabetical order of phrases and paraphrases.

    Attributes:
        phrases: the phrases.
        phrase_ids: the index in ``phrases`` of the phrase of each entry.
        paraphrase_ids: the index in ``phrases`` of the paraphrase of each entry.
        probabilities: the probability p(paraphrase | phrase) of each entry.
    """

    phrases: Phrases
    phrase_ids: NDArray[np.uint32]
    paraphrase_ids: NDArray[np.uint32]
    probabilities: NDArray[np.float64]


class _Translations(NamedTuple):
    """Store the translations of phrases in one direction, sorted by phrase.

    Attributes:
        starts: the index of each phrase's first translation, followed by the number of all translations.
        translations: the id of each translation.
        probabilities: the probability of each translation, given the phrase.
    """

    starts: NDArray[np.uint64]
    translations: NDArray[np.uint32]
    probabilities: NDArray[np.float64]


def pivot(
    pairs: PhrasePairs, filters: WordFilters, options: PivotOptions, threads: int, progress: Progress
) -> Paraphrases:
    """Find paraphrases, which are phrases that have translations in common.

    Args:
        pairs: the phrase pairs.
        filters: the filters for phrases.
        options: the thresholds.
        threads: the number of threads.
        progress: called with the progress.
    """
    progress("pivoting", 0, None)
    to_pivot, from_pivot = _collect_translations(pairs, filters, options.least_product)
    finder = _ParaphraseFinder(pairs.phrases, to_pivot, from_pivot, options)
    entries = finder.find_all(threads, progress)
    progress("sorting paraphrases", 0, None)
    sorted_entries = _sort_entries(pairs.phrases, entries)
    progress("sorting paraphrases", 1, 1)
    return Paraphrases(
        phrases=pairs.phrases,
        phrase_ids=sorted_entries["phrase"],
        paraphrase_ids=sorted_entries["paraphrase"],
        probabilities=sorted_entries["probability"],
    )


class _ParaphraseFinder(NamedTuple):
    """Find the paraphrases of phrases.

    Attributes:
        phrases: all phrases of the pack's language.
        to_pivot: the translations into the pivot language.
        from_pivot: the translations from the pivot language.
        options: the thresholds.
    """

    phrases: Phrases
    to_pivot: _Translations
    from_pivot: _Translations
    options: PivotOptions

    def find_all(self, threads: int, progress: Progress) -> NDArray[np.void]:
        """Find the paraphrases of all phrases in parallel, and return the entries of the paraphrase table."""
        translated_phrases = np.flatnonzero(np.diff(self.to_pivot.starts)).astype(np.uint32)
        phrase_count = len(translated_phrases)
        batches = [translated_phrases[start : start + _BATCH] for start in range(0, phrase_count, _BATCH)]
        entries: list[NDArray[np.void]] = [np.zeros(0, RESULT)]
        with ThreadPool(threads) as pool:
            for batch_number, batch_entries in enumerate(pool.map(self.find, batches), 1):
                entries.append(batch_entries)
                progress("pivoting", min(batch_number * _BATCH, phrase_count), phrase_count)
        return np.concatenate(entries)

    def find(self, batch: NDArray[np.uint32]) -> NDArray[np.void]:
        """Find the paraphrases of a batch of phrases. Pairs in which one phrase contains the other are omitted.

        Args:
            batch: the ids of the phrases.
        """
        data = _native.pivot(
            phrases=np.ascontiguousarray(batch),
            to_starts=self.to_pivot.starts,
            to_translations=self.to_pivot.translations,
            to_probabilities=self.to_pivot.probabilities,
            from_starts=self.from_pivot.starts,
            from_translations=self.from_pivot.translations,
            from_probabilities=self.from_pivot.probabilities,
            min_product=self.options.least_product,
            min_probability=self.options.least_probability,
        )
        entries = np.frombuffer(data, RESULT)
        is_nested = _are_nested(self.phrases, entries["phrase"], entries["paraphrase"])
        paraphrases: NDArray[np.void] = entries[~is_nested]
        return paraphrases


def _collect_translations(
    pairs: PhrasePairs, filters: WordFilters, min_probability: float
) -> tuple[_Translations, _Translations]:
    """Return phrase translations between the pack's language and the pivot language, in both directions.

    Phrase pairs that cannot contribute to any paraphrase are omitted.

    Args:
        pairs: the phrase pairs.
        filters: the filters for phrases.
        min_probability: the minimum probability of a translation.
    """
    is_usable = _find_usable_pairs(pairs, filters)
    to_pivot = _group_pairs(
        selected_pairs=np.flatnonzero(is_usable & (pairs.to_pivot >= min_probability)),
        phrase_ids=pairs.pair_phrases,
        translations=pairs.pair_pivots,
        probabilities=pairs.to_pivot,
        phrase_count=len(pairs.phrases.positions),
    )
    from_pivot = _group_pairs(
        selected_pairs=np.flatnonzero(is_usable & (pairs.from_pivot >= min_probability)),
        phrase_ids=pairs.pair_pivots,
        translations=pairs.pair_phrases,
        probabilities=pairs.from_pivot,
        phrase_count=len(pairs.pivots.positions),
    )
    return to_pivot, from_pivot


def _find_usable_pairs(pairs: PhrasePairs, filters: WordFilters) -> NDArray[np.bool_]:
    """Return a Boolean array that tells which phrase pairs can contribute to a paraphrase."""
    passes_phrase_filter = filters.phrases.select(pairs.phrases)[pairs.pair_phrases]
    passes_pivot_filter = filters.pivots.select(pairs.pivots)[pairs.pair_pivots]
    passes_filters = passes_phrase_filter & passes_pivot_filter
    # Paraphrases share a pivot phrase, so a pivot phrase that occurs in only one pair yields no paraphrases.
    pairs_per_pivot = np.bincount(pairs.pair_pivots[passes_filters], minlength=len(pairs.pivots.positions))
    is_shared_pivot = pairs_per_pivot > 1
    return passes_filters & is_shared_pivot[pairs.pair_pivots]


def _group_pairs(
    selected_pairs: NDArray[np.intp],
    phrase_ids: NDArray[np.uint32],
    translations: NDArray[np.uint32],
    probabilities: NDArray[np.float64],
    phrase_count: int,
) -> _Translations:
    """Sort the selected phrase pairs by phrase.

    Args:
        selected_pairs: the indices of the selected pairs.
        phrase_ids: the id of the phrase of each pair.
        translations: the id of the translation in each pair.
        probabilities: the probability of the translation in each pair.
        phrase_count: the number of phrases.
    """
    selected_phrase_ids = phrase_ids[selected_pairs]
    sorted_indices = selected_pairs[np.argsort(selected_phrase_ids, kind="stable")]
    pair_counts = np.bincount(selected_phrase_ids, minlength=phrase_count)
    starts = np.concatenate([[0], np.cumsum(pair_counts)]).astype(np.uint64)
    return _Translations(starts, translations[sorted_indices], probabilities[sorted_indices])


def _sort_entries(phrases: Phrases, entries: NDArray[np.void]) -> NDArray[np.void]:
    """Sort the entries of a paraphrase table by words, so that the order is independent of the phrase ids."""
    distinct_phrases = np.unique(np.concatenate([entries["phrase"], entries["paraphrase"]]))
    # Sorting a permutation gives the inverse permutation, which contains the rank of each distinct phrase.
    ranks = np.argsort(phrases.order(distinct_phrases)).astype(np.uint32)
    phrase_ranks = ranks[np.searchsorted(distinct_phrases, entries["phrase"])]
    paraphrase_ranks = ranks[np.searchsorted(distinct_phrases, entries["paraphrase"])]
    # The last key of np.lexsort() is the primary key.
    return entries[np.lexsort((paraphrase_ranks, phrase_ranks))]


def _are_nested(phrases: Phrases, left: NDArray[np.uint32], right: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Return a Boolean array that is True for each pair in which one phrase contains the other phrase."""
    is_left_longer = phrases.lengths[left] > phrases.lengths[right]
    inner = np.where(is_left_longer, right, left)
    outer = np.where(is_left_longer, left, right)
    # Pairs are grouped by the lengths of their two phrases, so NumPy can compare all pairs of a group at once.
    length_keys = phrases.lengths[inner] * np.uint16(_LENGTHS) + phrases.lengths[outer]
    is_nested = np.zeros(len(left), bool)
    for length_key in np.flatnonzero(np.bincount(length_keys)).tolist():
        is_selected = length_keys == length_key
        inner_length, outer_length = divmod(length_key, _LENGTHS)
        inner_words = _gather_words(phrases, inner[is_selected], inner_length)
        outer_words = _gather_words(phrases, outer[is_selected], outer_length)
        is_nested[is_selected] = _contains_phrase(outer_words, inner_words)
    return is_nested


def _gather_words(phrases: Phrases, phrase_ids: NDArray[np.uint32], length: int) -> NDArray[np.uint32]:
    """Return the word ids of phrases that have the same length, as an array ``(length, phrases)``."""
    offsets = np.arange(length)[:, np.newaxis]
    words: NDArray[np.uint32] = phrases.words[phrases.positions[phrase_ids] + offsets]
    return words


def _contains_phrase(outer_words: NDArray[np.uint32], inner_words: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Return a Boolean array that is True for each pair in which the outer phrase contains the inner phrase.

    Args:
        outer_words: the word ids of the outer phrases, ``(outer length, pairs)``.
        inner_words: the word ids of the inner phrases, ``(inner length, pairs)``.
    """
    inner_length, pair_count = inner_words.shape
    contains = np.zeros(pair_count, bool)
    # The inner phrase is compared with the outer phrase at each possible offset.
    for offset in range(len(outer_words) - inner_length + 1):
        window = outer_words[offset : offset + inner_length]
        contains |= (window == inner_words).all(axis=0)
    return contains
