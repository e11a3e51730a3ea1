"""Metrics that are Python objects of the user's own: ``scorer:MODULE:NAME``."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any, ClassVar, Protocol

from meteor_e.api.metrics import SegmentMetric
from meteor_e.api.options import ComponentOptions, Meta
from meteor_e.base.errors import ConfigError


class SegmentScorer(Protocol):
    """An object that scores segments, as ``scorer:MODULE:NAME`` takes it.

    Attributes:
        name: what tables call it.
        signature: what must be the same for scores to be the same: model, version, options.
    """

    name: str
    signature: str

    def score_segments(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str] | None
    ) -> Sequence[float]:
        """Score segments.

        Args:
            hypotheses: one per segment.
            references: for each segment its references.
            sources: one per segment, or ``None``.

        Returns:
            One number per segment; the higher, the better.
        """


class ScorerMetric(SegmentMetric):
    """A Python object with ``name``, ``signature`` and ``score_segments``: ``scorer:MODULE:NAME``."""

    name: ClassVar[str] = "scorer"

    class Options(ComponentOptions):
        """Which object."""

        scorer: Annotated[Any, Meta(description="The object, its class, or MODULE:NAME of one of these.")]

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        scorer = options.scorer
        self.scorer: SegmentScorer = _load_scorer(scorer) if isinstance(scorer, str) else scorer
        self.label = self.scorer.name
        self.signature = self.scorer.signature

    @classmethod
    def parse(cls, text: str) -> dict[str, Any]:
        """Read ``MODULE:NAME``."""
        return {"scorer": text}

    def score_segments(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str] | None = None
    ) -> Sequence[float]:
        """Ask the object."""
        return self.scorer.score_segments(hypotheses, references, sources)


def _load_scorer(path: str) -> SegmentScorer:
    module_name, _, attribute = path.partition(":")
    try:
        found: Any = import_module(module_name)
        for part in attribute.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(f"cannot load scorer {path!r}: {error}; MODULE:NAME was expected") from error
    scorer: SegmentScorer = found() if isinstance(found, type) else found
    for name in ("name", "signature", "score_segments"):
        if not hasattr(scorer, name):
            raise ConfigError(f"scorer {path!r} has no {name}")
    return scorer
