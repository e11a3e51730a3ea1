"""Tables with hypotheses and references: Parquet, JSON Lines, Hugging Face ``datasets``, data frames; and clusters.

>>> from meteor_e import Meteor
>>> from meteor_e_tables import FrameScorer
>>> scorer = FrameScorer(Meteor("en"), hypothesis="mt", reference=["ref_a", "ref_b"])
>>> scored = scorer(frame)

A table is read in batches and written in batches, so that memory does not grow with it. Imports point one way:
``columns`` and ``cells`` know no format, ``batches`` what a format gives, the formats each other not, and ``formats``
and ``writers`` choose among them. Importing the package alone imports nothing heavy.
"""

from meteor_e.base.lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
