"""Word lists for the perturbation of English texts, and the most frequent words of any language."""

from __future__ import annotations

import functools
from collections import defaultdict
from importlib.resources import files
from typing import Any

from meteor_e.base.yamlfile import parse_yaml

_FILE = files("meteor_e_evaluation.stress") / "english.yaml"

WORD_LISTS: dict[str, Any] = parse_yaml(_FILE.read_bytes(), "english.yaml").data
"""The English word lists by name."""


@functools.lru_cache(maxsize=64)
def word_groups(name: str) -> list[list[str]]:
    """Return the groups of interchangeable words in a word list.

    A word list is either a string with commas between the groups, or a YAML sequence of groups.
    """
    groups = WORD_LISTS[name]
    if isinstance(groups, str):
        groups = groups.split(",")
    return [group.split() for group in groups]


@functools.lru_cache(maxsize=64)
def replacements_by_word(name: str) -> dict[str, list[str]]:
    """Map each word of a word list to its possible replacements.

    The keys are in lower case. The replacements of a word are the other words in its group.

    A word list can also be a YAML mapping that gives one replacement for each word.
    """
    word_list = WORD_LISTS[name]
    if isinstance(word_list, dict):
        return {word: [replacement] for word, replacement in word_list.items()}
    replacements: dict[str, list[str]] = defaultdict(list)
    for group in word_groups(name):
        for word in group:
            replacements[word.lower()] += [member for member in group if member != word]
    return dict(replacements)


@functools.lru_cache(maxsize=64)
def words_in(*names: str) -> frozenset[str]:
    """Return the set of all words in the named word lists."""
    return frozenset(word for name in names for group in word_groups(name) for word in group)


@functools.lru_cache(maxsize=64)
def frequent_words(language: str, start: int, stop: int) -> list[str]:
    """Return the most frequent words of a language that consist of letters only.

    Args:
        language: ISO code of the language. The list is empty if the frequencies of its words are unknown.
        start: number of more frequent words to leave out.
        stop: number of most frequent words that are considered, including the words to leave out.
    """
    from wordfreq import available_languages, top_n_list

    if language not in available_languages():
        return []
    return [word for word in top_n_list(language, stop)[start:] if word.isalpha()]


FREQUENT_ENGLISH_WORDS = word_groups("frequent")[0]
"""The most frequent English function words."""
