from __future__ import annotations

import pytest

from meteor_e.api.matchers import KeyMatcher, Match, Matcher
from meteor_e.api.tokens import Token
from meteor_e.base.errors import InputError, PluginError
from meteor_e.engine import candidates as module
from meteor_e.engine.candidates import collect_candidates
from meteor_e.engine.python import align
from meteor_e.matchers.modules import ExactMatcher
from meteor_e.scoring.alignment import AlignedMatch


class Proposing(Matcher):
    """A matcher that proposes given matches."""

    name = "proposing"

    def __init__(self, *matches: Match) -> None:
        self.matches = matches
        self.asked = 0

    def match(self, hypothesis, reference):
        self.asked += 1
        return iter(self.matches)


def tokens(text):
    return list(map(Token, text.split()))


def test_candidates_are_ordered_by_reference_start_and_chain():
    late = Proposing(Match(1, 0), Match(0, 1, 2, 1, 0.25), Match(1, 1))
    found = collect_candidates([ExactMatcher(), late], tokens("a b"), tokens("x b"))
    assert found.by_reference == [
        [AlignedMatch(0, 2, 1, 1, 1, 0.25)],
        [AlignedMatch(1, 1, 1, 1, 0, 1.0), AlignedMatch(1, 1, 0, 1, 1, 1.0), AlignedMatch(1, 1, 1, 1, 1, 1.0)],
    ]
    assert found.fixed == [None, None]


def test_equal_sides_ask_the_first_matcher_only():
    first, second = Proposing(Match(0, 0)), Proposing(Match(0, 0))
    collect_candidates([first, second], tokens("a b"), tokens("a b"))
    assert (first.asked, second.asked) == (1, 0)
    collect_candidates([first, second], tokens("a b"), tokens("b a"))
    assert (first.asked, second.asked) == (2, 1)


@pytest.mark.parametrize(
    ("matches", "fixed"),
    [
        ([Match(0, 2)], [True, False, False]),
        ([Match(0, 1, 2, 2)], [True, False, False]),
        ([Match(0, 1), Match(0, 1)], [False, False, False]),
        ([Match(0, 1), Match(1, 1)], [False, False, False]),
        ([Match(0, 0, 2, 1), Match(1, 2)], [False, False, False]),
        ([Match(0, 0, 1, 2), Match(2, 1)], [False, False, False]),
        ([Match(0, 0), Match(2, 1)], [True, False, True]),
    ],
)
def test_match_is_fixed_if_its_words_have_no_other_match(matches, fixed):
    found = collect_candidates([Proposing(*matches)], tokens("a b c"), tokens("x y z"))
    assert [match is not None for match in found.fixed] == fixed


@pytest.mark.parametrize(
    "wrong", [None, 5, (0, 0), "ab", (0, 0, 1, 1, 1.0, 7), ("0", 0, 1, 1, 1.0), (0.0, 0, 1, 1, 1.0)]
)
def test_invalid_matches_are_errors_of_the_matcher(wrong):
    with pytest.raises(PluginError, match=r"matcher 'proposing'"):
        collect_candidates([Proposing(wrong)], tokens("a b"), tokens("x y"))


def test_endless_matcher_is_stopped(monkeypatch):
    monkeypatch.setattr(module, "MAX_CANDIDATES", 1000)

    class Endless(Matcher):
        name = "endless"

        def match(self, hypothesis, reference):
            while True:
                yield Match(0, 0)

    with pytest.raises(InputError, match="more than 1000 candidate"):
        collect_candidates([Endless()], tokens("a"), tokens("b"))


class Initial(KeyMatcher):
    """Words with the same first letter match."""

    name = "initial"

    def keys(self, token):
        return {token.form[0]}


class Light(Initial):
    accuracy_search_weight = 0.0


def aligned(hypothesis, reference, *matchers, **options):
    return align(matchers, list(map(Token, hypothesis.split())), list(map(Token, reference.split())), **options)


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
