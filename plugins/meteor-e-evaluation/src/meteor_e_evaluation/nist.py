"""NIST: information-weighted n-gram co-occurrence (Doddington, 2002).

The score of a corpus equals NLTK's ``corpus_nist``. NLTK takes the weights of n-grams in a sentence's score from the
sentence's reference. Here, as in NIST's ``mteval``, they come from the references of the entire test set, also in
segment scores. Words are those of sacreBLEU's ``13a`` tokenizer in lower case, the default of ``mteval``.
"""

from __future__ import annotations

import copy
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np

from meteor_e.api import Batch, Metric
from meteor_e.base.array_cache import Floats, digest
from meteor_e.base.extras import require

ORDER = 5
"""Length of the longest n-grams."""

# The penalty is 0.5 if the hypothesis has two thirds of the reference's words (Doddington, 2002, section 4).
BETA = math.log(0.5) / math.log(1.5) ** 2


def brevity_penalty(hypothesis_length: float, reference_length: float) -> float:
    """Return the factor that lowers the score of short hypotheses."""
    if hypothesis_length <= 0 or reference_length <= 0:
        return 0.0
    ratio = min(hypothesis_length / reference_length, 1.0)
    return math.exp(BETA * math.log(ratio) ** 2)


def _ngrams(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    for size in range(1, ORDER + 1):
        for start in range(len(words) - size + 1):
            yield tuple(words[start : start + size])


class NistMetric(Metric):
    """NIST.

    The statistics of a segment are the information of its matched n-grams for each order from 1 to 5, its number of
    n-grams of each order, its length in words, and the mean length of its references.
    """

    name: ClassVar[str] = "nist"
    title: ClassVar[str] = "NIST"
    requires: ClassVar[tuple[str, ...]] = ("sacrebleu",)
    needs_references: ClassVar[bool] = True

    def __init__(self) -> None:
        super().__init__()
        tokenizers = require("sacrebleu.tokenizers.tokenizer_13a", "metric 'nist'", "metrics")
        self._tokenize = tokenizers.Tokenizer13a()
        self._information: dict[tuple[str, ...], float] = {}
        self.signature = "nist"

    def words(self, text: str) -> list[str]:
        """Split a text as ``mteval`` does."""
        return str(self._tokenize(text)).lower().split()

    def prepare(self, references: Sequence[Sequence[str]]) -> NistMetric:
        """Return the metric with the information weights of the references' n-grams."""
        prepared = copy.copy(self)
        texts = references
        if len({*map(len, references)}) == 1:
            # One text per reference: the digest is then that of the reference files.
            texts = [list(text) for text in zip(*references, strict=True)]
        prepared.weigh([self.words(segment) for text in texts for segment in text])
        prepared.signature = f"nist|tok:13a|case:lc|information:{digest(digest(text) for text in texts)}"
        return prepared

    def weigh(self, references: Sequence[Sequence[str]]) -> None:
        """Set the information of n-grams: ``-log2`` of the probability of the last word given the words before it."""
        counts: Counter[tuple[str, ...]] = Counter()
        for words in references:
            counts.update(_ngrams(words))
        n_words = sum(len(words) for words in references)
        self._information = {
            ngram: math.log2((counts[ngram[:-1]] if len(ngram) > 1 else n_words) / count)
            for ngram, count in counts.items()
        }

    def statistics(self, batch: Batch) -> Floats:
        """Return the statistics of the segments, ``(segments, 12)``."""
        rows = np.zeros((len(batch), 2 * ORDER + 2))
        for row, (hypothesis, segment_references) in enumerate(zip(batch.hypotheses, batch.references, strict=True)):
            words = self.words(hypothesis)
            reference_counts: Counter[tuple[str, ...]] = Counter()
            reference_lengths = []
            for reference in segment_references:
                reference_words = self.words(reference)
                reference_counts |= Counter(_ngrams(reference_words))
                reference_lengths.append(len(reference_words))
            for ngram, count in Counter(_ngrams(words)).items():
                order = len(ngram) - 1
                rows[row, ORDER + order] += count
                if ngram in reference_counts:
                    rows[row, order] += self._information.get(ngram, 0.0) * min(count, reference_counts[ngram])
            rows[row, -2:] = len(words), sum(reference_lengths) / len(reference_lengths)
        return rows

    def scores(self, sums: Floats) -> Floats:
        """Return NIST of summed statistics."""
        return np.array([_score(row) for row in sums], float)


def _score(statistics: Floats) -> float:
    information, counts = statistics[:ORDER], statistics[ORDER : 2 * ORDER]
    per_order = np.divide(information, counts, out=np.zeros(ORDER), where=counts > 0)
    return float(per_order.sum()) * brevity_penalty(statistics[-2], statistics[-1])
