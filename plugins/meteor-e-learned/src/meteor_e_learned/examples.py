"""What estimators learn from: features of judged hypotheses, and the judgments among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Examples", "pair_matrix", "pair_rows"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Examples:
    """Judged hypotheses and their judgments.

    Attributes:
        title: test set and language pair of each part, in order.
        features: ``(hypotheses, features)``.
        vectors, reference_vectors: ``(hypotheses, numbers)``; without columns where there are none.
        better, worse: rows of the hypotheses of each comparison without ties.
        part: for each comparison, the position of its test set in ``title``.
        group: for each comparison, a number of its segment; the same text in several pairs has several.
        weight: of each comparison.
        scores: human score of each hypothesis; NaN where there is none.
        hypothesis_part: for each hypothesis, the position of its test set.
        hypotheses, references: raw hypotheses and the raw references of each, for estimators that read texts.
    """

    title: tuple[str, ...]
    features: Floats
    vectors: Floats
    reference_vectors: Floats
    better: Integers
    worse: Integers
    part: Integers
    group: Integers
    weight: Floats
    scores: Floats
    hypothesis_part: Integers
    hypotheses: tuple[str, ...] = ()
    references: tuple[tuple[str, ...], ...] = ()

    @staticmethod
    def joined(parts: Sequence[Examples]) -> Examples:
        """Return several sets of examples as one."""
        hypotheses = np.cumsum([0, *(len(part.features) for part in parts)])
        titles = np.cumsum([0, *(len(part.title) for part in parts)])
        groups = np.cumsum([0, *(int(part.group.max(initial=-1)) + 1 for part in parts)])

        def stacked(name: str, offsets: Sequence[int] | Integers | None = None) -> NDArray[np.float64]:
            values = [getattr(part, name) for part in parts]
            if offsets is not None:
                values = [value + offset for value, offset in zip(values, offsets, strict=False)]
            return np.concatenate(values)

        return Examples(
            title=tuple(title for part in parts for title in part.title),
            features=stacked("features"),
            vectors=stacked("vectors"),
            reference_vectors=stacked("reference_vectors"),
            weight=stacked("weight"),
            scores=stacked("scores"),
            better=stacked("better", hypotheses).astype(np.int64),
            worse=stacked("worse", hypotheses).astype(np.int64),
            part=stacked("part", titles).astype(np.int64),
            group=stacked("group", groups).astype(np.int64),
            hypothesis_part=stacked("hypothesis_part", titles).astype(np.int64),
            hypotheses=tuple(text for part in parts for text in part.hypotheses),
            references=tuple(texts for part in parts for texts in part.references),
        )


def pair_matrix(examples: Examples, seed: int = 1) -> tuple[Floats, NDArray[np.int64]]:
    """Return pairs for an estimator: features and vectors of both sides and of the reference, and labels.

    Which hypothesis comes first is drawn, so that about half of the labels are 1.
    """
    swap = np.random.default_rng(seed).integers(2, size=len(examples.better)).astype(bool)
    first = np.where(swap, examples.worse, examples.better)
    second = np.where(swap, examples.better, examples.worse)
    return pair_rows(examples, first, second), (~swap).astype(np.int64)


def pair_rows(examples: Examples, first: Integers, second: Integers) -> Floats:
    """Return the rows of pairs of hypotheses, in the order that the estimators expect."""
    return np.hstack(
        [
            examples.features[first],
            examples.features[second],
            examples.vectors[first],
            examples.vectors[second],
            examples.reference_vectors[first],
        ]
    )
