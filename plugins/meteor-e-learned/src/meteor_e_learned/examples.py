"""Concatenation of training examples from several test sets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from meteor_e.api import Examples
from meteor_e.base.array_cache import Floats, Integers


def concatenate(parts: Sequence[Examples]) -> Examples:
    """Return the concatenation of several sets of examples, with adjusted row indexes and group numbers."""
    row_offsets = np.cumsum([0, *(len(part.features) for part in parts)])
    part_offsets = np.cumsum([0, *(len(part.title) for part in parts)])
    group_offsets = np.cumsum([0, *(int(part.group.max(initial=-1)) + 1 for part in parts)])

    def stack(name: str, offsets: Sequence[int] | Integers | None = None) -> Floats:
        values = [getattr(part, name) for part in parts]
        if offsets is not None:
            values = [value + offset for value, offset in zip(values, offsets, strict=False)]
        return np.concatenate(values)

    return Examples(
        title=tuple(title for part in parts for title in part.title),
        features=stack("features"),
        vectors=stack("vectors"),
        reference_vectors=stack("reference_vectors"),
        weight=stack("weight"),
        scores=stack("scores"),
        better=stack("better", row_offsets).astype(np.int64),
        worse=stack("worse", row_offsets).astype(np.int64),
        part=stack("part", part_offsets).astype(np.int64),
        group=stack("group", group_offsets).astype(np.int64),
        hypothesis_part=stack("hypothesis_part", part_offsets).astype(np.int64),
        hypotheses=tuple(text for part in parts for text in part.hypotheses),
        references=tuple(texts for part in parts for texts in part.references),
    )
