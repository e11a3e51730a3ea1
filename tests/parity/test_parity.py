"""meteor_e is compared with the figures of the Java program in the parity files."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from make import MADE_FILES, corpus_text, grouped, make
from parity_cases import (
    ALIGNMENT_FILE,
    CORPUS_FILE,
    SCORE_FILES,
    TOKEN_FILES,
    OwnResources,
    needs_pack,
    read_corpus,
    read_scores,
    read_tokens,
)

from meteor_e.java.formats import java_trim
from meteor_e.java.report import make_java_vector
from meteor_e.scoring import formula
from meteor_e.scoring.alignment import AlignedMatch
from meteor_e.scoring.results import MeteorScore
from meteor_e.scoring.statistics import Statistics

CLOSE = 1e-12
POW = 1e-9
"""Java's ``Math.pow`` and C's differ in the last bit for a few arguments."""
WITHOUT_POW = {"precision", "recall", "f1", "fmean"}
"""Sums, products and quotients only: equal to the last bit."""
RULES_OF_POW = {"frag of 12/47"}

RUNS = [
    pytest.param(path.name, group, id=f"{path.stem}: {group[0].options} -r {len(group[0].references)}")
    for path in SCORE_FILES
    for group in grouped(read_scores(path), lambda case: case.run)
]
TOKEN_RUNS = [
    pytest.param(group, id=f"{path.stem}: {group[0].options}")
    for path in TOKEN_FILES
    for group in grouped(read_tokens(path), lambda case: case.options)
]
ALIGNMENT_RUNS = [
    pytest.param(group, id=group[0].options)
    for group in grouped(read_scores(ALIGNMENT_FILE), lambda case: case.options)
]
CORPORA = {(case.file, case.options, int(case.references)): case for case in read_corpus()}


def statistics_text(statistics: Statistics) -> str:
    """Return statistics in the form of the Java program, which always has four modules."""
    return " ".join(map(str, make_java_vector(statistics.to_vector(), len(statistics.matchers), 4)))


def matches_text(matches: Sequence[AlignedMatch]) -> str:
    return " ".join(
        f"{m.reference_start}:{m.reference_length}-{m.hypothesis_start}:{m.hypothesis_length}@{m.matcher}"
        for m in matches
    )


def differences(result: MeteorScore, figures: dict[str, str], tolerance: float) -> dict[str, tuple[float, str]]:
    """Return the figures that differ from Java's, as NaN and in the form that users see."""
    raw = formula.compute(result.statistics, result.parameters)
    wrong = {}
    for name, text in figures.items():
        java, ours = float(text), getattr(raw, name)
        shown = getattr(result, name)
        within = 0.0 if name in WITHOUT_POW else tolerance
        same = math.isnan(ours) if math.isnan(java) else abs(ours - java) <= within
        if not same or shown != (0.0 if math.isnan(ours) else ours):
            wrong[name] = (ours, text)
    return wrong


def test_files_contain_hundreds_of_cases():
    scores = [case for path in SCORE_FILES for case in read_scores(path)]
    tokens = [case for path in TOKEN_FILES for case in read_tokens(path)]
    assert len(scores) > 900
    assert len(tokens) > 1500
    assert all(case.score for case in scores)


@pytest.mark.parametrize(("file", "cases"), RUNS)
def test_statistics_scores_and_alignments_are_javas(file, cases, engine, own: OwnResources, request):
    options, references = cases[0].run
    if needs_pack(options):
        request.getfixturevalue("packs")
    meteor = own.meteor(options, engine)
    wrong = []
    for case in cases:
        result = meteor.score(case.hypothesis, case.references)
        figures = {
            "precision": case.precision,
            "recall": case.recall,
            "fragmentation_penalty": case.penalty,
            "score": case.score,
        }
        different: dict[str, object] = dict(differences(result, figures, POW if case.rule in RULES_OF_POW else CLOSE))
        if statistics_text(result.statistics) != case.statistics:
            different["statistics"] = (statistics_text(result.statistics), case.statistics)
        if matches_text(result.alignment.matches) != case.alignment:
            different["matches"] = (matches_text(result.alignment.matches), case.alignment)
        if different:
            wrong.append((case.rule, case.hypothesis, case.references, different))
    assert not wrong
    java = CORPORA.get((file, options, references))
    if java is not None:
        corpus = meteor.corpus([case.hypothesis for case in cases], [case.references for case in cases])
        figures = dict(
            zip(("precision", "recall", "f1", "fmean", "fragmentation_penalty", "score"), java[3:], strict=True)
        )
        assert not differences(corpus, figures, CLOSE)


@pytest.mark.parametrize("cases", TOKEN_RUNS)
def test_words_are_javas(cases, engine, own: OwnResources, request):
    if needs_pack(cases[0].options):
        request.getfixturevalue("packs")
    meteor = own.meteor(cases[0].options, engine)
    # The Java program trims the line in which it shows them.
    found = [(case.text, java_trim(" ".join(meteor.align(case.text, case.text).hypothesis))) for case in cases]
    assert found == [(case.text, case.tokens) for case in cases]


@pytest.mark.parametrize("cases", ALIGNMENT_RUNS)
def test_maximum_accuracy_equals_that_of_java(cases, engine, own: OwnResources, request):
    if needs_pack(cases[0].options):
        request.getfixturevalue("packs")
    meteor = own.meteor(cases[0].options, engine)
    found = [
        matches_text(meteor.align(case.hypothesis, case.references[0], maximum_accuracy=True).matches) for case in cases
    ]
    assert found == [case.alignment for case in cases]


@pytest.mark.java
@pytest.mark.parametrize("path", MADE_FILES, ids=lambda path: path.stem)
def test_file_equals_the_output_of_java(java, own: OwnResources, path):
    text, corpora = make(java.run, own, path)
    assert path.read_text(encoding="utf-8") == text
    assert [case for case in read_corpus() if case.file == path.name] == corpora


def test_corpus_file_consists_of_the_score_files():
    cases = read_corpus()
    files = [case.file for case in cases]
    assert (sorted(set(files)), sorted(files)) == ([path.name for path in SCORE_FILES], files)
    assert CORPUS_FILE.read_text(encoding="utf-8") == corpus_text(cases)
