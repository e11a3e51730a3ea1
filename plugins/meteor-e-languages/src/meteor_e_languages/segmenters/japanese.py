"""Japanese words by MeCab, through fugashi, with the dictionary UniDic."""

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
            import fugashi
            import unidic_lite
        except ImportError as error:
            raise PluginError(
                "segmenter 'fugashi' needs the libraries fugashi and unidic-lite; "
                "pip install './plugins/meteor-e-languages[japanese]'; --set segmenter=characters needs nothing"
            ) from error
        # Named, because another dictionary that is installed would give other words.
        _taggers.tagger = fugashi.Tagger(f'-Owakati -d "{unidic_lite.DICDIR}"')
    return _taggers.tagger


class FugashiSegmenter(Segmenter):
    """Japanese words: short units of UniDic, as found by MeCab."""

    name = "fugashi"
    requires = ("fugashi", "unidic-lite")

    def __init__(self) -> None:
        _tagger()

    def segment(self, text: str) -> list[str]:
        """Return the words."""
        return words_of("MeCab", text, lambda part: [node.surface for node in _tagger()(part)])

    def describe(self) -> str:
        """Return the versions of library and dictionary."""
        return ",".join(f"{name}={metadata.version(name)}" for name in self.requires)
