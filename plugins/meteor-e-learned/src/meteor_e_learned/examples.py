"""Examples of several test sets, as one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from meteor_e.api import Examples
from meteor_e.base.array_cache import Floats, Integers


def joined(parts: Sequence[Examples]) -> Examples:
    """Return several sets of examples as one."""
    hypotheses = np.cumsum([0, *(len(part.features) for part in parts)])
    titles = np.cumsum([0, *(len(part.title) for part in parts)])
    groups = np.cumsum([0, *(int(part.group.max(initial=-1)) + 1 for part in parts)])

    def stacked(name: str, offsets: Sequence[int] | Integers | None = None) -> Floats:
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
