"""Scores of segments and systems: what ``score`` and ``corpus`` of every metric return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

# NumPy is imported where it is needed: plain METEOR starts without it.
if TYPE_CHECKING:
    from meteor_e.base.array_cache import Floats


@dataclass(frozen=True, repr=False)
class SegmentScore:
    """A metric's score of one segment; ``float(score)`` is the number.

    Attributes:
        score: the number.
        signature: what must be the same for the number to be the same.
    """

    score: float
    signature: str

    def __float__(self) -> float:
        return self.score

    def __repr__(self) -> str:
        return f"{type(self).__name__}(score={self.score:.4f})"

    def to_dict(self) -> dict[str, Any]:
        """Return a form that JSON can hold."""
        return {"score": self.score, "signature": self.signature}


@dataclass(frozen=True, repr=False)
class CorpusScore:
    """A metric's score of one system; ``float(score)`` is the number.

    Attributes:
        score: the number.
        signature: what must be the same for the number to be the same.
        segment_count: number of segments.
        segments: scores of the segments, if they were asked for; else empty.
    """

    score: float
    signature: str
    segment_count: int
    segments: tuple[SegmentScore, ...]

    @property
    def segment_scores(self) -> Floats:
        """Scores of the segments as an array, ``(segments,)``; empty if they were not asked for."""
        import numpy as np

        return np.array([segment.score for segment in self.segments], float)

    def __float__(self) -> float:
        return self.score

    def __repr__(self) -> str:
        count = f"{self.segment_count} segment{'' if self.segment_count == 1 else 's'}"
        return f"{type(self).__name__}(score={self.score:.4f}, {count}{' kept' if self.segments else ''})"

    def to_dict(self) -> dict[str, Any]:
        """Return a form that JSON can hold; it has the segments if they were asked for."""
        result: dict[str, Any] = {
            "score": self.score,
            "signature": self.signature,
            "segment_count": self.segment_count,
        }
        if self.segments:
            result["segments"] = [segment.to_dict() for segment in self.segments]
        return result
