"""Make the fixtures of the command line available."""

from __future__ import annotations

from command_line import *  # noqa: F403
