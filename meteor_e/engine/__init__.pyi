from meteor_e.engine.streaming import (
    BATCH_CHARACTERS as BATCH_CHARACTERS,
    BATCH_SEGMENTS as BATCH_SEGMENTS,
    SegmentBatch as SegmentBatch,
)
from meteor_e.engine.threads import default_threads as default_threads
from meteor_e.engine.tokenizer import Tokenizer as Tokenizer
