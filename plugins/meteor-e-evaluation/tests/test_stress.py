"""``meteor-e stress``: the pairs, what is counted, and the command."""

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


def run(*arguments: str):
    return CliRunner().invoke(cli, ["stress", *arguments])


class Length(SegmentMetric):
    """Length in characters."""

    name = label = signature = "length"

    def score_segments(self, hypotheses, references, sources=None):
        return [len(text) for text in hypotheses]


class NoNumber(Length):
    """No score at all."""

    def score_segments(self, hypotheses, references, sources=None):
        return [float("nan")] * len(hypotheses)


class LikesIt(Length):
    """All texts are alike."""

    label = "likes it"

    def score_segments(self, hypotheses, references, sources=None):
        return [1.0] * len(hypotheses)


REFERENCES, HYPOTHESES = load_bundled_examples("en")
SOME = REFERENCES[:30], HYPOTHESES[:30]


def test_bundled_examples_suit_every_rule():
    changed = stress([], sources=["Das ist eine Quelle."] * len(REFERENCES)).changed
    assert len(HYPOTHESES) >= 120
    least = {name: sum(text is not None for text in texts) for name, texts in changed.items()}
    assert min(least.values()) > 0
    assert min(least[name] for name in ("negation-dropped", "negation-added", "antonym", "number-changed")) > 25


@pytest.mark.parametrize("language", ["de", "fr", "es", "ru", "zh", "ja"])
def test_bundled_examples_of_other_languages(language):
    changed = stress([], language=language).changed
    assert all(len(texts) >= 6 for texts in changed.values())
    assert sum(any(text is not None for text in texts) for texts in changed.values()) > 20


def test_stress_counts_hits_ties_and_decreases():
    report = stress([Length.make(), LikesIt.make(), load_metric("chrf")], *SOME, pairs=20, examples=1)
    by_length, alike, chrf = ({each.rule: each for each in findings} for findings in report.findings.values())
    assert by_length["word-dropped"].share == 1
    assert by_length["word-repeated"].share == 0
    assert all(each.share == 0 and each.ties == 1 for each in alike.values() if each.kind == "error")
    assert chrf["empty"].share == 1
    assert by_length["word-dropped"].low < 1 <= by_length["word-dropped"].high
    worst = {row[:2]: row for row in report.worst}
    assert ("length", "word-dropped") not in worst
    _, _, segment, score, other, reference, text, changed = worst["length", "word-repeated"]
    assert (reference, text) == (REFERENCES[segment - 1][0], HYPOTHESES[segment - 1])
    assert (score, other) == (len(text), len(changed))
    assert chrf["word-repeated"].p < 0.05
    assert np.isnan(by_length["empty"].p)
    share, low, high = report.means["chrF"]
    errors = [each.share for each in chrf.values() if each.kind == "error"]
    assert share == pytest.approx(np.mean(errors))
    assert low < share < high


def test_stress_pairs_depend_on_the_seed():
    made, again, other = (stress([], *SOME, pairs=20, seed=seed).changed for seed in (1, 1, 2))
    assert again == made != other
    assert max(20 - texts.count(None) for texts in made.values()) <= 20


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: stress([Length.make()], [["a"], ["b"]], ["a"]), "differ in number"),
        (lambda: stress([Length.make()], [], []), "no occasion|no perturbation"),
        (
            lambda: stress([Length.make()], [["..."]], ["..."], rules=select_perturbations("en", ["antonym"])),
            "no perturbation applies",
        ),
        (lambda: stress([NoNumber.make()], *SOME), "no finite number for original"),
        (lambda: stress([Length.make(), Length.make()], *SOME), "two metrics are called 'length'"),
        (lambda: load_bundled_examples("sw"), "--reference FILE"),
    ],
)
def test_stress_errors(call, message):
    with pytest.raises((ConfigError, InputError), match=message):
        call()


def test_stress_adds_small_errors_to_harmless_changes():
    report = stress([load_metric("chrf")], rules=select_perturbations("en", ["harmless"]))
    shares = {each.rule: each.share for each in report.findings["chrF"]}
    assert shares["spaces"] == 1
    assert shares["contraction"] < 0.9
    assert shares["misspelled"] > 0.5


def test_select_perturbations_by_name_group_and_kind():
    assert {rule.group for rule in select_perturbations("en", ["polarity"])} == {"polarity"}
    assert {rule.kind for rule in select_perturbations("en", ["harmless"])} == {"harmless"}
    with pytest.raises(ConfigError, match="did you mean 'antonym'"):
        select_perturbations("en", ["antonim"])


@pytest.mark.parametrize("form", ["text", "tsv", "markdown"])
def test_stress_report_in_every_output_format(form):
    result = run("-M", "chrf", "-M", "bleu", "--only", "polarity", "--examples", "1", "-q", "--no-cache", "-f", form)
    assert result.exit_code == 0, result.output
    assert "negation-added" in result.stdout


def test_stress_command(tmp_path):
    listed = run("--list", "-l", "de")
    assert "word-dropped" in listed.output
    assert "negation-added" not in listed.output
    file = tmp_path / "reference.txt"
    file.write_text("Der Hund schläft unter dem Tisch.\nEs regnet seit Tagen in der Stadt.\n", encoding="utf-8")
    german = run(str(file), "-r", str(file), "-l", "de", "-M", "chrf", "-q", "--no-cache", "-f", "json")
    found = json.loads(german.stdout)
    assert {each["pairs"] for each in found["findings"] if each["rule"] == "word-dropped"} == {2}
    assert run("-r", str(file), "-l", "de").exit_code != 0


def test_rules_have_independent_random_choices():
    rule = next(each for each in perturbations("en") if each.name == "word-dropped")
    text = "One two three four five six seven."
    assert len({rule.apply(text, random.Random(seed), PerturbationContext()) for seed in range(30)}) > 3
