"""Metrics by what users write: ``meteor``, ``chain.yaml``, ``bleu``, ``scores:FILE`` …"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from meteor_e.base.errors import ConfigError, near_miss
from meteor_e.evaluation.chain_metric import ChainMetric
from meteor_e.evaluation.metrics import Metric, ScorerMetric, SegmentScorer
from meteor_e.evaluation.nist import NistMetric
from meteor_e.evaluation.score_files import ScoreFileMetric
from meteor_e.evaluation.statistic_metrics import SacreBleuMetric

__all__ = ["KINDS", "parse_metric"]

KINDS = {
    "meteor": "METEOR with the language's defaults; options as in meteor:task=adq,beam=5",
    "chain:NAME": "METEOR with a chain: a YAML file or the name of one that is installed (a path needs no chain:)",
    "bleu": "sacreBLEU's BLEU; smoothing of segments as in bleu:smoothing=floor",
    "chrf": "sacreBLEU's chrF2",
    "chrf++": "sacreBLEU's chrF2++",
    "ter": "sacreBLEU's TER, negated",
    "nist": "NIST, with the test set's references as information",
    "scores:FILE": "scores in a file of the WMT metrics task; FILE#METRIC picks one, a leading - negates",
    "model:FILE": "a model that meteor-e train made (needs meteor-e-learned)",
    "scorer:MODULE:NAME": "a Python object with name, signature and score_segments (see docs/evaluation.md)",
}
"""The kinds of metrics and what they are."""


def parse_metric(text: str, *, jobs: int = 1) -> Metric:
    """Make a metric of ``[LABEL=]KIND[:ARGUMENTS]``.

    Raises:
        ConfigError: for an unknown kind or option.
    """
    label, separator, spec = text.partition("=")
    if not separator or ":" in label or "/" in label or "," in label:
        label, spec = "", text
    kind, _, arguments = spec.partition(":")
    name = label or None
    if kind == "meteor":
        options = _options(arguments)
        return ChainMetric(name=name or "METEOR" + (f" {arguments}" if arguments else ""), options=options, jobs=jobs)
    if kind == "chain" or spec.endswith((".yaml", ".yml", ".json")):
        source = arguments if kind == "chain" else spec
        chain = Path(source) if "/" in source or source.endswith((".yaml", ".yml", ".json")) else source
        return ChainMetric(chain, name=name or Path(source).stem, jobs=jobs)
    if kind in ("bleu", "chrf", "chrf++", "ter"):
        options = _options(arguments)
        unknown = options.keys() - ({"smoothing"} if kind == "bleu" else set())
        if unknown:
            raise ConfigError(f"metric {text!r}: unknown option {sorted(unknown)[0]!r}")
        return SacreBleuMetric(kind, name=name, **options)
    if kind == "nist":
        return NistMetric(name=name)
    if kind == "scores":
        file, _, metric = arguments.removeprefix("-").partition("#")
        if not file:
            raise ConfigError(f"metric {text!r}: scores: needs a file")
        negate = arguments.startswith("-")
        return ScoreFileMetric([*file.split(",")], metric=metric or None, name=name, lower_is_better=negate)
    if kind == "model":
        return _load_model(arguments, name, jobs)
    if kind == "scorer":
        return ScorerMetric(_load_scorer(arguments))
    known = ", ".join(KINDS)
    raise ConfigError(f"unknown metric {text!r}{near_miss(kind, [word.split(':')[0] for word in KINDS])}; "
                      f"there are {known}, and chain files")  # fmt: skip


def _options(text: str) -> dict[str, Any]:
    from meteor_e.base.yamlfile import plain_value

    options: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        key, separator, value = part.partition("=")
        if not separator:
            raise ConfigError(f"option {part!r} of a metric is not of the form name=value")
        options[key.strip()] = plain_value(value.strip())
    return options


def _load_model(path: str, name: str | None, jobs: int) -> Metric:
    """Return a trained model as a metric; the plugin that trains models reads their files, too."""
    try:
        prediction = import_module("meteor_e_learned.prediction")
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"metric 'model:{path}' needs {error.name}, which is not installed; run: pip install meteor-e-learned"
        ) from error
    metric: Metric = prediction.model_metric(path, name=name, jobs=jobs)
    return metric


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
