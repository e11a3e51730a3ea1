"""The command-line program ``meteor-e``, with one module for each command."""

from meteor_e.cli.program import main

__all__ = ["main"]
