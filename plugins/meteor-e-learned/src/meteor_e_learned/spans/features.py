"""What is known of each word of a hypothesis: how it matches, what stands beside it, what the reference has instead.

All words of a batch are described at once, in arrays; a word's numbers depend on its own segment only.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from meteor_e import Alignment

__all__ = ["COLUMNS", "EXACT_MATCHERS", "Words"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Truths = NDArray[np.bool_]

EXACT_MATCHERS = ("exact",)
FORM_MATCHERS = ("stem", "lemma")
"""Matchers whose words may differ in their endings. All others, except for the exact one, match other words."""
COMPARED = 200
"""So many unmatched words of a side are compared with those of the other."""
NEIGHBORHOOD = 5
"""Words on each side that count as near."""

_PLAIN = (
    *("unmatched", "form", "other", "chunk_start", "chunk_end", "left", "right", "run"),
    *("unmatched_likeness", "unmatched_mark", "unmatched_number", "mark", "number", "letters", "unmatched_letters"),
    *("first", "last", "place", "length", "ratio", "precision", "recall", "fragmentation"),
    *("repeated", "doubled", "foreign", "gap", "no_gap", "missing_before", "capital", "unmatched_capital"),
    *("near", "displaced", "beside_unmatched"),
)
_CROSSED = ("unmatched", "precision", "near", "length", "letters", "mark")
_LISTED = ("information", "unmatched_information", "information_precision", "information_near", "information_length")

COLUMNS = (*_PLAIN, *(f"{one}*{other}" for one, other in combinations_with_replacement(_CROSSED, 2)), *_LISTED)
"""Names of the numbers of a word. The last ones need a list of frequencies."""


@dataclass(frozen=True)
class Words:
    """The words of a batch of hypotheses and of the references that they are aligned with.

    Args:
        alignments: one per segment.
        capitals: for each word of the hypotheses, in order, whether it begins with a capital in the raw text.
        information: gives for words how much they tell, in (0, 1]; ``None`` where there is no list.
    """

    alignments: Sequence[Alignment]
    capitals: Truths
    information: Callable[[Sequence[str]], Floats] | None = None

    @cached_property
    def hypothesis(self) -> list[str]:
        """All words of the hypotheses."""
        return list(chain.from_iterable(each.hypothesis for each in self.alignments))

    @cached_property
    def reference(self) -> list[str]:
        """All words of the references."""
        return list(chain.from_iterable(each.reference for each in self.alignments))

    @cached_property
    def lengths(self) -> tuple[Integers, Integers]:
        """Words of each hypothesis, and of its reference."""
        sides = [(len(each.hypothesis), len(each.reference)) for each in self.alignments]
        table = np.array(sides, np.int64).reshape(-1, 2)
        return table[:, 0], table[:, 1]

    @cached_property
    def starts(self) -> tuple[Integers, Integers]:
        """Where the words of each segment begin, and where the last ones end: of hypotheses, of references."""
        left, right = (np.concatenate([[0], np.cumsum(side)]) for side in self.lengths)
        return left, right

    @cached_property
    def owner(self) -> Integers:
        """The segment of each word of the hypotheses."""
        return np.repeat(np.arange(len(self.alignments)), self.lengths[0])

    @cached_property
    def _matches(self) -> NDArray[np.int64]:
        """Return segment, start and length in the reference, start and length in the hypothesis, and kind of match."""
        rows = list(chain.from_iterable(each.matches for each in self.alignments))
        counts = [len(each.matches) for each in self.alignments]
        kinds: dict[tuple[str, ...], list[int]] = {}
        for each in self.alignments:
            if each.matchers not in kinds:
                kinds[each.matchers] = [
                    1 if name in EXACT_MATCHERS else 2 if name in FORM_MATCHERS else 3 for name in each.matchers
                ]
        table = np.array([row[:5] for row in rows], np.int64).reshape(-1, 5)
        segment = np.repeat(np.arange(len(counts)), counts)
        kind = np.array(
            [kinds[each.matchers][match.matcher] for each in self.alignments for match in each.matches], np.int64
        )
        return np.column_stack([segment, table[:, :4], kind])

    @cached_property
    def kind(self) -> Integers:
        """How each word of the hypotheses matches: 0 not at all, 1 as it is, 2 by its stem or lemma, 3 otherwise."""
        result = np.zeros(len(self.owner), np.int64)
        words, rows = self._matched_words
        result[words] = self._matches[rows, 5]
        return result

    @cached_property
    def _matched_words(self) -> tuple[Integers, Integers]:
        """Return the matched words of the hypotheses, and the match of each."""
        return _spread(self._matches[:, 3] + self.starts[0][self._matches[:, 0]], self._matches[:, 4])

    @cached_property
    def reference_matched(self) -> Truths:
        """Whether each word of the references is matched."""
        result = np.zeros(len(self.reference), bool)
        result[_spread(self._matches[:, 1] + self.starts[1][self._matches[:, 0]], self._matches[:, 2])[0]] = True
        return result

    @cached_property
    def partner(self) -> Integers:
        """Where in its reference each word's match begins; -1 for none."""
        result = np.full(len(self.owner), -1)
        words, rows = self._matched_words
        result[words] = self._matches[rows, 1]
        return result

    @cached_property
    def edges(self) -> tuple[Truths, Truths]:
        """Whether each word begins a chunk, and whether it ends one."""
        begins, ends = (np.zeros(len(self.owner), bool) for _ in range(2))
        table = self._matches
        if len(table):
            goes_on = np.zeros(len(table), bool)
            goes_on[1:] = (
                (table[1:, 0] == table[:-1, 0])
                & (table[1:, 1] == table[:-1, 1] + table[:-1, 2])
                & (table[1:, 3] == table[:-1, 3] + table[:-1, 4])
            )
            first = table[:, 3] + self.starts[0][table[:, 0]]
            begins[first[~goes_on]] = True
            ends[(first + table[:, 4] - 1)[np.append(~goes_on[1:], True)]] = True
        return begins, ends

    @cached_property
    def gap(self) -> Integers:
        """How many unmatched words of the reference stand where an unmatched word should; 0 for matched words."""
        unmatched, segments, places = self.kind == 0, self.owner, np.arange(len(self.owner))
        if not len(places):
            return places
        before = np.maximum.accumulate(np.where(unmatched, -1, places))
        before = np.where(before >= self.starts[0][segments], before, -1)
        after = np.minimum.accumulate(np.where(unmatched, len(places), places)[::-1])[::-1]
        after = np.where(after < self.starts[0][segments + 1], after, -1)
        left = np.where(before < 0, -1, self.partner[before])
        right = np.where(after < 0, self.lengths[1][segments], self.partner[after])
        missing = np.concatenate([[0], np.cumsum(~self.reference_matched)])
        base, size = self.starts[1][segments], self.lengths[1][segments]
        low = np.clip(np.minimum(left, right) + 1, 0, size)
        high = np.maximum(np.clip(np.maximum(left, right), 0, size), low)
        return np.where(unmatched, missing[base + high] - missing[base + low], 0)

    @cached_property
    def likeness(self) -> Floats:
        """How like each unmatched word is to the likest one of the reference, letter by letter, in [0, 1]."""
        from rapidfuzz.distance import Indel
        from rapidfuzz.process import cdist

        result = np.zeros(len(self.owner))
        unmatched, missing = np.flatnonzero(self.kind == 0), np.flatnonzero(~self.reference_matched)
        own = np.searchsorted(unmatched, self.starts[0]).tolist()
        others = np.searchsorted(missing, self.starts[1]).tolist()
        words, lacking = self.hypothesis, self.reference
        listed, wanted = unmatched.tolist(), missing.tolist()
        for segment in range(len(self.alignments)):
            rows = listed[own[segment] : min(own[segment + 1], own[segment] + COMPARED)]
            columns = wanted[others[segment] : min(others[segment + 1], others[segment] + COMPARED)]
            if rows and columns:
                found = cdist(
                    [words[at] for at in rows], [lacking[at] for at in columns], scorer=Indel.normalized_similarity
                )
                result[rows] = found.max(axis=1)
        return result

    @cached_property
    def distinct(self) -> tuple[list[str], Integers, Integers]:
        """Return the distinct words, and the number of each word of the hypotheses and of the references."""
        numbers: dict[str, int] = {}
        sides = [
            np.array([numbers.setdefault(word, len(numbers)) for word in side], np.int64)
            for side in (self.hypothesis, self.reference)
        ]
        return list(numbers), sides[0], sides[1]

    @cached_property
    def shapes(self) -> NDArray[np.int64]:
        """Of each word of the hypotheses: 1 for a mark, 2 for a word with digits, else 0; letters; script."""
        return self.shapes_of_all[self.distinct[1]]

    @cached_property
    def shapes_of_all(self) -> NDArray[np.int64]:
        """Of each distinct word what :attr:`shapes` gives."""
        scripts: dict[str, int] = {"": 0}
        rows = []
        for word in self.distinct[0]:
            mark = not any(char.isalnum() for char in word)
            number = any(char.isdigit() for char in word)
            letter = next((char for char in word if char.isalpha()), "")
            script = (
                "LATIN" if letter.isascii() and letter else unicodedata.name(letter, "?").split()[0] if letter else ""
            )
            rows.append(
                (1 if mark else 2 if number else 0, max(1, len(word)), scripts.setdefault(script, len(scripts)))
            )
        return np.array(rows, np.int64).reshape(-1, 3)

    @cached_property
    def repeated(self) -> tuple[Truths, Truths]:
        """Whether the hypothesis has a word more than once and more often than the reference; whether it is doubled."""
        count = max(1, len(self.distinct[0]))
        own = self.owner * count + self.distinct[1]
        theirs = np.repeat(np.arange(len(self.alignments)), self.lengths[1]) * count + self.distinct[2]
        keys, places, times = np.unique(own, return_inverse=True, return_counts=True)
        # How often the reference has each: the width of its place among the sorted words of references.
        theirs.sort()
        there = np.searchsorted(theirs, keys, "right") - np.searchsorted(theirs, keys)
        doubled = np.zeros(len(own), bool)
        doubled[1:] = own[1:] == own[:-1]
        return (times > np.maximum(1, there))[places], doubled

    @cached_property
    def foreign(self) -> Truths:
        """Whether a word is unmatched and in a script of which the reference has no word."""
        scripts = int(self.shapes_of_all[:, 2].max(initial=0)) + 1
        theirs = np.repeat(np.arange(len(self.alignments)), self.lengths[1]) * scripts
        there = np.unique(theirs + self.shapes_of_all[self.distinct[2], 2])
        script = self.shapes[:, 2]
        absent: Truths = ~np.isin(self.owner * scripts + script, there)
        result: Truths = (self.kind == 0) & (script > 0) & absent
        return result

    def numbers(self) -> Floats:
        """Return a row for each word of the hypotheses, ``(words, columns)``, as :data:`COLUMNS` names them."""
        segment, kind = self.owner, self.kind
        total = len(segment)
        unmatched = (kind == 0).astype(np.float64)
        own, theirs = self.lengths
        start, end = self.starts[0][segment], self.starts[0][segment + 1]
        place = np.arange(total) - start
        size = own[segment].astype(np.float64)
        left, right = np.zeros(total), np.zeros(total)
        left[1:], right[:-1] = unmatched[:-1], unmatched[1:]
        left[place == 0] = 0
        right[place == size - 1] = 0
        summed = np.concatenate([[0], np.cumsum(unmatched)])
        low = np.maximum(start, np.arange(total) - NEIGHBORHOOD)
        high = np.minimum(end, np.arange(total) + NEIGHBORHOOD + 1)
        near = (summed[high] - summed[low]) / np.maximum(1, high - low)
        matched = 1 - _share(unmatched, segment, own)
        missing = (~self.reference_matched).astype(np.float64)
        reference_owner = np.repeat(np.arange(len(own)), theirs)
        found = 1 - _share(missing, reference_owner, theirs)
        begins, ends = self.edges
        chunks = np.bincount(segment, begins, len(own))
        matches = np.bincount(self._matches[:, 0], minlength=len(own))
        fragmentation = np.where(matches > 0, chunks / np.maximum(1, matches), 1.0)
        mark, number = ((self.shapes[:, 0] == what).astype(np.float64) for what in (1, 2))
        letters = np.log(self.shapes[:, 1])
        gap = np.log1p(self.gap)
        partner = np.maximum(self.partner, 0)
        before = np.append(missing, 0.0)[np.maximum(self.starts[1][segment] + partner - 1, 0)]
        repeated, doubled = self.repeated
        capital = (self.capitals & (place > 0)).astype(np.float64)
        moved = np.abs(partner / np.maximum(1, theirs[segment]) - place / np.maximum(1.0, size))
        columns: dict[str, Floats] = {
            "unmatched": unmatched,
            "form": (kind == 2).astype(np.float64),
            "other": (kind == 3).astype(np.float64),
            "chunk_start": begins.astype(np.float64),
            "chunk_end": ends.astype(np.float64),
            "left": left,
            "right": right,
            "run": np.log1p(_runs(unmatched > 0, segment)),
            "unmatched_likeness": unmatched * self.likeness,
            "unmatched_mark": unmatched * mark,
            "unmatched_number": unmatched * number,
            "mark": mark,
            "number": number,
            "letters": letters,
            "unmatched_letters": unmatched * letters,
            "first": (place == 0).astype(np.float64),
            "last": (place == size - 1).astype(np.float64),
            "place": place / np.maximum(1.0, size),
            "length": np.log(np.maximum(1.0, size)),
            "ratio": np.clip(np.log(np.maximum(1, own) / np.maximum(1, theirs)), -1, 1)[segment],
            "precision": matched[segment],
            "recall": found[segment],
            "fragmentation": fragmentation[segment],
            "repeated": repeated.astype(np.float64),
            "doubled": (doubled & (place > 0)).astype(np.float64),
            "foreign": self.foreign.astype(np.float64),
            "gap": gap,
            "no_gap": unmatched * (gap == 0),
            "missing_before": np.where((kind > 0) & (partner > 0), before, 0.0),
            "capital": capital,
            "unmatched_capital": unmatched * capital,
            "near": near,
            "displaced": np.where(kind > 0, moved, 0.0),
            "beside_unmatched": (left + right) * (1 - unmatched),
        }
        told = np.zeros(total)
        if self.information is not None:
            told = self.information(self.distinct[0])[self.distinct[1]]
        crossed = [columns[one] * columns[other] for one, other in combinations_with_replacement(_CROSSED, 2)]
        listed = [told, *(told * columns[name] for name in ("unmatched", "precision", "near", "length"))]
        return np.column_stack([*(columns[name] for name in _PLAIN), *crossed, *listed]).reshape(total, len(COLUMNS))


def _spread(starts: Integers, lengths: Integers) -> tuple[Integers, Integers]:
    """Return all places of runs that begin at ``starts``, and the run of each."""
    rows = np.repeat(np.arange(len(starts)), lengths)
    ends = np.cumsum(lengths)
    return np.arange(len(rows)) - np.repeat(ends - lengths, lengths) + starts[rows], rows


def _share(values: Floats, owner: Integers, sizes: Integers) -> Floats:
    """Return the mean of each owner's values; 0 for an owner of none."""
    mean: Floats = np.bincount(owner, values, len(sizes)) / np.maximum(1, sizes)
    return mean


def _runs(wanted: Truths, owner: Integers) -> Integers:
    """Return for each wanted place how many stand in its run, within its owner; 0 for others."""
    if not len(wanted):
        return np.zeros(0, np.int64)
    new = np.ones(len(wanted), bool)
    new[1:] = (wanted[1:] != wanted[:-1]) | (owner[1:] != owner[:-1])
    run = np.cumsum(new) - 1
    return np.where(wanted, np.bincount(run)[run], 0)
