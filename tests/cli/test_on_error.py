"""Tests of the option ``--on-error``, which says what happens to segments that cannot be aligned."""

from __future__ import annotations

import json

import pytest

LONG_SEGMENT = "a " * 10_001
OPTIONS = ("-l", "other", "-m", "exact")

pytestmark = pytest.mark.usefixtures("low_candidate_limit")


@pytest.fixture
def files(cli):
    """Write the outputs of two systems and a reference, in two variants.

    System ``one`` fails to align in segment 3, and system ``two`` in segment 5. The files with the suffix ``.kept`` do
    not contain these two segments.
    """
    lines = ["the cat sat", "a dog ran home", "it rains", "we go", "they stay", "the end"]
    first, second, reference = list(lines), [line.replace("the", "that") for line in lines], list(lines)
    first[0] = "the cat stood"
    first[2] = reference[4] = second[4] = LONG_SEGMENT
    reference[2] = LONG_SEGMENT + "b"
    for name, text in (("one", first), ("two", second), ("ref", reference)):
        cli.file(name, "".join(f"{line}\n" for line in text))
    indexes = [index for index in range(6) if index not in (2, 4)]
    for name, text in (("one.kept", first), ("two.kept", second), ("ref.kept", reference)):
        cli.file(name, "".join(f"{text[index]}\n" for index in indexes))


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("metrics", [(), ("-M", "meteor")])
def test_score_stops_at_an_error_and_names_the_segment(cli, metrics):
    message = cli.failing(1, "score", "one", "ref", *OPTIONS, *metrics)
    assert "segment 3: " in message
    assert "--on-error skip|zero" in message


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("metrics", [(), ("-M", "meteor"), ("-M", "meteor", "-M", "exact=meteor:matchers=exact")])
def test_on_error_skip_skips_segments_in_all_systems(cli, metrics):
    """The results are those of files without the segments that any system fails to align."""
    arguments = (*OPTIONS, *metrics, "--significance", "--samples", "100", "--format=json", "--segments")
    document = json.loads(cli("score", "one", "two", "ref", *arguments, "--on-error", "skip").out)
    names = ("--name", "one", "--name", "two")
    expected = json.loads(cli("score", "one.kept", "two.kept", "ref.kept", *arguments, *names).out)
    assert document.pop("left_out") == [3, 5]
    for system, expected_system in zip(document["systems"], expected["systems"], strict=True):
        assert [segment.pop("id") for segment in system["segments"]] == [1, 2, 4, 6]
        for segment in expected_system["segments"]:
            del segment["id"]
    assert document == expected


@pytest.mark.usefixtures("files")
def test_on_error_skip_does_not_change_segment_ids(cli):
    arguments = ("score", "one", "ref", *OPTIONS, "--on-error", "skip", "--segments")
    lines = cli(*arguments, "-f", "wmt", "--wmt-names", "de-en", "set", "refA").out.splitlines()
    assert [line.split("\t")[-2] for line in lines] == ["1", "2", "3", "4", "5", "6"]
    assert [line.split("\t")[-2] for line in lines if line.endswith("\tNone")] == ["3"]
    rows = cli(*arguments, "-f", "csv").out.splitlines()[1:]
    assert [row.split(",")[1] for row in rows] == ["1", "2", "4", "5", "6", "all"]


def test_on_error_skip_fails_if_all_segments_are_skipped(cli):
    cli.file("one", f"{LONG_SEGMENT}\n")
    cli.file("ref", f"{LONG_SEGMENT}b\n")
    result = cli("score", "one", "ref", *OPTIONS, "--on-error", "skip")
    assert result.code == 1
    assert "one: no segment can be aligned; there is nothing to score" in result.err
    assert result.out == ""
