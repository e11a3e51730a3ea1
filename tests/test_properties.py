"""Properties that scores have for all texts, as hypothesis tests."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meteor_e import Meteor
from meteor_e.api.tokens import split_words
from meteor_e.scoring import formula
from meteor_e.scoring.statistics import StatisticsSum

# The options of the metrics that the tests use, by the test id.
OPTIONS = {
    "default": {},
    "adq": {"task": "adq"},
    "characters": {"character_mode": True},
    "beam-1": {"beam": 1},
    "no-normalization": {"normalization": "none"},
    "no-punctuation": {"normalization": "no-punctuation"},
    "universal": {"task": "universal"},
}

VOCABULARY = (
    "in the end at last finally big large ship ships boat vessel run runs gone many people a lot of x y z red house "
    "home child children boxes box Mr. U.S. 5 , . ! don't well-known 😀"
)
words = st.sampled_from(VOCABULARY.split())
prose = st.lists(words, max_size=14).map(" ".join)
arbitrary_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
texts = prose | arbitrary_text
pairs = st.tuples(texts, texts)


@pytest.fixture(scope="module", params=OPTIONS)
def meteor(request, _own_packs):
    """A metric for English, once for each entry of ``OPTIONS``."""
    return Meteor("en", pack=_own_packs / "en", **OPTIONS[request.param])


@given(pair=pairs)
def test_scores_and_components_lie_between_zero_and_one(meteor, pair):
    result = meteor.score(*pair)
    assert 0 <= result.score <= result.fmean + 1e-12
    components = (result.precision, result.recall, result.f1, result.fmean, result.fragmentation_penalty)
    for value in (result.score, *components):
        assert 0 <= value <= 1 + 1e-12


@given(text=texts)
def test_score_of_equal_texts_is_one_unless_they_are_empty(meteor, text):
    expected = 1.0 if split_words(meteor.normalizer(text)) else 0.0
    assert meteor.score(text, text).score == expected


@given(text=st.lists(st.sampled_from("ab"), min_size=1, max_size=60).map(" ".join))
def test_score_of_equal_repetitive_texts_is_one(meteor, text):
    # The diagonal alignment always comes first among the best candidates of the beam search, so every beam keeps it.
    assert meteor.score(text, text).score == 1.0


@given(hypothesis=texts, references=st.lists(texts, min_size=1, max_size=3), additional_reference=texts)
def test_additional_reference_never_lowers_the_score(meteor, hypothesis, references, additional_reference):
    all_references = [*references, additional_reference]
    result = meteor.score(hypothesis, references)
    extended_result = meteor.score(hypothesis, all_references)
    assert extended_result.score >= result.score
    assert extended_result.score == max(meteor.score(hypothesis, reference).score for reference in all_references)
    if extended_result.score == result.score:
        assert extended_result.reference_index == result.reference_index


@given(batch=st.lists(pairs, min_size=1, max_size=5), random=st.randoms(use_true_random=False))
def test_corpus_score_is_independent_of_the_segment_order(meteor, batch, random):
    shuffled = list(batch)
    random.shuffle(shuffled)
    corpus = meteor.corpus(*zip(*batch, strict=True), segments=True)
    shuffled_corpus = meteor.corpus(*zip(*shuffled, strict=True), segments=True)
    assert corpus.score == shuffled_corpus.score
    assert corpus.statistics == shuffled_corpus.statistics
    scores = {pair: segment.score for pair, segment in zip(batch, corpus.segments, strict=True)}
    assert [scores[pair] for pair in shuffled] == [segment.score for segment in shuffled_corpus.segments]


@given(batch=st.lists(pairs, min_size=1, max_size=5))
def test_segment_statistics_add_up_to_the_corpus_score(meteor, batch):
    corpus = meteor.corpus(*zip(*batch, strict=True))
    total = StatisticsSum(len(meteor.matchers))
    for pair in batch:
        total.add(meteor.score(*pair).statistics)
    assert corpus.statistics == total.total
    assert corpus.score == formula.compute(total.total, meteor.chain.parameters).score


@given(pair=pairs)
def test_contributions_add_up_to_the_score(meteor, pair):
    result = meteor.score(*pair)
    contributions = result.contributions()
    assert sum(contribution.score for contribution in contributions) == pytest.approx(result.score, abs=1e-9)
    assert sum(contribution.precision for contribution in contributions) == pytest.approx(result.precision, abs=1e-9)
    assert sum(contribution.recall for contribution in contributions) == pytest.approx(result.recall, abs=1e-9)


@given(pair=pairs)
def test_alignment_uses_words_once_and_fits_the_statistics(meteor, pair):
    result = meteor.score(*pair)
    hypothesis_positions: set[int] = set()
    reference_positions: set[int] = set()
    previous_start = -1
    for match in result.alignment.matches:
        assert match.reference_start > previous_start
        previous_start = match.reference_start
        for positions, start, length in (
            (hypothesis_positions, match.hypothesis_start, match.hypothesis_length),
            (reference_positions, match.reference_start, match.reference_length),
        ):
            matched_positions = set(range(start, start + length))
            assert not matched_positions & positions
            positions.update(matched_positions)
    statistics = result.statistics
    assert statistics.hypothesis_matched == len(hypothesis_positions)
    assert statistics.reference_matched == len(reference_positions)
    assert statistics.chunks == result.alignment.chunks <= max(1, len(result.alignment.matches))
    assert (statistics.chunks == 0) == (not result.alignment.matches)
