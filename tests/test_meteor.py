"""The METEOR metric: scores, options, pickling, and segments that cannot be aligned."""

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
    """The default metric for English, with the small English pack."""
    return Meteor("en")


class TestScore:
    def test_score_contains_alignment_statistics_and_signature(self, meteor):
        result = meteor.score("In the end, the ship!", "At last, a ship.")
        assert result.alignment.hypothesis == ("in", "the", "end", ",", "the", "ship", "!")
        assert [pair[2] for pair in result.alignment.pairs()] == ["paraphrase", "exact", "exact"]
        assert result.statistics.hypothesis_length == 7
        assert 0 < result.score < result.fmean < 1
        assert float(result) == result.score
        assert result.signature == meteor.signature

    def test_score_accepts_a_single_reference_as_a_text(self, meteor):
        for hypothesis, reference in PAIRS:
            assert meteor.score(hypothesis, reference) == meteor.score(hypothesis, [reference])


class TestCorpus:
    def test_corpus_reports_progress_up_to_the_last_segment(self, meteor):
        segment_counts = []
        meteor.corpus(["a"] * 5, ["a"] * 5, progress=lambda stage, count, total: segment_counts.append(count))
        assert segment_counts[-1] == 5
        assert segment_counts == sorted(segment_counts)

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
    def test_corpus_rejects_invalid_or_unequal_lists(self, meteor, hypotheses, references, message):
        with pytest.raises(InputError, match=message):
            meteor.corpus(hypotheses, references)

    def test_segments_yields_scores_before_it_raises_an_error(self, meteor):
        segments = meteor.segments(["a", "b"], ["a"])
        assert next(segments).score == 1.0
        with pytest.raises(InputError, match="the references end after 1"):
            next(segments)

    def test_segments_scores_infinite_input_lazily(self, meteor):
        segments = meteor.segments(itertools.repeat("a b"), itertools.repeat("a b"))
        assert [segment.score for segment in itertools.islice(segments, 3)] == [1.0, 1.0, 1.0]


class TestOptions:
    def test_options_replace_single_defaults(self, own_packs):
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
    def test_invalid_options_raise_config_errors(self, own_packs, options, message):
        with pytest.raises(ConfigError, match=message):
            Meteor(**options)

    def test_offline_option_prevents_download_of_a_missing_pack(self, tmp_path, monkeypatch):
        monkeypatch.setenv("METEOR_E_PACKS", str(tmp_path))
        with pytest.raises(ResourceError, match="offline"):
            Meteor("en", offline=True)
        monkeypatch.setenv("METEOR_E_OFFLINE", "1")
        with pytest.raises(ResourceError, match="offline"):
            Meteor("en")

    def test_pack_option_accepts_a_folder(self, own_packs, monkeypatch, tmp_path):
        monkeypatch.setenv("METEOR_E_PACKS", str(tmp_path / "empty"))
        meteor = Meteor("en", pack=own_packs / "en")
        assert meteor.score("in the end x", "finally x").score > 0.5
        with pytest.raises(ResourceError, match="nowhere"):
            Meteor("en", pack=tmp_path / "nowhere")

    def test_resources_option_accepts_custom_resources(self, own_packs):
        resources = LanguageResources().replace("foo", function_words=frozenset({"foo"}))
        meteor = Meteor("other", resources=resources)
        assert meteor.score("foo bar", "foo").statistics.hypothesis_function_words == 1
        assert meteor.signature.endswith("pack:none+foo")


class TestPickling:
    def test_pickled_metric_and_scores_equal_the_originals(self, meteor):
        scores = [meteor.score(*pair) for pair in PAIRS]
        copy = pickle.loads(pickle.dumps(meteor))
        assert copy.signature == meteor.signature
        assert [copy.score(*pair) for pair in PAIRS] == scores
        assert pickle.loads(pickle.dumps(scores)) == scores


class TestOnError:
    """The option ``on_error`` selects what happens to a segment that cannot be aligned."""

    REPETITIVE_TEXT = "a " * 10_001
    """A text that has too many candidate matches with itself."""

    @pytest.fixture(params=["native", "python"])
    def exact_meteor(self, request, monkeypatch):
        """A metric with the exact matcher only, once for each engine."""
        meteor = Meteor("other", matchers=["exact"], resources=LanguageResources())
        if request.param == "native" and meteor.engine != "native":
            pytest.skip("the extension is not built, or METEOR_E_PURE is set")
        meteor.engine = request.param
        if request.param == "python":
            # The Python engine needs many seconds for the normal limit of four million candidates.
            monkeypatch.setattr("meteor_e.engine.candidates.MAX_CANDIDATES", 40_000)
        return meteor

    def make_corpus(self):
        """Return three hypotheses and their references. The second segment cannot be aligned."""
        hypotheses = ["x y", self.REPETITIVE_TEXT, "x"]
        references = ["x y", self.REPETITIVE_TEXT + "b", "x z"]
        return hypotheses, references

    def test_on_error_stop_raises_an_error_that_names_the_segment(self, exact_meteor):
        with pytest.raises(InputError, match=r"segment 2: a segment of 10001 words.*on_error='skip' or 'zero'"):
            exact_meteor.corpus(*self.make_corpus())

    def test_on_error_skip_leaves_the_segment_out(self, exact_meteor):
        exact_meteor.on_error = "skip"
        with pytest.warns(SegmentWarning, match="segment 2: .*; it is left out"):
            corpus = exact_meteor.corpus(*self.make_corpus(), segments=True)
        assert corpus.segment_count == len(corpus.segments) == 2
        assert corpus.score == exact_meteor.corpus(["x y", "x"], ["x y", "x z"]).score

    def test_on_error_zero_counts_the_words_of_the_segment(self, exact_meteor):
        exact_meteor.on_error = "zero"
        with pytest.warns(SegmentWarning, match="segment 2: .*; it scores 0"):
            corpus = exact_meteor.corpus(*self.make_corpus(), segments=True)
        assert corpus.segment_count == 3
        assert corpus.segments[1].score == 0
        assert corpus.segments[1].alignment.matches == ()
        assert corpus.statistics.hypothesis_length == 3 + 10_001
        assert corpus.statistics.reference_length == 4 + 10_002

    def test_on_error_rejects_an_unknown_value(self, exact_meteor):
        with pytest.raises(ConfigError, match="on_error is 'ignore'"):
            exact_meteor.on_error = "ignore"


@pytest.mark.parametrize("engine", ["native", "python"])
def test_compare_words_by_java_matches_words_of_equal_hash(engine):
    meteor = Meteor("other", matchers=["exact"], normalization="none", resources=LanguageResources())
    if engine == "native" and meteor.engine != "native":
        pytest.skip("the extension is not built, or METEOR_E_PURE is set")
    meteor.engine = engine
    # In Java, the strings "Aa" and "BB" have the same hash.
    assert meteor.score("Aa x", "BB x").statistics.hypothesis_matched == 1
    meteor.compare_words_by("java")
    assert meteor.engine == engine
    assert meteor.score("Aa x", "BB x").statistics.hypothesis_matched == 2
