"""HTML reports on scored systems, and alignment matrices in LaTeX.

>>> from meteor_e_evaluation.reports import write_report
>>> write_report("report.html", Meteor("en"), {"mine": hypotheses, "theirs": others}, references)

:func:`write_report` returns a :class:`Report` with all results. :mod:`meteor_e_evaluation.reports.matrix` draws
alignments.
"""

from meteor_e.base.lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
