"""Texts that rules change, lists of words, and the rules that need no grammar: methods, which ``rules.yaml`` names."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from random import Random
from typing import Any, TypeVar

from meteor_e.api.perturbations import PerturbationContext
from meteor_e.base.yamlfile import parse_yaml

Item = TypeVar("Item")

_UNSPACED = r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]{1,2}"
"""Scripts that are written without spaces: two letters count as a word there."""
_MARKS = r"\u0300-\u036f\u0900-\u0dff"
_WORD = re.compile(rf"({_UNSPACED}|[\w{_MARKS}]+(?:[.,:]\d+)*(?:['’][^\W\d_]+)?(?:-[\w{_MARKS}]+)*)")


class NoOccasionError(Exception):
    """A text gives a rule no occasion."""


class Draft:
    """A text that a rule changes word by word, while everything between the words stays.

    A method that a rule names returns the changed text: the same text, or :class:`NoOccasionError`, where there is no
    occasion.

    Attributes:
        text: as it stands.
        rng: where all choices come from.
        context: language, other texts, source and reference.
        words: the words.
        lower: the words in lower case, apostrophes straight.
        gaps: the text before, between and after them: one more than there are words.
    """

    def __init__(self, text: str, rng: Random | None = None, context: PerturbationContext | None = None) -> None:
        self.text, self.rng, self.context = text, rng or Random(0), context or PerturbationContext()
        parts = _WORD.split(text)
        self.gaps, self.words = parts[0::2], parts[1::2]
        self.lower = [word.lower().replace("’", "'") for word in self.words]

    def __len__(self) -> int:
        return len(self.words)

    def joined(self, words: Sequence[str]) -> str:
        """Return the text with other words instead of these."""
        return "".join(gap + word for gap, word in zip(self.gaps, [*words, ""], strict=True))

    def put(self, changes: Mapping[int, str]) -> str:
        """Return the text with some words replaced as they are given."""
        return self.joined([changes.get(at, word) for at, word in enumerate(self.words)])

    def replaced(self, changes: Mapping[int, str]) -> str:
        """Return the text with some words replaced; capitals at the start of a word are kept."""
        return self.put({at: like(self.words[at], word) for at, word in changes.items()})

    def inserted(self, at: int, text: str) -> str:
        """Return the text with another before word ``at``."""
        word = self.words[at]
        space = " " if len(self) < 2 or any(map(str.isspace, self.gaps[1:-1])) else ""
        if at == 0 and word[:1].isupper() and word != "I" and word[1:] == word[1:].lower():
            return self.put({0: f"{like(word, text)}{space}{word[0].lower()}{word[1:]}"})
        return self.put({at: f"{text}{space}{word}"})

    def without(self, places: Sequence[int]) -> str:
        """Return the text without some words, and without the spaces that they leave."""
        text = self.gaps[0]
        raised = 0 in places and self.words[0][:1].isupper()
        for at, (word, after) in enumerate(zip(self.words, self.gaps[1:], strict=True)):
            if at not in places:
                text += (word[:1].upper() + word[1:] if raised else word) + after
                raised = False
                continue
            # One of the spaces around the word goes with it; punctuation moves to the word before.
            text = text.rstrip() + (after if after.strip() or not text.strip() else " " * bool(after))
            text = text if text.strip() else text.lstrip()
        return text

    def span(self, first: int, last: int) -> str:
        """Return the words from ``first`` to ``last`` as they stand, with what is between them."""
        inner = zip(self.gaps[first + 1 : last + 1], self.words[first + 1 : last + 1], strict=True)
        return self.words[first] + "".join(gap + word for gap, word in inner)

    def pick(self, choices: Iterable[Item]) -> Item:
        """Return one of some choices.

        Raises:
            NoOccasionError: if there are none.
        """
        found = list(choices)
        if not found:
            raise NoOccasionError
        return self.rng.choice(found)

    def near_texts(self) -> list[str]:
        """Return eight other texts of the file or fewer, about as long as this one."""
        texts = self.context.texts
        own = texts[self.context.position] if texts else ""
        others = {text for text in texts if text.strip() and text != own}
        return sorted(others, key=lambda text: (abs(len(text) - len(own)), text))[:8]

    def swap(self, distance: Sequence[int]) -> str:
        """Swap two different words whose distance is in a range, given by its ends."""
        first, second = self.pick(
            (first, second)
            for first in range(len(self))
            for second in range(first + distance[0], min(len(self), first + distance[1] + 1))
            if self.lower[first] != self.lower[second]
        )
        return self.put({first: self.words[second], second: self.words[first]})

    def fill(self, template: str) -> str:
        """Return a new text, made of the text and what there is beside it."""
        known = {"text": self.text, "lower": self.text.lower(), "upper": self.text.upper()}
        known |= {"source": self.context.source or "", "reference": self.context.reference or ""}
        if "{other}" in template:
            known["other"] = self.pick(self.near_texts())
        if any(f"{{{name}}}" in template and not known[name] for name in ("source", "reference")):
            raise NoOccasionError
        changed = template.format(**known)
        return self.text if changed.split() == self.text.split() else changed

    def rewrite(self, sets: Sequence[Mapping[str, str]]) -> str:
        """Replace what patterns find, by the first set of patterns that changes the text."""
        for patterns in sets:
            text = self.text
            for pattern, new in patterns.items():
                text = re.sub(pattern, new, text)
            if text != self.text:
                return text
        return self.text

    def word_repeated(self) -> str:
        """Repeat a word."""
        at = self.pick(range(len(self)))
        return self.inserted(at, self.words[at])

    def insert(self, whose: str) -> str:
        """Add two to four words in a row of another text, or repeat some of the ``same``."""
        spare = self if whose == "same" else Draft(self.pick(self.near_texts()))
        length = self.rng.randint(2, 4)
        start = self.pick(range(len(spare) - length + 1))
        at = start if whose == "same" else self.pick(range(len(self)))
        return self.inserted(at, spare.span(start, start + length - 1))

    def word_dropped(self) -> str:
        """Drop a word."""
        return self.without([self.pick(range(len(self)))])

    def words_dropped(self) -> str:
        """Drop a quarter of the words."""
        return self.without(self.rng.sample(range(len(self)), max(2, len(self) // 4)))

    def truncated(self) -> str:
        """Drop the last quarter of the words or more."""
        kept = self.rng.randint(max(1, len(self) // 3), max(1, len(self) * 3 // 4))
        return self.gaps[0] + self.span(0, kept - 1)

    def shuffled(self) -> str:
        """Put all words in random order."""
        order = list(self.words)
        self.rng.shuffle(order)
        return self.joined(order)

    def digits_changed(self) -> str:
        """Replace a digit of a number."""
        text, number = self.text, self.pick(re.finditer(r"\d+(?:[.,]\d+)*", self.text))
        at = self.pick(place for place in range(*number.span()) if text[place].isdecimal())
        digits = [str(digit) for digit in range(at == number.start(), 10) if unicodedata.digit(text[at]) != digit]
        return text[:at] + self.pick(digits) + text[at + 1 :]

    def _long_words(self) -> list[int]:
        return [at for at, word in enumerate(self.words) if len(word) > 3 and word.isalpha()]

    def misspelled(self) -> str:
        """Misspell a word."""
        at = self.pick(self._long_words())
        return self.put({at: self._typo(at)})

    def misspelled_often(self) -> str:
        """Misspell a third of the words, if there are three that are long enough."""
        long = self._long_words()
        chosen = self.rng.sample(long, max(2, len(long) // 3)) if len(long) > 2 else []
        return self.put({at: self._typo(at) for at in sorted(chosen)})

    def _typo(self, place: int) -> str:
        """Return a word with two letters swapped, or one missing, doubled or another."""
        word = self.words[place]
        at = self.rng.randrange(1, len(word) - 1)
        before, letter, after = word[:at], word[at], word[at + 1 :]
        other = self.rng.choice(sorted({*word.lower()} - {letter.lower()}) or ["x"])
        swapped, doubled = before + after[0] + letter + after[1:], before + letter + letter + after
        forms = swapped, before + after, doubled, before + other + after
        return self.rng.choice([form for form in forms if form != word])

    def punctuation_dropped(self) -> str:
        """Drop all punctuation between and after words."""
        bare = [re.sub(r"\s+", " ", re.sub(r"[^\w\s]", "", gap)) for gap in self.gaps]
        changed = "".join(gap + word for gap, word in zip(bare, [*self.words, ""], strict=True)).strip()
        return changed if self.words and changed != self.text.strip() else self.text

    def punctuation_added(self) -> str:
        """Add a comma, a full stop or a semicolon between two words."""
        at = self.pick(at for at in range(len(self) - 1) if self.gaps[at + 1].isspace())
        return self.put({at: self.words[at] + self.pick(",.;")})

    def untranslated(self) -> str:
        """Replace one or two words by words of the source, or of another language."""
        at = self.pick([at for at, word in enumerate(self.words) if len(word) > 3] or range(len(self)))
        last = min(at + self.rng.randint(0, 1), len(self) - 1)
        source = Draft(self.context.source or "").words
        spare = [word for word in source if len(word) > 3 and word.lower() not in self.lower]
        spare = spare or _foreign_words(self.context.language)
        return self.replaced({place: self.pick(spare) for place in range(at, last + 1)})

    def frequent_words_only(self) -> str:
        """Return as many of the most frequent words as there are words, in random order."""
        language = self.context.language
        frequent = rows("frequent")[0] if language == "en" else frequent_words(language, 0, 40)
        return " ".join(self.pick(frequent) for _ in self.words)

    def one_word_only(self) -> str:
        """Repeat one word as often as there are words."""
        return " ".join([self.pick(self.words)] * len(self))

    def unicode_form(self) -> str:
        """Decompose letters with accents, or compose them; where there are none, give hyphens another code."""
        forms = [unicodedata.normalize(form, self.text) for form in ("NFD", "NFC")]
        hyphens = re.sub(r"(?<=\w)-(?=\w)", "\u2010", self.text)
        return next((form for form in forms if form != self.text), hyphens)

    def spaces(self) -> str:
        """Double a space, make another one that does not break, and add one at the end."""
        text, places = self.text, [found.start() for found in re.finditer(r"(?<=\S) (?=\S)", self.text)]
        first, second = self.pick(places), self.pick(places)
        text = text[:first] + "\u00a0" + text[first + 1 :]
        return text[:second] + text[second] + " " + text[second + 1 :] + " "


@functools.lru_cache(maxsize=8)
def _foreign_words(language: str) -> list[str]:
    """Return words of another language that this one does not have: of German; of English for German and others."""
    own, other = frozenset(frequent_words(language, 0, 20_000)), "de" if language == "en" else "en"
    return [word for word in frequent_words(other, 200, 3000) if len(word) > 4 and word not in own]


def like(model: str, word: str) -> str:
    """Return a word with the capitals of another: of its first letter, or of all."""
    if len(model) > 1 and model.isupper() and model.isalpha():
        return word.upper()
    return word[:1].upper() + word[1:] if model[:1].isupper() and model != "I" else word


_FILE = files("meteor_e_evaluation.stress") / "english.yaml"
LISTS: dict[str, Any] = parse_yaml(_FILE.read_bytes(), "english.yaml").data
"""The English word lists."""


@functools.lru_cache(maxsize=64)
def rows(name: str) -> list[list[str]]:
    """Return a list of groups of words."""
    found = LISTS[name]
    return [row.split() for row in (found.split(",") if isinstance(found, str) else found)]


@functools.lru_cache(maxsize=64)
def alternatives(name: str) -> dict[str, list[str]]:
    """Return for each word of a list, in lower case, what may take its place: the others of its groups."""
    if isinstance(LISTS[name], dict):
        return {word: [other] for word, other in LISTS[name].items()}
    found: dict[str, list[str]] = {}
    for row in rows(name):
        for word in row:
            found.setdefault(word.lower(), []).extend(other for other in row if other != word)
    return found


@functools.lru_cache(maxsize=64)
def words_of(*names: str) -> frozenset[str]:
    """Return all words of some lists."""
    return frozenset(word for name in names for row in rows(name) for word in row)


@functools.lru_cache(maxsize=64)
def frequent_words(language: str, first: int, last: int) -> list[str]:
    """Return the most frequent words of a language from ``first`` to ``last``; none where they are not known."""
    from wordfreq import available_languages, top_n_list

    found = top_n_list(language, last)[first:] if language in available_languages() else []
    return [word for word in found if word.isalpha()]
