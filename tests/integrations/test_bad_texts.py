"""Tests that the integrations reject values that are not texts.

The libraries would convert these values, or report them with other errors.
"""

from __future__ import annotations

import importlib

import numpy as np
import pytest

from meteor_e import InputError

OPTIONS = {"matchers": ["exact"], "normalization": "lower"}


def huggingface(request):
    """Return a function that scores texts with Hugging Face evaluate."""
    metric = request.getfixturevalue("huggingface_metric")
    return lambda hypotheses, references: metric.compute(
        predictions=hypotheses, references=references, language="other", options=OPTIONS
    )


def torchmetrics(request):
    """Return a function that scores texts with torchmetrics."""
    pytest.importorskip("torchmetrics")
    score = import_integration("torchmetrics").meteor_score
    return lambda hypotheses, references: score(hypotheses, references, "other", options=OPTIONS)


def import_integration(name):
    """Import a module of meteor_e.integrations."""
    return importlib.import_module(f"meteor_e.integrations.{name}")


@pytest.fixture(scope="module", params=[huggingface, torchmetrics], ids=lambda make_score: make_score.__name__)
def score(request):
    """Return the scoring function of each integration in turn."""
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
def test_integrations_reject_values_that_are_not_texts(score, value):
    cases = [
        ([value], [["a"]]),
        (["a"], [["a", value]]),
        (["b", value], [["b"], ["a"]]),
    ]
    for hypotheses, references in cases:
        with pytest.raises(InputError):
            score(hypotheses, references)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("value", NOT_LISTS, ids=repr)
def test_integrations_reject_values_that_are_not_lists(score, value):
    for hypotheses, references in ((value, [["a"]]), (["a"], value)):
        with pytest.raises(InputError):
            score(hypotheses, references)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("hypotheses", "references"), [(["a", "b"], [["a"]]), (["a"], [["a"], ["b"]]), (["a"], [[]])])
def test_integrations_reject_unequal_lengths(score, hypotheses, references):
    with pytest.raises(InputError):
        score(hypotheses, references)
