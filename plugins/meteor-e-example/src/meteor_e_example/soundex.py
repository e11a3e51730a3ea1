"""A KeyMatcher: words match if they share a key."""

from __future__ import annotations

import unicodedata
from typing import Annotated, ClassVar

from meteor_e.api import ComponentOptions, KeyMatcher, Meta, Token

_DIGITS = {
    letter: digit for digit, letters in enumerate(["BFPV", "CGJKQSXZ", "DT", "L", "MN", "R"], 1) for letter in letters
}


def soundex(word: str) -> str:
    """Return the American Soundex code of a word, ``""`` for one that is not written in Latin letters.

    The rules are those of the United States National Archives: the first letter, then a digit for each
    consonant that differs from the one before it; H and W do not part equal consonants, vowels do.
    """
    letters = [char for char in unicodedata.normalize("NFD", word.upper()) if not unicodedata.combining(char)]
    if not letters or not all("A" <= letter <= "Z" for letter in letters):
        return ""
    code, last = letters[0], _DIGITS.get(letters[0])
    for letter in letters[1:]:
        if letter in "HW":
            continue
        digit = _DIGITS.get(letter)
        if digit is not None and digit != last:
            code += str(digit)
        last = digit
    return code[:4].ljust(4, "0")


class Soundex(KeyMatcher):
    """English words that sound alike match, such as names that are transcribed in several ways.

    Short words are left alone: two of them sound alike by chance too often.
    """

    name: ClassVar[str] = "soundex"
    default_weight: ClassVar[float] = 0.3

    class Options(ComponentOptions):
        """What a chain may say beside the name; the values are in ``self.options``."""

        shortest: Annotated[int, Meta(ge=1, description="Letters of the shortest word that matches.")] = 4

    def keys(self, token: Token) -> set[str]:
        """Return the code of the word, or nothing."""
        code = soundex(token.form) if len(token.form) >= self.options.shortest else ""
        return {code} if code else set()
