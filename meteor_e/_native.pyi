"""Declare the native core, whose C++ sources are in ``meteor_e/native``. Only :mod:`meteor_e.engine` calls the core."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict, final

from meteor_e.api.matchers import Match
from meteor_e.engine.native_plan import CoreLimits, PlannedMatcher
from meteor_e.engine.protocol import EngineSettings
from meteor_e.text.normalization import Normalizer

class Results(TypedDict):
    """Store the results of a batch in the fields of :class:`meteor_e.scoring.rows.Rows`."""

    statistics: bytes
    scores: bytes
    best_references: bytes
    total: list[int]

class PackedFields(TypedDict):
    """Store alignments in the fields of :class:`meteor_e.scoring.packed_alignments.PackedAlignments`."""

    forms: tuple[str, ...]
    words: bytes
    sizes: bytes
    matches: bytes
    probabilities: bytes

class DamagedIndexError(RuntimeError):
    """Report a damaged index file. The arguments are the path of the file and the problem."""

STATISTICS: tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]
"""The names of the statistics: those before the matchers, those of each matcher, and those after the matchers."""

SCORES: tuple[str, ...]
"""The names of the parts of a score."""

NGRAM_LENGTHS: tuple[int, int]
"""The maximum length of the n-grams of segments, and of the n-grams in common subsequences, in characters."""

@final
class Core:
    """Hold a chain of matchers and a vocabulary of word types. Only one thread at a time may use a core.

    Args:
        settings: the settings of the chain.
        matchers: the chain.
        normalizer: the normalizer whose rules the core applies.
        limits: the limits and units that both engines apply.
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
        """Return the number of word types in the vocabulary."""
    def read(self, segments: Sequence[str], threads: int, stop: object, /) -> Batch:
        """Normalize raw segments into a batch. Raise KeyboardInterrupt soon after ``stop`` becomes true."""
    def take(self, segments: Sequence[Sequence[int]], /) -> Batch:
        """Return a batch of segments that are lists of word type ids."""
    def add_types(self, forms: Sequence[str], /) -> None:
        """Add word types to the vocabulary. Several word types may have the same form."""
    def undescribed(self) -> list[str]:
        """Return the forms of the word types that do not have features yet."""
    def describe(self, functional: bytes, features: Sequence[Any], units: bytes | None, /) -> None:
        """Set the features of the word types that do not have features yet.

        Args:
            functional: for each word type, 1 if it is a function word, otherwise 0.
            features: for each matcher the features of the word types, or ``None``.
            units: for each word type its number of units as uint32, or ``None`` if every word counts 1.
        """

@final
class Batch:
    """Hold segments that are scored together: first the hypotheses, and then their references."""

    def irregular(self) -> list[int]:
        """Return the indexes of the segments that the normalizer in Python must split into words."""
    def set_words(self, segment: int, words: Sequence[str], /) -> None:
        """Set the words of a segment."""
    def intern(self) -> int:
        """Add new words to the vocabulary, and return the number of word types that do not have features yet."""
    def number_sentences(self) -> list[int]:
        """Number the distinct sentences that are not empty, from 0, and return the first segment of each sentence."""
    def give_rows(self, matcher: int, sentence: int, rows: Any, /) -> None:
        """Set a contextual matcher's vectors of a sentence: an int16 buffer in C order with one row per word."""
    def pair(self, reference_starts: Sequence[int], /) -> None:
        """Assign references to hypotheses.

        Args:
            reference_starts: for each hypothesis the index of its first reference, and the number of references.
        """
    def types(self, segment: int, /) -> list[int]:
        """Return the word type ids of a segment."""
    def original(self, hypothesis: int, /) -> int:
        """Return the index of the first hypothesis that has the same words and the same references."""
    def propose(self, reference: int, matcher: int, matches: Sequence[Match], /) -> None:
        """Set the matches that a matcher in Python proposes for a reference and its hypothesis."""
    def score(self, *, threads: int, alignments: bool, maximum_accuracy: bool, stop: object) -> Results:
        """Align and score the hypotheses. Raise KeyboardInterrupt soon after another thread makes ``stop`` true."""
    def score_pairs(
        self, sources: Sequence[tuple[Sequence[int], Sequence[int]]], scores: Any, threads: int, stop: object, /
    ) -> None:
        """Score every hypothesis of a source against every reference of the source.

        The scores are written to the float64 buffer ``scores``, with one row per hypothesis. In the failures,
        ``hypothesis`` is an index of ``scores``.
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
