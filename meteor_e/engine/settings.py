"""What an engine takes from a chain."""

from __future__ import annotations

from typing import NamedTuple

from meteor_e.scoring.parameters import Parameters

__all__ = ["EngineSettings"]


class EngineSettings(NamedTuple):
    """The numbers that decide a score, beside the matchers.

    Attributes:
        parameters: of the formula.
        beam: paths that survive a position of the search.
        character_mode: count lengths and matches in characters.
    """

    parameters: Parameters
    beam: int
    character_mode: bool
