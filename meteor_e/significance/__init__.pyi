from meteor_e.significance.resampling import (
    DEFAULT_SAMPLES as DEFAULT_SAMPLES,
    DEFAULT_SEED as DEFAULT_SEED,
    Interval as Interval,
    draw_weights as draw_weights,
    interval as interval,
    permutation_p as permutation_p,
    random_signs as random_signs,
)
from meteor_e.significance.systems import (
    METHODS as METHODS,
    Scorer as Scorer,
    SystemTest as SystemTest,
    compare_pairs as compare_pairs,
    compare_systems as compare_systems,
    meteor_scorer as meteor_scorer,
    meteor_statistics as meteor_statistics,
)
