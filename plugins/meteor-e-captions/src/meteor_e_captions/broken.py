"""Whether a caption is a whole sentence: a linear model of what stands side by side, and of repetitions.

It was trained on captions that people wrote, and on the same captions with an error: cut off, with a loose end,
repeated, without a conjunction, verb or noun, with words swapped. FENSE (Zhou et al., 2022) found such a detector to
matter for machine-made captions. Words are seen as classes: function words are their own class, others are classed by
their ending. So the model depends little on the subject.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from operator import eq
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from meteor_e_captions.grouping import distinct, grouped
from meteor_e_captions.lexicon import FUNCTION_WORDS, NO_CONTENT, word_class

if TYPE_CHECKING:
    from meteor_e.base.array_cache import Floats, Integers
    from meteor_e_captions.lexicon import Lexicon, Texts, WordColumns

REPETITIONS = ("repeated words", "repeated pairs", "repeated triples", "doubled words", "longest repetition",
               "too short", "share of repeated words")  # fmt: skip


def neighbors(words: Sequence[str]) -> set[str]:
    """Return the pairs and triples of classes of a caption, with ``^`` before its first and ``$`` after its last."""
    classes = ["^", *map(word_class, words), "$"]
    found = {f"{one} {other}" for one, other in pairwise(classes)}
    found.update(map(" ".join, zip(classes, classes[1:], classes[2:], strict=False)))
    return found


def repetitions(words: Sequence[str]) -> list[float]:
    """Return what a caption repeats, as :data:`REPETITIONS` names it."""
    size = len(words)
    if len(set(words)) == size:
        return [0.0, 0.0, 0.0, 0.0, 0.0, float(size < 4), 0.0]
    content = [word for word in words if word not in NO_CONTENT]
    single = len(content) - len(set(content))
    pairs = list(pairwise(words))
    telling_pairs = triples = 0
    longest = min(single, 1)  # of single words, only content words count
    if len(set(pairs)) < len(pairs):
        telling = [pair for pair in pairs if not (pair[0] in FUNCTION_WORDS and pair[1] in FUNCTION_WORDS)]
        telling_pairs = len(telling) - len(set(telling))
        triples = size - 2 - len(set(zip(words, words[1:], words[2:], strict=False)))
        longest = _longest_repeated(words, min(8, size // 2))[0]
    doubled = sum(map(eq, words, words[1:]))
    some = map(float, (min(single, 3), min(telling_pairs, 3), min(triples, 3), min(doubled, 2), longest, size < 4))
    return [*some, single / max(1, len(content))]


def _longest_repeated(words: Sequence[str], most: int) -> tuple[int, int]:
    """Return the length of the longest sequence of words that comes twice, at most ``most``, and where it begins."""
    found = 0, 0
    for length in range(1, most + 1):
        seen: set[tuple[str, ...]] = set()
        for start, sequence in enumerate(zip(*(words[first:] for first in range(length)), strict=False)):
            if sequence in seen:
                found = length, start
                break
            seen.add(sequence)
        else:  # What comes twice has parts that come twice.
            break
    return found


def _repeats(keys: Integers, text_of: Integers, count: int) -> Integers:
    """Return for each text how many of its keys it had before."""
    span = int(keys.max(initial=0)) + 1
    ordered = np.sort(text_of * span + keys)
    repeats: Integers = np.bincount(ordered[1:][ordered[1:] == ordered[:-1]] // span, minlength=count)
    return repeats


def all_repetitions(columns: WordColumns, texts: Texts) -> Floats:
    """Return :func:`repetitions` of texts: ``(texts, 7)``."""
    words, text_of, lengths = texts.words, texts.of, texts.lengths
    count, size = len(lengths), len(columns.stem)
    telling, function = columns.telling[words], columns.function[words]
    content = words[telling], text_of[telling]
    single = _repeats(*content, count)
    same = text_of[1:] == text_of[:-1]
    pairs, pair_of = words[:-1] * size + words[1:], text_of[1:]
    more = _repeats(pairs[same], pair_of[same], count) > 0
    longest, triples = np.where(more, 2, np.minimum(single, 1)), np.zeros(count, np.int64)
    kept = more[text_of]
    words, text_of = words[kept], text_of[kept]
    numbers = words
    for length in range(2, 9 if more.any() else 2):
        numbers = grouped(numbers[:-1] * size + words[length - 1 :]).inverse
        first = text_of[: len(numbers)]
        within = first == text_of[length - 1 :]
        repeats = _repeats(numbers[within], first[within], count)
        if not repeats.any():
            break
        longest[repeats > 0] = length
        if length == 3:
            triples = repeats
    doubled = same & (pairs // size == pairs % size)
    told = same & ~(function[1:] & function[:-1])
    return np.stack(
        [
            np.minimum(single, 3),
            np.minimum(_repeats(pairs[told], pair_of[told], count), 3),
            np.minimum(triples, 3),
            np.minimum(np.bincount(pair_of[doubled], minlength=count), 2),
            np.where(more, np.minimum(longest, lengths // 2), longest),
            lengths < 4,
            single / np.maximum(1, np.bincount(content[1], minlength=count)),
        ],
        axis=1,
    )


class Broken(NamedTuple):
    """What the detector says of a caption.

    Attributes:
        probability: that it is broken.
        logit: the same as a sum of weights.
        reasons: what speaks for it, the strongest first, in words; empty for a caption that is probably whole.
    """

    probability: float
    logit: float
    reasons: list[str]


class BrokenDetector:
    """The model.

    Args:
        weights: of pairs and triples of classes.
        repeated: of :data:`REPETITIONS`.
        intercept: of a caption without any of them.
    """

    def __init__(self, weights: Mapping[str, float], repeated: Sequence[float], intercept: float) -> None:
        self._weights, self._repeated, self._intercept = weights, list(repeated), intercept

    def numbers(self) -> tuple[Mapping[str, float], list[float], float]:
        """Return all weights, as the class takes them."""
        return self._weights, self._repeated, self._intercept

    def logit(self, words: Sequence[str]) -> float:
        """Return the sum of weights of a caption's words; positive if it is rather broken."""
        get = self._weights.get
        total = self._intercept + sum([get(each, 0.0) for each in sorted(neighbors(words))])
        return total + sum(weight * value for weight, value in zip(self._repeated, repetitions(words), strict=True))

    @cached_property
    def _tables(self) -> tuple[dict[str, int], dict[int, tuple[Integers, Floats]]]:
        """Numbers of classes; and the sorted numbers of pairs and of triples of them, with their weights."""
        split = {tuple(key.split(" ")): weight for key, weight in self._weights.items()}
        classes = sorted({"^", "$", *(each for parts in split for each in parts)})
        names = {name: number for number, name in enumerate(classes, 1)}
        size = len(names) + 1
        tables = {}
        for order in (2, 3):
            known = sorted(
                (sum(names[each] * size**place for place, each in enumerate(parts)), weight)
                for parts, weight in split.items()
                if len(parts) == order
            )
            tables[order] = np.array([key for key, _ in known], np.int64), np.array([weight for _, weight in known])
        return names, tables

    def logits(self, lexicon: Lexicon, texts: Texts) -> Floats:
        """Return :meth:`logit` of many captions."""
        words, lengths, count = texts.words, texts.lengths, len(texts.lengths)
        known = lexicon.columns
        names, tables = self._tables
        size = len(names) + 1
        # A caption's classes stand between a start and an end.
        text_of = np.repeat(np.arange(count), lengths + 2)
        starts = np.cumsum(lengths + 2) - lengths - 2
        classes = np.full(len(text_of), names["^"])
        classes[starts + lengths + 1] = names["$"]
        inner = np.ones(len(text_of), bool)
        inner[starts] = inner[starts + lengths + 1] = False
        # Classes without a weight are one, number 0.
        numbers = np.array([names.get(name, 0) for name in lexicon.class_names], np.int64)
        classes[inner] = numbers[known.word_class[words]] if len(words) else 0
        totals = np.full(count, self._intercept)
        for order, (keys, weights) in tables.items():
            if not len(keys) or len(classes) < order:
                continue
            stop = len(classes) - order + 1
            found = sum(classes[place : stop + place] * size**place for place in range(order))
            same = text_of[:stop] == text_of[order - 1 :]
            # Each neighborhood counts once.
            each = distinct(text_of[:stop][same] * size**order + found[same])
            text, key = np.divmod(each, size**order)
            at = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
            totals += np.bincount(text, np.where(keys[at] == key, weights[at], 0.0), count)
        # Weights have three decimals: rounding makes the sum the same in every order.
        result: Floats = np.round(totals + all_repetitions(known, texts) @ np.array(self._repeated), 6)
        return result

    def explain(self, words: Sequence[str]) -> Broken:
        """Say how probably a caption is broken, and why."""
        if not words:
            return Broken(1.0, math.inf, ["it has no words"])
        logit = self.logit(words)
        reasons = self._reasons(words) if logit > 0 else []
        return Broken(1 / (1 + math.exp(-max(min(logit, 500.0), -500.0))), logit, reasons)

    def _reasons(self, words: Sequence[str]) -> list[str]:
        reasons = []
        length, start = _longest_repeated(words, len(words) // 2)
        if any(repetitions(words)[:5]):
            reasons.append(f"it repeats '{' '.join(words[start : start + length])}'")
        classes = ["^", *map(word_class, words), "$"]
        shown = ["", *words, ""]
        found = []
        for size in (2, 3):
            for at in range(len(classes) - size + 1):
                weight = self._weights.get(" ".join(classes[at : at + size]), 0.0)
                found.append((weight, size, at))
        for weight, size, at in sorted(found, reverse=True)[:2]:
            ended = bool(reasons) and reasons[-1].startswith("it ends")
            if weight < _TELLING or (ended and at + size >= len(shown) - 1):
                continue
            text = " ".join(filter(None, shown[at : at + size]))
            end = at + size == len(shown)
            reasons.append(f"it ends with '{text}'" if end else f"'{text}' is unusual")
        return reasons


_TELLING = 0.9
"""Weight from which on two or three words side by side are named as a reason."""
