"""Paraphrases by pivoting: p(e₂|e₁) = Σ p(f|e₁)·p(e₂|f) over the phrases f of the other language.

Bannard and Callison-Burch, "Paraphrasing with Bilingual Parallel Corpora", ACL 2005; with the filters of METEOR's
paraphrase extraction (Denkowski and Lavie, "METEOR-NEXT and the METEOR Paraphrase Tables", WMT 2010).
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
"""Characters that a phrase may not hold: METEOR's, which are those of ASCII that are no letters or digits."""

Probability = Annotated[float, Meta(ge=0, le=1)]

_TOGETHER = 1 << 18
"""Phrases whose paraphrases are looked for together."""

RESULT = [("phrase", "<u4"), ("paraphrase", "<u4"), ("probability", "<f8")]


@dataclass(frozen=True)
class PivotOptions:
    """Filters and thresholds; the defaults are METEOR's.

    Attributes:
        least_product: p(f|e₁)·p(e₂|f) below this is left out of the sum.
        least_probability: a paraphrase of a smaller sum is left out.
        common: words of a higher relative frequency are common (and function words); a phrase of common words
            only is left out, in either language.
        symbols: a phrase that holds one of these characters is left out, in either language.
    """

    least_product: Probability = 0.001
    least_probability: Probability = 0.01
    common: Probability = 0.001
    symbols: str = SYMBOLS


class WordFilter:
    """Which phrases may take part, by their words.

    Args:
        common: the language's common words.
        symbols: characters that a phrase may not hold.
    """

    def __init__(self, common: list[str], symbols: str) -> None:
        self._common = frozenset(common)
        self._symbols = frozenset(symbols)

    def __call__(self, words: list[str]) -> bool:
        """Return whether a phrase may take part."""
        return not self._common.issuperset(words) and not any(map(self._has_symbol, words))

    def select(self, phrases: Phrases) -> NDArray[np.bool_]:
        """Return which phrases may take part."""
        vocabulary = phrases.vocabulary
        common = np.fromiter((word in self._common for word in vocabulary), bool, len(vocabulary))
        symbols = np.fromiter(map(self._has_symbol, vocabulary), bool, len(vocabulary))
        selected: NDArray[np.bool_] = ~phrases.all_words(common) & ~phrases.any_word(symbols)
        return selected

    def _has_symbol(self, word: str) -> bool:
        return not self._symbols.isdisjoint(word)


class Paraphrases(NamedTuple):
    """Entries of a paraphrase table, sorted by the words of both phrases.

    Attributes:
        phrases: the phrases that the numbers mean.
        left, right: phrase and paraphrase of each entry.
        probabilities: p(right | left).
    """

    phrases: Phrases
    left: NDArray[np.uint32]
    right: NDArray[np.uint32]
    probabilities: NDArray[np.float64]


def pivot(
    pairs: PhrasePairs, wanted: WordFilter, wanted_pivot: WordFilter, options: PivotOptions, threads: int,
    progress: Progress,
) -> Paraphrases:  # fmt: skip
    """Return the paraphrases that phrase pairs lead to.

    Args:
        pairs: the phrase pairs.
        wanted: the filter of the pack's language.
        wanted_pivot: that of the pivot language.
        options: thresholds.
        threads: how many work.
        progress: told how far it is.
    """
    progress("pivoting", 0, None)
    phrases, pivots = pairs.phrases, pairs.pivots
    usable = wanted.select(phrases)[pairs.pair_phrases] & wanted_pivot.select(pivots)[pairs.pair_pivots]
    # A pivot of one pair leads from a phrase to that phrase only.
    several = np.bincount(pairs.pair_pivots[usable], minlength=len(pivots.places)) > 1
    usable &= several[pairs.pair_pivots]
    to_rows = np.flatnonzero(usable & (pairs.to_pivot >= options.least_product))
    from_rows = np.flatnonzero(usable & (pairs.from_pivot >= options.least_product))
    to = _by_phrase(to_rows, pairs.pair_phrases, pairs.pair_pivots, pairs.to_pivot, len(phrases.places))
    back = _by_phrase(from_rows, pairs.pair_pivots, pairs.pair_phrases, pairs.from_pivot, len(pivots.places))
    starting = np.flatnonzero(np.diff(to[0])).astype(np.uint32)

    def search(begin: int) -> NDArray[np.void]:
        part = np.ascontiguousarray(starting[begin : begin + _TOGETHER])
        data = _native.pivot(
            phrases=part,
            starts=to[0],
            pivots=to[1],
            to_probabilities=to[2],
            pivot_starts=back[0],
            others=back[1],
            from_probabilities=back[2],
            least_product=options.least_product,
            least_sum=options.least_probability,
        )
        found = np.frombuffer(data, RESULT)
        kept: NDArray[np.void] = found[~_nested(phrases, found["phrase"], found["paraphrase"])]
        return kept

    parts: list[NDArray[np.void]] = [np.zeros(0, RESULT)]
    with ThreadPool(threads) as pool:
        for part in pool.map(search, range(0, len(starting), _TOGETHER)):
            parts.append(part)
            progress("pivoting", min((len(parts) - 1) * _TOGETHER, len(starting)), len(starting))
    found = np.concatenate(parts)
    # Sorted by words, so that the table does not depend on how phrases were numbered.
    progress("sorting paraphrases", 0, None)
    names = np.unique(np.concatenate([found["phrase"], found["paraphrase"]]))
    rank = np.empty(len(names), np.uint32)
    rank[phrases.order(names)] = np.arange(len(names), dtype=np.uint32)
    left, right = (rank[np.searchsorted(names, found[side])] for side in ("phrase", "paraphrase"))
    found = found[np.lexsort((right, left))]
    progress("sorting paraphrases", 1, 1)
    return Paraphrases(phrases, found["phrase"], found["paraphrase"], found["probability"])


def _by_phrase(
    rows: NDArray[np.intp],
    keys: NDArray[np.uint32],
    others: NDArray[np.uint32],
    probabilities: NDArray[np.float64],
    count: int,
) -> tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.float64]]:
    """Return pairs sorted by one of their phrases: where each phrase's begin, the others, the probabilities."""
    rows = rows[np.argsort(keys[rows], kind="stable")]
    starts = np.zeros(count + 1, np.uint64)
    starts[1:] = np.cumsum(np.bincount(keys[rows], minlength=count))
    return starts, others[rows], probabilities[rows]


def _nested(phrases: Phrases, left: NDArray[np.uint32], right: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Return in which pairs one phrase is part of the other, word for word."""
    swap = phrases.lengths[left] > phrases.lengths[right]
    inner, outer = np.where(swap, right, left), np.where(swap, left, right)
    inner_lengths, outer_lengths = phrases.lengths[inner].astype(int), phrases.lengths[outer].astype(int)
    nested = np.zeros(len(left), bool)
    for length in np.unique(inner_lengths).tolist():
        for longer in np.unique(outer_lengths[inner_lengths == length]).tolist():
            chosen = np.flatnonzero((inner_lengths == length) & (outer_lengths == longer))
            inside, outside = phrases.places[inner[chosen]], phrases.places[outer[chosen]]
            for offset in range(longer - length + 1):
                same = np.ones(len(chosen), bool)
                for word in range(length):
                    same &= phrases.words[inside + word] == phrases.words[outside + offset + word]
                nested[chosen] |= same
    return nested
