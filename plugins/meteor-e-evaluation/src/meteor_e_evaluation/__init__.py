"""Meta-evaluation: how well metrics agree with people, and whether differences are more than chance.

A data index (:mod:`.index`) says which files of a shared task belong together; :mod:`.data` lines them up;
metrics (:mod:`meteor_e.metrics`) score the outputs once, and the scores are kept; measures
(:mod:`.measures`) compare scores with judgments; :mod:`.agreement` joins all that to a table.
:mod:`.tuning` finds parameters of a chain that agree best. Tests between systems are in :mod:`meteor_e.significance`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from meteor_e.base import lazy_names

if TYPE_CHECKING:
    from meteor_e_evaluation.agreement import Evaluation, evaluate
    from meteor_e_evaluation.correlation import correlate
    from meteor_e_evaluation.data import TestSet, load_test_set
    from meteor_e_evaluation.index import DataIndex, load_index
    from meteor_e_evaluation.judgements import Rankings
    from meteor_e_evaluation.loading import load_tests
    from meteor_e_evaluation.measures import Measure, human_system_scores, measure, pairs_of

__all__ = [
    "DataIndex",
    "Evaluation",
    "Measure",
    "Rankings",
    "TestSet",
    "correlate",
    "evaluate",
    "human_system_scores",
    "load_index",
    "load_test_set",
    "load_tests",
    "measure",
    "pairs_of",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "agreement": ["Evaluation", "evaluate"],
        "correlation": ["correlate"],
        "data": ["TestSet", "load_test_set"],
        "index": ["DataIndex", "load_index"],
        "judgements": ["Rankings"],
        "loading": ["load_tests"],
        "measures": ["Measure", "human_system_scores", "measure", "pairs_of"],
    },
)
