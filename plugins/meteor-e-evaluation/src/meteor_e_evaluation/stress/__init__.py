"""A test of metrics: does a metric prefer a text to the same text with one error?

:func:`perturbations` returns the rules for a language; each turns a text into a worse or an equally good one.
:func:`stress` counts how often metrics prefer the better text::

    report = stress([load_metric("chrf"), load_metric("meteor")])
    print(report.means)
"""

from meteor_e.base.lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
