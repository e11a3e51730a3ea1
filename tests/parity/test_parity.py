"""Compare METEOR-E with the output of the Java program in the parity files."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from make import JAVA_OUTPUT_FILES, format_corpus_file, generate_parity_file, group_cases
from parity_cases import (
    ALIGNMENT_FILE,
    CORPUS_FILE,
    SCORE_FILES,
    TOKEN_FILES,
    SmallResources,
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

TOLERANCE = 1e-12
POW_TOLERANCE = 1e-9
"""The tolerance of the rules in ``POW_RULES``."""
EXACT_SCORES = {"precision", "recall", "f1", "fmean"}
"""Scores that must be equal to the last bit, because they are sums, products and quotients."""
POW_RULES = {"frag of 12/47"}
"""Rules for which Java's ``Math.pow`` and C's ``pow`` return results that differ in the last bit."""

RUNS = [
    pytest.param(path.name, group, id=f"{path.stem}: {group[0].options} -r {len(group[0].references)}")
    for path in SCORE_FILES
    for group in group_cases(read_scores(path), lambda case: case.run_key)
]
TOKEN_RUNS = [
    pytest.param(group, id=f"{path.stem}: {group[0].options}")
    for path in TOKEN_FILES
    for group in group_cases(read_tokens(path), lambda case: case.options)
]
ALIGNMENT_RUNS = [
    pytest.param(group, id=group[0].options)
    for group in group_cases(read_scores(ALIGNMENT_FILE), lambda case: case.options)
]
CORPUS_CASES = {(case.file, case.options, int(case.references)): case for case in read_corpus()}


def format_statistics(statistics: Statistics) -> str:
    """Return statistics in the format of the Java program, which always has four modules."""
    return " ".join(map(str, make_java_vector(statistics.to_vector(), len(statistics.matchers), 4)))


def format_matches(matches: Sequence[AlignedMatch]) -> str:
    """Return the matches of an alignment in the format of the parity files."""
    return " ".join(
        f"{match.reference_start}:{match.reference_length}"
        f"-{match.hypothesis_start}:{match.hypothesis_length}@{match.matcher}"
        for match in matches
    )


def find_differences(
    result: MeteorScore, java_scores: dict[str, str], tolerance: float
) -> dict[str, tuple[float, str]]:
    """Return the scores that differ from those of the Java program, by name.

    Undefined scores are NaN in the Java program and in ``formula``. They are 0 in the result that users see.
    """
    raw_scores = formula.compute(result.statistics, result.parameters)
    differences = {}
    for name, java_text in java_scores.items():
        java_score, raw_score = float(java_text), getattr(raw_scores, name)
        public_score = getattr(result, name)
        max_difference = 0.0 if name in EXACT_SCORES else tolerance
        equal = math.isnan(raw_score) if math.isnan(java_score) else abs(raw_score - java_score) <= max_difference
        if not equal or public_score != (0.0 if math.isnan(raw_score) else raw_score):
            differences[name] = (raw_score, java_text)
    return differences


def test_parity_files_contain_hundreds_of_cases():
    score_cases = [case for path in SCORE_FILES for case in read_scores(path)]
    token_cases = [case for path in TOKEN_FILES for case in read_tokens(path)]
    assert len(score_cases) > 900
    assert len(token_cases) > 1500
    assert all(case.score for case in score_cases)


@pytest.mark.parametrize(("file", "cases"), RUNS)
def test_statistics_scores_and_alignments_equal_java(file, cases, engine, resources: SmallResources, request):
    options, reference_count = cases[0].run_key
    if needs_pack(options):
        request.getfixturevalue("packs")
    meteor = resources.make_metric(options, engine)
    wrong_cases = []
    for case in cases:
        result = meteor.score(case.hypothesis, case.references)
        java_scores = {
            "precision": case.precision,
            "recall": case.recall,
            "fragmentation_penalty": case.penalty,
            "score": case.score,
        }
        tolerance = POW_TOLERANCE if case.rule in POW_RULES else TOLERANCE
        differences: dict[str, object] = dict(find_differences(result, java_scores, tolerance))
        if format_statistics(result.statistics) != case.statistics:
            differences["statistics"] = (format_statistics(result.statistics), case.statistics)
        if format_matches(result.alignment.matches) != case.alignment:
            differences["matches"] = (format_matches(result.alignment.matches), case.alignment)
        if differences:
            wrong_cases.append((case.rule, case.hypothesis, case.references, differences))
    assert not wrong_cases
    corpus_case = CORPUS_CASES.get((file, options, reference_count))
    if corpus_case is not None:
        corpus = meteor.corpus([case.hypothesis for case in cases], [case.references for case in cases])
        names = ("precision", "recall", "f1", "fmean", "fragmentation_penalty", "score")
        java_scores = dict(zip(names, corpus_case[3:], strict=True))
        assert not find_differences(corpus, java_scores, TOLERANCE)


@pytest.mark.parametrize("cases", TOKEN_RUNS)
def test_tokens_equal_those_of_java(cases, engine, resources: SmallResources, request):
    if needs_pack(cases[0].options):
        request.getfixturevalue("packs")
    meteor = resources.make_metric(cases[0].options, engine)
    # The Java program trims the line that contains the tokens.
    tokens = [(case.text, java_trim(" ".join(meteor.align(case.text, case.text).hypothesis))) for case in cases]
    assert tokens == [(case.text, case.tokens) for case in cases]


@pytest.mark.parametrize("cases", ALIGNMENT_RUNS)
def test_maximum_accuracy_alignments_equal_java(cases, engine, resources: SmallResources, request):
    if needs_pack(cases[0].options):
        request.getfixturevalue("packs")
    meteor = resources.make_metric(cases[0].options, engine)
    alignments = [
        format_matches(meteor.align(case.hypothesis, case.references[0], maximum_accuracy=True).matches)
        for case in cases
    ]
    assert alignments == [case.alignment for case in cases]


@pytest.mark.java
@pytest.mark.parametrize("path", JAVA_OUTPUT_FILES, ids=lambda path: path.stem)
def test_parity_file_equals_the_output_of_java(java, resources: SmallResources, path):
    text, corpus_cases = generate_parity_file(java.run, resources, path)
    assert path.read_text(encoding="utf-8") == text
    assert [case for case in read_corpus() if case.file == path.name] == corpus_cases


def test_corpus_file_covers_all_score_files():
    cases = read_corpus()
    files = [case.file for case in cases]
    assert (sorted(set(files)), sorted(files)) == ([path.name for path in SCORE_FILES], files)
    assert CORPUS_FILE.read_text(encoding="utf-8") == format_corpus_file(cases)
