from __future__ import annotations

import math

import pytest

from meteor_e.base.errors import ConfigError
from meteor_e.scoring.formula import Parameters

GOOD = {"alpha": 0.85, "beta": 0.2, "gamma": 0.6, "delta": 0.75, "weights": (1.0, 0.6)}


@pytest.mark.parametrize(
    "changes",
    [{}, {"alpha": 0.0}, {"alpha": 1.0}, {"beta": 0.0}, {"beta": 50.0}, {"weights": ()}, {"weights": (0.0, 7.0)}],
)
def test_values_in_range(changes):
    assert Parameters(**{**GOOD, **changes})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"alpha": -0.1}, "parameter alpha is -0.1; it must be between 0 and 1"),
        ({"gamma": 1.1}, "parameter gamma is 1.1"),
        ({"delta": math.nan}, "parameter delta is nan"),
        ({"beta": -1.0}, "parameter beta is -1.0; it must be 0 or more"),
        ({"beta": math.inf}, "parameter beta is inf"),
        ({"beta": math.nan}, "parameter beta is nan"),
        ({"weights": (1.0, -0.5)}, "matcher weight is -0.5; it must be 0 or more"),
        ({"weights": (math.inf,)}, "matcher weight is inf"),
        ({"weights": (math.nan,)}, "matcher weight is nan"),
    ],
)
def test_values_out_of_range(changes, message):
    with pytest.raises(ConfigError, match=message):
        Parameters(**{**GOOD, **changes})
