"""Make the fixtures of the small test set available to all tests of this folder."""

from __future__ import annotations

import sys
from pathlib import Path

# The tests of meteor-e-learned contain the module of the small test set.
sys.path.append(str(Path(__file__).parents[2] / "meteor-e-learned" / "tests"))

from small_test_set import *  # noqa: F403
