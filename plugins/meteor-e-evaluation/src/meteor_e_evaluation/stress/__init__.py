"""Stress tests, which count how often a metric prefers a text to a copy of the text with one error.

:func:`perturbations` returns the perturbation rules for a language, each of which introduces an error or makes a
harmless change. :func:`stress` counts how often metrics prefer the better text::

    report = stress([load_metric("chrf"), load_metric("meteor")])
    print(report.means)
"""

from meteor_e.base.lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
