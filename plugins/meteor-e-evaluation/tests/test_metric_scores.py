"""Scores of metrics in files: the formats of the WMT metrics task, of COMET, and one number per line."""

from __future__ import annotations

import json

import numpy as np
import pytest
from meteor_e_evaluation.metric_task import match_systems, read_metric_scores
from tiny_task import OUTPUTS, run

from meteor_e.base.errors import InputError

SCORES = {system: [(7 * number % 10 + 2 * index) / 20 for number in range(10)] for index, system in enumerate(OUTPUTS)}


def output_file(system):
    return f"outputs/tiny.cs-en.{system}"


def comet_lines(*, segments=True):
    """Return what ``comet-score`` prints: scores of segments, numbered from 0, then of systems."""
    lines = [
        f"{output_file(system)}\tSegment {number}\tscore: {scores[number]:.4f}"
        for number in range(10)
        for system, scores in SCORES.items()
    ]
    systems = [f"{output_file(system)}\tscore: {np.mean(scores):.4f}" for system, scores in SCORES.items()]
    return [*(lines if segments else []), *systems]


def comet_json():
    """Return what ``comet-score --to_json`` writes."""
    return json.dumps(
        {
            output_file(system): [
                {"src": "x", "mt": text, "ref": "y", "COMET": score}
                for text, score in zip(OUTPUTS[system], scores, strict=True)
            ]
            for system, scores in SCORES.items()
        },
        indent=4,
    )


def evaluate_scores(task, metric):
    """Return the scores of segments and systems that ``meteor-e evaluate`` uses for a metric."""
    folder = task / "written"
    run("evaluate", task / "index.yaml", "-M", f"m={metric}", "--no-cache", "--write-scores", folder)
    (segments,), (systems,) = folder.rglob("*.seg.score"), folder.rglob("*.sys.score")
    rows = [line.split("\t") for line in segments.read_text(encoding="utf-8").splitlines()]
    by_system = {system: [float(score) for name, score in rows if name == system] for system in OUTPUTS}
    return by_system, dict(line.split("\t") for line in systems.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("content", ["\n".join(comet_lines()), comet_json()], ids=["text", "json"])
def test_score_file_of_comet(task, content):
    (task / "comet").write_text(content + "\n", encoding="utf-8")
    by_system, systems = evaluate_scores(task, f"scores:{task / 'comet'}")
    assert by_system == SCORES
    assert {system: float(score) for system, score in systems.items()} == pytest.approx(
        {system: np.mean(scores) for system, scores in SCORES.items()}
    )


def test_score_file_of_comet_with_scores_of_systems_only(task):
    (task / "comet").write_text("\n".join(comet_lines(segments=False)) + "\n", encoding="utf-8")
    rows = list(read_metric_scores(task / "comet"))
    assert [(row.system, row.segment, row.score) for row in rows] == [
        (output_file(system), None, round(float(np.mean(scores)), 4)) for system, scores in SCORES.items()
    ]
    output = run(
        "evaluate", task / "index.yaml", "-M", f"scores:{task / 'comet'}", "-s", "system-kendall", "--no-cache"
    )
    assert "–" not in output.stdout


def test_score_files_with_one_number_per_line(task):
    for system, scores in SCORES.items():
        (task / f"scores.{system}").write_text("".join(f"{score}\n" for score in scores), encoding="utf-8")
    by_system, _ = evaluate_scores(task, f"scores:{task}/scores.{{system}}")
    assert by_system == SCORES


def test_score_file_of_numbers_needs_the_name_of_the_system(task):
    (task / "numbers").write_text("0.5\n" * 10, encoding="utf-8")
    with pytest.raises(
        InputError, match=r"numbers, but no names of systems, and cs-en has 3 systems; give one file per"
    ):
        run("evaluate", task / "index.yaml", "-M", f"scores:{task / 'numbers'}", "--no-cache")


def test_score_takes_one_number_per_line(tmp_path):
    for name in ("system", "reference"):
        (tmp_path / name).write_text("a text\nanother\n", encoding="utf-8")
    (tmp_path / "numbers").write_text("0.25\n0.75\n", encoding="utf-8")
    arguments = ["score", tmp_path / "system", tmp_path / "reference", "-q", "-M", f"scores:{tmp_path / 'numbers'}"]
    assert run(*arguments).stdout == "0.5\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("one two three\n", "line 1: not a line of metric scores; expected are lines of METRIC LP .* comet-score$"),
        ("0.5\nx\n", "line 2: the score is 'x', not a number"),
        ("a\tSegment 0\tscore: 0.5\nelse\n", "line 2: not a line of comet-score, such as"),
        ('{"a": 1}', "'a' is not a list of segments"),
        ('{"a": [{"BLEU": 1}]}', "a, segment 1: no number 'COMET'"),
        ("{", "not valid JSON"),
    ],
)
def test_score_file_errors_are_sentences(tmp_path, content, message):
    (tmp_path / "scores").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        list(read_metric_scores(tmp_path / "scores"))


def test_match_systems_by_file_name_stem_or_name():
    files = {"a": "out/newstest.a.txt", "b": "out/newstest.b.txt"}
    names = ["a", "elsewhere/newstest.b.txt", "c", "other/a.hyp"]
    assert match_systems(names, ["a", "b"], files) == {
        "a": "a",
        "elsewhere/newstest.b.txt": "b",
        "c": "c",
        "other/a.hyp": "a",
    }
