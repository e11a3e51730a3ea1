"""The built-in segmenters: words by Unicode categories, characters as words, and both by script."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable
from itertools import groupby

from meteor_e.api.segmenters import Segmenter
from meteor_e.base.bounded_cache import BoundedCache

_JOINERS = "\u200c\u200d"

_INSIDE = f"{_JOINERS}'’ʼ״׳‐·-"
"""Characters inside of a word, between letters: apostrophes, hyphens, Hebrew and Catalan marks, joiners."""

CHUNK_LIMIT = 1 << 16
"""Chunks, which are the parts between white space, whose words are cached."""

_MAX_CACHED_CHUNK = 100
"""Characters of the longest chunk that is cached."""

_BETWEEN_SYLLABLES = "\u0f0b\u0f0c"
"""Separators of Tibetan syllables."""


class UnicodeSegmenter(Segmenter):
    """Words are runs of letters, marks and digits; every other character is a word.

    This segmenter is for scripts whose vowel signs or letters METEOR's normalizer treats as symbols: Devanagari,
    Arabic, Hebrew and most others. Apostrophes and hyphens between letters are part of a word, as are dots and commas
    between digits. Tibetan words are syllables.
    """

    name = "unicode"
    _chunks = functools.cached_property(lambda self: BoundedCache[str, str](CHUNK_LIMIT))

    def segment(self, text: str) -> list[str]:
        """Return the words."""
        return _word_pattern().findall(self._preprocess(text))

    def join(self, text: str) -> str:
        """Return the words of a text separated by spaces. Most chunks are found in the cache."""
        chunks = text.split()
        if chunks and chunks[-1].endswith(tuple(_JOINERS)):
            return " ".join(self.segment(text))
        word_cache = self._chunks
        try:
            return " ".join(map(word_cache.__getitem__, chunks))
        except KeyError:
            return " ".join(filter(None, [word_cache.get(chunk) or self._words_of(chunk) for chunk in chunks]))

    def _words_of(self, chunk: str) -> str:
        """Return the words of a chunk separated by spaces, and cache them."""
        words = chunk if chunk.isascii() else self._preprocess(chunk)
        if not words.isalnum():
            # With a space, because a final joiner is only part of a word at the end of the text.
            words = " ".join(_word_pattern().findall(words + " "))
        # A chunk without words is not cached, because join() would add a space for it.
        if words and len(chunk) <= _MAX_CACHED_CHUNK:
            self._chunks[chunk] = words
        return words

    def _preprocess(self, text: str) -> str:
        """Change a text before its words are searched."""
        return text

    def describe(self) -> str:
        """Return the version of the Unicode database, which classifies characters."""
        return f"unicode={unicodedata.unidata_version}"


@functools.cache
def _word_pattern() -> re.Pattern[str]:
    """Return a pattern that finds words.

    ``re`` recognizes letters and digits, but not marks, which are listed; those outside of the Basic Multilingual Plane
    are tried last. A joiner at the end of a text belongs to the word before it, because it changes the form of the last
    letter.
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
    """Return ascending code points as the contents of a character class of a regular expression."""
    runs = (list(run) for _, run in groupby(enumerate(numbers), lambda item: item[1] - item[0]))
    return "".join(f"{chr(run[0][1])}-{chr(run[-1][1])}" for run in runs)


class CharacterSegmenter(Segmenter):
    """Every Han character, kana and other letter of a script without spaces is a word.

    This segmenter is for Chinese and Japanese without a dictionary. Text in other scripts does not change.
    """

    name = "characters"

    _SPACELESS = re.compile(
        "([\u1000-\u109f\u1780-\u17ff\u0e00-\u0eff\u0f00-\u0fff\u2e80-\u2fdf\u3001-\u30ff\u3100-\u312f\u31a0-\u31bf"
        "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff])"
    )

    def segment(self, text: str) -> list[str]:
        """Return the words."""
        return self.separate(text).split()

    @classmethod
    def separate(cls, text: str) -> str:
        """Put spaces around the characters that are words."""
        return cls._SPACELESS.sub(r" \1 ", text)


class ScriptSegmenter(UnicodeSegmenter):
    """Scripts without spaces are segmented as by ``characters``, other scripts as by ``unicode``."""

    name = "script"

    def _preprocess(self, text: str) -> str:
        return CharacterSegmenter.separate(text).rstrip()
