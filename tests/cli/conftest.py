"""Fixtures for the tests of the command line."""

from __future__ import annotations

from command_line import *  # noqa: F403
