"""METEOR as nltk computes it, in each of its forms.

nltk's ``translate.meteor_score`` follows Banerjee and Lavie (2005) and Lavie and Agarwal (2007): words are matched
greedily, from the last to the first, in three stages (equal forms, equal Porter stems, WordNet's synonyms), and

    Fmean = P·R / (α·P + (1 − α)·R),   score = Fmean · (1 − γ·(chunks/matches)^β).

This is written from its documentation and from what its releases answer; ``benchmarks/parity/which_nltk.py`` compares
number by number. Releases differ in four ways:

- up to 3.6.2, words that the stage of stems matched stay for the stage of synonyms, which sees their forms: a word may
  match twice. From 3.6.3 on, words left over go on as their stems, so that most synonyms are not found.
- up to 3.6.3, texts are strings, split at white space; from 3.6.5 on, they are lists of words.
- up to 3.5, ``meteor_score`` lowercases whatever its ``preprocess`` is; ``single_meteor_score`` does as it is told.
- from 3.9 on, WordNet's rules for base forms are applied once.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from meteor_e_evaluation.which.wordnet import WordNet

Pair = tuple[int, int]


@dataclass(frozen=True)
class Release:
    """What releases of nltk have in common.

    Attributes:
        name: the releases, such as ``3.6.3-3.8.2``.
        stems_go_on: words left over go to the stage of synonyms as stems.
        rules_again: WordNet's rules are applied again to what they gave.
        since: the year of the first of them.
    """

    name: str
    stems_go_on: bool
    rules_again: bool
    since: int


RELEASES = (
    Release("3.4.1-3.6.2", False, True, 2019),
    Release("3.6.3-3.8.2", True, True, 2021),
    Release(">=3.9", True, False, 2024),
)
"""All forms of nltk's METEOR, the oldest first."""


def emulated(version: str) -> Release:
    """Return the form of METEOR that a version of nltk has, such as ``3.6.6``."""
    numbers = tuple(int(part) for part in version.split(".")[:3] if part.isdecimal())
    return RELEASES[(numbers >= (3, 6, 3)) + (numbers >= (3, 9))]


def statistics(
    hypothesis: Sequence[str],
    reference: Sequence[str],
    release: Release,
    wordnet: WordNet,
    stem: Callable[[str], str],
) -> tuple[int, int, int, int]:
    """Return words of the hypothesis and of the reference, matches and chunks.

    Args:
        hypothesis: its words, in lower case where the program lowercases.
        reference: its words, likewise.
        release: which nltk.
        wordnet: for synonyms.
        stem: Porter's stemmer, as nltk has it.
    """
    left, right = list(enumerate(hypothesis)), list(enumerate(reference))
    pairs = _matched(left, right, lambda word, other: word == other)
    stems = [(at, stem(word)) for at, word in left], [(at, stem(word)) for at, word in right]
    pairs += _matched(*stems, lambda word, other: word == other)
    if release.stems_go_on:
        left, right = stems
    again = release.rules_again
    pairs += _matched(left, right, lambda word, other: other in wordnet.synonyms(word, again))
    pairs.sort(key=lambda pair: pair[0])
    follows = (one[0] + 1 == two[0] and one[1] + 1 == two[1] for one, two in itertools.pairwise(pairs))
    return len(hypothesis), len(reference), len(pairs), len(pairs) - sum(follows)


def _matched(
    left: list[tuple[int, str]], right: list[tuple[int, str]], match: Callable[[str, str], bool]
) -> list[Pair]:
    """Take matching words out of both lists, from the last to the first, and return their places."""
    pairs = []
    for i in range(len(left) - 1, -1, -1):
        for j in range(len(right) - 1, -1, -1):
            if match(left[i][1], right[j][1]):
                pairs.append((left.pop(i)[0], right.pop(j)[0]))
                break
    return pairs


def scores(counts: NDArray[np.int64], alpha: float, beta: float, gamma: float) -> NDArray[np.float64]:
    """Score statistics, ``(…, 4)``: nltk's METEOR of each; 0 where nothing matches.

    Args:
        counts: as :func:`statistics` returns them.
        alpha: weight of precision in Fmean's denominator.
        beta: exponent of the fragmentation.
        gamma: largest penalty.
    """
    hypothesis, reference, matches, chunks = np.moveaxis(counts.astype(float), -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision, recall = matches / hypothesis, matches / reference
        mean = precision * recall / (alpha * precision + (1 - alpha) * recall)
        result: NDArray[np.float64] = np.where(matches > 0, mean * (1 - gamma * (chunks / matches) ** beta), 0.0)
    return result


@functools.cache
def porter_stemmer() -> Callable[[str], str]:
    """Return Porter's stemmer with nltk's extensions, which no release has changed; each word is stemmed once."""
    from nltk.stem.porter import PorterStemmer  # type: ignore[import-untyped]

    return functools.lru_cache(maxsize=200_000)(PorterStemmer().stem)
