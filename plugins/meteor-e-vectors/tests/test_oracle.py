"""The oracle threshold: `meteor-e vectors threshold`, on judgements of our own."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner
from meteor_e_evaluation.agreement import evaluate
from meteor_e_evaluation.data import load_test_set
from meteor_e_evaluation.index import load_index
from meteor_e_evaluation.measures import measure
from meteor_e_vectors.carried import CarriedStatistics
from meteor_e_vectors.cli import vectors
from meteor_e_vectors.oracle import at_threshold, evaluate_thresholds, search_threshold, thresholds

from meteor_e import ConfigError, Meteor
from meteor_e.base.array_cache import ArrayCache
from meteor_e.metrics import output_statistics
from meteor_e.metrics.chain_metric import ChainMetric

REFERENCES = ["the house stands here", "a dog sleeps", "the hound sees the building", "the home of a dog"]
OUTPUTS = {
    "near": ["a home stands here", "a hound sleeps", "the dog sees the house", "the house of the hound"],
    "far": ["a dog stands here", "a house sleeps", "a home sees a home", "the hound of a house"],
}
# People find a word of like meaning (home for house, .933) better than another (dog for house, .03), and building for
# house (.8), where it stands alone, no better than dog.
RANKS = [(1, 2), (1, 2), (2, 1), (1, 2)]
INDEX = """\
name: Tiny
pairs: [cs-en]
references: ref.{target}
outputs: "{system}.{target}"
judgements:
  - {file: ranks.csv, format: ranking-csv}
"""


@pytest.fixture
def judged(tmp_path):
    """A data index: two systems, four segments, ranked by one person."""
    (tmp_path / "ref.en").write_text("\n".join(REFERENCES) + "\n")
    for name, lines in OUTPUTS.items():
        (tmp_path / f"{name}.en").write_text("\n".join(lines) + "\n")
    rows = ["srclang,trglang,srcIndex,judgeId,system1Id,system2Id,system1rank,system2rank"]
    rows += [f"Czech,English,{n},judge,near,far,{near},{far}" for n, (near, far) in enumerate(RANKS, 1)]
    (tmp_path / "ranks.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "index.yaml").write_text(INDEX)
    return tmp_path / "index.yaml"


@pytest.fixture
def meteor(plane):
    return Meteor("other", matchers=["exact", {"use": "vector", "file": str(plane)}])


def test_thresholds_include_both_ends():
    assert thresholds(0.5, 0.99, 0.01)[:2] == [0.5, 0.51]
    assert len(thresholds(0.5, 0.99, 0.01)) == 50
    assert thresholds(0.5, 0.99, 0.01)[-1] == 0.99
    with pytest.raises(ConfigError, match="make no sense"):
        thresholds(0.9, 0.8, 0.01)


def test_the_search_finds_what_each_threshold_alone_gives(meteor, judged, tmp_path):
    values = thresholds(0.0, 1.0, 0.05)
    found = search_threshold(meteor, [str(judged)], values, pairs=["cs-en"])
    (test,) = [load_test_set(load_index(judged), "cs-en")]
    alone = [
        evaluate(
            [test],
            [ChainMetric(at_threshold(meteor, value), name="chain")],
            [measure("tau-strict")],
            ArrayCache(enabled=False),
        )
        for value in values
    ]
    assert [row[1][0] for row in found.rows] == [entry.tables[0].rows["chain"][0].value for entry in alone]
    assert len({row[1] for row in found.rows}) > 1, "the threshold must matter"
    best = max(row[1][0] for row in found.rows)
    assert dict(found.rows)[found.best] == (best,)


def test_only_changed_segments_are_aligned_again(meteor, judged, monkeypatch):
    """Between .93 and .94 lie home and house (.933), which three segments have; between .94 and .95 nothing."""
    aligned = []
    collect = output_statistics.collect_statistics

    def counted(metric, hypotheses, references, **options):
        aligned.append(len(hypotheses))
        return collect(metric, hypotheses, references, **options)

    monkeypatch.setattr(output_statistics, "collect_statistics", counted)
    test = load_test_set(load_index(judged), "cs-en")
    cache = ArrayCache(enabled=False)
    for value, _ in evaluate_thresholds(meteor, [test], [0.93, 0.94, 0.95], [measure("tau-strict")], cache):
        aligned.append(f"{value:.2f}")
    assert aligned == [8, "0.93", 3, "0.94", "0.95"]


def test_statistics_are_the_same_as_without_carrying(meteor, judged):
    test = load_test_set(load_index(judged), "cs-en")
    values = [0.5, 0.7, 0.79, 0.8, 0.81, 0.93, 0.935, 0.99, 0.995]
    carried = CarriedStatistics(meteor, [test], values, ArrayCache(enabled=False), "vector")
    for number, value in enumerate(values):
        carried.move_to(number)
        changed = Meteor.from_config(at_threshold(meteor, value))
        cells = test.judged()
        got = output_statistics.chain_statistics(changed, test, cells, carried)
        want = output_statistics.chain_statistics(changed, test, cells, ArrayCache(enabled=False))
        assert np.array_equal(got, want)


def test_the_command(plane, judged, tmp_path):
    chain = tmp_path / "chain.yaml"
    chain.write_text(f"language: other\nmatchers: [exact, {{use: vector, file: '{plane}'}}]\n")
    command = ["threshold", str(judged), "--chain", str(chain), "--pair", "cs-en", "-q"]
    command += ["--from", "0.9", "--to", "0.96", "--step", "0.02"]
    run = CliRunner().invoke(vectors, [*command, "--json"])
    assert run.exit_code == 0, run.output
    found = json.loads(run.stdout)
    assert found["columns"] == ["Tiny cs-en"]
    assert list(found["thresholds"]) == ["0.9", "0.92", "0.94", "0.96"]
    # home for house (.933) matches up to .92.
    assert found["thresholds"]["0.92"][0] > found["thresholds"]["0.94"][0]
    assert found["best"] == {"Tiny cs-en": 0.9}
    text = CliRunner().invoke(vectors, command).stdout
    assert text.splitlines()[0].endswith("best")


def test_a_chain_without_vectors_has_no_threshold(judged):
    with pytest.raises(ConfigError, match="no matcher 'vector'"):
        search_threshold(Meteor("other", matchers=["exact"]), [str(judged)], [0.8], pairs=["cs-en"])
