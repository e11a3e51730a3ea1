"""Properties of scores that hold for any text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meteor_e import Meteor
from meteor_e.api.tokens import split_words
from meteor_e.scoring import formula
from meteor_e.scoring.statistics import StatisticsSum

OPTIONS = {
    "default": {},
    "adq": {"task": "adq"},
    "characters": {"character_mode": True},
    "narrow": {"beam": 1},
    "raw": {"normalization": "none"},
    "bare": {"normalization": "no-punctuation"},
    "universal": {"task": "universal"},
}

VOCABULARY = (
    "in the end at last finally big large ship ships boat vessel run runs gone many people a lot of x y z red house "
    "home child children boxes box Mr. U.S. 5 , . ! don't well-known 😀"
)
words = st.sampled_from(VOCABULARY.split())
prose = st.lists(words, max_size=14).map(" ".join)
anything = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
texts = prose | anything
pairs = st.tuples(texts, texts)


@pytest.fixture(scope="module", params=OPTIONS)
def meteor(request, _own_packs):
    return Meteor("en", pack=_own_packs / "en", **OPTIONS[request.param])


@given(pair=pairs)
def test_scores_and_parts_lie_between_zero_and_one(meteor, pair):
    result = meteor.score(*pair)
    assert 0 <= result.score <= result.fmean + 1e-12
    for part in (result.score, result.precision, result.recall, result.f1, result.fmean, result.fragmentation_penalty):
        assert 0 <= part <= 1 + 1e-12


@given(text=texts)
def test_equal_sides_score_one_unless_they_are_empty(meteor, text):
    expected = 1.0 if split_words(meteor.normalizer(text)) else 0.0
    assert meteor.score(text, text).score == expected


@given(text=st.lists(st.sampled_from("ab"), min_size=1, max_size=60).map(" ".join))
def test_equal_sides_score_one_however_repetitive(meteor, text):
    # The path along the diagonal is always the first among the best, so no beam loses it.
    assert meteor.score(text, text).score == 1.0


@given(hypothesis=texts, references=st.lists(texts, min_size=1, max_size=3), another=texts)
def test_another_reference_never_lowers_the_score(meteor, hypothesis, references, another):
    before = meteor.score(hypothesis, references)
    after = meteor.score(hypothesis, [*references, another])
    assert after.score >= before.score
    assert after.score == max(meteor.score(hypothesis, text).score for text in [*references, another])
    if after.score == before.score:
        assert after.reference_index == before.reference_index


@given(batch=st.lists(pairs, min_size=1, max_size=5), order=st.randoms(use_true_random=False))
def test_order_of_a_batch_does_not_matter(meteor, batch, order):
    shuffled = list(batch)
    order.shuffle(shuffled)
    corpora = [meteor.corpus(*zip(*rows, strict=True), segments=True) for rows in (batch, shuffled)]
    assert corpora[0].score == corpora[1].score
    assert corpora[0].statistics == corpora[1].statistics
    scores = {pair: segment.score for pair, segment in zip(batch, corpora[0].segments, strict=True)}
    assert [scores[pair] for pair in shuffled] == [segment.score for segment in corpora[1].segments]


@given(batch=st.lists(pairs, min_size=1, max_size=5))
def test_statistics_add_up_to_the_corpus_score(meteor, batch):
    corpus = meteor.corpus(*zip(*batch, strict=True))
    total = StatisticsSum(len(meteor.matchers))
    for pair in batch:
        total.add(meteor.score(*pair).statistics)
    assert corpus.statistics == total.total
    assert corpus.score == formula.compute(total.total, meteor.chain.parameters).score


@given(pair=pairs)
def test_contributions_add_up_to_the_score(meteor, pair):
    result = meteor.score(*pair)
    shares = result.contributions()
    assert sum(share.score for share in shares) == pytest.approx(result.score, abs=1e-9)
    assert sum(share.precision for share in shares) == pytest.approx(result.precision, abs=1e-9)
    assert sum(share.recall for share in shares) == pytest.approx(result.recall, abs=1e-9)


@given(pair=pairs)
def test_alignment_uses_words_once_and_fits_the_statistics(meteor, pair):
    result = meteor.score(*pair)
    used = {"hypothesis": set(), "reference": set()}
    last = -1
    for match in result.alignment.matches:
        assert match.reference_start > last
        last = match.reference_start
        for side, start, length in (
            ("hypothesis", match.hypothesis_start, match.hypothesis_length),
            ("reference", match.reference_start, match.reference_length),
        ):
            covered = set(range(start, start + length))
            assert not covered & used[side]
            used[side] |= covered
    statistics = result.statistics
    assert (statistics.hypothesis_matched, statistics.reference_matched) == tuple(map(len, used.values()))
    assert statistics.chunks == result.alignment.chunks <= max(1, len(result.alignment.matches))
    assert (statistics.chunks == 0) == (not result.alignment.matches)
