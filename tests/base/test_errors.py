from __future__ import annotations

import pytest

from meteor_e import Meteor
from meteor_e.base.errors import MeteorWarning, count_of, near_miss


@pytest.mark.parametrize(
    ("wrong", "known", "expected"),
    [
        ("blue", ["bleu", "chrf"], " (did you mean 'bleu'?)"),
        ("METEOR", ["bleu", "meteor"], " (did you mean 'meteor'?)"),
        ("csv", ["CSV"], " (did you mean 'CSV'?)"),
        ("xyz", ["bleu"], ""),
    ],
)
def test_near_misses_ignore_case(wrong, known, expected):
    assert near_miss(wrong, known) == expected


@pytest.mark.parametrize(("number", "expected"), [(0, "0 segments"), (1, "1 segment"), (2, "2 segments")])
def test_counts_with_their_noun(number, expected):
    assert count_of(number, "segment") == expected


def test_warning_names_the_line_of_the_caller():
    with pytest.warns(MeteorWarning, match="has no definition") as warnings:
        Meteor("tt")
    assert [warning.filename for warning in warnings] == [__file__]
