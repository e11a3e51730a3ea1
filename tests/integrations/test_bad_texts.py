"""The integrations refuse values that are not texts, which the libraries would convert or report differently."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

from meteor_e import InputError

OPTIONS = {"matchers": ["exact"], "normalization": "lower"}


def huggingface(request):
    metric = request.getfixturevalue("huggingface_metric")
    return lambda hypotheses, references: metric.compute(
        predictions=hypotheses, references=references, language="other", options=OPTIONS
    )


def torchmetrics(request):
    pytest.importorskip("torchmetrics")
    score = bridge("torchmetrics").meteor_score
    return lambda hypotheses, references: score(hypotheses, references, "other", options=OPTIONS)


def bridge(name):
    return importlib.import_module(f"meteor_e.integrations.{name}")


@pytest.fixture(scope="module", params=[huggingface, torchmetrics], ids=lambda f: f.__name__)
def score(request):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("METEOR_E_PACKS", str(request.getfixturevalue("_own_packs")))
        yield request.param(request)


NOT_TEXTS = [None, float("nan"), 3, True, b"a", {"a": 1}, {"a"}, "\ud800", "a\udcff", np.float64(2), 3j]
NOT_LISTS = [
    None,
    float("nan"),
    3,
    b"ab",
    {"a": "b"},
    {},
    {"a"},
    3j,
    np.array([1.0]),
    [None],
    [["a", None]],
    [[[]]],
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("value", NOT_TEXTS, ids=repr)
def test_values_that_are_not_texts_are_refused(score, value):
    for hypotheses, references in (([value], [["a"]]), (["a"], [["a", value]]), (["b", value], [["b"], ["a"]])):
        with pytest.raises(InputError):
            score(hypotheses, references)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("value", NOT_LISTS, ids=repr)
def test_values_that_are_not_lists_are_refused(score, value):
    for hypotheses, references in ((value, [["a"]]), (["a"], value)):
        with pytest.raises(InputError):
            score(hypotheses, references)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("hypotheses", "references"), [(["a", "b"], [["a"]]), (["a"], [["a"], ["b"]]), (["a"], [[]])])
def test_sides_of_unequal_length(score, hypotheses, references):
    with pytest.raises(InputError):
        score(hypotheses, references)
