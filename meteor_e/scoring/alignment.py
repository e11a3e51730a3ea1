"""The result of aligning a hypothesis with a reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from meteor_e.base.extras import data_frame
from meteor_e.base.html import html_table


class AlignedMatch(NamedTuple):
    """One match of the alignment, or a candidate for it; positions count words from 0.

    Attributes:
        reference_start, reference_length: the words of the reference.
        hypothesis_start, hypothesis_length: the words of the hypothesis.
        matcher: index in the chain of the matcher that found it.
        probability: how sure the matcher is, in [0, 1]; 1 for all built-in matchers.
    """

    reference_start: int
    reference_length: int
    hypothesis_start: int
    hypothesis_length: int
    matcher: int
    probability: float


def chunk_numbers(matches: Sequence[AlignedMatch]) -> list[int]:
    """Number the chunks of matches sorted by reference position, from 1; return the number of each match's chunk.

    A chunk ends at an unmatched reference word, or where the next match does not go on in the hypothesis.
    """
    numbers: list[int] = []
    reference_end = hypothesis_end = -1
    for match in matches:
        goes_on = match.reference_start == reference_end and match.hypothesis_start == hypothesis_end
        numbers.append((numbers[-1] if numbers else 0) + (not goes_on))
        reference_end = match.reference_start + match.reference_length
        hypothesis_end = match.hypothesis_start + match.hypothesis_length
    return numbers


def count_chunks(matches: Sequence[AlignedMatch]) -> int:
    """Count the chunks of matches sorted by reference position."""
    return max(chunk_numbers(matches), default=0)


@dataclass(frozen=True, repr=False)
class Alignment:
    """A hypothesis aligned with a reference.

    Attributes:
        hypothesis: words of the hypothesis, normalized.
        reference: words of the reference, normalized.
        matches: the matches, sorted by reference position; no word is in two of them.
        matchers: names of the chain's matchers; ``AlignedMatch.matcher`` indexes them.
        chunks: number of chunks of the matches.
    """

    hypothesis: tuple[str, ...]
    reference: tuple[str, ...]
    matches: tuple[AlignedMatch, ...]
    matchers: tuple[str, ...]
    chunks: int

    def __repr__(self) -> str:
        sides = f"{len(self.hypothesis)} words, {len(self.reference)} of the reference"
        return f"Alignment({sides}; {len(self.matches)} matches in {self.chunks} chunks)"

    def _repr_html_(self) -> str:
        """Return a table of the matches, and the words that do not match, for notebooks."""
        rows = [
            (hypothesis, reference, matcher, chunk)
            for (hypothesis, reference, matcher), chunk in zip(self.pairs(), chunk_numbers(self.matches), strict=True)
        ]
        hypothesis_words, reference_words = self.unmatched_words()
        note = (
            f"Unmatched in the hypothesis: {' '.join(hypothesis_words) or 'none'}. "
            f"Unmatched in the reference: {' '.join(reference_words) or 'none'}."
        )
        return html_table(("hypothesis", "reference", "matcher", "chunk"), rows, note)

    def unmatched_words(self) -> tuple[list[str], list[str]]:
        """Return the words of the hypothesis and of the reference that are not part of a match."""
        hypothesis_matched: set[int] = set()
        reference_matched: set[int] = set()
        for match in self.matches:
            hypothesis_matched.update(range(match.hypothesis_start, match.hypothesis_start + match.hypothesis_length))
            reference_matched.update(range(match.reference_start, match.reference_start + match.reference_length))
        return (
            [word for position, word in enumerate(self.hypothesis) if position not in hypothesis_matched],
            [word for position, word in enumerate(self.reference) if position not in reference_matched],
        )

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame with one row per match; ConfigError if pandas is not installed."""
        return data_frame(("hypothesis", "reference", "matcher"), self.pairs())

    def pairs(self) -> list[tuple[str, str, str]]:
        """Return ``(hypothesis words, reference words, matcher name)`` of every match."""
        return [
            (
                " ".join(self.hypothesis[m.hypothesis_start : m.hypothesis_start + m.hypothesis_length]),
                " ".join(self.reference[m.reference_start : m.reference_start + m.reference_length]),
                self.matchers[m.matcher],
            )
            for m in self.matches
        ]

    def to_dict(self) -> dict[str, object]:
        """Return a form that JSON can hold."""
        return {
            "hypothesis": list(self.hypothesis),
            "reference": list(self.reference),
            "chunks": self.chunks,
            "matches": [{**match._asdict(), "matcher": self.matchers[match.matcher]} for match in self.matches],
        }
