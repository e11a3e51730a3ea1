"""The measures of an evaluation, by name: from judgments and scores to one number and its bootstrap samples.

Each measure says what it is in one table, :data:`MEASURES`: its definition, where it comes from, what
mt-metrics-eval (MTME) calls it, and how it treats ties and missing scores. The table in the documentation is made
from there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from meteor_e.api import ComponentOptions, ConfigError, Measure, Meta
from meteor_e.api.measures import Agreement
from meteor_e.api.metrics import Scores, named_options
from meteor_e.base import DEFAULT_SEED
from meteor_e.base.array_cache import Floats
from meteor_e.base.errors import near_miss
from meteor_e.plugins.registry import plugin_registry
from meteor_e_evaluation import exchange, kendall
from meteor_e_evaluation.comparison import assumed
from meteor_e_evaluation.correlation import correlate, grouped_pearson
from meteor_e_evaluation.data import TestSet
from meteor_e_evaluation.exchange import Differences, Masks
from meteor_e_evaluation.groups import Grouping, group_coefficients, mean_group_agreement
from meteor_e_evaluation.judgements import Assessments, Rankings
from meteor_e_evaluation.soft_accuracy import approximate_soft_accuracy, soft_pairwise_accuracy


def pairs_of(test: TestSet) -> Rankings | None:
    """Return pairwise judgments: rankings, else comparisons of assessments of the same segment."""
    if test.rankings is not None:
        return test.rankings
    return None if test.assessments is None else test.assessments.comparisons()


def _ranked(metrics: Floats, human: Floats) -> tuple[Floats, Floats]:
    from scipy import stats

    return np.array([stats.rankdata(row) for row in metrics]), stats.rankdata(human)


def _nothing(weights: Floats) -> Floats:
    return np.full(len(weights), math.nan)


def _outcome_counts(rankings: Rankings, segments: Floats) -> Floats:
    kinds = kendall.outcomes(kendall.pair_differences(rankings, segments), rankings.ties)
    width = segments.shape[1]
    return np.bincount(rankings.segments * 5 + kinds, minlength=5 * width).reshape(width, 5).astype(float)


class PairMeasure(Measure[TestSet]):
    """A variant of Kendall's τ, or accuracy, over pairs of systems on a segment."""

    variant: ClassVar[str]

    def pairs(self, test: TestSet) -> Rankings | None:
        """Return the judgments that count."""
        return pairs_of(test)

    def agreement(self, test: TestSet) -> Agreement | None:
        """Return τ as a function of segments' scores."""
        rankings = self.pairs(test)
        if rankings is None or not len(rankings):
            return None
        return lambda segments: float(kendall.tau(kendall.count_pairs(rankings, segments), self.variant))

    def exchange(self, test: TestSet, values: Floats, masks: Masks, exchanged: str) -> Differences | None:
        """Return τ where segments or systems are exchanged."""
        rankings = self.pairs(test)
        if rankings is None or exchanged == "scores":
            return None
        return exchange.counted(rankings, values, masks, exchanged, lambda counts: kendall.tau(counts, self.variant))

    def counts(self, test: TestSet, segments: Floats) -> Floats | None:
        """Return how often each outcome occurs on each segment, ``(segments, 5)``, as in :class:`.PairCounts`."""
        rankings = self.pairs(test)
        if rankings is None or np.isnan(segments).all():
            return None
        return _outcome_counts(rankings, segments)

    def resampled(self, test: TestSet, scores: Scores, weights: Floats) -> Floats:
        """Return τ on resampled segments."""
        counts = self.counts(test, scores.segments)
        if counts is None:
            return _nothing(weights)
        return np.asarray(kendall.tau(kendall.PairCounts(*(weights @ counts).T), self.variant), float)


class RelativeRanking(PairMeasure):
    """The strict τ over pairs whose human scores differ by a threshold or more (daRR)."""

    variant: ClassVar[str] = "strict"

    class Options(ComponentOptions):
        """The smallest difference that counts."""

        threshold: Annotated[float, Meta(ge=0, description="Lowest difference of human scores that counts.")] = 25.0

    def pairs(self, test: TestSet) -> Rankings | None:
        """Return the pairs of assessments that differ enough."""
        if test.assessments is None:
            return None
        pairs = test.assessments.averaged().comparisons().strict()
        human = test.human
        gap = human[pairs.better, pairs.segments] - human[pairs.worse, pairs.segments]
        return pairs.select(gap >= self.options.threshold)


class TiedMeasure(Measure[TestSet]):
    """Pairwise accuracy with tie calibration; bootstrap samples keep the threshold of the whole set."""

    def agreement(self, test: TestSet) -> Agreement | None:
        """Return acc_eq as a function of segments' scores; each gets its own best threshold."""
        rankings = pairs_of(test)
        if rankings is None or not len(rankings):
            return None
        return lambda segments: kendall.tied_accuracy(rankings, segments).accuracy

    def exchange(self, test: TestSet, values: Floats, masks: Masks, exchanged: str) -> Differences | None:
        """Return acc_eq where segments or systems are exchanged."""
        rankings = pairs_of(test)
        if exchanged == "scores" or rankings is None:
            return None
        return exchange.tied_accuracy(rankings, values, masks, exchanged)

    def resampled(self, test: TestSet, scores: Scores, weights: Floats) -> Floats:
        """Return acc_eq on resampled segments."""
        rankings = pairs_of(test)
        if rankings is None or not len(rankings) or np.isnan(scores.segments).all():
            return _nothing(weights)
        threshold = kendall.tied_accuracy(rankings, scores.segments).threshold
        differences = kendall.pair_differences(rankings, scores.segments)
        correct = np.where(np.abs(differences) <= threshold, rankings.ties, ~rankings.ties & (differences > 0))
        sizes = np.bincount(rankings.segments, minlength=weights.shape[1])
        right = np.bincount(rankings.segments, correct, weights.shape[1])
        share = np.divide(right, sizes, out=np.zeros(len(sizes)), where=sizes > 0)
        with np.errstate(invalid="ignore"):
            result: Floats = weights @ share / (weights @ (sizes > 0))
        return result


class SegmentCorrelation(Measure[TestSet]):
    """Correlation with human scores over all rated segments of all systems."""

    coefficient: ClassVar[str]

    def agreement(self, test: TestSet) -> Agreement | None:
        """Return the coefficient as a function of segments' scores."""
        given = test.assessments
        if given is None:
            return None
        return lambda segments: correlate(segments[given.systems, given.segments], given.scores, self.coefficient)

    def exchange(self, test: TestSet, values: Floats, masks: Masks, exchanged: str) -> Differences | None:
        """Return the coefficient where scores are exchanged."""
        if test.assessments is None:
            return None
        if self.coefficient == "pearson":
            return exchange.pearson(values, test.assessments, masks, exchanged)
        return exchange.rank_correlation(values, [test.assessments], masks, exchanged, self.coefficient)

    def correlated(self, test: TestSet, scores: Sequence[Scores]) -> tuple[Floats, Floats] | None:
        """Return scores of the assessed segments; their ranks for Spearman's coefficient."""
        given = test.assessments
        if given is None or not len(given):
            return None
        metrics = np.array([entry.segments[given.systems, given.segments] for entry in scores])
        return _ranked(metrics, given.scores) if self.coefficient == "spearman" else (metrics, given.scores)

    def resampled(self, test: TestSet, scores: Scores, weights: Floats) -> Floats:
        """Return the coefficient on resampled segments."""
        if test.assessments is None or not len(test.assessments) or np.isnan(scores.segments).all():
            return _nothing(weights)
        given = test.assessments
        metric = scores.segments[given.systems, given.segments]
        if self.coefficient == "pearson":
            return grouped_pearson(metric, given.scores, given.segments, weights)
        rows = (weights[:, given.segments]).astype(int)
        return np.array(
            [correlate(np.repeat(metric, row), np.repeat(given.scores, row), self.coefficient) for row in rows]
        )


class GroupedMeasure(Measure[TestSet]):
    """Correlation or accuracy within groups of rated cells, averaged over the groups."""

    coefficient: ClassVar[str]
    grouping: ClassVar[Grouping]

    def agreement(self, test: TestSet) -> Agreement | None:
        """Return the mean as a function of segments' scores."""
        if test.assessments is None or not len(test.assessments):
            return None
        return mean_group_agreement(self.coefficient, self.grouping, test.human)

    def exchange(self, test: TestSet, values: Floats, masks: Masks, exchanged: str) -> Differences | None:
        """Return the mean where scores are exchanged."""
        human = test.human
        if test.assessments is None:
            return None
        if (self.grouping, exchanged) in (("item", "segments"), ("sys", "systems")):
            groups = group_coefficients(self.coefficient, self.grouping, human)
            return exchange.mean_of_groups([groups(row) for row in values], masks)
        if self.coefficient == "pearson" or self.grouping == "item":
            return None
        given = test.assessments.averaged()
        ranked = [given] if self.grouping == "none" else [given.select(given.systems == at) for at in range(len(human))]
        return exchange.rank_correlation(values, ranked, masks, exchanged, self.coefficient)

    def resampled(self, test: TestSet, scores: Scores, weights: Floats) -> Floats:
        """Return the mean on resampled segments."""
        if test.assessments is None or not len(test.assessments) or np.isnan(scores.segments).all():
            return _nothing(weights)
        segments = scores.segments
        values = []
        for sample_weights in weights:
            if self.grouping == "item":
                agreement = mean_group_agreement(self.coefficient, self.grouping, test.human, sample_weights)
                values.append(agreement(segments))
            else:
                columns = np.repeat(np.arange(len(sample_weights)), sample_weights.astype(int))
                agreement = mean_group_agreement(self.coefficient, self.grouping, test.human[:, columns])
                values.append(agreement(segments[:, columns]))
        return np.array(values)


def human_system_scores(test: TestSet) -> dict[str, float]:
    """Return people's scores of systems.

    These are the published ones where the index has them, else the mean of the systems' assessments, else, from
    rankings, the share of comparisons won of those that were not ties (Bojar et al., 2011).
    """
    if test.system_scores:
        return test.system_scores
    scores: dict[str, float] = {}
    if test.assessments is not None:
        for position, system in enumerate(test.systems):
            own = test.human[position]
            if not np.isnan(own).all():
                scores[system] = float(np.nanmean(own))
    elif test.rankings is not None:
        strict = test.rankings.strict()
        won = np.bincount(strict.better, minlength=len(test.systems))
        lost = np.bincount(strict.worse, minlength=len(test.systems))
        for position, system in enumerate(test.systems):
            if won[position] + lost[position]:
                scores[system] = float(won[position] / (won[position] + lost[position]))
    return scores


def mad_outliers(test: TestSet, cutoff: float = 2.5) -> tuple[str, ...]:
    """Return systems whose human score lies far from the median.

    Far is more than ``cutoff`` times 1.483 times the median absolute deviation from the median. Source: Mathur et al.
    (2020), "Tangled up in BLEU", section 4.1; WMT20.
    """
    human = human_system_scores(test)
    values = np.array(list(human.values()))
    if not len(values):
        return ()
    distance = np.abs(values - np.median(values))
    scale = 1.483 * float(np.median(distance))
    return tuple(name for name, far in zip(human, distance > cutoff * scale, strict=True) if scale and far)


def ranked_rows(test: TestSet) -> tuple[list[int], Floats]:
    """Return which systems system-level measures compare, and people's scores of them."""
    human = human_system_scores(test)
    rows = [row for row, name in enumerate(test.systems) if name in human and name not in test.outliers]
    return rows, np.array([human[test.systems[row]] for row in rows])


def _tau_b(counts: kendall.PairCounts) -> Floats | float:
    return kendall.tau(counts, "b")


class SystemMeasure(Measure[TestSet]):
    """Correlation over systems, or, as ``accuracy``, the share of pairs of systems in the right order."""

    coefficient: ClassVar[str]
    takes: ClassVar[Literal["segments", "systems"]] = "systems"

    def default_test(self) -> str:
        """Williams' test for Pearson's coefficient, else an exchange of systems.

        On ranks of some twenty systems Williams' test rejects too often (7.5 % at .05), so it is used by name only.
        """
        return "williams" if self.coefficient == "pearson" else "systems"

    def correlated(self, test: TestSet, scores: Sequence[Scores]) -> tuple[Floats, Floats] | None:
        """Return scores of systems; their ranks for Spearman's coefficient."""
        if self.coefficient not in ("pearson", "spearman"):
            return super().correlated(test, scores)
        rows, human = ranked_rows(test)
        metrics = np.array([entry.systems[rows] for entry in scores])
        return _ranked(metrics, human) if self.coefficient == "spearman" else (metrics, human)

    def agreement(self, test: TestSet) -> Agreement | None:
        """Return the coefficient as a function of systems' scores."""
        rows, human = ranked_rows(test)
        if len(rows) < 2:
            return None
        return lambda systems: self._agree(systems[rows], human)

    def exchange(self, test: TestSet, values: Floats, masks: Masks, exchanged: str) -> Differences | None:
        """Return τ-b or accuracy where scores of systems are exchanged, as if those were one segment."""
        rows, human = ranked_rows(test)
        if values.ndim == 3 or self.coefficient not in ("kendall", "accuracy") or len(rows) < 2:
            return None
        pairs = Assessments(np.zeros(len(rows), int), np.arange(len(rows)), human).comparisons()
        right = (lambda counts: (counts[0] + counts[4]) / sum(counts)) if self.coefficient == "accuracy" else _tau_b
        return exchange.counted(pairs, values[:, rows, None], masks[:, rows], exchanged, right)

    def _agree(self, metric: Floats, human: Floats) -> float:
        if np.isnan(metric).any():
            return math.nan
        if self.coefficient != "accuracy":
            return correlate(metric, human, self.coefficient)
        first, second = np.triu_indices(len(human), 1)
        right = np.sign(metric[first] - metric[second]) == np.sign(human[first] - human[second])
        return float(right.mean())

    def resampled(self, test: TestSet, scores: Scores, weights: Floats) -> Floats:
        """Return the coefficient with the metric's scores on resampled segments; people's scores stay."""
        rows, human = ranked_rows(test)
        if len(rows) < 2 or np.isnan(scores.segments[rows]).any():
            return _nothing(weights)
        systems = np.stack([scores.resampled(row, weights) for row in rows], axis=1)
        return np.array([self._agree(sample, human) for sample in systems])


class PooledAccuracy(SystemMeasure):
    """Accuracy over the pairs of systems of all language pairs together."""

    pooled: ClassVar[bool] = True

    def weight(self, test: TestSet) -> float:
        """Return the number of pairs of systems."""
        count = len(ranked_rows(test)[0])
        return count * (count - 1) / 2


class SoftAccuracy(Measure[TestSet]):
    """Soft pairwise accuracy: p-values of pairs of systems by a metric beside those by people."""

    class Options(ComponentOptions):
        """The seed of the permutations."""

        seed: Annotated[int, Meta(ge=0, description="Seed of the permutations.")] = DEFAULT_SEED

    def default_test(self) -> str:
        """Exchange systems: metrics may favor systems, and scores of a system are then not independent."""
        return "systems"

    def _rows(self, test: TestSet) -> list[int]:
        rated = np.asarray(~np.isnan(test.human).all(axis=1))
        return [row for row, name in enumerate(test.systems) if rated[row] and name not in test.outliers]

    def value(self, test: TestSet, scores: Scores) -> float:
        """Return SPA by permutations."""
        rows = self._rows(test) if test.assessments is not None else []
        if len(rows) < 2 or np.isnan(scores.segments).all():
            return math.nan
        return soft_pairwise_accuracy(test.human[rows], scores.segments[rows], seed=self.options.seed)

    def agreement(self, test: TestSet) -> Agreement | None:
        """Return SPA as a function of segments' scores, with p from the normal distribution."""
        rows = self._rows(test) if test.assessments is not None else []
        if len(rows) < 2:
            return None
        prepared = approximate_soft_accuracy(test.human[rows])
        return lambda segments: prepared(segments[rows])

    def exchange(self, test: TestSet, values: Floats, masks: Masks, exchanged: str) -> Differences | None:
        """Return SPA where systems are exchanged."""
        rows = self._rows(test)
        if exchanged != "systems":
            return None
        return exchange.soft_accuracy(values[:, rows], test.human[rows], masks[:, rows])

    def resampled(self, test: TestSet, scores: Scores, weights: Floats) -> Floats:
        """Return SPA on resampled segments, people's scores resampled with the metric's."""
        rows = self._rows(test) if test.assessments is not None else []
        if len(rows) < 2 or np.isnan(scores.segments).all():
            return _nothing(weights)
        human, metric = test.human[rows], scores.segments[rows]
        return np.array([approximate_soft_accuracy(human, row)(metric) for row in weights])


_RATED = "only rated cells count"
_PAIRED = "a pair needs ratings of both"
_NEVER = "tied metric scores count as wrong; pairs tied by people are left out"


def _defined(base: type[Measure[TestSet]], name: str, title: str, **attributes: Any) -> type[Measure[TestSet]]:
    """Return a measure of the table: a subclass with its own attributes, at the module's top so that it pickles."""
    found = type(name.title().replace("-", ""), (base,), {"name": name, "title": title, **attributes})
    found.__module__, found.__doc__ = __name__, f"{attributes['definition'][:1].upper()}{attributes['definition'][1:]}."
    globals()[found.__name__] = found
    return found


def _pair(name: str, title: str, variant: str, definition: str, source: str, ties: str) -> type[Measure[TestSet]]:
    return _defined(
        PairMeasure, name, title, variant=variant, definition=definition, source=source, ties=ties, missing=_PAIRED
    )


def _grouped(kind: str, grouping: Grouping, name: str, title: str, mtme: str) -> type[Measure[TestSet]]:
    what = {
        "pearson": "Pearson's r",
        "spearman": "Spearman's ρ",
        "kendall": "Kendall's τ-b",
        "acc": "share of pairs ordered, or tied, as people do",
    }[kind]
    where = {
        "none": "over all rated segments of all systems",
        "item": "over systems, averaged over segments",
        "sys": "over segments, averaged over systems",
    }[grouping]
    ties = {
        "pearson": "–",
        "spearman": "mean ranks",
        "kendall": "corrected as in τ-b",
        "acc": "ties of both sides are right, ties of one side are wrong; only equal scores tie",
    }[kind]
    groups = "" if grouping == "none" else "; a group with fewer than two ratings, or without variation, is left out"
    if kind == "acc" and groups:
        groups = "; a group with fewer than two ratings is left out"
    source = "Deutsch et al. (2023)" if kind == "acc" else "Kendall (1945)" if kind == "kendall" else "WMT21–24"
    return _defined(
        GroupedMeasure,
        name,
        title,
        coefficient=kind,
        grouping=grouping,
        definition=f"{what} {where}",
        source=source,
        mtme=mtme,
        ties=ties,
        missing=_RATED + groups,
    )


_NAMES = {"pearson": "Pearson r", "spearman": "Spearman ρ", "kendall": "Kendall τ-b", "acc": "accuracy with ties"}
_BY: dict[Grouping, str] = {"item": "by segment", "sys": "by system"}
_MTME = {
    "pearson": "Pearson",
    "spearman": "Spearman",
    "kendall": "Kendall",
    "acc": "KendallVariants (acc23)",
}


def _system(name: str, title: str, kind: str, definition: str, mtme: str, ties: str) -> type[Measure[TestSet]]:
    return _defined(
        SystemMeasure,
        name,
        title,
        level="system",
        coefficient=kind,
        definition=definition,
        source="WMT08–24",
        mtme=mtme,
        ties=ties,
        missing="people's score of a system is the mean of its ratings unless scores of systems are given",
    )


MEASURES: dict[str, type[Measure[TestSet]]] = {
    entry.name: entry
    for entry in (
        _pair(
            "tau-strict",
            "τ strict",
            "strict",
            "(concordant − discordant) / pairs of systems on a segment",
            "Callison-Burch et al. (2012); WMT08–12",
            _NEVER,
        ),
        _pair(
            "tau-wmt13",
            "τ WMT13",
            "wmt13",
            "(concordant − discordant) / pairs",
            "Macháček and Bojar (2013)",
            "tied pairs of either side are left out",
        ),
        _pair(
            "tau-wmt14",
            "τ WMT14",
            "wmt14",
            "(concordant − discordant) / pairs",
            "Macháček and Bojar (2014)",
            "the metric's ties count as pairs, neither right nor wrong; people's are left out",
        ),
        _pair(
            "tau-b",
            "τ-b",
            "b",
            "Kendall's τ-b over all pairs of systems on a segment",
            "Kendall (1945)",
            "corrected as in τ-b",
        ),
        _pair("accuracy", "accuracy", "accuracy", "share of concordant pairs", "–", _NEVER),
        _defined(
            RelativeRanking,
            "darr",
            "τ daRR",
            definition="strict τ over pairs whose human scores differ by a threshold or more, 25 by default "
            "(darr:threshold=N)",
            source="Ma et al. (2018); WMT17–21",
            mtme="KendallLike",
            ties="tied metric scores count as wrong",
            missing=_PAIRED,
        ),
        _defined(
            TiedMeasure,
            "acc-eq",
            "acc_eq",
            definition="share of pairs ordered or tied as people do, mean of segments; the best threshold makes ties",
            source="Deutsch et al. (2023); WMT23–24",
            mtme="KendallWithTiesOpt (acc23), item",
            ties="ties of both sides are right, ties of one side are wrong",
            missing=_PAIRED,
        ),
        _defined(
            SegmentCorrelation,
            "pearson",
            "Pearson r",
            coefficient="pearson",
            definition="Pearson's r over all rated segments of all systems",
            source="WMT15–24",
            mtme="Pearson, none",
            ties="–",
            missing=_RATED,
        ),
        _defined(
            SegmentCorrelation,
            "spearman",
            "Spearman ρ",
            coefficient="spearman",
            definition="Spearman's ρ over all rated segments of all systems",
            source="WMT",
            mtme="Spearman, none",
            ties="mean ranks",
            missing=_RATED,
        ),
        _defined(
            SegmentCorrelation,
            "kendall-c",
            "Kendall τ-c",
            coefficient="kendall-c",
            definition="Kendall's τ-c over all rated segments of all systems",
            source="Stuart (1953); captions since Anderson et al. (2016)",
            mtme="–",
            ties="corrected as in τ-c, for ratings in few steps",
            missing=_RATED,
        ),
        _grouped("kendall", "none", "kendall", "Kendall τ-b, all segments", "Kendall, none"),
        _grouped("acc", "none", "acc", "accuracy with ties, all segments", "KendallVariants (acc23), none"),
        *(
            _grouped(kind, by, f"{kind}-{by}", f"{_NAMES[kind]} {_BY[by]}", f"{_MTME[kind]}, {by}")
            for kind in _NAMES
            for by in _BY
        ),
        _system("system-pearson", "system Pearson r", "pearson", "Pearson's r over systems", "Pearson, sys level", "–"),
        _system(
            "system-spearman",
            "system Spearman ρ",
            "spearman",
            "Spearman's ρ over systems",
            "Spearman, sys level",
            "mean ranks",
        ),
        _system(
            "system-kendall",
            "system τ-b",
            "kendall",
            "Kendall's τ-b over systems",
            "Kendall, sys level",
            "corrected as in τ-b",
        ),
        _system(
            "system-accuracy",
            "system accuracy",
            "accuracy",
            "share of pairs of systems in the right order; means weigh language pairs alike",
            "accuracy",
            "a pair that one side ties is wrong, one that both tie is right",
        ),
        _defined(
            PooledAccuracy,
            "system-accuracy-pooled",
            "system accuracy, pooled",
            level="system",
            coefficient="accuracy",
            definition="the same; means pool the pairs of systems of all language pairs",
            source="Kocmi et al. (2021); WMT21–24",
            mtme="accuracy over language pairs",
            ties="a pair that one side ties is wrong, one that both tie is right",
            missing="as above",
        ),
        _defined(
            SoftAccuracy,
            "spa",
            "SPA",
            level="system",
            definition="1 − mean over pairs of systems of |p by people − p by the metric|, p by paired permutations",
            source="Thompson et al. (2024); WMT24",
            mtme="PairwiseConfidenceError (SPA)",
            ties="–",
            missing="a pair of systems is compared on the segments rated for both",
        ),
    )
}
"""All measures."""


def measure_names() -> list[str]:
    """Return the names of all measures, those of plugins last."""
    return [*MEASURES, *(name for name in plugin_registry().names("measure") if name not in MEASURES)]


def measure(name: str) -> Measure[TestSet]:
    """Return a measure by its name, with options as in ``darr:threshold=10``.

    Raises:
        ConfigError: if there is none, or if it does not take the option.
    """
    base, separator, text = name.partition(":")
    names = measure_names()
    if base not in names:
        raise ConfigError(f"unknown measure {base!r}{near_miss(base, names)}; there are {', '.join(names)}")
    found: Measure[TestSet] = plugin_registry().get("measure", base).make(**named_options(text, f"measure {name!r}"))
    if separator:
        vars(found).update(name=name, title=f"{found.title} ({text})")
    return found


def measure_table() -> str:
    """Return the table of all measures in Markdown, as the documentation shows it."""
    head = ("name", "level", "definition", "source", "MTME", "ties", "missing scores", "default test", "independent")
    rows = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for entry in MEASURES.values():
        test = measure(entry.name).default_test()
        cells = (
            f"`{entry.name}`",
            entry.level,
            entry.definition,
            entry.source,
            entry.mtme or "–",
            entry.ties,
            entry.missing,
            f"`{test}`",
            assumed(measure(entry.name), test),
        )
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows) + "\n"
