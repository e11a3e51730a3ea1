"""Stress tests, which count how often a metric prefers a text to a copy with one error.

The function :func:`perturbations` returns the perturbation rules for a language. Each rule introduces an error or makes
a harmless change.

The function :func:`stress` counts how often metrics prefer the better text::

    report = stress([load_metric("chrf"), load_metric("meteor")])
    print(report.means)
"""

from meteor_e.base.lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
