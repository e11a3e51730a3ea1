"""Meta-evaluation: how well metrics agree with people, and whether differences are more than chance.

A data index (:mod:`.index`) says which files of a shared task belong together; :mod:`.data` lines them up;
metrics (:mod:`meteor_e.metrics`) score the outputs once, and the scores are kept; measures
(:mod:`.measures`) compare scores with judgments; :mod:`.evaluation` joins all that to a table.
:mod:`.tuning` finds parameters of a chain that agree best. Tests between systems are in :mod:`meteor_e.significance`.
"""

from meteor_e.base.lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
