"""Adds and removes negations in English texts."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from meteor_e_evaluation.stress.cases import find_replacements
from meteor_e_evaluation.stress.drafts import Draft, copy_case
from meteor_e_evaluation.stress.grammar import NEGATED_AUXILIARY, conjugate, remove_negation, tag_words, verb_base
from meteor_e_evaluation.stress.word_lists import WORD_LISTS, word_groups

VERB_DISTANCE = 3
"""Largest distance, in words, between a negation and the verb that it negates."""

TAGS_OF_DO = {"do": "VBP", "does": "VBZ", "did": "VBD"}
"""The Penn Treebank tag that a verb receives if the form of "do" before it is removed."""


def negate_verb(draft: Draft, excluded_indices: Collection[int] = ()) -> str:
    """Negate a random verb.

    Args:
        draft: the text.
        excluded_indices: indices of words that must not be negated.

    Raises:
        NoOccasionError: if the text does not have a verb that can be negated.
    """
    replacements = find_replacements(draft, WORD_LISTS["negatable"])
    index = draft.choose(index for index in replacements if index not in excluded_indices)
    replacement = replacements[index][0]  # Each verb has only one negated form.
    word = draft.words[index]
    # Replacements such as "Is not" keep the capital letter of the verb. Others, such as "isn't", are in lower case.
    needs_capital = index == 0 and word not in replacement
    return draft.set_words({index: copy_case(word, replacement) if needs_capital else replacement})


def drop_negation(draft: Draft) -> tuple[str, int]:
    """Remove a random negation from a text.

    Returns:
        The text without the negation, and the index of the negation.

    Raises:
        NoOccasionError: if the text does not have a negation.
    """
    positive_words = dict(word_groups("negative"))
    del positive_words["nor"]  # The word "nor" is replaced only together with "neither".
    negations = []
    for index, (word, tag) in enumerate(zip(draft.lower, tag_words(draft.text), strict=True)):
        if word in positive_words or word == "not" or tag == NEGATED_AUXILIARY:
            negations.append(index)
    negation_index = draft.choose(negations)
    negation = draft.lower[negation_index]
    if negation not in positive_words:
        return _remove_not(draft, negation_index), negation_index
    return _replace_negative_word(draft, negation_index, positive_words[negation]), negation_index


def _replace_negative_word(draft: Draft, index: int, positive_word: str) -> str:
    """Replace a negative word, such as "nobody".

    If the word is "neither", a following "nor" is replaced by "and".
    """
    replacements = {index: copy_case(draft.words[index], positive_word)}
    if draft.lower[index] == "neither":
        for later_index in range(index, len(draft)):
            if draft.lower[later_index] == "nor":
                replacements[later_index] = "and"
    return draft.set_words(replacements)


def _remove_not(draft: Draft, index: int) -> str:
    """Remove "not" or "n't", so that "does not go" becomes "goes".

    A form of "do" before the negation is also removed, and the verb is conjugated.

    Args:
        draft: the text.
        index: index of the word "not", or of a word that ends with "n't".
    """
    auxiliary = _find_auxiliary(draft, index)
    verb_index = _find_base_verb(draft, index)
    if auxiliary is not None and auxiliary.verb in TAGS_OF_DO and verb_index is not None:
        return _replace_do(draft, index, auxiliary, verb_index)
    if draft.lower[index] == "not":
        return draft.remove_words([index])
    return draft.replace_words({index: remove_negation(draft.lower[index])})


class _Auxiliary(NamedTuple):
    """The auxiliary verb of a negation.

    Attributes:
        word_index: index of the verb. With "n't", this is also the index of the negation.
        verb: the verb in lower case without "n't".
    """

    word_index: int
    verb: str


def _find_auxiliary(draft: Draft, negation_index: int) -> _Auxiliary | None:
    """Return the auxiliary verb before "not" or "n't", or None if the text begins with "not"."""
    negation = draft.lower[negation_index]
    if negation != "not":
        return _Auxiliary(negation_index, remove_negation(negation))
    if negation_index == 0:
        return None
    return _Auxiliary(negation_index - 1, draft.lower[negation_index - 1])


def _replace_do(draft: Draft, negation_index: int, auxiliary: _Auxiliary, verb_index: int) -> str:
    """Remove a form of "do" and its negation, and conjugate the verb after it instead.

    The verb receives the tense and the person of "do". It is capitalized if "do" was the first word of the text.
    """
    verb = conjugate(draft.words[verb_index], TAGS_OF_DO[auxiliary.verb])
    if auxiliary.word_index == 0:
        verb = copy_case(draft.words[0], verb)
    new_draft = draft.with_text(draft.set_words({verb_index: verb}))
    return new_draft.remove_words([negation_index, auxiliary.word_index])


def _find_base_verb(draft: Draft, index: int) -> int | None:
    """Find a verb in its base form shortly after a negation.

    Return the index of the verb, or None if there is no such verb.
    """
    tags = tag_words(draft.text)
    for verb_index in range(index + 1, min(index + 1 + VERB_DISTANCE, len(draft))):
        if tags[verb_index] in ("VB", "VBP"):
            verb = draft.words[verb_index]
            return verb_index if verb_base(verb) == verb else None
    return None
