"""Text normalization as METEOR 1.5 does it: tokenize, normalize punctuation, lowercase.

The steps of full normalization are in section 1 of the specification of METEOR 1.5. Every step is one left-to-right
pass of non-overlapping replacements, so the order in which they consume their neighbors is part of the result
(``a,b,c`` becomes ``a , b,c``). Patterns are compiled when they are first used: the native core needs none of them.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from meteor_e.api.languages import NonbreakingPrefixes, Normalization
from meteor_e.api.tokens import split_words

# Code points that are unassigned in Unicode 13 and letters, marks, modifiers or format characters in Unicode 18. The
# others have no part in lower-casing.
_LATER = """
58B-58C 5C8-5C9 888 890-891 897-89F 8C9-8D2 B53-B54 C3C ECE 180F 1AC1-1AF0 1C89-1C8A 1DFA 208F 209D-209F 2C2F 2C5F
A7C0-A7C1 A7CB-A7DD A7E2 A7F1-A7F4 AB6C-AB6D FBC2 10570-1057A 1057C-1058A 1058C-10592 10594-10595 10597-105A1
105A3-105B1 105B3-105B9 105BB-105BC 10780-10785 10787-107B0 107B2-107BF 10D4E 10D50-10D65 10D69-10D6D 10D6F-10D85 10EC5
10EC9-10ECF 10EF0-10EFF 10F82-10F85 11070 11073-11074 110C2 11241 113BB-113C0 113CE 113D0 113D2 113E1-113E2 11B60
11B62-11B64 11B66 11DD9 11DF0 11F00-11F01 11F36-11F3A 11F40 11F42 11F5A 13439-13440 13447-13455 1611E-16129 1612D-1612F
16D40-16D42 16D6B-16D6C 16EA0-16EB8 16EBB-16ED3 16FF2-16FF3 1AFF0-1AFF3 1AFF5-1AFFB 1AFFD-1AFFE 1CF00-1CF2D 1CF30-1CF46
1D127-1D128 1D25B-1D25C 1D6A6 1DF00-1DF09 1DF0B-1DF7F 1DF90-1DF96 1DFCD-1DFFF 1E030-1E06D 1E08F 1E2AE 1E4EB-1E4EF
1E5EE-1E5EF 1E6E3 1E6E6 1E6EE-1E6EF 1E6F5 1E6FF
"""


def _ranges() -> list[tuple[int, int]]:
    pairs = (text.partition("-") for text in _LATER.split())
    return [(int(first, 16), int(last or first, 16)) for first, _, last in pairs]


@functools.cache
def _later() -> re.Pattern[str]:
    return re.compile("([" + "".join(f"{chr(first)}-{chr(last)}" for first, last in _ranges()) + "]+)")


@functools.cache
def later_capitals() -> str:
    """Return the characters that this Python would lowercase, and Unicode 13 does not know."""
    everything = (chr(code) for first, last in _ranges() for code in range(first, last + 1))
    return "".join(character for character in everything if character.lower() != character)


def lowercase(text: str) -> str:
    """Lowercase by Unicode 13's rules, independent of the locale and of Python's version."""
    if text.isascii():
        return text.lower()
    parts = _later().split(text)
    # What was split at stands at the odd places.
    parts[::2] = [part.lower() for part in parts[::2]]
    return "".join(parts)


APOSTROPHE_STYLES = ("english", "french", "apart")
"""What happens to an apostrophe: split before it, split after it, or set it apart."""

_NO_PREFIXES = NonbreakingPrefixes()
_TRIMMED = "".join(map(chr, range(0x21)))


@dataclass(frozen=True)
class Normalizer:
    """Turns a raw segment into normalized text, whose words are separated by single spaces.

    Args:
        mode: see :class:`Normalization`.
        apostrophes: one of :data:`APOSTROPHE_STYLES`; used by ``full`` and ``no-punctuation``.
        prefixes: the language's nonbreaking prefixes; used by ``full`` and ``no-punctuation``.
    """

    mode: Normalization = Normalization.FULL
    apostrophes: str = "apart"
    prefixes: NonbreakingPrefixes = _NO_PREFIXES

    @property
    def kept_capitals(self) -> str:
        """Characters that stay as they are, whatever this Python's table of Unicode has of them."""
        return later_capitals()

    def __call__(self, text: str) -> str:
        """Return the normalized text."""
        if self.mode is Normalization.NONE:
            return text
        if self.mode is Normalization.LOWER:
            return lowercase(text)
        text = set_apart(text, self.apostrophes, self.prefixes, self.mode is not Normalization.NO_PUNCTUATION)
        return lowercase(text.strip(_TRIMMED))


_ALPHA = (
    "A-Za-z\u0160\u017d\u0161\u017e\u0178\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017e"
    "\u0400-\u04ff\u0500-\u0527\ua640-\ua66e\ua67e-\ua697\u1d00-\u1d7f"
)
_ALNUM = "0-9" + _ALPHA
_SPACE = " \t\n\x0b\f\r"


_APOSTROPHES = {
    "english": [
        (f"([^{_ALPHA}])'([^{_ALPHA}])", r"\1 ' \2"),
        (f"([^{_ALNUM}])'([{_ALPHA}])", r"\1 ' \2"),
        (f"([{_ALPHA}])'([^{_ALPHA}])", r"\1 ' \2"),
        (f"([{_ALPHA}])'([{_ALPHA}])", r"\1 '\2"),
        ("([0-9])'(s)", r"\1 '\2"),
    ],
    "french": [
        (f"([^{_ALPHA}])'([^{_ALPHA}])", r"\1 ' \2"),
        (f"([^{_ALPHA}])'([{_ALPHA}])", r"\1 ' \2"),
        (f"([{_ALPHA}])'([^{_ALPHA}])", r"\1 ' \2"),
        (f"([{_ALPHA}])'([{_ALPHA}])", r"\1' \2"),
    ],
    "apart": [("'", " ' ")],
}
_SYMBOL = f"([^{_ALNUM}{_SPACE}.'`,\\-‘’])"
_DOTS = r"\.\.+"
_COMMAS = [
    ("([^0-9]),([^0-9])", r"\1 , \2"),
    ("([0-9]),([^0-9])", r"\1 , \2"),
    ("([^0-9]),([0-9])", r"\1 , \2"),
]
_SINGLE_QUOTES = "[`‘’]"
_DOUBLE_QUOTES = "“|”|''"
_HYPHEN = f"([{_ALNUM}.])-([{_ALNUM}])"
_HAS_ALPHA = f"[{_ALPHA}]"
_PUNCTUATION = f"[^{_ALNUM}]"
_UNICODE_SPACES = "[ \u2000-\u200a\u202f\u205f\u3000\u00a0]+"
_DOT_MARK = "DOTMULTI"
_MARKED_DOTS = _DOT_MARK + r"(\.+)"
_DOT_MARKS = "((?:DOT)*)" + _DOT_MARK


def set_apart(text: str, apostrophes: str, prefixes: NonbreakingPrefixes, punctuation: bool) -> str:
    """Set symbols, punctuation and apostrophes apart.

    Args:
        text: a raw segment.
        apostrophes: one of :data:`APOSTROPHE_STYLES`.
        prefixes: the language's nonbreaking prefixes.
        punctuation: keep what is neither letter nor digit; else it becomes spaces.
    """
    text = re.sub(_SYMBOL, r" \1 ", f" {text} ")
    # Step 2: a run of dots becomes a marker set off by spaces, so that later steps leave it alone.
    # The marker is METEOR's, because it shows: a literal DOTMULTI in a segment comes out as a dot.
    text = re.sub(_DOTS, lambda run: f" {_DOT_MARK}{run.group()[1:]}", text)
    if _DOT_MARK in text:
        text = re.sub(_MARKED_DOTS, lambda mark: "DOT" * len(mark.group(1)) + _DOT_MARK + " ", text)
    if "," in text:
        for pattern, replacement in _COMMAS:
            text = re.sub(pattern, replacement, text)
    text = re.sub(_SINGLE_QUOTES, "'", text)
    text = re.sub(_DOUBLE_QUOTES, ' " ', text)
    text = text.replace("–", "-").replace("--", "-")
    if "-" in text:
        text = re.sub(_HYPHEN, r"\1 \2", text)
    if "'" in text:
        for pattern, replacement in _APOSTROPHES[apostrophes]:
            text = re.sub(pattern, replacement, text)
    # Step 8: a dot at a word's end stays, goes, or becomes a word of its own.
    words = split_words(text)
    text = " ".join(
        _final_dot(word, after, prefixes) if len(word) > 1 and word[-1] == "." else word
        for word, after in zip(words, [*words[1:], ""], strict=False)
    )
    # Step 9: markers become dots again.
    if _DOT_MARK in text:
        text = re.sub(_DOT_MARKS, lambda mark: "." * (len(mark.group(1)) // 3 + 1), text)
    return re.sub(_UNICODE_SPACES, " ", text if punctuation else re.sub(_PUNCTUATION, " ", text))


def _final_dot(word: str, after: str, prefixes: NonbreakingPrefixes) -> str:
    stem = word[:-1]
    if "." in stem and re.search(_HAS_ALPHA, stem):
        return word.replace(".", "")
    if stem in prefixes.always or "a" <= after[:1] <= "z":
        return word
    if stem in prefixes.numeric and "0" <= after[:1] <= "9":
        return word
    return stem + " ."


_ENTITIES = [("(?ai)&quot;", '"'), ("(?ai)&apos;", "'"), ("(?ai)&lt;", "<"), ("(?ai)&gt;", ">"), ("(?ai)&amp;", "&")]


def unescape_entities(text: str) -> str:
    """Replace the five entities of SGML input, one after the other, as METEOR does before normalization."""
    if "&" in text:
        for entity, char in _ENTITIES:
            text = re.sub(entity, char, text)
    return text
