from meteor_e_evaluation.stress.report import Finding as Finding, StressReport as StressReport
from meteor_e_evaluation.stress.rules import (
    load_bundled_examples as load_bundled_examples,
    perturbations as perturbations,
    select_perturbations as select_perturbations,
)
from meteor_e_evaluation.stress.run import stress as stress
