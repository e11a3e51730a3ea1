"""The scores in COCO's table are equal to those of pycocoevalcap."""

from __future__ import annotations

import json
import random
import warnings

import numpy as np
import pytest
from click.testing import CliRunner
from meteor_e_captions.coco_scores import bleu, bleu_statistics, cider, count_frequencies, count_ngrams, rouge_l

from meteor_e import load_metric
from meteor_e.api import ConfigError, InputError, MeteorWarning
from meteor_e.cli.program import cli

NAMES = ["BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4", "METEOR", "ROUGE-L", "CIDEr"]
WORDS = ["a", "the", "man", "dog", "red", "horse", "runs", "rides", "in", "on", "field", "snow", "two", "and"]


def run(arguments: list[str]) -> str:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* lacks 1 of 3 segments")
        done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == 0, done.output
    return done.stdout


def made_up(images: int, seed: int = 1) -> tuple[list[str], list[list[str]]]:
    """Return random captions and references with a small vocabulary, so that they share long n-grams."""
    rng = random.Random(seed)

    def text() -> str:
        return " ".join(rng.choice(WORDS) for _ in range(rng.choice((0, 1, 3, 6, 9, 12))))

    references = [[text() for _ in range(rng.randint(1, 5))] for _ in range(images)]
    captions = [rng.choice(texts) if rng.random() < 0.3 else text() for texts in references]
    return [*captions, "unknown words only here"], [*references, ["a man", "a dog runs in the snow"]]


def test_numbers_are_those_of_pycocoevalcap(capsys):
    pytest.importorskip("pycocoevalcap")
    from pycocoevalcap.bleu.bleu import Bleu
    from pycocoevalcap.cider.cider import Cider
    from pycocoevalcap.rouge.rouge import Rouge

    captions, references = made_up(300)
    gts, res = dict(enumerate(references)), {number: [text] for number, text in enumerate(captions)}
    counted = count_ngrams(captions, references)
    statistics = bleu_statistics(counted)
    ours = {
        "bleu": (bleu(statistics.sum(axis=0)[None])[0], bleu(statistics).T),
        "rouge": (rouge_l(counted).mean(), rouge_l(counted)),
        "cider": (cider(counted).mean(), cider(counted)),
    }
    for name, scorer in (("bleu", Bleu(4)), ("rouge", Rouge()), ("cider", Cider())):
        whole, each = scorer.compute_score(gts, res)
        np.testing.assert_allclose(ours[name][0], whole, atol=1e-12)
        np.testing.assert_allclose(ours[name][1], each, atol=1e-12)


def test_scores_computed_by_hand():
    counted = count_ngrams(["a dog runs"], [["a dog sleeps", "the dog runs fast"]])
    # All words and one of two bigrams match. The closest reference length is 3.
    assert bleu_statistics(counted).tolist() == [[3, 3, 2, 2, 0, 1, 0, 0, 3, 3]]
    assert bleu(bleu_statistics(counted))[0, :2] == pytest.approx([1, 1], abs=1e-8)
    # The longest common subsequences have 2 words. The caption has 3 words, and the references have 3 and 4 words.
    assert rouge_l(counted)[0] == pytest.approx(2 / 3)
    assert cider(counted)[0] == 0  # One image tells nothing about rarity.


def test_scores_of_parts_equal_scores_of_the_data_set():
    captions, references = made_up(50)
    frequencies = count_frequencies(references)
    whole = cider(count_ngrams(captions, references))
    parts = [
        cider(count_ngrams(captions[at : at + 7], references[at : at + 7], frequencies))
        for at in range(0, len(captions), 7)
    ]
    np.testing.assert_allclose(np.concatenate(parts), whole, atol=1e-12)


ANNOTATIONS = {
    "images": [{"id": 7}, {"id": 9}, {"id": 4}],
    "annotations": [
        {"image_id": 7, "id": 1, "caption": "A man is riding a brown horse."},
        {"image_id": 9, "id": 2, "caption": "Two dogs play in the snow."},
        {"image_id": 7, "id": 3, "caption": "The man's horse runs through a field."},
        {"image_id": 9, "id": 4, "caption": "Dogs are playing outside; it's snowing!"},
        {"image_id": 4, "id": 5, "caption": "A cat."},
    ],
}
RESULTS = [
    {"image_id": 9, "caption": "Two dogs run through the snow."},
    {"image_id": 7, "caption": "A man rides a horse."},
]
JAVA_TABLE = [
    0.6063657584898833, 0.41051155909818887, 2.7176698889425684e-06, 7.606140922388339e-09, 0.3613830401816845,
    0.6569407603890363, 1.5604649743285566,
]  # fmt: skip
"""The scores that pycocoevalcap 1.2 with Java returns for the images 7 and 9."""


@pytest.fixture
def coco(tmp_path):
    annotations, results = tmp_path / "annotations.json", tmp_path / "results.json"
    annotations.write_text(json.dumps(ANNOTATIONS))
    results.write_text(json.dumps(RESULTS))
    return results, annotations


@pytest.mark.usefixtures("packs")
def test_score_prints_the_table(coco):
    arguments = ["score", *map(str, coco), "--format-in", "coco", "--on-missing", "skip", "-M", "coco"]
    found = json.loads(run([*arguments, "-f", "json", "--segments"]))
    scores = {name: value["score"] for name, value in found["systems"][0]["scores"].items()}
    assert list(scores) == NAMES
    np.testing.assert_allclose([scores[name] for name in NAMES], JAVA_TABLE, atol=1e-9)
    assert "SPICE,which-needs-Java" in found["metrics"]["CIDEr"]["signature"]
    assert run(arguments).splitlines()[0].split()[1:8] == NAMES


@pytest.mark.usefixtures("packs")
def test_evaluate_returns_the_table(coco):
    from meteor_e_captions.coco import evaluate

    for arguments in ((ANNOTATIONS, RESULTS), tuple(map(str, reversed(coco)))):
        found = evaluate(*arguments)
        assert list(found.scores) == NAMES
        np.testing.assert_allclose(list(found.scores.values()), JAVA_TABLE, atol=1e-9)
        assert list(found.images) == [7, 9]
        assert found.images[9]["CIDEr"] > 0
        assert found.missing == [4]
    with pytest.raises(InputError, match="image 5"):
        evaluate(ANNOTATIONS, [{"image_id": 5, "caption": "A dog."}])


@pytest.mark.usefixtures("packs")
def test_coco_json_is_scored_with_coco_tokens(coco):
    """The metrics ``meteor``, ``cider`` and ``rouge-l`` return the same scores as the columns of the table."""
    arguments = ["score", *map(str, coco), "--on-missing", "skip", "-f", "json"]
    found = json.loads(run([*arguments, "-M", "meteor", "-M", "cider", "-M", "rouge-l"]))
    scores = [value["score"] for value in found["systems"][0]["scores"].values()]
    np.testing.assert_allclose(scores, [JAVA_TABLE[at] for at in (4, 6, 5)], atol=1e-9)
    assert "|segmenter:ptb(corenlp-3.4.1)" in found["metrics"]["METEOR"]["signature"]
    plain = json.loads(run([*arguments, "--set", "segmenter=unicode"]))
    assert plain["systems"][0]["scores"]["METEOR"]["score"] > 0.37


def test_single_segment_and_other_languages():
    metric = load_metric("coco")
    with pytest.warns(MeteorWarning, match="CIDEr of a single image is 0"):
        assert metric.corpus(["a dog"], [["a dog"]]).score == pytest.approx(1, abs=1e-8)
    with pytest.raises(ConfigError, match="English"):
        load_metric("coco", language="de")


@pytest.mark.usefixtures("packs")
def test_image_ids_are_compared_as_in_pycocotools():
    from meteor_e_captions.coco import evaluate

    expected = evaluate(ANNOTATIONS, RESULTS)
    for convert in (np.int64, float, np.float32):
        converted = [{**result, "image_id": convert(result["image_id"])} for result in RESULTS]
        assert evaluate(ANNOTATIONS, converted) == expected
    for wrong in (7.5, True, None, float("nan"), [7]):
        with pytest.raises(InputError, match="image_id must be a whole number or a text"):
            evaluate(ANNOTATIONS, [{"image_id": wrong, "caption": "A dog."}])
    with pytest.raises(InputError, match="image '7' has a result, but no annotation"):
        evaluate(ANNOTATIONS, [{"image_id": "7", "caption": "A dog."}])
