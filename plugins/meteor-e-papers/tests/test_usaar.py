"""Tests of USAAR's metrics COSINE, ZWICKEL and COMET, of their document vectors, and of the means of system scores."""

from __future__ import annotations

import lzma

import numpy as np
import pytest
from meteor_e_learned.feature_store import FeatureStore
from meteor_e_learned.modelfile import load_model
from meteor_e_learned.recipe import load_recipe
from meteor_e_learned.training import train
from meteor_e_papers.document_vectors import SkipGramOptions, train_document_vectors
from meteor_e_papers.features.document_cosine import DocumentCosineFeature, join_phrases
from meteor_e_papers.means import MEANS, system_mean
from meteor_e_papers.usaar import Comet, Cosine, Zwickel
from scipy import stats

from meteor_e import load_metric
from meteor_e.api import FeatureBatch
from meteor_e.base.errors import ConfigError, InputError


@pytest.fixture
def phrase_vectors(tmp_path):
    """Write vectors of three words and a phrase, and return the path of the file."""
    file = tmp_path / "phrases.txt"
    file.write_text("4 2\nprime 1 0\nminister 0 1\nprime_minister -1 0\nhouse 0 -2\n", encoding="utf-8")
    return str(file)


def test_system_mean_equals_scipy():
    values = np.random.default_rng(1).uniform(0.05, 1, 41)
    expected = {
        "arithmetic": values.mean(),
        "median": np.median(values),
        "geometric": stats.gmean(values),
        "harmonic": stats.hmean(values),
        "root-mean-square": np.sqrt((values**2).mean()),
    }
    for name, value in expected.items():
        assert system_mean(name, values)[0] == pytest.approx(value, rel=1e-12), name
    # The ratio of these means is √2, so their arithmetic-geometric mean is √2 - 1 divided by Gauss's constant.
    pair = np.array([3 - np.sqrt(8), 1.0])  # The arithmetic mean is 2 - √2, the geometric mean is √2 - 1.
    expected_agm = np.pi / 2 / integrate_elliptic_function(pair.mean(), np.sqrt(pair.prod()))
    assert system_mean("arithmetic-geometric", pair)[0] == pytest.approx(expected_agm, rel=1e-9)


def integrate_elliptic_function(first: float, second: float) -> float:
    """Return the elliptic integral of two numbers, which is π/2 divided by their arithmetic-geometric mean."""
    from scipy.integrate import quad

    return quad(lambda t: 1 / np.sqrt((first * np.cos(t)) ** 2 + (second * np.sin(t)) ** 2), 0, np.pi / 2)[0]


@pytest.mark.parametrize("mean", MEANS)
def test_system_mean_with_weights_equals_repeated_segments(mean):
    values = np.array([0.9, 0.1, 0.4, 0.0, -0.3, 0.4])
    weights = np.array([[1, 0, 2, 3, 0, 1], [0, 2, 0, 0, 2, 0], [1, 1, 1, 1, 1, 1]], float)
    means = system_mean(mean, values, weights)
    for sample, value in zip(weights, means, strict=True):
        assert value == pytest.approx(system_mean(mean, np.repeat(values, sample.astype(int)))[0], abs=1e-12)
    assert np.isfinite(means).all()


@pytest.mark.parametrize("mean", MEANS)
def test_system_mean_is_finite_and_monotonic(mean):
    worst = np.array([0.0, 0.0, -1.0])
    better = np.array([0.0, 0.5, -1.0])
    assert np.isfinite(system_mean(mean, worst)).all()
    assert system_mean(mean, better)[0] >= system_mean(mean, worst)[0]


def test_system_mean_rejects_empty_input():
    with pytest.raises(InputError, match="no segments"):
        system_mean("median", np.array([]))


def test_join_phrases_joins_from_the_left():
    vocabulary = {"new_york", "new_york_times", "york_times"}
    assert join_phrases(["the", "new", "york", "times", "of", "york", "times"], vocabulary) == [
        "the", "new_york_times", "of", "york_times",
    ]  # fmt: skip


def test_document_cosine_joins_phrases_and_is_never_nan(phrase_vectors):
    feature = DocumentCosineFeature.make(file=phrase_vectors)
    assert feature.document("Prime minister house").tolist() == [-0.5, -1.0]
    expected_cosines = {
        ("prime minister", "prime"): -1.0,
        ("minister prime", "prime minister"): -1 / np.sqrt(2),
        **dict.fromkeys((("", "house"), ("zzz", "house"), ("house", "zzz"), ("", "")), 0.0),
    }
    rows = feature.extract(
        [hypothesis for hypothesis, _ in expected_cosines], [[reference] for _, reference in expected_cosines]
    )
    assert rows[:, 0].tolist() == pytest.approx([*expected_cosines.values()])
    batch = FeatureBatch(["house"], [["house", "minister"]])
    assert feature.compute(batch)[0] == [pytest.approx(0.0)]  # The mean of 1 and -1.


def test_document_cosine_can_be_limited_to_shared_words(phrase_vectors):
    feature = DocumentCosineFeature.make(file=phrase_vectors, similarity="shared-words")
    pairs = [
        ("house prime", "house minister zzz"),
        ("house house", "prime house"),
        ("prime", "house"),
        ("zzz", "house"),
    ]
    rows = feature.extract([hypothesis for hypothesis, _ in pairs], [[reference] for _, reference in pairs])
    # Squares: prime 1, minister 1, house 4. First pair: 4 / (√5 √5); second: 2·4 / (√16 √5).
    assert rows[:, 0].tolist() == pytest.approx([4 / 5, 8 / (4 * np.sqrt(5)), 0, 0])
    assert "shared-words" in feature.describe()


def test_zwickel_equals_bayesian_ridge_and_comet_keeps_extremes():
    from sklearn.linear_model import BayesianRidge

    generator = np.random.default_rng(3)
    cosines = generator.uniform(-0.2, 1, (200, 1))
    meteor = (0.3 + 0.5 * cosines[:, 0] + generator.normal(0, 0.05, 200)).clip(0.01, 0.99)
    meteor[:3] = 0.0, 1.0, 0.5
    expected = BayesianRidge().fit(cosines, meteor).predict(cosines)
    zwickel = Zwickel.make().fit(cosines, meteor)
    assert zwickel.score_segments(cosines) == pytest.approx(expected, abs=1e-12)
    features = np.column_stack([cosines, meteor])
    comet = Comet.make().fit(features, meteor)
    scores = comet.score_segments(features)
    assert scores[:2].tolist() == [0.0, 1.0]
    assert scores[2:] == pytest.approx(expected[2:], abs=1e-12)
    assert Cosine.make().fit(cosines).score_segments(cosines).tolist() == cosines[:, 0].tolist()
    assert np.corrcoef(zwickel.score_segments(cosines), meteor)[0, 1] > 0.9


def test_estimators_reject_other_features():
    with pytest.raises(InputError, match=r"\(hypotheses, 1\)"):
        Cosine.make().fit(np.ones((3, 2)))
    with pytest.raises(InputError, match=r"usaar-comet needs \(hypotheses, 2\): document-cosine.cosine, meteor.score"):
        Comet.make().fit(np.ones((3, 1)), np.ones(3))
    with pytest.raises(ConfigError, match=r"no feature 'document-cosine.cosine'; the features are bleu.score"):
        Cosine.make().fit(np.ones((3, 1)), columns=["bleu.score"])
    with pytest.raises(ConfigError, match=r"reads document-cosine.cosine; leave out bleu.score"):
        Cosine.make().fit(np.ones((3, 2)), columns=["bleu.score", "document-cosine.cosine"])
    with pytest.raises(InputError, match="y is missing"):
        Zwickel.make().fit(np.ones((3, 1)))


@pytest.mark.parametrize("options", [{"mean": "harmnic"}, {"floor": 0}])
def test_estimators_reject_invalid_means_before_training(options):
    with pytest.raises(ConfigError, match=f"{next(iter(options))}: must be"):
        Cosine.make(**options)


RECIPE = """
name: small-{kind}
estimator: usaar-{kind}
train: [{{index: DATA/ranked.yaml}}]
features: [{{use: document-cosine, file: DATA/words.txt}}{meteor}]
target: {target}
options: {{mean: {mean}}}
"""
SCORE = "{use: meteor, columns: [score]}"


@pytest.mark.parametrize("kind", ["cosine", "zwickel", "comet"])
def test_train_writes_a_model_that_can_be_loaded(kind, recipe, test_set, tmp_path):
    text = RECIPE.format(kind=kind, mean="harmonic", target=SCORE, meteor=f", {SCORE}" if kind == "comet" else "")
    path = recipe(text)
    store = FeatureStore(tmp_path / "cache")
    output = tmp_path / f"{kind}.safetensors"
    model = train(load_recipe(path), output, folder=path.parent, store=store)
    loaded_model = load_model(output)
    rows = model.features.extract(FeatureBatch(["a cat", "the city"], [["the city"], ["the city"]]), store)
    assert np.array_equal(loaded_model.estimator.score_segments(rows), model.estimator.score_segments(rows))
    assert loaded_model.estimator.options.mean == "harmonic"
    result = load_metric(f"model:{output}").corpus(
        ["new houses", "zzyx"], ["new houses", "the old city"], segments=True
    )
    if kind == "comet":
        assert result.segment_scores.tolist() == [1.0, 0.0]


def test_comet_selects_features_by_name(recipe, test_set, tmp_path):
    """Scores do not depend on the order of the features. Options select features with other names."""
    cosine = "{use: document-cosine, file: DATA/words.txt}"
    hypotheses = ["new houses were sold", "the friends of his", "zzyx"]
    references = ["new houses", "the old city", "city"]
    scores = []
    for position, (features, options) in enumerate((
        (f"[{cosine}, {SCORE}]", "{}"),
        (f"[{SCORE}, {cosine}]", "{}"),
        ("[{use: meteor, as: m, columns: [score]}, {use: document-cosine, as: c, file: DATA/words.txt}]",
         "{cosine: c.cosine, meteor: m.score}"),
    )):  # fmt: skip
        path = recipe(
            f"name: comet\nestimator: usaar-comet\ntrain: [{{index: DATA/ranked.yaml}}]\nfeatures: {features}\n"
            f"target: {SCORE}\noptions: {options}\n"
        )
        output = tmp_path / f"{position}.safetensors"
        train(load_recipe(path), output, folder=path.parent, store=FeatureStore(tmp_path / "cache"))
        metric = load_metric(f"model:{output}")
        scores.append([segment.score for segment in metric.corpus(hypotheses, references, segments=True).segments])
    assert scores[0] == scores[1] == scores[2]
    assert len(set(scores[0])) == 3


def test_model_scores_systems_with_its_mean(recipe, test_set, tmp_path):
    from meteor_e_evaluation.data import load_test_set
    from meteor_e_evaluation.index import load_index

    from meteor_e.base.array_cache import ArrayCache

    path = recipe(RECIPE.format(kind="zwickel", mean="median", target=SCORE, meteor=""))
    output = tmp_path / "zwickel.safetensors"
    train(load_recipe(path), output, folder=path.parent, store=FeatureStore(enabled=False))
    test_data = load_test_set(load_index(test_set / "ranked.yaml"), "xx-en")
    metric = load_metric(f"model:{output}")
    scores = metric.score_systems(
        test_data, test_data.judgment_mask(), ArrayCache(tmp_path / "cache" / "evaluation"), systems=True
    )
    assert scores.systems == pytest.approx(np.median(scores.segments, axis=1))
    weights = np.ones((1, len(test_data)))
    assert [scores.resampled(row, weights)[0] for row in range(3)] == pytest.approx(scores.systems)
    assert dict(zip(test_data.systems, scores.systems, strict=True))["good"] == max(scores.systems)


def test_target_files_are_relative_to_the_model(recipe, test_set, tmp_path):
    target = "{use: document-cosine, file: DATA/words.txt}"
    path = recipe(RECIPE.format(kind="zwickel", mean="median", target=target, meteor=""))
    (tmp_path / "models").mkdir()
    model = train(load_recipe(path), tmp_path / "models" / "m", folder=path.parent, store=FeatureStore(enabled=False))
    assert (tmp_path / "models" / model.recipe.target["file"]).resolve() == (test_set / "words.txt").resolve()


def test_train_rejects_target_with_several_numbers(recipe, tmp_path):
    path = recipe(RECIPE.format(kind="zwickel", mean="median", target="bleu-components", meteor=""))
    with pytest.raises(ConfigError, match="target has 16 numbers"):
        train(load_recipe(path), tmp_path / "m", folder=path.parent, store=FeatureStore(enabled=False))


def test_document_vectors_are_reproducible(tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("the prime minister said that new york is far\nprime minister of new york\n" * 30, encoding="utf-8")
    compressed_text = tmp_path / "text.xz"
    compressed_text.write_bytes(lzma.compress(text.read_bytes()))
    file_contents = []
    for source, name in ((text, "one.bin"), (compressed_text, "two.bin")):
        options = SkipGramOptions(dimension=8, epochs=2, phrase_threshold=0.1)
        train_document_vectors([source], tmp_path / name, options, tell=print)
        file_contents.append((tmp_path / name).read_bytes())
    assert file_contents[0] == file_contents[1]
    assert b"prime_minister" in file_contents[0]
    with pytest.raises(InputError, match="no word occurs 1000 times"):
        train_document_vectors([text], tmp_path / "three.bin", SkipGramOptions(min_count=1000), tell=print)
    compressed_text.write_bytes(compressed_text.read_bytes()[:-20])
    with pytest.raises(InputError, match=r"text\.xz"):
        train_document_vectors([compressed_text], tmp_path / "four.bin", SkipGramOptions(dimension=8), tell=print)
    assert sorted(path.name for path in tmp_path.glob("*.bin")) == ["one.bin", "two.bin"]
