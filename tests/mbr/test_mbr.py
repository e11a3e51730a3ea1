from __future__ import annotations

import json
from importlib import import_module

import numpy as np
import pytest

from meteor_e import InputError, Meteor, load_metric
from meteor_e.engine.native import native_module
from meteor_e.formats.nbest import Source
from meteor_e.mbr.decisions import choices
from meteor_e.mbr.methods import Aggregation, Pruning, rank_candidates

SOURCES = [
    ["the cat sat on the mat", "a cat sat on the mat", "dogs bark", "the cat is on the mat"],
    ["many people run", "a lot of people hurry", "a lot of people run", "x"],
]
MOSES = "".join(f"{at} ||| {text} ||| F0= 1 ||| -{at}\n" for at, each in enumerate(SOURCES) for text in each)
LINES = "".join(f"{text}\n" for each in SOURCES for text in each)
JSON = "".join(json.dumps(each if at else {"candidates": each}) + "\n" for at, each in enumerate(SOURCES))


def expected(score):
    chosen = []
    for each in SOURCES:
        means = [np.mean([score(one, other) for other in each]) for one in each]
        chosen.append((int(np.argmax(means)), float(max(means)), means))
    return chosen


@pytest.mark.parametrize(
    ("content", "options"),
    [
        (MOSES, []),
        (LINES, ["--candidates", "4"]),
        (JSON, []),
        (JSON, ["--format-in", "jsonl"]),
    ],
)
def test_candidates_can_have_several_forms(cli, own_packs, content, options):
    cli.file("candidates", content)
    meteor = Meteor("en")
    right = expected(lambda one, other: meteor.score(one, other).score)
    assert cli("mbr", "candidates", *options).out.splitlines() == [
        each[at] for each, (at, _, _) in zip(SOURCES, right, strict=True)
    ]
    rows = [line.split("\t") for line in cli("mbr", "-", *options, "-f", "tsv", text=content).out.splitlines()]
    assert [title for title in rows[0] if title not in ("id", "score")] == ["source", "candidate", "expected", "text"]
    assert ("id" in rows[0]) == ("score" in rows[0]) == (content == MOSES)
    for number, (row, (at, score, _)) in enumerate(zip(rows[1:], right, strict=True)):
        found = dict(zip(rows[0], row, strict=True))
        assert int(found["candidate"]) == at + 1
        assert float(found["expected"]) == pytest.approx(score, abs=1e-15)
        assert found.get("id", str(number)) == str(number)


def test_another_metric_and_all_scores(cli):
    pytest.importorskip("sacrebleu", reason="needs the extra 'metrics'")
    cli.file("candidates", MOSES)
    chrf, ter = load_metric("chrf"), load_metric("ter")
    right = expected(lambda one, other: chrf.score(one, other).score)
    found = [json.loads(line) for line in cli("mbr", "candidates", "-M", "chrf", "-f", "jsonl").out.splitlines()]
    for entry, each, (at, _, means) in zip(found, SOURCES, right, strict=True):
        assert entry["expected_scores"] == pytest.approx(means)
        assert (entry["candidate"], entry["text"]) == (at + 1, each[at])
        assert entry["signature"].startswith("chrF2|")
    # The lower, the better.
    least = expected(lambda one, other: -ter.score(one, other).score)
    assert cli("mbr", "candidates", "-M", "ter").out.splitlines() == [
        each[at] for each, (at, _, _) in zip(SOURCES, least, strict=True)
    ]


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
def test_invalid_arguments_are_refused(cli, content, options, code, message):
    cli.file("candidates", content)
    assert message in cli.failing(code, "mbr", "candidates", "-l", "other", *options)


def shrink(monkeypatch, size):
    """Set the number of pairs above which a source is large."""
    for module in ("decisions", "methods"):
        monkeypatch.setattr(import_module(f"meteor_e.mbr.{module}"), "BLOCK", size)


@pytest.mark.parametrize("name", ["meteor", "chrf"])
@pytest.mark.parametrize("size", [1, 5, 9])
def test_large_source_is_scored_in_parts(own_packs, monkeypatch, name, size):
    """Small and large sources are mixed, and some candidates are repeated."""
    if name == "chrf":
        pytest.importorskip("sacrebleu", reason="needs the extra 'metrics'")
    large = [*SOURCES[0], SOURCES[0][1], "", *SOURCES[1]]
    sources = [large, SOURCES[1][:2], SOURCES[1][:1], SOURCES[0], large]
    metric, told = load_metric(name), []
    whole = list(choices(metric, sources))
    shrink(monkeypatch, size)
    parts = choices(metric, sources, progress=lambda *work: told.append(work))
    for found, expected in zip(parts, whole, strict=True):
        assert found[:3] == expected[:3]
        assert found.scores.tolist() == expected.scores.tolist()
    assert told[-1] == ("source 5", 9, 9)
    assert {stage for stage, _, _ in told} >= {"source 1", "source 4", "source 5"}


@pytest.mark.usefixtures("low_candidate_limit")
def test_failing_pair_of_a_large_source_is_reported(own_packs, monkeypatch):
    shrink(monkeypatch, 2)
    bad = ["x", "y", "a " * 10_001 + "b", "a " * 10_001 + "c"]
    with pytest.raises(InputError, match=r"source 2: a segment of .*because words repeat"):
        list(choices(load_metric("meteor", language="other"), [["x"], bad]))


@pytest.mark.parametrize("bad", ["text", {"a": "b"}, ["a", None], ["a", ["b"]], []])
def test_invalid_candidates_are_refused(bad):
    with pytest.raises(InputError, match="source 2"):
        list(choices(load_metric("meteor", language="other"), [["x"], bad]))


SCORED = "".join(
    f"{name} ||| {text} ||| F0= {k} ||| {-k - 0.5} ||| 0-0\n"
    for name, each in zip("ab", SOURCES, strict=True)
    for k, text in enumerate(each)
)


def entries(cli, *arguments, **options):
    return [json.loads(line) for line in cli("mbr", *arguments, "-f", "jsonl", **options).out.splitlines()]


def test_n_best_is_a_moses_list_that_can_be_read_again(cli, own_packs):
    cli.file("candidates", SCORED)
    right = expected(lambda one, other: Meteor("en").score(one, other).score)
    lines = cli("mbr", "candidates", "--n-best", "3").out.splitlines()
    assert len(lines) == 6
    for name, each, (_, _, means), found in zip("ab", SOURCES, right, (lines[:3], lines[3:]), strict=True):
        order = sorted(range(4), key=lambda place: -means[place])[:3]
        for place, line in zip(order, found, strict=True):
            identity, text, own, score = line.split(" ||| ")
            assert (identity, text, own) == (name, each[place], f"System= {-place - 0.5}")
            assert float(score) == pytest.approx(means[place], abs=1e-15)
    assert len(cli("mbr", "-", text="\n".join(lines) + "\n").out.splitlines()) == 2


def test_ids_and_scores_are_kept(cli, own_packs):
    cli.file("candidates", SCORED)
    for entry, name in zip(entries(cli, "candidates", "--n-best", "9"), "ab", strict=True):
        assert entry["id"] == name
        assert sorted(one["score"] for one in entry["n_best"]) == [-3.5, -2.5, -1.5, -0.5]
        assert entry["score"] == entry["n_best"][0]["score"]
    line = {"id": 7, "candidates": SOURCES[0], "scores": [1, 2, 3, 4]}
    (entry,) = entries(cli, "-", text=json.dumps(line) + "\n")
    assert (entry["id"], entry["score"]) == (7, entry["candidate"])


def test_references_and_weights(cli, own_packs):
    meteor = Meteor("en")
    references, weights = ["a dog barks", "the cat sat", "x"], [0.5, 2, 0]
    means = [sum(w * meteor.score(one, r).score for w, r in zip(weights, references)) / 2.5 for one in SOURCES[0]]  # noqa: B905
    line = {"candidates": SOURCES[0], "references": references, "weights": weights}
    assert entries(cli, "-", text=json.dumps(line))[0]["expected_scores"] == pytest.approx(means, abs=1e-15)
    cli.file("candidates", SCORED)
    exponents = np.exp(-np.arange(4.0))
    means = [meteor.pairwise([one], SOURCES[0])[0] @ exponents / exponents.sum() for one in SOURCES[0]]
    found = entries(cli, "candidates", "--weights-by-scores")
    assert found[0]["expected_scores"] == pytest.approx(means, abs=1e-12)


def many(count, seed):
    """Return variants of a sentence, some of them equal."""
    random = np.random.RandomState(seed)
    words = SOURCES[0][0].split() + SOURCES[1][2].split() + SOURCES[1][0].split()
    other = ["woman", "cat", "large", "home", "loud", "morning", "some", "looked", "under", "car"]
    drawn = [[word if random.rand() > 0.25 else random.choice(other) for word in words] for _ in range(count)]
    return [" ".join(word for word in each if random.rand() > 0.1) for each in drawn]


@pytest.mark.parametrize("name", ["meteor", "chrf", "bleu"])
def test_aggregation_finds_the_best(own_packs, name):
    if name != "meteor":
        pytest.importorskip("sacrebleu", reason="needs the extra 'metrics'")
    # Enough for the native core's own way; the Python engine needs a minute for so many.
    metric, size = load_metric(name), 300 if name == "meteor" and native_module() is not None else 25
    sources = [many(size, seed) + many(3, seed) for seed in range(2)]
    sources = [
        *sources,
        Source(sources[0], references=sources[1], weights=np.random.RandomState(0).rand(len(sources[1])).tolist()),
    ]
    whole = list(choices(metric, sources, best=3))
    alone = list(choices(metric, sources, method=Aggregation(top=0)))
    kept = list(choices(metric, sources, method=Aggregation(top=20), best=3))
    for exact, rough, found in zip(whole, alone, kept, strict=True):
        assert np.corrcoef(exact.scores, rough.scores)[0, 1] > 0.9
        assert (list(found.best), found.expected) == (list(exact.best), exact.expected)
        scored = ~np.isnan(found.scores)
        assert found.scores[scored].tolist() == exact.scores[scored].tolist()
        assert 3 <= len({found.source.candidates[at] for at in np.flatnonzero(scored)}) <= 20


def test_pruning_approximates(own_packs):
    sources = [many(60, seed) for seed in range(6 if native_module() is not None else 2)]
    metric, method = load_metric("meteor"), Pruning(sizes=(8, 16, 60))
    whole = list(choices(metric, sources))
    found = list(choices(metric, sources, method=method))
    for exact, one, again in zip(whole, found, choices(metric, sources, method=method), strict=True):
        assert one.scores.tolist() == pytest.approx(again.scores.tolist(), nan_ok=True, abs=0)
        scored = ~np.isnan(one.scores)
        assert np.abs(exact.scores - one.scores)[scored].max() < 1e-12
        assert exact.expected - exact.scores[one.candidate_index] < 0.02
    assert any(np.isnan(one.scores).any() for one in found)


def test_methods_and_their_settings_are_told(cli, own_packs):
    cli.file("candidates", MOSES)
    settings = ["--method", "pruning", "--seed", "3", "--confidence", "0.9"]
    assert entries(cli, "candidates", *settings)[0]["method"] == {
        "name": "pruning",
        "confidence": 0.9,
        "sizes": [8, 16, 32, 64, 128, 256],
        "samples": 500,
        "seed": 3,
    }
    assert entries(cli, "candidates", "--method", "aggregation", "--seed", "1")[0]["method"]["seed"] == 1


@pytest.mark.usefixtures("low_candidate_limit")
def test_failing_pair_is_reported(own_packs):
    bad = ["x", "y", "a " * 10_001 + "b", "a " * 10_001 + "c"]
    for method in (Pruning(), Aggregation()):
        with pytest.raises(InputError, match=r"^source 2: a segment of .*because words repeat"):
            list(choices(load_metric("meteor", language="other"), [["x"], bad], method=method))


SYMMETRIC = [["a b", "a c", "a d"], ["x y a", "x y b", "x y c", "x y d", "x y e", "x y f", "x y g"]]


@pytest.mark.parametrize(
    "method",
    [None, Pruning(), Pruning(sizes=(2, 3)), Aggregation(), Aggregation(top=0)],
    ids=["exact", "pruning", "pruning-in-steps", "aggregation", "aggregation-only"],
)
@pytest.mark.parametrize("candidates", SYMMETRIC)
def test_ties_go_to_the_first_candidate(method, candidates):
    choice = next(choices(load_metric("meteor", language="other"), [candidates], method=method, best=len(candidates)))
    remaining = np.flatnonzero(~np.isnan(choice.scores)).tolist()
    assert choice.best == remaining
    assert choice.text == candidates[remaining[0]]
    if not isinstance(method, Pruning):  # Samples of references may rule a tied candidate out.
        assert choice.text == candidates[0]


def test_ties_select_the_first_candidate():
    random = np.random.default_rng(5)
    words = [f"w{number}" for number in range(40)]
    metric = load_metric("meteor", language="other")
    for _ in range(60):
        shared = " ".join(random.choice(words, 4))
        size = int(random.integers(3, 12))
        source = [f"{shared} v{number}" for number in range(size)]
        assert next(choices(metric, [source])).candidate_index == 0


def test_rank_candidates_puts_ties_in_order_and_nan_last():
    expected = np.array([np.nan, 0.3, 0.1 + 0.2, 0.5, np.nan, 0.3])
    assert rank_candidates(expected, 1).tolist() == [3, 1, 2, 5, 0, 4]
    assert rank_candidates(expected, -1).tolist() == [1, 2, 5, 3, 0, 4]
