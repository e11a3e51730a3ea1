"""Normalize text as METEOR 1.5 does, by tokenizing, simplifying punctuation and lowercasing.

Section 1 of the specification of METEOR 1.5 describes the steps of full normalization. Each step replaces
non-overlapping matches of a pattern from left to right. A match includes the neighbors of a character, which affects
the result: ``a,b,c`` becomes ``a , b,c``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from meteor_e.api.languages import NonbreakingPrefixes, Normalization
from meteor_e.api.tokens import split_words
from meteor_e.base.lowercase import later_capitals, lowercase

APOSTROPHE_STYLES = ("english", "french", "apart")
"""The ways of splitting words at an apostrophe: before it, after it, or on both sides."""

_NO_PREFIXES = NonbreakingPrefixes()
_TRIMMED = "".join(map(chr, range(0x21)))


@dataclass(frozen=True)
class Normalizer:
    """A function that normalizes a segment. The words of the result are separated by single spaces.

    Args:
        mode: the kind of normalization.
        apostrophes: one of :data:`APOSTROPHE_STYLES`, for the modes ``full`` and ``no-punctuation``.
        prefixes: the language's nonbreaking prefixes, for the modes ``full`` and ``no-punctuation``.
    """

    mode: Normalization = Normalization.FULL
    apostrophes: str = "apart"
    prefixes: NonbreakingPrefixes = _NO_PREFIXES

    @property
    def kept_capitals(self) -> str:
        """Capital letters that were added to Unicode after version 13 and are therefore not lowercased."""
        return later_capitals()

    def __call__(self, text: str) -> str:
        """Return the normalized text."""
        if self.mode is Normalization.NONE:
            return text
        if self.mode is Normalization.LOWER:
            return lowercase(text)
        keep_punctuation = self.mode is not Normalization.NO_PUNCTUATION
        text = separate_symbols(text, self.apostrophes, self.prefixes, keep_punctuation)
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


def separate_symbols(text: str, apostrophes: str, prefixes: NonbreakingPrefixes, keep_punctuation: bool) -> str:
    """Tokenize a segment as METEOR 1.5 does, by putting spaces around symbols, punctuation and apostrophes.

    The steps follow the order of METEOR 1.5. The conditions merely save time by skipping patterns that cannot match.

    Args:
        text: a raw segment.
        apostrophes: one of :data:`APOSTROPHE_STYLES`.
        prefixes: abbreviations that end with a dot, such as ``Dr``. Their dots are not separated.
        keep_punctuation: whether to keep characters that are neither letters nor digits. Otherwise, they become spaces.
    """
    text = re.sub(_SYMBOL, r" \1 ", f" {text} ")
    text = _mark_dots(text)
    if "," in text:
        text = _substitute_all(_COMMAS, text)
    text = re.sub(_SINGLE_QUOTES, "'", text)
    text = re.sub(_DOUBLE_QUOTES, ' " ', text)
    text = text.replace("–", "-").replace("--", "-")
    if "-" in text:
        text = re.sub(_HYPHEN, r"\1 \2", text)
    if "'" in text:
        text = _substitute_all(_APOSTROPHES[apostrophes], text)
    text = _split_final_dots(text, prefixes)
    text = _restore_dots(text)
    if not keep_punctuation:
        text = re.sub(_PUNCTUATION, " ", text)
    return re.sub(_UNICODE_SPACES, " ", text)


def _substitute_all(replacements: Iterable[tuple[str, str]], text: str) -> str:
    """Replace several regular expressions in a text, one after the other."""
    for pattern, replacement in replacements:
        text = re.sub(pattern, replacement, text)
    return text


def _mark_dots(text: str) -> str:
    """Replace each sequence of dots with a marker, so that the following steps do not change the dots.

    METEOR 1.5 has the same marker. If a segment contains the marker as text, both programs replace it with a dot.
    """
    text = re.sub(_DOTS, lambda run: f" {_DOT_MARK}{run.group()[1:]}", text)
    if _DOT_MARK in text:
        text = re.sub(_MARKED_DOTS, lambda mark: "DOT" * len(mark.group(1)) + _DOT_MARK + " ", text)
    return text


def _restore_dots(text: str) -> str:
    """Convert the markers that :func:`_mark_dots` inserts back to dots."""
    if _DOT_MARK not in text:
        return text
    return re.sub(_DOT_MARKS, lambda mark: "." * (len(mark.group(1)) // 3 + 1), text)


def _split_final_dots(text: str, prefixes: NonbreakingPrefixes) -> str:
    """Separate the final dots of words, except for dots of abbreviations."""
    words = split_words(text)
    for index, word in enumerate(words):
        if len(word) > 1 and word[-1] == ".":
            next_word = words[index + 1] if index + 1 < len(words) else ""
            words[index] = _split_final_dot(word, next_word, prefixes)
    return " ".join(words)


def _split_final_dot(word: str, next_word: str, prefixes: NonbreakingPrefixes) -> str:
    """Separate the final dot of a word, unless the word is an abbreviation. Acronyms such as U.S. lose all dots."""
    stem = word[:-1]
    if "." in stem and re.search(_HAS_ALPHA, stem):
        return word.replace(".", "")
    if stem in prefixes.always or "a" <= next_word[:1] <= "z":
        return word
    if stem in prefixes.numeric and "0" <= next_word[:1] <= "9":
        return word
    return stem + " ."


_ENTITIES = [("(?ai)&quot;", '"'), ("(?ai)&apos;", "'"), ("(?ai)&lt;", "<"), ("(?ai)&gt;", ">"), ("(?ai)&amp;", "&")]


def unescape_entities(text: str) -> str:
    """Replace the entities ``&quot;``, ``&apos;``, ``&lt;``, ``&gt;`` and ``&amp;`` with characters."""
    if "&" in text:
        for entity, char in _ENTITIES:
            text = re.sub(entity, char, text)
    return text
