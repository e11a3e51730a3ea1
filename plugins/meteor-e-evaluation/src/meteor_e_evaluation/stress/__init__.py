"""Whether a metric prefers a text to the same text with one error.

:func:`perturbations` returns the rules for a language; each turns a text into a worse or an equally good one.
:func:`make_suite` makes pairs of them, and :func:`stress` says how often metrics prefer the better text::

    examples = bundled_examples("en")
    suite = make_suite(examples.references, examples.hypotheses)
    report = stress([load_metric("chrf"), my_function], suite)
    print(report.means)
"""

from meteor_e.base.lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
