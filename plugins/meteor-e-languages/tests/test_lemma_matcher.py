"""Tests of the matcher ``lemma`` with lemmas from simplemma, in languages that METEOR does not support."""

from __future__ import annotations

import pytest

from meteor_e import Meteor


@pytest.mark.parametrize(
    ("code", "hypothesis", "reference", "matcher_indexes"),
    [
        ("uk", "Коти сидять на вікнах.", "Кіт сидить на вікні.", [1, 1, 0, 1, 0]),
        ("pl", "Koty leżą na oknach.", "Kot leży na oknie.", [1, 1, 0, 1, 0]),
        ("hi", "लड़के किताबें पढ़ते हैं।", "लड़का किताब पढ़ता है।", [1, 1, 1, 1, 0]),
    ],
)
def test_lemma_matcher_matches_inflected_words(code, hypothesis, reference, matcher_indexes):
    meteor = Meteor(code, matchers=["exact", "lemma"], lemmatizer="simplemma")
    matcher_by_position = {
        match.reference_start: match.matcher for match in meteor.align(hypothesis, reference).matches
    }
    assert [matcher_by_position.get(position) for position in range(len(matcher_indexes))] == matcher_indexes
    assert meteor.score(hypothesis, reference).score > Meteor(code).score(hypothesis, reference).score
    assert f"|lemmas:simplemma({meteor.lemmatizer.describe()})" in meteor.signature
