from meteor_e.api import Perturbation as Perturbation, PerturbationContext as PerturbationContext
from meteor_e_evaluation.stress.examples import Examples as Examples, bundled_examples as bundled_examples
from meteor_e_evaluation.stress.render import StressResult as StressResult
from meteor_e_evaluation.stress.rules import (
    BUILT_IN as BUILT_IN,
    perturbations as perturbations,
)
from meteor_e_evaluation.stress.run import (
    Example as Example,
    Finding as Finding,
    StressReport as StressReport,
    StressSuite as StressSuite,
    chosen_rules as chosen_rules,
    make_suite as make_suite,
    stress as stress,
    write_suite as write_suite,
)
