"""Registry of the measures of agreement between metric scores and human judgments.

Each measure is a class. The attributes of the class describe the measure, for example its definition and its treatment
of ties.

The table of measures in the documentation is generated from the attributes of the measure classes.
"""

from __future__ import annotations

from meteor_e.api import ConfigError, Measure
from meteor_e.api.metrics import named_options
from meteor_e.base.errors import near_miss
from meteor_e.plugins.registry import plugin_registry
from meteor_e_evaluation import correlation_measures as correlations
from meteor_e_evaluation import pair_measures as pairs
from meteor_e_evaluation import system_measures as systems
from meteor_e_evaluation.comparison import independent_units
from meteor_e_evaluation.test_set import TestSet

MEASURES: dict[str, type[Measure[TestSet]]] = {
    measure_class.name: measure_class
    for measure_class in (
        pairs.TauStrict,
        pairs.TauWmt13,
        pairs.TauWmt14,
        pairs.TauB,
        pairs.Accuracy,
        pairs.RelativeRanking,
        pairs.TiedAccuracy,
        correlations.Pearson,
        correlations.Spearman,
        correlations.KendallC,
        correlations.Kendall,
        correlations.AccuracyWithTies,
        correlations.PearsonBySegment,
        correlations.PearsonBySystem,
        correlations.SpearmanBySegment,
        correlations.SpearmanBySystem,
        correlations.KendallBySegment,
        correlations.KendallBySystem,
        correlations.AccuracyBySegment,
        correlations.AccuracyBySystem,
        systems.SystemPearson,
        systems.SystemSpearman,
        systems.SystemKendall,
        systems.SystemAccuracy,
        systems.PooledAccuracy,
        systems.SoftAccuracy,
    )
}
"""The built-in measures by name."""


def measure_names() -> list[str]:
    """Return the names of the built-in measures, followed by the names of measures from plugins."""
    plugin_names = [name for name in plugin_registry().measures.names() if name not in MEASURES]
    return [*MEASURES, *plugin_names]


def measure(name: str) -> Measure[TestSet]:
    """Return the measure with a name.

    Args:
        name: name of the measure, optionally followed by options as in ``darr:threshold=10``.

    Raises:
        ConfigError: if the name is unknown, or if the measure does not have such an option.
    """
    base_name, separator, options = name.partition(":")
    names = measure_names()
    if base_name not in names:
        raise ConfigError(f"unknown measure {base_name!r}{near_miss(base_name, names)}; there are {', '.join(names)}")
    measure_class = plugin_registry().measures.get(base_name)
    instance: Measure[TestSet] = measure_class.make(**named_options(options, f"measure {name!r}"))
    if separator:
        # The instance gets its own name and title, so that tables show its options.
        vars(instance).update(name=name, title=f"{instance.title} ({options})")
    return instance


def default_measure_name(test: TestSet) -> str:
    """Return the name of the default measure for the judgments of a test set.

    The default is ``tau-strict`` if annotators judged several systems on the same segment. For other ratings of
    segments, the default is ``pearson``. If only whole systems have human scores, the default is ``system-pearson``.
    """
    comparisons = pairs.pairwise_judgments(test)
    if comparisons is not None and len(comparisons):
        return "tau-strict"
    if test.assessments is not None and len(test.assessments):
        return "pearson"
    return "system-pearson"


def measure_table() -> str:
    """Return a Markdown table of all built-in measures for the documentation."""
    header = ("name", "level", "definition", "source", "MTME", "ties", "missing scores", "default test", "independent")
    lines = [f"| {' | '.join(header)} |", "|---" * len(header) + "|"]
    for name in MEASURES:
        entry = measure(name)
        default_test = entry.default_test()
        cells = (
            f"`{name}`",
            entry.level,
            entry.definition,
            entry.source,
            entry.mtme or "–",
            entry.ties,
            entry.missing,
            f"`{default_test}`",
            independent_units(entry, default_test),
        )
        escaped_cells = [cell.replace("|", "\\|") for cell in cells]
        lines.append(f"| {' | '.join(escaped_cells)} |")
    return "\n".join(lines) + "\n"
