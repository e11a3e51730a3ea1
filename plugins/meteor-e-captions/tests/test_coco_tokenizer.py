"""Test ``PTBTokenizer``, and compare the classes of the plugin with those of pycocoevalcap."""

from __future__ import annotations

import importlib
import random

import pytest
from meteor_e_captions.coco import Meteor, PTBTokenizer

from meteor_e import InputError

GTS = {
    1: [{"caption": "A man is riding a horse."}, {"caption": "The man's horse\ncan't stop!"}],
    "b": [{"caption": "Two dogs (brown) play in the snow ..."}],
}
RES = {1: [{"caption": "A man rides a horse"}], "b": [{"caption": "Two dogs are playing in snow."}]}


def test_tokenizer_removes_case_and_punctuation():
    assert PTBTokenizer().tokenize(GTS) == {
        1: ["a man is riding a horse", "the man 's horse ca n't stop"],
        "b": ["two dogs -lrb- brown -rrb- play in the snow"],
    }
    assert PTBTokenizer().tokenize({}) == {}


def test_tokenizer_keeps_captions_with_line_breaks_separate():
    tokens = PTBTokenizer().tokenize({1: [{"caption": "a\rb\u2028c"}], 2: [{"caption": ""}], 3: [{"caption": "d"}]})
    assert tokens == {1: ["a b c"], 2: [""], 3: ["d"]}


@pytest.mark.parametrize(
    ("captions", "message"),
    [
        ({7: "a text"}, "image 7 needs a list of captions"),
        ({7: ["a text"]}, "a caption of image 7 must be"),
        ({7: [{"caption": None}]}, "a caption of image 7 must be a text"),
        ({7: [{"caption": "\ud800"}]}, "lone surrogate"),
        ([{"caption": "x"}], "captions must be a mapping"),
    ],
)
def test_tokenizer_names_the_image_of_an_invalid_caption(captions, message):
    with pytest.raises(InputError, match=message):
        PTBTokenizer().tokenize(captions)


@pytest.fixture
def pycocoevalcap(java, monkeypatch):
    """Return the METEOR scorer and the tokenizer of pycocoevalcap, which run Java with the encoding UTF-8."""
    pytest.importorskip("pycocoevalcap", reason="pycocoevalcap is not installed")
    monkeypatch.setenv("JDK_JAVA_OPTIONS", "-Dfile.encoding=UTF-8")
    meteor = importlib.import_module("pycocoevalcap.meteor.meteor").Meteor()
    yield meteor, importlib.import_module("pycocoevalcap.tokenizer.ptbtokenizer").PTBTokenizer()
    meteor.meteor_p.stdout.close()
    meteor.meteor_p.stderr.close()


@pytest.mark.java
@pytest.mark.shared
def test_meteor_equals_pycocoevalcap_on_multi30k(pycocoevalcap, shared, packs):
    import gzip

    java_meteor, java_tokenizer = pycocoevalcap
    path = shared / "data" / "multi30k" / "test_2016_flickr.en.gz"
    texts = gzip.decompress(path.read_bytes()).decode().split("\n")[:-1]
    rng = random.Random(3)
    gts = {key: [{"caption": texts[key]}, {"caption": texts[key - 1]}] for key in range(0, 300)}
    res = {
        key: [{"caption": " ".join([*rng.sample(text.split(), 5), text])}]
        for key, text in zip(gts, texts, strict=False)
    }
    tokens = java_tokenizer.tokenize(gts), java_tokenizer.tokenize(res)
    assert (PTBTokenizer().tokenize(gts), PTBTokenizer().tokenize(res)) == tokens
    assert Meteor().compute_score(*tokens) == java_meteor.compute_score(*tokens)


ODD_CAPTIONS = [
    *(
        "",
        " ",
        "a dog",
        "the dogs",
        "a  dog",
        "\ta dog\t",
        "\u00a0dog\u3000",
        "\x01a dog\x1f",
        "a\0dog",
        "\u001a",
        "\ufeffa dog",
    ),
    *("|||", "a ||| dog", "|| dog |", "||||a dog", "SCORE ||| a ||| dog", "EVAL ||| 1", "-LRB- dog -RRB-", "&amp; dog"),
    *(
        "Ein Mädchen läuft",
        "小猫坐在窗台上",
        "Две собаки",
        "قطة",
        "e\u0301t\u00e9",
        "😀 dog",
        "İstanbul",
        "straße",
        "½ dog",
        "dog\u2028a",
    ),
    # In Java, the words "at" and "c6" have the same hash.
    *("at home dog", "c6 home dog", "dog " * 60, "x" * 3000),
]


@pytest.mark.java
def test_meteor_equals_pycocoevalcap_on_odd_captions(pycocoevalcap, packs):
    java_meteor, _ = pycocoevalcap
    indexes = range(len(ODD_CAPTIONS))
    gts = {(i, j): [ODD_CAPTIONS[i], ODD_CAPTIONS[j - 1]] for i in indexes for j in indexes}
    res = {(i, j): [ODD_CAPTIONS[j]] for i, j in gts}
    expected_score, expected_scores = java_meteor.compute_score(gts, res)
    score, scores = Meteor().compute_score(gts, res)
    assert scores == expected_scores
    assert score == expected_score
    assert 0 < sum(score > 0 for score in scores) < len(scores)


@pytest.mark.java
def test_tokenizer_equals_pycocoevalcap_on_odd_captions(pycocoevalcap):
    _, java_tokenizer = pycocoevalcap
    # In pycocoevalcap, a line separator would shift all captions that follow.
    captions = {key: [{"caption": text}] for key, text in enumerate(ODD_CAPTIONS) if "\u2028" not in text}
    assert PTBTokenizer().tokenize(captions) == java_tokenizer.tokenize(captions)
