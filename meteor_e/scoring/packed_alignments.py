"""The alignments of many segments, stored in a few arrays to save memory.

An aligned sentence of WMT12 takes about 670 bytes in the arrays, but 2,900 bytes as Python objects.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

from meteor_e.scoring.alignment import AlignedMatch, Alignment, count_chunks

MATCH_FIELDS = ("reference_start", "reference_length", "hypothesis_start", "hypothesis_length", "matcher")
"""Columns of :attr:`PackedAlignments.matches`."""

SIZE_FIELDS = ("hypothesis_words", "reference_words", "matches")
"""Columns of :attr:`PackedAlignments.sizes`."""


@dataclass(frozen=True, eq=False)
class PackedAlignments(Sequence["Alignment | None"]):
    """A compact sequence of alignments. Each segment is aligned with its best reference.

    An :class:`Alignment` is created when the item is accessed. The item of a segment that could not be aligned is
    ``None``.

    Attributes:
        forms: words; the arrays refer to them by index.
        words: int32 indexes of ``forms``: for each segment the words of the hypothesis, then those of the reference.
        sizes: int32, ``(segments, 3)``; the columns are :data:`SIZE_FIELDS`.
        matches: int32, ``(matches, 5)``; the columns are :data:`MATCH_FIELDS`.
        probabilities: float64, one per match.
        matchers: names of the chain's matchers.
        failures: indexes of the segments that could not be aligned. They do not have matches.
    """

    forms: tuple[str, ...]
    words: bytes
    sizes: bytes
    matches: bytes
    probabilities: bytes
    matchers: tuple[str, ...]
    failures: frozenset[int] = frozenset()

    def __len__(self) -> int:
        return len(self.sizes) // (4 * len(SIZE_FIELDS))

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        position = range(len(self))[index]
        return None if position in self.failures else self.unpack(position)

    def unpack(self, index: int) -> Alignment:
        """Return the alignment of a segment. It does not have matches if the segment could not be aligned.

        Args:
            index: index of the segment.
        """
        hypothesis_length, reference_length, match_count = self._size_rows[index]
        # The words of the reference follow the words of the hypothesis.
        hypothesis_start = self._word_starts[index]
        reference_start = hypothesis_start + hypothesis_length
        hypothesis = self._unpack_words(hypothesis_start, reference_start)
        reference = self._unpack_words(reference_start, reference_start + reference_length)
        matches = self._unpack_matches(self._match_starts[index], match_count)
        return Alignment(hypothesis, reference, matches, self.matchers, count_chunks(matches))

    def _unpack_words(self, start: int, end: int) -> tuple[str, ...]:
        """Return the words from position ``start`` to position ``end`` of :attr:`words`."""
        return tuple(self.forms[index] for index in memoryview(self.words).cast("i")[start:end])

    def _unpack_matches(self, start: int, count: int) -> tuple[AlignedMatch, ...]:
        """Return ``count`` consecutive matches, beginning with row ``start`` of :attr:`matches`."""
        width = len(MATCH_FIELDS)
        all_fields = memoryview(self.matches).cast("i")
        all_probabilities = memoryview(self.probabilities).cast("d")
        matches = []
        for row in range(start, start + count):
            fields = all_fields[row * width : (row + 1) * width]
            matches.append(AlignedMatch._make((*fields, all_probabilities[row])))
        return tuple(matches)

    @cached_property
    def _size_rows(self) -> list[tuple[int, int, int]]:
        """For each segment, the number of hypothesis words, of reference words and of matches."""
        sizes: list[int] = memoryview(self.sizes).cast("i").tolist()
        return list(zip(sizes[::3], sizes[1::3], sizes[2::3], strict=True))

    @cached_property
    def _word_starts(self) -> list[int]:
        """The index of each segment's first word in :attr:`words`."""
        return list(accumulate((hypothesis + reference for hypothesis, reference, _ in self._size_rows), initial=0))

    @cached_property
    def _match_starts(self) -> list[int]:
        """For each segment, the index of its first match in :attr:`matches`."""
        return list(accumulate((matches for _, _, matches in self._size_rows), initial=0))


def pack_alignments(alignments: Sequence[Alignment], matchers: tuple[str, ...]) -> PackedAlignments:
    """Store alignments in arrays. Each word is represented by its index in a list of distinct words.

    Args:
        alignments: an alignment for each segment.
        matchers: names of the chain's matchers.
    """
    word_ids: dict[str, int] = {}
    words, sizes, matches, probabilities = array("i"), array("i"), array("i"), array("d")
    for alignment in alignments:
        for word in (*alignment.hypothesis, *alignment.reference):
            word_id = word_ids.setdefault(word, len(word_ids))
            words.append(word_id)
        sizes.extend((len(alignment.hypothesis), len(alignment.reference), len(alignment.matches)))
        for match in alignment.matches:
            matches.extend(getattr(match, field) for field in MATCH_FIELDS)
            probabilities.append(match.probability)
    return PackedAlignments(
        forms=tuple(word_ids),
        words=words.tobytes(),
        sizes=sizes.tobytes(),
        matches=matches.tobytes(),
        probabilities=probabilities.tobytes(),
        matchers=matchers,
    )


def join_packed(parts: Sequence[PackedAlignments]) -> PackedAlignments:
    """Join the alignments of consecutive parts of a batch."""
    import numpy as np

    forms: list[str] = []
    word_ids: list[bytes] = []
    failures: list[int] = []
    segment_count = 0
    for part in parts:
        # The words of a part follow the words of the previous parts, so their indexes increase.
        part_word_ids = np.frombuffer(part.words, np.int32) + np.int32(len(forms))
        word_ids.append(part_word_ids.tobytes())
        failures += [segment_count + index for index in part.failures]
        forms += part.forms
        segment_count += len(part)
    return PackedAlignments(
        forms=tuple(forms),
        words=b"".join(word_ids),
        sizes=b"".join(part.sizes for part in parts),
        matches=b"".join(part.matches for part in parts),
        probabilities=b"".join(part.probabilities for part in parts),
        matchers=parts[0].matchers,
        failures=frozenset(failures),
    )
