from meteor_e_evaluation.stress.report import Example as Example, Finding as Finding, StressReport as StressReport
from meteor_e_evaluation.stress.rules import chosen_rules as chosen_rules, perturbations as perturbations
from meteor_e_evaluation.stress.run import stress as stress
from meteor_e_evaluation.stress.suite import (
    Examples as Examples,
    StressSuite as StressSuite,
    bundled_examples as bundled_examples,
    make_suite as make_suite,
)
