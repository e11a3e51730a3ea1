"""Errors that no reference excuses: polarity, numbers, repetition, additions, omissions, the mark at the end."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ConfigError, Feature, FeatureBatch
from meteor_e_learned.counting import Pairs, mean_over_references, segment_pairs, words
from meteor_e_learned.features.word_classes import WORD_CLASSES, listed, word_kinds

if TYPE_CHECKING:
    from typing_extensions import Self

    from meteor_e.api import MatcherContext

Floats = NDArray[np.float64]

_CLASSES = tuple(WORD_CLASSES)
_NEGATION = _CLASSES.index("negation")
_NUMBER, _MARK, _CONTENT = (len(_CLASSES) + step for step in range(3))
_NUMERALS = listed(
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion"
)
_DENIALS = WORD_CLASSES["negation"] - {"t"} | {"without", "neither"}
_IMPLIED = listed(
    "absence absent avoid avoided avoiding avoids ban banned barely cease ceased denied denies deny denying disagree "
    "disagreed disagrees dislike dislikes except fail failed failing fails failure far few forbid forbidden forbids "
    "ignore ignored illegal impossible improbable incapable inability insufficient instead lack lacked lacking "
    "lacks little lose loses lost miss missed misses missing neglect neglected negative only prevent prevented "
    "preventing prevents prohibit prohibited rarely rather refusal refuse refused refuses refusing reject rejected "
    "rejects scarcely seldom stop stopped stops too unable uncertain unclear unexpected unfortunately unhappy unknown "
    "unlike unlikely unnecessary unless unwilling"
)
"""Words that deny without a word of negation: one text may use them where another says "not"."""
_MODALS = listed("will would shall should can could may might must ought cannot need ca wo sha")
_ENDING = re.compile(r"(?<=\w{3})(?:e?s|e?d|ing|e)$")
_END = frozenset(".!?…。")


class ErrorsFeature(Feature):
    """Counts of errors in a hypothesis that none of its references excuses (English); 0 where there is no error.

    Every number is the least over the references, so one reference that agrees is enough. Each has one right sign:
    the more, the worse. ``*_share`` is over the words of the hypothesis (added) or of the reference (missing).
    """

    name: ClassVar[str] = "errors"
    columns: ClassVar[tuple[str, ...]] = (
        *("negation", "negation_added", "negation_missing", "negation_moved"),
        *("number", "repeated_content", "repeated_pairs", "doubled"),
        *("added", "missing", "added_share", "missing_share", "added_function", "missing_function"),
        *("end_missing", "end_changed", "end_added", "marks_missing", "marks_added"),
        *(f"{what}_{kind}" for what in ("inserted", "skipped") for kind in ("content", "function", "mark", "several")),
        *("swapped", "denied", "undenied", "polarity", "modal"),
    )

    @classmethod
    def from_options(cls, context: MatcherContext, options: None) -> Self:
        """Refuse other languages than English."""
        if context.language.code != "en":
            raise ConfigError(f"feature {cls.name!r} knows English words only, not {context.language.code!r}")
        return super().from_options(context, options)

    @property
    def dimension(self) -> int:
        """As many as there are columns."""
        return len(self.columns)

    def compute(self, batch: FeatureBatch) -> Floats:
        """Count."""
        pairs, known = words(batch)
        kinds = word_kinds(known)
        denies = np.array([word in _DENIALS for word in known] or [False])
        counts = np.array([word in _NUMERALS for word in known] or [False]) | (kinds == _NUMBER)
        content = kinds == _CONTENT
        tally = pairs.tally()
        over, lacking = np.maximum(tally.left - tally.right, 0), np.maximum(tally.right - tally.left, 0)
        left, right = (np.maximum(length, 1).astype(float) for length in pairs.lengths)

        def total(values: NDArray[np.generic], table: NDArray[np.bool_]) -> Floats:
            return tally.total(values * table[tally.item])

        negations = total(tally.left, denies) - total(tally.right, denies)
        function = ~content & (kinds != _MARK) & ~counts
        columns = [abs(negations), np.maximum(negations, 0), np.maximum(-negations, 0), _moved(pairs, denies)]
        columns.append(total(over, counts) + total(lacking, counts))
        # A word that the reference has once may be said once; more is repetition.
        columns.append(total(np.maximum(tally.left - np.maximum(tally.right, 1), 0), content))
        two = pairs.ngrams(2)
        # Few of all pairs of words occur; counting makes room for every number below the size.
        found, numbers = np.unique(two.items, return_inverse=True)
        bigrams = Pairs(pairs.count, numbers, two.owner, max(1, len(found))).tally()
        columns.append(bigrams.total(np.maximum(bigrams.left - np.maximum(bigrams.right, 1), 0)))
        twice = (pairs.items[1:] == pairs.items[:-1]) & (pairs.owner[1:] == pairs.owner[:-1])
        twice &= kinds[pairs.items[1:]] != _MARK
        counted = np.bincount(pairs.owner[1:][twice], minlength=2 * pairs.count)
        columns.append(np.maximum(counted[: pairs.count] - counted[pairs.count :], 0).astype(float))
        wordlike = kinds != _MARK
        columns += [total(over, content), total(lacking, content)]
        columns += [total(over, wordlike) / left, total(lacking, wordlike) / right]
        columns += [total(over, function), total(lacking, function)]
        columns += [*_ends(batch), total(lacking, ~wordlike), total(over, ~wordlike)]
        columns += _gaps(pairs, np.where(kinds == _MARK, 2, np.where(content, 0, 1)))
        implies = denies | np.array([word in _IMPLIED for word in known] or [False])
        denials = total(tally.left, implies) - total(tally.right, implies)
        columns += [np.maximum(denials, 0), np.maximum(-denials, 0), _polarity(pairs, known, denies, ~content)]
        modal = np.array([word in _MODALS for word in known] or [False])
        columns.append(np.maximum(total(over, modal), total(lacking, modal)))
        return least_over_references(np.column_stack(columns), batch)


class SituationFeature(Feature):
    """What kind of text a model is asked about, so that a guard can say whether it has learned from the like.

    Number of references; logarithms of one plus the reference's words, and of the hypothesis's words over the
    reference's; the share of the shorter side's words that the other has, too. Means over the references.
    """

    name: ClassVar[str] = "situation"
    columns: ClassVar[tuple[str, ...]] = ("references", "length", "ratio", "common")
    dimension = 4

    def compute(self, batch: FeatureBatch) -> Floats:
        """Count."""
        pairs, _ = words(batch)
        tally = pairs.tally()
        left, right = (length.astype(float) for length in pairs.lengths)
        common = tally.total(tally.common) / np.maximum(np.minimum(left, right), 1)
        rows = np.stack([np.log(right + 1), np.log((left + 1) / (right + 1)), common], axis=1)
        counts = np.array([len(each) for each in batch.references], float)
        return np.column_stack([counts, mean_over_references(rows, batch)])


def least_over_references(rows: Floats, batch: FeatureBatch) -> Floats:
    """Return a row for each hypothesis: of each number the least of the rows of its pairs."""
    counts = np.array([len(each) for each in batch.references])
    if (counts == 1).all():
        return rows
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    result: Floats = np.minimum.reduceat(rows, starts, axis=0)
    return result


def _moved(pairs: Pairs, denies: NDArray[np.bool_]) -> Floats:
    """Return how many negations stand before a word before which no negation of the reference stands."""
    first = np.flatnonzero(denies[pairs.items[:-1]] & (pairs.owner[1:] == pairs.owner[:-1]))
    chosen = Pairs(pairs.count, pairs.items[first + 1], pairs.owner[first], pairs.size)
    tally = chosen.tally()
    both = np.stack([tally.total(tally.left), tally.total(tally.right)])
    moved: Floats = both.min(axis=0) - tally.total(tally.common)
    return moved


def _polarity(pairs: Pairs, known: list[str], denies: NDArray[np.bool_], without: NDArray[np.bool_]) -> Floats:
    """Return how many content words of both sides are negated on one side only: up to four words after a negation.

    Words count as the same if they differ by an ending only (s, d, ed, ing).
    """
    place: dict[str, int] = {}
    stems = np.array([place.setdefault(_ENDING.sub("", word), len(place)) for word in known] or [0])
    negated = np.zeros(len(pairs.items), bool)
    for step in range(1, 5):
        negated[step:] |= denies[pairs.items[:-step]] & (pairs.owner[step:] == pairs.owner[:-step])
    chosen = ~without[pairs.items]
    owner, negated, items = pairs.owner[chosen], negated[chosen], stems[pairs.items[chosen]]
    both = Pairs(pairs.count, items, owner, max(1, len(place))).tally()
    shared = both.total(both.common)
    signed = Pairs(pairs.count, 2 * items + negated, owner, max(2, 2 * len(place))).tally()
    result: Floats = shared - signed.total(signed.common)
    return result


def _gaps(pairs: Pairs, kinds: NDArray[np.int64]) -> list[Floats]:
    """Return how often words stand between two that follow each other on the other side; words in between by kind.

    First in the hypothesis (inserted), then in the reference (skipped); two to four in between are ``several``. Last,
    how often two neighbors of the reference stand in the hypothesis the other way round.
    """
    items, owner = pairs.items, pairs.owner
    pair = np.where(owner < pairs.count, owner, owner - pairs.count)

    def keys(gap: int) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.bool_]]:
        whole = owner[gap:] == owner[:-gap]
        number = (pair[gap:] * pairs.size + items[:-gap]) * pairs.size + items[gap:]
        ours = owner[gap:] < pairs.count
        return number, whole & ours, whole & ~ours

    near, *sides = keys(1)
    known = [_Known(near[side]) for side in sides]
    counts = np.zeros((2, pairs.count, 4))
    for gap in range(2, 6):
        if len(items) <= gap:
            break
        number, *others = keys(gap)
        for at, side in enumerate(others):
            found = np.flatnonzero(side)
            found = found[known[1 - at].has(number[found])]
            kind = kinds[items[found + 1]] if gap == 2 else np.full(len(found), 3)
            counts[at] += np.bincount(pair[found] * 4 + kind, minlength=4 * pairs.count).reshape(-1, 4)
    ours = np.flatnonzero(sides[0])
    turned = (pair[ours] * pairs.size + items[ours + 1]) * pairs.size + items[ours]
    ours = ours[known[1].has(turned)]
    ours = ours[~known[1].has(near[ours])]
    return [*counts[0].T, *counts[1].T, np.bincount(pair[ours], minlength=pairs.count).astype(float)]


class _Known:
    """Numbers, and which of others are among them; most are not, and a table of bits says so at once."""

    def __init__(self, numbers: NDArray[np.int64]) -> None:
        self._shift = np.uint64(60 - max(6, len(numbers).bit_length()))
        self._bits = np.zeros(1 << (64 - int(self._shift)), bool)
        self._bits[self._places(numbers)] = True
        self._sorted = np.sort(numbers)

    def _places(self, numbers: NDArray[np.int64]) -> NDArray[np.intp]:
        # Multiplying by an odd number spreads neighbors over the table (Knuth, The Art of Computer Programming 3, 6.4).
        return ((numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> self._shift).astype(np.intp)

    def has(self, numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which numbers are known."""
        result: NDArray[np.bool_] = self._bits[self._places(numbers)]
        places = np.flatnonzero(result)
        sought = numbers[places]
        at = np.minimum(np.searchsorted(self._sorted, sought), max(0, len(self._sorted) - 1))
        result[places] = self._sorted[at] == sought if len(self._sorted) else False
        return result


def _ends(batch: FeatureBatch) -> list[Floats]:
    """Return whether the mark at the end is missing, another one, or one too many."""
    place: dict[str, int] = {}
    left, right = (
        np.array([place.setdefault(text.rstrip()[-1:] or " ", len(place)) for text in side], np.int64)
        for side in segment_pairs(batch)
    )
    closed = np.array([end in _END for end in place] or [False])
    of_left, of_right = closed[left], closed[right]
    return [
        (of_right & ~of_left).astype(float),
        (of_right & of_left & (left != right)).astype(float),
        (of_left & ~of_right).astype(float),
    ]
