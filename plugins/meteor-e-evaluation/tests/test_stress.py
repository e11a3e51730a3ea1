"""Tests of ``meteor-e stress``: the pairs of texts, the statistics of the report, and the command."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest
from click.testing import CliRunner
from meteor_e_evaluation.stress import load_bundled_examples, perturbations, select_perturbations, stress

from meteor_e import load_metric
from meteor_e.api import ConfigError, InputError, SegmentMetric
from meteor_e.api.perturbations import PerturbationContext
from meteor_e.cli.program import cli


def run_stress(*arguments: str):
    """Run ``meteor-e stress`` in this process."""
    return CliRunner().invoke(cli, ["stress", *arguments])


class Length(SegmentMetric):
    """A metric that returns the length in characters."""

    name = label = signature = "length"

    def score_segments(self, hypotheses, references, sources=None):
        return [len(text) for text in hypotheses]


class NanMetric(Length):
    """A metric that returns NaN."""

    def score_segments(self, hypotheses, references, sources=None):
        return [float("nan")] * len(hypotheses)


class ConstantMetric(Length):
    """A metric that gives every text the same score."""

    label = "likes it"

    def score_segments(self, hypotheses, references, sources=None):
        return [1.0] * len(hypotheses)


REFERENCES, HYPOTHESES = load_bundled_examples("en")
SAMPLE = REFERENCES[:30], HYPOTHESES[:30]


def test_bundled_examples_contain_cases_of_every_rule():
    changed_texts = stress([], sources=["Das ist eine Quelle."] * len(REFERENCES)).changed
    assert len(HYPOTHESES) >= 120
    n_changed = {name: sum(text is not None for text in texts) for name, texts in changed_texts.items()}
    assert min(n_changed.values()) > 0
    assert min(n_changed[name] for name in ("negation-dropped", "negation-added", "antonym", "number-changed")) > 25


@pytest.mark.parametrize("language", ["de", "fr", "es", "ru", "zh", "ja"])
def test_bundled_examples_exist_in_other_languages(language):
    changed_texts = stress([], language=language).changed
    assert all(len(texts) >= 6 for texts in changed_texts.values())
    assert sum(any(text is not None for text in texts) for texts in changed_texts.values()) > 20


def test_stress_counts_hits_ties_and_decreases():
    report = stress([Length.make(), ConstantMetric.make(), load_metric("chrf")], *SAMPLE, pairs=20, examples=1)
    by_length, constant, chrf = (
        {finding.rule: finding for finding in findings} for findings in report.findings.values()
    )
    assert by_length["word-dropped"].share == 1
    assert by_length["word-repeated"].share == 0
    assert all(finding.share == 0 and finding.ties == 1 for finding in constant.values() if finding.kind == "error")
    assert chrf["empty"].share == 1
    assert by_length["word-dropped"].low < 1 <= by_length["word-dropped"].high
    worst_pairs = {row[:2]: row for row in report.worst}
    assert ("length", "word-dropped") not in worst_pairs
    _, _, segment, score, changed_score, reference, text, changed_text = worst_pairs["length", "word-repeated"]
    assert (reference, text) == (REFERENCES[segment - 1][0], HYPOTHESES[segment - 1])
    assert (score, changed_score) == (len(text), len(changed_text))
    assert chrf["word-repeated"].p < 0.05
    assert np.isnan(by_length["empty"].p)
    share, low, high = report.means["chrF"]
    errors = [finding.share for finding in chrf.values() if finding.kind == "error"]
    assert share == pytest.approx(np.mean(errors))
    assert low < share < high


def test_stress_pairs_depend_on_the_seed():
    pairs, repeated_pairs, other_pairs = (stress([], *SAMPLE, pairs=20, seed=seed).changed for seed in (1, 1, 2))
    assert repeated_pairs == pairs != other_pairs
    assert max(20 - texts.count(None) for texts in pairs.values()) <= 20


@pytest.mark.parametrize(
    ("stress_invalid_input", "message"),
    [
        (lambda: stress([Length.make()], [["a"], ["b"]], ["a"]), "differ in number"),
        (lambda: stress([Length.make()], [], []), "no occasion|no perturbation"),
        (
            lambda: stress([Length.make()], [["..."]], ["..."], rules=select_perturbations("en", ["antonym"])),
            "no perturbation applies",
        ),
        (lambda: stress([NanMetric.make()], *SAMPLE), "no finite number for original"),
        (lambda: stress([Length.make(), Length.make()], *SAMPLE), "two metrics are called 'length'"),
        (lambda: load_bundled_examples("sw"), "--reference FILE"),
    ],
    ids=["unequal lengths", "no segments", "no occasion", "metric returns NaN", "duplicate metric", "unknown language"],
)
def test_stress_rejects_invalid_input(stress_invalid_input, message):
    with pytest.raises((ConfigError, InputError), match=message):
        stress_invalid_input()


def test_stress_compares_harmless_changes_with_errors():
    report = stress([load_metric("chrf")], rules=select_perturbations("en", ["harmless"]))
    shares = {finding.rule: finding.share for finding in report.findings["chrF"]}
    assert shares["spaces"] == 1
    assert shares["contraction"] < 0.9
    assert shares["misspelled"] > 0.5


def test_select_perturbations_by_name_group_and_kind():
    assert {rule.group for rule in select_perturbations("en", ["polarity"])} == {"polarity"}
    assert {rule.kind for rule in select_perturbations("en", ["harmless"])} == {"harmless"}
    with pytest.raises(ConfigError, match="did you mean 'antonym'"):
        select_perturbations("en", ["antonim"])


@pytest.mark.parametrize("format_name", ["text", "tsv", "markdown"])
def test_stress_report_is_written_in_every_format(format_name):
    result = run_stress(
        "-M", "chrf", "-M", "bleu", "--only", "polarity", "--examples", "1", "-q", "--no-cache", "-f", format_name
    )
    assert result.exit_code == 0, result.output
    assert "negation-added" in result.stdout


def test_stress_command_lists_rules_and_reads_files(tmp_path):
    rule_list = run_stress("--list", "-l", "de")
    assert "word-dropped" in rule_list.output
    assert "negation-added" not in rule_list.output
    file = tmp_path / "reference.txt"
    file.write_text("Der Hund schläft unter dem Tisch.\nEs regnet seit Tagen in der Stadt.\n", encoding="utf-8")
    result = run_stress(str(file), "-r", str(file), "-l", "de", "-M", "chrf", "-q", "--no-cache", "-f", "json")
    report = json.loads(result.stdout)
    assert {finding["pairs"] for finding in report["findings"] if finding["rule"] == "word-dropped"} == {2}
    assert run_stress("-r", str(file), "-l", "de").exit_code != 0


def test_rule_results_depend_on_the_random_seed():
    rule = next(rule for rule in perturbations("en") if rule.name == "word-dropped")
    text = "One two three four five six seven."
    assert len({rule.apply(text, random.Random(seed), PerturbationContext()) for seed in range(30)}) > 3
