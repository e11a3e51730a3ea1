"""Reports that people look at: one HTML file, pictures and LaTeX.

>>> from meteor_e.report import write_report
>>> write_report("report.html", Meteor("en"), {"mine": hypotheses, "theirs": others}, references)

:class:`Report` keeps what :func:`write_report` computes, for pictures (:mod:`meteor_e.report.plots`) and alignment
matrices in LaTeX (:mod:`meteor_e.report.latex`). Names are imported when they are used: the terminal needs the
palette, and nothing else of this package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from meteor_e.base.lazy import lazy_names

if TYPE_CHECKING:
    from meteor_e.report.page import write_page, write_report
    from meteor_e.report.scored import Comparison, Report, ScoredSystem, score_systems

__all__ = ["Comparison", "Report", "ScoredSystem", "score_systems", "write_page", "write_report"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "page": ["write_page", "write_report"],
        "scored": ["Comparison", "Report", "ScoredSystem", "score_systems"],
    },
)
