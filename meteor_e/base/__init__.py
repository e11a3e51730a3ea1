"""General-purpose modules that all other packages use: errors, YAML, files, folders, caches and progress bars.

Plugins should use these modules as well, so that they write files atomically, report errors with file and line, cache
arrays between runs, and show progress on a terminal in the same way as meteor_e.
"""

DEFAULT_SEED = 12345
"""The default seed of all random choices."""
