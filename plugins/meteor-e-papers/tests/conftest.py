from __future__ import annotations

import sys
from pathlib import Path

# The small test set is shared with the tests of meteor-e-learned.
sys.path.append(str(Path(__file__).parents[2] / "meteor-e-learned" / "tests"))

from small_test_set import *  # noqa: F403
