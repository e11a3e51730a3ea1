from meteor_e.api import Perturbation as Perturbation, PerturbationContext as PerturbationContext
from meteor_e_evaluation.stress.rules import (
    BUILT_IN as BUILT_IN,
    perturbations as perturbations,
)
