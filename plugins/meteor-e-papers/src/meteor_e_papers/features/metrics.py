"""BLEU, its components, chrF, TER and NIST as features: the metrics' scores, sacreBLEU's from 0 to 1."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from meteor_e import load_metric
from meteor_e.api import Batch, ComponentOptions, Feature, FeatureBatch, FilePath, Meta
from meteor_e.api.metrics import compute_statistics
from meteor_e.base.array_cache import digest
from meteor_e.formats.plain import read_segments

if TYPE_CHECKING:
    from meteor_e.api import Metric

Floats = NDArray[np.float64]


class _MetricFeature(Feature):
    """The score of a metric that is computed from statistics."""

    requires: ClassVar[tuple[str, ...]] = ("sacrebleu",)
    dimension = 1
    whole: ClassVar[float] = 100.0
    """The metric's highest score, which is 1 as a feature; negative where a lower score is better."""

    def __init__(self, options: Any, metric: str, description: str, **settings: Any) -> None:
        """Take a metric of sacreBLEU, which is made when it is needed: importing sacreBLEU takes its time.

        Args:
            options: of the feature.
            metric: its name.
            description: what the feature's definition says.
            settings: of the metric.
        """
        super().__init__(options)
        self._make = functools.partial(load_metric, metric, **settings)
        self._description = description

    @functools.cached_property
    def metric(self) -> Metric:
        """What counts and scores."""
        return self._make()

    @property
    def columns(self) -> tuple[str, ...]:
        """One number, the score."""
        return ("score",)

    def compute(self, batch: FeatureBatch) -> Floats:
        """Return the segments' scores, the higher, the better."""
        return self._scores(self._statistics(batch))

    def _statistics(self, batch: FeatureBatch) -> Floats:
        """Return the metric's own statistics; segments may differ in the number of their references."""
        return np.asarray(compute_statistics(self.metric, Batch(batch.hypotheses, batch.references)), float)

    def _scores(self, statistics: Floats) -> Floats:
        """Return scores in a column."""
        found: Floats = np.asarray(self.metric.segment_scores(statistics), float)[:, None] / self.whole
        return found

    def describe(self) -> str:
        """Return the metric, its options, and the version of sacreBLEU."""
        from importlib.metadata import version

        library, _, options = self._description.partition("|")
        return "|".join(filter(None, (library, f"version:{version('sacrebleu')}", options)))

    def definition(self) -> str:
        """Return the metric and its options, without sacreBLEU's version."""
        return self._description


class BleuFeature(_MetricFeature):
    """BLEU of the segment, smoothed, by sacreBLEU."""

    name: ClassVar[str] = "bleu"

    class Options(ComponentOptions):
        """What a recipe may say."""

        smoothing: Annotated[
            Literal["none", "floor", "add-k", "exp"], Meta(description="How n-grams without a match are smoothed.")
        ] = "exp"

    def __init__(self, options: Options) -> None:
        smoothing = options.smoothing
        super().__init__(options, "bleu", f"sacrebleu:bleu|smooth:{smoothing}|eff:yes", smoothing=smoothing)


class BleuComponentsFeature(_MetricFeature):
    """What BLEU is made of: precisions, matches and totals of n-grams, lengths, their ratio, brevity penalty.

    Guzmán et al. (2015) call these BLEUCOMP.
    """

    name: ClassVar[str] = "bleu-components"
    dimension = 16

    def __init__(self) -> None:
        super().__init__(None, "bleu", "sacrebleu:bleu|smooth:exp|eff:yes")

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the sixteen numbers."""
        counted = [f"{what}{order}" for what in ("precision", "matches", "total") for order in range(1, 5)]
        return (*counted, "hypothesis_length", "reference_length", "length_ratio", "brevity_penalty")

    def compute(self, batch: FeatureBatch) -> Floats:
        """Return the components; a precision without n-grams is 0."""
        statistics = self._statistics(batch)
        lengths, matches, totals = statistics[:, :2], statistics[:, 2:6], statistics[:, 6:10]
        precisions = matches / np.maximum(totals, 1)
        ratio = lengths[:, :1] / np.maximum(lengths[:, 1:], 1)
        with np.errstate(divide="ignore"):
            penalty = np.where(ratio > 0, np.exp(np.minimum(0.0, 1 - 1 / np.where(ratio > 0, ratio, 1))), 0.0)
        return np.hstack([precisions, matches, totals, lengths, ratio, penalty])


class ChrfFeature(_MetricFeature):
    """chrF by sacreBLEU."""

    name: ClassVar[str] = "chrf"

    class Options(ComponentOptions):
        """What a recipe may say."""

        word_order: Annotated[Literal[0, 2], Meta(description="Order of word n-grams: 0 (chrF) or 2 (chrF++).")] = 0

    def __init__(self, options: Options) -> None:
        name = "chrf++" if options.word_order else "chrf"
        super().__init__(options, name, f"sacrebleu:{name}")


class TerFeature(_MetricFeature):
    """Translation edit rate by sacreBLEU, negated, and how many edits and reference words it rests on.

    sacreBLEU's TER takes some 10 ms per segment.
    """

    name: ClassVar[str] = "ter"
    dimension = 3
    whole = -100.0

    def __init__(self) -> None:
        super().__init__(None, "ter", "sacrebleu:ter")

    @property
    def columns(self) -> tuple[str, ...]:
        """The score, the edits, the reference's length."""
        return ("score", "edits", "reference_length")

    def compute(self, batch: FeatureBatch) -> Floats:
        """Return score, edits and length."""
        statistics = self._statistics(batch)
        scores = self._scores(statistics)
        return np.hstack([scores, statistics[:, :2]])


class NistFeature(_MetricFeature):
    """NIST, and the information that matched at each order.

    An n-gram's weight is how much it tells, as counted in a corpus of references. Without one, it is counted in
    the segment's own references, as nltk's ``sentence_nist`` does: then only single words carry weight.
    """

    name: ClassVar[str] = "nist"
    dimension = 6
    whole = 1.0

    class Options(ComponentOptions):
        """What a recipe may say."""

        corpus_file: (
            Annotated[
                FilePath | list[FilePath],
                Meta(description="Texts whose n-grams say how much information a match is worth."),
            ]
            | None
        ) = None

    def __init__(self, options: Options) -> None:
        given = options.corpus_file or []
        files = [given] if isinstance(given, str) else given
        segments = [segment for file in files for segment in read_segments(file)]
        self._own = not files
        super().__init__(
            options, "nist", f"nist|tok:13a|case:lc|information:{'own' if self._own else digest(segments)}"
        )
        metric: Any = self.metric
        self._nist = metric
        if files:
            metric.weigh([metric.words(segment) for segment in segments])

    @property
    def columns(self) -> tuple[str, ...]:
        """The score, and information a hypothesis n-gram for n = 1 … 5."""
        return ("score", *(f"information{order}" for order in range(1, 6)))

    def compute(self, batch: FeatureBatch) -> Floats:
        """Return the scores and what they are made of."""
        if not self._own:
            return self._rows(self._statistics(batch))
        rows = []
        for hypothesis, references in zip(batch.hypotheses, batch.references, strict=True):
            self._nist.weigh([self._nist.words(reference) for reference in references])
            rows.append(self._rows(self._nist.statistics(Batch([hypothesis], [references]))))
        return np.vstack(rows)

    def _rows(self, statistics: Floats) -> Floats:
        scores = self._scores(statistics)
        return np.hstack([scores, statistics[:, :5] / np.maximum(statistics[:, 5:10], 1)])
