"""Words by ICU's dictionaries: Thai, Lao, Khmer, Burmese, Chinese and Japanese."""

from __future__ import annotations

from importlib import metadata
from typing import Any

from meteor_e.api import PluginError, Segmenter
from meteor_e_languages.segmenters.checks import words_of


def _breaker() -> Any:
    try:
        from icu4py.breakers import WordBreaker
    except ImportError as error:
        raise PluginError(
            "segmenter 'icu' needs the library icu4py; pip install './plugins/meteor-e-languages[icu]'"
        ) from error
    return WordBreaker


class IcuSegmenter(Segmenter):
    """Words of Unicode's rules, and of ICU's dictionaries where a script writes no spaces.

    The script of the text says which dictionary: Thai, Lao, Khmer, Burmese, Chinese or Japanese.
    """

    name = "icu"
    requires = ("icu4py",)

    def __init__(self) -> None:
        _breaker()

    def segment(self, text: str) -> list[str]:
        """Return the words."""
        breaker = _breaker()
        return words_of("ICU", text, lambda part: list(breaker(part, "en")))

    def describe(self) -> str:
        """Return the library's version, which ICU and its dictionaries come with."""
        return f"icu4py={metadata.version('icu4py')}"
