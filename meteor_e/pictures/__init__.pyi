from meteor_e.pictures.matrix import MATRIX_PREAMBLE as MATRIX_PREAMBLE, alignment_matrix as alignment_matrix
from meteor_e.pictures.palette import (
    MATCHER_STYLES as MATCHER_STYLES,
    SHAPES as SHAPES,
    MatcherStyle as MatcherStyle,
    matcher_style as matcher_style,
)
