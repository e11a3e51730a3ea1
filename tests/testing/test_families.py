"""Test the conformance checks of metrics, estimators, measures and formats."""

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


class LengthMetric(SegmentMetric):
    """Measure the length of the hypothesis relative to the reference."""

    name = "length-share"
    signature = "length-share|version:1"

    def score_segments(self, hypotheses, references, sources=None):
        return [len(text) / (1 + len(texts[0])) for text, texts in zip(hypotheses, references, strict=True)]


class MeanEstimator(Estimator):
    """Use the mean differences of the features as weights."""

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


class TwoLineFormat(TableFormat):
    """Recognize tables by their suffix, and report that they do not exist."""

    name = "two-lines"

    @classmethod
    def recognizes(cls, path):
        return path.endswith(".two")

    def open(self, path, texts, *, encoding="utf-8"):
        raise InputError(f"{path}: no such table")


class BareFormat(OutputFormat):
    """Write rows of values, separated by spaces."""

    name = "bare"

    def write(self, result, stream, options):
        for row in result.records():
            print(*row, file=stream)


class HalfMeasure(Measure):
    """Return a half for each metric."""

    name = "half"
    title = "half"
    definition = "A half."

    def agreement(self, test):
        return lambda scores: 0.5

    def resampled(self, test, scores, weights):
        return np.full(len(weights), 0.5)


@pytest.mark.parametrize(
    "component", [LengthMetric, MeanEstimator, TwoLineFormat, BareFormat, HalfMeasure], ids=lambda cls: cls.__name__
)
def test_check_component_accepts_correct_components(component):
    check_component(component)


def make_variant(base, **members):
    """Return a class that differs from a correct class in the given members."""
    return type(base.__name__, (base,), {"__doc__": base.__doc__, "__module__": __name__, **members})


class MetricWithoutSignature(LengthMetric):
    """Have an empty signature."""

    name = "no-signature"
    signature: ClassVar[str] = ""


def return_nan_scores(self, hypotheses, references, sources=None):
    return [float("nan")] * len(hypotheses)


def return_two_scores(self, hypotheses, references, sources=None):
    return [0.5] * 2


@pytest.mark.parametrize(
    ("component", "message"),
    [
        (MetricWithoutSignature, "signature is ''; it must name in a line"),
        (make_variant(LengthMetric, score_segments=return_nan_scores), "NaN|nan|finite"),
        (make_variant(LengthMetric, score_segments=return_two_scores), "raised|rows|segments"),
        (make_variant(MeanEstimator, name="Mean"), "has the name 'Mean'"),
    ],
    ids=["no signature", "nan", "number of scores", "name"],
)
def test_check_component_reports_incorrect_components(component, message):
    with pytest.raises(ConformanceError, match=message):
        check_component(component)


def make_plugin(**hooks):
    """Return a plugin module. Each argument is the name of a hook and the result of its implementation."""
    module = types.ModuleType("own_plugin")
    for name, components in hooks.items():
        implementation = hookimpl(lambda components=components: components)
        implementation.__name__ = name
        setattr(module, name, implementation)
    return module


def test_check_plugin_checks_metrics_and_table_formats():
    check_plugin(make_plugin(meteor_e_metrics=[LengthMetric], meteor_e_table_formats=[TwoLineFormat]))
    with pytest.raises(ConformanceError, match="signature is ''"):
        check_plugin(make_plugin(meteor_e_metrics=[MetricWithoutSignature]))


def test_plugins_command_describes_all_components():
    from click.testing import CliRunner

    from meteor_e.cli.program import cli

    for entry in plugin_registry().entries():
        if not entry.error:
            result = CliRunner().invoke(cli, ["plugins", entry.name, "--kind", entry.kind], catch_exceptions=False)
            assert result.exit_code == 0, (entry, result.output)


def test_registry_marks_metrics_with_a_builtin_name(monkeypatch):
    monkeypatch.setattr("meteor_e.plugins.registry._registry", PluginRegistry())
    plugin = make_plugin(meteor_e_metrics=[make_variant(LengthMetric, name="chrf")])
    plugin_registry().register(plugin, "greedy")
    builtin_entry, plugin_entry = plugin_registry().entries("metric", name="chrf")
    assert (builtin_entry.plugin, builtin_entry.error) == ("builtin", "")
    assert plugin_entry.plugin == "greedy"
    assert "the one of meteor_e is used" in plugin_entry.error
