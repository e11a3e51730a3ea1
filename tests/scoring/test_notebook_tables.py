"""Test the HTML tables of scores and alignments that notebooks display."""

from __future__ import annotations

import re

from meteor_e import Meteor
from meteor_e.api.segments import Segment, System
from meteor_e.evaluate import evaluate


def find_cells(html):
    """Return the contents of the table cells of a document."""
    return re.findall(r"<td[^>]*>([^<]*)</td>", html)


def test_score_html_shows_parts_and_signature():
    score = Meteor("other").score("a cat sat", "the cat sat")
    html = score._repr_html_()
    parts = ("score", "precision", "recall", "f1", "fmean", "fragmentation_penalty")
    assert find_cells(html) == [f"{getattr(score, part):.4f}" for part in parts]
    assert score.signature in html


def test_corpus_score_html_shows_at_most_twenty_segments():
    corpus = Meteor("other").corpus(["a"] * 25, ["a"] * 25, segments=True)
    html = corpus._repr_html_()
    # The rows are the header, the corpus and 20 segments.
    assert html.count("<tr>") == 1 + 1 + 20
    assert "5 more segments" in html
    assert find_cells(html)[0] == "corpus"


def test_alignment_html_shows_matches_and_escapes_words():
    alignment = Meteor("other").align("x <b> y", "x <b> z")
    html = alignment._repr_html_()
    assert find_cells(html) == ["x", "x", "exact", "1", "&lt;b&gt;", "&lt;b&gt;", "exact", "1"]
    assert "Unmatched in the hypothesis: y. Unmatched in the reference: z." in html


def test_score_table_html_shows_systems_and_signature():
    meteor = Meteor("other")
    systems = [
        System.from_segments(name, [Segment(1, text, ("a cat",))]) for name, text in (("<one>", "a cat"), ("two", "a"))
    ]
    html = evaluate([meteor], systems)._repr_html_()
    scores = [meteor.score(text, "a cat").score for text in ("a cat", "a")]
    assert find_cells(html) == ["&lt;one&gt;", f"{scores[0]:.4f}", "1", "two", f"{scores[1]:.4f}", "1"]
    assert meteor.signature in html
