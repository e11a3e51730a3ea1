from __future__ import annotations

from small_test_set import *  # noqa: F403
