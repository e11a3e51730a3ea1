"""Test that the conformance checks of matchers, lemmatizers and features report each kind of error."""

from __future__ import annotations

import random
from typing import Annotated

import numpy as np
import pytest
from msgspec import defstruct

from meteor_e.api.contextual_matchers import ContextualMatcher
from meteor_e.api.features import Feature
from meteor_e.api.lemmatizers import Lemmatizer
from meteor_e.api.matchers import KeyMatcher, Match, Matcher, PhraseMatcher, SimilarityMatcher
from meteor_e.api.options import ComponentOptions, Meta
from meteor_e.base.errors import MeteorError
from meteor_e.matchers.modules import ExactMatcher, StemMatcher
from meteor_e.testing import ConformanceError, check_component, check_matcher, check_plugin


class SuffixMatcher(KeyMatcher):
    """Match words with the same last letters."""

    name = "ends"

    class Options(ComponentOptions):
        letters: Annotated[int, Meta(ge=1, description="How many letters.")] = 2

    def keys(self, token):
        return {token.form[-self.options.letters :]}


class LetterMatcher(SimilarityMatcher):
    """Match words with similar letters."""

    name = "letters"

    def vectors(self, tokens):
        rows = np.zeros((len(tokens), 64), dtype=np.float32)
        for row, token in zip(rows, tokens, strict=True):
            for letter in token.form:
                row[ord(letter) % 64] += 1
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


class AbbreviationTable:
    """List a phrase and its abbreviation as paraphrases. A phrase is a tuple of word ids, and its index is its node."""

    words = ("as", "soon", "possible", "asap")
    phrases = ((0, 1, 0, 2), (3,))

    def word_id(self, word):
        return self.words.index(word) if word in self.words else -1

    def phrases_at(self, ids, start):
        return [
            (len(phrase), node)
            for node, phrase in enumerate(self.phrases)
            if tuple(ids[start : start + len(phrase)]) == phrase
        ]

    def paraphrases(self, node):
        return [1] if node == 0 else []


class AbbreviationMatcher(PhraseMatcher):
    """Match one phrase with its abbreviation."""

    name = "soon"
    table_class = AbbreviationTable

    def __init__(self) -> None:
        self._table = self.table_class()

    @property
    def table(self):
        return self._table


class CompoundMatcher(Matcher):
    """Match a compound with its two parts, which are separate words."""

    name = "joined"

    def match(self, hypothesis, reference):
        for j, token in enumerate(reference):
            for i in range(len(hypothesis) - 1):
                if hypothesis[i].form + hypothesis[i + 1].form == token.form:
                    yield Match(j, i, 1, 2)


@pytest.mark.parametrize(
    ("matcher", "tokens", "options"),
    [
        (ExactMatcher, None, {}),
        (StemMatcher, None, {}),
        (StemMatcher, ["chats", "chat"], {"stemmer": "french"}),
        (SuffixMatcher, None, {}),
        (SuffixMatcher, ["mention", "nation"], {"letters": 4}),
        (SuffixMatcher.make(letters=3), None, {}),
        (LetterMatcher, None, {}),
        (LetterMatcher, None, {"threshold": 0.9}),
        (AbbreviationMatcher, ["as soon as possible", "asap"], {}),
        (CompoundMatcher, ["data base", "database"], {}),
    ],
)
def test_check_matcher_accepts_correct_matchers(matcher, tokens, options):
    check_matcher(matcher, tokens=tokens, **options)


def make_variant(base, **members):
    """Return a class that differs from a correct class in the given members."""
    return type("Wrong", (base,), {"__doc__": "Wrong.", "__module__": __name__, "name": "wrong", **members})


def make_options(name, annotation, default):
    """Return a class of options with one option."""
    return defstruct("Options", [(name, annotation, default)], bases=(ComponentOptions,), kw_only=True)


class RandomDescriptionMatcher(SuffixMatcher):
    """Return another description in each call."""

    name = "describes-at-random"

    def describe(self):
        return str(id(self))


class HashedKeyMatcher(KeyMatcher):
    """Return keys that differ between processes, so that the matches also differ."""

    name = "hashed-keys"

    def keys(self, token):
        return {hash(token.form) % 7}


class LeakingMatcher(CompoundMatcher):
    """Match the words of earlier hypotheses."""

    name = "leaks"

    def __init__(self) -> None:
        self.earlier_words: set[str] = set()

    def match(self, hypothesis, reference):
        for j, token in enumerate(reference):
            if token.form in self.earlier_words and hypothesis:
                yield Match(j, 0)
        self.earlier_words.update(token.form for token in hypothesis)


class UnpicklableMatcher(SuffixMatcher):
    """Store a function, which cannot be pickled."""

    name = "unpicklable"

    def __init__(self, options=None) -> None:
        super().__init__(options)
        self.function = lambda: None


class ForgetfulMatcher(SuffixMatcher):
    """Lose the option when it is pickled."""

    name = "forgets-option"

    def __getstate__(self):
        return {"options": self.Options(letters=1)}


class SharedStateMatcher(SuffixMatcher):
    """Store the hypothesis in an attribute that threads share."""

    name = "shared-state"

    def match(self, hypothesis, reference):
        self.current_hypothesis = hypothesis
        matches = []
        for j, reference_token in enumerate(reference):
            for i, hypothesis_token in enumerate(self.current_hypothesis):
                random.random()
                if reference_token.form[-2:] == hypothesis_token.form[-2:]:
                    matches.append(Match(j, i))
            # Take some time, so that other threads can interfere.
            for _ in range(200):
                pass
        return matches if self.current_hypothesis is hypothesis else []


def make_batch_dependent_vectors(self, tokens):
    """Return vectors that depend on the other tokens of the call."""
    rows = LetterMatcher.vectors(self, tokens)
    rows += rows.mean(axis=0) * np.float32(0.1)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


BUFFER = np.zeros((1000, 64), dtype=np.float32)


def return_shared_buffer(self, tokens):
    """Return vectors in a buffer that the next call overwrites."""
    BUFFER[: len(tokens)] = LetterMatcher.vectors(self, tokens)
    return BUFFER[: len(tokens)]


def make_match_method(*arguments, **fields):
    """Return a method ``match`` that proposes the same match for all pairs of segments that are not empty."""

    def match(self, hypothesis, reference):
        return [Match(*arguments, **fields)] if hypothesis and reference else []

    return match


def match_nothing(self, hypothesis, reference):
    return []


def match_odd_positions(self, hypothesis, reference):
    """Propose the matches whose positions in the hypothesis are odd."""
    return [match for match in SuffixMatcher.match(self, hypothesis, reference) if match.hypothesis_start % 2]


LETTERS_META = Meta(description="How many letters.")
# Each case is a matcher, its options and the expected error message.
INCORRECT_MATCHERS = [
    (make_variant(SuffixMatcher, name=""), {}, "has the name ''; give it a name"),
    (make_variant(SuffixMatcher, name="My Ends"), {}, "'My Ends'; give it a name = '…' of lowercase letters"),
    (make_variant(SuffixMatcher, name="exact"), {}, "meteor_e has a matcher 'exact' of its own"),
    (make_variant(SuffixMatcher, __doc__=None), {}, "it has no docstring"),
    (make_variant(KeyMatcher), {}, "does not define keys"),
    (make_variant(SuffixMatcher, default_weight=1.5), {}, "default_weight is 1.5"),
    (make_variant(SuffixMatcher, search_weight="much"), {}, "search_weight is 'much'"),
    (make_variant(SuffixMatcher, requires="wordnet"), {}, "requires is 'wordnet'"),
    (
        make_variant(SuffixMatcher, Options=make_options("weight", Annotated[float, LETTERS_META], 1.0)),
        {},
        "'weight', a word that chains use",
    ),
    (make_variant(SuffixMatcher, Options=make_options("letters", int, 2)), {}, "option 'letters' has no help"),
    (
        make_variant(SuffixMatcher, Options=make_options("letters", Annotated[int, Meta(ge=3), LETTERS_META], 2)),
        {},
        "the default of option 'letters' is not what its type says",
    ),
    (make_variant(SuffixMatcher, Options=dict), {}, "must be a subclass of ComponentOptions"),
    (make_variant(SuffixMatcher, describe=lambda self: "a\nb"), {}, r"describe\(\) returned 'a\\nb'"),
    (RandomDescriptionMatcher, {}, "returns another description"),
    (
        make_variant(SuffixMatcher, describe=lambda self: ""),
        {"letters": 1},
        "its options change the matches, but describe",
    ),
    (
        make_variant(KeyMatcher, keys=lambda self, token: {token.form.encode("ascii")}),
        {},
        r"keys\(Token\(.*raised UnicodeEncodeError",
    ),
    (make_variant(KeyMatcher, keys=lambda self, token: token.form[:2]), {}, "return a set: "),
    (make_variant(KeyMatcher, keys=lambda self, token: None), {}, "returned None; return a set: "),
    (make_variant(KeyMatcher, keys=lambda self, token: [[token.form]]), {}, "unhashable type"),
    (
        make_variant(KeyMatcher, keys=lambda self, token: {{"boat": 1, "boats": 1}.get(token.form)}),
        {},
        "contains None, so that all tokens without a key would match each other",
    ),
    (make_variant(KeyMatcher, keys=lambda self, token: {float("nan")}), {}, "contains nan"),
    (make_variant(KeyMatcher, keys=lambda self, token: {random.random() < 0.5}), {}, "differ from call to call"),
    (HashedKeyMatcher, {}, "in a new process it proposes other matches"),
    (
        make_variant(
            LetterMatcher, vectors=lambda self, tokens: LetterMatcher.vectors(self, tokens).astype(np.float64)
        ),
        {},
        "float64 array .* it must return a float32 array",
    ),
    (
        make_variant(LetterMatcher, vectors=lambda self, tokens: LetterMatcher.vectors(self, tokens) * np.float32(2)),
        {},
        "has length 2; divide it by its length",
    ),
    (
        make_variant(
            LetterMatcher, vectors=lambda self, tokens: LetterMatcher.vectors(self, tokens) * np.float32("nan")
        ),
        {},
        "is not finite",
    ),
    (
        make_variant(LetterMatcher, vectors=lambda self, tokens: LetterMatcher.vectors(self, tokens)[1:]),
        {},
        "float32 array of shape .* one row per token",
    ),
    (
        make_variant(LetterMatcher, vectors=make_batch_dependent_vectors),
        {},
        "the vector of a token depends on the other tokens",
    ),
    (make_variant(LetterMatcher, vectors=return_shared_buffer), {}, "a second call overwrites the rows"),
    (
        make_variant(CompoundMatcher, match=lambda self, hypothesis, reference: [Match(len(reference) - 1, 0, 2, 1)]),
        {},
        "positions and lengths must be ints within",
    ),
    (
        make_variant(CompoundMatcher, match=lambda self, hypothesis, reference: [(0, 0)]),
        {},
        r"proposed \(0, 0\); propose Match",
    ),
    (
        make_variant(CompoundMatcher, match=make_match_method(np.int64(0), np.int64(0))),
        {},
        "positions and lengths must be ints",
    ),
    (
        make_variant(CompoundMatcher, match=make_match_method(0, 0, probability=2.0)),
        {},
        r"the probability 2\.0; it must be in",
    ),
    (
        make_variant(CompoundMatcher, match=lambda self, hypothesis, reference: hypothesis.sort() or []),
        {},
        "match changes the segments",
    ),
    (make_variant(CompoundMatcher, match=match_nothing), {}, "proposed no match in the samples; pass tokens"),
    (LeakingMatcher, {}, "called again, it proposes other matches"),
    (
        make_variant(SuffixMatcher, match=match_odd_positions),
        {},
        "change if hypothesis and reference are exchanged",
    ),
    (make_variant(LetterMatcher, match=match_nothing), {}, "equal words do not match"),
    (UnpicklableMatcher, {}, "pickling it .* raised"),
    (ForgetfulMatcher, {}, "a pickled copy proposes other matches"),
]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # warnings about divisions by zero
@pytest.mark.parametrize(
    ("matcher", "options", "message"), INCORRECT_MATCHERS, ids=[message for _, _, message in INCORRECT_MATCHERS]
)
def test_check_matcher_reports_incorrect_matchers(matcher, options, message):
    with pytest.raises(ConformanceError, match=message) as error:
        check_matcher(matcher, tokens=["as soon as possible", "asap"], **options)
    assert isinstance(error.value, AssertionError)
    assert isinstance(error.value, MeteorError)
    assert str(error.value).startswith(f"matcher {matcher.name!r} (")


def test_check_matcher_reports_state_shared_by_threads(monkeypatch):
    """The matcher waits for the other threads, so that a race occurs in each run."""
    import threading

    original_match = SharedStateMatcher.match
    barrier = threading.Barrier(4)

    def match_after_waiting(self, hypothesis, reference):
        self.current_hypothesis = hypothesis
        if threading.current_thread() is not threading.main_thread():
            barrier.wait()
        return original_match(self, self.current_hypothesis, reference)

    monkeypatch.setattr(SharedStateMatcher, "match", match_after_waiting)
    with pytest.raises(ConformanceError, match="used from several threads at once, it gave other matches"):
        check_matcher(SharedStateMatcher)


class UpperCaseLemmatizer(Lemmatizer):
    """Return the words in capitals as their lemmas."""

    name = "upper"

    def lemmatize(self, words):
        return [(word.upper(), None) for word in words]


class RandomLemmatizer(UpperCaseLemmatizer):
    """Return other lemmas in each call."""

    name = "by-chance"
    scope = "sentence"

    def lemmatize(self, words):
        return [(str(random.random()), None) for _ in words]


@pytest.mark.parametrize(
    ("lemmatizer", "message"),
    [
        (
            make_variant(UpperCaseLemmatizer, lemmatize=lambda self, words: [word.upper() for word in words]),
            "lemmatizer 'wrong' failed with ValueError: too many values to unpack",
        ),
        (
            make_variant(
                UpperCaseLemmatizer, lemmatize=lambda self, words: [(word, None) for word in words if word.isalpha()]
            ),
            "5 lemmas for 6 words",
        ),
        (
            make_variant(
                UpperCaseLemmatizer, lemmatize=lambda self, words: [(str(word.encode("ascii")), None) for word in words]
            ),
            "failed with UnicodeEncodeError",
        ),
        (RandomLemmatizer, "with a pickled copy"),
        (make_variant(UpperCaseLemmatizer, scope="segment"), "scope is 'segment'"),
    ],
)
def test_check_component_reports_incorrect_lemmatizers(lemmatizer, message):
    check_component(UpperCaseLemmatizer)
    with pytest.raises(ConformanceError, match=message):
        check_component(lemmatizer)


class LengthFeature(Feature):
    """Count the characters of the hypothesis."""

    name = "length"
    dimension = 1

    def compute(self, batch):
        return [[len(text)] for text in batch.hypotheses]


@pytest.mark.parametrize(
    ("feature", "message"),
    [
        (
            make_variant(LengthFeature, compute=lambda self, batch: [[len(batch.hypotheses)]] * len(batch.hypotheses)),
            "the rest of the batch",
        ),
        (
            make_variant(LengthFeature, compute=lambda self, batch: [[1 / len(text)] for text in batch.hypotheses]),
            "ZeroDivisionError",
        ),
        (make_variant(LengthFeature, columns=("a", "b")), "columns has 2 different names for 1 numbers"),
    ],
)
def test_check_component_reports_incorrect_features(feature, message):
    check_component(LengthFeature)
    with pytest.raises(ConformanceError, match=message):
        check_component(feature)


def test_check_plugin_reports_all_errors_of_a_plugin(plugin_site):
    import importlib

    code = "from meteor_e import hookimpl\nfrom meteor_e.matchers.modules import ExactMatcher\n"
    hook = "@hookimpl\ndef meteor_e_matchers(): return "
    plugin_site.add("good-plugin", "from test_testing import SuffixMatcher\n" + code + hook + "[SuffixMatcher]")
    plugin_site.add("sad-plugin", code + hook + "[ExactMatcher, 4]")
    check_plugin(importlib.import_module("good_plugin"))
    with pytest.raises(ConformanceError) as error:
        check_plugin(importlib.import_module("sad_plugin"))
    assert "plugin sad_plugin does not conform" in str(error.value)
    assert "'exact' is claimed by" in str(error.value)
    assert "4 is not a class" in str(error.value)
    with pytest.raises(ConformanceError, match="has no hooks"):
        check_plugin(random)


class SentenceMatcher(ContextualMatcher):
    """Match words with the same first letter. The vectors also depend slightly on the length of the sentence."""

    name = "sentences"

    def encode(self, sentences):
        rows = np.zeros((sum(map(len, sentences)), 27), np.float32)
        contexts = [(token, sentence) for sentence in sentences for token in sentence]
        for row, (token, sentence) in zip(rows, contexts, strict=True):
            letter_index = ord(token.form[0]) % 26 if token.form else 0
            row[letter_index] = 1
            row[26] = len(sentence) / 100
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows, np.cumsum([0, *map(len, sentences)])


def test_check_matcher_accepts_a_contextual_matcher():
    check_matcher(SentenceMatcher, tokens=["boat", "boats"], fresh_process=False)


def make_contextual_variant(change):
    """Return a matcher whose vectors and offsets are changed by a function."""

    class Broken(SentenceMatcher):
        """Broken."""

        def encode(self, sentences):
            return change(sentences, *super().encode(sentences))

    return Broken


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda sentences, rows, offsets: (rows[:-1], offsets), "one row per token"),
        (lambda sentences, rows, offsets: (rows * np.float32("nan"), offsets), "not finite"),
        (lambda sentences, rows, offsets: (rows * np.float32(0.5), offsets), "divide each by its length"),
        (lambda sentences, rows, offsets: (rows, offsets[1:]), "it must return one row per token"),
        (lambda sentences, rows, offsets: None, "raised TypeError"),
        # The vectors and their number of dimensions depend on the number of sentences in the batch.
        (lambda sentences, rows, offsets: (np.roll(rows, len(sentences), 1), offsets), "encoded with it"),
        (lambda sentences, rows, offsets: (np.pad(rows, ((0, 0), (0, len(sentences)))), offsets), "encoded with it"),
    ],
    ids=["short", "nan", "length", "offsets", "none", "batch", "dimensions"],
)
def test_check_matcher_reports_incorrect_contextual_matchers(change, message):
    with pytest.raises(ConformanceError, match=message):
        check_matcher(make_contextual_variant(change), tokens=["boat", "boats"], fresh_process=False)
