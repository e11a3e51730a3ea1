"""Reports that people look at: one HTML file; alignment matrices in LaTeX.

>>> from meteor_e_evaluation.reports import write_report
>>> write_report("report.html", Meteor("en"), {"mine": hypotheses, "theirs": others}, references)

:class:`Report` keeps what :func:`write_report` computes. :mod:`meteor_e_evaluation.reports.matrix` draws an alignment.
"""

from meteor_e.base.lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
