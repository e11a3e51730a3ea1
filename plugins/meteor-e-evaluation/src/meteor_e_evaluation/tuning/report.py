"""The result of tuning: as data, as text, and as a chain file with its provenance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from meteor_e import __version__
from meteor_e.api.languages import GREEK
from meteor_e.base.yamlfile import dump_yaml
from meteor_e.render.plain import shown_p
from meteor_e_evaluation.tuning.run import Settings, Tuning
from meteor_e_evaluation.tuning.scorer import Point

if TYPE_CHECKING:
    from meteor_e import Meteor


def tuned_chain(meteor: Meteor, point: Point, description: str) -> dict[str, Any]:
    """Return a chain with other parameters and weights."""
    chain = meteor.chain.effective()
    chain["parameters"] = dict(zip(GREEK, point[:4], strict=True))
    for entry, weight in zip(chain["matchers"], point[4:], strict=True):
        entry["weight"] = weight
    return {"description": description, **chain}


def tuning_report(tuning: Tuning, objective: str, settings: Settings) -> dict[str, Any]:
    """Return what was found, in a form that JSON can hold.

    Args:
        tuning: what was found.
        objective: what was maximized.
        settings: how it was searched for.
    """
    data = tuning.data
    method = "grid" if settings.grid else f"search, seed {settings.seed}, {settings.random_starts} random starts"
    if tuning.stopped:
        method += f", stopped at {settings.trials} trials"
    return {
        "objective": objective,
        "tuned on": ", ".join(data.names),
        "judgements": len(data.better) or int(np.count_nonzero(~np.isnan(data.humans))),
        "method": method,
        "points tried": tuning.tried,
        "default": {"point": list(tuning.default[0]), "value": tuning.default[1]},
        "tuned": {"point": list(tuning.best[0]), "value": tuning.best[1]},
        "options": dict(tuning.variant.options),
        "cross-validation": None if tuning.validation is None else _validation_dict(tuning),
        "held out": None if tuning.held_out is None else _outside_dict(tuning),
        "signature": tuning.variant.meteor.signature,
    }


def _validation_dict(tuning: Tuning) -> dict[str, Any]:
    validation = tuning.validation
    assert validation is not None
    return {
        "folds": len(validation.tuned),
        "default": list(validation.default),
        "tuned": list(validation.tuned),
        "mean gain": validation.gain,
        "points": [list(point) for point in validation.points],
        "options": [dict(tuning.variants[which]) for which in validation.variants],
    }


def _outside_dict(tuning: Tuning) -> dict[str, Any]:
    outside = tuning.held_out
    assert outside is not None
    return {
        "on": ", ".join(tuning.held_out_names),
        "left out": tuning.left_out,
        **{
            name: {"value": value, "interval": [interval.low, interval.high]}
            for name, (value, interval) in (
                ("default", outside.default),
                ("tuned", outside.tuned),
                ("gain", outside.gain),
            )
        },
        "p": outside.p,
    }


def _summary(entry: dict[str, Any]) -> str:
    low, high = entry["interval"]
    return f"{entry['value']:.4f} [{low:.4f}, {high:.4f}]"


def render_text(report: dict[str, Any], matchers: tuple[str, ...]) -> str:
    """Return a report for a terminal."""
    lines = [
        f"tuned on  {report['tuned on']} ({report['judgements']} judgments)",
        f"objective {report['objective']}; {report['points tried']} points tried ({report['method']})",
    ]
    labels = (*GREEK, *matchers)
    for which in ("default", "tuned"):
        values = " ".join(f"{name}={value:g}" for name, value in zip(labels, report[which]["point"], strict=True))
        lines.append(f"{which:9} {report[which]['value']:.4f}  {values}")
    if report["options"]:
        lines.append("options   " + ", ".join(f"{name}={value}" for name, value in report["options"].items()))
    if report["cross-validation"]:
        folds = report["cross-validation"]
        tuned, default = (sum(folds[which]) / folds["folds"] for which in ("tuned", "default"))
        lines.append(
            f"{folds['folds']} folds   default {default:.4f}, tuned {tuned:.4f}, mean gain {folds['mean gain']:+.4f}"
        )
    if report["held out"]:
        outside = report["held out"]
        lines.append(f"held out  {outside['on']}")
        for which in ("default", "tuned", "gain"):
            lines.append(f"          {which:8} {_summary(outside[which])}")
        lines.append(f"          p        {shown_p(outside['p'])} (one-sided permutation test of the gain)")
        if outside["left out"]:
            lines.append(f"          left out, because they were tuned on: {outside['left out']} segments")
    else:
        lines.append("no data were held out: the tuned value is too good to be true of other data")
    return "\n".join(lines) + "\n"


def chain_file(tuning: Tuning, report: dict[str, Any]) -> str:
    """Return the tuned chain with its report in comments."""
    provenance = {
        "made by": f"meteor-e tune {__version__}",
        "objective": report["objective"],
        "tuned on": report["tuned on"],
        "method": f"{report['method']}, {report['points tried']} points",
        "default": f"{report['default']['value']:.6f} at {report['default']['point']}",
        "tuned": f"{report['tuned']['value']:.6f}",
        "from": report["signature"],
    }
    if report["held out"]:
        outside = report["held out"]
        provenance["held out"] = (
            f"{outside['on']}: default {_summary(outside['default'])}, tuned {_summary(outside['tuned'])}, "
            f"gain {_summary(outside['gain'])}, p {shown_p(outside['p'])}"
        )
    else:
        provenance["held out"] = "nothing"
    if report["cross-validation"]:
        folds = report["cross-validation"]
        provenance["folds"] = f"{folds['folds']}, mean gain {folds['mean gain']:+.4f}"
        rows = zip(folds["default"], folds["tuned"], folds["points"], folds["options"], strict=True)
        for number, (default, tuned, point, options) in enumerate(rows, 1):
            chosen = "".join(f", {name}={value}" for name, value in options.items())
            provenance[f"fold {number}"] = f"default {default:.4f}, tuned {tuned:.4f} at {point}{chosen}"
    description = f"Tuned for {provenance['objective']} on {provenance['tuned on']}"
    comments = "".join(f"# {name}: {' '.join(text.split())}\n" for name, text in provenance.items())
    return comments + dump_yaml(tuned_chain(tuning.variant.meteor, tuning.best[0], description))
