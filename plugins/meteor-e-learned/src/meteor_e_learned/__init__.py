"""Learned metrics for meteor_e: models that are ready by name, and what trains others."""

from __future__ import annotations

__version__ = "0.1.0"
