"""Split Japanese text into words with MeCab (through fugashi) and the dictionary UniDic."""

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
            import fugashi
            import unidic_lite
        except ImportError as error:
            raise PluginError(
                "segmenter 'fugashi' needs the libraries fugashi and unidic-lite; "
                "pip install './plugins/meteor-e-languages[japanese]'; --set segmenter=characters needs no library"
            ) from error
        # The dictionary is chosen explicitly, because another installed dictionary would produce other words.
        _thread_state.tagger = fugashi.Tagger(f'-Owakati -d "{unidic_lite.DICDIR}"')
    return _thread_state.tagger


class FugashiSegmenter(Segmenter):
    """A segmenter for Japanese, which returns the short units of UniDic."""

    name = "fugashi"
    requires = ("fugashi", "unidic-lite")

    def __init__(self) -> None:
        _get_tagger()

    def segment(self, text: str) -> list[str]:
        """Return the words of a text."""
        return segment_text("MeCab", text, lambda part: [node.surface for node in _get_tagger()(part)])

    def describe(self) -> str:
        """Return the versions of fugashi and of the dictionary UniDic."""
        return ",".join(f"{name}={metadata.version(name)}" for name in self.requires)
