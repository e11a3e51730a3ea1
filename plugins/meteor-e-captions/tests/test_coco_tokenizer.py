"""``meteor_e.integrations.coco.PTBTokenizer``, and pycocoevalcap's own classes beside ours."""

from __future__ import annotations

import importlib
import random

import pytest

from meteor_e import InputError
from meteor_e.integrations.coco import Meteor, PTBTokenizer

GTS = {
    1: [{"caption": "A man is riding a horse."}, {"caption": "The man's horse\ncan't stop!"}],
    "b": [{"caption": "Two dogs (brown) play in the snow ..."}],
}
RES = {1: [{"caption": "A man rides a horse"}], "b": [{"caption": "Two dogs are playing in snow."}]}


def test_tokens_are_in_lower_case_and_without_punctuation():
    assert PTBTokenizer().tokenize(GTS) == {
        1: ["a man is riding a horse", "the man 's horse ca n't stop"],
        "b": ["two dogs -lrb- brown -rrb- play in the snow"],
    }
    assert PTBTokenizer().tokenize({}) == {}


def test_a_line_end_in_a_caption_shifts_no_other():
    tokens = PTBTokenizer().tokenize({1: [{"caption": "a\rb\u2028c"}], 2: [{"caption": ""}], 3: [{"caption": "d"}]})
    assert tokens == {1: ["a b c"], 2: [""], 3: ["d"]}


@pytest.mark.parametrize(
    ("captions", "problem"),
    [
        ({7: None}, "image 7 needs a list of captions"),
        ({7: []}, "image 7 needs a list of captions"),
        ({7: "a text"}, "image 7 needs a list of captions"),
        ({7: {"caption": "x"}}, "image 7 needs a list of captions"),
        ({7: ["a text"]}, "a caption of image 7 must be"),
        ({7: [{"text": "x"}]}, "a caption of image 7 must be"),
        ({7: [{"caption": None}]}, "a caption of image 7 is not a text"),
        ({7: [{"caption": 3}]}, "a caption of image 7 is not a text"),
        ({7: [{"caption": "\ud800"}]}, "half of a character"),
        ([{"caption": "x"}], "captions must be a mapping"),
    ],
)
def test_bad_captions_name_the_image(captions, problem):
    with pytest.raises(InputError, match=problem):
        PTBTokenizer().tokenize(captions)


@pytest.mark.java
@pytest.mark.shared
def test_pycocoevalcap_with_java_gives_the_same(java, shared, packs):
    pytest.importorskip("pycocoevalcap", reason="pycocoevalcap is not installed")
    import gzip

    theirs = importlib.import_module("pycocoevalcap.meteor.meteor").Meteor
    their_tokenizer = importlib.import_module("pycocoevalcap.tokenizer.ptbtokenizer").PTBTokenizer
    path = shared / "data" / "multi30k" / "test_2016_flickr.en.gz"
    texts = gzip.decompress(path.read_bytes()).decode().split("\n")[:-1]
    chance = random.Random(3)
    gts = {key: [{"caption": texts[key]}, {"caption": texts[key - 1]}] for key in range(0, 300)}
    res = {
        key: [{"caption": " ".join([*chance.sample(text.split(), 5), text])}]
        for key, text in zip(gts, texts, strict=False)
    }
    tokens = their_tokenizer().tokenize(gts), their_tokenizer().tokenize(res)
    assert (PTBTokenizer().tokenize(gts), PTBTokenizer().tokenize(res)) == tokens
    java_meteor = theirs()
    assert Meteor().compute_score(*tokens) == java_meteor.compute_score(*tokens)
    java_meteor.meteor_p.stdout.close()
    java_meteor.meteor_p.stderr.close()
