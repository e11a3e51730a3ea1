"""Scores of segments and systems, which the methods ``score`` and ``corpus`` of metrics return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

# NumPy is not imported here, because METEOR's scores do not need it and importing it takes time.
if TYPE_CHECKING:
    from meteor_e.base.array_cache import Floats


@dataclass(frozen=True, repr=False)
class SegmentScore:
    """A metric's score of a segment. ``float(score)`` returns the number.

    Attributes:
        score: the score as a number.
        signature: line that identifies the metric. Equal signatures mean equal scores for equal texts.
    """

    score: float
    signature: str

    def __float__(self) -> float:
        return self.score

    def __repr__(self) -> str:
        return f"{type(self).__name__}(score={self.score:.4f})"

    def to_dict(self) -> dict[str, Any]:
        """Return the score as a dictionary that can be written as JSON."""
        return {"score": self.score, "signature": self.signature}


@dataclass(frozen=True, repr=False)
class CorpusScore:
    """A metric's score of a system. ``float(score)`` returns the number.

    Attributes:
        score: the score as a number.
        signature: line that identifies the metric. Equal signatures mean equal scores for equal texts.
        segment_count: number of segments.
        segments: scores of the segments; empty unless they were requested.
    """

    score: float
    signature: str
    segment_count: int
    segments: tuple[SegmentScore, ...]

    @property
    def segment_scores(self) -> Floats:
        """The segment scores as an array, which is empty unless segment scores were requested."""
        import numpy as np

        return np.array([segment.score for segment in self.segments], float)

    def __float__(self) -> float:
        return self.score

    def __repr__(self) -> str:
        count = f"{self.segment_count} segment{'' if self.segment_count == 1 else 's'}"
        return f"{type(self).__name__}(score={self.score:.4f}, {count}{' kept' if self.segments else ''})"

    def to_dict(self) -> dict[str, Any]:
        """Return the score as a dictionary for JSON. Segment scores are included if they were requested."""
        result: dict[str, Any] = {
            "score": self.score,
            "signature": self.signature,
            "segment_count": self.segment_count,
        }
        if self.segments:
            result["segments"] = [segment.to_dict() for segment in self.segments]
        return result
