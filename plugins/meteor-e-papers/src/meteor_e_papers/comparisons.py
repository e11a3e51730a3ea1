"""MaxSD's training data: comparisons of hypotheses, cleaned as the paper describes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from meteor_e_learned.models.texts import TextSamples
from numpy.typing import NDArray

from meteor_e.api import Examples
from meteor_e.base.array_cache import Floats

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Comparisons:
    """Which of two hypotheses is better.

    Attributes:
        better, worse: positions of the hypotheses, ``(comparisons,)``.
        group: the segment of each comparison, as a number; by default each comparison has a segment of its own.
        weight: weight of each comparison; by default 1.
    """

    better: Integers
    worse: Integers
    group: Integers | None = None
    weight: Floats | None = None

    def __len__(self) -> int:
        return len(self.better)

    def select(self, rows: Integers) -> Comparisons:
        """Return some of the comparisons."""
        return Comparisons(
            self.better[rows],
            self.worse[rows],
            None if self.group is None else self.group[rows],
            None if self.weight is None else self.weight[rows],
        )


def clean_comparisons(
    texts: TextSamples, comparisons: Comparisons, lengths: Sequence[int], longest: int
) -> Comparisons:
    """Return comparisons without long segments, duplicates and contradictions (Ma et al., 2016, section 4.1).

    Comparisons are duplicates if they have the same texts: reference, better and worse hypothesis. One of them remains.
    Of two comparisons that contradict each other, the less frequent one is removed. If both are equally frequent, both
    are removed. Comparisons of equal texts are removed, too.

    Args:
        texts: the hypotheses.
        comparisons: the comparisons to clean.
        lengths: for each hypothesis the largest number of words in it and its references.
        longest: the largest number of words of a segment that is kept.
    """
    identity = number_texts(texts)
    pairs = list(zip(identity[comparisons.better].tolist(), identity[comparisons.worse].tolist(), strict=True))
    counts = Counter(pairs)
    short = np.asarray(lengths) <= longest
    rows: list[int] = []
    selected_pairs = set()
    for row, (better, worse) in enumerate(pairs):
        is_duplicate = (better, worse) in selected_pairs
        is_contradicted = counts[better, worse] <= counts[worse, better]
        if is_duplicate or better == worse or is_contradicted:
            continue
        if short[comparisons.better[row]] and short[comparisons.worse[row]]:
            selected_pairs.add((better, worse))
            rows.append(row)
    return comparisons.select(np.array(rows, np.int64))


def number_texts(texts: TextSamples) -> Integers:
    """Return a number for each hypothesis; hypotheses with equal texts and equal references have equal numbers."""
    numbers: dict[object, int] = {}
    return np.array(
        [
            numbers.setdefault((hypothesis, tuple(references)), len(numbers))
            for hypothesis, references in zip(texts.hypotheses, texts.references, strict=True)
        ],
        np.int64,
    )


def texts_of(examples: Examples) -> TextSamples:
    """Return the hypotheses of examples for an estimator that reads texts."""
    return TextSamples(examples.hypotheses, examples.references, examples.features)


def comparisons_of(examples: Examples) -> Comparisons:
    """Return the comparisons of examples for an estimator that reads texts."""
    return Comparisons(examples.better, examples.worse, examples.group, examples.weight)
