from __future__ import annotations

import pytest
from meteor_e_captions.coco import Meteor

from meteor_e import Meteor as Metric
from meteor_e.api import InputError

GTS = {
    1: ["a man is riding a horse", "the man 's horse ca n't stop"],
    "b": ["two dogs -lrb- brown -rrb- play in the snow"],
}
RES = {1: ["a man rides a horse"], "b": ["two dogs are playing in snow"]}


@pytest.fixture
def meteor(_own_packs):
    return Meteor(Metric("en", normalization="full", pack=_own_packs / "en"))


def test_score_is_the_corpus_score_then_one_each(meteor):
    score, scores = meteor.compute_score(GTS, RES)
    segments = list(meteor._metric.segments([RES[key][0] for key in GTS], list(GTS.values())))
    assert scores == [segment.score for segment in segments]
    assert 0 < score < 1
    assert meteor.method() == str(meteor) == "METEOR"


def test_the_caption_is_cleaned_and_references_are_split_as_the_protocol_does(meteor):
    plain = meteor.compute_score({1: ["a dog", "a black dog"]}, {1: ["a black dog"]})
    assert meteor.compute_score({1: ["a dog ||| a black dog"]}, {1: ["a ||| black\ndog"]}) == plain


def test_control_characters_at_the_ends_are_trimmed_as_the_java_program_does(meteor):
    plain = meteor.compute_score({1: ["a dog", "b"]}, {1: ["a dog"]})
    assert meteor.compute_score({1: ["\x1fa dog\x01|||\x02b"]}, {1: ["\x07 a dog\0"]}) == plain


def test_words_of_one_hash_are_one_word_for_the_java_program(packs):
    own, other = {1: ["a cat at home"]}, {1: ["a cat c6 home"]}
    assert Meteor().compute_score(own, other) == Meteor().compute_score(own, own)
    assert Meteor(Metric("en", normalization="full")).compute_score(own, other) < Meteor().compute_score(own, own)


class Unspoken:
    def __repr__(self):
        raise ValueError


def deep():
    """Return lists nested deeper than Python prints them."""
    found: list[object] = []
    for _ in range(5000):
        found = [found]
    return found


@pytest.mark.parametrize(
    ("gts", "res", "problem"),
    [
        ({1: ["a"], 2: ["b"]}, {1: ["a"]}, "image 2 is in gts, but not in res"),
        ({1: ["a"]}, {1: ["a"], "x": ["b"]}, "image 'x' is in res, but not in gts"),
        ({1: ["a"]}, {1: ["a", "b"]}, "image 1 has 2 captions in res"),
        ({1: [None]}, {1: ["a"]}, "a caption in gts of image 1 must be a text"),
        ({1: [{"caption": "a"}]}, {1: ["a"]}, "tokenize the captions first"),
        ({}, {}, "no captions"),
        ({1: deep()}, {1: ["a"]}, "a caption in gts of image 1 must be a text"),
        ({1: ["a"]}, {1: [Unspoken()]}, "a caption in res of image 1 must be a text"),
    ],
)
def test_bad_input_names_the_image(meteor, gts, res, problem):
    with pytest.raises(InputError, match=problem):
        meteor.compute_score(gts, res)
