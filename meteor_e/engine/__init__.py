"""The engines: chunks of segments in, statistics and scores out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from meteor_e.base.lazy import lazy_names

if TYPE_CHECKING:
    from meteor_e.engine.streaming import CHUNK_CHARACTERS, CHUNK_SEGMENTS, Chunk
    from meteor_e.engine.threads import default_threads
    from meteor_e.engine.tokenizer import Tokenizer

__all__ = ["CHUNK_CHARACTERS", "CHUNK_SEGMENTS", "Chunk", "Tokenizer", "default_threads"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "streaming": ["CHUNK_CHARACTERS", "CHUNK_SEGMENTS", "Chunk"],
        "threads": ["default_threads"],
        "tokenizer": ["Tokenizer"],
    },
)
