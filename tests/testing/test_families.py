"""The conformance checks of metrics, estimators, measures, formats and commands."""

from __future__ import annotations

import types
from typing import ClassVar

import numpy as np
import pytest

from meteor_e.api.estimators import Estimator
from meteor_e.api.formats import OutputFormat
from meteor_e.api.hooks import hookimpl
from meteor_e.api.measures import Measure
from meteor_e.api.metrics import SegmentMetric
from meteor_e.api.tables import TableFormat
from meteor_e.base.errors import InputError
from meteor_e.plugins.registry import PluginRegistry, plugin_registry
from meteor_e.testing import ConformanceError, check_component, check_plugin


class Length(SegmentMetric):
    """The length of the hypothesis relative to the reference."""

    name = "length-share"
    signature = "length-share|version:1"

    def score_segments(self, hypotheses, references, sources=None):
        return [len(text) / (1 + len(texts[0])) for text, texts in zip(hypotheses, references, strict=True)]


class Mean(Estimator):
    """Weights are the mean differences."""

    name = "test-mean"

    def fit(self, X, y, *, groups=None, sample_weight=None):  # noqa: N803
        first, second = np.hsplit(X, 2)
        self.weights_ = (np.where(y == 1, 1, -1)[:, None] * (first - second)).mean(axis=0)
        return self

    def score_segments(self, features):
        return features @ self.weights_

    def arrays(self):
        return {"weights": self.weights_}

    def restore(self, arrays):
        self.weights_ = arrays["weights"]


class Lines(TableFormat):
    """A hypothesis and a reference on each line."""

    name = "two-lines"

    @classmethod
    def recognizes(cls, path):
        return path.endswith(".two")

    def open(self, path, texts, *, encoding="utf-8"):
        raise InputError(f"{path}: no such table")


class Bare(OutputFormat):
    """Rows, separated by spaces."""

    name = "bare"

    def write(self, result, stream, options):
        for row in result.records():
            print(*row, file=stream)


class Half(Measure):
    """Always a half."""

    name = "half"
    title = "half"
    definition = "A half."

    def agreement(self, test):
        return lambda scores: 0.5

    def resampled(self, test, scores, weights):
        return np.full(len(weights), 0.5)


@pytest.mark.parametrize("good", [Length, Mean, Lines, Bare, Half], ids=str)
def test_correct_components_pass(good):
    check_component(good)


def changed(base, **members):
    return type(base.__name__, (base,), {"__doc__": base.__doc__, "__module__": __name__, **members})


class NoSignature(Length):
    """A metric without a signature."""

    name = "no-signature"
    signature: ClassVar[str] = ""


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (NoSignature, "signature is ''; it must name in a line"),
        (changed(Length, score_segments=lambda self, texts, *rest: [float("nan")] * len(texts)), "NaN|nan|finite"),
        (changed(Length, score_segments=lambda self, hypotheses, *rest: [0.5] * 2), "raised|rows|segments"),
        (changed(Mean, name="Mean"), "has the name 'Mean'"),
    ],
)  # fmt: skip
def test_incorrect_components_are_reported(wrong, message):
    with pytest.raises(ConformanceError, match=message):
        check_component(wrong)


def plugin(**hooks):
    module = types.ModuleType("own_plugin")
    for name, found in hooks.items():
        setattr(module, name, hookimpl(lambda found=found: found))
        getattr(module, name).__name__ = name
    return module


def test_plugin_is_checked_with_its_metrics_and_formats():
    check_plugin(plugin(meteor_e_metrics=[Length], meteor_e_table_formats=[Lines]))
    with pytest.raises(ConformanceError, match="signature is ''"):
        check_plugin(plugin(meteor_e_metrics=[NoSignature]))


def test_components_in_the_list_can_be_described():
    from click.testing import CliRunner

    from meteor_e.cli.program import cli

    for entry in plugin_registry().entries():
        if not entry.error:
            done = CliRunner().invoke(cli, ["plugins", entry.name, "--kind", entry.kind], catch_exceptions=False)
            assert done.exit_code == 0, (entry, done.output)


def test_plugin_with_a_name_of_the_core_is_marked(monkeypatch):
    monkeypatch.setattr("meteor_e.plugins.registry._registry", PluginRegistry())
    plugin_registry().register(plugin(meteor_e_metrics=[changed(Length, name="chrf")]), "greedy")
    ours, theirs = plugin_registry().entries("metric", name="chrf")
    assert (ours.plugin, ours.error) == ("builtin", "")
    assert theirs.plugin == "greedy"
    assert "the one of meteor_e is used" in theirs.error
