"""Defines the text that perturbation rules change word by word, and the changes that do not need grammar."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import TypeVar

from meteor_e.api.perturbations import PerturbationContext
from meteor_e_evaluation.stress.word_lists import FREQUENT_ENGLISH_WORDS, frequent_words

Item = TypeVar("Item")

# Some scripts do not separate words by spaces. In these scripts, two consecutive letters count as a word.
_UNSPACED = r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]{1,2}"
_MARKS = r"\u0300-\u036f\u0900-\u0dff"
_WORD = re.compile(rf"({_UNSPACED}|[\w{_MARKS}]+(?:[.,:]\d+)*(?:['’][^\W\d_]+)?(?:-[\w{_MARKS}]+)*)")

LONG_WORD = 4
"""Smallest number of letters of a word that can be misspelled or replaced by a word of another language."""

MAX_SIMILAR_TEXTS = 8


class NoOccasionError(Exception):
    """Raised if a perturbation rule does not apply to a text."""


class Draft:
    """A text that is divided into words, with methods that return changed copies of the text.

    A method that does not apply to the text returns the text unchanged or raises :class:`NoOccasionError`.

    Attributes:
        text: the original text.
        rng: source of all random choices.
        context: the language, the other texts of the file, the source and the reference.
        words: words of the text.
        lower: words in lower case, with straight apostrophes.
        gaps: characters before the first word, between adjacent words, and after the last word.
    """

    def __init__(self, text: str, rng: Random | None = None, context: PerturbationContext | None = None) -> None:
        self.text = text
        self.rng = rng or Random(0)
        self.context = context or PerturbationContext()
        parts = _WORD.split(text)
        self.gaps = parts[0::2]
        self.words = parts[1::2]
        self.lower = [word.lower().replace("’", "'") for word in self.words]

    def __len__(self) -> int:
        return len(self.words)

    def join(self, words: Sequence[str]) -> str:
        """Return the text with its words replaced by other words.

        Args:
            words: one word for each word of the text.
        """
        return "".join(gap + word for gap, word in zip(self.gaps, [*words, ""], strict=True))

    def put_words(self, replacements: Mapping[int, str]) -> str:
        """Return the text with some words replaced, without adapting the capitalization of the new words.

        Args:
            replacements: the new words by the indices of the replaced words.
        """
        return self.join([replacements.get(index, word) for index, word in enumerate(self.words)])

    def replace_words(self, replacements: Mapping[int, str]) -> str:
        """Return the text with some words replaced, and with the original capitalization.

        Args:
            replacements: the new words by the indices of the replaced words.
        """
        return self.put_words({index: copy_case(self.words[index], word) for index, word in replacements.items()})

    def insert_before(self, index: int, text: str) -> str:
        """Return the text with an insertion before the word at an index."""
        word = self.words[index]
        is_spaced = len(self) < 2 or any(map(str.isspace, self.gaps[1:-1]))
        space = " " if is_spaced else ""
        is_capitalized = word[:1].isupper() and word[1:] == word[1:].lower() and word != "I"
        if index == 0 and is_capitalized:
            return self.put_words({0: f"{copy_case(word, text)}{space}{word.lower()}"})
        return self.put_words({index: f"{text}{space}{word}"})

    def remove_words(self, indices: Sequence[int]) -> str:
        """Return the text without the words at some indices, and without superfluous spaces."""
        text = self.gaps[0]
        needs_capital = 0 in indices and self.words[0][:1].isupper()
        for index, (word, next_gap) in enumerate(zip(self.words, self.gaps[1:], strict=True)):
            if index in indices:
                text = _append_gap(text, next_gap)
                continue
            if needs_capital:
                word = word[:1].upper() + word[1:]
                needs_capital = False
            text += word + next_gap
        return text

    def span(self, first: int, last: int) -> str:
        """Return the part of the text from the word at index ``first`` to the word at index ``last``."""
        following = zip(self.gaps[first + 1 : last + 1], self.words[first + 1 : last + 1], strict=True)
        return self.words[first] + "".join(gap + word for gap, word in following)

    def choose(self, choices: Iterable[Item]) -> Item:
        """Return a random item.

        Raises:
            NoOccasionError: if there are no items.
        """
        items = list(choices)
        if not items:
            raise NoOccasionError
        return self.rng.choice(items)

    def similar_texts(self) -> list[str]:
        """Return up to eight other texts of the file whose lengths are most similar to the length of this text."""
        texts = self.context.texts
        original = texts[self.context.position] if texts else ""
        others = {text for text in texts if text.strip() and text != original}
        return sorted(others, key=lambda text: (abs(len(text) - len(original)), text))[:MAX_SIMILAR_TEXTS]

    def swap_words(self, min_distance: int, max_distance: int) -> str:
        """Swap two different words at random.

        Args:
            min_distance: smallest difference of the two indices.
            max_distance: largest difference of the two indices.
        """
        pairs = []
        for first in range(len(self)):
            for second in range(first + min_distance, min(len(self), first + max_distance + 1)):
                if self.lower[first] != self.lower[second]:
                    pairs.append((first, second))
        first, second = self.choose(pairs)
        return self.put_words({first: self.words[second], second: self.words[first]})

    def fill_template(self, template: str) -> str:
        """Return a template with the text and related texts filled in.

        Args:
            template: a format string. ``{text}`` is the text, ``{lower}`` and ``{upper}`` are its lower- and upper-case
                forms, ``{source}`` and ``{reference}`` are those of the segment, and ``{other}`` is a similar text.

        Raises:
            NoOccasionError: if the segment does not have a text that the template contains.
        """
        fields = {
            "text": self.text,
            "lower": self.text.lower(),
            "upper": self.text.upper(),
            "source": self.context.source or "",
            "reference": self.context.reference or "",
        }
        if "{other}" in template:
            fields["other"] = self.choose(self.similar_texts())
        for name in ("source", "reference"):
            if f"{{{name}}}" in template and not fields[name]:
                raise NoOccasionError
        filled = template.format(**fields)
        return self.text if filled.split() == self.text.split() else filled

    def rewrite(self, alternatives: Sequence[Mapping[str, str]]) -> str:
        """Rewrite the text by regular expressions, using the first set of expressions that changes the text.

        Args:
            alternatives: sets of patterns with their replacements.
        """
        for replacements in alternatives:
            text = self.text
            for pattern, replacement in replacements.items():
                text = re.sub(pattern, replacement, text)
            if text != self.text:
                return text
        return self.text

    def repeat_word(self) -> str:
        """Repeat a random word."""
        index = self.choose(range(len(self)))
        return self.insert_before(index, self.words[index])

    def repeat_phrase(self) -> str:
        """Repeat two to four consecutive words."""
        phrase, start = self._choose_phrase(self)
        return self.insert_before(start, phrase)

    def insert_phrase(self) -> str:
        """Insert two to four consecutive words of a similar text."""
        phrase, _ = self._choose_phrase(Draft(self.choose(self.similar_texts())))
        return self.insert_before(self.choose(range(len(self))), phrase)

    def _choose_phrase(self, draft: Draft) -> tuple[str, int]:
        """Return a random phrase of two to four words of a draft, and the index of its first word."""
        length = self.rng.randint(2, 4)
        start = self.choose(range(len(draft) - length + 1))
        return draft.span(start, start + length - 1), start

    def drop_word(self) -> str:
        """Drop a random word."""
        return self.remove_words([self.choose(range(len(self)))])

    def drop_words(self) -> str:
        """Drop a random quarter of the words."""
        return self.remove_words(self.rng.sample(range(len(self)), max(2, len(self) // 4)))

    def truncate(self) -> str:
        """Drop at least the last quarter of the words of the text."""
        n_remaining = self.rng.randint(max(1, len(self) // 3), max(1, len(self) * 3 // 4))
        return self.gaps[0] + self.span(0, n_remaining - 1)

    def shuffle(self) -> str:
        """Put all words in random order."""
        words = list(self.words)
        self.rng.shuffle(words)
        return self.join(words)

    def change_digit(self) -> str:
        """Replace a random digit of a random number."""
        text = self.text
        number = self.choose(re.finditer(r"\d+(?:[.,]\d+)*", text))
        position = self.choose(position for position in range(*number.span()) if text[position].isdecimal())
        smallest = 1 if position == number.start() else 0
        digits = [str(digit) for digit in range(smallest, 10) if unicodedata.digit(text[position]) != digit]
        return text[:position] + self.choose(digits) + text[position + 1 :]

    def misspell_word(self) -> str:
        """Misspell a random word."""
        index = self.choose(self._misspellable())
        return self.put_words({index: self._misspell(self.words[index])})

    def misspell_words(self) -> str:
        """Misspell a third of the long words, if the text contains at least three long words."""
        candidates = self._misspellable()
        if len(candidates) < 3:
            return self.text
        indices = self.rng.sample(candidates, max(2, len(candidates) // 3))
        return self.put_words({index: self._misspell(self.words[index]) for index in sorted(indices)})

    def _misspellable(self) -> list[int]:
        return [index for index, word in enumerate(self.words) if len(word) >= LONG_WORD and word.isalpha()]

    def _misspell(self, word: str) -> str:
        """Swap two letters of a word, or drop, double or replace a letter."""
        position = self.rng.randrange(1, len(word) - 1)
        prefix, letter, suffix = word[:position], word[position], word[position + 1 :]
        replacement = self.rng.choice(sorted({*word.lower()} - {letter.lower()}) or ["x"])
        swapped = prefix + suffix[0] + letter + suffix[1:]
        dropped = prefix + suffix
        doubled = prefix + letter + letter + suffix
        replaced = prefix + replacement + suffix
        return self.rng.choice([form for form in (swapped, dropped, doubled, replaced) if form != word])

    def drop_punctuation(self) -> str:
        """Drop all punctuation between and after the words."""
        gaps = [re.sub(r"\s+", " ", re.sub(r"[^\w\s]", "", gap)) for gap in self.gaps]
        changed = "".join(gap + word for gap, word in zip(gaps, [*self.words, ""], strict=True)).strip()
        return changed if self.words and changed != self.text.strip() else self.text

    def add_punctuation(self) -> str:
        """Add a comma, a full stop or a semicolon between two words."""
        index = self.choose(index for index in range(len(self) - 1) if self.gaps[index + 1].isspace())
        return self.put_words({index: self.words[index] + self.choose(",.;")})

    def leave_untranslated(self) -> str:
        """Replace one or two words by words of the source, or by frequent words of another language."""
        long_words = [index for index, word in enumerate(self.words) if len(word) >= LONG_WORD]
        first = self.choose(long_words or range(len(self)))
        last = min(first + self.rng.randint(0, 1), len(self) - 1)
        source_words = Draft(self.context.source or "").words
        replacements = [word for word in source_words if len(word) >= LONG_WORD and word.lower() not in self.lower]
        replacements = replacements or _foreign_words(self.context.language)
        return self.replace_words({index: self.choose(replacements) for index in range(first, last + 1)})

    def replace_by_frequent_words(self) -> str:
        """Replace each word of the text by a random frequent word of the language."""
        language = self.context.language
        words = FREQUENT_ENGLISH_WORDS if language == "en" else frequent_words(language, 0, 40)
        return " ".join(self.choose(words) for _ in self.words)

    def replace_by_one_word(self) -> str:
        """Replace all words of the text by one of them."""
        return " ".join([self.choose(self.words)] * len(self))

    def change_unicode_form(self) -> str:
        """Decompose or compose accented letters. If the text has no accented letters, replace its hyphens."""
        for form in ("NFD", "NFC"):
            normalized = unicodedata.normalize(form, self.text)
            if normalized != self.text:
                return normalized
        return re.sub(r"(?<=\w)-(?=\w)", "\u2010", self.text)

    def change_spaces(self) -> str:
        """Double a space, replace another by a no-break space, and append a space."""
        text = self.text
        positions = [match.start() for match in re.finditer(r"(?<=\S) (?=\S)", text)]
        no_break, doubled = self.choose(positions), self.choose(positions)
        text = text[:no_break] + "\u00a0" + text[no_break + 1 :]
        return text[:doubled] + text[doubled] + " " + text[doubled + 1 :] + " "


def _append_gap(text: str, gap: str) -> str:
    """Append the characters that follow a removed word to the text before the word, without doubling spaces."""
    is_blank = not text.strip()
    text = text.rstrip()
    if is_blank or gap.strip():
        text += gap
    elif gap:
        text += " "
    return text if text.strip() else ""


@functools.lru_cache(maxsize=8)
def _foreign_words(language: str) -> list[str]:
    """Return frequent words of another language that are not words of a language.

    The other language is German if the language is English, and English otherwise.
    """
    known_words = frozenset(frequent_words(language, 0, 20_000))
    other_language = "de" if language == "en" else "en"
    return [word for word in frequent_words(other_language, 200, 3000) if len(word) > 4 and word not in known_words]


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
