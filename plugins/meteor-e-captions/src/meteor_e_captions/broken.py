"""Whether a caption is a whole sentence: a linear model of what stands side by side, and of repetitions.

It was trained on captions that people wrote, and on the same captions with an error: cut off, with a loose end,
repeated, without a conjunction, verb or noun, with words swapped. FENSE (Zhou et al., 2022) found such a detector to
matter for machine-made captions. Words are seen as classes: function words are their own class, others are classed by
their ending. So the model depends little on the subject.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from meteor_e_captions.lexicon import COLORS, FUNCTION_WORDS, NUMBERS

REPETITIONS = ("repeated words", "repeated pairs", "repeated triples", "doubled words", "longest repetition",
               "too short", "share of repeated words")  # fmt: skip
_OWN_CLASS = FUNCTION_WORDS | frozenset(["front", "top", "side", "back", "much"])


@cache
def word_class(word: str) -> str:
    """Return the class of a word."""
    if word in _OWN_CLASS:
        return word
    if word in COLORS:
        return "<color>"
    if word[0].isdigit() or word in NUMBERS:
        return "<number>"
    for ending, least in (("ing", 4), ("ed", 3), ("ly", 4)):
        if len(word) > least and word.endswith(ending):
            return f"<-{ending}>"
    return "<-s>" if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else "<word>"


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
    longest, _ = _longest_repeated(words, min(8, size // 2))
    if longest == 1 and not single:
        longest = 0
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
            if weight < _TELLING:
                continue
            text = " ".join(filter(None, shown[at : at + size]))
            end = at + size == len(shown)
            reasons.append(f"it ends with '{text}'" if end else f"'{text}' is unusual")
        return reasons


_TELLING = 0.9
"""Weight from which on two or three words side by side are named as a reason."""
