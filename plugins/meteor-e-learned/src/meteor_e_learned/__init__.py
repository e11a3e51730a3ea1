"""Learned metrics for meteor_e: trained models, and commands that train new models."""

from __future__ import annotations

__version__ = "0.1.0"
