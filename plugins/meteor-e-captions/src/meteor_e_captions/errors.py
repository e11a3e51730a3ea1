"""Errors put into captions that people wrote: what the detector of broken captions and the metrics learn from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from meteor_e_captions.lexicon import COLORS, FUNCTION_WORDS, NUMBERS, OPPOSITES

if TYPE_CHECKING:
    from random import Random

ERRORS = ("cut", "tail", "repeated", "conjunction", "verb", "swapped", "noun")


def _listed(text: str) -> list[str]:
    return text.split()


_CONJUNCTIONS = ("and", "while", "as", "with", "but", "or", "then")
_DETERMINERS = frozenset(_listed("a an the his her their its this that these those some my your our"))
_CAN_END = frozenset(
    _listed(
        "up down out off around there him her it them together himself herself one another others behind by along on "
        "over through across outside inside something someone themselves about near below above nearby each too then"
    )
)
_TAILS = ("and a", "and", "with a", "in the", "while a", "as a", "and the", "of a", "in a", "on the", "and then",
          "then a", "with", "is", "a")  # fmt: skip


def _function(word: str) -> bool:
    return word in FUNCTION_WORDS


def break_caption(words: list[str], rng: Random) -> tuple[str, list[str]] | None:
    """Return the kind of an error and a caption's words with it; ``None`` if the caption has no place for it."""
    kind = rng.choice(("cut", "cut", "tail", "repeated", "repeated", "conjunction", "verb", "swapped", "noun"))
    if len(words) < 5:
        return None
    broken = _MAKERS[kind](list(words), rng)
    return None if broken is None or broken == words else (kind, broken)


def _cut(words: list[str], rng: Random) -> list[str] | None:
    ends = [
        end
        for end in range(3, len(words))
        if (_function(words[end - 1]) and words[end - 1] not in _CAN_END)
        or (words[end - 1] in COLORS and not _function(words[end]))
    ]
    return words[: rng.choice(ends)] if ends else None


def _tail(words: list[str], rng: Random) -> list[str] | None:
    return words + rng.choice(_TAILS).split()


def _repeated(words: list[str], rng: Random) -> list[str] | None:
    way, size = rng.randrange(4), len(words)
    if way == 0:  # a clause again
        length = rng.randint(3, min(8, size))
        start = rng.randint(0, size - length)
        clause = words[start : start + length]
        joined = [rng.choice(("and", "while", "then", "as"))] if rng.random() < 0.7 else []
        return words + joined + clause if sum(not _function(word) for word in clause) > 1 else None
    if way == 1:  # some words twice
        length = rng.randint(1, 4)
        end = rng.randint(0, size - length) + length
        return words[:end] + words[end - length :]
    if way == 2:  # everything twice
        return [*words, "and", *words]
    length = rng.randint(1, 3)
    starts = [
        at for at in range(size - length + 1) if not _function(words[at]) and not _function(words[at + length - 1])
    ]
    if not starts:
        return None
    start = rng.choice(starts)
    return [*words[: start + length], "and", *words[start:]]


def _without_conjunction(words: list[str], rng: Random) -> list[str] | None:
    places = [at for at in range(2, len(words) - 2) if words[at] in _CONJUNCTIONS]
    if not places:
        return None
    at = rng.choice(places)
    return words[:at] + words[at + 1 :]


def _without_verb(words: list[str], rng: Random) -> list[str] | None:
    def participle(at: int) -> bool:
        return words[at].endswith("ing") and len(words[at]) > 5

    places = [at for at in range(1, len(words) - 1) if words[at] in ("is", "are") or participle(at)]
    if not places:
        return None
    at = rng.choice(places)
    if words[at] in ("is", "are") and participle(at + 1):
        return words[:at] + words[at + 2 :] if len(words) > at + 3 else None
    start = at - 1 if words[at - 1] in ("is", "are") and rng.random() < 0.6 else at
    return words[:start] + words[at + 1 :]


def _swapped(words: list[str], rng: Random) -> list[str] | None:
    if rng.random() < 0.5:
        one = rng.randrange(len(words) - 1)
        other = one + 1
    else:
        one, other = rng.sample(range(len(words)), 2)
    words[one], words[other] = words[other], words[one]
    return words


def _without_noun(words: list[str], rng: Random) -> list[str] | None:
    places = [
        at
        for at in range(1, len(words) - 1)
        if words[at - 1] in _DETERMINERS
        and not _function(words[at])
        and _function(words[at + 1])
        and words[at + 1] not in _DETERMINERS
    ]
    if not places:
        return None
    at = rng.choice(places)
    return words[:at] + words[at + 1 :]


_MAKERS = dict(
    zip(
        ERRORS,
        (_cut, _tail, _repeated, _without_conjunction, _without_verb, _swapped, _without_noun),
        strict=True,
    )
)


def contradict(words: list[str], rng: Random) -> list[str] | None:
    """Return a caption with an opposite, another number or another color; ``None`` if it has no word for it."""
    places = [
        at for at, word in enumerate(words) if word in OPPOSITES or word in COLORS or (1 < NUMBERS.get(word, 0) < 100)
    ]
    if not places:
        return None
    at = rng.choice(places)
    word = words[at]
    if word in COLORS:
        others: tuple[str, ...] = ("red", "blue", "green", "yellow", "black", "white", "brown")
    else:
        others = OPPOSITES.get(word) or ("two", "three", "four", "five")
    return [*words[:at], rng.choice([other for other in others if other != word]), *words[at + 1 :]]
