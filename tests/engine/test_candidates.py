"""Candidate matches: their order, the checks of matchers, and the alignments that the Python engine selects."""

from __future__ import annotations

import pytest

from meteor_e.api.matchers import KeyMatcher, Match, Matcher
from meteor_e.api.tokens import Token
from meteor_e.base.errors import InputError, PluginError
from meteor_e.engine import candidates as candidates_module
from meteor_e.engine.candidates import collect_candidates
from meteor_e.engine.python import align
from meteor_e.matchers.modules import ExactMatcher
from meteor_e.scoring.alignment import AlignedMatch


class FixedMatcher(Matcher):
    """A matcher that returns the same matches for all segments, and counts its calls."""

    name = "fixed"

    def __init__(self, *matches: Match) -> None:
        self.matches = matches
        self.call_count = 0

    def match(self, hypothesis, reference):
        self.call_count += 1
        return iter(self.matches)


def make_tokens(text):
    """Split a text at its spaces, and return the tokens."""
    return list(map(Token, text.split()))


def test_candidates_are_ordered_by_reference_start_and_chain():
    fixed_matcher = FixedMatcher(Match(1, 0), Match(0, 1, 2, 1, 0.25), Match(1, 1))
    candidates = collect_candidates([ExactMatcher(), fixed_matcher], make_tokens("a b"), make_tokens("x b"))
    assert candidates.by_reference == [
        [AlignedMatch(0, 2, 1, 1, 1, 0.25)],
        [AlignedMatch(1, 1, 1, 1, 0, 1.0), AlignedMatch(1, 1, 0, 1, 1, 1.0), AlignedMatch(1, 1, 1, 1, 1, 1.0)],
    ]
    assert candidates.fixed == [None, None]


def test_equal_texts_use_only_the_first_matcher():
    first, second = FixedMatcher(Match(0, 0)), FixedMatcher(Match(0, 0))
    collect_candidates([first, second], make_tokens("a b"), make_tokens("a b"))
    assert (first.call_count, second.call_count) == (1, 0)
    collect_candidates([first, second], make_tokens("a b"), make_tokens("b a"))
    assert (first.call_count, second.call_count) == (2, 1)


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
    ids=[
        "single word",
        "single phrase",
        "same match twice",
        "same hypothesis word",
        "overlap in the reference",
        "overlap in the hypothesis",
        "independent matches",
    ],
)
def test_match_is_fixed_if_its_words_have_no_other_match(matches, fixed):
    candidates = collect_candidates([FixedMatcher(*matches)], make_tokens("a b c"), make_tokens("x y z"))
    assert [match is not None for match in candidates.fixed] == fixed


@pytest.mark.parametrize(
    "invalid_match", [None, 5, (0, 0), "ab", (0, 0, 1, 1, 1.0, 7), ("0", 0, 1, 1, 1.0), (0.0, 0, 1, 1, 1.0)]
)
def test_invalid_match_raises_an_error_of_the_matcher(invalid_match):
    with pytest.raises(PluginError, match=r"matcher 'fixed'"):
        collect_candidates([FixedMatcher(invalid_match)], make_tokens("a b"), make_tokens("x y"))


def test_endless_matcher_raises_an_input_error(monkeypatch):
    monkeypatch.setattr(candidates_module, "MAX_CANDIDATES", 1000)

    class EndlessMatcher(Matcher):
        name = "endless"

        def match(self, hypothesis, reference):
            while True:
                yield Match(0, 0)

    with pytest.raises(InputError, match="more than 1000 candidate"):
        collect_candidates([EndlessMatcher()], make_tokens("a"), make_tokens("b"))


class InitialMatcher(KeyMatcher):
    """A matcher that matches words with the same first letter."""

    name = "initial"

    def keys(self, token):
        return {token.form[0]}


class WeightlessMatcher(InitialMatcher):
    """An initial matcher whose matches have no weight in the search for maximum accuracy."""

    accuracy_search_weight = 0.0


def align_texts(hypothesis, reference, *matchers, **options):
    """Align two texts with the Python engine."""
    return align(matchers, make_tokens(hypothesis), make_tokens(reference), **options)


def test_alignment_contains_words_matchers_and_chunks():
    alignment = align_texts("big cats purr", "cats purr bad", ExactMatcher(), InitialMatcher())
    assert alignment.hypothesis == ("big", "cats", "purr")
    assert alignment.reference == ("cats", "purr", "bad")
    assert alignment.matchers == ("exact", "initial")
    assert alignment.pairs() == [("cats", "cats", "exact"), ("purr", "purr", "exact"), ("big", "bad", "initial")]
    assert alignment.chunks == 2


def test_maximum_accuracy_uses_accuracy_search_weights():
    # In the search for maximum accuracy, exact and inexact matches have the same weight by default.
    texts = "c bet", "bit q bet"
    assert align_texts(*texts, ExactMatcher(), InitialMatcher()).pairs() == [("bet", "bet", "exact")]
    assert align_texts(*texts, ExactMatcher(), InitialMatcher(), maximum_accuracy=True).pairs() == [
        ("bet", "bit", "initial")
    ]
    assert align_texts(*texts, ExactMatcher(), WeightlessMatcher(), maximum_accuracy=True).pairs() == [
        ("bet", "bet", "exact")
    ]


def test_align_supports_texts_of_ten_thousand_words():
    words = " ".join(f"w{number}" for number in range(10_000))
    alignment = align_texts(words, words + " end", ExactMatcher())
    assert (len(alignment.matches), alignment.chunks) == (10_000, 1)
    alignment = align_texts(words, " ".join(reversed(words.split())), ExactMatcher())
    assert (len(alignment.matches), alignment.chunks) == (10_000, 10_000)
