"""Tests of the segmenters of languages that are written without spaces between words, and of Korean."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest
from meteor_e_languages.segmenters import checks
from meteor_e_languages.segmenters.chinese import JiebaSegmenter
from meteor_e_languages.segmenters.icu import IcuSegmenter
from meteor_e_languages.segmenters.japanese import FugashiSegmenter
from meteor_e_languages.segmenters.korean import KoreanSegmenter

from meteor_e import Meteor
from meteor_e.testing import check_component

CHINESE = ("小猫坐在窗台上。", ["小猫", "坐在", "窗台上", "。"])
JAPANESE = ("猫が窓辺に座っています。", ["猫", "が", "窓辺", "に", "座っ", "て", "い", "ます", "。"])
KOREAN = ("나는 어제 학교에 갔습니다.", ["나", "는", "어제", "학교", "에", "갔", "습니다", "."])
THAI = ("ภาษาไทยเป็นภาษาที่สวยงาม", ["ภาษา", "ไทย", "เป็น", "ภาษา", "ที่", "สวยงาม"])
LAO = ("ຂ້ອຍຮັກພາສາລາວ", ["ຂ້ອຍ", "ຮັກ", "ພາສາ", "ລາວ"])
KHMER = ("ខ្ញុំស្រឡាញ់ភាសាខ្មែរ", ["ខ្ញុំ", "ស្រឡាញ់", "ភាសាខ្មែរ"])
BURMESE = ("မြန်မာဘာသာစကား", ["မြန်မာဘာသာ", "စကား"])
SEGMENTERS = [JiebaSegmenter, FugashiSegmenter, IcuSegmenter, KoreanSegmenter]
UNUSUAL_TEXTS = [
    "a\ud800b",
    "",
    " ",
    "a b\tc",
    "\0",
    "a\0b",
    "\u3000全角\u3000",
    "🙂🙂",
    "\u202e\u2066",
    "x" * 5000,
    "字" * 5000,
    "한국어",
    "e\u0301",
]


@pytest.mark.parametrize("segmenter", SEGMENTERS)
def test_segmenters_pass_interface_checks(segmenter):
    check_component(segmenter)


@pytest.mark.parametrize(
    ("segmenter", "sentence"),
    [
        (JiebaSegmenter, CHINESE),
        (FugashiSegmenter, JAPANESE),
        (KoreanSegmenter, KOREAN),
        *((IcuSegmenter, sentence) for sentence in (THAI, LAO, KHMER, BURMESE)),
    ],
)
def test_segmenters_return_words(segmenter, sentence):
    text, words = sentence
    assert segmenter().segment(text) == words
    assert segmenter().join(text) == " ".join(words)


@pytest.mark.parametrize("segmenter", SEGMENTERS)
@pytest.mark.parametrize("text", UNUSUAL_TEXTS)
def test_segmenters_lose_no_characters(segmenter, text):
    words = segmenter().segment(text)
    assert "".join(words) == "".join(text.replace("\0", " ").split())
    assert all(words)


@pytest.mark.parametrize("segmenter", SEGMENTERS)
def test_segmenters_work_in_threads_and_after_pickling(segmenter):
    unpickled = pickle.loads(pickle.dumps(segmenter()))
    texts = [CHINESE[0] * k + JAPANESE[0] for k in range(1, 40)]
    expected = [segmenter().segment(text) for text in texts]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(unpickled.segment, texts)) == expected


@pytest.mark.parametrize(
    ("language", "reference", "hypothesis"),
    [
        ("zh", "小猫坐在窗台上。", "一只小狗坐在门口。"),
        ("ja", "猫が窓辺に座っています。", "犬が玄関に座っていた。"),
    ],
)
def test_segmenters_affect_scores(language, reference, hypothesis):
    meteor = Meteor(language, **({"segmenter": "jieba"} if language == "zh" else {}))
    assert meteor.score(reference, reference).score == 1.0
    score = meteor.score(hypothesis, reference)
    assert 0 < score.score < 1
    forms = [token.form for token in meteor.tokenize(reference)]
    assert forms == (CHINESE if language == "zh" else JAPANESE)[1]
    assert "|segmenter:" in meteor.signature
    assert "|plugins:meteor-e-languages@" in meteor.signature


def test_check_words_detects_lost_text():
    with pytest.raises(Exception, match="MeCab has changed the text that begins with 'abc'"):
        checks.check_words("MeCab", "abc", ["a", "c"])
