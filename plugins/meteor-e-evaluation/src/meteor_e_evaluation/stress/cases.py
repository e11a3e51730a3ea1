"""Replaces or removes words in English texts, as described in the file ``cases.yaml``.

A case consists of conditions on a word, and of replacements for the word.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, TypeAlias

from meteor_e.base.yamlfile import parse_yaml
from meteor_e_evaluation.stress.drafts import Draft
from meteor_e_evaluation.stress.grammar import conjugate, inflect_noun, tag_words, verb_base
from meteor_e_evaluation.stress.word_lists import replacements_by_word, words_in

Case: TypeAlias = Mapping[str, Any]
"""Conditions on a word, and the replacements of the word. The file ``cases.yaml`` describes the keys."""

Stages: TypeAlias = Sequence[Sequence[Case]]
"""Lists of cases. A list is used only if no earlier list can replace any word of the text."""

_FILE = files("meteor_e_evaluation.stress") / "cases.yaml"

CASES: Mapping[str, Stages] = parse_yaml(_FILE.read_bytes(), "cases.yaml").data
"""The cases of each rule that replaces or drops words, by the name of the rule."""


def replace_by_case(draft: Draft, stages: Stages) -> str:
    """Replace a random word that meets the conditions of at least one case. A case also lists replacements.

    Raises:
        NoOccasionError: if no case applies to any word.
    """
    replacements = find_replacements(draft, stages)
    index = draft.choose(replacements)
    return draft.replace_words({index: draft.choose(replacements[index])})


def drop_by_case(draft: Draft, stages: Stages) -> str:
    """Remove a random word that meets the conditions of at least one case. A case is a set of conditions on a word.

    Raises:
        NoOccasionError: if no case applies to any word.
    """
    index = draft.choose(find_replacements(draft, stages))
    return draft.remove_words([index])


def find_replacements(draft: Draft, stages: Stages) -> dict[int, list[str]]:
    """Return a dictionary that maps the index of each replaceable word to possible replacements.

    Args:
        draft: the text.
        stages: lists of cases, which are conditions on a word with replacements for the word. The first list that can
            replace any word is used.
    """
    for cases in stages:
        replacements_by_index = {index: _find_word_replacements(draft, index, cases) for index in range(len(draft))}
        replaceable_words = {index: words for index, words in replacements_by_index.items() if words}
        if replaceable_words:
            return replaceable_words
    return {}


def _find_word_replacements(draft: Draft, index: int, cases: Sequence[Case]) -> list[str]:
    """Return the replacements for a word from the first case (a rule with conditions) that applies to the word."""
    lower_word = draft.lower[index]
    properties = _describe_word(draft, index)
    for case in cases:
        templates = _get_templates(case, lower_word)
        if templates is not None and _fits(case, properties):
            replacements = [_fill_template(template, draft.words[index]) for template in templates]
            return [replacement for replacement in replacements if replacement.lower() != lower_word]
    return []


def _get_templates(case: Case, word: str) -> list[str] | None:
    """Return the case's replacements for a word, or None if the word is missing from the case's word list."""
    if "list" in case:
        return replacements_by_word(case["list"]).get(word)
    templates: list[str] = case.get("by", [""])
    return templates


def _describe_word(draft: Draft, index: int) -> dict[str, str]:
    """Return the properties of a word that conditions in ``cases.yaml`` can test."""
    # An empty word is added before and after the text, so that every word has neighbors.
    padded_words = ["", *draft.lower, ""]
    padded_tags = ["", *tag_words(draft.text), ""]
    previous_word, word, next_word = padded_words[index : index + 3]
    previous_tag, tag, next_tag = padded_tags[index : index + 3]
    return {
        "word": word,
        "form": draft.words[index],
        "before": previous_word,
        "after": next_word,
        "tag": tag,
        "tag before": previous_tag,
        "tag after": next_tag,
    }


def _fits(case: Case, properties: Mapping[str, str]) -> bool:
    """Return whether the properties of a word meet all conditions of a case."""
    for name, value in properties.items():
        if name in case and not _compile_condition(case[name]).fullmatch(value):
            return False
    return True


@functools.lru_cache(maxsize=256)
def _compile_condition(condition: str) -> re.Pattern[str]:
    """Convert a condition in ``cases.yaml`` to a regular expression.

    In a condition, ``{name}`` stands for any word of a word list, and ``!`` at the start negates the condition.
    """
    pattern = re.sub(r"\{([a-z ]+)\}", lambda match: "|".join(map(re.escape, words_in(match[1]))), condition)
    if pattern.startswith("!"):
        pattern = f"(?!({pattern[1:]})$).*"
    return re.compile(pattern)


def _fill_template(template: str, word: str) -> str:
    """Replace each name in braces with a form of the word. For example, ``{VBD}`` becomes the past tense."""
    return re.sub(r"\{(.+?)\}", lambda match: _get_form(word, match[1]), template)


def _get_form(word: str, form_name: str) -> str:
    """Return the form of an English word that has the given name, such as ``VBD`` for the past tense.

    Args:
        word: the word as it is written.
        form_name: ``form`` for the word itself, ``ending`` for the part from its apostrophe, ``NN`` or ``NNS`` for the
            singular or plural of a noun, the Penn Treebank tag of a verb form, or a number such as ``+1`` or ``-3``
            that is added to a year.
    """
    if form_name == "form":
        return word
    if form_name == "ending":
        _, apostrophe, ending = word.partition("'")
        return apostrophe + ending
    if form_name.startswith(("+", "-")):
        return str(int(word) + int(form_name))
    if form_name in ("NN", "NNS"):
        return inflect_noun(word.lower(), form_name)
    return conjugate(verb_base(word), form_name)
