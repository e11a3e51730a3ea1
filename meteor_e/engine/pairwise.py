"""Score every hypothesis against every reference, for minimum Bayes risk decoding.

If a text occurs several times, it is tokenized and compared only once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from meteor_e.base.errors import InputError, MeteorError
from meteor_e.base.texts import read_texts_by_source
from meteor_e.engine.protocol import Engine, PairScores

if TYPE_CHECKING:
    from meteor_e.base.array_cache import Floats

PAIRS = 20_000
"""Number of pairs of texts after which a batch ends."""

_Source = TypeVar("_Source")


class PairError(InputError):
    """The error that is raised if a hypothesis cannot be aligned with a reference.

    Args:
        source_number: number of the source, counted from 1.
        pair: the numbers of the hypothesis and the reference, as text.
        problem: the reason.
    """

    def __init__(self, source_number: int, pair: str, problem: MeteorError) -> None:
        super().__init__(f"source {source_number}, {pair}: {problem}")
        self.source_number = source_number
        self.pair = pair
        self.problem = problem

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.source_number, self.pair, self.problem)


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
    first_number = 1
    sources = read_texts_by_source(hypotheses, references)
    for batch in batch_sources(sources, _count_pairs):
        yield from _score_batch(engine, batch, first_number, threads)
        first_number += len(batch)


def _count_pairs(source: tuple[Sequence[str], Sequence[str]]) -> int:
    """Return the number of hypothesis-reference pairs of a source sentence."""
    hypotheses, references = source
    return len(hypotheses) * len(references)


def batch_sources(sources: Iterable[_Source], count_pairs: Callable[[_Source], int]) -> Iterator[list[_Source]]:
    """Divide source sentences into batches. A batch ends as soon as it contains :data:`PAIRS` pairs or more.

    Args:
        sources: the source sentences.
        count_pairs: function that returns the number of pairs of a source sentence.
    """
    batch = []
    pair_count = 0
    for source in sources:
        batch.append(source)
        pair_count += count_pairs(source)
        if pair_count >= PAIRS:
            yield batch
            batch = []
            pair_count = 0
    if batch:
        yield batch


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

    batch_indexes = _index_batch(batch)
    pair_scores = _score_texts(engine, batch_indexes, threads)
    scores = np.asarray(pair_scores.scores)
    for source_number, matrix_indexes in enumerate(batch_indexes.matrices, first_number):
        _check_failures(matrix_indexes, pair_scores.failures, source_number)
        yield matrix_indexes.make_matrix(scores)


def _check_failures(matrix: _MatrixIndexes, failures: Mapping[int, MeteorError], source_number: int) -> None:
    """Raise PairError if a hypothesis of a source cannot be scored against a reference of the source.

    Args:
        matrix: the matrix of the source.
        failures: the errors of all pairs of the batch, by the index of the pair's score.
        source_number: number of the source, for the error message.
    """
    failed_cells = [cell for cell in failures if cell in matrix.cells]
    if failed_cells:
        first_cell = min(failed_cells)
        problem = failures[first_cell]
        raise PairError(source_number, matrix.describe_cell(first_cell), problem) from problem


def _score_texts(engine: Engine, indexes: _BatchIndexes, threads: int) -> PairScores:
    """Score the distinct texts of several sources, and return the scores of all pairs in one array.

    Raises:
        InputError: if the scores do not fit into memory.
    """
    pair_sources = [(matrix.hypothesis_ids, matrix.reference_ids) for matrix in indexes.matrices]
    try:
        return engine.score_pairs(indexes.texts, pair_sources, threads=threads)
    except MemoryError as error:
        raise InputError("the matrix of scores does not fit into memory; score fewer hypotheses at a time") from error


class _MatrixIndexes(NamedTuple):
    """Map the texts of a source to the rows and columns of a score matrix. Repeated texts share a row or a column.

    Attributes:
        hypothesis_ids: text id of each row.
        reference_ids: text id of each column.
        row_indexes: row of each hypothesis.
        column_indexes: column of each reference.
        cells: indexes of the scores of this source among the scores of the batch, row by row.
    """

    hypothesis_ids: list[int]
    reference_ids: list[int]
    row_indexes: list[int]
    column_indexes: list[int]
    cells: range

    def make_matrix(self, batch_scores: Floats) -> Floats:
        """Return the score matrix of a source, with a row per hypothesis and a column per reference.

        Args:
            batch_scores: the scores of all pairs of distinct texts, for all sources of the batch.
        """
        scores = batch_scores[self.cells.start : self.cells.stop]
        distinct_matrix = scores.reshape(len(self.hypothesis_ids), len(self.reference_ids))
        if distinct_matrix.shape == (len(self.row_indexes), len(self.column_indexes)):
            return distinct_matrix
        import numpy as np

        return distinct_matrix[np.ix_(self.row_indexes, self.column_indexes)]

    def describe_cell(self, cell: int) -> str:
        """Describe a score's hypothesis and reference for error messages, such as "hypothesis 1, reference 2".

        Args:
            cell: index of the score among the scores of the batch.
        """
        row, column = divmod(self.cells.index(cell), len(self.reference_ids))
        return f"hypothesis {self.row_indexes.index(row) + 1}, reference {self.column_indexes.index(column) + 1}"


class _BatchIndexes(NamedTuple):
    """Store the texts of a batch, and map them to the rows and columns of score matrices.

    Attributes:
        texts: the distinct texts. The index of a text is its id.
        matrices: the matrix of each source.
    """

    texts: list[str]
    matrices: list[_MatrixIndexes]


def _index_batch(batch: Sequence[tuple[Sequence[str], Sequence[str]]]) -> _BatchIndexes:
    """Plan one score matrix per source, with a row per distinct hypothesis and a column per distinct reference."""
    text_ids: dict[str, int] = {}
    matrices = []
    cell_count = 0
    for hypotheses, references in batch:
        hypothesis_ids, row_indexes = _index_texts(hypotheses, text_ids)
        reference_ids, column_indexes = _index_texts(references, text_ids)
        cells = range(cell_count, cell_count + len(hypothesis_ids) * len(reference_ids))
        matrices.append(_MatrixIndexes(hypothesis_ids, reference_ids, row_indexes, column_indexes, cells))
        cell_count = cells.stop
    return _BatchIndexes(list(text_ids), matrices)


def _index_texts(texts: Sequence[str], text_ids: dict[str, int]) -> tuple[list[int], list[int]]:
    """Return the ids of the distinct texts in a list, and the index of each text among the distinct texts."""
    distinct_texts = list(dict.fromkeys(texts))
    index_of = {text: index for index, text in enumerate(distinct_texts)}
    distinct_ids = [text_ids.setdefault(text, len(text_ids)) for text in distinct_texts]
    return distinct_ids, [index_of[text] for text in texts]
