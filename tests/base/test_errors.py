"""Error messages: suggestions, counts, and the source line of a warning."""

from __future__ import annotations

import pytest

from meteor_e import Meteor
from meteor_e.base.errors import MeteorWarning, count_of, near_miss


@pytest.mark.parametrize(
    ("misspelling", "names", "expected"),
    [
        ("blue", ["bleu", "chrf"], " (did you mean 'bleu'?)"),
        ("METEOR", ["bleu", "meteor"], " (did you mean 'meteor'?)"),
        ("csv", ["CSV"], " (did you mean 'CSV'?)"),
        ("xyz", ["bleu"], ""),
    ],
)
def test_near_miss_suggests_a_similar_name_and_ignores_case(misspelling, names, expected):
    assert near_miss(misspelling, names) == expected


@pytest.mark.parametrize(("count", "expected"), [(0, "0 segments"), (1, "1 segment"), (2, "2 segments")])
def test_count_of_adds_the_noun_in_singular_or_plural(count, expected):
    assert count_of(count, "segment") == expected


def test_warning_refers_to_the_file_of_the_caller():
    with pytest.warns(MeteorWarning, match="has no definition") as warnings:
        Meteor("tt")
    assert [warning.filename for warning in warnings] == [__file__]
