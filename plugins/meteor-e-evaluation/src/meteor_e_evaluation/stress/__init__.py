"""Whether a metric prefers a text to the same text with one error: perturbations, and the run over metrics.

:func:`perturbations` returns the rules for a language; each turns a text into a worse or an equally good one.
"""

from meteor_e.toolkit import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
