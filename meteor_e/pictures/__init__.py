"""Pictures of alignments: the look of each matcher, and matrices in LaTeX."""

from meteor_e.base.lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
