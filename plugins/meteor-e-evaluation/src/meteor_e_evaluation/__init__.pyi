from meteor_e_evaluation.evaluation import Evaluation as Evaluation, evaluate as evaluate
from meteor_e_evaluation.correlation import correlate as correlate
from meteor_e_evaluation.data import load_test_set as load_test_set
from meteor_e_evaluation.test_set import TestSet as TestSet
from meteor_e_evaluation.index import DataIndex as DataIndex, load_index as load_index
from meteor_e_evaluation.judgments import Rankings as Rankings
from meteor_e_evaluation.mtme import load_tests as load_tests
from meteor_e_evaluation.measures import measure as measure
from meteor_e_evaluation.pair_measures import pairwise_judgments as pairwise_judgments
from meteor_e_evaluation.system_measures import human_system_scores as human_system_scores
from meteor_e.api import Measure as Measure
from meteor_e_evaluation.metric_task import read_metric_scores as read_metric_scores
