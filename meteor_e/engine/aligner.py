"""Aligning: candidates, then the search."""

from __future__ import annotations

from collections.abc import Sequence

from meteor_e.api.matchers import Matcher
from meteor_e.api.tokens import Token
from meteor_e.engine.candidates import collect_candidates
from meteor_e.engine.search import DEFAULT_BEAM, search
from meteor_e.scoring.alignment import Alignment, count_chunks
from meteor_e.text.identity import Identity


def align(
    matchers: Sequence[Matcher],
    hypothesis: Sequence[Token],
    reference: Sequence[Token],
    *,
    beam: int = DEFAULT_BEAM,
    maximum_accuracy: bool = False,
    identity: Identity = str,
) -> Alignment:
    """Align a hypothesis with a reference.

    Args:
        matchers: the chain.
        hypothesis: tokens of the hypothesis.
        reference: tokens of the reference.
        beam: number of paths that survive a reference position.
        maximum_accuracy: prefer matches to few chunks, as the Java aligner's ``maxacc`` mode.
        identity: what makes two words one.

    Raises:
        InputError: if words repeat so often that the pair has too many candidates.
        PluginError: if a matcher proposes words that are not there.
    """
    candidates = collect_candidates(matchers, hypothesis, reference, identity)
    chosen = search(
        candidates.by_reference,
        candidates.fixed,
        [matcher.accuracy_search_weight if maximum_accuracy else matcher.search_weight for matcher in matchers],
        beam=beam,
        compare_matched_words=maximum_accuracy,
        shared=candidates.shared,
    )
    matches = tuple(chosen)
    return Alignment(
        tuple(token.form for token in hypothesis),
        tuple(token.form for token in reference),
        matches,
        tuple(matcher.name for matcher in matchers),
        count_chunks(matches),
    )
