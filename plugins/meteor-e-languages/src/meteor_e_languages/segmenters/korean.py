"""Korean morphemes by MeCab with its Korean dictionary."""

from __future__ import annotations

import threading
from importlib import metadata
from typing import Any

from meteor_e.api import PluginError, Segmenter
from meteor_e_languages.segmenters.checks import words_of

_taggers = threading.local()


def _tagger() -> Any:
    """Return this thread's tagger: MeCab's state is not for two at once."""
    if not hasattr(_taggers, "tagger"):
        try:
            from mecab import MeCab
        except ImportError as error:
            raise PluginError(
                "segmenter 'mecab-ko' needs python-mecab-ko; pip install './plugins/meteor-e-languages[korean]'"
            ) from error
        _taggers.tagger = MeCab()
    return _taggers.tagger


class KoreanSegmenter(Segmenter):
    """Korean morphemes: particles and endings are words of their own, so that inflected words match by their stem.

    Of a syllable that two morphemes share, the first one has it.
    """

    name = "mecab-ko"
    requires = ("python-mecab-ko", "python-mecab-ko-dic")

    def __init__(self) -> None:
        _tagger()

    def segment(self, text: str) -> list[str]:
        """Return the morphemes."""
        return words_of("MeCab", text, _tagger().morphs)

    def describe(self) -> str:
        """Return the versions of library and dictionary."""
        return ",".join(f"{name}={metadata.version(name)}" for name in self.requires)
