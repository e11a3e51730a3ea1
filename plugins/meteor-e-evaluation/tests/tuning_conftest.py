from __future__ import annotations

import pytest
from made_up import make_set

from meteor_e_evaluation.tuning.data import TuningSet


@pytest.fixture
def data() -> TuningSet:
    return make_set()


@pytest.fixture
def other() -> TuningSet:
    return make_set(seed=2, name="unseen")
