"""Make the fixtures of the small test set available to all tests of this folder."""

from __future__ import annotations

from small_test_set import *  # noqa: F403
