"""Words by ICU's dictionaries: Thai, Lao, Khmer, Burmese, Chinese and Japanese."""

from __future__ import annotations

import re
from importlib import metadata
from typing import Any

from meteor_e.api import PluginError, Segmenter
from meteor_e_languages.segmenters.checks import check_words, spaced

_SURROGATES = re.compile("([\ud800-\udfff])")


def _breaker() -> Any:
    try:
        from icu4py.breakers import WordBreaker
    except ImportError as error:
        raise PluginError("segmenter 'icu' needs the library icu4py; pip install 'meteor-e-languages[icu]'") from error
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
        words: list[str] = []
        for part in _SURROGATES.split(spaced(text)):
            # ICU is given UTF-8, which has no lone surrogates.
            words += [part] if _SURROGATES.match(part) else _breaker()(part, "en") if part else []
        return check_words("ICU", text, words)

    def describe(self) -> str:
        """Return the library's version, which ICU and its dictionaries come with."""
        return f"icu4py={metadata.version('icu4py')}"
