"""Perturbations that need no grammar, for all languages."""

from __future__ import annotations

import functools
import random
import re
import unicodedata
from collections.abc import Callable, Iterable
from typing import Literal

from meteor_e.api import Perturbation
from meteor_e.api.perturbations import PerturbationContext
from meteor_e_evaluation.stress.words import Words, foreign_words, frequent_words

Rule = Callable[[str, random.Random, PerturbationContext], str | None]


def rule(
    name: str, group: str, *, kind: Literal["error", "harmless"] = "error", languages: tuple[str, ...] = ()
) -> Callable[[Rule], type[Perturbation]]:
    """Return a decorator that makes a perturbation of a function; a text that stays as it is counts as none."""

    def make(function: Rule) -> type[Perturbation]:
        def apply(self: Perturbation, text: str, rng: random.Random, context: PerturbationContext) -> str | None:
            changed = function(text, rng, context)
            return None if changed == text else changed

        members = {"name": name, "group": group, "kind": kind, "languages": languages, "apply": apply}
        names = {key: getattr(function, key) for key in ("__module__", "__qualname__", "__doc__")}
        return type(function.__name__, (Perturbation,), {**members, **names})

    return make


def some(rng: random.Random, places: Iterable[int]) -> int | None:
    """Return one of some places; ``None`` if there is none."""
    found = list(places)
    return rng.choice(found) if found else None


def another_text(rng: random.Random, context: PerturbationContext) -> str | None:
    """Return another text of the file, about as long as this one if there are several."""
    own = context.texts[context.position] if context.texts else ""
    others = {text for text in context.texts if text.strip() and text != own}
    near = sorted(others, key=lambda text: (abs(len(text) - len(own)), text))[:8]
    return rng.choice(near) if near else None


@rule("word-repeated", "repetition")
def word_repeated(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """One word stands there twice."""
    words = Words(text)
    at = some(rng, range(len(words)))
    return None if at is None else words.inserted(at, words.words[at])


@rule("phrase-repeated", "repetition")
def phrase_repeated(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """Two to four words in a row stand there twice."""
    words = Words(text)
    length = rng.randint(2, 4)
    at = some(rng, range(len(words) - length + 1))
    return None if at is None else words.inserted(at, words.span(at, at + length - 1))


@rule("text-twice", "repetition")
def text_twice(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """The whole text stands there twice."""
    return f"{text} {text}" if text.strip() else None


@rule("reference-twice", "degenerate")
def reference_twice(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """The reference, twice, takes the place of the text."""
    return f"{context.reference} {context.reference}" if context.reference else None


@rule("words-added", "addition")
def words_added(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """Two to four words of another text are added."""
    words, other = Words(text), another_text(rng, context)
    spare = Words(other or "")
    length = rng.randint(2, 4)
    start, at = some(rng, range(len(spare) - length + 1)), some(rng, range(len(words)))
    if start is None or at is None:
        return None
    return words.inserted(at, spare.span(start, start + length - 1))


@rule("text-added", "addition")
def text_added(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """Another text follows."""
    other = another_text(rng, context)
    return None if other is None else f"{text} {other}"


@rule("word-dropped", "omission")
def word_dropped(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """One word is missing."""
    words = Words(text)
    at = some(rng, range(len(words))) if len(words) > 1 else None
    return None if at is None else words.without([at])


@rule("words-dropped", "omission")
def words_dropped(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """A quarter of the words is missing, here and there."""
    words = Words(text)
    if len(words) < 4:
        return None
    return words.without(rng.sample(range(len(words)), max(2, len(words) // 4)))


@rule("truncated", "omission")
def truncated(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """The last quarter of the words or more is cut off."""
    words = Words(text)
    if len(words) < 3:
        return None
    kept = rng.randint(max(1, len(words) // 3), max(1, len(words) * 3 // 4))
    return words.gaps[0] + words.span(0, kept - 1)


@rule("swapped-near", "order")
def swapped_near(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """Two neighboring words have changed places."""
    return _swapped(text, rng, 1, 1)


@rule("swapped-far", "order")
def swapped_far(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """Two words four places or more apart have changed places."""
    return _swapped(text, rng, 4, 1000)


def _swapped(text: str, rng: random.Random, nearest: int, farthest: int) -> str | None:
    words = Words(text)
    forms = [word.lower() for word in words.words]
    found = [
        (first, second)
        for first in range(len(forms))
        for second in range(first + nearest, min(len(forms), first + farthest + 1))
        if forms[first] != forms[second]
    ]
    if not found:
        return None
    first, second = rng.choice(found)
    changed = list(words.words)
    changed[first], changed[second] = changed[second], changed[first]
    return words.joined(changed)


@rule("shuffled", "order")
def shuffled(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """All words stand in random order."""
    words = Words(text)
    order = list(words.words)
    rng.shuffle(order)
    return words.joined(order)


@rule("digits-changed", "meaning")
def digits_changed(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """A number in digits is another one."""
    found = list(re.finditer(r"\d+(?:[.,]\d+)*", text))
    if not found:
        return None
    number = rng.choice(found)
    at = rng.choice([place for place in range(*number.span()) if text[place].isdecimal()])
    lowest = 1 if at == number.start() else 0
    digits = [str(digit) for digit in range(lowest, 10) if unicodedata.digit(text[at]) != digit]
    return text[:at] + rng.choice(digits) + text[at + 1 :]


@rule("misspelled", "spelling")
def misspelled(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """In one word two letters have changed places, or one is missing, doubled or another."""
    words = Words(text)
    at = some(rng, (at for at, word in enumerate(words.words) if len(word) > 3 and word.isalpha()))
    return (
        None if at is None else words.joined([*words.words[:at], _typo(words.words[at], rng), *words.words[at + 1 :]])
    )


@rule("misspelled-often", "spelling")
def misspelled_often(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """A third of the words is misspelled."""
    words = Words(text)
    long = [at for at, word in enumerate(words.words) if len(word) > 3 and word.isalpha()]
    if len(long) < 3:
        return None
    chosen = set(rng.sample(long, max(2, len(long) // 3)))
    return words.joined([_typo(word, rng) if at in chosen else word for at, word in enumerate(words.words)])


def _typo(word: str, rng: random.Random) -> str:
    at = rng.randrange(1, len(word) - 1)
    swapped = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    letters: list[str] = sorted({*word.lower()} - {word[at].lower()}) or ["x"]
    forms: list[str] = [
        swapped,
        word[:at] + word[at + 1 :],
        word[:at] + word[at] + word[at:],
        word[:at] + rng.choice(letters) + word[at + 1 :],
    ]
    return rng.choice([form for form in forms if form != word])


@rule("lower-cased", "casing")
def lower_cased(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """All capitals are lost."""
    return text.lower()


@rule("upper-cased", "casing")
def upper_cased(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """All letters are capitals."""
    return text.upper()


_FINAL = re.compile(r"\s*[.!?。！？।؟…]+(?=[\"'”’)»]*\s*$)")
_MARK = re.compile(r"[^\w\s]", re.UNICODE)


@rule("final-punctuation-dropped", "punctuation")
def final_punctuation_dropped(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """The full stop, question mark or exclamation mark at the end is missing."""
    return _FINAL.sub("", text)


@rule("final-punctuation-changed", "punctuation")
def final_punctuation_changed(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """A full stop at the end is a question mark, and the other way round."""
    return re.sub(
        r"[.?!。？！](?=[\"'”’)»]*\s*$)",
        lambda found: {".": "?", "。": "？", "？": "。", "！": "。"}.get(found[0], "."),
        text,
    )


@rule("punctuation-dropped", "punctuation")
def punctuation_dropped(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """All punctuation between and after words is missing."""
    words = Words(text)
    bare = [re.sub(r"\s+", " ", _MARK.sub("", gap)) for gap in words.gaps]
    changed = "".join(gap + word for gap, word in zip(bare, [*words.words, ""], strict=True)).strip()
    return changed if words.words and changed != text.strip() else None


@rule("punctuation-added", "punctuation")
def punctuation_added(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """A comma or a full stop breaks the text where there was none."""
    words = Words(text)
    at = some(rng, (at for at in range(len(words) - 1) if words.gaps[at + 1].isspace()))
    return (
        None
        if at is None
        else words.joined([*words.words[:at], words.words[at] + rng.choice(",.;"), *words.words[at + 1 :]])
    )


@rule("untranslated", "untranslated")
def untranslated(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """One or two words in a row are those of another language: of the source, if it is known."""
    words = Words(text)
    if len(words) < 2:
        return None
    long = [at for at, word in enumerate(words.words) if len(word) > 3] or list(range(len(words)))
    at = rng.choice(long)
    last = min(at + rng.randint(0, 1), len(words) - 1)
    own = {word.lower() for word in words.words}
    source = [word for word in Words(context.source or "").words if len(word) > 3 and word.lower() not in own]
    spare = source or _foreign(context.language)
    changed = {place: rng.choice(spare) for place in range(at, last + 1)}
    return words.replaced(changed)


@functools.lru_cache(maxsize=8)
def _foreign(language: str) -> list[str]:
    return foreign_words(language)


@rule("source-copied", "untranslated")
def source_copied(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """The source takes the place of the text."""
    return context.source or None


@rule("other-text", "degenerate")
def other_text(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """A fluent text of another segment, about as long, takes the place of the text."""
    return another_text(rng, context)


@rule("empty", "degenerate")
def empty(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """There is no text."""
    return ""


@rule("frequent-words-only", "degenerate")
def frequent_words_only(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """As many of the most frequent words of the language as the text has words, in random order."""
    frequent = frequent_words(context.language, context.texts)
    count = len(Words(text))
    return " ".join(rng.choice(frequent) for _ in range(count)) if frequent and count > 1 else None


@rule("one-word-only", "degenerate")
def one_word_only(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """One word of the text, as often as the text has words."""
    words = Words(text).words
    return " ".join([rng.choice(words)] * len(words)) if len(words) > 1 else None


@rule("quotes", "writing", kind="harmless")
def quotes(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """Quotation marks and apostrophes are curly instead of straight, or the other way round."""
    if re.search("[‘’“”]", text):
        return text.translate({0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"'})
    text = re.sub(r'(?<!\w)"(?=\w)', "“", text).replace('"', "”")
    return re.sub(r"(?<!\w)'(?=\w)", "‘", text).replace("'", "’")


@rule("unicode-form", "writing", kind="harmless")
def unicode_form(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """Letters with accents are decomposed, or composed; spaces before units and dashes have another code."""
    other = unicodedata.normalize("NFD", text)
    if other == text:
        other = unicodedata.normalize("NFC", text)
    return re.sub(r"(?<=\w)-(?=\w)", "\u2010", other) if other == text else other


@rule("spaces", "writing", kind="harmless")
def spaces(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """A space is doubled, another is one that does not break, and one more is at the end."""
    places = [match.start() for match in re.finditer(r"(?<=\S) (?=\S)", text)]
    if not places:
        return None
    first, second = rng.choice(places), rng.choice(places)
    changed = text[:first] + "\u00a0" + text[first + 1 :]
    return changed[:second] + changed[second] + " " + changed[second + 1 :] + " "
