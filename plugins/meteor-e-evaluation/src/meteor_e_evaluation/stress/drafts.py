"""Divides texts into words, and makes changed copies of a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import TypeVar

from meteor_e.api.perturbations import PerturbationContext

Item = TypeVar("Item")

# Some scripts do not put spaces between words. For simplicity, every two letters of these scripts form a word.
_UNSPACED = r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]{1,2}"
_MARKS = r"\u0300-\u036f\u0900-\u0dff"
_WORD = re.compile(rf"({_UNSPACED}|[\w{_MARKS}]+(?:[.,:]\d+)*(?:['’][^\W\d_]+)?(?:-[\w{_MARKS}]+)*)")

MAX_SIMILAR_TEXTS = 8


class NoOccasionError(Exception):
    """Raised if a perturbation rule does not apply to a text."""


def split_words(text: str) -> tuple[list[str], list[str]]:
    """Divide a text into words and the gaps around them.

    Returns:
        The gaps and the words. There is one more gap than there are words, because the text begins and ends with a gap,
        which may be empty.
    """
    gaps_and_words = _WORD.split(text)
    return gaps_and_words[0::2], gaps_and_words[1::2]


def fold_word(word: str) -> str:
    """Return a word in lower case, with straight apostrophes."""
    return word.lower().replace("’", "'")


class Draft:
    """A text that is divided into words. Its methods return changed copies of the text.

    If a method cannot change the text, the method either returns the text unchanged or raises :class:`NoOccasionError`.

    Attributes:
        text: the original text.
        rng: source of all random choices.
        context: the language, the other texts of the file, the source and the reference.
        words: words of the text.
        lower: words in lower case, with straight apostrophes.
        gaps: characters before the first word, between adjacent words, and after the last word.
    """

    def __init__(self, text: str, rng: Random, context: PerturbationContext) -> None:
        self.text = text
        self.rng = rng
        self.context = context
        self.gaps, self.words = split_words(text)
        self.lower = [fold_word(word) for word in self.words]

    def __len__(self) -> int:
        """Return the number of words."""
        return len(self.words)

    def with_text(self, text: str) -> Draft:
        """Return a new draft with another text. Both drafts share the same context and random generator."""
        return Draft(text, self.rng, self.context)

    def choose(self, choices: Iterable[Item]) -> Item:
        """Return a random item.

        Raises:
            NoOccasionError: if there are no items.
        """
        items = list(choices)
        if not items:
            raise NoOccasionError
        return self.rng.choice(items)

    def choose_index(self) -> int:
        """Return the index of a random word.

        Raises:
            NoOccasionError: if the text has no words.
        """
        return self.choose(range(len(self)))

    def choose_phrase(self) -> tuple[str, int]:
        """Return a random phrase of two to four consecutive words, and the index of its first word.

        Raises:
            NoOccasionError: if the text has fewer words than the phrase.
        """
        length = self.rng.randint(2, 4)
        start = self.choose(range(len(self) - length + 1))
        return self.span(start, start + length - 1), start

    def choose_similar_text(self) -> str:
        """Choose another text of the file at random.

        The candidates are the eight other texts whose lengths are closest to the length of the original text.

        Raises:
            NoOccasionError: if the file does not have another text.
        """
        texts = self.context.texts
        original = texts[self.context.position] if texts else ""
        other_texts = {text for text in texts if text.strip() and text != original}
        by_similarity = sorted(other_texts, key=lambda text: (abs(len(text) - len(original)), text))
        return self.choose(by_similarity[:MAX_SIMILAR_TEXTS])

    def span(self, first: int, last: int) -> str:
        """Return the part of the text from the word at index ``first`` to the word at index ``last``."""
        text = self.words[first]
        for index in range(first + 1, last + 1):
            text += self.gaps[index] + self.words[index]
        return text

    def join(self, words: Sequence[str]) -> str:
        """Return the text with its words replaced by other words.

        Args:
            words: one word for each word of the text.
        """
        text = self.gaps[0]
        for word, next_gap in zip(words, self.gaps[1:], strict=True):
            text += word + next_gap
        return text

    def set_words(self, replacements: Mapping[int, str]) -> str:
        """Replace words without adapting the capitalization of the new words.

        Args:
            replacements: the new words by the indices of the replaced words.
        """
        return self.join([replacements.get(index, word) for index, word in enumerate(self.words)])

    def replace_words(self, replacements: Mapping[int, str]) -> str:
        """Replace words, and copy the capitalization of each old word to the new word.

        Args:
            replacements: the new words by the indices of the replaced words.
        """
        return self.set_words({index: copy_case(self.words[index], word) for index, word in replacements.items()})

    def insert_before(self, index: int, insertion: str) -> str:
        """Insert words before the word at the given index."""
        word = self.words[index]
        is_spaced = len(self) < 2 or any(gap.isspace() for gap in self.gaps[1:-1])
        space = " " if is_spaced else ""
        is_capitalized = word[:1].isupper() and word[1:] == word[1:].lower() and word != "I"
        if index == 0 and is_capitalized:
            # The inserted word becomes the first word of the sentence.
            return self.set_words({0: f"{copy_case(word, insertion)}{space}{word.lower()}"})
        return self.set_words({index: f"{insertion}{space}{word}"})

    def remove_words(self, indices: Sequence[int]) -> str:
        """Remove the words at the given indices, and remove superfluous spaces."""
        words = list(self.words)
        remaining_indices = [index for index in range(len(self)) if index not in indices]
        if remaining_indices and words[0][:1].isupper():
            # The first remaining word becomes the first word of the sentence.
            first_word = words[remaining_indices[0]]
            words[remaining_indices[0]] = first_word[:1].upper() + first_word[1:]
        text = self.gaps[0]
        for index, (word, next_gap) in enumerate(zip(words, self.gaps[1:], strict=True)):
            text = _append_gap(text, next_gap) if index in indices else text + word + next_gap
        return text


def _append_gap(text: str, gap: str) -> str:
    """Join the text before a removed word with the characters that follow the word.

    A double space at this place is avoided.
    """
    joined_text = text.rstrip()
    if not joined_text or gap.strip():
        joined_text += gap
    elif gap:
        joined_text += " "
    return joined_text if joined_text.strip() else ""


def copy_case(model: str, word: str) -> str:
    """Capitalize a word like another word.

    Args:
        model: the word whose capitalization is copied.
        word: the word to capitalize.
    """
    if len(model) > 1 and model.isupper() and model.isalpha():
        return word.upper()
    if model[:1].isupper() and model != "I":
        return word[:1].upper() + word[1:]
    return word
