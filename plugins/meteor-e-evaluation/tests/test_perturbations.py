"""Tests of the rules by which ``meteor-e stress`` changes texts."""

from __future__ import annotations

import random

import pytest
from meteor_e_evaluation.stress import perturbations

from meteor_e.api.perturbations import PerturbationContext
from meteor_e.plugins.registry import plugin_registry

TEXTS = (
    "The dogs did not bark at the old men who were walking home, although she had bought 3.5 kg of apples on Monday.",
    "A man in a red shirt is riding a bicycle down the street.",
    "Don't open the window before the two engines have stopped.",
    "The minister said that Germany won't increase its exports to France in 2015, and nobody must object.",
    "\"I can't see the well-known face,\" said Mary's brother, who hoped for help from his neighbours.",
)
RULES = {rule.name: rule for rule in perturbations("en")}
NOT_APPLICABLE = {"source-copied"}


def perturb(name: str, text: str, seed: int = 0, **options: object) -> str | None:
    """Apply a rule to a text; return the changed text, or None if the rule does not apply."""
    context = PerturbationContext(language="en", texts=(text, *TEXTS), reference="A reference.", **options)  # type: ignore[arg-type]
    return RULES[name].apply(text, random.Random(seed), context)


@pytest.mark.parametrize("name", sorted(set(RULES) - NOT_APPLICABLE))
def test_rules_apply_and_are_deterministic(name):
    results = [perturb(name, text, seed=3) for text in TEXTS]
    changes = [(text, result) for text, result in zip(TEXTS, results, strict=True) if result is not None]
    assert changes
    assert all(text != result for text, result in changes)
    assert results == [perturb(name, text, seed=3) for text in TEXTS]


def collect_results(name: str, text: str) -> set[str | None]:
    """Apply a rule to a text with 40 seeds; return the different results."""
    return {perturb(name, text, seed=seed) for seed in range(40)}


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("negation-dropped", "He did not see it.", {"He saw it."}),
        ("negation-dropped", "She doesn't try hard.", {"She tries hard."}),
        ("negation-dropped", "Don't stop the car.", {"Stop the car."}),
        ("negation-dropped", "It will not be easy.", {"It will be easy."}),
        ("negation-dropped", "It is fine.", {None}),
        ("negation-added", "He planned the trip.", {"He did not plan the trip.", "He didn't plan the trip."}),
        ("negation-added", "They are here.", {"They are not here.", "They aren't here."}),
        ("tense-changed", "She goes home.", {"She went home."}),
        ("tense-changed", "He hoped for help.", {"He hopes for help."}),
        ("agreement-changed", "He sees a tree.", {"He see a tree."}),
        ("noun-number-changed", "He saw the child.", {"He saw the children."}),
        ("unit-changed", "It weighs 5 kg.", {"It weighs 5 mg.", "It weighs 5 g.", "It weighs 5 t."}),
        ("case-changed", "Anna saw him.", {"Anna saw he."}),
        ("word-dropped", "Red cars, too.", {"Cars, too.", "Red, too.", "Red cars,."}),
        ("final-punctuation-dropped", 'He said: "No."', {'He said: "No"'}),
        ("spelling-variant", "Grey colours.", {"Gray colors."}),
        ("contraction", "I do not know.", {"I don't know."}),
        ("quotes", 'The "old" man\'s hat', {"The “old” man’s hat"}),
        ("truncated", "One two three four.", {"One", "One two", "One two three"}),
    ],
)
def test_rule_returns_all_expected_variants(name, text, expected):
    assert collect_results(name, text) == expected


def test_untranslated_rule_uses_words_of_the_source():
    text = perturb("untranslated", "The castle stands there.", source="Schloss")
    assert "Schloss" in text or "schloss" in text


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Der Hund lief über die Straße."),
        ("zh", "我们明天去北京看朋友。"),
        ("hi", "वह कल दिल्ली जाएगा।"),
        ("xx", "Ta ta ko?"),
    ],
)
def test_perturbations_apply_to_languages_without_grammar(language, text):
    rules = perturbations(language)
    assert {rule.name for rule in rules} < set(RULES)
    context = PerturbationContext(language=language, texts=(text, "Ein anderer Satz, der hier steht."))
    applicable_rules = {rule.name for rule in rules if rule.apply(text, random.Random(1), context) not in (None, text)}
    assert {
        "word-dropped",
        "word-repeated",
        "swapped-near",
        "final-punctuation-dropped",
        "other-text",
        "empty",
    } <= applicable_rules


def test_plugin_registry_has_the_built_in_rules():
    assert "negation-added" in plugin_registry().perturbations.names()
