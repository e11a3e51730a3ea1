"""The conformance checks of matchers, lemmatizers and features detect and name each kind of error."""

from __future__ import annotations

import random
from typing import Annotated

import numpy as np
import pytest
from msgspec import defstruct

from meteor_e.api.features import Feature
from meteor_e.api.lemmatizers import Lemmatizer
from meteor_e.api.matchers import ContextualMatcher, KeyMatcher, Match, Matcher, PhraseMatcher, SimilarityMatcher
from meteor_e.api.options import ComponentOptions, Meta
from meteor_e.base.errors import MeteorError
from meteor_e.matchers.modules import ExactMatcher, StemMatcher
from meteor_e.testing import ConformanceError, check_component, check_matcher, check_plugin


class Ends(KeyMatcher):
    """Words with the same last letters match."""

    name = "ends"

    class Options(ComponentOptions):
        letters: Annotated[int, Meta(ge=1, description="How many letters.")] = 2

    def keys(self, token):
        return {token.form[-self.options.letters :]}


class Letters(SimilarityMatcher):
    """Words of similar letters match."""

    name = "letters"

    def vectors(self, tokens):
        rows = np.zeros((len(tokens), 64), dtype=np.float32)
        for row, token in zip(rows, tokens, strict=True):
            for letter in token.form:
                row[ord(letter) % 64] += 1
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


class Table:
    words = ("as", "soon", "possible", "asap")
    phrases = ((0, 1, 0, 2), (3,))

    def word_id(self, word):
        return self.words.index(word) if word in self.words else -1

    def phrases_at(self, ids, start):
        return [(len(p), node) for node, p in enumerate(self.phrases) if tuple(ids[start : start + len(p)]) == p]

    def paraphrases(self, node):
        return [1] if node == 0 else []


class Soon(PhraseMatcher):
    """One abbreviation."""

    name = "soon"
    table_class = Table

    def __init__(self) -> None:
        self._table = self.table_class()

    @property
    def table(self):
        return self._table


class Joined(Matcher):
    """A word matches the two words that it is made of."""

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
        (Ends, None, {}),
        (Ends, ["mention", "nation"], {"letters": 4}),
        (Ends.make(letters=3), None, {}),
        (Letters, None, {}),
        (Letters, None, {"threshold": 0.9}),
        (Soon, ["as soon as possible", "asap"], {}),
        (Joined, ["data base", "database"], {}),
    ],
)
def test_correct_components_pass(matcher, tokens, options):
    check_matcher(matcher, tokens=tokens, **options)


def wrong(base, **members):
    """Return a class that differs from a correct class."""
    return type("Wrong", (base,), {"__doc__": "Wrong.", "__module__": __name__, "name": "wrong", **members})


def options(name, kind, default):
    return defstruct("Options", [(name, kind, default)], bases=(ComponentOptions,), kw_only=True)


class DescribesAtRandom(Ends):
    """Describes itself otherwise each time."""

    name = "describes-at-random"

    def describe(self):
        return str(id(self))


class HashedKeys(KeyMatcher):
    """Keys that differ between processes, and so do the matches."""

    name = "hashed-keys"

    def keys(self, token):
        return {hash(token.form) % 7}


class Leaks(Joined):
    """Matches what it has seen before."""

    name = "leaks"

    def __init__(self) -> None:
        self.seen: set[str] = set()

    def match(self, hypothesis, reference):
        for j, token in enumerate(reference):
            if token.form in self.seen and hypothesis:
                yield Match(j, 0)
        self.seen.update(token.form for token in hypothesis)


class Unpicklable(Ends):
    """Holds a function."""

    name = "unpicklable"

    def __init__(self, options=None) -> None:
        super().__init__(options)
        self.function = lambda: None


class ForgetsOption(Ends):
    """Loses its option when it is pickled."""

    name = "forgets-option"

    def __getstate__(self):
        return {"options": self.Options(letters=1)}


class SharedState(Ends):
    """Works in a variable that threads share."""

    name = "shared-state"

    def match(self, hypothesis, reference):
        self.now = hypothesis
        found = []
        for j, token in enumerate(reference):
            for i, other in enumerate(self.now):
                random.random()
                if token.form[-2:] == other.form[-2:]:
                    found.append(Match(j, i))
            for _ in range(200):
                pass
        return found if self.now is hypothesis else []


def by_batch(self, tokens):
    rows = Letters.vectors(self, tokens)
    rows += rows.mean(axis=0) * np.float32(0.1)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


BUFFER = np.zeros((1000, 64), dtype=np.float32)


def one_buffer(self, tokens):
    BUFFER[: len(tokens)] = Letters.vectors(self, tokens)
    return BUFFER[: len(tokens)]


def one_match(*numbers, **values):
    return lambda self, hypothesis, reference: [Match(*numbers, **values)] if hypothesis and reference else []


HELP = Meta(description="How many letters.")
WRONG = [
    (wrong(Ends, name=""), {}, "has the name ''; give it a name"),
    (wrong(Ends, name="My Ends"), {}, "'My Ends'; give it a name = '…' of lowercase letters"),
    (wrong(Ends, name="exact"), {}, "meteor_e has a matcher 'exact' of its own"),
    (wrong(Ends, __doc__=None), {}, "it has no docstring"),
    (wrong(KeyMatcher), {}, "does not define keys"),
    (wrong(Ends, default_weight=1.5), {}, "default_weight is 1.5"),
    (wrong(Ends, search_weight="much"), {}, "search_weight is 'much'"),
    (wrong(Ends, requires="wordnet"), {}, "requires is 'wordnet'"),
    (wrong(Ends, Options=options("weight", Annotated[float, HELP], 1.0)), {}, "'weight', a word that chains use"),
    (wrong(Ends, Options=options("letters", int, 2)), {}, "option 'letters' has no help"),
    (
        wrong(Ends, Options=options("letters", Annotated[int, Meta(ge=3), HELP], 2)),
        {},
        "the default of option 'letters' is not what its type says",
    ),
    (wrong(Ends, Options=dict), {}, "must be a subclass of ComponentOptions"),
    (wrong(Ends, describe=lambda self: "a\nb"), {}, r"describe\(\) returned 'a\\nb'"),
    (DescribesAtRandom, {}, "returns another description"),
    (wrong(Ends, describe=lambda self: ""), {"letters": 1}, "its options change the matches, but describe"),
    (
        wrong(KeyMatcher, keys=lambda self, token: {token.form.encode("ascii")}),
        {},
        r"keys\(Token\(.*raised UnicodeEncodeError",
    ),
    (wrong(KeyMatcher, keys=lambda self, token: token.form[:2]), {}, "return a set: "),
    (wrong(KeyMatcher, keys=lambda self, token: None), {}, "returned None; return a set: "),
    (wrong(KeyMatcher, keys=lambda self, token: [[token.form]]), {}, "unhashable type"),
    (
        wrong(KeyMatcher, keys=lambda self, token: {{"boat": 1, "boats": 1}.get(token.form)}),
        {},
        "contains None, so that all tokens without a key would match each other",
    ),
    (wrong(KeyMatcher, keys=lambda self, token: {float("nan")}), {}, "contains nan"),
    (wrong(KeyMatcher, keys=lambda self, token: {random.random() < 0.5}), {}, "differ from call to call"),
    (HashedKeys, {}, "in a new process it proposes other matches"),
    (
        wrong(Letters, vectors=lambda self, tokens: Letters.vectors(self, tokens).astype(np.float64)),
        {},
        "float64 array .* it must return a float32 array",
    ),
    (
        wrong(Letters, vectors=lambda self, tokens: Letters.vectors(self, tokens) * np.float32(2)),
        {},
        "has length 2; divide it by its length",
    ),
    (
        wrong(Letters, vectors=lambda self, tokens: Letters.vectors(self, tokens) * np.float32("nan")),
        {},
        "is not finite",
    ),
    (
        wrong(Letters, vectors=lambda self, tokens: Letters.vectors(self, tokens)[1:]),
        {},
        "float32 array of shape .* one row per token",
    ),
    (wrong(Letters, vectors=by_batch), {}, "the vector of a token depends on the other tokens"),
    (wrong(Letters, vectors=one_buffer), {}, "a second call overwrites the rows"),
    (
        wrong(Joined, match=lambda self, hypothesis, reference: [Match(len(reference) - 1, 0, 2, 1)]),
        {},
        "positions and lengths must be ints within",
    ),
    (wrong(Joined, match=lambda self, hypothesis, reference: [(0, 0)]), {}, r"proposed \(0, 0\); propose Match"),
    (wrong(Joined, match=one_match(np.int64(0), np.int64(0))), {}, "positions and lengths must be ints"),
    (wrong(Joined, match=one_match(0, 0, probability=2.0)), {}, r"the probability 2\.0; it must be in"),
    (
        wrong(Joined, match=lambda self, hypothesis, reference: hypothesis.sort() or []),
        {},
        "match changes the segments",
    ),
    (wrong(Joined, match=lambda self, *sides: []), {}, "proposed no match in the samples; pass tokens"),
    (Leaks, {}, "called again, it proposes other matches"),
    (
        wrong(Ends, match=lambda self, *sides: [m for m in Ends.match(self, *sides) if m.hypothesis_start % 2]),
        {},
        "change if hypothesis and reference are exchanged",
    ),
    (wrong(Letters, match=lambda self, *sides: []), {}, "equal words do not match"),
    (Unpicklable, {}, "pickling it .* raised"),
    (ForgetsOption, {}, "a pickled copy proposes other matches"),
]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of what divides by zero
@pytest.mark.parametrize(("matcher", "options", "message"), WRONG, ids=[message for _, _, message in WRONG])
def test_incorrect_components_are_reported(matcher, options, message):
    with pytest.raises(ConformanceError, match=message) as caught:
        check_matcher(matcher, tokens=["as soon as possible", "asap"], **options)
    assert isinstance(caught.value, AssertionError)
    assert isinstance(caught.value, MeteorError)
    assert str(caught.value).startswith(f"matcher {matcher.name!r} (")


def test_threads_that_disturb_each_other(monkeypatch):
    """The matcher waits for the other threads, so that a race occurs in each run."""
    import threading

    original = SharedState.match
    barrier = threading.Barrier(4)

    def match(self, hypothesis, reference):
        self.now = hypothesis
        if threading.current_thread() is not threading.main_thread():
            barrier.wait()
        result = original(self, self.now, reference)
        return result

    monkeypatch.setattr(SharedState, "match", match)
    with pytest.raises(ConformanceError, match="used from several threads at once, it gave other matches"):
        check_matcher(SharedState)


class Upper(Lemmatizer):
    """The word in capitals."""

    name = "upper"

    def lemmatize(self, words):
        return [(word.upper(), None) for word in words]


class ByChance(Upper):
    """Another lemma each time."""

    name = "by-chance"
    scope = "sentence"

    def lemmatize(self, words):
        return [(str(random.random()), None) for _ in words]


@pytest.mark.parametrize(
    ("lemmatizer", "message"),
    [
        (
            wrong(Upper, lemmatize=lambda self, words: [word.upper() for word in words]),
            "lemmatizer 'wrong' failed with ValueError: too many values to unpack",
        ),
        (
            wrong(Upper, lemmatize=lambda self, words: [(word, None) for word in words if word.isalpha()]),
            "5 lemmas for 6 words",
        ),
        (
            wrong(Upper, lemmatize=lambda self, words: [(str(word.encode("ascii")), None) for word in words]),
            "failed with UnicodeEncodeError",
        ),
        (ByChance, "with a pickled copy"),
        (wrong(Upper, scope="segment"), "scope is 'segment'"),
    ],
)
def test_wrong_lemmatizers(lemmatizer, message):
    check_component(Upper)
    with pytest.raises(ConformanceError, match=message):
        check_component(lemmatizer)


class Length(Feature):
    """Characters of the hypothesis."""

    name = "length"
    dimension = 1

    def compute(self, batch):
        return [[len(text)] for text in batch.hypotheses]


@pytest.mark.parametrize(
    ("feature", "message"),
    [
        (
            wrong(Length, compute=lambda self, batch: [[len(batch.hypotheses)]] * len(batch.hypotheses)),
            "the rest of the batch",
        ),
        (
            wrong(Length, compute=lambda self, batch: [[1 / len(text)] for text in batch.hypotheses]),
            "ZeroDivisionError",
        ),
        (wrong(Length, columns=("a", "b")), "columns has 2 different names for 1 numbers"),
    ],
)
def test_wrong_features(feature, message):
    check_component(Length)
    with pytest.raises(ConformanceError, match=message):
        check_component(feature)


def test_check_plugin(plugin_site):
    import importlib

    code = "from meteor_e import hookimpl\nfrom meteor_e.matchers.modules import ExactMatcher\n"
    hook = "@hookimpl\ndef meteor_e_matchers(): return "
    plugin_site.add("good-plugin", "from test_testing import Ends\n" + code + hook + "[Ends]")
    plugin_site.add("sad-plugin", code + hook + "[ExactMatcher, 4]")
    check_plugin(importlib.import_module("good_plugin"))
    with pytest.raises(ConformanceError) as caught:
        check_plugin(importlib.import_module("sad_plugin"))
    assert "plugin sad_plugin does not conform" in str(caught.value)
    assert "'exact' is claimed by" in str(caught.value)
    assert "4 is not a class" in str(caught.value)
    with pytest.raises(ConformanceError, match="has no hooks"):
        check_plugin(random)


class Sentences(ContextualMatcher):
    """Words with the same first letter, and a little of how long their sentence is."""

    name = "sentences"

    def encode(self, sentences):
        rows = np.zeros((sum(map(len, sentences)), 27), np.float32)
        for row, (sentence, token) in zip(rows, ((one, word) for one in sentences for word in one), strict=True):
            row[[ord(token.form[0]) % 26 if token.form else 0, 26]] = 1, len(sentence) / 100
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows, np.cumsum([0, *map(len, sentences)])


def test_contextual_matcher_conforms():
    check_matcher(Sentences, tokens=["boat", "boats"], fresh_process=False)


def _changed(change):
    class Broken(Sentences):
        """Broken."""

        def encode(self, sentences):
            return change(sentences, *super().encode(sentences))

    return Broken


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda sentences, rows, offsets: (rows[:-1], offsets), "one row per token"),
        (lambda sentences, rows, offsets: (rows * np.float32("nan"), offsets), "not finite"),
        (lambda sentences, rows, offsets: (rows * np.float32(0.5), offsets), "divide each by its length"),
        (lambda sentences, rows, offsets: (rows, offsets[1:]), "it must return one row per token"),
        (lambda sentences, rows, offsets: None, "raised TypeError"),
        (lambda sentences, rows, offsets: (np.roll(rows, len(sentences), 1), offsets), "encoded with it"),
        (lambda sentences, rows, offsets: (np.pad(rows, ((0, 0), (0, len(sentences)))), offsets), "encoded with it"),
    ],
    ids=["short", "nan", "length", "offsets", "none", "batch", "dimensions"],
)
def test_contextual_matcher_that_does_not_conform_is_reported(change, said):
    with pytest.raises(ConformanceError, match=said):
        check_matcher(_changed(change), tokens=["boat", "boats"], fresh_process=False)
