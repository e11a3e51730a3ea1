from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path += [str(ROOT / "tests"), str(ROOT / "plugins" / "meteor-e-learned" / "tests")]

from fixtures import *  # noqa: E402, F403
from small_test_set import *  # noqa: E402, F403
