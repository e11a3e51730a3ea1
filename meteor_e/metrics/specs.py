"""Metrics by what users write: ``meteor``, ``chain.yaml``, ``bleu:tokenize=zh``, ``scores:FILE`` …"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from meteor_e.api.metrics import Metric, MetricContext
from meteor_e.api.segments import UNKNOWN_TEXT, TextContext
from meteor_e.base.errors import ConfigError, PluginError, near_miss
from meteor_e.meteor import CHAIN_FILES
from meteor_e.plugins.distributions import advise_installation
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


@dataclass(frozen=True)
class MetricSpec:
    """A metric as a user names it, such as ``bleu:tokenize=zh``. Nothing is loaded before :meth:`create`.

    Attributes:
        text: what the user wrote.
        component: class of the metric.
        options: of the metric, by name.
        label: what tables call the metric; empty for the metric's own label.
        jobs: number of processes that the metric may start.
        threads: number of threads that it may use; ``None`` for as many as there are processors.
        offline: whether it must not download anything; ``None`` for the user's setting.
    """

    text: str
    component: type[Metric]
    options: Mapping[str, Any] = field(default_factory=dict)
    label: str = ""
    jobs: int = 1
    threads: int | None = None
    offline: bool | None = None

    def labels(self) -> list[str]:
        """Return what tables will call the metrics; of a chain or a model, only the header is read."""
        return [self.label or self.component.label_for(self.options)]

    def language(self) -> str:
        """Return the code of the only language that the metric is for; empty if it takes any."""
        return self.component.language_for(self.options)

    def create(self, context: TextContext = UNKNOWN_TEXT) -> list[Metric]:
        """Make the metrics for a text: one, or several if the name stands for a set of metrics.

        Raises:
            ConfigError: for a wrong option, or a language that the metric does not take.
            PluginError: for a metric of a plugin that is broken.
            ResourceError: if something that it needs is missing.
        """
        machine = MetricContext(context.language, self.jobs, self.threads, self.offline)
        result: Any = self.component.make(machine, **self.options)
        metrics: list[Metric] = list(result) if isinstance(result, list | tuple) else [result]
        for metric in metrics if self.label else ():
            metric.label = self.label if len(metrics) == 1 else f"{self.label} {metric.label}"
        return metrics


def parse_spec(
    text: str, *, jobs: int = 1, threads: int | None = None, offline: bool | None = None, **options: Any
) -> MetricSpec:
    """Read ``[LABEL=]NAME[:ARGUMENTS]``.

    NAME is a metric's (``meteor-e plugins --kind metric`` lists them), the name of an installed chain, a chain file,
    or the file of a model.

    Args:
        text: what a user wrote.
        jobs, threads, offline: see :class:`MetricSpec`.
        options: of the metric, in addition to those of the text.

    Raises:
        ConfigError: for an unknown metric or option.
        PluginError: for a metric of a plugin that is broken.
    """
    label, separator, spec = text.partition("=")
    if not separator or ":" in label or "/" in label or "," in label:
        label, spec = "", text
    name, _, arguments = spec.partition(":")
    if name not in ("chain", "model", "scores"):
        for file_metric, endings in FILES.items():
            if spec.endswith(endings):
                name, arguments = file_metric, spec
    component = _class(name, text)
    if component is None:
        component, arguments = plugin_registry().metrics.get("chain"), ",".join(filter(None, (name, arguments)))
    text_options = component.parse(arguments) if arguments else {}
    repeated = text_options.keys() & options.keys()
    if repeated:
        raise ConfigError(f"metric {text!r}: option {min(repeated)!r} is given twice")
    return MetricSpec(text, component, {**text_options, **options}, label, jobs, threads, offline)


def create_metrics(metrics: Iterable[Metric | MetricSpec], context: TextContext = UNKNOWN_TEXT) -> list[Metric]:
    """Return metrics that a table can tell apart; specifications are made for the text.

    Raises:
        ConfigError: if two have one label.
    """
    created = [entry.create(context) if isinstance(entry, MetricSpec) else [entry] for entry in metrics]
    return distinct([metric for entry in created for metric in entry])


def common_language(specs: Iterable[MetricSpec]) -> str:
    """Return the language of the first metric that is for one language only; empty if there is none."""
    return next((language for spec in specs if (language := spec.language())), "")


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
    metrics = parse_spec(spec, jobs=jobs, threads=threads, offline=offline, **options).create(TextContext(language))
    if len(metrics) > 1:
        labels = ", ".join(metric.label for metric in metrics)
        raise ConfigError(f"{spec!r} stands for several metrics: {labels}")
    return metrics[0]


def _class(name: str, text: str) -> type[Metric] | None:
    """Return a metric's class; ``None`` for the name of a chain."""
    try:
        result: type[Metric] | None = plugin_registry().metrics.get(name)
        return result
    except PluginError:
        names, chains = plugin_registry().metrics.names(), plugin_registry().chains.names()
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
    if advice := advise_installation(("metric", "chain"), name, f"metric {text!r}"):
        raise ConfigError(advice)
    raise ConfigError(
        f"unknown metric {text!r}{near_miss(name, [*names, *chains])}; there are {', '.join(names)}, chain files, "
        f"and the chains {', '.join(chains)}; others come with plugins"
    )
