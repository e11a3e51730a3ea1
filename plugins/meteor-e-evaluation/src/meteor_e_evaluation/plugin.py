"""Implements the hooks of the plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from meteor_e import hookimpl

if TYPE_CHECKING:
    from meteor_e.api import Measure, Perturbation


@hookimpl
def meteor_e_metrics() -> dict[str, str]:
    """Return the NIST metric and the metrics that read their scores from files."""
    return {
        "scores": "meteor_e_evaluation.score_files:ScoreFileMetric",
        "nist": "meteor_e_evaluation.nist:NistMetric",
        "mtme": "meteor_e_evaluation.score_files:MtmeMetric",
    }


@hookimpl
def meteor_e_measures() -> dict[str, type[Measure[Any]]]:
    """Return the measures of agreement with human judgments."""
    from meteor_e_evaluation.measures import MEASURES

    return dict(MEASURES)


@hookimpl
def meteor_e_perturbations() -> dict[str, type[Perturbation]]:
    """Return the built-in perturbations of ``meteor-e stress``."""
    from meteor_e_evaluation.stress.rules import BUILT_IN

    return dict(BUILT_IN)


@hookimpl
def meteor_e_commands() -> dict[str, str]:
    """Return the commands. Each command is defined in a module with the same name."""
    names = ("align", "evaluate", "report", "stress", "tune")
    return {name: f"meteor_e_evaluation.cli.{name}:{name}" for name in names}
