"""Meta-evaluation: how well metrics agree with people, and whether their differences are significant.

A data index (:mod:`.index`) states which files of a shared task belong together, and :mod:`.data` loads them as a test
set. Metrics (:mod:`meteor_e.metrics`) score the outputs; their scores are cached. Measures (:mod:`.measures`) compare
the scores with the judgments, and :mod:`.evaluation` collects the results in tables. :mod:`.tuning` finds parameters
of a chain that agree best with people. Significance tests of systems are in :mod:`meteor_e.significance`.
"""

from meteor_e.base.lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
