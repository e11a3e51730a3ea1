"""Invalid captions cause an InputError that names the image."""

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
    return coco.Meteor(Meteor("other", matchers=["exact"], normalization="lower"))


def refused(scorer, gts, res, match=None):
    with pytest.raises(InputError, match=match):
        scorer.compute_score(gts, res)


@given(value=NOT_TEXTS, key=KEYS)
def test_captions(scorer, value, key):
    for gts, res in (([value], ["a"]), (["a", value], ["a"]), (["a"], [value])):
        refused(scorer, {0.5: ["a"], key: gts}, {0.5: ["a"], key: res}, match=re.escape(repr(key)))


@given(value=NOT_LISTS, key=KEYS)
def test_lists_of_captions(scorer, value, key):
    for gts, res in ((value, ["a"]), (["a"], value), ([], ["a"]), (["a"], []), (["a"], ["a", "b"])):
        refused(scorer, {0.5: ["a"], key: gts}, {0.5: ["a"], key: res}, match=re.escape(repr(key)))
    refused(scorer, {key: ["a"]}, {0.5: ["a"]}, match="0.5|" + re.escape(repr(key)))
    if not isinstance(value, dict):
        refused(scorer, value, {0.5: ["a"]})
        refused(scorer, {0.5: ["a"]}, value)
