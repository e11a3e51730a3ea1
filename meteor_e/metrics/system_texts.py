"""A system's texts, in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class SystemTexts:
    """What one system wrote.

    Attributes:
        name: of the system.
        hypotheses: one per segment.
        references: for each segment its references.
    """

    name: str
    hypotheses: Sequence[str]
    references: Sequence[Sequence[str]]

    @property
    def size(self) -> int:
        """Number of segments."""
        return len(self.hypotheses)

    def pairs(self) -> Iterator[tuple[str, Sequence[str]]]:
        """Yield each hypothesis with its references."""
        return zip(self.hypotheses, self.references, strict=True)
