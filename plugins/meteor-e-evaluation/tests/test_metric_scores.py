"""Tests of files with metric scores: the output of COMET, and files with one number per line."""

from __future__ import annotations

import json

import numpy as np
import pytest
from meteor_e_evaluation.metric_task import match_systems, read_metric_scores
from tiny_task import OUTPUTS, run

from meteor_e.base.errors import InputError

SCORES = {system: [(7 * number % 10 + 2 * index) / 20 for number in range(10)] for index, system in enumerate(OUTPUTS)}


def get_output_file(system):
    """Return the path of a system's outputs, relative to the folder of the task."""
    return f"outputs/tiny.cs-en.{system}"


def make_comet_lines(*, segments=True):
    """Return the output of ``comet-score``: scores of segments, counted from 0, then scores of systems."""
    lines = [
        f"{get_output_file(system)}\tSegment {number}\tscore: {scores[number]:.4f}"
        for number in range(10)
        for system, scores in SCORES.items()
    ]
    systems = [f"{get_output_file(system)}\tscore: {np.mean(scores):.4f}" for system, scores in SCORES.items()]
    return [*(lines if segments else []), *systems]


def make_comet_json():
    """Return the output of ``comet-score --to_json``."""
    return json.dumps(
        {
            get_output_file(system): [
                {"src": "x", "mt": text, "ref": "y", "COMET": score}
                for text, score in zip(OUTPUTS[system], scores, strict=True)
            ]
            for system, scores in SCORES.items()
        },
        indent=4,
    )


def evaluate_scores(task, metric):
    """Evaluate a metric with ``meteor-e evaluate``; return its scores of segments and of systems."""
    folder = task / "written"
    run("evaluate", task / "index.yaml", "-M", f"m={metric}", "--no-cache", "--write-scores", folder)
    (segments,), (systems,) = folder.rglob("*.seg.score"), folder.rglob("*.sys.score")
    rows = [line.split("\t") for line in segments.read_text(encoding="utf-8").splitlines()]
    by_system = {system: [float(score) for name, score in rows if name == system] for system in OUTPUTS}
    return by_system, dict(line.split("\t") for line in systems.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("content", ["\n".join(make_comet_lines()), make_comet_json()], ids=["text", "json"])
def test_score_file_of_comet_is_read(task, content):
    (task / "comet").write_text(content + "\n", encoding="utf-8")
    by_system, systems = evaluate_scores(task, f"scores:{task / 'comet'}")
    assert by_system == SCORES
    assert {system: float(score) for system, score in systems.items()} == pytest.approx(
        {system: np.mean(scores) for system, scores in SCORES.items()}
    )


def test_score_file_of_comet_may_lack_segment_scores(task):
    (task / "comet").write_text("\n".join(make_comet_lines(segments=False)) + "\n", encoding="utf-8")
    rows = list(read_metric_scores(task / "comet"))
    assert [(row.system, row.segment, row.score) for row in rows] == [
        (get_output_file(system), None, round(float(np.mean(scores)), 4)) for system, scores in SCORES.items()
    ]
    output = run(
        "evaluate", task / "index.yaml", "-M", f"scores:{task / 'comet'}", "-s", "system-kendall", "--no-cache"
    )
    assert "–" not in output.stdout


def test_score_files_may_have_one_number_per_line(task):
    for system, scores in SCORES.items():
        (task / f"scores.{system}").write_text("".join(f"{score}\n" for score in scores), encoding="utf-8")
    by_system, _ = evaluate_scores(task, f"scores:{task}/scores.{{system}}")
    assert by_system == SCORES


def test_score_file_of_numbers_needs_a_system_name(task):
    (task / "numbers").write_text("0.5\n" * 10, encoding="utf-8")
    with pytest.raises(
        InputError, match=r"numbers, but no names of systems, and cs-en has 3 systems; give one file per"
    ):
        run("evaluate", task / "index.yaml", "-M", f"scores:{task / 'numbers'}", "--no-cache")


def test_score_command_reads_one_number_per_line(tmp_path):
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
def test_score_file_errors_describe_the_fault(tmp_path, content, message):
    (tmp_path / "scores").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        list(read_metric_scores(tmp_path / "scores"))


def test_match_systems_accepts_names_and_output_files():
    files = {"a": "out/newstest.a.txt", "b": "out/newstest.b.txt"}
    names = ["a", "elsewhere/newstest.b.txt", "c", "other/a.hyp"]
    assert match_systems(names, ["a", "b"], files) == {
        "a": "a",
        "elsewhere/newstest.b.txt": "b",
        "c": "c",
        "other/a.hyp": "a",
    }
