"""Invalid values for texts raise an InputError, and no other exception."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from bad_values import NOT_LISTS, NOT_TEXTS
from hypothesis import given, settings
from hypothesis import strategies as st

from meteor_e import InputError, Meteor, load_metric
from meteor_e.api.metrics import score_pairs
from meteor_e.integrations.nltk import meteor_score, single_meteor_score

TEXTS = st.text("ab é", max_size=4)


@pytest.fixture(scope="module")
def meteor():
    return Meteor("other", matchers=["exact"], normalization="lower")


@pytest.fixture(scope="module")
def metrics(meteor):
    return [load_metric(spec) for spec in ("bleu", "chrf", "ter", "meteor:language=other,matchers=exact")]


@st.composite
def spoiled(draw, bad=NOT_TEXTS):
    """A list of texts with one invalid item, its position from 1, and the other items."""
    texts = draw(st.lists(TEXTS, max_size=3))
    place = draw(st.integers(0, len(texts)))
    return [*texts[:place], draw(bad), *texts[place:]], place + 1


def refused(call, *arguments, match=None):
    with pytest.raises(InputError, match=match):
        call(*arguments)


def all_of(call):
    return lambda *arguments: list(call(*arguments))


def corpora(meteor):
    return [meteor.corpus, all_of(meteor.segments)]


@given(value=NOT_TEXTS)
def test_invalid_segment_is_refused(meteor, value):
    refused(meteor.tokenize, value)
    refused(meteor.align, value, "a")
    refused(meteor.score, value, "a")
    refused(meteor.score, "a", ["a", value])
    refused(meteor.pairwise, [value], ["a"], match="source 1: a candidate")


@given(value=NOT_TEXTS.filter(lambda value: not isinstance(value, list) or value))
def test_references_of_a_segment(meteor, value):
    refused(meteor.score, "a", value)
    refused(meteor.align, "a", value)


@given(case=spoiled())
def test_invalid_segment_of_a_corpus_is_located(meteor, metrics, case):
    texts, place = case
    others = ["a"] * len(texts)
    for call in (*corpora(meteor), *(metric.corpus for metric in metrics)):
        refused(call, texts, others, match=f"segment {place}:")
        refused(call, iter(texts), iter(others), match=f"segment {place}:")
        refused(call, others, [["a", text] for text in texts], match=f"segment {place}:")
    for source in (meteor.pairwise, lambda *sides: list(meteor.pairwise_batches([["a"], sides[0]]))):
        refused(source, texts, others, match="source [12]: a candidate")
    for metric in metrics:
        refused(all_of(partial(score_pairs, metric)), [["a"], texts], match="source 2: a candidate")


@given(value=NOT_LISTS)
def test_invalid_hypotheses_and_references_are_refused(meteor, metrics, value):
    for call in (*corpora(meteor), *(metric.corpus for metric in metrics), meteor.pairwise):
        refused(call, value, ["a"])
        refused(call, ["a"], value)
    refused(all_of(meteor.pairwise_batches), value)
    refused(all_of(meteor.pairwise_batches), [["a"], value], match="source 2")
    for metric in metrics:
        if not isinstance(metric, Meteor):  # METEOR does not use the sources.
            refused(metric.corpus, ["a"], ["a"], 3 if value is None else value)
        refused(metric.score, ["a"], "a")
        refused(all_of(partial(score_pairs, metric)), value)
        refused(all_of(partial(score_pairs, metric)), [["a"], value], match="source 2")


@given(left=st.lists(TEXTS, max_size=4), right=st.lists(TEXTS, max_size=4))
def test_sides_of_unequal_length(meteor, metrics, left, right):
    if len(left) == len(right):
        right = [*right, "a"]
    for call in (*corpora(meteor), *(metric.corpus for metric in metrics)):
        refused(call, left, right)
    refused(all_of(meteor.pairwise_batches), [["a"]] * len(left), [["a"]] * len(right))
    for metric in metrics:
        refused(all_of(partial(score_pairs, metric)), [["a"]] * len(left), [["a"]] * len(right))


def test_empty_input_is_refused(meteor, metrics):
    for call in (meteor.corpus, *(metric.corpus for metric in metrics)):
        refused(call, [], [])
        refused(call, ["a"], [[]])
    # Where each item has a result of its own, no items have none.
    assert list(meteor.segments([], [])) == []
    assert meteor.pairwise([], ["a"]).shape == (0, 1)
    for call in (meteor.pairwise_batches, *(partial(score_pairs, metric) for metric in metrics)):
        assert list(call([])) == []
        assert [matrix.shape for matrix in call([[], ["a"]])] == [(0, 0), (1, 1)]


@given(value=NOT_LISTS, case=spoiled())
@settings(deadline=None)
def test_tokens(meteor, value, case):
    tokens = [token if not isinstance(token, str) or not token.isascii() else "a" for token in case[0]]

    def score(references, hypothesis):
        return meteor_score(references, hypothesis, meteor=meteor)

    refused(score, [["a"]], value)
    refused(score, [value], ["a"])
    refused(score, value, ["a"])
    refused(score, [["a"]], tokens, match="token")
    refused(score, [["a"], tokens], ["a"], match="token")
    refused(lambda tokens: single_meteor_score(tokens, ["a"], meteor=meteor), tokens, match="token")
    if not isinstance(value, str):
        refused(lambda: meteor_score([["a"]], ["a"], lambda token: value, meteor=meteor))


def test_lone_surrogate_is_located(meteor):
    with pytest.raises(InputError, match=r"segment 2: a segment contains the lone surrogate U\+DCE9"):
        meteor.corpus(["a", "caf\udce9"], ["a", "a"])


def test_lists_of_other_kinds_are_lists(meteor):
    expected = meteor.corpus(["a b", "a"], ["a", "a"]).score
    for kind in (tuple, iter, np.array, lambda texts: dict.fromkeys([*texts]).keys()):
        assert meteor.corpus(kind(["a b", "a"]), ["a", "a"]).score == expected
