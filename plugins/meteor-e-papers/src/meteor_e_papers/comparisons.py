"""Comparisons of two hypotheses, which are the training examples of MaxSD (Ma et al., 2016)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from meteor_e_learned.models.texts import TextSamples
from numpy.typing import NDArray

from meteor_e.api import Examples
from meteor_e.base.array_cache import Floats

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Comparisons:
    """Pairs of a better hypothesis and a worse hypothesis.

    Attributes:
        better: the index of the better hypothesis of each comparison, ``(comparisons,)``.
        worse: the index of the worse hypothesis of each comparison, ``(comparisons,)``.
        group: the id of the segment of each comparison, or None if each comparison belongs to a different segment.
        weight: the weight of each comparison, or None if all weights are 1.
    """

    better: Integers
    worse: Integers
    group: Integers | None = None
    weight: Floats | None = None

    def __len__(self) -> int:
        return len(self.better)

    def select(self, rows: Integers) -> Comparisons:
        """Select comparisons by their indexes."""
        return Comparisons(
            better=self.better[rows],
            worse=self.worse[rows],
            group=None if self.group is None else self.group[rows],
            weight=None if self.weight is None else self.weight[rows],
        )

    def select_short(self, lengths: Integers, longest: int) -> Comparisons:
        """Select comparisons of short hypotheses.

        Args:
            lengths: the length of each hypothesis.
            longest: the maximum length.
        """
        is_short_hypothesis = lengths <= longest
        is_short = is_short_hypothesis[self.better] & is_short_hypothesis[self.worse]
        return self.select(np.flatnonzero(is_short))


def clean_comparisons(texts: TextSamples, comparisons: Comparisons) -> Comparisons:
    """Remove duplicates and contradictions from comparisons (Ma et al., 2016, section 4.1).

    Comparisons are duplicates if their references, better hypotheses and worse hypotheses have the same texts. Only the
    first duplicate is kept. If two comparisons contradict each other, only the more frequent one is kept. If they are
    equally frequent, both are removed. Comparisons of a text with itself are also removed.

    Args:
        texts: the hypotheses with their references.
        comparisons: the comparisons to clean.
    """
    text_ids = assign_text_ids(texts)
    better_ids = text_ids[comparisons.better].tolist()
    worse_ids = text_ids[comparisons.worse].tolist()
    id_pairs = list(zip(better_ids, worse_ids, strict=True))
    counts = Counter(id_pairs)
    first_rows: dict[tuple[int, int], int] = {}
    for row, (better, worse) in enumerate(id_pairs):
        # If better and worse are the same text, both counts are equal, so this condition removes the comparison.
        if counts[better, worse] > counts[worse, better]:
            first_rows.setdefault((better, worse), row)
    return comparisons.select(np.array(list(first_rows.values()), np.int64))


def assign_text_ids(texts: TextSamples) -> Integers:
    """Assign ids to hypotheses. Equal hypotheses with equal references receive the same id."""
    ids: dict[object, int] = {}
    text_ids = []
    for hypothesis, references in zip(texts.hypotheses, texts.references, strict=True):
        text_ids.append(ids.setdefault((hypothesis, tuple(references)), len(ids)))
    return np.array(text_ids, np.int64)


def get_texts(examples: Examples) -> TextSamples:
    """Return the hypotheses, references and features of training examples."""
    return TextSamples(examples.hypotheses, examples.references, examples.features)


def get_comparisons(examples: Examples) -> Comparisons:
    """Return the comparisons of training examples."""
    return Comparisons(examples.better, examples.worse, examples.group, examples.weight)
