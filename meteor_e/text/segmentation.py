"""The segmenters that meteor_e brings: words by Unicode's categories, and characters as words."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable
from itertools import groupby

from meteor_e.api.segmenters import Segmenter
from meteor_e.base.memory import Memory

_JOINERS = "\u200c\u200d"

_INSIDE = f"{_JOINERS}'’ʼ״׳‐·-"
"""What may stand within a word, between letters: apostrophes, hyphens, Hebrew and Catalan marks, joiners."""

CHUNK_LIMIT = 1 << 16
"""Chunks between white space whose words are remembered."""

_LONG_CHUNK = 100
"""Longer chunks are not remembered."""

_BETWEEN_SYLLABLES = "\u0f0b\u0f0c"
"""What separates Tibetan syllables, as spaces separate words elsewhere."""


class UnicodeSegmenter(Segmenter):
    """Words are runs of letters, marks and digits; every other character is a word of its own.

    For scripts whose vowel signs or letters METEOR's normalizer takes for symbols: Devanagari, Arabic, Hebrew and
    most others. Apostrophes and hyphens between letters stay within a word, as do dots and commas between digits.
    Tibetan words are syllables.
    """

    name = "unicode"
    _chunks = functools.cached_property(lambda self: Memory[str, str](CHUNK_LIMIT))

    def segment(self, text: str) -> list[str]:
        """Return the words."""
        return _words().findall(self._prepared(text))

    def join(self, text: str) -> str:
        """Return the words of a text separated by spaces; no word has white space, and chunks come back."""
        chunks = text.split()
        if chunks and chunks[-1].endswith(tuple(_JOINERS)):
            return " ".join(self.segment(text))
        known = self._chunks
        try:
            return " ".join(map(known.__getitem__, chunks))
        except KeyError:
            return " ".join(filter(None, [known.get(chunk) or self._words_of(chunk) for chunk in chunks]))

    def _words_of(self, chunk: str) -> str:
        """Return the words of a chunk separated by spaces, and remember them."""
        words = chunk if chunk.isascii() else self._prepared(chunk)
        if not words.isalnum():
            # A joiner is at the end of the chunk, not of the text.
            words = " ".join(_words().findall(words + " "))
        # What has no words is not remembered, so that what is remembered can be joined.
        if words and len(chunk) <= _LONG_CHUNK:
            self._chunks[chunk] = words
        return words

    def _prepared(self, text: str) -> str:
        """Return the text as the words are looked for."""
        return text

    def describe(self) -> str:
        """Return the version of the character database, which knows letters from symbols."""
        return f"unicode={unicodedata.unidata_version}"


@functools.cache
def _words() -> re.Pattern[str]:
    """Return what finds words.

    Letters and digits are what re knows as such; marks are not, and those of higher planes are asked for last. At the
    end of a text, a joiner asks for a form of the letter before it, whatever follows.
    """
    everything = [chr(number) for number in (*range(0x1F000), *range(0xE0100, 0xE01F0))]
    kinds = map(unicodedata.category, everything)
    marks = [ord(character) for character, kind in zip(everything, kinds, strict=True) if kind[0] == "M"]
    low, high = _ranges(n for n in marks if n < 0x10000), _ranges(n for n in marks if n >= 0x10000)
    digits = _ranges(map(ord, filter(str.isdigit, everything)))
    letters = rf"(?:[^\W_]+|[{low}]+|(?=[\U00010000-\U0010ffff])[{high}]+)"
    between = rf"[.,](?<=[{digits}].)(?=[{digits}])|[{_INSIDE}](?={letters})"
    return re.compile(rf"{letters}+(?:(?:{between}){letters}+)*(?:[{_JOINERS}]\Z)?|[^\s{_BETWEEN_SYLLABLES}]")


def _ranges(numbers: Iterable[int]) -> str:
    """Return ascending code points as what stands in a class of a regular expression."""
    runs = (list(run) for _, run in groupby(enumerate(numbers), lambda item: item[1] - item[0]))
    return "".join(f"{chr(run[0][1])}-{chr(run[-1][1])}" for run in runs)


class CharacterSegmenter(Segmenter):
    """Every Han character, kana and other letter of a script without spaces is a word.

    For Chinese and Japanese where no dictionary is to decide; text in other scripts is left alone.
    """

    name = "characters"

    _SPACELESS = re.compile(
        "([\u1000-\u109f\u1780-\u17ff\u0e00-\u0eff\u0f00-\u0fff\u2e80-\u2fdf\u3001-\u30ff\u3100-\u312f\u31a0-\u31bf"
        "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff])"
    )

    def segment(self, text: str) -> list[str]:
        """Return the words."""
        return self.apart(text).split()

    @classmethod
    def apart(cls, text: str) -> str:
        """Return the text with spaces around the characters that are words."""
        return cls._SPACELESS.sub(r" \1 ", text)


class ScriptSegmenter(UnicodeSegmenter):
    """Words of any text: characters in scripts without spaces, as ``characters``; other words as ``unicode``."""

    name = "script"

    def _prepared(self, text: str) -> str:
        return CharacterSegmenter.apart(text).rstrip()
