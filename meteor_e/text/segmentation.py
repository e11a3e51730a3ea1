"""The segmenters that meteor_e brings: words by Unicode's categories, and characters as words."""

from __future__ import annotations

import re
import unicodedata

from meteor_e.api.segmenters import Segmenter

_INSIDE = "'’ʼ״׳-‐·\u200c\u200d"
"""What may stand within a word, between letters: apostrophes, hyphens, Hebrew and Catalan marks, joiners."""

_BETWEEN_SYLLABLES = "\u0f0b\u0f0c"
"""What separates Tibetan syllables, as spaces separate words elsewhere."""


class UnicodeSegmenter(Segmenter):
    """Words are runs of letters, marks and digits; every other character is a word of its own.

    For scripts whose vowel signs or letters METEOR's normalizer takes for symbols: Devanagari, Arabic, Hebrew and
    most others. Apostrophes and hyphens between letters stay within a word, as do dots and commas between digits.
    Tibetan words are syllables.
    """

    name = "unicode"

    def segment(self, text: str) -> list[str]:
        """Return the words."""
        words: list[str] = []
        begin = 0  # of the word that is being read
        for place, char in enumerate(text):
            if _in_word(char) or (place > begin and _connects(text, place)):
                continue
            if place > begin:
                words.append(text[begin:place])
            if not char.isspace() and char not in _BETWEEN_SYLLABLES:
                words.append(char)
            begin = place + 1
        if begin < len(text):
            words.append(text[begin:])
        return words

    def describe(self) -> str:
        """Return the version of the character database, which knows letters from symbols."""
        return f"unicode={unicodedata.unidata_version}"


def _in_word(char: str) -> bool:
    return unicodedata.category(char)[0] in "LMN"


def _connects(text: str, place: int) -> bool:
    char, before, after = text[place], text[place - 1], text[place + 1 : place + 2]
    if not after:
        # A joiner asks for a form of the letter before it, whatever follows.
        return char in "\u200c\u200d"
    if char in ".,":
        return before.isdigit() and after.isdigit()
    return char in _INSIDE and _in_word(before) and _in_word(after)


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
        return self._SPACELESS.sub(r" \1 ", text).split()


class ScriptSegmenter(UnicodeSegmenter):
    """Words of any text: characters in scripts without spaces, as ``characters``; other words as ``unicode``."""

    name = "script"

    def segment(self, text: str) -> list[str]:
        """Return the words."""
        return super().segment(" ".join(CharacterSegmenter().segment(text)))
