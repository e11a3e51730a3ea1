"""The conformance checks: what is right passes, and each way to be wrong is found and named."""

from __future__ import annotations

import random
import zlib
from typing import Annotated

import numpy as np
import pytest

from meteor_e.api.features import Feature
from meteor_e.api.lemmatizers import Lemmatizer
from meteor_e.api.matchers import ContextualMatcher, KeyMatcher, Match, Matcher, PhraseMatcher, SimilarityMatcher
from meteor_e.api.options import ComponentOptions, Meta
from meteor_e.base.errors import ConfigError, MeteorError
from meteor_e.matchers.modules import ExactMatcher, StemMatcher
from meteor_e.testing import ConformanceError, check_feature, check_lemmatizer, check_matcher, check_plugin


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
def test_what_is_right_passes(matcher, tokens, options):
    check_matcher(matcher, tokens=tokens, **options)


class NoName(Ends):
    """No name."""

    name = ""


class BadName(Ends):
    """A bad name."""

    name = "My Ends"


class TakenName(Ends):
    """A name that is taken."""

    name = "exact"


class Undocumented(Ends):
    name = "undocumented"


class Abstract(KeyMatcher):
    """Nothing in it."""

    name = "abstract"


class Heavy(Ends):
    """Weighs too much."""

    name = "heavy"
    default_weight = 1.5
    search_weight = "much"


class Requires(Ends):
    """Requires in one text."""

    name = "requires"
    requires = "wordnet"


class ReservedOption(Ends):
    """An option that a chain can't give."""

    name = "reserved"

    class Options(ComponentOptions):
        weight: Annotated[float, Meta(description="How much it counts.")] = 1


class NoHelp(Ends):
    """An option that nobody explains."""

    name = "no-help"

    class Options(ComponentOptions):
        letters: int = 2


class BadDefault(Ends):
    """A default that is out of bounds."""

    name = "bad-default"

    class Options(ComponentOptions):
        letters: Annotated[int, Meta(ge=3, description="How many letters.")] = 2


class NoStruct(Ends):
    """Options that are no class of options."""

    name = "no-struct"

    class Options:
        letters: int = 2


class Describes(Ends):
    """Describes itself in two lines."""

    name = "describes"

    def describe(self):
        return "a\nb"


class DescribesAtRandom(Ends):
    """Describes itself otherwise each time."""

    name = "describes-at-random"

    def describe(self):
        return str(id(self))


class Silent(Ends):
    """Says nothing of its option."""

    name = "silent"

    def describe(self):
        return ""


class Fragile(KeyMatcher):
    """Breaks on odd words."""

    name = "fragile"

    def keys(self, token):
        return {token.form.encode("ascii")}


class OneKey(KeyMatcher):
    """Returns a text."""

    name = "one-key"

    def keys(self, token):
        return token.form[:2]


class NoKey(KeyMatcher):
    """Returns None."""

    name = "no-key"

    def keys(self, token):
        return None


class Unhashable(KeyMatcher):
    """Keys are lists."""

    name = "unhashable"

    def keys(self, token):
        return [[token.form[:2]]]


class NoneKey(KeyMatcher):
    """Unknown words have the key None."""

    name = "none-key"

    def keys(self, token):
        return {{"boat": 1, "boats": 1}.get(token.form)}


class NanKey(KeyMatcher):
    """A key that does not equal itself."""

    name = "nan-key"

    def keys(self, token):
        return {float("nan")}


class RandomKeys(KeyMatcher):
    """Keys by chance."""

    name = "random-keys"

    def keys(self, token):
        return {random.random() < 0.5}


class HashedKeys(KeyMatcher):
    """Keys that differ between processes, and so do the matches."""

    name = "hashed-keys"

    def keys(self, token):
        return {hash(token.form) % 7}


class Doubles(Letters):
    """Vectors in double precision."""

    name = "doubles"

    def vectors(self, tokens):
        return super().vectors(tokens).astype(np.float64)


class Long(Letters):
    """Vectors that are not of length 1."""

    name = "long"

    def vectors(self, tokens):
        return super().vectors(tokens) * np.float32(2)


class Infinite(Letters):
    """Vectors divided by zero."""

    name = "infinite"

    def vectors(self, tokens):
        rows = super().vectors(tokens)
        rows[0] = np.nan
        return rows


class OneShort(Letters):
    """A row is missing."""

    name = "one-short"

    def vectors(self, tokens):
        return super().vectors(tokens)[1:]


class ByBatch(Letters):
    """Vectors that depend on the batch."""

    name = "by-batch"

    def vectors(self, tokens):
        rows = super().vectors(tokens)
        rows += rows.mean(axis=0) * np.float32(0.1)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


class OneBuffer(Letters):
    """All results lie in one array."""

    name = "one-buffer"
    buffer = np.zeros((1000, 64), dtype=np.float32)

    def vectors(self, tokens):
        rows = super().vectors(tokens)
        self.buffer[: len(rows)] = rows
        return self.buffer[: len(rows)]


class HashedLetters(Letters):
    """Letters hashed with Python's hash, which differs between processes."""

    name = "hashed-letters"

    def vectors(self, tokens):
        rows = np.zeros((len(tokens), 8), dtype=np.float32)
        for row, token in zip(rows, tokens, strict=True):
            for letter in token.form:
                row[hash(letter) % 8] += 1
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


class StableLetters(Letters):
    """The right way."""

    name = "stable-letters"

    def vectors(self, tokens):
        rows = np.zeros((len(tokens), 64), dtype=np.float32)
        for row, token in zip(rows, tokens, strict=True):
            for letter in token.form:
                row[zlib.crc32(letter.encode("utf-8", "surrogatepass")) % 64] += 1
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


class UnknownZero(Soon):
    """Its table has the number 0 for unknown words."""

    name = "unknown-zero"

    class table_class(Table):  # noqa: N801
        def word_id(self, word):
            return max(0, super().word_id(word))


class PastTheEnd(Soon):
    """Its table has phrases that go past the end."""

    name = "past-the-end"

    class table_class(Table):  # noqa: N801
        def phrases_at(self, ids, start):
            return [(4, 0)] if ids[start] == 0 else []


class Outside(Joined):
    """Proposes words that are not there."""

    name = "outside"

    def match(self, hypothesis, reference):
        yield Match(len(reference) - 1, len(hypothesis) - 1, 2, 1)


class Pairs(Joined):
    """Proposes pairs."""

    name = "pairs"

    def match(self, hypothesis, reference):
        yield (0, 0)


class NumpyPositions(Joined):
    """Proposes numbers of numpy."""

    name = "numpy-positions"

    def match(self, hypothesis, reference):
        if hypothesis and reference:
            yield Match(np.int64(0), np.int64(0))


class Certain(Joined):
    """Is more than sure."""

    name = "certain"

    def match(self, hypothesis, reference):
        if hypothesis and reference:
            yield Match(0, 0, probability=2.0)


class Mutates(Joined):
    """Changes what it is given."""

    name = "mutates"

    def match(self, hypothesis, reference):
        hypothesis.sort()
        return []


class Never(Joined):
    """Matches nothing."""

    name = "never"

    def match(self, hypothesis, reference):
        return []


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


class OneSided(Ends):
    """Leaves out words of the hypothesis."""

    name = "one-sided"

    def match(self, hypothesis, reference):
        return [match for match in super().match(hypothesis, reference) if match.hypothesis_start % 2]


class ForgetsEqual(Letters):
    """Equal words don't match."""

    name = "forgets-equal"

    def match(self, hypothesis, reference):
        pairs = super().match(hypothesis, reference)
        return [m for m in pairs if hypothesis[m.hypothesis_start].form != reference[m.reference_start].form]


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


WRONG = [
    (NoName, {}, "has no name"),
    (BadName, {}, "'My Ends'; a name is made of lower-case letters"),
    (TakenName, {}, "meteor_e has a matcher 'exact' of its own"),
    (Undocumented, {}, "it has no docstring"),
    (Abstract, {}, "does not define keys"),
    (Heavy, {}, "default_weight is 1.5"),
    (Heavy, {}, "search_weight is 'much'"),
    (Requires, {}, "requires is 'wordnet'"),
    (ReservedOption, {}, "an option 'weight', a word that chains use"),
    (NoHelp, {}, "option 'letters' has no help"),
    (BadDefault, {}, "the default of option 'letters' is not what its type says"),
    (NoStruct, {}, "must be a subclass of ComponentOptions"),
    (Describes, {}, r"describe\(\) returned 'a\\nb'"),
    (DescribesAtRandom, {}, "describes itself otherwise"),
    (Silent, {"letters": 1}, "its options change the matches, but describe"),
    (Fragile, {}, r"keys\(Token\(.*raised UnicodeEncodeError"),
    (OneKey, {}, "it must return a set of keys"),
    (NoKey, {}, "returned None; a token without keys has an empty set"),
    (Unhashable, {}, "keys must be hashable"),
    (NoneKey, {}, "holds None; tokens that have nothing to compare would match each other"),
    (NanKey, {}, "holds nan"),
    (RandomKeys, {}, "differs from call to call"),
    (HashedKeys, {}, "in a new process it proposes other matches"),
    (Doubles, {}, "float64 array .* it must return a float32 array"),
    (Long, {}, "has length 2; divide it by its length"),
    (Infinite, {}, "is not finite"),
    (OneShort, {}, "float32 array of shape .* one row per token"),
    (ByBatch, {}, "the vector of a token alone differs"),
    (OneBuffer, {}, "a second call overwrites the rows"),
    (HashedLetters, {"threshold": 0.95}, "in a new process it proposes other matches"),
    (UnknownZero, {}, "word_id of a word that no phrase holds is 0; it must be -1"),
    (PastTheEnd, {}, "phrases_at returned phrases of .4. words"),
    (Outside, {}, "positions and lengths are ints within"),
    (Pairs, {}, r"proposed \(0, 0\); propose Match"),
    (NumpyPositions, {}, "positions and lengths are ints"),
    (Certain, {}, r"the probability 2\.0; it must be in"),
    (Mutates, {}, "match changes the segments"),
    (Never, {}, "proposed no match in the samples; pass tokens"),
    (Leaks, {}, "asked again, it proposes other matches"),
    (OneSided, {}, "match otherwise when they change sides"),
    (ForgetsEqual, {}, "equal words do not match"),
    (Unpicklable, {}, "pickling it .* raised"),
    (ForgetsOption, {}, "a pickled copy proposes other matches"),
]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of what divides by zero
@pytest.mark.parametrize(
    ("matcher", "options", "message"), WRONG, ids=[f"{case[0].__name__}-{index}" for index, case in enumerate(WRONG)]
)
def test_what_is_wrong_is_named(matcher, options, message):
    with pytest.raises(ConformanceError, match=message) as caught:
        check_matcher(matcher, tokens=["as soon as possible", "asap"], **options)
    assert isinstance(caught.value, AssertionError)
    assert isinstance(caught.value, MeteorError)
    assert str(caught.value).startswith(f"matcher {matcher.name!r} (")


def test_the_right_way_to_hash_passes():
    check_matcher(StableLetters, threshold=0.95)


def test_a_matcher_that_cannot_be_made():
    with pytest.raises(ConfigError, match="letter: unknown option"):
        check_matcher(Ends, letter=2)
    with pytest.raises(ConfigError, match="threshold: must be a number from 0 to 1, not 7"):
        check_matcher(Letters, threshold=7)


def test_threads_that_disturb_each_other(monkeypatch):
    """A race is made certain: the matcher waits until the other threads have been there, too."""
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


class OnlyLemmas(Upper):
    """Lemmas without tags."""

    name = "only-lemmas"

    def lemmatize(self, words):
        return [word.upper() for word in words]


class Fewer(Upper):
    """Leaves out words without letters."""

    name = "fewer"

    def lemmatize(self, words):
        return [(word, None) for word in words if word.isalpha()]


class Careless(Upper):
    """Breaks on odd words."""

    name = "careless"

    def lemmatize(self, words):
        return [(word.encode("ascii").decode(), None) for word in words]


class ByChance(Upper):
    """Another lemma each time."""

    name = "by-chance"
    scope = "sentence"

    def lemmatize(self, words):
        return [(str(random.random()), None) for _ in words]


class Scoped(Upper):
    """A scope that there is not."""

    name = "scoped"
    scope = "segment"


@pytest.mark.parametrize(
    ("lemmatizer", "message"),
    [
        (OnlyLemmas, "returned 'THE'; return .lemma, tag."),
        (Fewer, "pairs for"),
        (Careless, "raised UnicodeEncodeError"),
        (ByChance, "from a pickled copy"),
        (Scoped, "scope is 'segment'"),
    ],
)
def test_wrong_lemmatizers(lemmatizer, message):
    check_lemmatizer(Upper)
    with pytest.raises(ConformanceError, match=message):
        check_lemmatizer(lemmatizer)


class Length(Feature):
    """Characters of the hypothesis."""

    name = "length"
    dimension = 1

    def compute(self, batch):
        return [[len(text)] for text in batch.hypotheses]


class Relative(Length):
    """Depends on the batch."""

    name = "relative"

    def compute(self, batch):
        return [[len(text) / max(map(len, batch.hypotheses), default=1)] for text in batch.hypotheses if text] + [
            [0.0] for text in batch.hypotheses if not text
        ]


class Divides(Length):
    """Divides by zero."""

    name = "divides"

    def compute(self, batch):
        return [[1 / len(text)] for text in batch.hypotheses]


class Columns(Length):
    """Too many columns."""

    name = "columns"
    columns = ("a", "b")


@pytest.mark.parametrize(
    ("feature", "message"),
    [
        (Relative, "depends on the rest of the batch"),
        (Divides, "failed with ZeroDivisionError"),
        (Columns, "columns has 2 different names for 1 numbers"),
    ],
)
def test_wrong_features(feature, message):
    check_feature(Length)
    with pytest.raises(ConformanceError, match=message):
        check_feature(feature)


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


def test_a_contextual_matcher_conforms():
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
def test_a_contextual_matcher_that_breaks_a_promise(change, said):
    with pytest.raises(ConformanceError, match=said):
        check_matcher(_changed(change), tokens=["boat", "boats"], fresh_process=False)
