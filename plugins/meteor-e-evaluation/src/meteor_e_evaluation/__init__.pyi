from meteor_e_evaluation.evaluation import Evaluation as Evaluation, evaluate as evaluate
from meteor_e_evaluation.correlation import correlate as correlate
from meteor_e_evaluation.data import TestSet as TestSet, load_test_set as load_test_set
from meteor_e_evaluation.index import DataIndex as DataIndex, load_index as load_index
from meteor_e_evaluation.judgements import Rankings as Rankings
from meteor_e_evaluation.mtme import load_tests as load_tests
from meteor_e_evaluation.measures import (
    human_system_scores as human_system_scores,
    measure as measure,
    pairs_of as pairs_of,
)
from meteor_e.api import Measure as Measure
from meteor_e_evaluation.metric_task import read_metric_scores as read_metric_scores
