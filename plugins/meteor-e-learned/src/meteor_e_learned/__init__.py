"""Learned metrics for meteor_e: pairwise rankers and regressions on features."""

from __future__ import annotations

__version__ = "0.1.0"
