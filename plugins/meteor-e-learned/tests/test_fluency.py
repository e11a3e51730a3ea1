from __future__ import annotations

import math

import numpy as np
import pytest
from meteor_e_learned import counting
from meteor_e_learned.features import fluency
from meteor_e_learned.features.fluency import FluencyFeature

from meteor_e.api import MatcherContext
from meteor_e.base.errors import ConfigError
from meteor_e.packs.resources import LanguageResources
from meteor_e.plugins.registry import plugin_registry
from meteor_e.testing import check_feature

pytestmark = pytest.mark.native


def row(feature, hypothesis, reference):
    return dict(zip(feature.columns, feature.extract([hypothesis], [[reference]])[0], strict=True))


def test_fluency():
    check_feature(FluencyFeature)
    usual, odd = "He is one of the best", "He is one from the best"
    good, bad = (row(FluencyFeature(), text, usual) for text in (usual, odd))
    assert good["listed"] == 1
    assert good["log_probability_difference"] == 0
    assert bad["log_probability"] < good["log_probability"]
    assert bad["log_probability_difference"] == bad["log_probability"] - good["log_probability"]
    assert bad["association"] < good["association"]
    # log P(of | one) = log(count("one of") / count("one")), from the package's lists.
    pair = row(FluencyFeature(), "one of", "one of")
    assert pair["log_probability"] == pair["least_log_probability"] == pytest.approx(-1.742799090291492)
    unknown = row(FluencyFeature(), "zzyxqq qqxyzz", "a cat")
    assert unknown["unlisted"] == 1
    assert unknown["log_probability"] == pytest.approx(np.log(0.4 * 5000 / 1024908267229))
    assert not any(row(FluencyFeature(), "", "").values())
    with pytest.raises(ConfigError, match="English words only, not 'de'"):
        FluencyFeature.from_options(MatcherContext(plugin_registry().get("language", "de"), LanguageResources()), None)


ODD_TEXTS = [
    *(
        "",
        " ",
        "one",
        "of the",
        "of of of of",
        "İstanbul’da of the 12 men",
        "KELVIN \u212a of",
        "\ud800 in the \udfff world",
    ),
    *("abc123 the 3rd", "o\u0301f the", "\x00of\x00the", "is\tin\nthe", "the " * 5000, "a" * 5000 + " of"),
]


@pytest.mark.skipif(counting._native is None, reason="needs the extension")
def test_fluency_has_the_same_digits_without_the_extension(monkeypatch):
    references = [[text, *ODD_TEXTS[:1]] for text in reversed(ODD_TEXTS)]
    found = FluencyFeature().extract(ODD_TEXTS, references)
    monkeypatch.setattr(counting, "_native", None)
    fluency._numbers_of.cache_clear()
    try:
        assert FluencyFeature().extract(ODD_TEXTS, references).tolist() == found.tolist()
    finally:
        fluency._numbers_of.cache_clear()


@pytest.mark.skipif(counting._native is None, reason="needs the extension")
@pytest.mark.parametrize(
    "content",
    [b"of", b"of\t", b"of\t12", b"of 12\n", b"of\tx\n", b"of\t12\nthe\n", b"of\t12 \n", b"of\t" + b"9" * 30 + b"\n"],
)
def test_counts_that_are_damaged(content, tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="a line that is not a key, a tab and a whole number"):
        counting._native.PairCounts(b"of\t12\n", content, total=1, back_off=1, unlisted=1, strongest=1)
    (tmp_path / "damaged.txt").write_bytes(content)
    monkeypatch.setattr("wordsegment.Segmenter.BIGRAMS_FILENAME", str(tmp_path / "damaged.txt"))
    fluency._numbers_of.cache_clear()
    with pytest.raises(ConfigError, match=r"the counts of wordsegment cannot be read: .*pip install --force-reinstall"):
        FluencyFeature().extract(["of"], [["the"]])


@pytest.mark.skipif(counting._native is None, reason="needs the extension")
def test_counts_are_found_by_their_whole_key():
    settings = {"total": 100, "back_off": 0.4, "unlisted": 1, "strongest": 8}

    def logarithms(words, pairs, *texts):
        none, starts = np.empty(0, np.int64), np.zeros(1, np.int64)
        return counting._native.PairCounts(words, pairs, **settings).numbers(list(texts), none, none, starts)[0][:, 0]

    # The last line of a key counts; a key is no part of another.
    words, pairs = b"a\t10\nab\t20\nb\t4\r\nb\t5\n", b"a b\t3\na b\t2\n"
    found = logarithms(words, pairs, "a b", "a bb", "a  \u212a", "a")
    assert found == pytest.approx([math.log(2 / 10), math.log(0.4 / 100), 0, 0])
    assert logarithms(b"", b"", "a b") == pytest.approx([math.log(0.4 / 100)])
    with pytest.raises(TypeError):
        logarithms(b"", b"", b"a")
    with pytest.raises(ValueError, match="not bytes"):
        logarithms(np.zeros((2, 2)), b"", "a")


@pytest.mark.skipif(counting._native is None, reason="needs the extension")
@pytest.mark.parametrize(
    ("hypotheses", "references", "starts"),
    [
        ([2], [0], [0, 1]),
        ([-1], [0], [0, 1]),
        ([0], [9], [0, 1]),
        ([0], [0], [0, 2]),
        ([0], [0], [0]),
        ([0, 1], [0], [0, 2, 1]),
    ],
)
def test_places_out_of_range(hypotheses, references, starts):
    counts = counting._native.PairCounts(b"", b"", total=1, back_off=1, unlisted=1, strongest=1)
    with pytest.raises(ValueError, match=r"out of range|do not fit|not in order"):
        counts.numbers(["a b", "b c"], *(np.array(each, np.int64) for each in (hypotheses, references, starts)))


def test_fluency_of_what_a_hypothesis_adds():
    same = row(FluencyFeature(), "one of the best", "one of the best")
    assert not any(value for name, value in same.items() if name.startswith(("added", "moved")))
    # All words are the reference's, two pairs are not; "the of" is in no list.
    moved = row(FluencyFeature(), "one the of best", "one of the best")
    for kind in ("log_probability", "least_log_probability", "unlisted", "association"):
        assert moved[f"moved_{kind}"] == moved[f"added_{kind}"]
    assert moved["added_mean_log_probability"] == moved["added_log_probability"] == moved["log_probability"]
    other = row(FluencyFeature(), "one of the worst", "one of the best")
    assert other["added_listed"] == pytest.approx(1 / 3)
    assert other["added_mean_log_probability"] == pytest.approx(3 * other["added_log_probability"])
    assert not any(value for name, value in other.items() if name.startswith("moved"))
    # A pair that any of the references has is not added.
    several = FluencyFeature().extract(["one of the worst"], [["one of the best", "the worst"]])[0]
    assert not several[FluencyFeature().columns.index("added_listed")]
