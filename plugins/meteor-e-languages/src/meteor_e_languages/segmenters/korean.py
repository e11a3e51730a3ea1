"""Split Korean text into morphemes with MeCab and its Korean dictionary."""

from __future__ import annotations

import threading
from importlib import metadata
from typing import Any

from meteor_e.api import PluginError, Segmenter
from meteor_e_languages.segmenters.checks import segment_text

_thread_state = threading.local()


def _get_tagger() -> Any:
    """Return the MeCab tagger of the current thread. A tagger must not be shared by threads."""
    if not hasattr(_thread_state, "tagger"):
        try:
            from mecab import MeCab
        except ImportError as error:
            raise PluginError(
                "segmenter 'mecab-ko' needs python-mecab-ko; pip install './plugins/meteor-e-languages[korean]'"
            ) from error
        _thread_state.tagger = MeCab()
    return _thread_state.tagger


class KoreanSegmenter(Segmenter):
    """A segmenter that splits Korean text into morphemes.

    Particles and endings are separated, so that inflected words match by their stems. If two morphemes share a
    syllable, the syllable belongs to the first morpheme.
    """

    name = "mecab-ko"
    requires = ("python-mecab-ko", "python-mecab-ko-dic")

    def __init__(self) -> None:
        _get_tagger()

    def segment(self, text: str) -> list[str]:
        """Return the morphemes of a text."""
        return segment_text("MeCab", text, _get_tagger().morphs)

    def describe(self) -> str:
        """Return the versions of MeCab and of its Korean dictionary."""
        return ",".join(f"{name}={metadata.version(name)}" for name in self.requires)
