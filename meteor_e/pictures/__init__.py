"""Pictures of alignments: the look of each matcher, and matrices in LaTeX."""

from __future__ import annotations

from typing import TYPE_CHECKING

from meteor_e.base.lazy import lazy_names

if TYPE_CHECKING:
    from meteor_e.pictures.matrix import MATRIX_PREAMBLE, alignment_matrix
    from meteor_e.pictures.palette import MATCHER_STYLES, SHAPES, MatcherStyle, matcher_style

__all__ = ["MATCHER_STYLES", "MATRIX_PREAMBLE", "SHAPES", "MatcherStyle", "alignment_matrix", "matcher_style"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "matrix": ["MATRIX_PREAMBLE", "alignment_matrix"],
        "palette": ["MATCHER_STYLES", "SHAPES", "MatcherStyle", "matcher_style"],
    },
)
