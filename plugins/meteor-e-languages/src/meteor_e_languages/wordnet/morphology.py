"""Base forms of English words, by WordNet's rules (https://wordnet.princeton.edu/documentation/morphy7wn)."""

from __future__ import annotations

_VERB = (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", ""))
_NOUN = (
    *(("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man")),
    ("ies", "y"),
)
SUFFIXES = {"n": _NOUN, "v": _VERB, "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")), "r": ()}
"""Of each part of speech, endings and what takes their place."""


def base_forms(word: str, part: str) -> list[str]:
    """Return what a word may be a regular form of; not all of it need be a word.

    Nouns in ``-ful`` keep it (boxesful: boxful); words in ``-ss`` and of two letters are no plurals.
    """
    tail = ""
    if part == "n":
        if word.endswith("ful"):
            word, tail = word[:-3], "ful"
        elif word.endswith("ss") or len(word) <= 2:
            return []
    return [
        word[: -len(suffix)] + ending + tail
        for suffix, ending in SUFFIXES[part]
        if word.endswith(suffix) and len(word) > len(suffix)
    ]
