"""Text normalisation as METEOR 1.5 does it: tokenise, normalise punctuation, lowercase.

The steps and their order are those of section 1 of the specification of METEOR 1.5. Every step is one
left-to-right pass of non-overlapping replacements, so the order in which they consume their neighbours
is part of the result (``a,b,c`` becomes ``a , b,c``).
"""

from __future__ import annotations

import enum
import functools
import re
from collections.abc import Callable, Collection
from typing import NamedTuple

from meteor_e.errors import ConfigError
from meteor_e.text.tokens import split_words

__all__ = ["APOSTROPHE_STYLES", "NonbreakingPrefixes", "Normalization", "Normalizer", "lowercase"]

_ALPHA = (
    "A-Za-z\u0160\u017d\u0161\u017e\u0178\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017e"
    "\u0400-\u04ff\u0500-\u0527\ua640-\ua66e\ua67e-\ua697\u1d00-\u1d7f"
)
_ALNUM = "0-9" + _ALPHA
_SPACE = " \t\n\x0b\f\r"


class Normalization(str, enum.Enum):
    """How text becomes tokens."""

    NONE = "none"
    """Split on white space; case is kept."""
    LOWER = "lower"
    """Lowercase only."""
    FULL = "full"
    """Tokenise, normalise punctuation, lowercase (Java: ``-norm``)."""
    NO_PUNCTUATION = "no-punctuation"
    """As ``full``, then drop punctuation (Java: ``-norm -noPunct``)."""


class NonbreakingPrefixes(NamedTuple):
    """Abbreviations whose dot stays: always, or only before a number (compared with case)."""

    always: Collection[str] = frozenset()
    numeric: Collection[str] = frozenset()


def lowercase(text: str) -> str:
    """Lowercase by Unicode's rules, independent of the locale."""
    return text.lower()


def _apostrophes_english(text: str) -> str:
    for pattern, replacement in _ENGLISH_APOSTROPHES:
        text = pattern.sub(replacement, text)
    return text


def _apostrophes_french(text: str) -> str:
    for pattern, replacement in _FRENCH_APOSTROPHES:
        text = pattern.sub(replacement, text)
    return text


def _apostrophes_apart(text: str) -> str:
    return text.replace("'", " ' ")


_ENGLISH_APOSTROPHES = [
    (re.compile(f"([^{_ALPHA}])'([^{_ALPHA}])"), r"\1 ' \2"),
    (re.compile(f"([^{_ALNUM}])'([{_ALPHA}])"), r"\1 ' \2"),
    (re.compile(f"([{_ALPHA}])'([^{_ALPHA}])"), r"\1 ' \2"),
    (re.compile(f"([{_ALPHA}])'([{_ALPHA}])"), r"\1 '\2"),
    (re.compile("([0-9])'(s)"), r"\1 '\2"),
]
_FRENCH_APOSTROPHES = [
    (re.compile(f"([^{_ALPHA}])'([^{_ALPHA}])"), r"\1 ' \2"),
    (re.compile(f"([^{_ALPHA}])'([{_ALPHA}])"), r"\1 ' \2"),
    (re.compile(f"([{_ALPHA}])'([^{_ALPHA}])"), r"\1 ' \2"),
    (re.compile(f"([{_ALPHA}])'([{_ALPHA}])"), r"\1' \2"),
]

APOSTROPHE_STYLES: dict[str, Callable[[str], str]] = {
    "english": _apostrophes_english,
    "french": _apostrophes_french,
    "apart": _apostrophes_apart,
}
"""What happens to an apostrophe: split before it, split after it, or set it apart."""

_SYMBOL = re.compile(f"([^{_ALNUM}{_SPACE}.'`,\\-‘’])")
_DOTS = re.compile(r"\.\.+")
_COMMAS = [
    (re.compile("([^0-9]),([^0-9])"), r"\1 , \2"),
    (re.compile("([0-9]),([^0-9])"), r"\1 , \2"),
    (re.compile("([^0-9]),([0-9])"), r"\1 , \2"),
]
_SINGLE_QUOTES = re.compile("[`‘’]")
_DOUBLE_QUOTES = re.compile("“|”|''")
_HYPHEN = re.compile(f"([{_ALNUM}.])-([{_ALNUM}])")
_HAS_ALPHA = re.compile(f"[{_ALPHA}]")
_PUNCTUATION = re.compile(f"[^{_ALNUM}]")
_UNICODE_SPACES = re.compile("[ \u2000-\u200a\u202f\u205f\u3000\u00a0]+")
_TRIMMED = "".join(map(chr, range(0x21)))
_DOT_MARK = "DOTMULTI"
_MARKED_DOTS = re.compile(_DOT_MARK + r"(\.+)")
_DOT_MARKS = re.compile("((?:DOT)*)" + _DOT_MARK)


def _protect_dots(text: str) -> str:
    """Step 2: a run of dots becomes a marker set off by spaces, so that later steps leave it alone.

    The marker is METEOR's, because it shows: a literal ``DOTMULTI`` in a segment comes out as a dot.
    """
    text = _DOTS.sub(lambda run: f" {_DOT_MARK}{run.group()[1:]}", text)
    if _DOT_MARK in text:
        text = _MARKED_DOTS.sub(lambda mark: "DOT" * len(mark.group(1)) + _DOT_MARK + " ", text)
    return text


def _restore_dots(text: str) -> str:
    """Step 9: markers become dots again."""
    if _DOT_MARK not in text:
        return text
    return _DOT_MARKS.sub(lambda mark: "." * (len(mark.group(1)) // 3 + 1), text)


class Normalizer:
    """Turns a raw segment into normalised text, whose words are separated by single spaces.

    Args:
        mode: see :class:`Normalization`.
        apostrophes: a key of :data:`APOSTROPHE_STYLES`; used by ``full`` and ``no-punctuation``.
        prefixes: the language's nonbreaking prefixes; used by ``full`` and ``no-punctuation``.

    Raises:
        ConfigError: for an unknown apostrophe style.
    """

    def __init__(
        self,
        mode: Normalization = Normalization.FULL,
        apostrophes: str = "apart",
        prefixes: NonbreakingPrefixes | None = None,
    ) -> None:
        if apostrophes not in APOSTROPHE_STYLES:
            raise ConfigError(f"unknown apostrophe style {apostrophes!r}; known: {', '.join(APOSTROPHE_STYLES)}")
        prefixes = prefixes if prefixes is not None else NonbreakingPrefixes()
        self.mode = mode
        self.apostrophes = apostrophes
        self.prefixes = NonbreakingPrefixes(frozenset(prefixes.always), frozenset(prefixes.numeric))

    def __call__(self, text: str) -> str:
        """Return the normalised text."""
        if self.mode is Normalization.NONE:
            return text.strip(_TRIMMED)
        if self.mode is Normalization.LOWER:
            return lowercase(text.strip(_TRIMMED))
        text = self._punctuation(f" {text} ")
        text = _restore_dots(self._final_dots(text))
        if self.mode is Normalization.NO_PUNCTUATION:
            text = _PUNCTUATION.sub(" ", text)
        return lowercase(_UNICODE_SPACES.sub(" ", text).strip(_TRIMMED))

    def _punctuation(self, text: str) -> str:
        """Steps 1 to 7: set symbols, dots, commas, quotes, dashes and apostrophes apart."""
        text = _SYMBOL.sub(r" \1 ", text)
        text = _protect_dots(text)
        if "," in text:
            for pattern, replacement in _COMMAS:
                text = pattern.sub(replacement, text)
        text = _SINGLE_QUOTES.sub("'", text)
        text = _DOUBLE_QUOTES.sub(' " ', text)
        text = text.replace("–", "-").replace("--", "-")
        if "-" in text:
            text = _HYPHEN.sub(r"\1 \2", text)
        if "'" in text:
            text = APOSTROPHE_STYLES[self.apostrophes](text)
        return text

    def _final_dots(self, text: str) -> str:
        """Step 8: a dot at a word's end stays, goes, or becomes a word of its own."""
        words = split_words(text)
        following = [*words[1:], ""][: len(words)]
        return " ".join(
            self._final_dot(word, after) if len(word) > 1 and word[-1] == "." else word
            for word, after in zip(words, following, strict=True)
        )

    def _final_dot(self, word: str, after: str) -> str:
        prefix = word[:-1]
        if "." in prefix and _HAS_ALPHA.search(prefix):
            return word.replace(".", "")
        if prefix in self.prefixes.always or "a" <= after[:1] <= "z":
            return word
        if prefix in self.prefixes.numeric and "0" <= after[:1] <= "9":
            return word
        return prefix + " ."


_ENTITIES = [("&quot;", '"'), ("&apos;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")]


@functools.cache
def _entity_patterns() -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(entity, re.IGNORECASE | re.ASCII), char) for entity, char in _ENTITIES]


def unescape_entities(text: str) -> str:
    """Replace the five entities of SGML input, one after the other, as METEOR does before normalisation."""
    if "&" in text:
        for pattern, char in _entity_patterns():
            text = pattern.sub(char, text)
    return text
