"""Score every hypothesis against every reference, for minimum Bayes risk decoding.

If a text occurs several times, it is tokenized and compared only once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from meteor_e.base.errors import InputError
from meteor_e.base.texts import read_sources
from meteor_e.engine.protocol import Engine

if TYPE_CHECKING:
    from meteor_e.base.array_cache import Floats

PAIRS = 20_000
"""Number of pairs of texts after which a batch ends."""


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
    batch: list[tuple[list[str], list[str]]] = []
    pair_count = source_count = 0
    for source_hypotheses, source_references in read_sources(hypotheses, references):
        batch.append((source_hypotheses, source_references))
        source_count += 1
        pair_count += len(source_hypotheses) * len(source_references)
        if pair_count >= PAIRS:
            yield from _score_batch(engine, batch, source_count - len(batch) + 1, threads)
            batch, pair_count = [], 0
    yield from _score_batch(engine, batch, source_count - len(batch) + 1, threads)


def _score_batch(
    engine: Engine, batch: Sequence[tuple[Sequence[str], Sequence[str]]], first_number: int, threads: int
) -> Iterator[Floats]:
    """Score a batch of source sentences, and yield a matrix of scores for each of them.

    Args:
        engine: the engine that scores the pairs.
        batch: hypotheses and references of each source.
        first_number: number of the first source, for error messages.
        threads: number of threads.
    """
    import numpy as np

    text_ids: dict[str, int] = {}
    matrices = [_index_source(hypotheses, references, text_ids) for hypotheses, references in batch]
    pair_sources = [(matrix.hypothesis_ids, matrix.reference_ids) for matrix in matrices]
    try:
        # The scores of all sources are concatenated.
        scores, failures = engine.score_pairs(list(text_ids), pair_sources, threads=threads)
    except MemoryError as error:
        raise InputError("the matrix of scores does not fit into memory; score fewer hypotheses at a time") from error
    first_failed = min(failures, default=len(scores))
    start = 0
    for number, matrix in enumerate(matrices, first_number):
        end = start + len(matrix.hypothesis_ids) * len(matrix.reference_ids)
        if first_failed < end:
            failure = failures[first_failed]
            raise InputError(f"source {number}, {matrix.describe_cell(first_failed - start)}: {failure}") from failure
        yield matrix.repeat_texts(np.asarray(scores)[start:end])
        start = end


class _MatrixIndexes(NamedTuple):
    """Map the texts of a source to the rows and columns of a score matrix. Repeated texts share a row or a column.

    Attributes:
        hypothesis_ids: text id of each row.
        reference_ids: text id of each column.
        row_indexes: row of each hypothesis.
        column_indexes: column of each reference.
    """

    hypothesis_ids: list[int]
    reference_ids: list[int]
    row_indexes: list[int]
    column_indexes: list[int]

    def repeat_texts(self, scores: Floats) -> Floats:
        """Arrange the scores of distinct texts in a matrix with a row per hypothesis and a column per reference.

        Args:
            scores: the scores of all pairs of distinct texts, row by row.
        """
        distinct_matrix = scores.reshape(len(self.hypothesis_ids), len(self.reference_ids))
        if distinct_matrix.shape == (len(self.row_indexes), len(self.column_indexes)):
            return distinct_matrix
        import numpy as np

        return distinct_matrix[np.ix_(self.row_indexes, self.column_indexes)]

    def describe_cell(self, cell: int) -> str:
        """Return the numbers of the hypothesis and the reference of a score, for error messages.

        Args:
            cell: index of the score among the scores of distinct texts.
        """
        row, column = divmod(cell, len(self.reference_ids))
        return f"hypothesis {self.row_indexes.index(row) + 1}, reference {self.column_indexes.index(column) + 1}"


def _index_source(hypotheses: Sequence[str], references: Sequence[str], text_ids: dict[str, int]) -> _MatrixIndexes:
    """Assign the hypotheses and references of a source to the rows and columns of a score matrix.

    Args:
        hypotheses: the hypotheses.
        references: the references.
        text_ids: the id of each text. Texts that do not have an id yet are added.
    """
    hypothesis_ids, row_indexes = _index_texts(hypotheses, text_ids)
    reference_ids, column_indexes = _index_texts(references, text_ids)
    return _MatrixIndexes(hypothesis_ids, reference_ids, row_indexes, column_indexes)


def _index_texts(texts: Sequence[str], text_ids: dict[str, int]) -> tuple[list[int], list[int]]:
    """Return the ids of the distinct texts in a list, and the index of each text among the distinct texts."""
    distinct_texts = list(dict.fromkeys(texts))
    index_of = {text: index for index, text in enumerate(distinct_texts)}
    distinct_ids = [text_ids.setdefault(text, len(text_ids)) for text in distinct_texts]
    return distinct_ids, [index_of[text] for text in texts]
