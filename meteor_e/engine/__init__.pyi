from meteor_e.engine.streaming import (
    CHUNK_CHARACTERS as CHUNK_CHARACTERS,
    CHUNK_SEGMENTS as CHUNK_SEGMENTS,
    Chunk as Chunk,
)
from meteor_e.engine.threads import default_threads as default_threads
from meteor_e.engine.tokenizer import Tokenizer as Tokenizer
