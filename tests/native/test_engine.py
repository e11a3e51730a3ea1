"""Errors, plugins, threads, memory and pickling of the native engine."""

from __future__ import annotations

import pickle
import signal
import threading
import time

import numpy as np
import pytest
from random_chains import Letters, Sounds, chains, engines

from meteor_e import InputError, KeyMatcher, Match, Matcher, Meteor, PluginError, SimilarityMatcher, Token
from meteor_e.api.batches import BATCH_SEGMENTS, default_threads
from meteor_e.base.errors import ConfigError
from meteor_e.engine import candidates
from meteor_e.engine.native import native_module
from meteor_e.engine.native_plan import core_limits, plan_chain
from meteor_e.matchers.modules import ExactMatcher

needs_native = pytest.mark.skipif(native_module() is None, reason="the extension is not built, or METEOR_E_PURE is set")


class Free(Matcher):
    """A matcher that proposes given matches."""

    name = "free"

    def __init__(self, *proposals):
        self.proposals = proposals
        self.asked = 0

    def match(self, hypothesis, reference):
        self.asked += 1
        return self.proposals


@needs_native
class TestErrors:
    def both(self, matchers, hypothesis, reference):
        """Return the errors of both engines."""
        errors = []
        for meteor in engines(matchers):
            with pytest.raises((InputError, PluginError)) as caught:
                meteor.score(hypothesis, reference)
            errors.append((type(caught.value), str(caught.value)))
        return errors

    @pytest.mark.parametrize(
        "proposal",
        [(5, 0, 1, 1), (0, 5, 1, 1), (-1, 0, 1, 1), (0, 0, 0, 1), (0, 0, 1, 3), (0, 0, 2**80, 1), (1, 1, 2, 1)],
    )
    def test_misplaced_proposal(self, proposal):
        native, python = self.both([ExactMatcher(), Free(Match(*proposal))], "a b", "c d")
        if abs(proposal[2]) < 2**62:
            assert native == python
        assert "matcher 'free' proposed reference words" in native[1]

    def test_failing_matcher(self):
        class Failing(KeyMatcher):
            name = "failing"

            def keys(self, token):
                raise LookupError("no such word")

        native, python = self.both([Failing()], "a", "b")
        assert native == python
        assert "matcher 'failing' failed with LookupError: no such word" in native[1]

    def test_too_many_paths(self, monkeypatch):
        """A huge beam raises an error before it fills the memory. A search with few paths is not limited."""
        monkeypatch.setattr("meteor_e.engine.search.MAX_PATHS", 5000)
        many = " ".join(["a b"] * 5)
        for pure in (False, True):
            monkeypatch.setenv("METEOR_E_PURE", "1" if pure else "0")
            wide = Meteor("en", matchers=["exact"], beam=2**31 - 1)
            with pytest.raises(InputError, match="10 words with its reference of 10 words needs more than 5000 paths"):
                wide.score(f"{many}", f"{many[::-1]}")
            narrow = Meteor("en", matchers=["exact"], beam=64)
            assert wide.score("a b a b", "b a b a").score == narrow.score("a b a b", "b a b a").score
            assert narrow.score(many, many[::-1]).score > 0.3

    def test_too_many_candidates(self, monkeypatch):
        # In Python, the four million of everyday take many seconds.
        monkeypatch.setattr(candidates, "MAX_CANDIDATES", 150)
        native, python = self.both([ExactMatcher()], "a " * 201, "a " * 201 + "b")
        assert native == python
        assert "more than 150 candidate matches" in native[1]

    def test_failure_does_not_affect_the_next_call(self):
        free = Free(Match(9, 9))
        meteor, python = engines([ExactMatcher(), free])
        with pytest.raises(PluginError):
            meteor.score("new words", "newer words")
        free.proposals = (Match(0, 0),)
        assert meteor.score("new words", "newer words") == python.score("new words", "newer words")


@needs_native
class TestFamilies:
    def test_class_that_overrides_match_runs_in_python(self):
        class Odd(Letters):
            name = "odd"

            def match(self, hypothesis, reference):
                return [Match(0, 0)]

        planned = plan_chain([Letters(), Odd(), Sounds()])
        assert [matcher.family for matcher in planned] == ["keys", "proposals", "similarity"]
        native, python = engines([Odd()])
        assert native.score("a", "b") == python.score("a", "b")

    def test_subclass_of_a_built_in_matcher_is_distinguished(self, tmp_path):
        class Prefix(ExactMatcher):
            name = "prefix"

            def keys(self, token):
                return (token.form[:2],)

        assert plan_chain([Prefix()])[0].family == "keys"
        native, python = engines([Prefix()])
        assert native.score("cats dog", "catch do").alignment == python.score("cats dog", "catch do").alignment

    def test_equal_segments_ask_the_first_matcher_only(self):
        first, second = Free(Match(0, 0)), Free(Match(1, 1))
        meteor, _ = engines([first, second])
        assert meteor.score("a b", "a b").statistics.hypothesis_matched == 1
        assert (first.asked, second.asked) == (1, 0)

    def test_repeated_pairs_are_asked_once(self):
        free = Free(Match(0, 0))
        meteor, _ = engines([free])
        scores = list(meteor.segments(["a"] * 50, ["b"] * 50))
        assert free.asked == 1
        assert len({score.score for score in scores}) == 1

    def test_keys_are_asked_once_a_word(self):
        asked = []

        class Counting(KeyMatcher):
            name = "counting"

            def keys(self, token):
                asked.append(token.form)
                return [len(token.form)]

        meteor, _ = engines([Counting()])
        meteor.score("one two three", "three two one")
        meteor.score("two four", "one four")
        assert sorted(asked) == ["four", "one", "three", "two"]

    def test_vectors_of_another_dimension(self):
        class Changing(SimilarityMatcher):
            name = "changing"

            def vectors(self, tokens):
                return np.ones((len(tokens), len(tokens)), np.float32)

        meteor, _ = engines([Changing()])
        meteor.score("a b", "c")
        with pytest.raises(PluginError, match="vectors had 3 dimensions before, and now have 2"):
            meteor.score("d", "e")

    def test_tokens_with_lemmas(self):
        class Lemmas(KeyMatcher):
            name = "lemmas"

            def keys(self, token):
                return [token.lemma]

        class Placed:
            scope = "sentence"

            def analyze(self, words):
                # A word's lemma depends on its place, so that one form makes several word types.
                return [Token(word, word[:2] + "x" * (place % 2), "X") for place, word in enumerate(words)]

        native, python = engines([ExactMatcher(), Lemmas()], lemmatizer=Placed())
        pair = "cats catch cats dogs", "catalogue cats dog doge cats"
        assert native.score(*pair) == python.score(*pair)
        assert native.score(*pair).statistics.matchers[1].hypothesis_content

    def test_weights_beyond_reason_run_in_python(self):
        class Heavy(ExactMatcher):
            search_weight = float("inf")

        assert plan_chain([Heavy()]) is None


@needs_native
class TestLazyAlignment:
    def test_alignment_is_computed_on_demand(self):
        meteor, python = engines([ExactMatcher()])
        score = meteor.score("a b", "b a")
        assert "alignment" not in vars(score)
        assert score.alignment == python.score("a b", "b a").alignment
        assert "alignment" in vars(score)

    def test_pickled_with_its_alignment(self):
        meteor, _ = engines([ExactMatcher()])
        score = meteor.score("a b", "b a")
        again = pickle.loads(pickle.dumps(score))
        assert again == score
        assert "alignment" in vars(again)


@needs_native
class TestSharing:
    def test_calls_from_many_threads(self, tmp_path):
        matchers = chains(tmp_path)["all"]
        meteor, python = engines(matchers)
        texts = [(f"go went walk{n % 7} large cats", f"going walked large cat{n % 5}") for n in range(60)]
        expected = [python.score(*pair).score for pair in texts]
        results = {}

        def work(number):
            results[number] = [meteor.score(*pair).score for _ in range(5) for pair in texts]

        threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert all(results[number] == expected * 5 for number in range(6))

    def test_matcher_can_score_during_a_call(self):
        inner, _ = engines([ExactMatcher()])

        class Nested(Matcher):
            name = "nested"

            def match(self, hypothesis, reference):
                forms = [" ".join(token.form for token in side) for side in (hypothesis, reference)]
                return [Match(0, 0)] if inner.score(*forms).score or outer.score("x", "x").score else []

        outer, _ = engines([ExactMatcher(), Nested()])
        assert outer.score("new words", "other ones").statistics.hypothesis_matched == 1

    def test_vocabulary_is_bounded(self, monkeypatch):
        monkeypatch.setattr("meteor_e.engine.native.VOCABULARY_LIMIT", 50)
        meteor, python = engines([ExactMatcher(), Letters(), Sounds()])
        sizes = []
        for start in range(0, 1000, 20):
            text = " ".join(f"word{number}" for number in range(start, start + 20))
            assert meteor.score(text, text[::-1]) == python.score(text, text[::-1])
            sizes.append(sum(session.core.size for session in meteor._engine._idle_sessions))
        assert 0 < max(sizes) <= 50

    def test_interrupt(self):
        """Ctrl-C interrupts a long batch."""
        meteor, _ = engines([Sounds.make(threshold=0.5)])
        text = " ".join(f"w{number % 400}" for number in range(1200))
        hypotheses = [f"{text} {number}" for number in range(BATCH_SEGMENTS)]
        timer = threading.Timer(0.5, lambda: signal.raise_signal(signal.SIGINT))
        timer.start()
        begin = time.process_time()
        with pytest.raises(KeyboardInterrupt):
            meteor.corpus(hypotheses, [text] * len(hypotheses))
        timer.join()
        assert time.process_time() - begin < 10
        assert meteor.score("a", "a").score == 1.0


class TestSelection:
    def test_pure_python_can_be_forced(self, monkeypatch):
        native_module.cache_clear()
        monkeypatch.setenv("METEOR_E_PURE", "1")
        try:
            meteor = Meteor("other")
            assert meteor.engine == "python"
            assert meteor.score("a b", "a b").score == 1.0
            assert meteor.corpus(["a b"], ["a b"]).score == 1.0
        finally:
            native_module.cache_clear()

    def test_threads(self, monkeypatch):
        assert default_threads(3) == 3
        monkeypatch.setenv("METEOR_E_THREADS", "5")
        assert default_threads() == 5
        assert Meteor("other", threads=2).threads == 2

    @pytest.mark.parametrize("value", ["0", "many", "-1", "1.5"])
    def test_bad_number_of_threads(self, monkeypatch, value):
        monkeypatch.setenv("METEOR_E_THREADS", value)
        with pytest.raises(ConfigError, match="METEOR_E_THREADS is"):
            Meteor("other")


def test_simultaneous_calls_of_two_threads_are_refused():
    """A core serves one thread. A simultaneous call of another thread raises an error."""
    from concurrent.futures import ThreadPoolExecutor

    from meteor_e.api.languages import Parameters
    from meteor_e.engine.protocol import EngineSettings

    module = native_module()
    if module is None:
        pytest.skip("the extension is not built, or METEOR_E_PURE is set")
    settings = EngineSettings(Parameters(0.5, 1.0, 0.5, 0.5, ()), beam=1, character_mode=False)
    normalizer = Meteor("other", matchers=["exact"], normalization="lower").normalizer
    core = module.Core(settings=settings, matchers=(), normalizer=normalizer, limits=core_limits())
    found = []

    class Segments:
        """Segments that call the core from another thread while the core reads them."""

        def __iter__(self):
            with ThreadPoolExecutor(1) as other:
                found.append(other.submit(core.undescribed).exception())
            return iter(["a b", "c"])

    core.read(Segments(), 1, None)
    assert [str(error) for error in found] == ["a Core is used by two threads at once"]
    assert isinstance(found[0], RuntimeError)
    # Afterwards, it works as before.
    batch = core.read(["a b"], 1, None)
    assert batch.intern() == 2
    assert core.undescribed() == ["a", "b"]
