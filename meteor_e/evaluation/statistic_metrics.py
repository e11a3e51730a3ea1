"""Metrics that are computed from summable statistics a segment: sacreBLEU's, and NIST.

Segments, systems and bootstrap samples all come from one set of cached statistics.
"""

from __future__ import annotations

import inspect
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from meteor_e.base.array_cache import ArrayCache
from meteor_e.base.errors import ConfigError, near_miss
from meteor_e.evaluation.data import TestSet
from meteor_e.evaluation.extras import require
from meteor_e.evaluation.judgements import Floats
from meteor_e.evaluation.metrics import Cells, Metric, Progress, Scores, output_key

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric as SacreMetric

__all__ = ["SacreBleuMetric", "StatisticMetric"]


class StatisticMetric(Metric):
    """A metric that turns statistics, or sums of them, into scores."""

    signature: str

    def prepare(self, test: TestSet) -> None:
        """Get ready for a test set."""

    @abstractmethod
    def extract(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Floats:
        """Return the statistics of segments, ``(segments, width)``.

        Args:
            hypotheses: one a segment.
            references: for each reference, one a segment.
        """

    @abstractmethod
    def of_segment(self, statistics: Floats) -> float:
        """Score a segment from its statistics; the higher, the better."""

    @abstractmethod
    def of_corpus(self, statistics: Floats) -> float:
        """Score a corpus from summed statistics; the higher, the better."""

    def score(
        self, test: TestSet, cells: Cells, cache: ArrayCache, *, systems: bool, progress: Progress | None = None
    ) -> Scores:
        """Score cells, and whole systems from the sums of their statistics."""
        self.prepare(test)
        wanted = np.ones_like(cells) if systems else cells
        segments = np.full(cells.shape, np.nan)
        whole = np.full(len(test.systems), np.nan)
        kept_statistics: list[Floats] = []
        done, everything = 0, int(wanted.sum())
        for row, output in enumerate(test.outputs):
            key = output_key(self.signature, test, row)
            statistics, known, scored = self._recall(cache, key, len(test))
            missing = np.flatnonzero(wanted[row] & ~known)
            if len(missing):
                fresh = self.extract(
                    [output[at] for at in missing], [[reference[at] for at in missing] for reference in test.references]
                )
                if statistics is None:
                    statistics = np.zeros((len(test), fresh.shape[1]))
                statistics[missing] = fresh
                known[missing] = True
                scored[missing] = [self.of_segment(line) for line in fresh]
                cache.put(key, {"statistics": statistics, "known": known, "scores": scored})
            segments[row] = scored
            if systems and statistics is not None:
                whole[row] = self.of_corpus(statistics.sum(axis=0))
                kept_statistics.append(statistics)
            done += int(wanted[row].sum())
            if progress is not None:
                progress(done, everything)

        def resample(system: int, weights: Floats) -> Floats:
            return np.array([self.of_corpus(total) for total in weights @ kept_statistics[system]])

        return Scores(self.name, self.signature, segments, whole, resample if systems else None)

    @staticmethod
    def _recall(cache: ArrayCache, key: str, length: int) -> tuple[Floats | None, Any, Floats]:
        kept = cache.get(key)
        if kept is None or len(kept["known"]) != length:
            return None, np.zeros(length, bool), np.full(length, np.nan)
        return kept["statistics"].astype(float), kept["known"].astype(bool), kept["scores"].astype(float)


class SacreBleuMetric(StatisticMetric):
    """BLEU, chrF, chrF++ or TER as sacreBLEU computes them.

    Segments' BLEU is smoothed, and takes only the n-gram orders that a segment has (``effective_order``); a
    corpus' BLEU is sacreBLEU's default. TER is negated, so that more is better.

    Args:
        kind: ``bleu``, ``chrf``, ``chrf++`` or ``ter``.
        name: what tables call it.
        smoothing: of segments' BLEU: ``exp`` (sacreBLEU's default), ``floor``, ``add-k`` or ``none``.
        options: sacreBLEU's own, such as ``tokenize`` and ``lowercase`` of BLEU, ``beta`` of chrF or
            ``normalized`` of TER; they hold for segments and for a corpus.

    Raises:
        ConfigError: for an option that the metric does not have, or a value that it refuses.
    """

    def __init__(self, kind: str, *, name: str | None = None, smoothing: str = "exp", **options: Any) -> None:
        metrics = require("sacrebleu.metrics", f"metric {kind!r}")
        version = require("sacrebleu", f"metric {kind!r}").__version__
        self._sign = -1.0 if kind == "ter" else 1.0
        self._segment: SacreMetric
        self._corpus: SacreMetric
        if kind == "bleu":
            if smoothing not in ("exp", "floor", "add-k", "none"):
                raise ConfigError(f"unknown smoothing {smoothing!r} of BLEU; it must be exp, floor, add-k or none")
            own = {"smooth_method": smoothing, "effective_order": True, **options}
            self._segment = _make(metrics.BLEU, kind, options, {**own, "force": True})
            self._corpus = _make(metrics.BLEU, kind, options, {**options, "force": True})
        elif kind in ("chrf", "chrf++"):
            order = {"word_order": 2} if kind == "chrf++" else {}
            self._segment = self._corpus = _make(metrics.CHRF, kind, options, {**order, **options})
        elif kind == "ter":
            self._segment = self._corpus = _make(metrics.TER, kind, options, options)
        else:
            raise ConfigError(f"unknown metric {kind!r}")
        self.name = name or {"bleu": "BLEU", "chrf": "chrF", "chrf++": "chrF++", "ter": "TER"}[kind]
        told = f"|smooth:{smoothing}|eff:yes" if kind == "bleu" else ""
        told += "".join(f"|{key}:{value}" for key, value in sorted(options.items()))
        self.signature = f"sacrebleu:{kind}|version:{version}{told}"

    # sacreBLEU offers no public way from statistics to scores. These two methods of its base class are what its
    # own significance tests use.

    def extract(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Floats:
        """Return sacreBLEU's statistics."""
        return np.asarray(self._segment._extract_corpus_statistics(hypotheses, references), float)

    def of_segment(self, statistics: Floats) -> float:
        """Return the segment's score in [0, 1] (TER: at most 0)."""
        return self._sign * float(self._segment._compute_score_from_stats(statistics.tolist()).score) / 100

    def of_corpus(self, statistics: Floats) -> float:
        """Return the corpus' score in [0, 1] (TER: at most 0)."""
        return self._sign * float(self._corpus._compute_score_from_stats(statistics.tolist()).score) / 100


def _make(metric: type[SacreMetric], kind: str, given: Mapping[str, Any], options: Mapping[str, Any]) -> SacreMetric:
    """Make one of sacreBLEU's metrics.

    Raises:
        ConfigError: for an option that it does not have, or a value that it refuses.
    """
    parameters = inspect.signature(metric).parameters
    known = [name for name in parameters if name not in ("references", "force")]
    for name, value in given.items():
        if name not in known:
            near = near_miss(name, known)
            raise ConfigError(f"metric {kind!r}: unknown option {name!r}{near}; there are {', '.join(known)}")
        usual = parameters[name].default
        numeric = isinstance(usual, int | float) and not isinstance(usual, bool)
        if isinstance(value, bool) != isinstance(usual, bool) or (numeric and not isinstance(value, int | float)):
            raise ConfigError(f"metric {kind!r}: {name} is {value!r}; a value such as {usual!r} was expected")
    try:
        return metric(**options)
    except (AssertionError, TypeError, ValueError, KeyError, ImportError, RuntimeError) as error:
        told = ", ".join(f"{name}={value}" for name, value in given.items())
        raise ConfigError(f"metric {kind!r}: sacreBLEU refuses {told} ({' '.join(str(error).split())})") from error
