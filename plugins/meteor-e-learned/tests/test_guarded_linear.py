"""Scores with a guard, features of errors, and comparisons that are made."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
from meteor_e_evaluation import load_index, load_test_set
from meteor_e_learned.features.errors import ErrorsFeature, SituationFeature
from meteor_e_learned.made import made_of_captions, made_of_tests
from meteor_e_learned.models.guarded_linear import GuardedLinear

from meteor_e.api import ConfigError, Examples, FeatureBatch, InputError
from meteor_e.api.estimators import TrainingRun

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
COLUMNS = ("meteor.score", "size.words", "errors.negation")
SITUATIONS = {"short": {"size.words": [-1.0, 0.0, 10.0, 20.0]}}


def examples(seed=1):
    """Quality is METEOR less twice the errors; comparisons of people see METEOR only, made ones the errors."""
    draw = np.random.default_rng(seed)
    features = np.column_stack([draw.normal(size=600), draw.uniform(0, 10, 600), draw.integers(3, size=600)])
    pairs = draw.integers(300, size=(500, 2))
    pairs = pairs[features[pairs[:, 0], 0] != features[pairs[:, 1], 0]]
    ordered = np.where((features[pairs[:, 0], 0] > features[pairs[:, 1], 0])[:, None], pairs, pairs[:, ::-1])
    worse = np.arange(300, 600)
    features[worse] = features[:300] + np.array([0, 0, 1])
    better = np.concatenate([ordered[:, 0], np.arange(300)])
    none = np.empty((600, 0))
    return Examples(
        ("Year xx-en", "made Year negation"), features, none, none, better, np.concatenate([ordered[:, 1], worse]),
        np.repeat([0, 1], [len(ordered), 300]), np.arange(len(better)), np.ones(len(better)), np.full(600, np.nan),
        np.repeat([0, 1], 300),
    )  # fmt: skip


def trained(**options):
    estimator = GuardedLinear(
        toward=(), situations=SITUATIONS, negative=("errors.",), steady=("errors.",), reach={"errors.": 4.0}, **options
    )
    estimator.learn(examples(), None, TrainingRun(columns=COLUMNS))
    return estimator


def test_outside_of_what_was_learned_the_base_decides_without_a_step():
    estimator = trained()
    lengths = np.linspace(0, 30, 301)
    rows = np.column_stack([np.full(301, 0.7), lengths, np.zeros(301)])
    scores = estimator.raw(rows)
    assert np.abs(np.diff(scores)).max() < 0.05
    far = np.column_stack([np.linspace(-3, 3, 50), np.full(50, 25.0), np.zeros(50)])
    assert (np.diff(estimator.raw(far)) > 0).all()
    assert estimator.shares(far).max() == 0
    assert estimator.shares(rows[:1]).tolist() == [[1.0]]
    # An error counts there, too.
    wrong = far + np.array([0, 0, 1])
    assert (estimator.raw(wrong) < estimator.raw(far)).all()
    assert estimator.note(rows[:1]) == "learned for: 100 % short"
    assert estimator.note(far).startswith("100 % of the score is METEOR's order: size.words is outside 0 to 10 in 50")


def test_contributions_add_up_and_rows_do_not_change_each_other():
    estimator = trained()
    rows = np.random.default_rng(3).normal(8, 6, size=(40, 3))
    assert estimator.contributions(rows).sum(axis=1) == pytest.approx(estimator.raw(rows), abs=0)
    assert [float(estimator.raw(row[None])[0]) for row in rows] == estimator.raw(rows).tolist()


def test_signs_hold_and_models_come_back():
    wrong = dataclasses.replace(examples(), better=examples().worse, worse=examples().better)
    estimator = GuardedLinear(toward=(), situations=SITUATIONS, negative=("errors.",))
    estimator.learn(wrong, None, TrainingRun(columns=COLUMNS))
    assert estimator.weights_[0, 2] == 0
    again = GuardedLinear(**estimator.get_params())
    again.restore(estimator.arrays())
    rows = np.random.default_rng(3).normal(8, 6, size=(40, 3))
    assert (again.score_segments(rows) == estimator.score_segments(rows)).all()
    for name, array in (("places", np.array([7.0, 0.0])), ("offsets", np.zeros(2)), ("base", np.zeros(3))):
        with pytest.raises(ValueError, match=r"shape|places"):
            again.restore({**estimator.arrays(), name: array})


def test_situations_learn_from_their_own_data():
    two = {**SITUATIONS, "long": {"size.words": [10.0, 20.0, 100.0, 200.0]}}
    lacking = GuardedLinear(toward=(), situations=two, data={"short": ["Year"], "long": ["Other"]})
    with pytest.raises(InputError, match="no judgments to learn situation 'long' from"):
        lacking.learn(examples(), None, TrainingRun(columns=COLUMNS))
    for options, message in (
        ({"situations": {}}, "no situations"),
        ({"situations": {"a": {"size.wrds": [0.0, 1.0, 2.0, 3.0]}}}, "did you mean 'size.words'"),
        ({"situations": {"a": {"size.words": [0.0, 2.0, 1.0, 3.0]}}}, "does not increase"),
        ({"situations": SITUATIONS, "negative": ["eror."]}, "no feature begins with 'eror.'"),
    ):
        with pytest.raises(ConfigError, match=message):
            GuardedLinear(toward=(), **options).learn(examples(), None, TrainingRun(columns=COLUMNS))


@pytest.mark.parametrize(
    ("hypothesis", "column", "expected"),
    [
        ("the cat did not sit on two mats .", "negation", 1),
        ("the cat sat on two mats .", "negation", 0),
        ("the cat sat on three mats .", "number", 2),
        ("the cat cat sat on two mats .", "doubled", 1),
        ("the cat cat sat on two mats .", "repeated_content", 1),
        ("the big cat sat on two mats .", "inserted_content", 1),
        ("the cat sat two mats .", "skipped_function", 1),
        ("the sat cat on two mats .", "swapped", 1),
        ("the cat sat on two mats", "end_missing", 1),
        ("the cat sat on two mats ?", "end_changed", 1),
        ("the cat lacked two mats .", "denied", 1),
        ("the cat does not sit on two mats .", "denied", 1),
        ("the cat was not on two mats .", "polarity", 2),
        ("the cat must sit on two mats .", "modal", 1),
    ],
)
def test_errors_are_counted_and_a_reference_that_agrees_excuses_them(hypothesis, column, expected, monkeypatch):
    feature = ErrorsFeature()
    reference = "the cat sat on two mats ."

    def counts(references):
        return dict(zip(feature.columns, feature.compute(FeatureBatch([hypothesis], [references]))[0], strict=True))

    assert counts([reference])[column] == expected
    assert counts([reference, hypothesis])[column] == 0
    from meteor_e_learned import counting

    native = feature.compute(FeatureBatch([hypothesis], [[reference]]))
    monkeypatch.setattr(counting, "_native", None)
    assert (feature.compute(FeatureBatch([hypothesis], [[reference]])) == native).all()


def test_words_that_imply_a_negation_stand_for_one_and_a_negation_has_its_place():
    feature = ErrorsFeature()

    def counts(hypothesis, reference):
        row = feature.compute(FeatureBatch([hypothesis], [[reference]]))[0]
        return dict(zip(feature.columns, row, strict=True))

    refused = "they refused to pay the fine ."
    assert counts("they did not pay the fine .", refused)["undenied"] == 0
    assert counts("they did pay the fine .", refused)["undenied"] == 1
    # As many negations, but of other words.
    moved = counts("he paid the fine and will not sell houses .", "he did not pay the fine and sells houses .")
    assert (moved["negation"], moved["polarity"]) == (0, 3)
    assert counts("she couldn't swim .", "she could not swim .")["polarity"] == 0


def test_empty_texts_have_errors_and_a_situation():
    batch = FeatureBatch(["", "a b", ""], [["a b c ."], [""], [""]])
    assert np.isfinite(ErrorsFeature().compute(batch)).all()
    assert SituationFeature().compute(batch)[:, 0].tolist() == [1, 1, 1]
    assert ErrorsFeature().compute(batch)[2].sum() == 0


def test_made_comparisons_are_the_same_every_time_and_are_comparisons(tmp_path):
    index = load_index(EXAMPLES / "judged/ranked.yaml")
    tests = [load_test_set(index, pair) for pair in index.pairs]
    for kind in ("errors", "excerpts"):
        made = made_of_tests(kind, tests, 6, "en", 1)
        assert made == made_of_tests(kind, tests, 6, "en", 1)
        assert made != made_of_tests(kind, tests, 6, "en", 2)
        pairs = [pair for found in made.comparisons.values() for pair in found]
        assert pairs
        assert all(made.references[one] == made.references[other] for one, other in pairs)
        assert all(made.hypotheses[one] != made.hypotheses[other] for one, other in pairs if kind == "errors")
    words = ["dog", "cat", "boy", "girl", "man", "horse", "bird"]
    lines = [
        json.dumps({"captions": [f"a {words[n % 7]} runs {n % 11} times", f"the {words[n % 7]} ran", "it runs"]})
        for n in range(60)
    ]
    file = tmp_path / "captions.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    made = made_of_captions(str(file), 5, "en", 1)
    assert len(made.comparisons["captions"]) == 25
    assert np.nanmax(made.scores) <= 1.0001
    one = made_of_captions(str(file), 5, "en", 1, references=1)
    assert one.hypotheses == made.hypotheses
    assert [row[:1] for row in made.references] == one.references
    file.write_text("\n".join(lines[:5]), encoding="utf-8")
    with pytest.raises(InputError, match="5 images"):
        made_of_captions(str(file), 5, "en", 1)
    file.write_text('{"caption": 1}', encoding="utf-8")
    with pytest.raises(InputError, match=r"captions\.jsonl:1: not an object"):
        made_of_captions(str(file), 5, "en", 1)


def test_steady_features_count_in_the_base_where_a_feature_says_that_texts_agree():
    def loss(estimator, base):
        """By how much an error lowers the score of a text that is like none that was learned from."""
        right, wrong = estimator.raw(np.array([[base, 25.0, 0], [base, 25.0, 1]]))
        return right - wrong

    always, graded = trained(), trained(steady_from={"meteor.score": [0.3, 0.7]})
    whole = loss(always, 0.9)
    assert whole > 0
    assert [loss(graded, base) for base in (0.2, 0.5, 0.9)] == pytest.approx([0, whole / 2, whole])
    with pytest.raises(ConfigError, match="does not increase"):
        trained(steady_from={"meteor.score": [0.7, 0.3]})
    with pytest.raises(ConfigError, match="there is no feature"):
        trained(steady_from={"meteor.scores": [0.3, 0.7]})
