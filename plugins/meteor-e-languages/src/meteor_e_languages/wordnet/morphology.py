"""Base forms of English words, by WordNet's rules (https://wordnet.princeton.edu/documentation/morphy7wn)."""

from __future__ import annotations

_VERB = (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", ""))
_NOUN = (
    *(("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man")),
    ("ies", "y"),
)
SUFFIXES = {"n": _NOUN, "v": _VERB, "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")), "r": ()}
"""The suffixes of each part of speech, and their replacements."""


def base_forms(word: str, part: str) -> list[str]:
    """Return possible base forms of a regularly inflected word. Some of the forms may not exist.

    Nouns that end in ``-ful`` keep this suffix, for example ``boxful`` for ``boxesful``. Words that end in ``-ss`` or
    have at most two letters are not treated as plurals.
    """
    if part == "n" and word.endswith("ful"):
        return [form + "ful" for form in _replace_suffixes(word.removesuffix("ful"), part)]
    if part == "n" and (word.endswith("ss") or len(word) <= 2):
        return []
    return _replace_suffixes(word, part)


def _replace_suffixes(word: str, part: str) -> list[str]:
    """Apply the suffix rules of a part of speech to a word, and return the resulting base forms."""
    forms = []
    for suffix, replacement in SUFFIXES[part]:
        if word.endswith(suffix) and len(word) > len(suffix):
            forms.append(word.removesuffix(suffix) + replacement)
    return forms
