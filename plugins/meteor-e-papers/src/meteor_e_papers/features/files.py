"""The features ``vector-file`` and ``score-file``, which read values that another program has computed.

A vector file contains vectors of segments. A score file contains scores for pairs of a hypothesis and a reference.
"""

from __future__ import annotations

import hashlib
import math
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ComponentOptions, Feature, FeatureBatch, FilePath, InputError, Meta, SegmentFeature
from meteor_e.base.files import input_name
from meteor_e.formats.plain import read_segments

LONGEST_QUOTE = 60
"""Maximum number of characters of a text in an error message."""


def quote(text: str) -> str:
    """Return a text in quotation marks for an error message. A long text is truncated."""
    return repr(text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}…")


def parse_number(text: str, location: str) -> float:
    """Parse a finite number.

    Args:
        text: the text to parse.
        location: the file and the line of the text, for the error message.

    Raises:
        InputError: if the text is not a finite number.
    """
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{location}: {quote(text)} is not a finite number")
    return number


def read_rows(path: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the location and the tab-separated cells of each line of a file. Empty lines are skipped."""
    for line_number, line in enumerate(read_segments(path), 1):
        if line.strip():
            yield f"{input_name(path)}, line {line_number}", line.split("\t")


class FileFeature(Feature):
    """A base class for features that read their values from a file.

    Subclasses implement :meth:`_read`, which reads the file in the option ``file`` and sets ``_digest``. A pickled
    feature contains only its options. Unpickling reads the file again.
    """

    any_text: ClassVar[bool] = False
    _digest: str

    def __init__(self, options: Any) -> None:
        super().__init__(options)
        self._read()

    @abstractmethod
    def _read(self) -> None:
        """Read the file, and set ``_digest`` to the digest of its content.

        Raises:
            InputError: if the file cannot be read, or if it is malformed.
        """

    def describe(self) -> str:
        """Return the digest of the file's content."""
        return f"@{self._digest}"

    def definition(self) -> str:
        """Return an empty string, so that a trained model can read a different file than it read during training."""
        return ""

    def __getstate__(self) -> dict[str, Any]:
        return {"options": self.options}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._read()


class VectorFileOptions(ComponentOptions):
    """Options of the feature ``vector-file``."""

    file: Annotated[
        FilePath,
        Meta(description="A file with one segment per line: the text, a tab, and its numbers, separated by spaces."),
    ]


class VectorFileFeature(FileFeature, SegmentFeature):
    """A vector for each segment, such as the syntactic vectors of Guzmán et al. (2015), which is read from a file.

    The file must contain a line for each distinct hypothesis and reference. The file may be compressed.
    """

    name: ClassVar[str] = "vector-file"
    Options: ClassVar[type[Any] | str | None] = VectorFileOptions

    def _read(self) -> None:
        """Read the vectors into a table, and compute the digest of the file's content."""
        vectors = self._read_vectors()
        self._rows = {text: row for row, text in enumerate(vectors)}
        self._table = np.array(list(vectors.values()))
        lines = "".join(f"{text}\t{vector}\n" for text, vector in vectors.items())
        self._digest = hashlib.sha256(lines.encode("utf-8", "surrogatepass")).hexdigest()[:12]

    def _read_vectors(self) -> dict[str, list[float]]:
        """Return the vector of each text in the file.

        Raises:
            InputError: if a line is malformed, vectors differ in length, or a text has two different vectors.
        """
        vectors: dict[str, list[float]] = {}
        for location, cells in read_rows(self.options.file):
            text, vector = self._parse_vector(cells, location)
            first_vector = next(iter(vectors.values()), vector)
            if len(vector) != len(first_vector):
                raise InputError(f"{location}: has {len(vector)} numbers; the lines before have {len(first_vector)}")
            if vectors.get(text, vector) != vector:
                raise InputError(f"{location}: {quote(text)} has another vector in a line before")
            vectors[text] = vector
        if not vectors:
            raise InputError(f"{input_name(self.options.file)}: has no vectors")
        return vectors

    @staticmethod
    def _parse_vector(cells: Sequence[str], location: str) -> tuple[str, list[float]]:
        """Return the text and the vector of a line.

        Raises:
            InputError: if the line does not consist of a text and at least one number.
        """
        if len(cells) != 2:
            raise InputError(f"{location}: has {len(cells)} tab-separated cells; it needs a text and its numbers")
        text, numbers = cells
        vector = [parse_number(number, location) for number in numbers.split()]
        if not vector:
            raise InputError(f"{location}: has 0 numbers; a vector needs at least one")
        return text, vector

    @property
    def segment_dimension(self) -> int:
        """The number of values in the vector of a segment."""
        return int(self._table.shape[1])

    def vectors(self, segments: Sequence[str]) -> NDArray[np.float64]:
        """Return the vectors of segments as an array ``(segments, segment_dimension)``.

        Raises:
            InputError: if a segment is not in the file.
        """
        for segment in segments:
            if segment not in self._rows:
                raise InputError(f"{input_name(self.options.file)}: has no vector for {quote(segment)}")
        return np.asarray(self._table[[self._rows[segment] for segment in segments]])


class ScoreFileOptions(ComponentOptions):
    """Options of the feature ``score-file``."""

    file: Annotated[
        FilePath,
        Meta(
            description="A tab-separated table. Its first line names the columns: hypothesis, reference, and one or "
            "more scores."
        ),
    ]


class _ScoreRow(NamedTuple):
    """A row of a score file.

    Attributes:
        location: the file and the line of the row, for error messages.
        pair: the hypothesis and the reference.
        scores: the scores of the pair.
    """

    location: str
    pair: tuple[str, str]
    scores: list[float]


class ScoreFileFeature(FileFeature):
    """Scores of another metric, such as TERp or DPMF, which are read from a file.

    The file is a table with a row for each pair of a hypothesis and a reference. Each score column of the table becomes
    a column of the feature. The scores of a hypothesis with several references are averaged. Metrics for which lower
    scores are better do not need to be negated, because estimators learn the sign of each feature.
    """

    name: ClassVar[str] = "score-file"
    Options: ClassVar[type[Any] | str | None] = ScoreFileOptions

    def _read(self) -> None:
        """Read the scores of each pair of a hypothesis and a reference, and compute the digest of the table.

        Raises:
            InputError: if a line is malformed, or a pair has two different lists of scores.
        """
        lines = read_rows(self.options.file)
        header_location, header = next(lines, (input_name(self.options.file), []))
        self._columns = self._parse_header(header, header_location)
        rows = [self._parse_row(header, cells, location) for location, cells in lines]
        self._scores = self._index_scores(rows)
        self._digest = self._compute_digest(rows)

    def _parse_row(self, header: Sequence[str], cells: Sequence[str], location: str) -> _ScoreRow:
        """Parse a row of the table.

        Raises:
            InputError: if the number of cells is wrong, or a score is not a number.
        """
        if len(cells) != len(header):
            raise InputError(f"{location}: has {len(cells)} tab-separated cells; the first line has {len(header)}")
        cell_by_column = dict(zip(header, cells, strict=True))
        scores = [parse_number(cell_by_column[name], location) for name in self._columns]
        return _ScoreRow(location, (cell_by_column["hypothesis"], cell_by_column["reference"]), scores)

    @staticmethod
    def _index_scores(rows: Iterable[_ScoreRow]) -> dict[tuple[str, str], list[float]]:
        """Return the scores by pair. Raise InputError if a pair has two different lists of scores."""
        scores_by_pair: dict[tuple[str, str], list[float]] = {}
        for row in rows:
            if scores_by_pair.setdefault(row.pair, row.scores) != row.scores:
                raise InputError(f"{row.location}: {quote(row.pair[0])} has other scores in a line before")
        return scores_by_pair

    def _compute_digest(self, rows: Iterable[_ScoreRow]) -> str:
        """Return the first characters of a digest of the table."""
        digest = hashlib.sha256("\t".join(self._columns).encode("utf-8", "surrogatepass"))
        for row in rows:
            digest.update(f"{row.pair}{row.scores}".encode("utf-8", "surrogatepass"))
        return digest.hexdigest()[:12]

    @staticmethod
    def _parse_header(header: Sequence[str], location: str) -> tuple[str, ...]:
        """Return the names of the score columns.

        Raises:
            InputError: if a required column is missing, or if a column occurs more than once.
        """
        score_columns = tuple(name for name in header if name not in ("hypothesis", "reference"))
        has_both_texts = {"hypothesis", "reference"} <= set(header)
        has_duplicates = len(set(header)) != len(header)
        if not has_both_texts or has_duplicates or not score_columns:
            raise InputError(
                f"{location}: the first line must name the columns: hypothesis, reference, and one or more scores, "
                "each once, separated by tabs"
            )
        return score_columns

    @property
    def dimension(self) -> int:
        """The number of score columns."""
        return len(self._columns)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the score columns."""
        return self._columns

    def compute(self, batch: FeatureBatch) -> NDArray[np.float64]:
        """Average each hypothesis's scores over its references, and return an array ``(hypotheses, dimension)``."""
        rows = []
        for hypothesis, references in zip(batch.hypotheses, batch.references, strict=True):
            scores = [self._find_scores(hypothesis, reference) for reference in references]
            rows.append(np.mean(np.array(scores, float), axis=0))
        return np.array(rows)

    def _find_scores(self, hypothesis: str, reference: str) -> list[float]:
        """Return the scores of a hypothesis with one reference.

        Raises:
            InputError: if the table does not contain the pair.
        """
        scores = self._scores.get((hypothesis, reference))
        if scores is None:
            raise InputError(
                f"{input_name(self.options.file)}: has no score for the hypothesis {quote(hypothesis)} with the "
                f"reference {quote(reference)}"
            )
        return scores
