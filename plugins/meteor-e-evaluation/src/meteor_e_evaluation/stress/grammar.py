"""Tags the words of English texts with parts of speech, and inflects English verbs and nouns."""

from __future__ import annotations

import functools
import re
import warnings
from collections.abc import Sequence
from typing import NamedTuple

from meteor_e_evaluation.stress.drafts import fold_word, split_words
from meteor_e_evaluation.stress.word_lists import WORD_LISTS, word_groups, words_in

NEGATED_AUXILIARY = "NT"
"""Tag of a word with "n't"."""

MIN_FORM_FREQUENCY = 2.5
"""Smallest Zipf frequency of an inflected form. Rarer forms are probably not words."""

MIN_BASE_FREQUENCY = 1.5
"""Smallest Zipf frequency of a base form that is preferred because it has the inflected form in question."""

_APOSTROPHE_ENDING = re.compile(r"(?<=\w)['’]\w*$")
"""The ending of words such as "John's"."""


@functools.lru_cache(maxsize=4096)
def tag_words(text: str) -> tuple[str, ...]:
    """Return the part of speech of each word of an English text, as a Penn Treebank tag such as ``NN`` for a noun.

    Words that end with "n't" have the special tag ``NT``.
    """
    gaps, words = split_words(text)
    tokens = _list_tokens(gaps, words)
    token_tags = _tag_tokens([token.text for token in tokens])
    word_tags = [tag for token, tag in zip(tokens, token_tags, strict=True) if token.is_word]
    lower_words = [fold_word(word) for word in words]
    tags = []
    for index, tag in enumerate(word_tags):
        previous_word = _find_previous_word(lower_words, index)
        tags.append(_correct_tag(lower_words[index], tag, previous_word))
    return tuple(tags)


class _Token(NamedTuple):
    """A word or a punctuation mark, as the tagger receives it."""

    text: str
    is_word: bool


def _list_tokens(gaps: Sequence[str], words: Sequence[str]) -> list[_Token]:
    """Return the words and the punctuation marks of a text in order.

    The punctuation marks make the tagger more accurate.

    Args:
        gaps: characters before the first word, between adjacent words, and after the last word.
        words: words of the text.
    """
    tokens = _list_punctuation(gaps[0])
    for word, next_gap in zip(words, gaps[1:], strict=True):
        word_without_ending = _APOSTROPHE_ENDING.sub("", word)
        tokens.append(_Token(word_without_ending, is_word=True))
        tokens += _list_punctuation(next_gap)
    return tokens


def _list_punctuation(gap: str) -> list[_Token]:
    """Return the punctuation marks between two words."""
    return [_Token(character, is_word=False) for character in gap if not character.isspace()]


def _tag_tokens(tokens: Sequence[str]) -> list[str]:
    """Return the part-of-speech tags that TextBlob gives to the tokens of a text."""
    from textblob.en import tag

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # TextBlob does not close the file of its lexicon.
        tagged_tokens = tag(" ".join(tokens), tokenize=False)
        if len(tagged_tokens) == len(tokens):
            return [token_tag for _, token_tag in tagged_tokens]
        # If TextBlob has split or joined tokens, each token is tagged separately.
        tags = []
        for token in tokens:
            tagged_parts = tag(token, tokenize=False)
            tags.append(tagged_parts[0][1] if tagged_parts else "NN")
        return tags


def _correct_tag(word: str, tag: str, previous_word: str) -> str:
    """Correct typical errors of the tagger, based on the previous word.

    Args:
        word: the word in lower case.
        tag: the tag that the tagger gives to the word.
        previous_word: the word before it in lower case, without its negation.
    """
    if word.endswith("n't"):
        return NEGATED_AUXILIARY
    follows_auxiliary = previous_word == "to" or previous_word in words_in("do", "modal verbs")
    if tag in ("NN", "JJ") and follows_auxiliary and _is_base_form(word):
        return "VB"
    if tag == "VBD" and previous_word in words_in("have", "be"):
        return "VBN"
    if tag == "VBN" and previous_word in words_in("subjects"):
        return "VBD"
    return tag


def _find_previous_word(words: Sequence[str], index: int) -> str:
    """Return the word before the given index, ignoring negations such as "not".

    The result is an empty string at the beginning of the text.
    """
    if index == 0:
        return ""
    previous_index = index - 1
    if words[previous_index] in ("not", "never") and previous_index > 0:
        previous_index -= 1
    return remove_negation(words[previous_index])


def _is_base_form(word: str) -> bool:
    """Return whether a word is the base form of a verb whose present participle is common."""
    return verb_base(word) == word and word_frequency(conjugate(word, "VBG")) > MIN_FORM_FREQUENCY


def remove_negation(word: str) -> str:
    """Return an auxiliary verb without the ending "n't"."""
    return str(WORD_LISTS["auxiliaries with n't"].get(word, word.removesuffix("n't")))


def word_frequency(word: str) -> float:
    """Return the Zipf frequency of an English word.

    The Zipf frequency is the decimal logarithm of the number of occurrences per billion words.
    """
    from wordfreq import zipf_frequency

    return float(zipf_frequency(word, "en"))


def conjugate(base: str, tag: str) -> str:
    """Return an inflected form of a verb.

    Args:
        base: base form of the verb.
        tag: Penn Treebank tag of the form. Tags other than VBD, VBZ and VBG result in the base form.
    """
    if base == "be":
        return str(WORD_LISTS["forms of be"].get(tag, base))
    if tag == "VBD" and base in _irregular_past_forms():
        return _irregular_past_forms()[base]
    for pattern, form in WORD_LISTS["forms"].get(tag, ()):
        if re.search(pattern, base):
            return re.sub(pattern, form, base, count=1)
    return base


@functools.lru_cache(maxsize=4096)
def verb_base(form: str) -> str:
    """Return the base form of an inflected verb. If several base forms are possible, choose a frequent one."""
    lower_form = form.lower()
    if lower_form in _irregular_bases():
        return _irregular_bases()[lower_form]
    candidates = []
    for pattern, replacement in WORD_LISTS["bases"]:
        if re.search(pattern, lower_form):
            candidates.append(re.sub(pattern, replacement, lower_form))

    def rate_candidate(base: str) -> tuple[bool, float]:
        """Return a sort key: whether ``base`` is a known verb with the given form, and how frequent ``base`` is."""
        frequency = word_frequency(base)
        is_regular = lower_form in (base, *(conjugate(base, tag) for tag in ("VBD", "VBG", "VBZ")))
        return is_regular and frequency > MIN_BASE_FREQUENCY, frequency

    return max(candidates, key=rate_candidate, default=lower_form)


@functools.lru_cache(maxsize=1)
def _irregular_past_forms() -> dict[str, str]:
    """Return a dictionary that maps base forms of irregular verbs to past forms."""
    return {base: past for base, past, _ in word_groups("verbs")}


@functools.lru_cache(maxsize=1)
def _irregular_bases() -> dict[str, str]:
    """Return a dictionary that maps inflected forms of irregular verbs to base forms."""
    bases = {form: base for base, *forms in word_groups("verbs") for form in forms}
    bases |= {base: base for base, *_ in word_groups("verbs")}
    return bases | dict.fromkeys(words_in("be"), "be")


def inflect_noun(noun: str, tag: str) -> str:
    """Return the singular or the plural of a noun. If the requested form is not a common word, return the given noun.

    Args:
        noun: the noun in lower case.
        tag: Penn Treebank tag of the form, ``NN`` for the singular or ``NNS`` for the plural.
    """
    from textblob.en.inflect import pluralize, singularize

    inflect = pluralize if tag == "NNS" else singularize
    form = str(inflect(noun))
    return form if word_frequency(form) > MIN_FORM_FREQUENCY else noun
