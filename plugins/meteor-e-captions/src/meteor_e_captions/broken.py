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
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from meteor_e_captions.grouping import distinct
from meteor_e_captions.lexicon import COLORS, FUNCTION_WORDS, NUMBERS, word_class

if TYPE_CHECKING:
    from meteor_e.toolkit import Cells, Floats, Integers
    from meteor_e_captions.lexicon import Lexicon, Texts

REPETITIONS = ("repeated words", "repeated pairs", "repeated triples", "doubled words", "longest repetition",
               "too short", "share of repeated words")  # fmt: skip


def neighbors(words: Sequence[str]) -> set[str]:
    """Return the pairs and triples of classes of a caption, with ``^`` before its first and ``$`` after its last."""
    classes = ["^", *map(word_class, words), "$"]
    found = {f"{one} {other}" for one, other in pairwise(classes)}
    found.update(map(" ".join, zip(classes, classes[1:], classes[2:], strict=False)))
    return found


def _content(word: str) -> bool:
    return word not in FUNCTION_WORDS and word not in COLORS and word not in NUMBERS


def repetitions(words: Sequence[str]) -> list[float]:
    """Return what a caption repeats, as :data:`REPETITIONS` names it."""
    size = len(words)
    if len(set(words)) == size:
        return [0.0, 0.0, 0.0, 0.0, 0.0, float(size < 4), 0.0]
    content = [word for word in words if _content(word)]
    single = len(content) - len(set(content))
    pairs = list(pairwise(words))
    telling = [pair for pair in pairs if not (pair[0] in FUNCTION_WORDS and pair[1] in FUNCTION_WORDS)]
    triples = list(zip(words, words[1:], words[2:], strict=False))
    doubled = len(pairs) - len(set(pairs))
    # Of single words, only content words count.
    longest = _longest_repeated(words, min(8, size // 2))[0] if doubled else min(single, 1)
    return [
        float(min(single, 3)),
        float(min(len(telling) - len(set(telling)), 3)),
        float(min(len(triples) - len(set(triples)), 3)),
        float(min(sum(one == other for one, other in pairs), 2)),
        float(longest),
        float(size < 4),
        single / max(1, len(content)),
    ]


def _longest_repeated(words: Sequence[str], most: int) -> tuple[int, int]:
    """Return the length of the longest sequence of words that comes twice, at most ``most``, and where it begins."""
    found = 0, 0
    for length in range(1, most + 1):
        seen: set[tuple[str, ...]] = set()
        for start in range(len(words) - length + 1):
            sequence = tuple(words[start : start + length])
            if sequence in seen:
                found = length, start
                break
            seen.add(sequence)
        else:  # What comes twice has parts that come twice.
            break
    return found


def _repeating(words: Integers, text_of: Integers, telling: Cells) -> Integers:
    """Return the texts that have a content word or a pair of words twice, or a word twice in a row."""
    if not len(words):
        return np.empty(0, np.int64)
    size = int(words.max()) + 1
    pairs = words[:-1] * size + words[1:]
    same = text_of[:-1] == text_of[1:]
    found = [text_of[1:][same & (words[1:] == words[:-1])]]
    for keys, texts in ((words[telling], text_of[telling]), (pairs[same], text_of[:-1][same])):
        ordered = np.sort(texts * size**2 + keys)
        found.append(ordered[1:][ordered[1:] == ordered[:-1]] // size**2)
    return distinct(np.concatenate(found))


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
        classes[inner] = numbers[lexicon.columns.word_class[words]] if len(words) else 0
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
        # Most captions repeat function words only.
        plain = np.array([0.0] * len(self._repeated))
        repeated = np.tile(plain, (count, 1))
        repeated[:, REPETITIONS.index("too short")] = lengths < 4
        ends = np.cumsum(lengths)
        for at in _repeating(words, texts.of, lexicon.columns.telling[words]).tolist():
            own = words[ends[at] - lengths[at] : ends[at]]
            repeated[at] = repetitions([lexicon.words[word] for word in own.tolist()])
        # Weights have three decimals: rounding makes the sum the same in every order.
        result: Floats = np.round(totals + repeated @ np.array(self._repeated), 6)
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
