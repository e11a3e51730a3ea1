"""Functions that create training examples, and functions that concatenate sets of training examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from meteor_e.api import Examples, FeatureBatch
from meteor_e.base.array_cache import Floats, Integers
from meteor_e_learned.inputs import EstimatorInputs

NO_INDEXES: Integers = np.array([], np.int64)

_TUPLE_FIELDS = ("title", "hypotheses", "references")
_ARRAY_FIELDS = (
    *("features", "vectors", "reference_vectors", "scores", "hypothesis_part"),
    *("better", "worse", "part", "group", "weight"),
)


class Comparisons(NamedTuple):
    """Comparisons of two hypotheses. Each array has one element per comparison.

    Attributes:
        better: the row of the better hypothesis.
        worse: the row of the worse hypothesis.
        part: the index of the title.
        group: the identifier of the segment.
        weight: the weight of the comparison.
    """

    better: Integers = NO_INDEXES
    worse: Integers = NO_INDEXES
    part: Integers = NO_INDEXES
    group: Integers = NO_INDEXES
    weight: Floats = np.array([])


def make_examples(
    titles: Sequence[str], batch: FeatureBatch, inputs: EstimatorInputs, scores: Floats, comparisons: Comparisons
) -> Examples:
    """Make training examples from a batch of hypotheses.

    Args:
        titles: the titles of the comparisons. All hypotheses belong to the first title.
        batch: the hypotheses and their references.
        inputs: the features and vectors of the hypotheses.
        scores: the human score of each hypothesis, or NaN.
        comparisons: the comparisons of hypotheses.
    """
    return Examples(
        title=tuple(titles),
        features=inputs.features,
        vectors=inputs.vectors,
        reference_vectors=inputs.reference_vectors,
        better=comparisons.better,
        worse=comparisons.worse,
        part=comparisons.part,
        group=comparisons.group,
        weight=comparisons.weight,
        scores=scores,
        hypothesis_part=np.zeros(len(batch), np.int64),
        hypotheses=tuple(batch.hypotheses),
        references=tuple(map(tuple, batch.references)),
    )


def concatenate(example_sets: Sequence[Examples]) -> Examples:
    """Concatenate several sets of training examples.

    Row indexes, part indexes and group numbers are increased, so that they are valid for the concatenated arrays.
    """
    shifted_sets = []
    n_rows = n_parts = n_groups = 0
    for examples in example_sets:
        shifted_examples = replace(
            examples,
            better=examples.better + n_rows,
            worse=examples.worse + n_rows,
            part=examples.part + n_parts,
            hypothesis_part=examples.hypothesis_part + n_parts,
            group=examples.group + n_groups,
        )
        shifted_sets.append(shifted_examples)
        n_rows += len(examples.features)
        n_parts += len(examples.title)
        # Group numbers start at 0, so the number of groups is the largest group number plus 1.
        n_groups += int(examples.group.max(initial=-1)) + 1
    arrays: dict[str, Any] = {
        name: np.concatenate([getattr(examples, name) for examples in shifted_sets]) for name in _ARRAY_FIELDS
    }
    tuples: dict[str, Any] = {
        name: tuple(chain.from_iterable(getattr(examples, name) for examples in shifted_sets)) for name in _TUPLE_FIELDS
    }
    return Examples(**arrays, **tuples)
