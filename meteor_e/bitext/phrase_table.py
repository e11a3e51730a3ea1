"""Moses phrase tables: ``pivot ||| phrase ||| p(pivot|phrase) lex p(phrase|pivot) lex …``."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from meteor_e.bitext.phrases import PhrasePairs, Phrases
from meteor_e.errors import InputError
from meteor_e.formats.files import PathLike, input_name
from meteor_e.formats.plain import read_segments
from meteor_e.packs.progress import Progress

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["read_phrase_table"]


class _Side:
    """The phrases of a side, numbered by first appearance; those that are not wanted have the number -1."""

    def __init__(self, wanted: Callable[[list[str]], bool]) -> None:
        self._wanted = wanted
        self._numbers: dict[str, int] = {}
        self._words: dict[str, int] = {}
        self._row: list[int] = []
        self._lengths: list[int] = []

    def number(self, phrase: str) -> int:
        number = self._numbers.get(phrase)
        if number is None:
            words = phrase.split()
            if not self._wanted(words):
                return -1
            number = self._numbers[phrase] = len(self._numbers)
            self._row.extend([self._words.setdefault(word, len(self._words)) for word in words])
            self._lengths.append(len(words))
        return number

    def phrases(self) -> Phrases:
        import numpy as np

        lengths = np.array(self._lengths, np.int64)
        places = np.cumsum(lengths) - lengths
        return Phrases(np.array(self._row, np.uint32), places, lengths.astype(np.uint8), list(self._words))


class Row(NamedTuple):
    """A line of a phrase table."""

    first: str
    second: str
    first_given_second: float
    second_given_first: float


def read_phrase_table(
    path: PathLike,
    wanted: Callable[[list[str]], bool],
    wanted_pivot: Callable[[list[str]], bool],
    *,
    first: bool = False,
    least_probability: float = 0.0,
    progress: Progress,
) -> PhrasePairs:
    """Read a phrase table, plain or gzip.

    Args:
        path: the file. It need not be sorted; a pair that it has twice counts twice, as in METEOR's program.
        wanted: whether a phrase of the pack's language, as words, may be a paraphrase or have one.
        wanted_pivot: whether a phrase of the pivot language may lead from one to the other.
        first: the pack's language is the table's first column; by default it is the second, as METEOR has it.
        least_probability: pairs with both probabilities below are left out.
        progress: told how far it is.

    Raises:
        InputError: for a line that is malformed, naming file and line.
    """
    import numpy as np

    name = input_name(path)
    phrases, pivots = _Side(wanted), _Side(wanted_pivot)
    numbers: list[tuple[int, int]] = []
    probabilities: list[tuple[float, float]] = []
    kept: list[tuple[NDArray[np.uint32], NDArray[np.float64]]] = [
        (np.zeros((0, 2), np.uint32), np.zeros((0, 2), np.float64))
    ]

    def put_away() -> None:
        if numbers:
            kept.append((np.array(numbers, np.uint32), np.array(probabilities, np.float64)))
            numbers.clear()
            probabilities.clear()

    for count, line in enumerate(read_segments(path), 1):
        row = _row(line, name, count)
        phrase, pivot = (row.first, row.second) if first else (row.second, row.first)
        to_pivot, from_pivot = row.first_given_second, row.second_given_first
        if first:
            to_pivot, from_pivot = from_pivot, to_pivot
        if to_pivot < least_probability and from_pivot < least_probability:
            continue
        pivot_number = pivots.number(pivot)
        number = phrases.number(phrase) if pivot_number >= 0 else -1
        if number >= 0:
            numbers.append((number, pivot_number))
            probabilities.append((to_pivot, from_pivot))
        if count % 100_000 == 0:
            put_away()
            progress("reading the phrase table", count, None)
    put_away()
    progress("reading the phrase table", 1, 1)
    pairs = np.concatenate([part[0] for part in kept])
    values = np.concatenate([part[1] for part in kept])
    return PhrasePairs(
        phrases.phrases(),
        pivots.phrases(),
        np.ascontiguousarray(pairs[:, 0]),
        np.ascontiguousarray(pairs[:, 1]),
        np.ascontiguousarray(values[:, 0]),
        np.ascontiguousarray(values[:, 1]),
    )


def _row(line: str, name: str, number: int) -> Row:
    parts = [part.strip() for part in line.split("|||")]
    if len(parts) < 3 or not parts[0] or not parts[1]:
        raise InputError(
            f"{name}, line {number}: expected 'phrase ||| phrase ||| probabilities', found {line[:60].strip()!r}"
        )
    scores = parts[2].split()
    try:
        first, second = float(scores[0]), float(scores[2])
    except (IndexError, ValueError):
        first = math.nan
    if not (0 <= first <= 1 and 0 <= second <= 1):
        raise InputError(
            f"{name}, line {number}: expected probabilities p(first|second) lex p(second|first) lex …, "
            f"found {parts[2][:60]!r}"
        )
    if max(len(parts[0].split()), len(parts[1].split())) > 255:
        raise InputError(f"{name}, line {number}: a phrase of more than 255 words")
    return Row(parts[0], parts[1], first, second)
