"""Statistics carried from one threshold to the next, where no pair of words lies between the two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import SimilarityMatcher
from meteor_e.base.array_cache import ArrayCache, digest

if TYPE_CHECKING:
    from meteor_e_evaluation import TestSet

    from meteor_e import Meteor

_MARGIN = 1e-6
"""Similarities so near to a threshold count for both sides of it: those here may be rounded otherwise."""


class CarriedStatistics(ArrayCache):
    """A cache of statistics for a row of thresholds, which a chain is evaluated with one after the other.

    The threshold decides which pairs of words match and nothing else. So a segment's statistics stay as they are
    from one threshold to the next unless the similarity of two of its words lies between them.

    Args:
        meteor: the metric.
        tests: what it is evaluated on.
        values: the thresholds, rising.
        beneath: the cache that is asked first, and given all that is new.
        matcher: name of the matcher whose threshold it is.
    """

    def __init__(
        self, meteor: Meteor, tests: Sequence[TestSet], values: Sequence[float], beneath: ArrayCache, matcher: str
    ) -> None:
        super().__init__(beneath.folder, enabled=True)
        self._meteor = meteor
        self._values = np.array(values)
        self._beneath = beneath
        found = [used for name, used in zip(meteor.matcher_names, meteor.matchers, strict=True) if name == matcher]
        # Vectors that depend on the sentence are not compared here; all segments are aligned afresh then.
        self._matchers = [used for used in found if isinstance(used, SimilarityMatcher)]
        self._carries = len(self._matchers) == len(found)
        self._texts = {digest(texts): texts for test in tests for texts in (*test.outputs, *test.references)}
        self._numbers: dict[str, NDArray[np.intp]] = {}
        self._changes: dict[tuple[str, str], NDArray[np.bool_]] = {}
        self._kept: dict[tuple[str, str], tuple[int, NDArray[np.int32]]] = {}
        self._rows: list[list[NDArray[np.float32]]] = [[] for _ in self._matchers]
        self._vocabulary: dict[object, int] = {}
        self._at = 0

    def move_to(self, number: int) -> None:
        """Go to a threshold, by its number."""
        self._at = number

    def get(self, key: str) -> dict[str, NDArray[np.generic]] | None:
        """Return what is known for a key; -1 in segments that must be aligned again."""
        known = self._beneath.get(key)
        pair = _pair(key)
        if known is not None:
            self._kept[pair] = self._at, known["statistics"].astype(np.int32)
        if known is not None or not self._carries:
            return known
        if pair not in self._kept:
            return None
        number, kept = self._kept[pair]
        statistics = kept.copy()
        first, last = sorted((number, self._at))
        # Bin b holds the similarities from threshold b - 1 up to threshold b.
        statistics[self._changed(pair)[:, first + 1 : last + 1].any(axis=1)] = -1
        return {"statistics": statistics}

    def put(self, key: str, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Keep statistics, for the threshold that it is at."""
        self._beneath.put(key, arrays)
        self._kept[_pair(key)] = self._at, arrays["statistics"].astype(np.int32)

    def _changed(self, pair: tuple[str, str]) -> NDArray[np.bool_]:
        """Return for each segment which bins between thresholds hold a similarity of two of its words."""
        if pair in self._changes:
            return self._changes[pair]
        outputs, references = (self._texts[name] for name in pair)
        # What was not compared counts as changed.
        changed = np.ones((len(outputs), len(self._values) + 1), bool)
        judged = np.flatnonzero(self._kept[pair][1][:, 0] >= 0)
        changed[judged] = False
        for segment in judged:
            left, right = self._numbered(outputs[segment]), self._numbered(references[segment])
            for rows in self._rows:
                if len(left) and len(right):
                    first = np.stack([rows[word] for word in left]).astype(np.float64)
                    second = np.stack([rows[word] for word in right]).astype(np.float64)
                    similarities = ((1 + first @ second.T) / 2).ravel()
                    for margin in (-_MARGIN, _MARGIN):
                        bins = np.searchsorted(self._values, similarities + margin, side="right")
                        changed[segment, bins] = True
        self._changes[pair] = changed
        return changed

    def _numbered(self, text: str) -> NDArray[np.intp]:
        """Return the numbers of a text's distinct words, whose vectors are known from then on."""
        if text not in self._numbers:
            tokens = list(dict.fromkeys(self._meteor.tokenize(text)))
            new = [token for token in tokens if token not in self._vocabulary]
            if new:
                for rows, used in zip(self._rows, self._matchers, strict=True):
                    rows.extend(used.checked_vectors(new))
                for token in new:
                    self._vocabulary[token] = len(self._vocabulary)
            self._numbers[text] = np.array([self._vocabulary[token] for token in tokens], np.intp)
        return self._numbers[text]


def _pair(key: str) -> tuple[str, str]:
    """Return the digests of hypotheses and reference that end a key of statistics."""
    _, output, reference = key.rsplit(" ", 2)
    return output, reference
