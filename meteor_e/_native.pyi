"""The native core, in C++; its sources are in ``meteor_e/native``. :mod:`meteor_e.engine.native` is its only caller."""

from __future__ import annotations

from collections.abc import Buffer, Sequence  # type: ignore[attr-defined]
from typing import Any, final

class DamagedIndexError(RuntimeError):
    """A mapped index holds what no builder writes; its arguments are the file and the problem."""

@final
class Core:
    """A chain of matchers, and the words seen with it. One thread at a time may use it.

    Args:
        matchers: for each matcher ``(family, search weight, the same in the maximum-accuracy mode, column,
            match equal words, threshold, sections, bound)``, as :mod:`meteor_e.engine.plan` makes them.
        parameters: α, β, γ, δ.
        weights: of the matchers in the score.
        beam, character_mode, max_candidates: of the search and the statistics.
        normalization, apostrophes, always, numeric: of the normaliser.
    """

    def __init__(
        self,
        matchers: Sequence[tuple[Any, ...]],
        parameters: tuple[float, float, float, float],
        weights: Sequence[float],
        beam: int,
        character_mode: bool,
        max_candidates: int,
        normalization: str,
        apostrophes: str,
        always: Sequence[str],
        numeric: Sequence[str],
    ) -> None: ...
    @property
    def size(self) -> int:
        """Number of word types."""
    def read(self, segments: Sequence[str], threads: int, stop: object, /) -> Batch:
        """Normalise raw segments and look their words up; KeyboardInterrupt soon after ``stop`` becomes true."""
    def take(self, segments: Sequence[Sequence[int]], /) -> Batch:
        """Make a batch of segments given as numbers of word types."""
    def add_types(self, forms: Sequence[str], /) -> None:
        """Add word types whose tokens carry more than their forms."""
    def undescribed(self) -> list[str]:
        """Return the forms of the word types that have no features yet."""
    def describe(self, functional: bytes, features: Sequence[Any], /) -> None:
        """Give the features of the word types that have none yet: a flag a type, an item a matcher."""
    def clear(self) -> None:
        """Forget all word types; batches made before are void."""

@final
class Batch:
    """Segments that are scored together: hypotheses, then their references. Made by :class:`Core`."""

    def irregular(self) -> list[int]:
        """Return the segments that the Python normaliser must do."""
    def set_words(self, segment: int, words: Sequence[str], /) -> None:
        """Give the words of a segment."""
    def intern(self) -> int:
        """Add new words to the vocabulary; return how many word types lack features."""
    def arrange(self, numbers: Sequence[int], /) -> None:
        """Line the segments up anew: those of these numbers, each as often as it is named."""
    def pair(self, reference_starts: Sequence[int], /) -> None:
        """Say which references belong to which hypothesis: the first of each, and an end."""
    def types(self, segment: int, /) -> list[int]:
        """Return the word types of a segment."""
    def words(self, segment: int, /) -> tuple[str, ...]:
        """Return the words of a segment."""
    def original(self, hypothesis: int, /) -> int:
        """Return the first hypothesis with the same words and references."""
    def propose(self, reference: int, matcher: int, matches: Sequence[Sequence[float]], /) -> None:
        """Give the matches that a matcher in Python proposes for a reference and its hypothesis."""
    def score(
        self, threads: int, keep_alignments: bool, maximum_accuracy: bool, stop: object, /
    ) -> tuple[bytes, bytes, bytes]:
        """Align and score; return rows of statistics (int64) and scores (float64), and best references (int32).

        Soon after ``stop`` becomes true, which another thread may do, it raises KeyboardInterrupt.
        """
    def failures(self) -> list[tuple[int, int, int, int | None, tuple[int, int, int, int] | None]]:
        """Return hypotheses that could not be scored: their words, the reference's, matcher and proposal."""
    def total(self, statistics: Buffer, /) -> list[int]:
        """Add up rows of statistics as a corpus does."""
    def alignment(self, hypothesis: int, /) -> list[tuple[int, int, int, int, int, float]]:
        """Return the matches of a hypothesis with its best reference, if they were kept."""
