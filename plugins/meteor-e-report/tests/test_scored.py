from __future__ import annotations

import numpy as np
import pytest
from meteor_e_report import score_systems
from report_systems import REFERENCES, SYSTEMS

from meteor_e import InputError
from meteor_e.api import ConfigError
from meteor_e.significance import compare_systems, meteor_scorer, meteor_statistics


def test_scores_are_those_of_the_metric(meteor, report):
    for system in report.systems:
        corpus = meteor.corpus(SYSTEMS[system.name], REFERENCES, segments=True)
        assert system.corpus.score == corpus.score
        assert [segment.score for segment in system.segments] == [segment.score for segment in corpus.segments]
        assert [s.alignment for s in system.segments] == [s.alignment for s in corpus.segments]
        assert system.values("recall").tolist() == [segment.recall for segment in corpus.segments]


def test_shares_are_the_segments_contributions(report):
    for system in report.systems:
        expected = [[share.score for share in segment.contributions()] for segment in system.segments]
        np.testing.assert_allclose(system.shares(), expected, atol=1e-14)
        np.testing.assert_allclose(system.shares().sum(axis=1), system.values("score"), atol=1e-14)


def test_every_two_systems_are_compared(meteor, report):
    counts = {
        name: meteor_statistics([s.statistics for s in meteor.segments(hypotheses, REFERENCES)])
        for name, hypotheses in SYSTEMS.items()
    }
    names = list(SYSTEMS)
    for first, second in ((0, 1), (0, 2), (1, 2)):
        pair = {names[at]: counts[names[at]] for at in (first, second)}
        expected = compare_systems(pair, meteor_scorer(meteor.chain.parameters), samples=100)[1]
        assert report.comparison.between(first, second) == expected
    assert [report.comparison.of(at).system for at in range(3)] == names


def test_lengths_are_words_of_the_first_reference(meteor, report):
    assert report.lengths.tolist() == [len(meteor.tokenize(texts[0])) for texts in REFERENCES]
    # In some segment no system is scored against it, so that it is tokenized for its length alone.
    assert any(all(system.segments[at].reference_index for system in report.systems) for at in range(len(report)))


def test_one_reference_may_be_a_text(meteor):
    texts = [references[0] for references in REFERENCES]
    one = score_systems(meteor, SYSTEMS, texts, samples=10)
    listed = score_systems(meteor, SYSTEMS, [[text] for text in texts], samples=10)
    assert [system.segments for system in one.systems] == [system.segments for system in listed.systems]
    assert one.references == tuple((text,) for text in texts)
    assert one.title == "one, two, three"


def test_a_single_system_has_an_interval_and_no_test(meteor):
    found = score_systems(meteor, {"one": SYSTEMS["one"]}, REFERENCES, samples=50)
    assert found.comparison.of(0).p is None
    low, high = found.comparison.of(0).interval
    assert low <= found.systems[0].corpus.score <= high


def test_no_comparison(meteor):
    assert score_systems(meteor, SYSTEMS, REFERENCES, method=None).comparison is None


def test_progress_names_systems(meteor):
    seen = []
    score_systems(meteor, SYSTEMS, REFERENCES, method=None, progress=lambda name, done: seen.append((name, done)))
    assert seen == [(name, done) for name in SYSTEMS for done in range(1, 6)]


@pytest.mark.parametrize(
    ("systems", "references", "options", "error", "message"),
    [
        ({}, ["x"], {}, InputError, "at least one system"),
        ({"a": []}, [], {}, InputError, "no segments"),
        ({"a": ["x", "y"]}, ["x"], {}, InputError, "a: the references end after 1 segments"),
        ({"a": ["x"], "b": []}, ["x"], {}, InputError, "b: the hypotheses end after 0 segments"),
        ({"a": "x"}, ["x"], {}, InputError, "a: hypotheses are a list"),
        ({"a": ["x"]}, [[]], {}, InputError, "at least one reference"),
        ({"a": ["x"], "b": ["x"]}, ["x"], {"method": "t-test"}, ConfigError, "unknown significance test"),
    ],
)
def test_what_cannot_be_reported(meteor, systems, references, options, error, message):
    with pytest.raises(error, match=message):
        score_systems(meteor, systems, references, **options)
