"""Perturbation rules of ``meteor-e stress`` that apply to texts of any language."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Mapping, Sequence
from random import Random

from meteor_e_evaluation.stress.drafts import Draft, NoOccasionError, split_words
from meteor_e_evaluation.stress.rule import Rule
from meteor_e_evaluation.stress.word_lists import FREQUENT_ENGLISH_WORDS, frequent_words

LONG_WORD = 4
"""Smallest number of letters of a word that can be misspelled or replaced by a word of another language."""

Replacements = Mapping[str, str]
"""Regular expressions and the strings that replace their matches."""

FINAL_PUNCTUATION_DROPPED: list[Replacements] = [{"\\s*[.!?。！？।؟…]+(?=[\"'”’)»]*\\s*$)": ""}]
"""Replacements that remove the punctuation mark at the end of a text, but keep a closing quotation mark."""

FINAL_PUNCTUATION_CHANGED: list[Replacements] = [
    {"\\.(?=[\"'”’)»]*\\s*$)": "?"},
    {"[?!](?=[\"'”’)»]*\\s*$)": "."},
    {"。(?=[\"'”’)»]*\\s*$)": "？"},
    {"[？！](?=[\"'”’)»]*\\s*$)": "。"},
]
"""Replacements that turn a final full stop into a question mark, and any other final mark into a full stop."""

QUOTES: list[Replacements] = [
    {"[‘’]": "'", "[“”]": '"'},
    {'(?<!\\w)"(?=\\w)': "“", '"': "”", "(?<!\\w)'(?=\\w)": "‘", "'": "’"},
]
"""Replacements that make curly quotation marks straight, or straight ones curly if no curly ones exist."""


def rewrite(text: str, alternatives: Sequence[Replacements]) -> str:
    """Rewrite a text by the first set of replacements that changes the text.

    Args:
        text: the text.
        alternatives: sets of replacements, which map regular expressions to new strings. All replacements of a set are
            made in order.
    """
    for replacements in alternatives:
        new_text = text
        for pattern, replacement in replacements.items():
            new_text = re.sub(pattern, replacement, new_text)
        if new_text != text:
            return new_text
    return text


def replace_text(draft: Draft, new_text: str) -> str:
    """Return the new text, unless the new text and the old text differ only in their spaces.

    Raises:
        NoOccasionError: if the texts differ only in their spaces.
    """
    if new_text.split() == draft.text.split():
        raise NoOccasionError
    return new_text


class DigitsChanged(Rule):
    """A digit of a number is replaced by another one."""

    name, group = "digits-changed", "meaning"

    def _change(self, draft: Draft) -> str:
        text = draft.text
        number = draft.choose(re.finditer(r"\d+(?:[.,]\d+)*", text))
        position = draft.choose(position for position in range(*number.span()) if text[position].isdecimal())
        old_digit = unicodedata.digit(text[position])
        # A number does not begin with 0.
        smallest_digit = 1 if position == number.start() else 0
        new_digit = draft.choose(digit for digit in range(smallest_digit, 10) if digit != old_digit)
        return f"{text[:position]}{new_digit}{text[position + 1 :]}"


class WordsAdded(Rule):
    """Two to four consecutive words of another text are inserted."""

    name, group = "words-added", "addition"

    def _change(self, draft: Draft) -> str:
        similar_draft = draft.with_text(draft.choose_similar_text())
        phrase, _ = similar_draft.choose_phrase()
        return draft.insert_before(draft.choose_index(), phrase)


class TextAdded(Rule):
    """Another text is appended."""

    name, group = "text-added", "addition"

    def _change(self, draft: Draft) -> str:
        return f"{draft.text} {draft.choose_similar_text()}"


class WordDropped(Rule):
    """A word is removed."""

    name, group = "word-dropped", "omission"
    min_words = 2

    def _change(self, draft: Draft) -> str:
        return draft.remove_words([draft.choose_index()])


class WordsDropped(Rule):
    """A random quarter of the words is removed."""

    name, group = "words-dropped", "omission"
    min_words = 4

    def _change(self, draft: Draft) -> str:
        n_removed = max(2, len(draft) // 4)
        return draft.remove_words(draft.rng.sample(range(len(draft)), n_removed))


class Truncated(Rule):
    """At least the last quarter of the words is removed."""

    name, group = "truncated", "omission"
    min_words = 3

    def _change(self, draft: Draft) -> str:
        smallest = max(1, len(draft) // 3)
        largest = max(1, len(draft) * 3 // 4)
        n_remaining = draft.rng.randint(smallest, largest)
        return draft.gaps[0] + draft.span(0, n_remaining - 1)


class WordRepeated(Rule):
    """A word is repeated."""

    name, group = "word-repeated", "repetition"

    def _change(self, draft: Draft) -> str:
        index = draft.choose_index()
        return draft.insert_before(index, draft.words[index])


class PhraseRepeated(Rule):
    """Two to four consecutive words are repeated."""

    name, group = "phrase-repeated", "repetition"

    def _change(self, draft: Draft) -> str:
        phrase, start = draft.choose_phrase()
        return draft.insert_before(start, phrase)


class TextTwice(Rule):
    """The whole text is repeated."""

    name, group = "text-twice", "repetition"

    def _change(self, draft: Draft) -> str:
        return f"{draft.text} {draft.text}"


def swap_words(draft: Draft, min_distance: int, max_distance: int) -> str:
    """Swap two different words at random.

    Args:
        draft: the text.
        min_distance: smallest difference of the two indices.
        max_distance: largest difference of the two indices.

    Raises:
        NoOccasionError: if no two words at such a distance differ.
    """
    n_words = len(draft)
    pairs = []
    for first in range(n_words):
        for second in range(first + min_distance, min(first + max_distance + 1, n_words)):
            if draft.lower[first] != draft.lower[second]:
                pairs.append((first, second))
    left, right = draft.choose(pairs)
    return draft.set_words({left: draft.words[right], right: draft.words[left]})


class SwappedNear(Rule):
    """Two adjacent words are swapped."""

    name, group = "swapped-near", "order"

    def _change(self, draft: Draft) -> str:
        return swap_words(draft, min_distance=1, max_distance=1)


class SwappedFar(Rule):
    """Two words that are at least four words apart are swapped."""

    name, group = "swapped-far", "order"

    def _change(self, draft: Draft) -> str:
        return swap_words(draft, min_distance=4, max_distance=len(draft))


class Shuffled(Rule):
    """All words are in random order."""

    name, group = "shuffled", "order"

    def _change(self, draft: Draft) -> str:
        words = list(draft.words)
        draft.rng.shuffle(words)
        return draft.join(words)


def find_misspellable_words(draft: Draft) -> list[int]:
    """Return the indices of long words that consist of letters only."""
    return [index for index, word in enumerate(draft.words) if len(word) >= LONG_WORD and word.isalpha()]


def misspell(word: str, rng: Random) -> str:
    """Misspell a long word: swap two letters, or drop, double or replace one letter."""
    position = rng.randrange(1, len(word) - 1)
    prefix, letter, suffix = word[:position], word[position], word[position + 1 :]
    other_letters = sorted({*word.lower()} - {letter.lower()})
    new_letter = rng.choice(other_letters) if other_letters else "x"
    swapped = prefix + suffix[0] + letter + suffix[1:]
    dropped = prefix + suffix
    doubled = prefix + letter + letter + suffix
    replaced = prefix + new_letter + suffix
    return rng.choice([form for form in (swapped, dropped, doubled, replaced) if form != word])


class Misspelled(Rule):
    """A word is misspelled: two letters are swapped, or one is removed, doubled or replaced."""

    name, group = "misspelled", "spelling"

    def _change(self, draft: Draft) -> str:
        index = draft.choose(find_misspellable_words(draft))
        return draft.set_words({index: misspell(draft.words[index], draft.rng)})


class MisspelledOften(Rule):
    """A third of the long words is misspelled."""

    name, group = "misspelled-often", "spelling"

    def _change(self, draft: Draft) -> str:
        candidates = find_misspellable_words(draft)
        if len(candidates) < 3:
            raise NoOccasionError
        n_misspelled = max(2, len(candidates) // 3)
        indices = sorted(draft.rng.sample(candidates, n_misspelled))
        return draft.set_words({index: misspell(draft.words[index], draft.rng) for index in indices})


class LowerCased(Rule):
    """All capital letters are in lower case."""

    name, group = "lower-cased", "casing"

    def _change(self, draft: Draft) -> str:
        return draft.text.lower()


class UpperCased(Rule):
    """All letters are capitals."""

    name, group = "upper-cased", "casing"

    def _change(self, draft: Draft) -> str:
        return draft.text.upper()


class FinalPunctuationDropped(Rule):
    """The final punctuation mark is removed."""

    name, group = "final-punctuation-dropped", "punctuation"

    def _change(self, draft: Draft) -> str:
        return rewrite(draft.text, FINAL_PUNCTUATION_DROPPED)


class FinalPunctuationChanged(Rule):
    """The final punctuation mark is replaced by another one."""

    name, group = "final-punctuation-changed", "punctuation"

    def _change(self, draft: Draft) -> str:
        return rewrite(draft.text, FINAL_PUNCTUATION_CHANGED)


class PunctuationDropped(Rule):
    """All punctuation is removed."""

    name, group = "punctuation-dropped", "punctuation"

    def _change(self, draft: Draft) -> str:
        if not draft.words:
            raise NoOccasionError
        text = ""
        for gap, word in zip(draft.gaps, [*draft.words, ""], strict=True):
            gap_without_punctuation = re.sub(r"[^\w\s]", "", gap)
            text += re.sub(r"\s+", " ", gap_without_punctuation) + word
        stripped_text = text.strip()
        return draft.text if stripped_text == draft.text.strip() else stripped_text


class PunctuationAdded(Rule):
    """A comma, a full stop or a semicolon is inserted between two words."""

    name, group = "punctuation-added", "punctuation"

    def _change(self, draft: Draft) -> str:
        # The punctuation mark is inserted only where nothing but spaces separates two words.
        index = draft.choose(index for index in range(len(draft) - 1) if draft.gaps[index + 1].isspace())
        return draft.set_words({index: draft.words[index] + draft.choose(",.;")})


@functools.lru_cache(maxsize=8)
def list_foreign_words(language: str) -> list[str]:
    """Return frequent foreign words that do not exist in the given language.

    The foreign words are German if the given language is English, and English otherwise.
    """
    known_words = frozenset(frequent_words(language, 0, 20_000))
    other_language = "de" if language == "en" else "en"
    return [word for word in frequent_words(other_language, 200, 3000) if len(word) > 4 and word not in known_words]


class Untranslated(Rule):
    """One or two words are replaced by words of the source, or by frequent words of another language."""

    name, group = "untranslated", "untranslated"
    min_words = 2

    def _change(self, draft: Draft) -> str:
        long_words = [index for index, word in enumerate(draft.words) if len(word) >= LONG_WORD]
        first = draft.choose(long_words) if long_words else draft.choose_index()
        last = min(first + draft.rng.randint(0, 1), len(draft) - 1)
        foreign_words = self._list_source_words(draft)
        if not foreign_words:
            foreign_words = list_foreign_words(draft.context.language)
        return draft.replace_words({index: draft.choose(foreign_words) for index in range(first, last + 1)})

    @staticmethod
    def _list_source_words(draft: Draft) -> list[str]:
        """Return the long words of the source that the text does not contain."""
        if draft.context.source is None:
            return []
        _, words = split_words(draft.context.source)
        return [word for word in words if len(word) >= LONG_WORD and word.lower() not in draft.lower]


class SourceCopied(Rule):
    """The source replaces the text."""

    name, group = "source-copied", "untranslated"

    def _change(self, draft: Draft) -> str:
        if not draft.context.source:
            raise NoOccasionError
        return replace_text(draft, draft.context.source)


class ReferenceTwice(Rule):
    """The reference, twice, replaces the text."""

    name, group = "reference-twice", "degenerate"

    def _change(self, draft: Draft) -> str:
        reference = draft.context.reference
        if not reference:
            raise NoOccasionError
        return replace_text(draft, f"{reference} {reference}")


class OtherText(Rule):
    """The text is replaced by the text of another segment."""

    name, group = "other-text", "degenerate"

    def _change(self, draft: Draft) -> str:
        return replace_text(draft, draft.choose_similar_text())


class Empty(Rule):
    """The text is empty."""

    name, group = "empty", "degenerate"

    def _change(self, draft: Draft) -> str:
        return ""


class FrequentWordsOnly(Rule):
    """Frequent words replace the text."""

    name, group = "frequent-words-only", "degenerate"
    min_words = 2

    def _change(self, draft: Draft) -> str:
        language = draft.context.language
        words = FREQUENT_ENGLISH_WORDS if language == "en" else frequent_words(language, 0, 40)
        return " ".join(draft.choose(words) for _ in draft.words)


class OneWordOnly(Rule):
    """The text is replaced by repetitions of one of its words."""

    name, group = "one-word-only", "degenerate"
    min_words = 2

    def _change(self, draft: Draft) -> str:
        return " ".join([draft.choose(draft.words)] * len(draft))


class Quotes(Rule):
    """Curly quotation marks are replaced by straight ones, or vice versa."""

    name, group = "quotes", "writing"
    kind = "harmless"

    def _change(self, draft: Draft) -> str:
        return rewrite(draft.text, QUOTES)


class UnicodeForm(Rule):
    """Accented letters or hyphens are replaced by Unicode characters that look the same."""

    name, group = "unicode-form", "writing"
    kind = "harmless"

    def _change(self, draft: Draft) -> str:
        for form in ("NFD", "NFC"):
            normalized_text = unicodedata.normalize(form, draft.text)
            if normalized_text != draft.text:
                return normalized_text
        # If normalization does not change the text, each hyphen inside a word is replaced by the hyphen U+2010.
        return re.sub(r"(?<=\w)-(?=\w)", "\u2010", draft.text)


class Spaces(Rule):
    """A space becomes a no-break space, and spaces are added between two words and at the end of the text."""

    name, group = "spaces", "writing"
    kind = "harmless"

    def _change(self, draft: Draft) -> str:
        characters = list(draft.text)
        space_positions = [match.start() for match in re.finditer(r"(?<=\S) (?=\S)", draft.text)]
        no_break_position = draft.choose(space_positions)
        doubled_position = draft.choose(space_positions)
        characters[no_break_position] = "\u00a0"
        characters[doubled_position] += " "
        return "".join(characters) + " "
