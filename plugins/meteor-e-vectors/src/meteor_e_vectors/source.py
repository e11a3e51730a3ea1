"""What a file of vectors holds, whatever program wrote it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from meteor_e_vectors.subwords import Subwords

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass
class Source:
    """What a file holds.

    Attributes:
        format: one of :data:`meteor_e_vectors.sources.FORMATS`.
        words: in the file's order, which is by frequency for all known programs.
        rows: one vector per word.
        counts: how often each word occurred, if the file says so.
        subwords: of fastText models.
        dropped: words that were there before, and are left out.
    """

    format: str
    words: list[str]
    rows: NDArray[np.float32]
    counts: NDArray[np.integer[Any]] | None = None
    subwords: Subwords | None = None
    dropped: int = field(default=0)

    def __post_init__(self) -> None:
        first = dict(zip(reversed(self.words), range(len(self.words) - 1, -1, -1), strict=True))
        if len(first) < len(self.words):
            kept = sorted(first.values())
            self.dropped = len(self.words) - len(kept)
            self.words = [self.words[number] for number in kept]
            self.rows = self.rows[kept]
            if self.counts is not None:
                self.counts = self.counts[kept]
