"""Tests for segmenters, which split texts into words."""

from __future__ import annotations

import itertools
import pickle
import random

import pytest

from meteor_e import Meteor
from meteor_e.api.hooks import hookimpl
from meteor_e.api.segmenters import Segmenter
from meteor_e.base.errors import PluginError
from meteor_e.chains.chain import make_segmenter
from meteor_e.languages.files import parse_language
from meteor_e.plugins.registry import PluginRegistry
from meteor_e.testing import check_component
from meteor_e.text.segmentation import CharacterSegmenter, ScriptSegmenter, UnicodeSegmenter


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ""),
        (" \t\n", ""),
        ("यह हिन्दी है।", "यह|हिन्दी|है|।"),
        ("क्‍या नहीं", "क्‍या|नहीं"),
        ('שלום, עולם! צה"ל', 'שלום|,|עולם|!|צה|"|ל'),
        ("צה״ל ג׳ירפה", "צה״ל|ג׳ירפה"),
        ("مرحبا، كَيْفَ الحال؟", "مرحبا|،|كَيْفَ|الحال|؟"),
        ("می‌خواهم.", "می‌خواهم|."),
        ("П'ять м’ясо зʼїзд — «так».", "П'ять|м’ясо|зʼїзд|—|«|так|»|."),
        ("'так' хто-небудь -", "'|так|'|хто-небудь|-"),
        ("3,5 1.000.000, 2.", "3,5|1.000.000|,|2|."),
        ("a,b e.g. x_y", "a|,|b|e|.|g|.|x|_|y"),
        ("e\u0301tude 🙂🙂", "e\u0301tude|🙂|🙂"),
        ("'", "'"),
        ("a'", "a|'"),
        ("don't", "don't"),
    ],
)
def test_unicode_segmenter_splits_words(text, words):
    assert UnicodeSegmenter().segment(text) == ([*words.split("|")] if words else [])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ""),
        ("我喜欢北京。", "我|喜|欢|北|京|。"),
        ("寿司をABCで 食べ", "寿|司|を|ABC|で|食|べ"),
        ("𠀀a한국어", "𠀀|a한국어"),
        ("ไทย", "ไ|ท|ย"),
    ],
)
def test_character_segmenter_splits_characters(text, words):
    assert CharacterSegmenter().segment(text) == ([*words.split("|")] if words else [])


SENTENCES = {
    "pl": ("Mały kot siedzi na oknie.", "mały|kot|siedzi|na|oknie|.", "Kot siedzi przy drzwiach."),
    "uk": ("П'ять котів сидять на вікні.", "п'ять|котів|сидять|на|вікні|.", "Коти сидять біля дверей."),
    "hi": ("बिल्ली खिड़की पर बैठी है।", "बिल्ली|खिड़की|पर|बैठी|है|।", "बिल्ली दरवाज़े पर सो रही है।"),
}


@pytest.mark.parametrize("code", sorted(SENTENCES))
def test_meteor_scores_languages_with_a_segmenter(code):
    text, words, similar_text = SENTENCES[code]
    meteor = Meteor(code)
    assert [token.form for token in meteor.tokenize(text)] == words.split("|")
    assert meteor.score(text, text).score == 1.0
    assert 0 < meteor.score(similar_text, text).score < 0.9
    assert "|task:universal|" in meteor.signature
    assert meteor.score(text, text) == next(iter(meteor.segments([text], [text])))
    assert pickle.loads(pickle.dumps(meteor)).score(similar_text, text) == meteor.score(similar_text, text)


def test_engines_agree_with_a_segmenter(monkeypatch):
    native = Meteor("hi")
    texts = [SENTENCES["hi"][0], SENTENCES["hi"][2], "है।है, है", ""]
    pairs = list(itertools.product(texts, repeat=2))
    scores = [native.score(*pair) for pair in pairs]
    monkeypatch.setenv("METEOR_E_PURE", "1")
    from meteor_e.engine.native import native_module

    native_module.cache_clear()
    try:
        pure = Meteor("hi")
        assert pure.engine == "python"
        assert [pure.score(*pair) for pair in pairs] == scores
    finally:
        monkeypatch.undo()
        native_module.cache_clear()


def test_missing_segmenter_error_names_the_package():
    language = parse_language(
        {"code": "xx", "name": "X", "matchers": ["exact"], "default_task": "li", "segmenter": "jieba"}
    )
    with pytest.raises(
        PluginError, match=r"language 'xx': the segmenter 'jieba' comes with .*'./plugins/meteor-e-lang"
    ):
        make_segmenter(language, PluginRegistry(lambda: []))


class HalvingSegmenter(Segmenter):
    """A segmenter that returns the two halves of a text, an error for "boom", and a wrong type for "flat"."""

    name = "halves"

    def segment(self, text):
        if text == "boom":
            raise RuntimeError("no")
        return text if text == "flat" else [text[: len(text) // 2], text[len(text) // 2 :]]


class SegmenterPlugin:
    @hookimpl
    def meteor_e_segmenters(self):
        return [HalvingSegmenter]


def test_make_segmenter_uses_plugins():
    registry = PluginRegistry(lambda: [])
    registry.register(SegmenterPlugin(), "mine")
    language = parse_language(
        {"code": "xx", "name": "X", "matchers": ["exact"], "default_task": "li", "segmenter": "halves"}
    )
    segmenter = make_segmenter(language, registry)
    assert segmenter.join("abcd") == segmenter.join("abcd") == "ab cd"
    assert segmenter.join_lines(["abcd", "ef"]) == ["ab cd", "e f"]
    with pytest.raises(PluginError, match="segmenter 'halves'"):
        segmenter.join("boom")
    with pytest.raises(PluginError, match="must return a sequence of texts"):
        segmenter.join("flat")


@pytest.mark.parametrize("segmenter_class", [UnicodeSegmenter, ScriptSegmenter])
def test_join_equals_the_joined_words(segmenter_class):
    rng = random.Random(3)
    segmenter = segmenter_class()
    characters = "aZé9.,'-_ \u00a0\u3000\n\u200c\u200d\u0f0b\u0f0d漢かक्षด\u0301\U000e0100ب٣\x1c\x85"
    for _ in range(5000):
        text = "".join(rng.choices(characters, k=rng.randrange(12)))
        assert segmenter.join(text) == " ".join(segmenter.segment(text)), text


@pytest.mark.parametrize("segmenter_class", [UnicodeSegmenter, CharacterSegmenter])
def test_builtin_segmenters_pass_the_checks(segmenter_class):
    check_component(segmenter_class)


def test_unicode_segmenter_splits_tibetan_syllables():
    assert UnicodeSegmenter().segment("བོད་ཀྱི་སྐད་ཡིག།") == ["བོད", "ཀྱི", "སྐད", "ཡིག", "།"]
