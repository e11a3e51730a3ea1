"""``meteor-e stress``: the pairs, what is counted, and the command."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest
from click.testing import CliRunner
from meteor_e_evaluation.stress import (
    bundled_examples,
    chosen_rules,
    make_suite,
    perturbations,
    stress,
)

from meteor_e import load_metric
from meteor_e.api import ConfigError, InputError
from meteor_e.api.perturbations import PerturbationContext
from meteor_e.cli.program import cli


def run(*arguments: str):
    return CliRunner().invoke(cli, ["stress", *arguments])


def length(hypotheses, references):
    """Score the longer text higher."""
    return [len(text) for text in hypotheses]


def no_number(hypotheses, references):
    return [float("nan")] * len(hypotheses)


def likes_it(hypotheses, references):
    """Score all texts alike."""
    return [1.0] * len(hypotheses)


@pytest.fixture(scope="module")
def suite():
    examples = bundled_examples("en")
    return make_suite(examples.references[:30], examples.hypotheses[:30], pairs=20)


def test_the_bundled_sentences_give_every_rule_an_occasion():
    examples = bundled_examples("en")
    suite = make_suite(examples.references, examples.hypotheses, ["Das ist eine Quelle."] * len(examples.references))
    assert len(suite.texts) >= 120
    least = {name: sum(text is not None for text in texts) for name, texts in suite.changed.items()}
    assert min(least.values()) > 0
    assert min(least[name] for name in ("negation-dropped", "negation-added", "antonym", "number-changed")) > 25


@pytest.mark.parametrize("language", ["de", "fr", "es", "ru", "zh", "ja"])
def test_sentences_of_other_languages(language):
    examples = bundled_examples(language)
    suite = make_suite(examples.references, examples.hypotheses, language=language)
    assert len(examples.hypotheses) >= 6
    assert sum(any(text is not None for text in texts) for texts in suite.changed.values()) > 20


def test_what_is_counted(suite):
    report = stress([length, likes_it, load_metric("chrf")], suite, examples=1)
    assert report.metrics == ("length", "likes_it", "chrF")
    by_length, alike, chrf = ({each.rule: each for each in report.findings[name]} for name in report.metrics)
    assert by_length["word-dropped"].share == 1
    assert by_length["word-repeated"].share == 0
    assert all(each.share == 0 and each.ties == 1 for each in alike.values() if each.kind == "error")
    assert chrf["empty"].share == 1
    assert by_length["word-dropped"].low < 1 <= by_length["word-dropped"].high
    assert by_length["word-repeated"].worst[0].changed.split() != by_length["word-repeated"].worst[0].text.split()
    assert not by_length["word-dropped"].worst
    assert chrf["word-repeated"].p < 0.05
    assert np.isnan(by_length["empty"].p)
    share, low, high = report.means["chrF"]
    errors = [each.share for each in chrf.values() if each.kind == "error"]
    assert share == pytest.approx(np.mean(errors))
    assert low < share < high


def test_the_seed_repeats_the_pairs_and_another_changes_them(suite):
    examples = bundled_examples("en")
    again = make_suite(examples.references[:30], examples.hypotheses[:30], pairs=20)
    other = make_suite(examples.references[:30], examples.hypotheses[:30], pairs=20, seed=2)
    assert again.changed == suite.changed != other.changed


def test_references_alone_are_changed_a_little():
    references = [["The old dog sleeps under the table in the kitchen."], ["Three men walk along the wide river."]]
    suite = make_suite(references)
    assert suite.origin
    assert all(text != own[0] for text, own in zip(suite.texts, references, strict=True))
    two = make_suite([[*own, own[0].upper()] for own in references])
    assert two.texts == [own[0].upper() for own in references]
    assert two.references == references


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda suite: make_suite([["a"], ["b"]], ["a"]), "1 hypotheses and 2 segments"),
        (lambda suite: make_suite([]), "no segments"),
        (
            lambda suite: stress([length], make_suite([["..."]], ["..."], rules=chosen_rules("en", ["antonym"]))),
            "occasion",
        ),
        (lambda suite: stress([no_number], suite), "no finite number for original"),
        (lambda suite: stress([length, length], suite), "two metrics are called 'length'"),
        (lambda suite: bundled_examples("sw"), "--reference FILE"),
    ],
)
def test_refusals(suite, call, message):
    with pytest.raises((ConfigError, InputError), match=message):
        call(suite)


def test_harmless_changes_alone_are_measured_by_small_errors():
    examples = bundled_examples("en")
    alone = make_suite(examples.references, examples.hypotheses, rules=chosen_rules("en", ["harmless"]))
    report = stress([load_metric("chrf")], alone)
    shares = {each.rule: each.share for each in report.findings["chrF"]}
    assert shares["spaces"] == 1
    assert shares["contraction"] < 0.9
    assert all(np.isnan(value) for value in report.means["chrF"])


def test_rules_by_name_group_and_kind():
    assert {rule.group for rule in chosen_rules("en", ["polarity"])} == {"polarity"}
    assert {rule.kind for rule in chosen_rules("en", ["harmless"])} == {"harmless"}
    with pytest.raises(ConfigError, match="did you mean 'antonym'"):
        chosen_rules("en", ["antonim"])


@pytest.mark.parametrize("form", ["text", "tsv", "markdown"])
def test_forms(form):
    result = run("-M", "chrf", "-M", "bleu", "--only", "polarity", "--examples", "1", "-q", "--no-cache", "-f", form)
    assert result.exit_code == 0, result.output
    assert "negation-added" in result.stdout


def test_the_command(tmp_path):
    listed = run("--list", "-l", "de")
    assert "word-dropped" in listed.output
    assert "negation-added" not in listed.output
    reference = tmp_path / "reference.txt"
    reference.write_text("Der Hund schläft unter dem Tisch.\nEs regnet seit Tagen in der Stadt.\n", encoding="utf-8")
    german = run("-R", str(reference), "-l", "de", "-M", "chrf", "-q", "--no-cache", "-f", "json")
    assert json.loads(german.stdout)["segments"] == 2


def test_rules_do_not_share_their_chance():
    rule = next(each for each in perturbations("en") if each.name == "word-dropped")
    text = "One two three four five six seven."
    assert len({rule.apply(text, random.Random(seed), PerturbationContext()) for seed in range(30)}) > 3
