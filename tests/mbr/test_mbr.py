"""Test minimum Bayes risk decoding: the command ``mbr``, the function ``choices`` and the methods."""

from __future__ import annotations

import json
from importlib import import_module
from typing import NamedTuple

import numpy as np
import pytest

from meteor_e import ConfigError, InputError, Meteor, load_metric
from meteor_e.engine.native import native_module
from meteor_e.formats.nbest import Source
from meteor_e.mbr.decisions import choices
from meteor_e.mbr.methods import Aggregation, Pruning, rank_candidates

SOURCES = [
    ["the cat sat on the mat", "a cat sat on the mat", "dogs bark", "the cat is on the mat"],
    ["many people run", "a lot of people hurry", "a lot of people run", "x"],
]
"""The candidates of two sources."""

MOSES = "".join(
    f"{index} ||| {text} ||| F0= 1 ||| -{index}\n" for index, candidates in enumerate(SOURCES) for text in candidates
)
LINES = "".join(f"{text}\n" for candidates in SOURCES for text in candidates)
# A line of JSON Lines is an object or a list of candidates.
JSON = json.dumps({"candidates": SOURCES[0]}) + "\n" + json.dumps(SOURCES[1]) + "\n"


class ExpectedChoice(NamedTuple):
    """The candidate with the highest mean score against all candidates of its source."""

    text: str
    candidate_index: int
    mean: float
    means: list[float]
    """The mean scores of all candidates."""


def compute_choices(score):
    """Return for each source the best candidate, computed by the definition of minimum Bayes risk.

    Args:
        score: function of a hypothesis and a reference. Higher scores are better.
    """
    result = []
    for candidates in SOURCES:
        means = [np.mean([score(candidate, reference) for reference in candidates]) for candidate in candidates]
        index = int(np.argmax(means))
        result.append(ExpectedChoice(candidates[index], index, float(means[index]), means))
    return result


@pytest.mark.parametrize(
    ("content", "options"),
    [
        (MOSES, []),
        (LINES, ["--candidates", "4"]),
        (JSON, []),
        (JSON, ["--format-in", "jsonl"]),
    ],
    ids=["moses", "lines", "jsonl", "jsonl-by-option"],
)
def test_mbr_reads_moses_lines_and_jsonl(cli, own_packs, content, options):
    cli.file("candidates", content)
    meteor = Meteor("en")
    expected_choices = compute_choices(lambda hypothesis, reference: meteor.score(hypothesis, reference).score)
    lines = cli("mbr", "candidates", *options).out.splitlines()
    assert lines == [choice.text for choice in expected_choices]
    lines = cli("mbr", "-", *options, "-f", "tsv", text=content).out.splitlines()
    header, *rows = [line.split("\t") for line in lines]
    assert [title for title in header if title not in ("id", "score")] == ["source", "candidate", "expected", "text"]
    # Only the Moses list has ids and scores.
    assert ("id" in header) == ("score" in header) == (content == MOSES)
    for index, (row, choice) in enumerate(zip(rows, expected_choices, strict=True)):
        cells = dict(zip(header, row, strict=True))
        assert int(cells["candidate"]) == choice.candidate_index + 1
        assert float(cells["expected"]) == pytest.approx(choice.mean, abs=1e-15)
        assert cells.get("id", str(index)) == str(index)


def test_mbr_supports_metrics_and_reports_all_scores(cli):
    pytest.importorskip("sacrebleu", reason="needs the extra 'metrics'")
    cli.file("candidates", MOSES)
    chrf, ter = load_metric("chrf"), load_metric("ter")
    expected_choices = compute_choices(lambda hypothesis, reference: chrf.score(hypothesis, reference).score)
    for entry, choice in zip(run_mbr_jsonl(cli, "candidates", "-M", "chrf"), expected_choices, strict=True):
        assert entry["expected_scores"] == pytest.approx(choice.means)
        assert (entry["candidate"], entry["text"]) == (choice.candidate_index + 1, choice.text)
        assert entry["signature"].startswith("chrF2|")
    # Lower TER is better.
    expected_choices = compute_choices(lambda hypothesis, reference: -ter.score(hypothesis, reference).score)
    lines = cli("mbr", "candidates", "-M", "ter").out.splitlines()
    assert lines == [choice.text for choice in expected_choices]


@pytest.mark.parametrize(
    ("content", "options", "code", "message"),
    [
        ("", [], 1, "is empty"),
        ("no marks\n", [], 2, "--candidates N"),
        (MOSES, ["--candidates", "2", "--format-in", "moses"], 2, "--candidates N"),
        (LINES, ["--candidates", "3"], 1, "line 8 is the last line"),
        ("0 ||| a\n1 ||| b\n0 ||| c\n", [], 1, "line 3: source 0 occurs again"),
        ("0 ||| a\nb\n", [], 1, "line 2: all lines of a source"),
        ("0 ||| a ||| F= 1 ||| 1\n0 ||| b\n", [], 1, "line 1: all lines of a source"),
        ("0 ||| a ||| F= 1 ||| x\n", [], 1, "line 1: the score"),
        ("0 ||| a ||| F= 1 ||| nan\n", [], 1, "line 1: the score"),
        ("0 ||| a ||| F= 1 ||| 1\n1 ||| b\n", [], 1, "only one of the sources 1 and 2 has 'scores'"),
        ('{"candidates": ["a"], "id": 1}\n["b"]\n', [], 1, "only one of the sources 1 and 2 has 'id'"),
        ('{"candidates": ["a"], "weigths": [1]}\n', [], 1, "unknown field `weigths`"),
        ('{"candidates": ["a"], "candidates": ["b"]}\n', [], 1, "has the key 'candidates' twice"),
        ('{"candidates": ["a"], "id": [1]}\n', [], 1, "$.id"),
        ('{"candidates": ["a"], "references": []}\n', [], 1, "source 1 does not have references"),
        ('{"candidates": ["a"], "weights": [1, 2]}\n', [], 1, "line 1: there are 2 weights for 1 texts"),
        ('{"candidates": ["a"], "weights": [-1]}\n', [], 1, "weights must not be negative"),
        ('{"candidates": ["a"], "scores": [NaN]}\n', [], 1, "scores must be finite"),
        ('{"candidates": ["a"], "weights": [true]}\n', [], 1, "$.weights[0]"),
        ('["a\\nb"]\n', [], 1, "needs --format jsonl"),
        ('["a"]\n[]\n', [], 1, "source 2 does not have candidates"),
        ('["a"]\n["a", 1]\n', [], 1, "line 2: "),
        ('["a"]\n["a"\n', [], 1, "line 2: "),
        (
            LINES,
            ["--candidates", "4", "--weights-by-scores"],
            1,
            "source 1: weights by scores need a source that has scores",
        ),
        (MOSES, ["--top", "5"], 2, "--top is not a setting of --method exact"),
        (MOSES, ["--method", "aggregation", "-M", "ter"], 2, "cannot aggregate references; use pruning"),
        (MOSES, ["-M", "chrff"], 2, "did you mean 'chrf'"),
    ],
)
def test_mbr_rejects_invalid_input_and_options(cli, content, options, code, message):
    cli.file("candidates", content)
    assert message in cli.failing(code, "mbr", "candidates", "-l", "other", *options)


def set_block_size(monkeypatch, size):
    """Set the number of pairs above which a source is scored in blocks."""
    for module in ("decisions", "methods"):
        monkeypatch.setattr(import_module(f"meteor_e.mbr.{module}"), "BLOCK", size)


@pytest.mark.parametrize("name", ["meteor", "chrf"])
@pytest.mark.parametrize("size", [1, 5, 9])
def test_choices_scores_large_sources_in_blocks(own_packs, monkeypatch, name, size):
    """The sources are small and large, and some candidates are repeated."""
    if name == "chrf":
        pytest.importorskip("sacrebleu", reason="needs the extra 'metrics'")
    large = [*SOURCES[0], SOURCES[0][1], "", *SOURCES[1]]
    sources = [large, SOURCES[1][:2], SOURCES[1][:1], SOURCES[0], large]
    metric = load_metric(name)
    expected_choices = list(choices(metric, sources))
    set_block_size(monkeypatch, size)
    reports = []
    actual_choices = choices(metric, sources, progress=lambda *report: reports.append(report))
    for choice, expected_choice in zip(actual_choices, expected_choices, strict=True):
        assert choice[:3] == expected_choice[:3]
        assert choice.scores.tolist() == expected_choice.scores.tolist()
    assert reports[-1] == ("source 5", 9, 9)
    assert {stage for stage, _, _ in reports} >= {"source 1", "source 4", "source 5"}


@pytest.mark.usefixtures("low_candidate_limit")
def test_choices_reports_a_failing_pair_of_a_large_source(own_packs, monkeypatch):
    set_block_size(monkeypatch, 2)
    candidates = ["x", "y", "a " * 10_001 + "b", "a " * 10_001 + "c"]
    with pytest.raises(InputError, match=r"source 2: a segment of .*because words repeat"):
        list(choices(load_metric("meteor", language="other"), [["x"], candidates]))


@pytest.mark.parametrize("candidates", ["text", {"a": "b"}, ["a", None], ["a", ["b"]], []])
def test_choices_rejects_invalid_candidates(candidates):
    with pytest.raises(InputError, match="source 2"):
        list(choices(load_metric("meteor", language="other"), [["x"], candidates]))


SCORED_MOSES = "".join(
    f"{id} ||| {text} ||| F0= {index} ||| {-index - 0.5} ||| 0-0\n"
    for id, candidates in zip("ab", SOURCES, strict=True)
    for index, text in enumerate(candidates)
)
"""The sources as a Moses list, with the ids `a` and `b`, distinct scores and word alignments."""


def run_mbr_jsonl(cli, *arguments, **options):
    """Run the command ``mbr`` and return the records of its JSON Lines output."""
    return [json.loads(line) for line in cli("mbr", *arguments, "-f", "jsonl", **options).out.splitlines()]


def test_n_best_writes_a_moses_list_that_mbr_can_read(cli, own_packs):
    cli.file("candidates", SCORED_MOSES)
    meteor = Meteor("en")
    expected_choices = compute_choices(lambda hypothesis, reference: meteor.score(hypothesis, reference).score)
    lines = cli("mbr", "candidates", "--n-best", "3").out.splitlines()
    assert len(lines) == 6
    n_best_lists = (lines[:3], lines[3:])
    for id, candidates, choice, n_best in zip("ab", SOURCES, expected_choices, n_best_lists, strict=True):
        ranking = np.argsort(-np.array(choice.means), kind="stable")[:3].tolist()
        for index, line in zip(ranking, n_best, strict=True):
            line_id, text, features, score = line.split(" ||| ")
            assert (line_id, text, features) == (id, candidates[index], f"System= {-index - 0.5}")
            assert float(score) == pytest.approx(choice.means[index], abs=1e-15)
    assert len(cli("mbr", "-", text="\n".join(lines) + "\n").out.splitlines()) == 2


def test_mbr_jsonl_preserves_ids_and_scores(cli, own_packs):
    cli.file("candidates", SCORED_MOSES)
    for entry, id in zip(run_mbr_jsonl(cli, "candidates", "--n-best", "9"), "ab", strict=True):
        assert entry["id"] == id
        assert sorted(candidate["score"] for candidate in entry["n_best"]) == [-3.5, -2.5, -1.5, -0.5]
        assert entry["score"] == entry["n_best"][0]["score"]
    source = {"id": 7, "candidates": SOURCES[0], "scores": [1, 2, 3, 4]}
    (entry,) = run_mbr_jsonl(cli, "-", text=json.dumps(source) + "\n")
    assert (entry["id"], entry["score"]) == (7, entry["candidate"])


def test_mbr_uses_references_and_weights(cli, own_packs):
    meteor = Meteor("en")
    references, weights = ["a dog barks", "the cat sat", "x"], [0.5, 2, 0]
    means = []
    for candidate in SOURCES[0]:
        scores = [meteor.score(candidate, reference).score for reference in references]
        means.append(sum(weight * score for weight, score in zip(weights, scores, strict=True)) / sum(weights))
    source = {"candidates": SOURCES[0], "references": references, "weights": weights}
    (entry,) = run_mbr_jsonl(cli, "-", text=json.dumps(source))
    assert entry["expected_scores"] == pytest.approx(means, abs=1e-15)
    cli.file("candidates", SCORED_MOSES)
    # The scores of the candidates are -0.5, -1.5, -2.5 and -3.5. The weights are their softmax.
    exponentials = np.exp(-np.arange(4.0))
    softmax = exponentials / exponentials.sum()
    means = [meteor.pairwise([candidate], SOURCES[0])[0] @ softmax for candidate in SOURCES[0]]
    entry, _ = run_mbr_jsonl(cli, "candidates", "--weights-by-scores")
    assert entry["expected_scores"] == pytest.approx(means, abs=1e-12)


def generate_candidates(count, seed):
    """Return random variants of a sentence. Some of the variants are equal."""
    rng = np.random.RandomState(seed)
    words = SOURCES[0][0].split() + SOURCES[1][2].split() + SOURCES[1][0].split()
    substitutes = ["woman", "cat", "large", "home", "loud", "morning", "some", "looked", "under", "car"]
    variants = [[word if rng.rand() > 0.25 else rng.choice(substitutes) for word in words] for _ in range(count)]
    return [" ".join(word for word in variant if rng.rand() > 0.1) for variant in variants]


@pytest.mark.parametrize("name", ["meteor", "chrf", "bleu"])
def test_aggregation_selects_the_best_candidates(own_packs, name):
    if name != "meteor":
        pytest.importorskip("sacrebleu", reason="needs the extra 'metrics'")
    # The native core has a special implementation for many candidates. The Python engine would need a minute for them.
    size = 300 if name == "meteor" and native_module() is not None else 25
    metric = load_metric(name)
    first, second = (generate_candidates(size, seed) + generate_candidates(3, seed) for seed in range(2))
    weights = np.random.RandomState(0).rand(len(second)).tolist()
    sources = [first, second, Source(first, references=second, weights=weights)]
    exact_choices = list(choices(metric, sources, best=3))
    approximate_choices = list(choices(metric, sources, method=Aggregation(top=0)))
    reranked_choices = list(choices(metric, sources, method=Aggregation(top=20), best=3))
    for exact, approximate, reranked in zip(exact_choices, approximate_choices, reranked_choices, strict=True):
        assert np.corrcoef(exact.scores, approximate.scores)[0, 1] > 0.9
        assert (list(reranked.best), reranked.expected) == (list(exact.best), exact.expected)
        is_scored = ~np.isnan(reranked.scores)
        assert reranked.scores[is_scored].tolist() == exact.scores[is_scored].tolist()
        assert 3 <= len({reranked.source.candidates[index] for index in np.flatnonzero(is_scored)}) <= 20


def test_pruning_approximates_the_exact_method(own_packs):
    sources = [generate_candidates(60, seed) for seed in range(6 if native_module() is not None else 2)]
    metric, method = load_metric("meteor"), Pruning(sizes=(8, 16, 60))
    exact_choices = list(choices(metric, sources))
    pruned_choices = list(choices(metric, sources, method=method))
    repeated_choices = list(choices(metric, sources, method=method))
    for exact, pruned, repeated in zip(exact_choices, pruned_choices, repeated_choices, strict=True):
        assert pruned.scores.tolist() == pytest.approx(repeated.scores.tolist(), nan_ok=True, abs=0)
        is_scored = ~np.isnan(pruned.scores)
        assert np.abs(exact.scores - pruned.scores)[is_scored].max() < 1e-12
        assert exact.expected - exact.scores[pruned.candidate_index] < 0.02
    # The scores of pruned candidates are NaN.
    assert any(np.isnan(choice.scores).any() for choice in pruned_choices)


def test_mbr_jsonl_reports_the_method_and_its_settings(cli, own_packs):
    cli.file("candidates", MOSES)
    settings = ["--method", "pruning", "--seed", "3", "--confidence", "0.9"]
    assert run_mbr_jsonl(cli, "candidates", *settings)[0]["method"] == {
        "name": "pruning",
        "confidence": 0.9,
        "sizes": [8, 16, 32, 64, 128, 256],
        "samples": 500,
        "seed": 3,
    }
    assert run_mbr_jsonl(cli, "candidates", "--method", "aggregation", "--seed", "1")[0]["method"]["seed"] == 1


@pytest.mark.usefixtures("low_candidate_limit")
def test_methods_report_a_failing_pair(own_packs):
    candidates = ["x", "y", "a " * 10_001 + "b", "a " * 10_001 + "c"]
    for method in (Pruning(), Aggregation()):
        with pytest.raises(InputError, match=r"^source 2: a segment of .*because words repeat"):
            list(choices(load_metric("meteor", language="other"), [["x"], candidates], method=method))


@pytest.mark.parametrize("sizes", [(), (8, 0)])
def test_pruning_needs_positive_sizes(sizes):
    with pytest.raises(ConfigError, match="pruning needs at least one size"):
        Pruning(sizes=sizes)


SYMMETRIC = [["a b", "a c", "a d"], ["x y a", "x y b", "x y c", "x y d", "x y e", "x y f", "x y g"]]
"""Candidates that all have the same expected score."""


@pytest.mark.parametrize(
    "method",
    [None, Pruning(), Pruning(sizes=(2, 3)), Aggregation(), Aggregation(top=0)],
    ids=["exact", "pruning", "pruning-in-steps", "aggregation", "aggregation-only"],
)
@pytest.mark.parametrize("candidates", SYMMETRIC)
def test_methods_break_ties_by_the_candidate_order(method, candidates):
    choice = next(choices(load_metric("meteor", language="other"), [candidates], method=method, best=len(candidates)))
    remaining = np.flatnonzero(~np.isnan(choice.scores)).tolist()
    assert choice.best == remaining
    assert choice.text == candidates[remaining[0]]
    # Pruning samples the references, so it may discard a tied candidate.
    if not isinstance(method, Pruning):
        assert choice.text == candidates[0]


def test_exact_method_selects_the_first_tied_candidate():
    rng = np.random.default_rng(5)
    words = [f"w{number}" for number in range(40)]
    metric = load_metric("meteor", language="other")
    for _ in range(60):
        prefix = " ".join(rng.choice(words, 4))
        size = int(rng.integers(3, 12))
        source = [f"{prefix} v{number}" for number in range(size)]
        assert next(choices(metric, [source])).candidate_index == 0


def test_rank_candidates_keeps_ties_in_order_and_puts_nan_last():
    scores = np.array([np.nan, 0.3, 0.1 + 0.2, 0.5, np.nan, 0.3])
    assert rank_candidates(scores, 1).tolist() == [3, 1, 2, 5, 0, 4]
    assert rank_candidates(scores, -1).tolist() == [1, 2, 5, 3, 0, 4]
