"""What everything else stands on: errors, YAML, files, folders, caches, progress. It knows nothing of METEOR.

Plugins find here what they need to read and write as meteor_e does: whole files or none, errors with file and
line, arrays kept between runs, progress on a terminal.
"""

DEFAULT_SEED = 12345
"""Seed of everything that is drawn, unless another one is given."""
