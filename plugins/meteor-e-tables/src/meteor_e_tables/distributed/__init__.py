"""Scoring on a cluster, with Dask (extra ``dask``).

>>> from dask.distributed import Client
>>> from meteor_e import Meteor
>>> from meteor_e_tables.distributed import corpus_score, prepare, score_dataframe
>>> client = Client("tcp://scheduler:8786")
>>> metric = prepare(client, Meteor("en"))
>>> scored = score_dataframe(frame, metric, hypothesis="mt", reference="ref")
>>> corpus_score(scored, metric).score

``docs/cluster.md`` describes it, and has recipes for Spark and Ray.
"""

from __future__ import annotations

from meteor_e_tables.distributed.cluster import connect, prepare
from meteor_e_tables.distributed.dataframes import corpus_score, read_text, score_dataframe
from meteor_e_tables.distributed.tasks import score_in_order
from meteor_e_tables.frames import FrameScorer
from meteor_e_tables.portable import PortableMetric

__all__ = [
    "FrameScorer",
    "PortableMetric",
    "connect",
    "corpus_score",
    "prepare",
    "read_text",
    "score_dataframe",
    "score_in_order",
]
