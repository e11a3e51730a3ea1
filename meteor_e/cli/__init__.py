"""This package is the command-line program ``meteor-e``. Each command has a module of its own."""

from meteor_e.cli.program import main

__all__ = ["main"]
