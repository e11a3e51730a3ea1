"""Reports that people look at: one HTML file, pictures and LaTeX.

>>> from meteor_e.report import write_report
>>> write_report("report.html", Meteor("en"), {"mine": hypotheses, "theirs": others}, references)

:class:`Report` keeps what :func:`write_report` computes, for pictures (:mod:`meteor_e.report.plots`) and alignment
matrices in LaTeX (:mod:`meteor_e.report.latex`). Names are imported when they are used: the terminal needs the
palette, and nothing else of this package.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from meteor_e.report.page import write_page, write_report
    from meteor_e.report.scored import Comparison, Report, ScoredSystem, score_systems

_HOMES = {
    "Comparison": "scored",
    "Report": "scored",
    "ScoredSystem": "scored",
    "score_systems": "scored",
    "write_page": "page",
    "write_report": "page",
}

__all__ = ["Comparison", "Report", "ScoredSystem", "score_systems", "write_page", "write_report"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"meteor_e.report.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'meteor_e.report' has no attribute {name!r}")
