"""The steps of METEOR's full normalization, in section 1 of the specification of METEOR 1.5.

Every step is one left-to-right pass of non-overlapping replacements, so the order in which they consume their
neighbors is part of the result (``a,b,c`` becomes ``a , b,c``).

A module of its own because the native core needs none of it: compiling the patterns takes a tenth of a cold start.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from meteor_e.api.tokens import split_words

if TYPE_CHECKING:
    from meteor_e.api.languages import NonbreakingPrefixes

_ALPHA = (
    "A-Za-z\u0160\u017d\u0161\u017e\u0178\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017e"
    "\u0400-\u04ff\u0500-\u0527\ua640-\ua66e\ua67e-\ua697\u1d00-\u1d7f"
)
_ALNUM = "0-9" + _ALPHA
_SPACE = " \t\n\x0b\f\r"


_APOSTROPHES = {
    "english": [
        (re.compile(f"([^{_ALPHA}])'([^{_ALPHA}])"), r"\1 ' \2"),
        (re.compile(f"([^{_ALNUM}])'([{_ALPHA}])"), r"\1 ' \2"),
        (re.compile(f"([{_ALPHA}])'([^{_ALPHA}])"), r"\1 ' \2"),
        (re.compile(f"([{_ALPHA}])'([{_ALPHA}])"), r"\1 '\2"),
        (re.compile("([0-9])'(s)"), r"\1 '\2"),
    ],
    "french": [
        (re.compile(f"([^{_ALPHA}])'([^{_ALPHA}])"), r"\1 ' \2"),
        (re.compile(f"([^{_ALPHA}])'([{_ALPHA}])"), r"\1 ' \2"),
        (re.compile(f"([{_ALPHA}])'([^{_ALPHA}])"), r"\1 ' \2"),
        (re.compile(f"([{_ALPHA}])'([{_ALPHA}])"), r"\1' \2"),
    ],
    "apart": [(re.compile("'"), " ' ")],
}
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
_DOT_MARK = "DOTMULTI"
_MARKED_DOTS = re.compile(_DOT_MARK + r"(\.+)")
_DOT_MARKS = re.compile("((?:DOT)*)" + _DOT_MARK)


def set_apart(text: str, apostrophes: str, prefixes: NonbreakingPrefixes, punctuation: bool) -> str:
    """Set symbols, punctuation and apostrophes apart.

    Args:
        text: a raw segment.
        apostrophes: one of :data:`meteor_e.text.normalization.APOSTROPHE_STYLES`.
        prefixes: the language's nonbreaking prefixes.
        punctuation: keep what is neither letter nor digit; else it becomes spaces.
    """
    text = _SYMBOL.sub(r" \1 ", f" {text} ")
    # Step 2: a run of dots becomes a marker set off by spaces, so that later steps leave it alone.
    # The marker is METEOR's, because it shows: a literal DOTMULTI in a segment comes out as a dot.
    text = _DOTS.sub(lambda run: f" {_DOT_MARK}{run.group()[1:]}", text)
    if _DOT_MARK in text:
        text = _MARKED_DOTS.sub(lambda mark: "DOT" * len(mark.group(1)) + _DOT_MARK + " ", text)
    if "," in text:
        for pattern, replacement in _COMMAS:
            text = pattern.sub(replacement, text)
    text = _SINGLE_QUOTES.sub("'", text)
    text = _DOUBLE_QUOTES.sub(' " ', text)
    text = text.replace("–", "-").replace("--", "-")
    if "-" in text:
        text = _HYPHEN.sub(r"\1 \2", text)
    if "'" in text:
        for pattern, replacement in _APOSTROPHES[apostrophes]:
            text = pattern.sub(replacement, text)
    # Step 8: a dot at a word's end stays, goes, or becomes a word of its own.
    words = split_words(text)
    text = " ".join(
        _final_dot(word, after, prefixes) if len(word) > 1 and word[-1] == "." else word
        for word, after in zip(words, [*words[1:], ""], strict=False)
    )
    # Step 9: markers become dots again.
    if _DOT_MARK in text:
        text = _DOT_MARKS.sub(lambda mark: "." * (len(mark.group(1)) // 3 + 1), text)
    return _UNICODE_SPACES.sub(" ", text if punctuation else _PUNCTUATION.sub(" ", text))


def _final_dot(word: str, after: str, prefixes: NonbreakingPrefixes) -> str:
    stem = word[:-1]
    if "." in stem and _HAS_ALPHA.search(stem):
        return word.replace(".", "")
    if stem in prefixes.always or "a" <= after[:1] <= "z":
        return word
    if stem in prefixes.numeric and "0" <= after[:1] <= "9":
        return word
    return stem + " ."
