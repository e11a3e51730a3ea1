"""Metrics by what users write: ``meteor``, ``chain.yaml``, ``bleu:tokenize=zh``, ``scores:FILE`` …"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from meteor_e.api.metrics import Metric, MetricContext
from meteor_e.base.errors import ConfigError, PluginError, near_miss
from meteor_e.metrics.chain_metric import CHAIN_FILES
from meteor_e.plugins.distributions import missing
from meteor_e.plugins.registry import plugin_registry

FILES: dict[str, str | tuple[str, ...]] = {"chain": CHAIN_FILES, "model": ".safetensors"}
"""What the names of files end in that are named as metrics without more."""
NETWORKS = (
    "bartscore",
    "bertscore",
    "bleurt",
    "comet",
    "metricx",
    "moverscore",
    "prism",
    "unite",
    "wmt22-comet",
    "xcomet",
)
"""What the names of well-known metrics begin with that only neural networks compute."""
OTHER_PROGRAMS = {
    "spice": "compares scene graphs, which a Java program with a parser of its own makes",
    "wer": "counts word errors; the metric 'ter' also counts shifts of phrases",
}
"""Well-known metrics that meteor_e does not compute, and what each of them does."""


def parse_metric(text: str, context: MetricContext | None = None, *, jobs: int = 1, **options: Any) -> Metric:
    """Make one metric; arguments and errors as for :func:`metrics_of`.

    Raises:
        ConfigError: for a name that stands for several metrics.
    """
    found = metrics_of(text, context, jobs=jobs, **options)
    if len(found) > 1:
        raise ConfigError(f"{text!r} stands for several metrics: {', '.join(metric.label for metric in found)}")
    return found[0]


def metrics_of(text: str, context: MetricContext | None = None, *, jobs: int = 1, **options: Any) -> list[Metric]:
    """Make the metric, or the set of metrics, of ``[LABEL=]NAME[:ARGUMENTS]``.

    NAME is a metric's (``meteor-e plugins --kind metric`` lists them), the name of an installed chain, a chain file,
    or the file of a model.

    Args:
        text: what a user wrote.
        context: language, threads and the like.
        jobs: number of processes, where no context is given.
        options: of the metric, beside those of the text.

    Raises:
        ConfigError: for an unknown metric or option.
        PluginError: for a metric of a plugin that is broken.
    """
    label, separator, spec = text.partition("=")
    if not separator or ":" in label or "/" in label or "," in label:
        label, spec = "", text
    name, _, arguments = spec.partition(":")
    if name not in ("chain", "model", "scores"):
        for kind_of_file, endings in FILES.items():
            if spec.endswith(endings):
                name, arguments = kind_of_file, spec
    kind = _class(name, text)
    if kind is None:
        kind, arguments = plugin_registry().get("metric", "chain"), ",".join(filter(None, (name, arguments)))
    given = kind.parse(arguments) if arguments else {}
    twice = given.keys() & options.keys()
    if twice:
        raise ConfigError(f"metric {text!r}: option {min(twice)!r} is given twice")
    made: Any = kind.make(MetricContext(jobs=jobs) if context is None else context, **given, **options)
    found: list[Metric] = list(made) if isinstance(made, list | tuple) else [made]
    for metric in found if label else ():
        metric.label = label if len(found) == 1 else f"{label} {metric.label}"
    return found


def parse_metrics(texts: Sequence[str], context: MetricContext) -> list[Metric]:
    """Make metrics that a table can tell apart.

    Raises:
        ConfigError: if two have one label.
    """
    return distinct([metric for text in texts for metric in metrics_of(text, context)])


def distinct(metrics: list[Metric]) -> list[Metric]:
    """Return metrics that a table can tell apart.

    Raises:
        ConfigError: if two have one label.
    """
    labels = [metric.label for metric in metrics]
    for label in labels:
        if not label.isprintable():
            raise ConfigError(f"the label {label!r} has a line end, a tab or another control character; leave it out")
        if labels.count(label) > 1:
            raise ConfigError(f"two metrics are called {label!r}; tell them apart by LABEL=METRIC")
    return metrics


def load_metric(
    spec: str,
    *,
    language: str = "",
    jobs: int = 1,
    threads: int | None = None,
    offline: bool | None = None,
    **options: Any,
) -> Metric:
    """Make a metric by its name.

    >>> load_metric("bleu", tokenize="zh").corpus(hypotheses, references).score
    >>> load_metric("meteor:task=adq", language="de").score(hypothesis, reference)

    Args:
        spec: ``[LABEL=]NAME[:ARGUMENTS]``, as ``meteor-e score -M`` takes it.
        language: ISO code of the text, for metrics that ask.
        jobs: number of processes that the metric may start.
        threads: number of threads that it may use; by default as many as there are processors.
        offline: never download anything.
        options: of the metric.

    Raises:
        ConfigError: for an unknown metric or option.
        PluginError: for a metric of a plugin that is broken.
        ResourceError: if something that it needs is missing.
    """
    return parse_metric(spec, MetricContext(language, jobs, threads, offline), **options)


def _class(name: str, text: str) -> type[Metric] | None:
    """Return a metric's class; ``None`` for the name of a chain."""
    try:
        result: type[Metric] | None = plugin_registry().get("metric", name)
        return result
    except PluginError:
        names, chains = plugin_registry().names("metric"), plugin_registry().names("chain")
        if name in names:
            raise
    if name in chains:
        return None
    if name.lower().startswith(NETWORKS):
        raise ConfigError(
            f"metric {text!r} needs a neural network, which meteor_e does not bring; docs/explanation/which-metric.md "
            "compares such metrics with METEOR, and scores that another program wrote are read by -M scores:FILE"
        )
    if reason := OTHER_PROGRAMS.get(name.lower()):
        raise ConfigError(
            f"metric {text!r} is not a metric of meteor_e: it {reason}. Scores that another program wrote are read by "
            "-M scores:FILE"
        )
    if advice := missing(("metric", "chain"), name, f"metric {text!r}"):
        raise ConfigError(advice)
    raise ConfigError(
        f"unknown metric {text!r}{near_miss(name, [*names, *chains])}; there are {', '.join(names)}, chain files, "
        f"and the chains {', '.join(chains)}; others come with plugins"
    )
