"""Meta-evaluation: how well metrics agree with people, and whether differences are more than chance.

A data index (:mod:`.index`) says which files of a shared task belong together; :mod:`.data` lines them up;
metrics (:mod:`meteor_e.metrics`) score the outputs once, and the scores are kept; measures
(:mod:`.measures`) compare scores with judgements; :mod:`.agreement` joins all that to a table.
:mod:`.significance` compares systems with one another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from meteor_e.base.lazy import lazy_names

if TYPE_CHECKING:
    from meteor_e.api import Metric, Progress, Scores
    from meteor_e.base import Cells
    from meteor_e_evaluation.agreement import Evaluation, evaluate
    from meteor_e_evaluation.correlation import correlate
    from meteor_e_evaluation.data import TestSet, load_test_set
    from meteor_e_evaluation.index import DataIndex, load_index
    from meteor_e_evaluation.judgements import Rankings
    from meteor_e_evaluation.measures import Measure, human_system_scores, measure, pairs_of
    from meteor_e.metrics import ChainMetric

__all__ = [
    "Cells",
    "ChainMetric",
    "DataIndex",
    "Evaluation",
    "Measure",
    "Metric",
    "Progress",
    "Rankings",
    "Scores",
    "TestSet",
    "correlate",
    "evaluate",
    "human_system_scores",
    "load_index",
    "load_test_set",
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
        "measures": ["Measure", "human_system_scores", "measure", "pairs_of"],
        ".api.metrics": ["Metric", "Progress", "Scores"],
        ".base.arraytypes": ["Cells"],
        ".metrics.chain_metric": ["ChainMetric"],
    },
)
