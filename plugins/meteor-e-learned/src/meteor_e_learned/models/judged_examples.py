"""Finds the human judgments in training examples, which can also contain synthetic comparisons."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import Examples, InputError
from meteor_e_learned.models.base import SYNTHETIC


def is_synthetic(title: str) -> bool:
    """Return whether a test set's title says that its examples are synthetic."""
    return title.startswith(f"{SYNTHETIC} ")


def find_judged(examples: Examples) -> NDArray[np.bool_]:
    """Return a mask of the hypotheses that come from test sets, and not from synthetic comparisons.

    Raises:
        InputError: if there are no human judgments.
    """
    is_judged_part = np.array([not is_synthetic(title) for title in examples.title], bool)
    judged = is_judged_part[examples.hypothesis_part]
    if not judged.any():
        raise InputError("there are neither comparisons nor human scores of segments to learn from")
    return judged


def find_rated_rows(examples: Examples) -> list[tuple[str, NDArray[np.intp]]]:
    """Return the title of each rated test set, and the row indexes of its rated hypotheses.

    A test set is omitted if all its ratings are equal.
    """
    rated_rows: list[tuple[str, NDArray[np.intp]]] = []
    for part, title in enumerate(examples.title):
        indexes = np.flatnonzero((examples.hypothesis_part == part) & ~np.isnan(examples.scores))
        has_different_ratings = len(indexes) > 1 and np.ptp(examples.scores[indexes]) > 0
        if has_different_ratings and not is_synthetic(title):
            rated_rows.append((title, indexes))
    return rated_rows


def find_synthetic_pairs(examples: Examples) -> list[tuple[str, NDArray[np.intp]]]:
    """Return the kind of comparison and the comparison indexes for each set of synthetic comparisons."""
    synthetic_pairs: list[tuple[str, NDArray[np.intp]]] = []
    for part, title in enumerate(examples.title):
        pairs = np.flatnonzero(examples.part == part)
        if is_synthetic(title) and len(pairs):
            _, _, kind = title.rpartition(" ")
            synthetic_pairs.append((kind, pairs))
    return synthetic_pairs


def find_compared_pairs(examples: Examples) -> dict[str, NDArray[np.intp]]:
    """Return the indexes of the human comparisons of each year.

    Comparisons that were derived from ratings are omitted, because the ratings contain the same information.
    """
    rated_parts = set(examples.hypothesis_part[~np.isnan(examples.scores)].tolist())
    parts_by_year: dict[str, list[int]] = {}
    for part, title in enumerate(examples.title):
        is_human = not is_synthetic(title) and part not in rated_parts
        if is_human and (examples.part == part).any():
            parts_by_year.setdefault(year_of(title), []).append(part)
    return {year: np.flatnonzero(np.isin(examples.part, parts)) for year, parts in parts_by_year.items()}


def year_of(title: str) -> str:
    """Return the title of a test set without the language pair at its end."""
    return title.rpartition(" ")[0]
