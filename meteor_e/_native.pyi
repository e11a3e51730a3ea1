"""The native core, in C++; its sources are in ``meteor_e/native``. :mod:`meteor_e.engine.native` is its only caller."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict, final

from meteor_e.api.matchers import Match
from meteor_e.engine.native_plan import CoreLimits, PlannedMatcher
from meteor_e.engine.protocol import EngineSettings
from meteor_e.text.normalization import Normalizer

class Results(TypedDict):
    """The results of a batch; see :class:`meteor_e.engine.protocol.Scored`."""

    statistics: bytes
    scores: bytes
    best_references: bytes
    total: list[int]

class PackedFields(TypedDict):
    """Fields of :class:`meteor_e.scoring.packed_alignments.PackedAlignments`."""

    forms: tuple[str, ...]
    words: bytes
    sizes: bytes
    matches: bytes
    probabilities: bytes

class DamagedIndexError(RuntimeError):
    """A mapped index holds what no builder writes; its arguments are the file and the problem."""

STATISTICS: tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]
"""Names of the columns of statistics: before the matchers, of each matcher, after them."""

SCORES: tuple[str, ...]
"""Names of the parts of a score."""

NGRAM_LENGTHS: tuple[int, int]
"""Characters of the longest n-grams of segments, and of the longest n-grams whose order counts."""

@final
class Core:
    """A chain of matchers, and the words seen with it. One thread at a time may use it.

    Args:
        settings: what the chain decides.
        matchers: the chain.
        normalizer: how a raw segment becomes words.
        limits: limits and units that both engines apply.
    """

    def __init__(
        self,
        *,
        settings: EngineSettings,
        matchers: Sequence[PlannedMatcher],
        normalizer: Normalizer,
        limits: CoreLimits,
    ) -> None: ...
    @property
    def size(self) -> int:
        """Number of word types."""
    def read(self, segments: Sequence[str], threads: int, stop: object, /) -> Batch:
        """Normalize raw segments and look their words up; KeyboardInterrupt soon after ``stop`` becomes true."""
    def take(self, segments: Sequence[Sequence[int]], /) -> Batch:
        """Make a batch of segments given as numbers of word types."""
    def add_types(self, forms: Sequence[str], /) -> None:
        """Add word types whose tokens carry more than their forms."""
    def undescribed(self) -> list[str]:
        """Return the forms of the word types that have no features yet."""
    def describe(self, functional: bytes, features: Sequence[Any], units: bytes | None, /) -> None:
        """Give the features of the new word types: one flag per type, one item per matcher, one uint32 per type."""

@final
class Batch:
    """Segments that are scored together: hypotheses, then their references. Made by :class:`Core`."""

    def irregular(self) -> list[int]:
        """Return the segments that the Python normalizer must do."""
    def set_words(self, segment: int, words: Sequence[str], /) -> None:
        """Give the words of a segment."""
    def intern(self) -> int:
        """Add new words to the vocabulary; return how many word types lack features."""
    def number_sentences(self) -> list[int]:
        """Number the distinct sentences that are not empty, from 0; return the first segment of each."""
    def give_rows(self, matcher: int, sentence: int, rows: Any, /) -> None:
        """Give a contextual matcher's vectors of a sentence: int16 in a C-contiguous buffer, one row per word."""
    def pair(self, reference_starts: Sequence[int], /) -> None:
        """Say which references belong to which hypothesis: the first of each, and an end."""
    def types(self, segment: int, /) -> list[int]:
        """Return the word types of a segment."""
    def original(self, hypothesis: int, /) -> int:
        """Return the first hypothesis with the same words and references."""
    def propose(self, reference: int, matcher: int, matches: Sequence[Match], /) -> None:
        """Give the matches that a matcher in Python proposes for a reference and its hypothesis."""
    def score(self, *, threads: int, alignments: bool, maximum_accuracy: bool, stop: object) -> Results:
        """Align and score; KeyboardInterrupt soon after ``stop`` becomes true, which another thread may do."""
    def score_pairs(
        self, sources: Sequence[tuple[Sequence[int], Sequence[int]]], scores: Any, threads: int, stop: object, /
    ) -> None:
        """Score every segment of a source's first list against every one of its second.

        Fills ``scores``, a float64 buffer: the sources one after the other, a row for each segment of the first list.
        In the failures, ``hypothesis`` is a place in ``scores``.
        """
    def failures(self) -> list[dict[str, Any]]:
        """Return the hypotheses that could not be scored.

        Each has the keys ``hypothesis`` (its index), ``problem``, ``hypothesis_size`` and ``reference_size`` (in
        words). A ``problem`` is ``too_many_candidates``, ``too_many_paths``, ``misplaced_proposal`` or
        ``missing_vectors``. The last two have the index of the ``matcher``, and a misplaced proposal has the positions
        of :class:`Match`.
        """
    def pack_alignments(self, reference_segments: Sequence[int], /) -> PackedFields:
        """Return the alignments of the hypotheses, if they were kept.

        Args:
            reference_segments: for each hypothesis the index of its best reference among the segments.
        """
