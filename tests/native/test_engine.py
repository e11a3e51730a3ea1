"""Test the native engine: errors, plugins, threads, memory, pickling and its selection."""

from __future__ import annotations

import pickle
import signal
import threading
import time

import numpy as np
import pytest
from random_chains import LetterMatcher, SoundMatcher, make_chains, make_engines

from meteor_e import InputError, KeyMatcher, Match, Matcher, Meteor, PluginError, SimilarityMatcher, Token
from meteor_e.api.batches import BATCH_SEGMENTS, default_threads
from meteor_e.base.errors import ConfigError
from meteor_e.engine import candidates
from meteor_e.engine.native import native_module
from meteor_e.engine.native_plan import core_limits, plan_chain
from meteor_e.matchers.modules import ExactMatcher

needs_native = pytest.mark.skipif(native_module() is None, reason="the extension is not built, or METEOR_E_PURE is set")


class ProposingMatcher(Matcher):
    """A matcher that proposes constant matches and counts its calls."""

    name = "free"

    def __init__(self, *proposals):
        self.proposals = proposals
        self.call_count = 0

    def match(self, hypothesis, reference):
        self.call_count += 1
        return self.proposals


@needs_native
class TestErrors:
    def collect_errors(self, matchers, hypothesis, reference):
        """Return the type and the message of the error of the native engine and of the Python engine."""
        errors = []
        for meteor in make_engines(matchers):
            with pytest.raises((InputError, PluginError)) as error:
                meteor.score(hypothesis, reference)
            errors.append((type(error.value), str(error.value)))
        return errors

    @pytest.mark.parametrize(
        "proposal",
        [(5, 0, 1, 1), (0, 5, 1, 1), (-1, 0, 1, 1), (0, 0, 0, 1), (0, 0, 1, 3), (0, 0, 2**80, 1), (1, 1, 2, 1)],
    )
    def test_match_outside_the_segment_raises_plugin_error(self, proposal):
        native, python = self.collect_errors([ExactMatcher(), ProposingMatcher(Match(*proposal))], "a b", "c d")
        # The messages may differ for 2**80, which does not fit in a 64-bit integer.
        if abs(proposal[2]) < 2**62:
            assert native == python
        assert "matcher 'free' proposed reference words" in native[1]

    def test_exception_of_a_matcher_raises_plugin_error(self):
        class FailingMatcher(KeyMatcher):
            name = "failing"

            def keys(self, token):
                raise LookupError("no such word")

        native, python = self.collect_errors([FailingMatcher()], "a", "b")
        assert native == python
        assert "matcher 'failing' failed with LookupError: no such word" in native[1]

    def test_search_with_too_many_paths_raises_input_error(self, monkeypatch):
        """A search with a huge beam fails before it fills the memory, but succeeds if it has few paths."""
        monkeypatch.setattr("meteor_e.engine.search.MAX_PATHS", 5000)
        text = " ".join(["a b"] * 5)
        for pure_python in ("0", "1"):
            monkeypatch.setenv("METEOR_E_PURE", pure_python)
            wide = Meteor("en", matchers=["exact"], beam=2**31 - 1)
            with pytest.raises(InputError, match="10 words with its reference of 10 words needs more than 5000 paths"):
                wide.score(text, text[::-1])
            narrow = Meteor("en", matchers=["exact"], beam=64)
            assert wide.score("a b a b", "b a b a").score == narrow.score("a b a b", "b a b a").score
            assert narrow.score(text, text[::-1]).score > 0.3

    def test_segment_with_too_many_candidates_raises_input_error(self, monkeypatch):
        # The Python engine needs many seconds to reach the default limit of four million candidates.
        monkeypatch.setattr(candidates, "MAX_CANDIDATES", 150)
        native, python = self.collect_errors([ExactMatcher()], "a " * 201, "a " * 201 + "b")
        assert native == python
        assert "more than 150 candidate matches" in native[1]

    def test_engine_can_score_after_a_failure(self):
        matcher = ProposingMatcher(Match(9, 9))
        meteor, python = make_engines([ExactMatcher(), matcher])
        with pytest.raises(PluginError):
            meteor.score("new words", "newer words")
        matcher.proposals = (Match(0, 0),)
        assert meteor.score("new words", "newer words") == python.score("new words", "newer words")


@needs_native
class TestFamilies:
    def test_class_that_overrides_match_runs_in_python(self):
        class OverridingMatcher(LetterMatcher):
            name = "odd"

            def match(self, hypothesis, reference):
                return [Match(0, 0)]

        plan = plan_chain([LetterMatcher(), OverridingMatcher(), SoundMatcher()])
        assert [matcher.family for matcher in plan] == ["keys", "proposals", "similarity"]
        native, python = make_engines([OverridingMatcher()])
        assert native.score("a", "b") == python.score("a", "b")

    def test_subclass_of_exact_matcher_uses_its_own_keys(self, tmp_path):
        class PrefixMatcher(ExactMatcher):
            name = "prefix"

            def keys(self, token):
                return (token.form[:2],)

        assert plan_chain([PrefixMatcher()])[0].family == "keys"
        native, python = make_engines([PrefixMatcher()])
        assert native.score("cats dog", "catch do").alignment == python.score("cats dog", "catch do").alignment

    def test_equal_texts_are_matched_by_the_first_matcher_only(self):
        first, second = ProposingMatcher(Match(0, 0)), ProposingMatcher(Match(1, 1))
        meteor, _ = make_engines([first, second])
        assert meteor.score("a b", "a b").statistics.hypothesis_matched == 1
        assert (first.call_count, second.call_count) == (1, 0)

    def test_match_is_called_once_per_distinct_pair(self):
        matcher = ProposingMatcher(Match(0, 0))
        meteor, _ = make_engines([matcher])
        scores = list(meteor.segments(["a"] * 50, ["b"] * 50))
        assert matcher.call_count == 1
        assert len({score.score for score in scores}) == 1

    def test_keys_is_called_once_per_distinct_word(self):
        words = []

        class RecordingMatcher(KeyMatcher):
            name = "counting"

            def keys(self, token):
                words.append(token.form)
                return [len(token.form)]

        meteor, _ = make_engines([RecordingMatcher()])
        meteor.score("one two three", "three two one")
        meteor.score("two four", "one four")
        assert sorted(words) == ["four", "one", "three", "two"]

    def test_vectors_must_keep_their_dimension(self):
        class ChangingMatcher(SimilarityMatcher):
            name = "changing"

            def vectors(self, tokens):
                return np.ones((len(tokens), len(tokens)), np.float32)

        meteor, _ = make_engines([ChangingMatcher()])
        meteor.score("a b", "c")
        with pytest.raises(PluginError, match="vectors had 3 dimensions before, and now have 2"):
            meteor.score("d", "e")

    def test_one_word_can_have_several_lemmas(self):
        class LemmaMatcher(KeyMatcher):
            name = "lemmas"

            def keys(self, token):
                return [token.lemma]

        class PositionLemmatizer:
            scope = "sentence"

            def analyze(self, words):
                # The lemma of a word depends on its position, so that one form belongs to several word types.
                return [Token(word, word[:2] + "x" * (position % 2), "X") for position, word in enumerate(words)]

        native, python = make_engines([ExactMatcher(), LemmaMatcher()], lemmatizer=PositionLemmatizer())
        pair = "cats catch cats dogs", "catalogue cats dog doge cats"
        assert native.score(*pair) == python.score(*pair)
        assert native.score(*pair).statistics.matchers[1].hypothesis_content

    def test_matcher_with_an_infinite_weight_runs_in_python(self):
        class InfiniteWeightMatcher(ExactMatcher):
            search_weight = float("inf")

        assert plan_chain([InfiniteWeightMatcher()]) is None


@needs_native
class TestLazyAlignment:
    def test_alignment_is_computed_on_demand(self):
        meteor, python = make_engines([ExactMatcher()])
        score = meteor.score("a b", "b a")
        assert "alignment" not in vars(score)
        assert score.alignment == python.score("a b", "b a").alignment
        assert "alignment" in vars(score)

    def test_pickled_score_contains_its_alignment(self):
        meteor, _ = make_engines([ExactMatcher()])
        score = meteor.score("a b", "b a")
        copy = pickle.loads(pickle.dumps(score))
        assert copy == score
        assert "alignment" in vars(copy)


@needs_native
class TestSharing:
    def test_metric_can_be_used_by_several_threads(self, tmp_path):
        matchers = make_chains(tmp_path)["all"]
        meteor, python = make_engines(matchers)
        pairs = [(f"go went walk{n % 7} large cats", f"going walked large cat{n % 5}") for n in range(60)]
        expected = [python.score(*pair).score for pair in pairs]
        results = {}

        def score_pairs(index):
            results[index] = [meteor.score(*pair).score for _ in range(5) for pair in pairs]

        threads = [threading.Thread(target=score_pairs, args=(index,)) for index in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert all(results[index] == expected * 5 for index in range(6))

    def test_matcher_can_score_during_a_call(self):
        inner, _ = make_engines([ExactMatcher()])

        class ScoringMatcher(Matcher):
            name = "nested"

            def match(self, hypothesis, reference):
                texts = [" ".join(token.form for token in tokens) for tokens in (hypothesis, reference)]
                return [Match(0, 0)] if inner.score(*texts).score or outer.score("x", "x").score else []

        outer, _ = make_engines([ExactMatcher(), ScoringMatcher()])
        assert outer.score("new words", "other ones").statistics.hypothesis_matched == 1

    def test_vocabulary_is_bounded(self, monkeypatch):
        monkeypatch.setattr("meteor_e.engine.native.VOCABULARY_LIMIT", 50)
        meteor, python = make_engines([ExactMatcher(), LetterMatcher(), SoundMatcher()])
        sizes = []
        for start in range(0, 1000, 20):
            text = " ".join(f"word{number}" for number in range(start, start + 20))
            assert meteor.score(text, text[::-1]) == python.score(text, text[::-1])
            sizes.append(sum(session.core.size for session in meteor._engine._idle_sessions))
        assert 0 < max(sizes) <= 50

    def test_keyboard_interrupt_stops_a_long_batch(self):
        meteor, _ = make_engines([SoundMatcher.make(threshold=0.5)])
        text = " ".join(f"w{number % 400}" for number in range(1200))
        hypotheses = [f"{text} {number}" for number in range(BATCH_SEGMENTS)]
        timer = threading.Timer(0.5, lambda: signal.raise_signal(signal.SIGINT))
        timer.start()
        start = time.process_time()
        with pytest.raises(KeyboardInterrupt):
            meteor.corpus(hypotheses, [text] * len(hypotheses))
        timer.join()
        assert time.process_time() - start < 10
        assert meteor.score("a", "a").score == 1.0


class TestSelection:
    def test_meteor_e_pure_selects_the_python_engine(self, monkeypatch):
        native_module.cache_clear()
        monkeypatch.setenv("METEOR_E_PURE", "1")
        try:
            meteor = Meteor("other")
            assert meteor.engine == "python"
            assert meteor.score("a b", "a b").score == 1.0
            assert meteor.corpus(["a b"], ["a b"]).score == 1.0
        finally:
            native_module.cache_clear()

    def test_default_threads_reads_the_environment(self, monkeypatch):
        assert default_threads(3) == 3
        monkeypatch.setenv("METEOR_E_THREADS", "5")
        assert default_threads() == 5
        assert Meteor("other", threads=2).threads == 2

    @pytest.mark.parametrize("value", ["0", "many", "-1", "1.5"])
    def test_invalid_number_of_threads_raises_config_error(self, monkeypatch, value):
        monkeypatch.setenv("METEOR_E_THREADS", value)
        with pytest.raises(ConfigError, match="METEOR_E_THREADS is"):
            Meteor("other")


def test_core_rejects_simultaneous_calls_of_two_threads():
    """A core can be used by one thread at a time. A simultaneous call of another thread raises an error."""
    from concurrent.futures import ThreadPoolExecutor

    from meteor_e.api.languages import Parameters
    from meteor_e.engine.protocol import EngineSettings

    module = native_module()
    if module is None:
        pytest.skip("the extension is not built, or METEOR_E_PURE is set")
    settings = EngineSettings(Parameters(0.5, 1.0, 0.5, 0.5, ()), beam=1, character_mode=False)
    normalizer = Meteor("other", matchers=["exact"], normalization="lower").normalizer
    core = module.Core(settings=settings, matchers=(), normalizer=normalizer, limits=core_limits())
    errors = []

    class Segments:
        """Segments that call the core from another thread while the core reads them."""

        def __iter__(self):
            with ThreadPoolExecutor(1) as executor:
                errors.append(executor.submit(core.undescribed).exception())
            return iter(["a b", "c"])

    core.read(Segments(), 1, None)
    assert [str(error) for error in errors] == ["a Core is used by two threads at once"]
    assert isinstance(errors[0], RuntimeError)
    # The error does not affect later calls.
    batch = core.read(["a b"], 1, None)
    assert batch.intern() == 2
    assert core.undescribed() == ["a", "b"]
