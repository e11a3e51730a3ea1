"""Compare the scores in COCO's table with those of pycocoevalcap."""

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
    """Run meteor-e, and return its standard output. Ignore the warning about the missing caption."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* lacks 1 of 3 segments")
        result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def generate_captions(image_count: int, seed: int = 1) -> tuple[list[str], list[list[str]]]:
    """Return random captions and references with a small vocabulary, so that they share long n-grams."""
    rng = random.Random(seed)

    def make_text() -> str:
        return " ".join(rng.choice(WORDS) for _ in range(rng.choice((0, 1, 3, 6, 9, 12))))

    references = [[make_text() for _ in range(rng.randint(1, 5))] for _ in range(image_count)]
    captions = [rng.choice(texts) if rng.random() < 0.3 else make_text() for texts in references]
    return [*captions, "unknown words only here"], [*references, ["a man", "a dog runs in the snow"]]


def test_score_functions_equal_pycocoevalcap(capsys):
    pytest.importorskip("pycocoevalcap")
    from pycocoevalcap.bleu.bleu import Bleu
    from pycocoevalcap.cider.cider import Cider
    from pycocoevalcap.rouge.rouge import Rouge

    captions, references = generate_captions(300)
    gts, res = dict(enumerate(references)), {image: [text] for image, text in enumerate(captions)}
    counts = count_ngrams(captions, references)
    statistics = bleu_statistics(counts)
    scores = {
        "bleu": (bleu(statistics.sum(axis=0)[None])[0], bleu(statistics).T),
        "rouge": (rouge_l(counts).mean(), rouge_l(counts)),
        "cider": (cider(counts).mean(), cider(counts)),
    }
    for name, scorer in (("bleu", Bleu(4)), ("rouge", Rouge()), ("cider", Cider())):
        expected_corpus_score, expected_image_scores = scorer.compute_score(gts, res)
        corpus_score, image_scores = scores[name]
        np.testing.assert_allclose(corpus_score, expected_corpus_score, atol=1e-12)
        np.testing.assert_allclose(image_scores, expected_image_scores, atol=1e-12)


def test_score_functions_return_hand_computed_scores():
    counts = count_ngrams(["a dog runs"], [["a dog sleeps", "the dog runs fast"]])
    # All words and one of two bigrams match. The closest reference length is 3.
    assert bleu_statistics(counts).tolist() == [[3, 3, 2, 2, 0, 1, 0, 0, 3, 3]]
    assert bleu(bleu_statistics(counts))[0, :2] == pytest.approx([1, 1], abs=1e-8)
    # The longest common subsequences have 2 words. The caption has 3 words, and the references have 3 and 4 words.
    assert rouge_l(counts)[0] == pytest.approx(2 / 3)
    assert cider(counts)[0] == 0  # All n-grams are in the only image, so that their IDF weights are 0.


def test_cider_of_batches_equals_cider_of_the_data_set():
    captions, references = generate_captions(50)
    frequencies = count_frequencies(references)
    expected = cider(count_ngrams(captions, references))
    batch_scores = []
    for start in range(0, len(captions), 7):
        batch = slice(start, start + 7)
        batch_scores.append(cider(count_ngrams(captions[batch], references[batch], frequencies)))
    np.testing.assert_allclose(np.concatenate(batch_scores), expected, atol=1e-12)


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
def coco_files(tmp_path):
    """Write the results and the annotations, and return the paths of the files in this order."""
    annotations, results = tmp_path / "annotations.json", tmp_path / "results.json"
    annotations.write_text(json.dumps(ANNOTATIONS))
    results.write_text(json.dumps(RESULTS))
    return results, annotations


@pytest.mark.usefixtures("packs")
def test_score_command_prints_the_table_of_coco(coco_files):
    arguments = ["score", *map(str, coco_files), "--format-in", "coco", "--on-missing", "skip", "-M", "coco"]
    output = json.loads(run([*arguments, "-f", "json", "--segments"]))
    scores = {name: value["score"] for name, value in output["systems"][0]["scores"].items()}
    assert list(scores) == NAMES
    np.testing.assert_allclose([scores[name] for name in NAMES], JAVA_TABLE, atol=1e-9)
    assert "SPICE,which-needs-Java" in output["metrics"]["CIDEr"]["signature"]
    assert run(arguments).splitlines()[0].split()[1:8] == NAMES


@pytest.mark.usefixtures("packs")
def test_evaluate_returns_the_table_of_coco(coco_files):
    from meteor_e_captions.coco import evaluate

    for arguments in ((ANNOTATIONS, RESULTS), tuple(map(str, reversed(coco_files)))):
        evaluation = evaluate(*arguments)
        assert list(evaluation.scores) == NAMES
        np.testing.assert_allclose(list(evaluation.scores.values()), JAVA_TABLE, atol=1e-9)
        assert list(evaluation.images) == [7, 9]
        assert evaluation.images[9]["CIDEr"] > 0
        assert evaluation.missing == [4]
    with pytest.raises(InputError, match="image 5"):
        evaluate(ANNOTATIONS, [{"image_id": 5, "caption": "A dog."}])


@pytest.mark.usefixtures("packs")
def test_score_command_uses_coco_tokens_for_coco_json(coco_files):
    """The metrics ``meteor``, ``cider`` and ``rouge-l`` return the same scores as the columns of the table."""
    arguments = ["score", *map(str, coco_files), "--on-missing", "skip", "-f", "json"]
    output = json.loads(run([*arguments, "-M", "meteor", "-M", "cider", "-M", "rouge-l"]))
    scores = [value["score"] for value in output["systems"][0]["scores"].values()]
    expected = [JAVA_TABLE[NAMES.index(name)] for name in ("METEOR", "CIDEr", "ROUGE-L")]
    np.testing.assert_allclose(scores, expected, atol=1e-9)
    assert "|segmenter:ptb(corenlp-3.4.1)" in output["metrics"]["METEOR"]["signature"]
    unicode_output = json.loads(run([*arguments, "--set", "segmenter=unicode"]))
    assert unicode_output["systems"][0]["scores"]["METEOR"]["score"] > 0.37


def test_coco_metric_warns_of_one_image_and_is_english_only():
    metric = load_metric("coco")
    with pytest.warns(MeteorWarning, match="CIDEr of a single image is 0"):
        assert metric.corpus(["a dog"], [["a dog"]]).score == pytest.approx(1, abs=1e-8)
    with pytest.raises(ConfigError, match="English"):
        load_metric("coco", language="de")


@pytest.mark.usefixtures("packs")
def test_evaluate_compares_image_ids_as_in_pycocotools():
    from meteor_e_captions.coco import evaluate

    expected = evaluate(ANNOTATIONS, RESULTS)
    for convert in (np.int64, float, np.float32):
        converted = [{**result, "image_id": convert(result["image_id"])} for result in RESULTS]
        assert evaluate(ANNOTATIONS, converted) == expected
    for invalid_id in (7.5, True, None, float("nan"), [7]):
        with pytest.raises(InputError, match="image_id must be a whole number or a text"):
            evaluate(ANNOTATIONS, [{"image_id": invalid_id, "caption": "A dog."}])
    with pytest.raises(InputError, match="image '7' has a result, but no annotation"):
        evaluate(ANNOTATIONS, [{"image_id": "7", "caption": "A dog."}])
