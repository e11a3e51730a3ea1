"""Score every hypothesis against every reference, for minimum Bayes risk decoding.

If a text occurs several times, it is tokenized and compared only once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from meteor_e.base.errors import InputError
from meteor_e.base.texts import read_sources
from meteor_e.engine.protocol import Engine, PairSource

if TYPE_CHECKING:
    from meteor_e.base.array_cache import Floats

PAIRS = 20_000
"""Number of pairs of texts after which a batch ends."""

_SourceTexts = tuple[list[str], list[str]]
"""The hypotheses and the references of a source."""


def pairwise_batches(
    engine: Engine,
    hypotheses: Iterable[Sequence[str]],
    references: Iterable[Sequence[str]] | None = None,
    *,
    threads: int = 1,
) -> Iterator[Floats]:
    """Score each hypothesis of a source sentence against each of its references, for many source sentences.

    Source sentences with few pairs are scored together in a batch.

    Args:
        engine: the engine that scores the pairs.
        hypotheses: hypotheses of each source.
        references: references of each source; by default the hypotheses.
        threads: number of threads.

    Yields:
        A matrix of scores for each source, ``(hypotheses, references)``.

    Raises:
        InputError: if the arguments are not lists of lists of texts, or differ in length; if a matrix does not fit
            into memory; or if a pair cannot be aligned. The message names the pair.
    """
    batch: list[_SourceTexts] = []
    pair_count = source_count = 0
    for source_hypotheses, source_references in read_sources(hypotheses, references):
        batch.append((source_hypotheses, source_references))
        source_count += 1
        pair_count += len(source_hypotheses) * len(source_references)
        if pair_count >= PAIRS:
            yield from _score_batch(engine, batch, source_count - len(batch) + 1, threads)
            batch, pair_count = [], 0
    yield from _score_batch(engine, batch, source_count - len(batch) + 1, threads)


def _score_batch(engine: Engine, batch: Sequence[_SourceTexts], first_number: int, threads: int) -> Iterator[Floats]:
    """Score a batch of source sentences, and yield a matrix of scores for each of them.

    Args:
        engine: the engine that scores the pairs.
        batch: hypotheses and references of each source.
        first_number: number of the first source, for error messages.
        threads: number of threads.
    """
    import numpy as np

    text_ids: dict[str, int] = {}
    pair_sources: list[PairSource] = []
    for hypotheses, references in batch:
        pair_sources.append((_assign_ids(hypotheses, text_ids), _assign_ids(references, text_ids)))
    try:
        scores, failures = engine.score_pairs(list(text_ids), pair_sources, threads=threads)
    except MemoryError as error:
        raise InputError("the matrix of scores does not fit into memory; score fewer hypotheses at a time") from error
    start = 0
    for number, (source, pair_source) in enumerate(zip(batch, pair_sources, strict=True), first_number):
        hypothesis_ids, reference_ids = pair_source
        end = start + len(hypothesis_ids) * len(reference_ids)
        indexes = _matrix_indexes(source, pair_source, text_ids)
        failed_indexes = [index for index in failures if start <= index < end]
        if failed_indexes:
            first_failed = min(failed_indexes)
            failure = failures[first_failed]
            row, column = divmod(first_failed - start, len(reference_ids))
            raise InputError(f"source {number}, {indexes.describe_pair(row, column)}: {failure}") from failure
        distinct_matrix = np.asarray(scores)[start:end].reshape(len(hypothesis_ids), len(reference_ids))
        yield indexes.repeat_texts(distinct_matrix)
        start = end


def _assign_ids(texts: Sequence[str], text_ids: dict[str, int]) -> list[int]:
    """Return the ids of the distinct texts in a list. New texts get the next ids."""
    return [text_ids.setdefault(text, len(text_ids)) for text in dict.fromkeys(texts)]


class _MatrixIndexes(NamedTuple):
    """Map each hypothesis to its row, and each reference to its column, in a matrix without repeated texts.

    Attributes:
        rows: row of each hypothesis.
        columns: column of each reference.
    """

    rows: list[int]
    columns: list[int]

    def repeat_texts(self, distinct_matrix: Floats) -> Floats:
        """Repeat the rows and columns of texts that occur several times."""
        if distinct_matrix.shape == (len(self.rows), len(self.columns)):
            return distinct_matrix
        import numpy as np

        return distinct_matrix[np.ix_(self.rows, self.columns)]

    def describe_pair(self, row: int, column: int) -> str:
        """Return the numbers of the hypothesis and the reference of a cell in the score matrix, for error messages."""
        return f"hypothesis {self.rows.index(row) + 1}, reference {self.columns.index(column) + 1}"


def _matrix_indexes(source: _SourceTexts, pair_source: PairSource, text_ids: dict[str, int]) -> _MatrixIndexes:
    """Find the row of each hypothesis and the column of each reference in a matrix without repeated texts.

    Args:
        source: hypotheses and references of the source.
        pair_source: ids of the distinct hypotheses and references, which are the rows and columns of the matrix.
        text_ids: id of each text.
    """
    hypotheses, references = source
    hypothesis_ids, reference_ids = pair_source
    row_by_id = {text_id: row for row, text_id in enumerate(hypothesis_ids)}
    column_by_id = {text_id: column for column, text_id in enumerate(reference_ids)}
    return _MatrixIndexes(
        rows=[row_by_id[text_ids[hypothesis]] for hypothesis in hypotheses],
        columns=[column_by_id[text_ids[reference]] for reference in references],
    )
