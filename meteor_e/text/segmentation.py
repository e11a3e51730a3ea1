"""Split text into words by Unicode categories or into single characters."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

from meteor_e.api.segmenters import Segmenter
from meteor_e.base.bounded_cache import BoundedCache

_JOINERS = "\u200c\u200d"

_INSIDE = f"{_JOINERS}'’ʼ״׳‐·-"
"""The characters that can connect letters in a word, such as apostrophes, hyphens and Hebrew or Catalan marks."""

CHUNK_LIMIT = 1 << 16
"""The maximum number of cached chunks, which are the parts of a text between white space."""

_MAX_CACHED_CHUNK = 100
"""The maximum length of a cached chunk in characters."""

_BETWEEN_SYLLABLES = "\u0f0b\u0f0c"
"""The separators of Tibetan syllables."""


class UnicodeSegmenter(Segmenter):
    """A segmenter that treats runs of letters, marks and digits as words. Every other character is a separate word.

    This segmenter is for scripts with vowel signs or letters that METEOR's normalizer treats as symbols, such as
    Devanagari, Arabic and Hebrew. Apostrophes and hyphens between letters are part of a word, and so are dots and
    commas between digits. In Tibetan, each syllable is a word.
    """

    name = "unicode"
    _chunks = functools.cached_property(lambda self: BoundedCache[str, str](CHUNK_LIMIT))

    def segment(self, text: str) -> list[str]:
        """Return the words of a text."""
        return _word_pattern().findall(self._preprocess(text))

    def join(self, text: str) -> str:
        """Return the words of a text, separated by spaces. The results for frequent strings are cached."""
        chunks = text.split()
        if chunks and chunks[-1].endswith(tuple(_JOINERS)):
            return " ".join(self.segment(text))
        word_cache = self._chunks
        try:
            # Usually, all chunks are cached.
            return " ".join(map(word_cache.__getitem__, chunks))
        except KeyError:
            chunk_words = [word_cache.get(chunk) or self._words_of(chunk) for chunk in chunks]
            return " ".join(filter(None, chunk_words))

    def _words_of(self, chunk: str) -> str:
        """Split a string without white space into words, and cache the result."""
        words = chunk if chunk.isascii() else self._preprocess(chunk)
        if not words.isalnum():
            # A zero-width joiner after a word belongs to the word only at the end of the text.
            # The appended space prevents the pattern from treating the end of the string as the end of the text.
            words = " ".join(_word_pattern().findall(words + " "))
        # An empty result is not cached, because join() would add a superfluous space for it.
        if words and len(chunk) <= _MAX_CACHED_CHUNK:
            self._chunks[chunk] = words
        return words

    def _preprocess(self, text: str) -> str:
        """Change a text before it is split into words. Subclasses can override this method."""
        return text

    def describe(self) -> str:
        """Return the version of the Unicode database, because it affects the segmentation."""
        return f"unicode={unicodedata.unidata_version}"


@functools.cache
def _word_pattern() -> re.Pattern[str]:
    """Return a regular expression that matches either a word or a single character between words.

    A zero-width joiner or non-joiner at the end of a text belongs to the last word, because it changes the form of the
    last letter.
    """
    ranges = _list_character_ranges()
    # Combining marks outside the Basic Multilingual Plane are rare, so the pattern tries these marks last.
    other_marks = rf"(?=[\U00010000-\U0010ffff])[{ranges.other_marks}]+"
    letters = rf"(?:[^\W_]+|[{ranges.basic_marks}]+|{other_marks})"
    decimal_separator = rf"[.,](?<=[{ranges.digits}].)(?=[{ranges.digits}])"  # as in "1.5"
    letter_connector = rf"[{_INSIDE}](?={letters})"  # as in "don't"
    word = rf"{letters}+(?:(?:{decimal_separator}|{letter_connector}){letters}+)*(?:[{_JOINERS}]\Z)?"
    return re.compile(rf"{word}|[^\s{_BETWEEN_SYLLABLES}]")


class _CharacterRanges(NamedTuple):
    """Ranges of characters for use in a regular expression, because ``re`` only has classes for letters and digits.

    Attributes:
        basic_marks: the combining marks in the Basic Multilingual Plane.
        other_marks: all other combining marks.
        digits: the digits of all scripts.
    """

    basic_marks: str
    other_marks: str
    digits: str


def _list_character_ranges() -> _CharacterRanges:
    """Look up the categories of all characters in the Unicode database."""
    # All combining marks have code points in these two ranges.
    characters = [chr(code_point) for code_point in (*range(0x1F000), *range(0xE0100, 0xE01F0))]
    marks = [character for character in characters if unicodedata.category(character)[0] == "M"]
    return _CharacterRanges(
        basic_marks=_list_ranges(mark for mark in marks if mark < "\U00010000"),
        other_marks=_list_ranges(mark for mark in marks if mark >= "\U00010000"),
        digits=_list_ranges(filter(str.isdigit, characters)),
    )


def _list_ranges(characters: Iterable[str]) -> str:
    """Convert sorted characters to ranges, such as ``0-9a-f``, for use in a regular expression."""
    ranges: list[list[str]] = []
    for character in characters:
        if ranges and ord(character) == ord(ranges[-1][1]) + 1:
            ranges[-1][1] = character
        else:
            ranges.append([character, character])
    return "".join(f"{first}-{last}" for first, last in ranges)


class CharacterSegmenter(Segmenter):
    """A segmenter that treats each Han character, each kana and each letter of a script without spaces as a word.

    This segmenter can be used for Chinese and Japanese without a dictionary. It does not change text in scripts that
    separate words by spaces.
    """

    name = "characters"

    _SPACELESS = re.compile(
        "([\u1000-\u109f\u1780-\u17ff\u0e00-\u0eff\u0f00-\u0fff\u2e80-\u2fdf\u3001-\u30ff\u3100-\u312f\u31a0-\u31bf"
        "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff])"
    )

    def segment(self, text: str) -> list[str]:
        """Return the words of a text."""
        return self.separate(text).split()

    @classmethod
    def separate(cls, text: str) -> str:
        """Put a space before and after each character of scripts that do not separate words by spaces."""
        return cls._SPACELESS.sub(r" \1 ", text)


class ScriptSegmenter(UnicodeSegmenter):
    """A segmenter that applies ``characters`` to scripts without spaces, and ``unicode`` to all other scripts."""

    name = "script"

    def _preprocess(self, text: str) -> str:
        """Put spaces around each character of scripts without spaces, such as Chinese characters."""
        return CharacterSegmenter.separate(text).rstrip()
