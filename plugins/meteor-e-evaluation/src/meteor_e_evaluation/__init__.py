"""Evaluates metrics by their correlation with human judgments, and tests whether metrics differ significantly.

A data index (:mod:`.index`) names the files of a shared task, and :mod:`.data` loads them as a test set. Metrics
(:mod:`meteor_e.metrics`) score the outputs. Measures (:mod:`.measures`) compare the scores with human judgments, and
:mod:`.evaluation` collects the results in tables. :mod:`.tuning` tunes the parameters of a chain to human judgments.
"""

from meteor_e.base.lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
