"""Segments that cannot be aligned do not change other segment ids, and systems stay comparable."""

from __future__ import annotations

import json

import pytest

ENDLESS = "a " * 10_001
pytestmark = pytest.mark.usefixtures("quick_refusal")


@pytest.fixture
def files(cli):
    """Two systems and a reference; the third segment of the first and the fifth of the second repeat one word."""
    lines = ["the cat sat", "a dog ran home", "it rains", "we go", "they stay", "the end"]
    first, second, reference = list(lines), [line.replace("the", "that") for line in lines], list(lines)
    first[0] = "the cat stood"
    first[2] = reference[4] = second[4] = ENDLESS
    reference[2] = ENDLESS + "b"
    for name, text in (("one", first), ("two", second), ("ref", reference)):
        cli.file(name, "".join(f"{line}\n" for line in text))
    keep = [number for number in range(6) if number not in (2, 4)]
    for name, text in (("one.kept", first), ("two.kept", second), ("ref.kept", reference)):
        cli.file(name, "".join(f"{text[number]}\n" for number in keep))
    return cli


OPTIONS = ("-l", "other", "-m", "exact")


@pytest.mark.parametrize("metrics", [(), ("-M", "meteor")])
def test_error_stops_by_default_and_names_the_segment(files, metrics):
    message = files.failing(1, "score", "one", "ref", *OPTIONS, *metrics)
    assert "segment 3: " in message
    assert "--on-error skip|zero" in message


@pytest.mark.parametrize("metrics", [(), ("-M", "meteor"), ("-M", "meteor", "-M", "exact=meteor:matchers=exact")])
def test_segments_are_skipped_in_all_systems_together(files, metrics):
    arguments = (*OPTIONS, *metrics, "--significance", "--samples", "100", "--format=json", "--segments")
    found = json.loads(files("score", "one", "two", "ref", *arguments, "--on-error", "skip").out)
    kept = json.loads(
        files("score", "one.kept", "two.kept", "ref.kept", *arguments, "--name", "one", "--name", "two").out
    )
    assert found.pop("left_out") == [3, 5]
    for system, other in zip(found["systems"], kept["systems"], strict=True):
        assert [segment.pop("id") for segment in system["segments"]] == [1, 2, 4, 6]
        for segment in other["segments"]:
            del segment["id"]
    assert found == kept


def test_segment_ids_are_those_of_the_files(files):
    arguments = ("score", "one", "ref", *OPTIONS, "--on-error", "skip", "--segments")
    lines = files(*arguments, "-f", "wmt", "--wmt-names", "de-en", "set", "refA").out.splitlines()
    assert [line.split("\t")[-2] for line in lines] == ["1", "2", "3", "4", "5", "6"]
    assert [line.split("\t")[-2] for line in lines if line.endswith("\tNone")] == ["3"]
    rows = files(*arguments, "-f", "csv").out.splitlines()[1:]
    assert [row.split(",")[1] for row in rows] == ["1", "2", "4", "5", "6", "all"]


def test_score_is_missing_if_all_segments_are_skipped(cli):
    cli.file("one", f"{ENDLESS}\n")
    cli.file("ref", f"{ENDLESS}b\n")
    result = cli("score", "one", "ref", *OPTIONS, "--on-error", "skip")
    assert result.code == 1
    assert "one: no segment can be aligned; there is nothing to score" in result.err
    assert result.out == ""
