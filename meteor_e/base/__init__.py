"""General-purpose modules that all other packages use: errors, YAML, files, folders, caches and progress bars.

Plugins should use these modules, too. They then write files, report errors, cache arrays and show progress in the same
way as meteor_e.
"""

DEFAULT_SEED = 12345
"""The default seed of all random choices."""
