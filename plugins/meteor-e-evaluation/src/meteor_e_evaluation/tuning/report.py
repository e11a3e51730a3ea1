"""Reports the result of tuning as JSON, as text, and as a YAML file with the tuned chain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from meteor_e import __version__
from meteor_e.api.languages import GREEK
from meteor_e.base.yamlfile import dump_yaml
from meteor_e.render.plain import format_p
from meteor_e.significance.resampling import Interval
from meteor_e_evaluation.tuning.run import Settings, Tuning
from meteor_e_evaluation.tuning.scorer import Point

if TYPE_CHECKING:
    from meteor_e import Meteor


def make_tuned_chain(meteor: Meteor, point: Point, description: str) -> dict[str, Any]:
    """Return the contents of a chain file with tuned parameters and weights.

    Args:
        meteor: the chain that provides everything other than parameters and weights.
        point: the parameters and weights.
        description: description of the tuned chain.
    """
    chain = meteor.chain.effective()
    chain["parameters"] = dict(zip(GREEK, point[:4], strict=True))
    for entry, weight in zip(chain["matchers"], point[4:], strict=True):
        entry["weight"] = weight
    return {"description": description, **chain}


def make_report(tuning: Tuning, objective: str, settings: Settings) -> dict[str, Any]:
    """Return the result of tuning as a JSON document.

    Args:
        tuning: the result of tuning.
        objective: name of the objective.
        settings: settings of the search.
    """
    data = tuning.data
    method = "grid" if settings.grid else f"search, seed {settings.seed}, {settings.random_starts} random starts"
    if tuning.stopped:
        method += f", stopped at {settings.trials} trials"
    n_comparisons = len(data.better)
    n_ratings = int(np.count_nonzero(~np.isnan(data.human_scores)))
    return {
        "objective": objective,
        "tuned on": ", ".join(data.names),
        "judgments": n_comparisons if n_comparisons > 0 else n_ratings,
        "method": method,
        "points tried": tuning.n_evaluations,
        "default": {"point": list(tuning.default.point), "value": tuning.default.value},
        "tuned": {"point": list(tuning.best.point), "value": tuning.best.value},
        "options": dict(tuning.variant.options),
        "cross-validation": _describe_validation(tuning),
        "held out": _describe_held_out(tuning),
        "signature": tuning.variant.meteor.signature,
    }


def _describe_validation(tuning: Tuning) -> dict[str, Any] | None:
    """Return the result of the cross-validation for a JSON document, or None if none was requested."""
    validation = tuning.validation
    if validation is None:
        return None
    return {
        "folds": len(validation.folds),
        "default": [fold.default for fold in validation.folds],
        "tuned": [fold.tuned for fold in validation.folds],
        "mean gain": validation.gain,
        "points": [list(fold.point) for fold in validation.folds],
        "options": [dict(tuning.variants[fold.variant]) for fold in validation.folds],
    }


def _describe_held_out(tuning: Tuning) -> dict[str, Any] | None:
    """Return the results on held-out data for a JSON document, or None if there are no held-out data."""
    held_out = tuning.held_out
    if held_out is None:
        return None
    return {
        "on": ", ".join(tuning.held_out_names),
        "left out": tuning.n_left_out,
        "default": _describe_value(*held_out.default),
        "tuned": _describe_value(*held_out.tuned),
        "gain": _describe_value(*held_out.gain),
        "p": held_out.p,
    }


def _describe_value(value: float, interval: Interval) -> dict[str, Any]:
    return {"value": value, "interval": list(interval)}


def _format_result(result: dict[str, Any]) -> str:
    low, high = result["interval"]
    return f"{result['value']:.4f} [{low:.4f}, {high:.4f}]"


def render_text(report: dict[str, Any], matchers: tuple[str, ...]) -> str:
    """Return a report as text for a terminal.

    Args:
        report: the JSON document of :func:`make_report`.
        matchers: names of the chain's matchers.
    """
    lines = [
        f"tuned on  {report['tuned on']} ({report['judgments']} judgments)",
        f"objective {report['objective']}; {report['points tried']} points tried ({report['method']})",
    ]
    parameter_names = (*GREEK, *matchers)  # A point consists of METEOR's parameters and the matcher weights.
    lines += [_render_point(name, report[name], parameter_names) for name in ("default", "tuned")]
    if report["options"]:
        formatted_options = ", ".join(f"{name}={value}" for name, value in report["options"].items())
        lines.append(f"options   {formatted_options}")
    if report["cross-validation"]:
        lines.append(_render_validation(report["cross-validation"]))
    if report["held out"]:
        lines += _render_held_out(report["held out"])
    else:
        lines.append("no data were held out: the tuned value is too optimistic for other data")
    return "\n".join(lines) + "\n"


def _render_point(name: str, result: dict[str, Any], parameter_names: Sequence[str]) -> str:
    parameters = zip(parameter_names, result["point"], strict=True)
    formatted_point = " ".join(f"{parameter}={value:g}" for parameter, value in parameters)
    return f"{name:9} {result['value']:.4f}  {formatted_point}"


def _render_validation(validation: dict[str, Any]) -> str:
    n_folds = validation["folds"]
    tuned = sum(validation["tuned"]) / n_folds
    default = sum(validation["default"]) / n_folds
    gain = validation["mean gain"]
    return f"{n_folds} folds   default {default:.4f}, tuned {tuned:.4f}, mean gain {gain:+.4f}"


def _render_held_out(held_out: dict[str, Any]) -> list[str]:
    lines = [f"held out  {held_out['on']}"]
    lines += [f"          {name:8} {_format_result(held_out[name])}" for name in ("default", "tuned", "gain")]
    lines.append(f"          p        {format_p(held_out['p'])} (one-sided permutation test of the gain)")
    if held_out["left out"]:
        lines.append(f"          left out, because they were tuned on: {held_out['left out']} segments")
    return lines


def make_chain_file(tuning: Tuning, report: dict[str, Any]) -> str:
    """Return a YAML file with the tuned chain. Comments in the file report how the chain was tuned."""
    provenance = _make_provenance(report)
    comments = "".join(f"# {name}: {' '.join(text.split())}\n" for name, text in provenance.items())
    description = f"Tuned for {report['objective']} on {report['tuned on']}"
    return comments + dump_yaml(make_tuned_chain(tuning.variant.meteor, tuning.best.point, description))


def _make_provenance(report: dict[str, Any]) -> dict[str, str]:
    """Return a dictionary of comments that describe how a chain was tuned. The keys are the titles of the comments."""
    provenance = {
        "made by": f"meteor-e tune {__version__}",
        "objective": report["objective"],
        "tuned on": report["tuned on"],
        "method": f"{report['method']}, {report['points tried']} points",
        "default": f"{report['default']['value']:.6f} at {report['default']['point']}",
        "tuned": f"{report['tuned']['value']:.6f}",
        "from": report["signature"],
        "held out": _summarize_held_out(report["held out"]) if report["held out"] else "nothing",
    }
    if report["cross-validation"]:
        provenance |= _describe_folds(report["cross-validation"])
    return provenance


def _summarize_held_out(held_out: dict[str, Any]) -> str:
    """Return a comment that describes the results on held-out data."""
    results = ", ".join(f"{name} {_format_result(held_out[name])}" for name in ("default", "tuned", "gain"))
    return f"{held_out['on']}: {results}, p {format_p(held_out['p'])}"


def _describe_folds(validation: dict[str, Any]) -> dict[str, str]:
    """Summarize a cross-validation as a dictionary of short texts: one for all folds, and one for each fold."""
    comments = {"folds": f"{validation['folds']}, mean gain {validation['mean gain']:+.4f}"}
    for index in range(validation["folds"]):
        default = validation["default"][index]
        tuned = validation["tuned"][index]
        point = validation["points"][index]
        options = "".join(f", {name}={value}" for name, value in validation["options"][index].items())
        comments[f"fold {index + 1}"] = f"default {default:.4f}, tuned {tuned:.4f} at {point}{options}"
    return comments
