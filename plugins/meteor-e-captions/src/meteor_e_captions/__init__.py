"""Image captioning without Java: the PTB tokenizer, and a program named ``java`` that runs METEOR's calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from meteor_e.base import lazy_names

if TYPE_CHECKING:
    from meteor_e_captions.ptb import PUNCTUATION, Tokenizer
    from meteor_e_captions.segmenter import PTBSegmenter

__all__ = ["PUNCTUATION", "PTBSegmenter", "Tokenizer"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "ptb": ["PUNCTUATION", "Tokenizer"],
        "segmenter": ["PTBSegmenter"],
    },
)
