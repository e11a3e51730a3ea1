from __future__ import annotations

import itertools
import pickle

import pytest

from meteor_e import Meteor
from meteor_e.base.errors import ConfigError, InputError, ResourceError, SegmentWarning
from meteor_e.packs.resources import LanguageResources

PAIRS = [
    ("in the end the big ship left", "at last the vessel leaves"),
    ("many people run", "a lot of people hurry"),
    ("the red house", "the red house"),
    ("", "nothing"),
    ("the boss's glasses, 1990's", "The bosses ' glass , 1990s"),
]


@pytest.fixture
def meteor(own_packs):
    return Meteor("en")


class TestScore:
    def test_parts_of_a_score(self, meteor):
        result = meteor.score("In the end, the ship!", "At last, a ship.")
        assert result.alignment.hypothesis == ("in", "the", "end", ",", "the", "ship", "!")
        assert [pair[2] for pair in result.alignment.pairs()] == ["paraphrase", "exact", "exact"]
        assert result.statistics.hypothesis_length == 7
        assert 0 < result.score < result.fmean < 1
        assert float(result) == result.score
        assert result.signature == meteor.signature

    def test_reference_can_be_a_plain_text(self, meteor):
        for hypothesis, reference in PAIRS:
            assert meteor.score(hypothesis, reference) == meteor.score(hypothesis, [reference])


class TestCorpus:
    def test_progress_comes_to_the_end(self, meteor):
        seen = []
        meteor.corpus(["a"] * 5, ["a"] * 5, progress=lambda stage, done, total: seen.append(done))
        assert seen[-1] == 5
        assert seen == sorted(seen)

    @pytest.mark.parametrize(
        ("hypotheses", "references", "message"),
        [
            (["a", "b"], ["a"], "the references end after 1 segment, but there are more hypotheses"),
            (["a"], ["a", "b"], "the hypotheses end after 1 segment, but there are more references"),
            ([], ["a"], "the hypotheses end after 0 segments"),
            ([], [], "there is nothing to score"),
            ("text", ["text"], "must be a list with one item per segment, not a str"),
            ({"1": "text"}, {"1": "text"}, "must be a list with one item per segment, not a dict"),
            (["text"], "text", "must be a list with one item per segment, not a str"),
            (["text"], {"1": "text"}, "must be a list with one item per segment, not a dict"),
            (["a", None], ["a", "b"], "segment 2: a segment must be a text, not NoneType"),
            (["a", "b"], ["a", []], "segment 2: a hypothesis needs at least one reference"),
        ],
    )
    def test_sides_that_do_not_fit(self, meteor, hypotheses, references, message):
        with pytest.raises(InputError, match=message):
            meteor.corpus(hypotheses, references)

    def test_segments_come_before_the_error(self, meteor):
        segments = meteor.segments(["a", "b"], ["a"])
        assert next(segments).score == 1.0
        with pytest.raises(InputError, match="the references end after 1"):
            next(segments)

    def test_segments_are_scored_as_they_are_asked_for(self, meteor):
        endless = meteor.segments(itertools.repeat("a b"), itertools.repeat("a b"))
        assert [segment.score for segment in itertools.islice(endless, 3)] == [1.0, 1.0, 1.0]


class TestOptions:
    def test_options_replace_defaults_one_by_one(self, own_packs):
        meteor = Meteor(
            "en",
            task="adq",
            parameters={"beta": 2},
            matchers=["exact", {"use": "stem", "weight": 0.3}],
            normalization="lower",
            beam=5,
            character_mode=True,
        )
        parameters = meteor.chain.parameters
        assert (parameters.alpha, parameters.beta, parameters.gamma, parameters.delta) == (0.75, 2.0, 0.45, 0.7)
        assert parameters.weights == (1.0, 0.3)
        result = meteor.score("Abc def.", "abc DEF.")
        assert result.statistics.hypothesis_length == 7
        assert result.score == 1.0

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"language": "xx"}, "'xx'"),
            ({"language": ""}, "''"),
            ({"task": ""}, "has no task ''"),
            ({"task": "rnk"}, r"did you mean 'rank'"),
            ({"parameters": {"alfa": 0.5}}, r"did you mean 'alpha'"),
            ({"parameters": {"alpha": 2}}, "alpha"),
            ({"parameters": {"alpha": "x"}}, "alpha"),
            ({"matchers": []}, "matcher"),
            ({"matchers": [{"use": "exact", "weight": -1}]}, "weight"),
            ({"matchers": [5]}, "matchers"),
            ({"normalization": "fll"}, r"did you mean 'full'"),
            ({"beam": 0}, "beam"),
            ({"beam": "x"}, "beam"),
            ({"beam": 2.5}, "beam"),
            ({"language": "other", "normalization": "fulll"}, "did you mean 'full'"),
            ({"threads": 0}, "threads"),
        ],
    )
    def test_wrong_options(self, own_packs, options, message):
        with pytest.raises(ConfigError, match=message):
            Meteor(**options)

    def test_missing_pack_is_not_downloaded_offline(self, tmp_path, monkeypatch):
        monkeypatch.setenv("METEOR_E_PACKS", str(tmp_path))
        with pytest.raises(ResourceError, match="offline"):
            Meteor("en", offline=True)
        monkeypatch.setenv("METEOR_E_OFFLINE", "1")
        with pytest.raises(ResourceError, match="offline"):
            Meteor("en")

    def test_pack_can_be_a_folder(self, own_packs, monkeypatch, tmp_path):
        monkeypatch.setenv("METEOR_E_PACKS", str(tmp_path / "empty"))
        meteor = Meteor("en", pack=own_packs / "en")
        assert meteor.score("in the end x", "finally x").score > 0.5
        with pytest.raises(ResourceError, match="nowhere"):
            Meteor("en", pack=tmp_path / "nowhere")

    def test_resources_of_ones_own(self, own_packs):
        resources = LanguageResources().replace("foo", function_words=frozenset({"foo"}))
        meteor = Meteor("other", resources=resources)
        assert meteor.score("foo bar", "foo").statistics.hypothesis_function_words == 1
        assert meteor.signature.endswith("pack:none+foo")


class TestSharing:
    def test_pickling(self, meteor):
        before = [meteor.score(*pair) for pair in PAIRS]
        copy = pickle.loads(pickle.dumps(meteor))
        assert copy.signature == meteor.signature
        assert [copy.score(*pair) for pair in PAIRS] == before
        assert pickle.loads(pickle.dumps(before)) == before


class TestSegmentsThatCannotBeAligned:
    ENDLESS = "a " * 10_001

    @pytest.fixture(params=["native", "python"])
    def plain(self, request, monkeypatch):
        meteor = Meteor("other", matchers=["exact"], resources=LanguageResources())
        if request.param == "native" and meteor.engine != "native":
            pytest.skip("the extension is not built, or METEOR_E_PURE is set")
        meteor.engine = request.param
        if request.param == "python":
            # In Python, four million candidates take many seconds.
            monkeypatch.setattr("meteor_e.engine.candidates.MAX_CANDIDATES", 40_000)
        return meteor

    def sides(self):
        return ["x y", self.ENDLESS, "x"], ["x y", self.ENDLESS + "b", "x z"]

    def test_stop_names_the_segment(self, plain):
        with pytest.raises(InputError, match=r"segment 2: a segment of 10001 words.*on_error='skip' or 'zero'"):
            plain.corpus(*self.sides())

    def test_skip_leaves_it_out(self, plain):
        plain.on_error = "skip"
        with pytest.warns(SegmentWarning, match="segment 2: .*; it is left out"):
            corpus = plain.corpus(*self.sides(), segments=True)
        assert corpus.segment_count == len(corpus.segments) == 2
        assert corpus.score == plain.corpus(["x y", "x"], ["x y", "x z"]).score

    def test_zero_counts_its_words(self, plain):
        plain.on_error = "zero"
        with pytest.warns(SegmentWarning, match="segment 2: .*; it scores 0"):
            corpus = plain.corpus(*self.sides(), segments=True)
        assert corpus.segment_count == 3
        assert corpus.segments[1].score == 0
        assert corpus.segments[1].alignment.matches == ()
        assert corpus.statistics.hypothesis_length == 3 + 10_001
        assert corpus.statistics.reference_length == 4 + 10_002

    def test_another_choice_is_an_error(self, plain):
        with pytest.raises(ConfigError, match="on_error is 'ignore'"):
            plain.on_error = "ignore"


@pytest.mark.parametrize("engine", ["native", "python"])
def test_words_can_be_told_apart_by_javas_hashes(engine):
    meteor = Meteor("other", matchers=["exact"], normalization="none", resources=LanguageResources())
    if engine == "native" and meteor.engine != "native":
        pytest.skip("the extension is not built, or METEOR_E_PURE is set")
    meteor.engine = engine
    assert meteor.score("Aa x", "BB x").statistics.hypothesis_matched == 1
    meteor.compare_words_by("java")
    assert meteor.engine == engine
    assert meteor.score("Aa x", "BB x").statistics.hypothesis_matched == 2
