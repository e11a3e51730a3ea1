"""The engines: batches of segments in, statistics and scores out."""

from meteor_e.base.lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
