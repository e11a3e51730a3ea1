from __future__ import annotations

from meteor_e.api.matchers import KeyMatcher
from meteor_e.api.tokens import plain_tokens
from meteor_e.engine.python import align
from meteor_e.matchers.modules import ExactMatcher


class Initial(KeyMatcher):
    """Words with one first letter match."""

    name = "initial"

    def keys(self, token):
        return {token.form[0]}


class Light(Initial):
    accuracy_search_weight = 0.0


def aligned(hypothesis, reference, *matchers, **options):
    return align(matchers, plain_tokens(hypothesis.split()), plain_tokens(reference.split()), **options)


def test_words_matchers_and_chunks():
    found = aligned("big cats purr", "cats purr bad", ExactMatcher(), Initial())
    assert found.hypothesis == ("big", "cats", "purr")
    assert found.reference == ("cats", "purr", "bad")
    assert found.matchers == ("exact", "initial")
    assert found.pairs() == [("cats", "cats", "exact"), ("purr", "purr", "exact"), ("big", "bad", "initial")]
    assert found.chunks == 2


def test_maximum_accuracy_uses_its_own_weights():
    # An inexact word weighs as much as an exact one there, unless its matcher says otherwise.
    sides = "c bet", "bit q bet"
    assert aligned(*sides, ExactMatcher(), Initial()).pairs() == [("bet", "bet", "exact")]
    assert aligned(*sides, ExactMatcher(), Initial(), maximum_accuracy=True).pairs() == [("bet", "bit", "initial")]
    assert aligned(*sides, ExactMatcher(), Light(), maximum_accuracy=True).pairs() == [("bet", "bet", "exact")]


def test_ten_thousand_words_on_either_side_are_aligned():
    words = " ".join(f"w{number}" for number in range(10_000))
    found = aligned(words, words + " end", ExactMatcher())
    assert (len(found.matches), found.chunks) == (10_000, 1)
    found = aligned(words, " ".join(reversed(words.split())), ExactMatcher())
    assert (len(found.matches), found.chunks) == (10_000, 10_000)
