"""Specifications of metrics, such as ``bleu:tokenize=zh``, which select a metric and its options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from meteor_e.api.metrics import Metric, MetricContext
from meteor_e.api.segments import UNKNOWN_TEXT, TextContext
from meteor_e.base.errors import ConfigError, near_miss
from meteor_e.metrics.meteor_chain import CHAIN_FILES
from meteor_e.plugins.distributions import advise_installation
from meteor_e.plugins.registry import plugin_registry

FILE_SUFFIXES: dict[str, str | tuple[str, ...]] = {"chain": CHAIN_FILES, "model": ".safetensors"}
"""The suffixes of the files that some metrics read. A specification can name such a file instead of the metric."""
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
"""The prefixes of names of metrics that need a neural network."""
OTHER_PROGRAMS = {
    "spice": "compares scene graphs, which a Java program creates with its own parser",
    "wer": "counts word errors; the metric 'ter' also counts shifts of phrases",
}
"""Metrics that meteor_e does not compute, with a description that follows the name in an error message."""


@dataclass(frozen=True)
class MetricSpec:
    """The specification of a metric, such as ``bleu:tokenize=zh``. The method :meth:`create` loads the metric.

    Attributes:
        text: the specification.
        component: class of the metric.
        options: options of the metric, by name.
        label: name of the metric in tables; empty for the default label.
        jobs: number of processes that the metric may start.
        threads: number of threads that the metric may use; ``None`` for the number of processors.
        offline: whether the metric must not download anything; ``None`` for the user's setting.
    """

    text: str
    component: type[Metric]
    options: Mapping[str, Any] = field(default_factory=dict)
    label: str = ""
    jobs: int = 1
    threads: int | None = None
    offline: bool | None = None

    def language(self) -> str:
        """Return the code of the language if the metric supports only one language.

        The code is empty if the metric supports all languages.
        """
        return self.component.language_for(self.options)

    def create(self, context: TextContext = UNKNOWN_TEXT) -> list[Metric]:
        """Create the specified metric, or several metrics if the specification names a set of metrics.

        Args:
            context: language and kind of the text.

        Raises:
            ConfigError: for an invalid option, or a language that the metric does not support.
            PluginError: if the plugin of the metric is broken.
            ResourceError: if a resource of the metric is missing.
        """
        metric_context = MetricContext(context.language, self.jobs, self.threads, self.offline)
        result: Any = self.component.make(metric_context, **self.options)
        metrics: list[Metric] = list(result) if isinstance(result, list | tuple) else [result]
        if self.label:
            for metric in metrics:
                metric.label = self.label if len(metrics) == 1 else f"{self.label} {metric.label}"
        return metrics


def parse_spec(
    text: str, *, jobs: int = 1, threads: int | None = None, offline: bool | None = None, **options: Any
) -> MetricSpec:
    """Parse a specification of the form ``[LABEL=]NAME[:ARGUMENTS]``.

    NAME is the name of a metric, the name of an installed chain, the path of a chain file, or the path of a model. The
    command ``meteor-e plugins --kind metric`` lists the names of metrics.

    Args:
        text: the specification.
        jobs, threads, offline: see :class:`MetricSpec`.
        **options: options of the metric, in addition to the options in the text.

    Raises:
        ConfigError: for an unknown metric or option.
        PluginError: if the plugin of the metric is broken.
    """
    label, unlabeled_spec = split_label(text)
    name, _, arguments = _expand_shorthand(unlabeled_spec).partition(":")
    component = _find_class(name, text)
    text_options = component.parse(arguments) if arguments else {}
    repeated_names = text_options.keys() & options.keys()
    if repeated_names:
        raise ConfigError(f"metric {text!r}: option {min(repeated_names)!r} is given twice")
    return MetricSpec(text, component, {**text_options, **options}, label, jobs, threads, offline)


def split_label(text: str) -> tuple[str, str]:
    """Split a specification ``[LABEL=]NAME[:ARGUMENTS]`` into its label and the rest. The label may be empty."""
    label, separator, unlabeled_spec = text.partition("=")
    # If a colon, a slash or a comma precedes the equals sign, the specification has no label.
    if separator and not any(character in label for character in ":/,"):
        return label, unlabeled_spec
    return "", text


def _expand_shorthand(unlabeled_spec: str) -> str:
    """Return a specification of the form ``NAME[:ARGUMENTS]``, where NAME is the name of a metric.

    A specification can also begin with a file path or the name of a chain: ``chain.yaml`` means ``chain:chain.yaml``,
    and ``adq:beam=10`` means ``chain:adq,beam=10``.
    """
    registry = plugin_registry()
    name, colon, arguments = unlabeled_spec.partition(":")
    if colon and name in registry.metrics:
        return unlabeled_spec  # The arguments of a metric can end with a file name.
    # File names are recognized before chain names, because looking up a chain name imports all plugins.
    for metric_name, suffixes in FILE_SUFFIXES.items():
        if unlabeled_spec.endswith(suffixes):
            return f"{metric_name}:{unlabeled_spec}"
    is_chain = name not in registry.metrics and name in registry.chains
    return f"chain:{name},{arguments}" if is_chain else unlabeled_spec


def create_metrics(metrics: Iterable[Metric | MetricSpec], context: TextContext = UNKNOWN_TEXT) -> list[Metric]:
    """Load metrics from specifications, and check that no two metrics have the same label.

    Args:
        metrics: metrics and specifications.
        context: language and kind of the text.

    Raises:
        ConfigError: if two metrics have the same label.
    """
    loaded_metrics: list[Metric] = []
    for metric in metrics:
        loaded_metrics += metric.create(context) if isinstance(metric, MetricSpec) else [metric]
    return distinct(loaded_metrics)


def distinct(metrics: list[Metric]) -> list[Metric]:
    """Check that the labels of metrics are printable and different, and return the metrics.

    Raises:
        ConfigError: if two metrics have the same label, or a label has a control character.
    """
    labels = [metric.label for metric in metrics]
    for label in labels:
        if not label.isprintable():
            raise ConfigError(f"the label {label!r} has a line end, a tab or another control character; remove it")
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
    """Create a metric from its specification.

    >>> load_metric("bleu", tokenize="zh").corpus(hypotheses, references).score
    >>> load_metric("meteor:task=adq", language="de").score(hypothesis, reference)

    Args:
        spec: the specification, ``[LABEL=]NAME[:ARGUMENTS]``, as for ``meteor-e score -M``.
        language: ISO code of the text's language, for metrics that depend on it.
        jobs: number of processes that the metric may start.
        threads: number of threads that the metric may use; by default the number of processors.
        offline: whether the metric must not download anything; by default the user's setting.
        **options: options of the metric.

    Returns:
        The metric. Its methods ``score`` and ``corpus`` score a segment and a system.

    Raises:
        ConfigError: for an unknown metric or option.
        PluginError: if the plugin of the metric is broken.
        ResourceError: if a resource of the metric is missing.
    """
    metrics = parse_spec(spec, jobs=jobs, threads=threads, offline=offline, **options).create(TextContext(language))
    if len(metrics) > 1:
        labels = ", ".join(metric.label for metric in metrics)
        raise ConfigError(f"{spec!r} stands for several metrics: {labels}")
    return metrics[0]


def _find_class(name: str, text: str) -> type[Metric]:
    """Find the class of a metric by its name.

    Args:
        name: name of the metric.
        text: the specification, for error messages.

    Raises:
        ConfigError: if there is no metric of this name.
        PluginError: if the plugin of the metric is broken.
    """
    metrics = plugin_registry().metrics
    if name not in metrics:
        raise ConfigError(_describe_unknown_metric(name, text))
    return metrics.get(name)


def _describe_unknown_metric(name: str, text: str) -> str:
    """Return the error message for an unknown metric. If possible, it explains how to obtain the metric."""
    lowercase_name = name.lower()
    if lowercase_name.startswith(NETWORKS):
        return f"metric {text!r} {_NETWORK_PROBLEM}, and {_SCORES_ADVICE}"
    if lowercase_name in OTHER_PROGRAMS:
        return f"metric {text!r} is not a metric of meteor_e: it {OTHER_PROGRAMS[lowercase_name]}. {_SCORES_ADVICE}"
    advice = advise_installation(("metric", "chain"), name, f"metric {text!r}")
    if advice:
        return advice
    metrics, chains = plugin_registry().metrics.names(), plugin_registry().chains.names()
    return (
        f"unknown metric {text!r}{near_miss(name, [*metrics, *chains])}; the metrics: {', '.join(metrics)}; the "
        f"chains: {', '.join(chains)}; chain files can also be used, and plugins add other metrics"
    )


_NETWORK_PROBLEM = (
    "needs a neural network, which meteor_e does not include; docs/explanation/which-metric.md compares such metrics "
    "with METEOR"
)
_SCORES_ADVICE = "-M scores:FILE reads scores of other programs"
