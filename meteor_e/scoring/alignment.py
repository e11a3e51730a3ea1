"""The alignment of a hypothesis with a reference, and its matches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from meteor_e.base.extras import data_frame
from meteor_e.base.html import html_table


class AlignedMatch(NamedTuple):
    """A match of an alignment, or a candidate match. Positions are indexes of words, counted from 0.

    Attributes:
        reference_start: position of the first word in the reference.
        reference_length: number of words of the reference.
        hypothesis_start: position of the first word in the hypothesis.
        hypothesis_length: number of words of the hypothesis.
        matcher: index in the chain of the matcher that proposed the match.
        probability: confidence of the matcher, in [0, 1]; 1 for matchers without partial matches.
    """

    reference_start: int
    reference_length: int
    hypothesis_start: int
    hypothesis_length: int
    matcher: int
    probability: float


def chunk_numbers(matches: Sequence[AlignedMatch]) -> list[int]:
    """Return for each match the number of its chunk. Chunks are numbered from 1.

    A match belongs to the same chunk as the previous match if it directly follows the previous match in both segments.

    Args:
        matches: matches sorted by reference position.
    """
    numbers: list[int] = []
    chunk_number = 0
    previous_end = None
    for match in matches:
        start = (match.hypothesis_start, match.reference_start)
        if start != previous_end:
            chunk_number += 1
        numbers.append(chunk_number)
        hypothesis_end = match.hypothesis_start + match.hypothesis_length
        reference_end = match.reference_start + match.reference_length
        previous_end = (hypothesis_end, reference_end)
    return numbers


def count_chunks(matches: Sequence[AlignedMatch]) -> int:
    """Return the number of chunks. The matches must be sorted by their reference positions."""
    return max(chunk_numbers(matches), default=0)


@dataclass(frozen=True, repr=False)
class Alignment:
    """A hypothesis aligned with a reference.

    Attributes:
        hypothesis: normalized words of the hypothesis.
        reference: normalized words of the reference.
        matches: matches sorted by reference position. A word belongs to at most one match.
        matchers: names of the chain's matchers. ``AlignedMatch.matcher`` is an index of this tuple.
        chunks: number of chunks.
    """

    hypothesis: tuple[str, ...]
    reference: tuple[str, ...]
    matches: tuple[AlignedMatch, ...]
    matchers: tuple[str, ...]
    chunks: int

    def __repr__(self) -> str:
        lengths = f"{len(self.hypothesis)} words, {len(self.reference)} of the reference"
        match_count = f"{len(self.matches)} match{'' if len(self.matches) == 1 else 'es'}"
        chunk_count = f"{self.chunks} chunk{'' if self.chunks == 1 else 's'}"
        return f"Alignment({lengths}; {match_count} in {chunk_count})"

    def _repr_html_(self) -> str:
        """Return an HTML table of the matches for notebooks, followed by the words that do not match."""
        chunks = chunk_numbers(self.matches)
        rows = [(*pair, chunk) for pair, chunk in zip(self.pairs(), chunks, strict=True)]
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
        """Return a pandas DataFrame with one row per match.

        Raises:
            ConfigError: if pandas is not installed.
        """
        return data_frame(("hypothesis", "reference", "matcher"), self.pairs())

    def pairs(self) -> list[tuple[str, str, str]]:
        """Return ``(hypothesis words, reference words, matcher name)`` for every match."""
        pairs = []
        for match in self.matches:
            hypothesis_end = match.hypothesis_start + match.hypothesis_length
            reference_end = match.reference_start + match.reference_length
            hypothesis_words = self.hypothesis[match.hypothesis_start : hypothesis_end]
            reference_words = self.reference[match.reference_start : reference_end]
            pairs.append((" ".join(hypothesis_words), " ".join(reference_words), self.matchers[match.matcher]))
        return pairs

    def to_dict(self) -> dict[str, object]:
        """Return the alignment as a dictionary that can be written as JSON."""
        return {
            "hypothesis": list(self.hypothesis),
            "reference": list(self.reference),
            "chunks": self.chunks,
            "matches": [{**match._asdict(), "matcher": self.matchers[match.matcher]} for match in self.matches],
        }
