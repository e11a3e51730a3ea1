"""Implements the metric NIST, which weights matching n-grams by their information (Doddington, 2002).

The score of a corpus equals that of NLTK's ``corpus_nist``. For scores of segments, the weights of n-grams come from
the references of the entire test set, as in NIST's ``mteval``, whereas NLTK uses only the references of the segment.
Texts are tokenized by sacreBLEU's ``13a`` tokenizer and lower-cased, which corresponds to the default of ``mteval``.
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
"""Length of the longest n-grams in words."""

# The penalty is 0.5 if the hypothesis has two thirds as many words as the reference (Doddington, 2002, section 4).
BETA = math.log(0.5) / math.log(1.5) ** 2


def brevity_penalty(hypothesis_length: float, reference_length: float) -> float:
    """Return the brevity penalty, a factor that lowers the score of a short hypothesis.

    Args:
        hypothesis_length: number of words of the hypothesis.
        reference_length: mean number of words of the references.
    """
    if hypothesis_length <= 0 or reference_length <= 0:
        return 0.0
    ratio = min(hypothesis_length / reference_length, 1.0)
    return math.exp(BETA * math.log(ratio) ** 2)


def _ngrams(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield all n-grams of a segment, from single words to :data:`ORDER` words."""
    for size in range(1, ORDER + 1):
        for start in range(len(words) - size + 1):
            yield tuple(words[start : start + size])


class NistMetric(Metric):
    """The metric NIST.

    Each matching n-gram adds its information to the score. Rare n-grams carry more information than frequent n-grams,
    as defined in :meth:`weigh`.

    The statistics of a segment are 12 numbers. For each length of n-grams, there are two: the total information of the
    matching n-grams, and the number of n-grams. The last two are the number of words of the segment, and the mean
    number of words of its references.
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
        """Split a text into lower-cased words in the same way as ``mteval``."""
        return str(self._tokenize(text)).lower().split()

    def prepare(self, references: Sequence[Sequence[str]]) -> NistMetric:
        """Return a copy of the metric that weights each n-gram by its information in the given references."""
        prepared = copy.copy(self)
        prepared.weigh([self.words(segment) for segments in references for segment in segments])
        texts = list(references)
        reference_counts = {len(segments) for segments in references}
        if len(reference_counts) == 1:
            # The segments are grouped by reference, so that the digest of each reference equals the digest of its file.
            (n_references,) = reference_counts
            texts = [[segments[index] for segments in references] for index in range(n_references)]
        digest_of_texts = digest(digest(text) for text in texts)
        prepared.signature = f"nist|tok:13a|case:lc|information:{digest_of_texts}"
        return prepared

    def weigh(self, references: Sequence[Sequence[str]]) -> None:
        """Set the information of all n-grams.

        The information of an n-gram is ``-log2`` of the probability of its last word, given the preceding words.

        Args:
            references: words of all references.
        """
        counts: Counter[tuple[str, ...]] = Counter()
        for words in references:
            counts.update(_ngrams(words))
        n_words = sum(len(words) for words in references)
        self._information = {}
        for ngram, count in counts.items():
            prefix_count = counts[ngram[:-1]] if len(ngram) > 1 else n_words
            self._information[ngram] = math.log2(prefix_count / count)

    def statistics(self, batch: Batch) -> Floats:
        """Return the NIST statistics of each segment.

        Returns:
            An array ``(segments, 12)``.
        """
        rows = np.zeros((len(batch), 2 * ORDER + 2))
        for index in range(len(batch)):
            hypothesis_words = self.words(batch.hypotheses[index])
            reference_words = [self.words(reference) for reference in batch.references[index]]
            rows[index] = self._segment_statistics(hypothesis_words, reference_words)
        return rows

    def _segment_statistics(self, words: Sequence[str], references: Sequence[Sequence[str]]) -> Floats:
        """Compute the NIST statistics of a segment.

        For each length of n-grams, there are two statistics: the total information of the matching n-grams, and the
        number of n-grams. The last two statistics are the number of words of the hypothesis, and the mean number of
        words of the references.

        Args:
            words: words of the hypothesis.
            references: words of each reference.
        """
        reference_counts: Counter[tuple[str, ...]] = Counter()
        for reference_words in references:
            # The union of counters keeps the largest count of each n-gram over all references.
            reference_counts |= Counter(_ngrams(reference_words))
        matched_information = np.zeros(ORDER)
        ngram_counts = np.zeros(ORDER)
        for ngram, count in Counter(_ngrams(words)).items():
            order_index = len(ngram) - 1
            ngram_counts[order_index] += count
            if ngram in reference_counts:
                n_matches = min(count, reference_counts[ngram])
                matched_information[order_index] += self._information.get(ngram, 0.0) * n_matches
        mean_length = sum(len(reference_words) for reference_words in references) / len(references)
        return np.concatenate([matched_information, ngram_counts, [len(words), mean_length]])

    def scores(self, sums: Floats) -> Floats:
        """Return one NIST score for each row of summed statistics."""
        return np.array([_score(row) for row in sums], float)


def _score(statistics: Floats) -> float:
    """Compute the NIST score from the summed statistics of the segments."""
    information = statistics[:ORDER]
    counts = statistics[ORDER : 2 * ORDER]
    hypothesis_length, reference_length = statistics[2 * ORDER :]
    mean_information = np.divide(information, counts, out=np.zeros(ORDER), where=counts > 0)
    return float(mean_information.sum()) * brevity_penalty(hypothesis_length, reference_length)
