"""Computes and stores the METEOR scores and the alignments of one system.

The results are stored in arrays to save memory, because a report may contain hundreds of systems.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np

from meteor_e import MeteorCorpusScore, MeteorSegmentScore
from meteor_e.api import InputError
from meteor_e.api.metrics import resolve_failures
from meteor_e.base.progress import Progress
from meteor_e.scoring.arrays import divide_or_zero
from meteor_e.scoring.formula import FormulaScores, shares
from meteor_e.scoring.packed_alignments import PackedAlignments, pack_alignments
from meteor_e.scoring.rows import Rows, join_rows
from meteor_e.scoring.statistics import StatisticsSum, statistics_columns, to_additive

if TYPE_CHECKING:
    from meteor_e import Meteor
    from meteor_e.api.batches import Batch
    from meteor_e.base.array_cache import Floats

PARTS = {"precision": "Precision", "recall": "Recall", "fragmentation_penalty": "Fragmentation penalty"}
"""Components of METEOR whose distributions are shown, and their titles."""


@dataclass(frozen=True)
class ScoredSystem:
    """The output of a system with its METEOR scores and alignments.

    Attributes:
        name: name of the system.
        hypotheses: raw segments of the output.
        corpus: score of the whole output.
        rows: statistics and scores of the segments.
        alignments: alignments of the segments with their best references.
    """

    name: str
    hypotheses: tuple[str, ...]
    corpus: MeteorCorpusScore
    rows: Rows
    alignments: PackedAlignments

    @cached_property
    def segments(self) -> tuple[MeteorSegmentScore, ...]:
        """The scores and alignments of all segments as Python objects.

        These objects need much more memory than the arrays from which they are created.
        """
        return tuple(self._segment_scores())

    def _segment_scores(self) -> Iterator[MeteorSegmentScore]:
        """Yield the score of each segment, with its statistics and its alignment."""
        for index, (statistics, scores, reference_index) in enumerate(self.rows.segments()):
            yield MeteorSegmentScore(
                **scores.without_nan()._asdict(),
                statistics=statistics,
                parameters=self.corpus.parameters,
                matchers=self.corpus.matchers,
                signature=self.corpus.signature,
                reference_index=reference_index,
                alignment=self.alignments.unpack(index),
            )

    @cached_property
    def counts(self) -> Floats:
        """The additive statistics of each segment, as an array ``(segments, statistics)``."""
        counts: Floats = to_additive(self.rows.arrays().statistics).astype(float)
        return counts

    def values(self, statistic: str) -> Floats:
        """Return one value for every segment, such as its score.

        Args:
            statistic: ``score``, ``fmean``, or a key of :data:`PARTS`.
        """
        values = self.rows.arrays().scores[:, FormulaScores._fields.index(statistic)]
        return np.where(np.isnan(values), 0.0, values)

    def shares(self) -> Floats:
        """Return the contribution of each matcher to the score of each segment.

        The contributions of all matchers add up to the score of the segment.

        Returns:
            An array ``(segments, matchers)``.
        """
        segment_scores = FormulaScores(*(self.values(field) for field in FormulaScores._fields))  # type: ignore[arg-type]
        columns = statistics_columns(self.counts)
        contributions = shares(columns, segment_scores, self.corpus.parameters, divide_or_zero)
        return np.stack([contribution.score for contribution in contributions], axis=1)


def score_system(
    meteor: Meteor,
    name: str,
    hypotheses: Iterable[str],
    references: Sequence[tuple[str, ...]],
    progress: Progress,
) -> ScoredSystem:
    """Align and score the output of a system.

    Args:
        meteor: the chain that aligns the segments.
        name: name of the system.
        hypotheses: raw segments of the output.
        references: raw references of each segment.
        progress: receives the progress.

    Raises:
        InputError: if hypotheses and references differ in number, or a segment cannot be aligned.
    """
    if isinstance(hypotheses, str):
        raise InputError(f"{name}: hypotheses are a list of segments, not one text")
    segments = tuple(hypotheses)
    statistics_sum = StatisticsSum(len(meteor.matchers))
    batches: list[Rows] = []
    try:
        for batch_rows in _score_batches(meteor, segments, references):
            statistics_sum.add_total(batch_rows.total, len(batch_rows) - len(batch_rows.failures))
            batches.append(batch_rows)
            progress(name, statistics_sum.segments, len(references))
    except InputError as error:
        raise InputError(f"{name}: {error}") from error
    rows = join_rows(batches)
    return ScoredSystem(
        name=name,
        hypotheses=segments,
        corpus=meteor.corpus_score(statistics_sum),
        rows=rows,
        alignments=_pack_alignments(meteor, segments, references, rows),
    )


def _score_batches(meteor: Meteor, hypotheses: Sequence[str], references: Sequence[tuple[str, ...]]) -> Iterator[Rows]:
    """Score batches of segments, and handle segments that cannot be aligned."""
    for batch, rows in meteor.score_batches(hypotheses, references, alignments=True):
        yield _resolve_failures(meteor, batch, rows) if rows.failures else rows


def _resolve_failures(meteor: Meteor, batch: Batch, rows: Rows) -> Rows:
    """Handle segments that cannot be aligned.

    The option ``on_error`` determines whether such segments receive the score 0 or cause an error.
    """
    if meteor.on_error == "skip":
        index, error = min(rows.failures.items())
        raise InputError(
            f"segment {batch.ids[index]}: {error}; a report cannot leave a segment out, so on_error='skip' "
            "is not possible; use on_error='zero'"
        ) from error
    return cast(Rows, resolve_failures(rows, batch, meteor.on_error))


def _pack_alignments(
    meteor: Meteor, hypotheses: Sequence[str], references: Sequence[tuple[str, ...]], rows: Rows
) -> PackedAlignments:
    """Pack the alignments of a system into arrays.

    A segment without an alignment receives an empty alignment.
    """
    if isinstance(rows.alignments, PackedAlignments):
        return rows.alignments
    alignments = []
    for index, alignment in enumerate(rows.alignments):
        if alignment is None:
            alignment = meteor.make_empty_alignment(hypotheses[index], references[index][0])
        alignments.append(alignment)
    return pack_alignments(alignments, meteor.matcher_names)
