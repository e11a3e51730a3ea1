"""Questions, acceptable answers and answers, split into terms for the feature ``answer``.

A question can have a hundred acceptable answers. Most answers contain one of these as a whole. Therefore, an acceptable
answer is analyzed only when its terms are needed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property

from meteor_e_learned.features.short_texts import (
    fold,
    join_forms,
    join_forms_by_line,
    split_list,
    split_terms,
)

TRIGRAM = 3
"""Number of characters in a trigram."""

_COMMENT = re.compile(r"\s*\([^()]*\)\s*$")
_NAME = re.compile(r"(?<![.!?] )(?<!^)\b[A-Z]\w+")
_SENTENCE_END = re.compile(r"[.!?](?:\s|$)")

_REFUSALS = (
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

NEGATIONS = frozenset(
    split_list("no not never neither nor cannot isnt wasnt didnt doesnt none without arent werent wont dont")
)
"""Words that negate the following words."""


class Reference:
    """An acceptable answer, split into terms.

    Args:
        padded_forms: the forms of the terms, separated and surrounded by spaces. There is at least one form.
        line: the folded text.
        question_forms: the forms of the question's terms.

    Attributes:
        padded_forms: the forms of the terms, separated and surrounded by spaces.
        forms: the forms of the terms.
        letters: the forms without spaces.
        content_forms: the forms of the content words, or of all terms if there are no content words.
        new_terms: the content terms that are not in the question, or all content terms if the question contains all.
        new_forms: the forms of the new terms.
    """

    def __init__(self, padded_forms: str, line: str, question_forms: frozenset[str]) -> None:
        self.padded_forms = padded_forms
        self.forms = padded_forms.split()
        self.letters = "".join(self.forms)
        terms = split_terms(line)
        content_terms = [term for term in terms if term.is_content] or terms
        self.content_forms = [term.form for term in content_terms]
        self.new_terms = [term for term in content_terms if term.form not in question_forms] or content_terms
        self.new_forms = [term.form for term in self.new_terms]


class Question:
    """A question with its distinct acceptable answers.

    Args:
        text: the question.
        references: the acceptable answers. A comment in parentheses at the end of an answer is ignored.

    Attributes:
        forms: the forms of the question's terms.
        padded_references: the padded forms of each acceptable answer that contains a term.
        reference_forms: the forms of all terms of the acceptable answers.
    """

    def __init__(self, text: str, references: Sequence[str]) -> None:
        self.forms = frozenset([term.form for term in split_terms(fold(text))])
        self._lines = _fold_references(references)
        self._padded_lines = join_forms_by_line("\n".join(self._lines))
        distinct_references = dict.fromkeys(self._padded_lines)
        distinct_references.pop(" ", None)  # Lines without a term.
        self.padded_references = list(distinct_references)
        self.reference_forms = frozenset("".join(distinct_references).split())

    @cached_property
    def references(self) -> list[Reference]:
        """All acceptable answers that contain at least one term."""
        return [self.make_reference(padded_forms) for padded_forms in self.padded_references]

    @cached_property
    def number_lists(self) -> list[list[str]]:
        """The numbers of each acceptable answer that contains a number."""
        if not select_numbers(self.reference_forms):
            return []
        number_lists = [select_numbers(padded_forms.split()) for padded_forms in self.padded_references]
        return [numbers for numbers in number_lists if numbers]

    def make_reference(self, padded_forms: str) -> Reference:
        """Return an acceptable answer, which is given by its item in :attr:`padded_references`."""
        line = self._lines[self._padded_lines.index(padded_forms)]
        return Reference(padded_forms, line, self.forms)


def _fold_references(references: Sequence[str]) -> list[str]:
    """Return the distinct folded references. A comment in parentheses at the end of a reference is removed."""
    folded = fold("\n".join([reference.strip().replace("\n", " ") for reference in references]))
    lines = list(dict.fromkeys(folded.split("\n")))
    if ")" not in folded:
        return lines
    # A reference that is entirely in parentheses is not removed.
    return [(_COMMENT.sub("", line) or line) if ")" in line else line for line in lines]


class Answer:
    """An answer to a question, split into terms.

    Attributes:
        terms: the terms.
        forms: the forms of the terms.
        padded_forms: the forms, separated and surrounded by spaces.
        positions: the position of the first term with each form.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._folded = fold(text)
        self.terms = split_terms(self._folded)
        self.forms = [term.form for term in self.terms]
        self.padded_forms = join_forms(self.forms)
        # In reverse order, the first occurrence of a form comes last and overwrites later positions.
        reverse_positions = range(len(self.forms) - 1, -1, -1)
        self.positions = dict(zip(reversed(self.forms), reverse_positions, strict=True))

    @cached_property
    def letters(self) -> str:
        """The concatenated forms of all terms."""
        return "".join(self.forms)

    @cached_property
    def trigrams(self) -> set[str]:
        """The set of all sequences of three characters in the forms, without spaces."""
        return split_trigrams(self.letters)

    def first_sentence_forms(self) -> Collection[str]:
        """Return the forms of the terms in the first sentence of the answer."""
        end = _SENTENCE_END.search(self._folded)
        if end is None or end.end() == len(self._folded):
            return self.positions.keys()
        return {term.form for term in split_terms(self._folded[: end.start()])}

    def name_forms(self) -> set[str]:
        """Return the forms of names, which are capitalized words that do not begin a sentence."""
        names = _NAME.findall(self._text)
        return {term.form for term in split_terms(fold(" ".join(names)))} if names else set()

    def has_refusal(self) -> bool:
        """Return whether the answer contains a phrase that indicates a refusal to answer."""
        padded = f" {self._folded} ".replace(",", " ")
        return any(phrase in padded for phrase in _REFUSALS)


def select_numbers(forms: Iterable[str]) -> list[str]:
    """Return the forms that begin with a digit."""
    return [form for form in forms if form[0].isdigit()]


def split_trigrams(letters: str) -> set[str]:
    """Return the set of all sequences of three characters. If the text is shorter, return the text itself."""
    return {letters[start : start + TRIGRAM] for start in range(max(1, len(letters) - TRIGRAM + 1))}
