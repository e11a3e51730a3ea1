"""Reports that people look at: one HTML file, pictures and LaTeX.

>>> from meteor_e_report import write_report
>>> write_report("report.html", Meteor("en"), {"mine": hypotheses, "theirs": others}, references)

:class:`Report` keeps what :func:`write_report` computes, for pictures (:mod:`meteor_e_report.plots`) and alignment
matrices in LaTeX (:mod:`meteor_e_report.latex`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from meteor_e.base import lazy_names

if TYPE_CHECKING:
    from meteor_e_report.page import write_page, write_report
    from meteor_e_report.scored import Comparison, Report, ScoredSystem, score_systems

__all__ = ["Comparison", "Report", "ScoredSystem", "score_systems", "write_page", "write_report"]

# Loading the plugin, which every command does that takes plugins' names, imports neither numpy nor jinja2.
__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "page": ["write_page", "write_report"],
        "scored": ["Comparison", "Report", "ScoredSystem", "score_systems"],
    },
)
