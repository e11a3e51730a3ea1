"""Lowercase text by the rules of one Unicode version, so that scores do not depend on the version of Python."""

from __future__ import annotations

import functools
import re

# These code points are unassigned in Unicode 13, and are letters, marks, modifiers or format characters in Unicode 18.
# Characters of other categories do not affect lowercasing.
_ASSIGNED_LATER = """
58B-58C 5C8-5C9 888 890-891 897-89F 8C9-8D2 B53-B54 C3C ECE 180F 1AC1-1AF0 1C89-1C8A 1DFA 208F 209D-209F 2C2F 2C5F
A7C0-A7C1 A7CB-A7DD A7E2 A7F1-A7F4 AB6C-AB6D FBC2 10570-1057A 1057C-1058A 1058C-10592 10594-10595 10597-105A1
105A3-105B1 105B3-105B9 105BB-105BC 10780-10785 10787-107B0 107B2-107BF 10D4E 10D50-10D65 10D69-10D6D 10D6F-10D85 10EC5
10EC9-10ECF 10EF0-10EFF 10F82-10F85 11070 11073-11074 110C2 11241 113BB-113C0 113CE 113D0 113D2 113E1-113E2 11B60
11B62-11B64 11B66 11DD9 11DF0 11F00-11F01 11F36-11F3A 11F40 11F42 11F5A 13439-13440 13447-13455 1611E-16129 1612D-1612F
16D40-16D42 16D6B-16D6C 16EA0-16EB8 16EBB-16ED3 16FF2-16FF3 1AFF0-1AFF3 1AFF5-1AFFB 1AFFD-1AFFE 1CF00-1CF2D 1CF30-1CF46
1D127-1D128 1D25B-1D25C 1D6A6 1DF00-1DF09 1DF0B-1DF7F 1DF90-1DF96 1DFCD-1DFFF 1E030-1E06D 1E08F 1E2AE 1E4EB-1E4EF
1E5EE-1E5EF 1E6E3 1E6E6 1E6EE-1E6EF 1E6F5 1E6FF
"""


def lowercase(text: str) -> str:
    """Lowercase a string by the rules of Unicode 13, regardless of the locale and of Python's version."""
    if text.isascii():
        return text.lower()
    parts = _later_characters().split(text)
    # Pattern.split() returns the captured characters at odd indexes, and the other text at even indexes.
    parts[::2] = [part.lower() for part in parts[::2]]
    return "".join(parts)


@functools.cache
def later_capitals() -> str:
    """Return the characters that this version of Python lowercases although they are unassigned in Unicode 13."""
    characters = (chr(code) for first, last in _later_ranges() for code in range(first, last + 1))
    return "".join(character for character in characters if character.lower() != character)


@functools.cache
def _later_characters() -> re.Pattern[str]:
    """Return a pattern that captures sequences of characters that Unicode 13 does not assign."""
    ranges = "".join(f"{chr(first)}-{chr(last)}" for first, last in _later_ranges())
    return re.compile(f"([{ranges}]+)")


def _later_ranges() -> list[tuple[int, int]]:
    """Return ranges of code points that Unicode 13 does not assign, as pairs of the first and last code point."""
    ranges = []
    for text in _ASSIGNED_LATER.split():
        first, _, last = text.partition("-")
        ranges.append((int(first, 16), int(last or first, 16)))
    return ranges
