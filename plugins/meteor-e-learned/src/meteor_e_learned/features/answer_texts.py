"""Splits questions, acceptable answers and the answers of systems into words for the feature ``answer``.

A question can have a hundred acceptable answers. In most cases, a simple string search finds an acceptable answer in
the system's answer. Therefore, acceptable answers are split into words only if necessary.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property

from meteor_e.base.arithmetic import add_in_order
from meteor_e_learned.features.short_texts import (
    STOP_WORDS,
    fold,
    get_forms,
    join_forms,
    measure_rarity,
    split_forms,
    split_forms_with_breaks,
    split_list,
    split_words,
)

TRIGRAM = 3
"""Number of characters in a trigram."""

_COMMENT = re.compile(r"(?<=\S)[^\S\n]*\([^()\n]*\)[^\S\n]*$", re.MULTILINE)
# The pattern begins with the capital letter, because a regex that begins with lookbehinds is slower.
_NAME = re.compile(r"[A-Z](?<=\b.)(?<![.!?] .)(?<!^.)\w+")
_SENTENCE_END = re.compile(r"[.!?](?:\s|$)")

_REFUSAL_PHRASES = (
    " sorry",
    " apologi",
    " as an ai ",
    " unable to ",
    " unclear",
    " unknown",
    " please provide ",
    " more context ",
    " im not ",
    " i am not ",
    " i do not ",
    " i dont ",
    " i cannot ",
    " i cant ",
    " i could not ",
    " i couldnt ",
    " could not find ",
    " couldnt find ",
    " did not find ",
    " didnt find ",
    " cannot be determined",
    " no information ",
    " no record ",
    " no evidence ",
    " no definitive ",
    " no specific ",
    " no clear ",
    " not clear",
    " not sure",
    " not certain",
    " not specified",
    " not available",
    " not possible",
    " not enough ",
    " it is impossible ",
    " it is difficult ",
    " there is no ",
    " there are no ",
    " there was no ",
    " there were no ",
)
"""Phrases that indicate a refusal to answer. The text is in lowercase and does not contain apostrophes."""
_REFUSAL = re.compile("|".join(_REFUSAL_PHRASES))

NEGATIONS = frozenset(
    split_list("no not never neither nor cannot isnt wasnt didnt doesnt none without arent werent wont dont")
)
"""Words that negate the following words."""


class Reference:
    """An acceptable answer, split into words.

    Args:
        padded_forms: the forms of the words, separated and surrounded by spaces. There is at least one form.
        line: the folded text.
        question_forms: the forms of the question's words.

    Attributes:
        padded_forms: the forms of the words, separated and surrounded by spaces.
        forms: the forms of the words.
        letters: the forms without spaces.
        content_forms: the forms of the content words, or of all words if there are no content words.
        new_forms: the forms of the content words that are not in the question. If the question contains all content
            words, the forms of all content words.
    """

    def __init__(self, padded_forms: str, line: str, question_forms: frozenset[str]) -> None:
        self.padded_forms = padded_forms
        self.forms = padded_forms.split()
        self.letters = "".join(self.forms)
        words = split_words(line)
        content_words = [word for word in words if word not in STOP_WORDS] or words
        self.content_forms = get_forms(content_words)
        words_and_forms = zip(content_words, self.content_forms, strict=True)
        new_words = [word for word, form in words_and_forms if form not in question_forms]
        self._new_words = new_words or content_words
        self.new_forms = get_forms(self._new_words)

    @cached_property
    def new_rarities(self) -> list[float]:
        """The rarity of each word in the list :attr:`new_forms`, in the order of the list."""
        return [measure_rarity(word) for word in self._new_words]

    @cached_property
    def new_rarity(self) -> float:
        """The sum of :attr:`new_rarities`."""
        return add_in_order(self.new_rarities)

    @cached_property
    def trigrams(self) -> set[str]:
        """The set of character trigrams of the normalized words. Spaces are ignored."""
        return split_trigrams(self.letters)


class Question:
    """A question with its distinct acceptable answers.

    Args:
        text: the question.
        references: the acceptable answers. A comment in parentheses at the end of an answer is ignored.

    Attributes:
        forms: the forms of the question's words.
        padded_references: the padded forms of each acceptable answer that contains a word.
        reference_forms: the forms of all words of the acceptable answers.
        number_lists: the numbers of each acceptable answer that contains a number.
    """

    def __init__(self, text: str, references: Sequence[str]) -> None:
        self.forms = frozenset(split_forms(fold(text)))
        self._folded_references = _fold_references(references)
        forms_and_breaks = split_forms_with_breaks(self._folded_references)
        self.reference_forms = frozenset(forms_and_breaks) - {"\n"}
        self._padded_lines = join_forms(forms_and_breaks).split("\n")
        # Identical references are listed only once. The line of a reference without words is a single space.
        self.padded_references = [line for line in dict.fromkeys(self._padded_lines) if line != " "]
        self.number_lists = self._list_numbers()
        self._references: dict[str, Reference] = {}

    def _list_numbers(self) -> list[list[str]]:
        """Return one list of numbers for each acceptable answer. Answers without numbers are omitted."""
        # A shortcut for the most frequent case, in which the references do not contain any number.
        if not select_numbers(self.reference_forms):
            return []
        number_lists = [select_numbers(padded_forms.split()) for padded_forms in self.padded_references]
        return [numbers for numbers in number_lists if numbers]

    def find_reference(self, padded_forms: str) -> Reference:
        """Return the acceptable answer whose normalized text is ``padded_forms``."""
        reference = self._references.get(padded_forms)
        if reference is None:
            line_index = self._padded_lines.index(padded_forms)
            line = self._folded_references.split("\n")[line_index]
            reference = Reference(padded_forms, line, self.forms)
            self._references[padded_forms] = reference
        return reference


def _fold_references(references: Sequence[str]) -> str:
    """Return the normalized references, one per line. Comments in parentheses at the end of a line are removed."""
    text = "\n".join(references)
    if text.count("\n") >= len(references):
        text = "\n".join([reference.replace("\n", " ") for reference in references])
    folded = fold(text)
    # A reference that consists only of text in parentheses is kept.
    return _COMMENT.sub("", folded) if ")" in folded else folded


class Answer:
    """An answer to a question, split into words.

    Attributes:
        words: the words.
        forms: the forms of the words.
        padded_forms: the forms, separated and surrounded by spaces.
        positions: the position of the first word with each form.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._folded = fold(text)
        self.words = split_words(self._folded)
        self.forms = get_forms(self.words)
        self.padded_forms = join_forms(self.forms)
        # The words are added in reverse order, so that the dictionary keeps the first position of a repeated word.
        reverse_positions = range(len(self.forms) - 1, -1, -1)
        self.positions = dict(zip(reversed(self.forms), reverse_positions, strict=True))

    @cached_property
    def letters(self) -> str:
        """The concatenated forms of all words."""
        return "".join(self.forms)

    @cached_property
    def trigrams(self) -> set[str]:
        """The set of character trigrams of the normalized words. Spaces are ignored."""
        return split_trigrams(self.letters)

    def first_sentence_forms(self) -> Collection[str]:
        """Return the normalized words in the first sentence of the answer."""
        end = _SENTENCE_END.search(self._folded)
        if end is None or end.end() == len(self._folded):
            return self.positions.keys()
        return set(split_forms(self._folded[: end.start()]))

    def name_forms(self) -> set[str]:
        """Return the normalized names in the answer. A name is a capitalized word that does not begin a sentence."""
        names = _NAME.findall(self._text)
        # A shortcut for the most frequent case, in which the answer does not contain any name.
        return set(split_forms(fold(" ".join(names)))) if names else set()

    def has_refusal(self) -> bool:
        """Return whether the answer contains a phrase that indicates a refusal to answer."""
        padded = f" {self._folded} ".replace(",", " ")
        return _REFUSAL.search(padded) is not None


def select_numbers(forms: Iterable[str]) -> list[str]:
    """Return the normalized words that begin with a digit."""
    return [form for form in forms if form[0].isdigit()]


def split_trigrams(letters: str) -> set[str]:
    """Return the set of character trigrams of a text. If the text is shorter, the set contains the text itself."""
    return {letters[start : start + TRIGRAM] for start in range(max(1, len(letters) - TRIGRAM + 1))}
