"""The segmenters that meteor_e brings: words by Unicode's categories, and characters as words."""

from __future__ import annotations

import re
import unicodedata

from meteor_e.api.segmenters import Segmenter

_JOINERS = "\u200c\u200d"

_INSIDE = "'’ʼ״׳-‐·"
"""What may stand within a word, between letters, beside joiners: apostrophes, hyphens, Hebrew and Catalan marks."""

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
        kinds = text.translate(_KINDS)
        return [text[slice(*word.span())] for word in _WORD.finditer(kinds)]

    def describe(self) -> str:
        """Return the version of the character database, which knows letters from symbols."""
        return f"unicode={unicodedata.unidata_version}"


class _Kinds(dict[int, str]):
    """The kind of each character, found when it comes first: letters and marks ``a``, digits ``0``, white space and the
    like a space, ``.`` what may stand between digits, ``-`` what may stand between letters, ``j`` joiners, others ``x``.
    """

    def __missing__(self, number: int) -> str:
        char = chr(number)
        if unicodedata.category(char)[0] in "LMN":
            kind = "0" if char.isdigit() else "a"
        elif char.isspace() or char in _BETWEEN_SYLLABLES:
            kind = " "
        else:
            kind = "." if char in ".," else "j" if char in _JOINERS else "-" if char in _INSIDE else "x"
        self[number] = kind
        return kind


_KINDS = _Kinds()

_WORD = re.compile(r"[a0](?:[a0]|(?<=0)\.(?=0)|[j-](?=[a0]))*(?:j\Z)?|[^ ]")
"""A word, in kinds of characters. At the end, a joiner asks for a form of the letter before it, whatever follows."""


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
