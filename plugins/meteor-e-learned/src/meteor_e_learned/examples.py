"""Concatenates training examples from several test sets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from meteor_e.api import Examples
from meteor_e.base.array_cache import Floats, Integers


def concatenate(example_sets: Sequence[Examples]) -> Examples:
    """Concatenate several sets of training examples.

    Row indexes, test set indexes and group numbers are increased, so that they are valid for the concatenated arrays.
    """
    row_offsets = _compute_offsets([len(examples.features) for examples in example_sets])
    part_offsets = _compute_offsets([len(examples.title) for examples in example_sets])
    # Group numbers start at 0, so the number of groups is the largest group number plus 1.
    group_offsets = _compute_offsets([int(examples.group.max(initial=-1)) + 1 for examples in example_sets])
    return Examples(
        title=tuple(title for examples in example_sets for title in examples.title),
        features=_stack(example_sets, "features"),
        vectors=_stack(example_sets, "vectors"),
        reference_vectors=_stack(example_sets, "reference_vectors"),
        weight=_stack(example_sets, "weight"),
        scores=_stack(example_sets, "scores"),
        better=_stack_indexes(example_sets, "better", row_offsets),
        worse=_stack_indexes(example_sets, "worse", row_offsets),
        part=_stack_indexes(example_sets, "part", part_offsets),
        group=_stack_indexes(example_sets, "group", group_offsets),
        hypothesis_part=_stack_indexes(example_sets, "hypothesis_part", part_offsets),
        hypotheses=tuple(hypothesis for examples in example_sets for hypothesis in examples.hypotheses),
        references=tuple(references for examples in example_sets for references in examples.references),
    )


def _compute_offsets(counts: Sequence[int]) -> Integers:
    """Return the index at which each set starts after concatenation, given the sizes of the sets."""
    cumulative_counts: Integers = np.cumsum([0, *counts])
    return cumulative_counts[:-1]


def _stack(example_sets: Sequence[Examples], name: str) -> Floats:
    """Concatenate one attribute, such as ``scores``, of several sets of training examples."""
    return np.concatenate([getattr(examples, name) for examples in example_sets])


def _stack_indexes(example_sets: Sequence[Examples], name: str, offsets: Integers) -> Integers:
    """Add the offset of each set to its index array, and concatenate the arrays."""
    index_arrays = [getattr(examples, name) + offset for examples, offset in zip(example_sets, offsets, strict=True)]
    return np.concatenate(index_arrays).astype(np.int64)
