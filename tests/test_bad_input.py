"""The Python API raises InputError for invalid texts and lists, and no other exception."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from bad_values import NOT_LISTS, NOT_TEXTS
from hypothesis import given, settings
from hypothesis import strategies as st

from meteor_e import InputError, Meteor, load_metric
from meteor_e.api.pair_scores import score_pairs
from meteor_e.integrations.nltk import meteor_score, single_meteor_score

TEXTS = st.text("ab é", max_size=4)


@pytest.fixture(scope="module")
def meteor():
    """A METEOR metric without language resources."""
    return Meteor("other", matchers=["exact"], normalization="lower")


@pytest.fixture(scope="module")
def metrics(meteor):
    """Several metrics that need no language resources."""
    return [load_metric(spec) for spec in ("bleu", "chrf", "ter", "meteor:language=other,matchers=exact")]


@st.composite
def lists_with_invalid_item(draw, invalid_items=NOT_TEXTS):
    """Draw a list of texts with one invalid item, and the number of this item, counted from 1."""
    texts = draw(st.lists(TEXTS, max_size=3))
    index = draw(st.integers(0, len(texts)))
    return [*texts[:index], draw(invalid_items), *texts[index:]], index + 1


def assert_input_error(function, *arguments, match=None):
    """Check that a call raises InputError, and that a pattern matches the message."""
    with pytest.raises(InputError, match=match):
        function(*arguments)


def exhaust(function):
    """Wrap a function that returns an iterator, so that a call consumes the whole iterator."""
    return lambda *arguments: list(function(*arguments))


def corpus_functions(meteor):
    """Return the functions of METEOR that score a corpus."""
    return [meteor.corpus, exhaust(meteor.segments)]


@given(value=NOT_TEXTS)
def test_meteor_rejects_an_invalid_segment(meteor, value):
    assert_input_error(meteor.tokenize, value)
    assert_input_error(meteor.align, value, "a")
    assert_input_error(meteor.score, value, "a")
    assert_input_error(meteor.score, "a", ["a", value])
    assert_input_error(meteor.pairwise, [value], ["a"], match="source 1: a candidate")


@given(value=NOT_TEXTS.filter(lambda value: not isinstance(value, list) or value))
def test_meteor_rejects_invalid_references_of_a_segment(meteor, value):
    assert_input_error(meteor.score, "a", value)
    assert_input_error(meteor.align, "a", value)


@given(case=lists_with_invalid_item())
def test_error_contains_the_number_of_an_invalid_segment(meteor, metrics, case):
    texts, number = case
    valid_texts = ["a"] * len(texts)
    for function in (*corpus_functions(meteor), *(metric.corpus for metric in metrics)):
        assert_input_error(function, texts, valid_texts, match=f"segment {number}:")
        assert_input_error(function, iter(texts), iter(valid_texts), match=f"segment {number}:")
        assert_input_error(function, valid_texts, [["a", text] for text in texts], match=f"segment {number}:")
    assert_input_error(meteor.pairwise, texts, valid_texts, match="source [12]: a candidate")
    assert_input_error(exhaust(meteor.pairwise_batches), [["a"], texts], match="source [12]: a candidate")
    for metric in metrics:
        assert_input_error(exhaust(partial(score_pairs, metric)), [["a"], texts], match="source 2: a candidate")


@given(value=NOT_LISTS)
def test_metrics_reject_values_that_are_not_lists(meteor, metrics, value):
    for function in (*corpus_functions(meteor), *(metric.corpus for metric in metrics), meteor.pairwise):
        assert_input_error(function, value, ["a"])
        assert_input_error(function, ["a"], value)
    assert_input_error(exhaust(meteor.pairwise_batches), value)
    assert_input_error(exhaust(meteor.pairwise_batches), [["a"], value], match="source 2")
    for metric in metrics:
        if not isinstance(metric, Meteor):  # METEOR does not use sources.
            assert_input_error(metric.corpus, ["a"], ["a"], 3 if value is None else value)
        assert_input_error(metric.score, ["a"], "a")
        assert_input_error(exhaust(partial(score_pairs, metric)), value)
        assert_input_error(exhaust(partial(score_pairs, metric)), [["a"], value], match="source 2")


@given(hypotheses=st.lists(TEXTS, max_size=4), references=st.lists(TEXTS, max_size=4))
def test_metrics_reject_lists_of_unequal_length(meteor, metrics, hypotheses, references):
    if len(hypotheses) == len(references):
        references = [*references, "a"]
    for function in (*corpus_functions(meteor), *(metric.corpus for metric in metrics)):
        assert_input_error(function, hypotheses, references)
    assert_input_error(exhaust(meteor.pairwise_batches), [["a"]] * len(hypotheses), [["a"]] * len(references))
    for metric in metrics:
        assert_input_error(exhaust(partial(score_pairs, metric)), [["a"]] * len(hypotheses), [["a"]] * len(references))


def test_metrics_reject_an_empty_corpus(meteor, metrics):
    for function in (meteor.corpus, *(metric.corpus for metric in metrics)):
        assert_input_error(function, [], [])
        assert_input_error(function, ["a"], [[]])
    # Functions that return one result per item return no results for empty input.
    assert list(meteor.segments([], [])) == []
    assert meteor.pairwise([], ["a"]).shape == (0, 1)
    for function in (meteor.pairwise_batches, *(partial(score_pairs, metric) for metric in metrics)):
        assert list(function([])) == []
        assert [matrix.shape for matrix in function([[], ["a"]])] == [(0, 0), (1, 1)]


@given(value=NOT_LISTS, case=lists_with_invalid_item())
@settings(deadline=None)
def test_nltk_functions_reject_invalid_tokens(meteor, value, case):
    texts, _ = case
    # A valid token replaces the ASCII texts, because a text can be empty or contain spaces.
    tokens = ["a" if isinstance(text, str) and text.isascii() else text for text in texts]

    def score(references, hypothesis):
        return meteor_score(references, hypothesis, meteor=meteor)

    assert_input_error(score, [["a"]], value)
    assert_input_error(score, [value], ["a"])
    assert_input_error(score, value, ["a"])
    assert_input_error(score, [["a"]], tokens, match="token")
    assert_input_error(score, [["a"], tokens], ["a"], match="token")
    assert_input_error(lambda tokens: single_meteor_score(tokens, ["a"], meteor=meteor), tokens, match="token")
    if not isinstance(value, str):
        assert_input_error(lambda: meteor_score([["a"]], ["a"], lambda token: value, meteor=meteor))


def test_error_names_the_segment_with_a_lone_surrogate(meteor):
    with pytest.raises(InputError, match=r"segment 2: a segment contains the lone surrogate U\+DCE9"):
        meteor.corpus(["a", "caf\udce9"], ["a", "a"])


def test_corpus_accepts_tuples_iterators_arrays_and_views(meteor):
    expected = meteor.corpus(["a b", "a"], ["a", "a"]).score
    for convert in (tuple, iter, np.array, lambda texts: dict.fromkeys([*texts]).keys()):
        assert meteor.corpus(convert(["a b", "a"]), ["a", "a"]).score == expected
