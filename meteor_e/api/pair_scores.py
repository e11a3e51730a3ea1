"""Score every candidate of a source against every reference, with any metric."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from meteor_e.api.batches import Batch
from meteor_e.api.metrics import Metric, ScoresPairs, compute_statistics, main_scores
from meteor_e.base.texts import read_texts_by_source

# NumPy is not imported here, because METEOR's scores do not need it and importing it takes time.
if TYPE_CHECKING:
    from meteor_e.base.array_cache import Floats


def score_pairs(
    metric: Metric, hypotheses: Iterable[Sequence[str]], references: Iterable[Sequence[str]] | None = None
) -> Iterator[Floats]:
    """Score every candidate against every reference of the same source.

    Args:
        metric: the metric. METEOR reads each text once; other metrics score each pair separately.
        hypotheses: candidates of each source.
        references: references of each source; by default the candidates.

    Yields:
        Scores for each source, ``(candidates, references)``.

    Raises:
        InputError: if a source does not have a list of texts. The message names the number of the source.
    """
    if isinstance(metric, ScoresPairs):
        yield from metric.pairwise_batches(hypotheses, references)
        return
    for source_candidates, source_references in read_texts_by_source(hypotheses, references):
        yield _score_pairs_of_source(metric, source_candidates, source_references)


def _score_pairs_of_source(metric: Metric, candidates: Sequence[str], references: Sequence[str]) -> Floats:
    """Score every candidate against every reference. The shape is ``(candidates, references)``."""
    import numpy as np

    if not candidates or not references:
        return np.empty((len(candidates), len(references)))
    reference_lists = [[reference] for reference in references]
    prepared_metric = metric.prepare(reference_lists) if metric.needs_references else metric
    repeated_candidates = [candidate for candidate in candidates for _ in references]
    batch = Batch(repeated_candidates, reference_lists * len(candidates))
    statistics = compute_statistics(prepared_metric, batch)
    pair_scores = main_scores(prepared_metric.segment_scores(statistics))
    return pair_scores.reshape(len(candidates), len(references))
