"""Compare METEOR-E with the output of the Java program for real systems, which is part of the shared data."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from make import parse_alignments
from parity_cases import SmallResources
from test_parity import format_matches, format_statistics

from meteor_e.formats.plain import read_segments
from meteor_e.scoring import formula
from meteor_e.scoring.results import MeteorSegmentScore
from meteor_e.text.identity import java_hash
from meteor_e.text.stemming import stemmer

pytestmark = pytest.mark.shared

TOLERANCE = 1e-9
KNOWN_DIFFERENCES = {"fr-exact-stem.en-fr": 17}
"""The number of segments in which the statistics differ, by run.

The Java program compares hashes of words, and some words have equal hashes (``le`` and ``n'``, ``je`` and ``l'``).
The command ``compat`` compares hashes, too.
"""
MIN_EXACT_SHARE = 0.999
"""Minimum share of the scores that equal those of the Java program to the last bit. Powers may differ in that bit."""
RUNS = [
    "cs-exact.en-cs",
    "de-exact-stem.en-de",
    "en-adq-norm.cs-en",
    "en-exact.cs-en",
    "en-hter-norm.cs-en",
    "en-li-norm.cs-en",
    "en-rank-beam5.cs-en",
    "en-rank-lower.cs-en",
    "en-rank-norm-nopunct.cs-en",
    "en-rank-norm.cs-en",
    "en-rank-norm.de-en",
    "en-rank-norm.lv-en",
    "en-rank-raw.cs-en",
    "en-ref2.cs-en",
    "en-tune-norm.cs-en",
    "en-universal-norm.cs-en",
    "en-util-norm.cs-en",
    "es-exact-stem.en-es",
    "fr-exact-stem.en-fr",
    "ru-exact-stem.en-ru",
]


def has_hash_collision(segment: MeteorSegmentScore) -> bool:
    """Return whether a word or stem of the hypothesis and a different one of the reference have equal 32-bit hashes."""
    stem = stemmer("french")
    hypothesis, reference = (
        {*words, *map(stem, words)} for words in (segment.alignment.hypothesis, segment.alignment.reference)
    )
    return any(x != y and java_hash(x) == java_hash(y) for x in hypothesis for y in reference)


def read_java_system_scores(path: Path) -> list[float]:
    """Return the precision, recall, F1, Fmean, penalty and score of a system from the output of the Java program."""
    lines = path.read_text(encoding="utf-8").splitlines()
    values = dict(line.split(":") for line in lines if line.count(":") == 1)
    keys = ("Precision", "Recall", "f1", "fMean", "Fragmentation penalty", "Final score")
    return [float(values[key]) for key in keys]


def test_golden_runs_are_listed_completely(shared):
    """All recorded runs are in ``RUNS``."""
    assert sorted(path.name.removesuffix(".cmd") for path in (shared / "golden/meteor-1.5").glob("*.cmd")) == RUNS


@pytest.mark.parametrize("name", RUNS)
def test_segment_and_system_scores_equal_those_of_java(name, engine, shared, packs, resources: SmallResources):
    golden_folder = shared / "golden/meteor-1.5"
    _, hypothesis_file, reference_file, *options = shlex.split((golden_folder / f"{name}.cmd").read_text())
    reference_count = 1
    if "-r" in options:
        index = options.index("-r")
        reference_count = int(options[index + 1])
        del options[index : index + 2]
    meteor = resources.make_metric(shlex.join(options), engine)
    hypotheses = list(read_segments(shared / "golden" / hypothesis_file))
    lines = list(read_segments(shared / "golden" / reference_file))
    references = [lines[start : start + reference_count] for start in range(0, len(lines), reference_count)]
    corpus = meteor.corpus(hypotheses, references, segments=True)

    java_statistics = [
        " ".join(value.removesuffix(".0") for value in line.split())
        for line in (golden_folder / f"{name}.ss.txt").read_text().splitlines()
    ]
    statistics = [format_statistics(segment.statistics) for segment in corpus.segments]
    statistics_pairs = zip(statistics, java_statistics, strict=True)
    different_segments = [index for index, (x, y) in enumerate(statistics_pairs) if x != y]
    assert len(different_segments) == KNOWN_DIFFERENCES.get(name, 0)
    assert all(has_hash_collision(corpus.segments[index]) for index in different_segments)

    java_lines = (golden_folder / f"{name}.vout.tsv").read_text().splitlines()
    java_scores = [list(map(float, line.split("\t"))) for line in java_lines]
    scores = [
        [segment.precision, segment.recall, segment.fragmentation_penalty, segment.score] for segment in corpus.segments
    ]
    assert len(scores) == len(java_scores)
    # The scores of empty texts are undefined: NaN in the Java program, and 0 in METEOR-E.
    score_pairs = [
        (x, y if y == y else 0.0)
        for index, (row, java_row) in enumerate(zip(scores, java_scores, strict=True))
        if index not in different_segments
        for x, y in zip(row, java_row, strict=True)
    ]
    assert max(abs(x - y) for x, y in score_pairs) <= TOLERANCE
    equal_count = sum(x == y for x, y in score_pairs)
    assert equal_count >= MIN_EXACT_SHARE * len(score_pairs)

    if different_segments:
        return
    system_scores = formula.compute(corpus.statistics, corpus.parameters)
    for x, y in zip(system_scores, read_java_system_scores(golden_folder / f"{name}.system.txt"), strict=True):
        assert abs(x - y) <= TOLERANCE

    alignment_file = golden_folder / f"{name}.align.out"
    if alignment_file.exists():
        matches = [format_matches(segment.alignment.matches) for segment in corpus.segments]
        assert matches == [segment.matches for segment in parse_alignments(alignment_file.read_text(encoding="utf-8"))]
