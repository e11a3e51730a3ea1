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
    "bleu": "sacreBLEU's BLEU, with its options, as in bleu:tokenize=zh; smoothing=floor is that of segments",
    "chrf": "sacreBLEU's chrF2",
    "chrf++": "sacreBLEU's chrF2++",
    "ter": "sacreBLEU's TER, negated",
    "nist": "NIST, with the test set's references as information",
    "scores:FILE": "scores in a file of the WMT metrics task; FILE#METRIC picks one, a leading - negates, "
    "{pair} in the name gives each language pair its own file",
    "mtme:METRIC": "scores in the folder metric-scores of a test set laid out as in mt-metrics-eval",
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
        return SacreBleuMetric(kind, name=name, **_options(arguments))
    if kind == "nist":
        return NistMetric(name=name)
    if kind == "scores":
        return _score_files(text, arguments, name)
    if kind == "mtme":
        if not arguments:
            raise ConfigError(f"metric {text!r}: mtme: needs the name of a metric, as in mtme:BLEU")
        negate, metric = arguments.startswith("-"), arguments.removeprefix("-")
        files = [f"metric-scores/{{pair}}/{metric}-{{reference}}.{level}.score" for level in ("seg", "sys")]
        return ScoreFileMetric(files, name=name or metric, lower_is_better=negate, in_data=True)
    if kind == "model":
        return _load_model(arguments, name, jobs)
    if kind == "scorer":
        return ScorerMetric(_load_scorer(arguments))
    known = ", ".join(KINDS)
    raise ConfigError(f"unknown metric {text!r}{near_miss(kind, [word.split(':')[0] for word in KINDS])}; "
                      f"there are {known}, and chain files")  # fmt: skip


def _score_files(text: str, arguments: str, name: str | None) -> Metric:
    """Return ``scores:[-]FILE[,FILE…][#METRIC][,testset=NAME][,reference=NAME]``."""
    files, _, chosen = arguments.removeprefix("-").partition("#")
    if not files:
        raise ConfigError(f"metric {text!r}: scores: needs a file")
    metric, *rest = chosen.split(",") if chosen else [""]
    if "=" in metric:
        metric, rest = "", [metric, *rest]
    options = _options(",".join(rest))
    unknown = options.keys() - {"testset", "reference"}
    if unknown:
        raise ConfigError(f"metric {text!r}: unknown option {sorted(unknown)[0]!r}; there are testset and reference")
    return ScoreFileMetric(
        files.split(","),
        metric=metric or None,
        name=name,
        lower_is_better=arguments.startswith("-"),
        testset=None if "testset" not in options else str(options["testset"]),
        reference=None if "reference" not in options else str(options["reference"]),
    )


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
