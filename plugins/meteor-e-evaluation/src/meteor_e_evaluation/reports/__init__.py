"""HTML reports on scored systems, and alignment matrices in LaTeX.

>>> from meteor_e_evaluation.reports import write_report
>>> write_report("report.html", Meteor("en"), {"mine": hypotheses, "theirs": others}, references)

The function :func:`write_report` returns a :class:`Report` with all results.

The module :mod:`meteor_e_evaluation.reports.matrix` draws alignment matrices.
"""

from meteor_e.base.lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
