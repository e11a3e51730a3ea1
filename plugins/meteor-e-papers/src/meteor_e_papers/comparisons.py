"""What MaxSD learns from: comparisons of hypotheses, cleaned as the paper cleans them."""

from __future__ import annotations

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
    """Which of two hypotheses is the better one.

    Attributes:
        better, worse: positions of hypotheses, ``(comparisons,)``.
        group: a number of the segment of each; by default each is one of its own.
        weight: of each; by default 1.
    """

    better: Integers
    worse: Integers
    group: Integers | None = None
    weight: Floats | None = None

    def __len__(self) -> int:
        return len(self.better)

    def select(self, rows: Integers) -> Comparisons:
        """Return some of them."""
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

    A comparison counts as its texts: reference, better and worse hypothesis. Of those that are there twice one
    remains; of two that contradict each other the rarer one goes, and if both are as frequent, both go, since neither
    is better attested. Equal texts cannot be told apart and go, too.

    Args:
        texts: the hypotheses.
        comparisons: those to clean.
        lengths: words of the longest of a hypothesis and its references, for each hypothesis.
        longest: words beyond which a segment is left out.
    """
    numbers: dict[object, int] = {}
    identity = np.array(
        [
            numbers.setdefault((hypothesis, tuple(references)), len(numbers))
            for hypothesis, references in zip(texts.hypotheses, texts.references, strict=True)
        ]
    )
    better, worse = identity[comparisons.better], identity[comparisons.worse]
    counts: dict[tuple[int, int], int] = {}
    for pair in zip(better.tolist(), worse.tolist(), strict=True):
        counts[pair] = counts.get(pair, 0) + 1
    fits = np.asarray(lengths) <= longest
    kept, seen = [], set()
    for row, pair in enumerate(zip(better.tolist(), worse.tolist(), strict=True)):
        one, other = pair
        if pair in seen or one == other or counts[pair] <= counts.get((other, one), 0):
            continue
        if fits[comparisons.better[row]] and fits[comparisons.worse[row]]:
            seen.add(pair)
            kept.append(row)
    return comparisons.select(np.array(kept, np.int64))


def texts_of(examples: Examples) -> TextSamples:
    """Return the hypotheses of examples for an estimator that reads texts."""
    return TextSamples(examples.hypotheses, examples.references, examples.features)


def comparisons_of(examples: Examples) -> Comparisons:
    """Return the comparisons of examples for an estimator that reads texts."""
    return Comparisons(examples.better, examples.worse, examples.group, examples.weight)
