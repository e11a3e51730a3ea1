"""A detector of captions that are not whole sentences: a linear model of neighboring words and of repetitions.

It was trained on captions that people wrote, and on the same captions with an error: cut off, with a loose end,
repeated, without a conjunction, verb or noun, with words swapped. FENSE (Zhou et al., 2022) found such a detector to
matter for machine-made captions. Words are seen as classes: function words are their own class, others are classed by
their ending. So the model depends little on the subject.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from meteor_e_captions.grouping import distinct, group
from meteor_e_captions.lexicon import word_class

if TYPE_CHECKING:
    from meteor_e.base.array_cache import Floats, Integers
    from meteor_e_captions.lexicon import CaptionLexicon, EncodedCaptions, WordColumns

REPETITIONS = ("repeated words", "repeated pairs", "repeated triples", "doubled words", "longest repetition",
               "too short", "share of repeated words")  # fmt: skip


def _longest_repeated(words: Sequence[str]) -> tuple[int, int]:
    """Return the length of the longest sequence of words that comes twice, and where it begins the second time."""
    found = 0, 0
    for length in range(1, len(words) // 2 + 1):
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


def repetitions(columns: WordColumns, texts: EncodedCaptions) -> Floats:
    """Return what captions repeat, as :data:`REPETITIONS` names it: ``(texts, 7)``; function words may come twice."""
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
        numbers = group(numbers[:-1] * size + words[length - 1 :]).inverse
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


class BrokenDetector:
    """The model.

    Args:
        weights: of pairs and triples of classes.
        repeated: of :data:`REPETITIONS`.
        intercept: of a caption without any of them.
    """

    def __init__(self, weights: Mapping[str, float], repeated: Sequence[float], intercept: float) -> None:
        self._weights, self._repeated, self._intercept = weights, list(repeated), intercept

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

    def logits(self, lexicon: CaptionLexicon, texts: EncodedCaptions) -> Floats:
        """Return the sum of weights of each caption's words; positive if it is rather broken, 20 without words."""
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
        totals += repetitions(known, texts) @ np.array(self._repeated)
        # Weights have three decimals: rounding makes the sum the same in every order.
        result: Floats = np.where(lengths == 0, 20.0, np.round(totals, 6))
        return result

    def reasons(self, words: Sequence[str], *, repeats: bool) -> list[str]:
        """Say in words why a caption is taken for broken, the strongest reason first.

        Args:
            words: of the caption.
            repeats: whether it has one of the first five of :data:`REPETITIONS`.
        """
        if not words:
            return ["it has no words"]
        reasons = []
        if repeats:
            length, start = _longest_repeated(words)
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
