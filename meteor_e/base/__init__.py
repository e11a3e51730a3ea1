"""The foundation of all other packages: errors, YAML, files, folders, caches and progress. Nothing here is METEOR.

Plugins use this package to behave like meteor_e: to write files atomically, to raise errors with file and line, to
cache arrays between runs, and to show progress on a terminal.
"""

DEFAULT_SEED = 12345
"""The default seed of all random choices."""
