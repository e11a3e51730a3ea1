"""Word lists of the English rules (``english.yaml``), and the most frequent words of any language."""

from __future__ import annotations

import functools
from importlib.resources import files
from typing import Any

from meteor_e.base.yamlfile import parse_yaml

_FILE = files("meteor_e_evaluation.stress") / "english.yaml"

WORD_LISTS: dict[str, Any] = parse_yaml(_FILE.read_bytes(), "english.yaml").data
"""The English word lists by name."""


@functools.lru_cache(maxsize=64)
def word_groups(name: str) -> list[list[str]]:
    """Return the groups of words of a list; the words of a group can replace one another."""
    groups = WORD_LISTS[name]
    return [group.split() for group in (groups.split(",") if isinstance(groups, str) else groups)]


@functools.lru_cache(maxsize=64)
def replacements_by_word(name: str) -> dict[str, list[str]]:
    """Return, for each word of a list in lower case, the words that can replace it: the others of its groups."""
    if isinstance(WORD_LISTS[name], dict):
        return {word: [replacement] for word, replacement in WORD_LISTS[name].items()}
    replacements: dict[str, list[str]] = {}
    for group in word_groups(name):
        for word in group:
            replacements.setdefault(word.lower(), []).extend(member for member in group if member != word)
    return replacements


@functools.lru_cache(maxsize=64)
def words_in(*names: str) -> frozenset[str]:
    """Return all words of some lists."""
    return frozenset(word for name in names for group in word_groups(name) for word in group)


@functools.lru_cache(maxsize=64)
def frequent_words(language: str, start: int, stop: int) -> list[str]:
    """Return the most frequent words of a language, from rank ``start`` to ``stop``; empty for an unknown language."""
    from wordfreq import available_languages, top_n_list

    words = top_n_list(language, stop)[start:] if language in available_languages() else []
    return [word for word in words if word.isalpha()]


FREQUENT_ENGLISH_WORDS = word_groups("frequent")[0]
"""The most frequent English function words."""
