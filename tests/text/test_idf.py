"""Tests for idf weights, which both engines apply to words."""

from __future__ import annotations

import math
import pickle

import pytest

from meteor_e import ConfigError, InputError, Meteor
from meteor_e.engine.native import native_module
from meteor_e.scoring import formula
from meteor_e.text.idf import UNIT, IdfWeights

LINES = ["the cat sat on the mat", "The dog slept", "the cat", "a lynx"]


@pytest.fixture
def text_file(tmp_path) -> str:
    """Return the path of a file with LINES."""
    path = tmp_path / "references.txt"
    path.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    return str(path)


def test_idf_weights_are_smoothed_logarithms():
    weights = IdfWeights([line.lower().split() for line in LINES], "text")
    assert weights("the") == round(UNIT * math.log(5 / 4))
    assert weights("cat") == round(UNIT * math.log(5 / 3))
    assert weights("lynx") == round(UNIT * math.log(5 / 2))
    assert weights("unseen") == round(UNIT * math.log(5))
    assert IdfWeights([["the"]], "text")("the") == 1


@pytest.mark.parametrize("engine", ["native", "python"])
def test_statistics_are_sums_of_idf_weights(text_file, engine):
    if engine == "native" and native_module() is None:
        pytest.skip("the extension is not built, or METEOR_E_PURE is set")
    meteor = Meteor("other", matchers=["exact"], idf=text_file, parameters={"delta": 0.5})
    meteor.engine = engine
    cat, the, lynx, dog = (round(UNIT * math.log(5 / count)) for count in (3, 4, 2, 2))
    for metric in (meteor, pickle.loads(pickle.dumps(meteor))):
        score = metric.score("the cat", "the lynx dog")
        statistics = score.statistics
        assert statistics.hypothesis_length == the + cat
        assert statistics.reference_length == the + lynx + dog
        assert statistics.matchers[0].hypothesis_content + statistics.matchers[0].hypothesis_function == the
        assert (statistics.hypothesis_matched, statistics.reference_matched) == (1, 1)
        assert score.score == formula.compute(statistics, meteor.chain.parameters).score
        assert score.precision == pytest.approx(the / (the + cat))
        assert metric.score("the cat sat", "the cat sat").score == 1


def test_engines_agree_with_idf_weights(text_file):
    if native_module() is None:
        pytest.skip("the extension is not built, or METEOR_E_PURE is set")
    metrics = [Meteor("other", matchers=["exact"], idf=text_file) for _ in range(2)]
    metrics[1].engine = "python"
    hypotheses, references = [*LINES, "a new cat", "", "zebra"], ["mat a cat", *LINES, "a cat", "zebra crossing"]
    scores = [list(meteor.segments(hypotheses, references)) for meteor in metrics]
    assert scores[0] == scores[1]
    assert metrics[0].corpus(hypotheses, references) == metrics[1].corpus(hypotheses, references)


def test_idf_rejects_bad_files_and_character_mode(text_file, tmp_path):
    with pytest.raises(InputError, match=r"none\.txt"):
        Meteor("other", matchers=["exact"], idf=str(tmp_path / "none.txt"))
    empty = tmp_path / "empty.txt"
    empty.write_text("\n \n", encoding="utf-8")
    with pytest.raises(InputError, match="has no words to weigh others by"):
        Meteor("other", matchers=["exact"], idf=str(empty))
    with pytest.raises(ConfigError, match="remove character_mode or idf"):
        Meteor("other", matchers=["exact"], idf=text_file, character_mode=True)


def test_idf_weights_limit_the_vocabulary(monkeypatch):
    monkeypatch.setattr("meteor_e.text.idf.MAX_WORDS", 3)
    with pytest.raises(InputError, match="more than 3 distinct words"):
        IdfWeights([line.split() for line in LINES], "text")
