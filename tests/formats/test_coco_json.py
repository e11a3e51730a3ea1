"""Tests for captions in COCO's JSON format."""

from __future__ import annotations

import json

import pytest

from meteor_e.api import Segment
from meteor_e.base.errors import InputError
from meteor_e.formats.systems import read_systems

RESULTS = [{"image_id": 2, "caption": "two dogs\nrun"}, {"image_id": 1, "caption": "a man"}]
ANNOTATIONS = {
    "info": {},
    "images": [{"id": 1}],
    "annotations": [
        {"image_id": 1, "id": 7, "caption": "one man"},
        {"image_id": 2, "caption": "dogs"},
        {"image_id": 1, "caption": "a man"},
        {"image_id": 3, "caption": "a cat"},
    ],
}


@pytest.fixture
def write_file(tmp_path):
    """Return a function that writes text, or another value as JSON, into a file and returns the path."""

    def write(name: str, value: object) -> str:
        path = tmp_path / name
        path.write_text(value if isinstance(value, str) else json.dumps(value, indent=1), encoding="utf-8")
        return str(path)

    return write


def test_read_systems_aligns_captions_by_image(write_file):
    results = write_file("r.json", RESULTS)
    reversed_results = write_file("s.json", RESULTS[::-1])
    annotations = write_file("a.json", ANNOTATIONS)
    with pytest.raises(InputError, match=r"lacks 1 of 3 segments .the first is .3..; --on-missing skip"):
        read_systems([results, reversed_results, annotations])
    with pytest.warns(UserWarning, match=r"lacks 1 of 3 segments .*; they are left out"):
        systems = read_systems([results, reversed_results, annotations], on_missing="skip")
    # The segments have the order of the first system's file.
    expected = [Segment(2, "two dogs run", ("dogs",)), Segment(1, "a man", ("one man", "a man"))]
    assert [list(system.read()) for system in systems] == [expected, expected]
    assert all(system.context.is_captions for system in systems)
    assert [system.size for system in systems] == [2, 2]
    with pytest.warns(UserWarning, match=r"lacks 1 of 3 segments .*; they are scored as empty"):
        (system,) = read_systems([results, annotations], on_missing="empty")
    assert list(system.read()) == [*expected, Segment(3, "", ("a cat",))]


@pytest.mark.parametrize(
    ("results", "annotations", "message"),
    [
        (ANNOTATIONS, ANNOTATIONS, "r.json holds no hypothesis texts"),
        (RESULTS, RESULTS, "a.json holds no reference texts"),
        (["a", "b"], ["a", "b"], "captions must be JSON in the format of COCO"),
        ({"a": 1}, ANNOTATIONS, "no COCO annotations"),
        ([{"image_id": 1}], ANNOTATIONS, "result 1 has no image_id and caption"),
        ([{"image_id": [1], "caption": "x"}], ANNOTATIONS, "image_id must be a whole number or a text"),
        ([{"image_id": "1", "caption": "x"}], ANNOTATIONS, "no segment in common"),
        (RESULTS, {"1": []}, "image '1' has no captions"),
        (RESULTS, {"1": ["a", 2]}, "caption of image 1 is not a text"),
        ([{"image_id": 1, "caption": None}], ANNOTATIONS, "caption of image 1 is not a text"),
        ([{"image_id": 1, "caption": "\ud800"}], ANNOTATIONS, "unpaired surrogate"),
        ([*RESULTS, RESULTS[0]], ANNOTATIONS, "image 2 has two captions"),
        ([{"image_id": 9, "caption": "x"}], ANNOTATIONS, "1 segment that no reference has|no segment in common"),
        ('{"image_id": 1, "caption"', ANNOTATIONS, "is not JSON"),
        ('[{"image_id": 1,', ANNOTATIONS, "is not JSON"),
        ("a man\n", ANNOTATIONS, "r.json is not JSON"),
        ("3", "3", "no COCO annotations"),
        ('"a man"', ANNOTATIONS, "no COCO annotations"),
        (RESULTS, "a man\n", "a.json is not JSON"),
        (RESULTS, {"annotations": []}, "has no annotations"),
        ('[{"image_id": 1, "image_id": 2, "caption": "x"}]', ANNOTATIONS, "has the key 'image_id' twice"),
        (RESULTS, '{"annotations": [], "annotations": [{"image_id": 1, "caption": "x"}]}', "'annotations' twice"),
        ("[" * 100_000, "[" * 100_000, "is not JSON.*--format-in"),
    ],
)
def test_read_systems_rejects_invalid_caption_files(write_file, results, annotations, message):
    files = [write_file("r.json", results), write_file("a.json", annotations)]
    with pytest.raises(InputError, match=message):
        read_systems(files)


def test_read_systems_rejects_results_for_other_images(write_file):
    files = [write_file("r.json", RESULTS), write_file("s.json", RESULTS[:1]), write_file("a.json", ANNOTATIONS)]
    with (
        pytest.warns(UserWarning, match="left out"),
        pytest.raises(InputError, match=r"s.json and r.json have different segments"),
    ):
        read_systems(files, on_missing="skip")


@pytest.mark.parametrize("line", ["[applause] thank you", "{x} y", '["Hello", he said', "[1]", "[", '{"a" b}'])
def test_plain_text_in_brackets_is_not_parsed_as_json(write_file, line):
    files = [write_file("h.txt", line + "\n"), write_file("r.txt", line + "\n")]
    assert list(read_systems(files)[0].read()) == [Segment(1, line, (line,))]


@pytest.mark.parametrize("dogs", ["dogs", ["dogs"]], ids=["one reference as text", "list of references"])
def test_captions_can_be_a_dictionary_by_image_id(write_file, dogs):
    expected = [Segment(2, "two dogs run", ("dogs",)), Segment(1, "a man", ("one man", "a man"))]
    annotations = write_file("a.json", {"2": dogs, "1": ["one man", "a man"]})
    for results in (RESULTS, {"2": ["two dogs\nrun"], "1": ["a man"]}, {"2": "two dogs\nrun", "1": "a man"}):
        (system,) = read_systems([write_file("r.json", results), annotations])
        assert list(system.read()) == expected
        assert system.context.is_captions


def test_image_ids_match_across_types(write_file):
    results = write_file("r.json", [{"image_id": 1.0, "caption": "x"}])
    annotations = write_file("a.json", {"1": ["y"]})
    (system,) = read_systems([results, annotations])
    assert list(system.read()) == [Segment(1, "x", ("y",))]
