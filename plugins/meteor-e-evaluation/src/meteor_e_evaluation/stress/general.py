"""What the rules do that need no grammar. The table of all rules is ``rules.yaml``."""

from __future__ import annotations

import functools
import random
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from meteor_e.api.perturbations import PerturbationContext
from meteor_e_evaluation.stress.words import Words, known_words, rows

Item = TypeVar("Item")


class NoOccasionError(Exception):
    """A text gives a rule no occasion."""


class Draft(Words):
    """A text that a rule changes, and what the rule may draw on.

    Attributes:
        text: as it stands.
        rng: where all choices come from.
        context: language, other texts, source and reference.
    """

    def __init__(self, text: str, rng: random.Random, context: PerturbationContext) -> None:
        super().__init__(text)
        self.text, self.rng, self.context = text, rng, context

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


Rule = Callable[[Draft], str]
"""Returns the changed text; the same text, or :class:`NoOccasionError`, where there is no occasion."""
Options = Mapping[int, Sequence[str]]
"""For each word that may be replaced, by its place, what may replace it."""


def replacing(find: Callable[[Draft], Options]) -> Rule:
    """Return a rule that replaces one of the words that a function finds."""

    def rule(draft: Draft) -> str:
        options = find(draft)
        at = draft.pick(options)
        return draft.replaced({at: draft.pick(options[at])})

    return rule


def dropping(fits: Callable[[Draft, int], bool]) -> Rule:
    """Return a rule that drops one of the words that fit."""

    def rule(draft: Draft) -> str:
        at = draft.pick(at for at in range(len(draft)) if fits(draft, at) and len(draft) > 1)
        return draft.without([at])

    return rule


def swapping(nearest: int, farthest: int) -> Rule:
    """Return a rule that swaps two different words so many places apart."""

    def rule(draft: Draft) -> str:
        first, second = draft.pick(
            (first, second)
            for first in range(len(draft))
            for second in range(first + nearest, min(len(draft), first + farthest + 1))
            if draft.lower[first] != draft.lower[second]
        )
        return draft.put({first: draft.words[second], second: draft.words[first]})

    return rule


def repeated_word(draft: Draft) -> str:
    """Repeat a word."""
    at = draft.pick(range(len(draft)))
    return draft.inserted(at, draft.words[at])


def repeated_phrase(draft: Draft) -> str:
    """Repeat two to four words in a row."""
    length = draft.rng.randint(2, 4)
    at = draft.pick(range(len(draft) - length + 1))
    return draft.inserted(at, draft.span(at, at + length - 1))


def added_words(draft: Draft) -> str:
    """Add two to four words of another text."""
    spare = Words(another_text(draft))
    length = draft.rng.randint(2, 4)
    start = draft.pick(range(len(spare) - length + 1))
    return draft.inserted(draft.pick(range(len(draft))), spare.span(start, start + length - 1))


def another_text(draft: Draft) -> str:
    """Return another text of the file, about as long."""
    return draft.pick(draft.near_texts())


def dropped_quarter(draft: Draft) -> str:
    """Drop a quarter of the words."""
    if len(draft) < 4:
        raise NoOccasionError
    return draft.without(draft.rng.sample(range(len(draft)), max(2, len(draft) // 4)))


def truncated(draft: Draft) -> str:
    """Drop the last quarter of the words or more."""
    if len(draft) < 3:
        raise NoOccasionError
    kept = draft.rng.randint(max(1, len(draft) // 3), max(1, len(draft) * 3 // 4))
    return draft.gaps[0] + draft.span(0, kept - 1)


def shuffled(draft: Draft) -> str:
    """Put all words in random order."""
    order = list(draft.words)
    draft.rng.shuffle(order)
    return draft.joined(order)


def changed_digits(draft: Draft) -> str:
    """Replace a digit of a number."""
    text = draft.text
    number = draft.pick(re.finditer(r"\d+(?:[.,]\d+)*", text))
    at = draft.pick(place for place in range(*number.span()) if text[place].isdecimal())
    lowest = 1 if at == number.start() else 0
    digits = [str(digit) for digit in range(lowest, 10) if unicodedata.digit(text[at]) != digit]
    return text[:at] + draft.pick(digits) + text[at + 1 :]


def _long_words(draft: Draft) -> list[int]:
    return [at for at, word in enumerate(draft.words) if len(word) > 3 and word.isalpha()]


def misspelled(draft: Draft) -> str:
    """Misspell a word."""
    at = draft.pick(_long_words(draft))
    return draft.put({at: _typo(draft.words[at], draft.rng)})


def often_misspelled(draft: Draft) -> str:
    """Misspell a third of the words."""
    long = _long_words(draft)
    if len(long) < 3:
        raise NoOccasionError
    chosen = sorted(draft.rng.sample(long, max(2, len(long) // 3)))
    return draft.put({at: _typo(draft.words[at], draft.rng) for at in chosen})


def _typo(word: str, rng: random.Random) -> str:
    """Return a word with two letters swapped, or one missing, doubled or another."""
    at = rng.randrange(1, len(word) - 1)
    before, letter, after = word[:at], word[at], word[at + 1 :]
    other = rng.choice(sorted({*word.lower()} - {letter.lower()}) or ["x"])
    swapped, doubled = before + after[0] + letter + after[1:], before + letter + letter + after
    forms: list[str] = [swapped, before + after, doubled, before + other + after]
    return rng.choice([form for form in forms if form != word])


def without_marks(draft: Draft) -> str:
    """Drop all punctuation between and after words."""
    bare = [re.sub(r"\s+", " ", re.sub(r"[^\w\s]", "", gap)) for gap in draft.gaps]
    changed = "".join(gap + word for gap, word in zip(bare, [*draft.words, ""], strict=True)).strip()
    return changed if draft.words and changed != draft.text.strip() else draft.text


def added_mark(draft: Draft) -> str:
    """Add a comma, a full stop or a semicolon between two words."""
    at = draft.pick(at for at in range(len(draft) - 1) if draft.gaps[at + 1].isspace())
    return draft.put({at: draft.words[at] + draft.pick(",.;")})


@functools.lru_cache(maxsize=8)
def _foreign_words(language: str) -> list[str]:
    """Return words of another language that this one does not have: of German; of English for German and others."""
    own, other = frozenset(known_words(language, 20_000)), "de" if language == "en" else "en"
    return [word for word in known_words(other, 3000)[200:] if len(word) > 4 and word.isalpha() and word not in own]


def untranslated(draft: Draft) -> str:
    """Replace one or two words by words of the source, or of another language."""
    if len(draft) < 2:
        raise NoOccasionError
    at = draft.pick([at for at, word in enumerate(draft.words) if len(word) > 3] or range(len(draft)))
    last = min(at + draft.rng.randint(0, 1), len(draft) - 1)
    source = Words(draft.context.source or "").words
    spare = [word for word in source if len(word) > 3 and word.lower() not in draft.lower]
    spare = spare or _foreign_words(draft.context.language)
    return draft.replaced({place: draft.pick(spare) for place in range(at, last + 1)})


def frequent_words_only(draft: Draft) -> str:
    """Return as many of the most frequent words as there are words, in random order."""
    language = draft.context.language
    frequent = (
        rows("frequent")[0] if language == "en" else [word for word in known_words(language, 40) if word.isalpha()]
    )
    if not frequent:
        counts = Counter(word for text in draft.context.texts for word in Words(text).lower)
        frequent = [word for word, _ in counts.most_common(40)]
    return " ".join(draft.pick(frequent) for _ in draft.words) if len(draft) > 1 else draft.text


def one_word_only(draft: Draft) -> str:
    """Repeat one word as often as there are words."""
    return " ".join([draft.pick(draft.words)] * len(draft)) if len(draft) > 1 else draft.text


def other_quotes(draft: Draft) -> str:
    """Make quotation marks and apostrophes curly, or straight."""
    if re.search("[‘’“”]", draft.text):
        return draft.text.translate({0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"'})
    text = re.sub(r'(?<!\w)"(?=\w)', "“", draft.text).replace('"', "”")
    return re.sub(r"(?<!\w)'(?=\w)", "‘", text).replace("'", "’")


def other_unicode_form(draft: Draft) -> str:
    """Decompose letters with accents, or compose them; where there are none, give hyphens another code."""
    forms = [unicodedata.normalize(form, draft.text) for form in ("NFD", "NFC")]
    other = next((form for form in forms if form != draft.text), None)
    return re.sub(r"(?<=\w)-(?=\w)", "\u2010", draft.text) if other is None else other


def other_spaces(draft: Draft) -> str:
    """Double a space, make another one that does not break, and add one at the end."""
    text, places = draft.text, [found.start() for found in re.finditer(r"(?<=\S) (?=\S)", draft.text)]
    first, second = draft.pick(places), draft.pick(places)
    text = text[:first] + "\u00a0" + text[first + 1 :]
    return text[:second] + text[second] + " " + text[second + 1 :] + " "


def slightly_changed(draft: Draft) -> str:
    """Drop or replace one word in eight, or swap it with its neighbor."""
    near = draft.near_texts()
    spare = Words(draft.pick(near)).words if near else []
    text = draft.text
    for _ in range(max(1, len(draft) // 8)):
        words = Words(text)
        if len(words) < 3:
            break
        at = draft.pick(range(len(words)))
        what = draft.pick(("drop", "replace", "swap"))
        if what == "drop":
            text = words.without([at])
        elif what == "replace" and spare:
            text = words.put({at: draft.pick(spare)})
        elif at:
            text = words.put({at - 1: words.words[at], at: words.words[at - 1]})
    return text
