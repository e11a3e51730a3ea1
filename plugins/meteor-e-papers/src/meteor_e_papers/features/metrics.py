"""BLEU, BLEU's components, chrF, TER and NIST as features.

Scores of sacreBLEU's metrics are divided by 100. TER is negated, so that higher values are better for all features.
"""

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
    """A feature whose values are the segment scores of a metric."""

    requires: ClassVar[tuple[str, ...]] = ("sacrebleu",)
    dimension = 1
    scale: ClassVar[float] = 100.0
    """The divisor of the metric's scores. It is negative if a lower score is better."""

    def __init__(self, options: Any, metric_name: str, signature: str, **metric_options: Any) -> None:
        """Initialize the feature. The metric is loaded on first use.

        Args:
            options: the options of the feature.
            metric_name: the name of the metric.
            signature: the metric and its options, without a version.
            metric_options: the options of the metric.
        """
        super().__init__(options)
        self._metric_name = metric_name
        self._metric_options = metric_options
        self._signature = signature

    @functools.cached_property
    def metric(self) -> Metric:
        """The metric that scores the segments."""
        return load_metric(self._metric_name, **self._metric_options)

    @property
    def columns(self) -> tuple[str, ...]:
        """Name of the only column, ``score``."""
        return ("score",)

    def compute(self, batch: FeatureBatch) -> Floats:
        """Return the scores of the segments as an array ``(segments, 1)``. Higher scores are better."""
        return self._compute_scores(self._compute_statistics(batch))

    def _compute_statistics(self, batch: FeatureBatch) -> Floats:
        """Return the metric's statistics of each segment as an array ``(segments, statistics)``."""
        return np.asarray(compute_statistics(self.metric, Batch(batch.hypotheses, batch.references)), float)

    def _compute_scores(self, statistics: Floats) -> Floats:
        """Return the scaled scores of the segments as an array ``(segments, 1)``."""
        segment_scores = np.asarray(self.metric.segment_scores(statistics), float)
        return segment_scores[:, None] / self.scale

    def describe(self) -> str:
        """Return the metric, the version of sacreBLEU, and the metric's options, separated by ``|``."""
        from importlib.metadata import version

        library, _, options = self._signature.partition("|")
        description = f"{library}|version:{version('sacrebleu')}"
        return f"{description}|{options}" if options else description

    def definition(self) -> str:
        """Return the metric and its options, without the version of sacreBLEU."""
        return self._signature


class BleuFeature(_MetricFeature):
    """The smoothed BLEU score of each segment, computed by sacreBLEU."""

    name: ClassVar[str] = "bleu"

    class Options(ComponentOptions):
        """Options of the feature ``bleu``."""

        smoothing: Annotated[
            Literal["none", "floor", "add-k", "exp"], Meta(description="How n-grams without a match are smoothed.")
        ] = "exp"

    def __init__(self, options: Options) -> None:
        smoothing = options.smoothing
        super().__init__(options, "bleu", f"sacrebleu:bleu|smooth:{smoothing}|eff:yes", smoothing=smoothing)


class BleuComponentsFeature(_MetricFeature):
    """The sixteen components of BLEU, which Guzmán et al. (2015) call BLEUCOMP.

    The components are the precision, the matches and the total of the n-grams of each order, the lengths of hypothesis
    and reference, the ratio of the lengths, and the brevity penalty.
    """

    name: ClassVar[str] = "bleu-components"
    dimension = 16

    def __init__(self) -> None:
        super().__init__(None, "bleu", "sacrebleu:bleu|smooth:exp|eff:yes")

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the sixteen components."""
        names = []
        for statistic in ("precision", "matches", "total"):
            names += [f"{statistic}{order}" for order in range(1, 5)]
        return (*names, "hypothesis_length", "reference_length", "length_ratio", "brevity_penalty")

    def compute(self, batch: FeatureBatch) -> Floats:
        """Return the sixteen components of each segment's BLEU score as an array ``(segments, 16)``.

        The precision is 0 for n-grams that are longer than the hypothesis.
        """
        # The columns are two text lengths, then the numbers of matching n-grams and of all n-grams for orders 1 to 4.
        lengths, matches, totals = np.split(self._compute_statistics(batch), [2, 6], axis=1)
        hypothesis_length, reference_length = np.split(lengths, 2, axis=1)
        precisions = matches / np.maximum(totals, 1)
        ratio = hypothesis_length / np.maximum(reference_length, 1)
        with np.errstate(divide="ignore"):  # The brevity penalty of an empty hypothesis is exp(-∞).
            brevity_penalty = np.exp(np.minimum(0.0, 1 - 1 / ratio))
        return np.hstack([precisions, matches, totals, lengths, ratio, brevity_penalty])


class ChrfFeature(_MetricFeature):
    """The chrF or chrF++ score of each segment, computed by sacreBLEU."""

    name: ClassVar[str] = "chrf"

    class Options(ComponentOptions):
        """Options of the feature ``chrf``."""

        word_order: Annotated[Literal[0, 2], Meta(description="Order of word n-grams: 0 (chrF) or 2 (chrF++).")] = 0

    def __init__(self, options: Options) -> None:
        metric_name = "chrf++" if options.word_order else "chrf"
        super().__init__(options, metric_name, f"sacrebleu:{metric_name}")


class TerFeature(_MetricFeature):
    """The negated translation edit rate, the number of edits, and the number of reference words.

    TER is computed by sacreBLEU, which takes about 10 ms per segment.
    """

    name: ClassVar[str] = "ter"
    dimension = 3
    scale = -100.0

    def __init__(self) -> None:
        super().__init__(None, "ter", "sacrebleu:ter")

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the three values: the score, the number of edits and the number of reference words."""
        return ("score", "edits", "reference_length")

    def compute(self, batch: FeatureBatch) -> Floats:
        """Return the score, the number of edits and the number of reference words of each segment."""
        statistics = self._compute_statistics(batch)
        return np.hstack([self._compute_scores(statistics), statistics[:, :2]])


class NistFeature(_MetricFeature):
    """The NIST score of each segment, and the mean information of its n-grams for each order.

    The information of an n-gram is estimated from the texts of the option ``corpus_file``. Without a corpus, it is
    estimated from the references of each segment alone, like in nltk's ``sentence_nist``.
    """

    name: ClassVar[str] = "nist"
    dimension = 6
    scale = 1.0

    class Options(ComponentOptions):
        """Options of the feature ``nist``."""

        corpus_file: (
            Annotated[
                FilePath | list[FilePath],
                Meta(description="Texts from which the information of n-grams is estimated."),
            ]
            | None
        ) = None

    def __init__(self, options: Options) -> None:
        segments = _read_corpus(options.corpus_file)
        self._has_corpus = bool(options.corpus_file)
        corpus_id = digest(segments) if self._has_corpus else "own"
        super().__init__(options, "nist", f"nist|tok:13a|case:lc|information:{corpus_id}")
        nist: Any = self.metric
        if self._has_corpus:
            nist.weigh([nist.words(segment) for segment in segments])
        self._nist = nist

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the six values: the NIST score, and the mean information of n-grams for each length from 1 to 5."""
        return ("score", *(f"information{order}" for order in range(1, 6)))

    def compute(self, batch: FeatureBatch) -> Floats:
        """Return the NIST score and the mean information of n-grams for each segment."""
        if self._has_corpus:
            return self._compute_rows(self._compute_statistics(batch))
        rows = []
        for hypothesis, references in zip(batch.hypotheses, batch.references, strict=True):
            self._nist.weigh([self._nist.words(reference) for reference in references])
            rows.append(self._compute_rows(self._nist.statistics(Batch([hypothesis], [references]))))
        return np.vstack(rows)

    def _compute_rows(self, statistics: Floats) -> Floats:
        """Compute the NIST score and the mean information of n-grams from the statistics of each segment."""
        information = statistics[:, :5]
        ngram_counts = statistics[:, 5:10]
        return np.hstack([self._compute_scores(statistics), information / np.maximum(ngram_counts, 1)])


def _read_corpus(files: str | list[str] | None) -> list[str]:
    """Return the segments of one file or of several files. Without a file, return an empty list."""
    if files is None:
        return []
    paths = [files] if isinstance(files, str) else files
    return [segment for path in paths for segment in read_segments(path)]
