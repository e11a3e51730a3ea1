"""Test that invalid captions raise an InputError that names the image."""

from __future__ import annotations

import re

import pytest
from bad_values import NOT_LISTS, NOT_TEXTS
from hypothesis import given
from hypothesis import strategies as st
from meteor_e_captions import coco

from meteor_e import InputError, Meteor

KEYS = st.one_of(st.integers(), st.text(max_size=3))


@pytest.fixture(scope="module")
def scorer():
    """Return a METEOR scorer that does not need data."""
    return coco.Meteor(Meteor("other", matchers=["exact"], normalization="lower"))


def assert_rejects(scorer, gts, res, match=None):
    with pytest.raises(InputError, match=match):
        scorer.compute_score(gts, res)


@given(value=NOT_TEXTS, key=KEYS)
def test_scorer_rejects_invalid_captions(scorer, value, key):
    for gts, res in (([value], ["a"]), (["a", value], ["a"]), (["a"], [value])):
        assert_rejects(scorer, {0.5: ["a"], key: gts}, {0.5: ["a"], key: res}, match=re.escape(repr(key)))


@given(value=NOT_LISTS, key=KEYS)
def test_scorer_rejects_invalid_lists_of_captions(scorer, value, key):
    for gts, res in ((value, ["a"]), (["a"], value), ([], ["a"]), (["a"], []), (["a"], ["a", "b"])):
        assert_rejects(scorer, {0.5: ["a"], key: gts}, {0.5: ["a"], key: res}, match=re.escape(repr(key)))
    assert_rejects(scorer, {key: ["a"]}, {0.5: ["a"]}, match="0.5|" + re.escape(repr(key)))
    if not isinstance(value, dict):
        assert_rejects(scorer, value, {0.5: ["a"]})
        assert_rejects(scorer, {0.5: ["a"]}, value)
