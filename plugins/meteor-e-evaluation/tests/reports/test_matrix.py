"""Tests of alignment matrices in LaTeX."""

from __future__ import annotations

from meteor_e_evaluation.reports.matrix import alignment_matrix, escape

from meteor_e import Meteor


def test_alignment_matrix_draws_chunks_in_latex(own_packs):
    meteor = Meteor("en")
    alignment = meteor.align("in the end x", "finally y x")
    text = alignment_matrix(alignment, meteor.resources.function_words)
    assert text.endswith("\\end{tikzpicture}\n")
    assert "(0,0) grid[step=1] (3,4)" in text
    # The paraphrase covers the first word of the reference and three words of the hypothesis. The exact match is x.
    assert r"\fill[meteor3!25] (0,0) rectangle (1,3);" in text
    assert r"\fill[meteor0!25] (2,3) rectangle (3,4);" in text
    frames = [line for line in text.splitlines() if "rounded corners" in line]
    assert len(frames) == alignment.chunks == 2


def test_escape_replaces_special_characters():
    assert escape("50% of $x_1$ & #{~^\\}") == (
        r"50\% of \$x\_1\$ \& \#\{\textasciitilde{}\textasciicircum{}\textbackslash{}\}"
    )
    assert escape("a\nb\x00\u202e\ud800") == "a?b???"
