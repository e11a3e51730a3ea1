"""Split Thai, Lao, Khmer, Burmese, Chinese and Japanese text into words with ICU."""

from __future__ import annotations

from importlib import metadata
from typing import Any

from meteor_e.api import PluginError, Segmenter
from meteor_e_languages.segmenters.checks import segment_text


def _import_breaker() -> Any:
    """Return the word breaker class of icu4py. Raise a :class:`PluginError` if the library is not installed."""
    try:
        from icu4py.breakers import WordBreaker
    except ImportError as error:
        raise PluginError(
            "segmenter 'icu' needs the library icu4py; pip install './plugins/meteor-e-languages[icu]'"
        ) from error
    return WordBreaker


class IcuSegmenter(Segmenter):
    """A segmenter that uses Unicode's rules, and ICU's dictionaries for scripts without spaces.

    The script of the text selects the dictionary: Thai, Lao, Khmer, Burmese, Chinese or Japanese.
    """

    name = "icu"
    requires = ("icu4py",)

    def __init__(self) -> None:
        _import_breaker()

    def segment(self, text: str) -> list[str]:
        """Return the words of a text."""
        word_breaker = _import_breaker()
        return segment_text("ICU", text, lambda part: list(word_breaker(part, "en")))

    def describe(self) -> str:
        """Return the version of icu4py, which determines the versions of ICU and its dictionaries."""
        return f"icu4py={metadata.version('icu4py')}"
