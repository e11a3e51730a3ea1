"""Features that another program computed: vectors of segments, and scores of hypotheses, read from files."""

from __future__ import annotations

import hashlib
import math
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ComponentOptions, Feature, FeatureBatch, FilePath, InputError, Meta, SegmentFeature
from meteor_e.base.files import input_name
from meteor_e.formats.plain import read_segments

LONGEST_QUOTE = 60
"""Characters of a text that an error message quotes."""


def quote(text: str) -> str:
    """Return the beginning of a text in quotation marks, for error messages."""
    return repr(text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}…")


def parse_number(text: str, location: str) -> float:
    """Return a finite number.

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
    """Yield the location and the tab-separated cells of each line of a file that is not empty."""
    for number, line in enumerate(read_segments(path), 1):
        if line.strip():
            yield f"{input_name(path)}, line {number}", line.split("\t")


class FileFeature(Feature):
    """A feature whose values are read from the file that the option ``file`` names.

    Subclasses implement :meth:`_read`, which reads the file and sets ``_digest``. A pickled feature holds only its
    options, and reads the file again.
    """

    any_text: ClassVar[bool] = False
    _digest: str

    def __init__(self, options: Any) -> None:
        super().__init__(options)
        self._read()

    @abstractmethod
    def _read(self) -> None:
        """Read the file, and set the digest of its content.

        Raises:
            InputError: if the file cannot be read, or is malformed.
        """

    def describe(self) -> str:
        """Return the digest of the file's content."""
        return f"@{self._digest}"

    def definition(self) -> str:
        """Return an empty text, because a trained model reads the values of other texts from another file."""
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
    """One vector per segment, such as the syntactic vectors of Guzmán et al. (2015), looked up by the segment's text.

    The file needs a line for each distinct hypothesis and reference. It may be compressed. A text that is not in the
    file is an error.
    """

    name: ClassVar[str] = "vector-file"
    Options: ClassVar[type[Any] | str | None] = VectorFileOptions

    def _read(self) -> None:
        self._rows: dict[str, int] = {}
        vectors: list[list[float]] = []
        digest = hashlib.sha256()
        for location, cells in read_rows(self.options.file):
            if len(cells) != 2:
                raise InputError(f"{location}: has {len(cells)} tab-separated cells; it needs a text and its numbers")
            text, numbers = cells
            vector = [parse_number(number, location) for number in numbers.split()]
            if not vector or (vectors and len(vector) != len(vectors[0])):
                raise InputError(
                    f"{location}: has {len(vector)} numbers; "
                    + (f"the lines before have {len(vectors[0])}" if vectors else "a vector needs at least one")
                )
            row = self._rows.setdefault(text, len(vectors))
            if row == len(vectors):
                vectors.append(vector)
                digest.update(f"{text}\t{vector}\n".encode("utf-8", "surrogatepass"))
            elif vectors[row] != vector:
                raise InputError(f"{location}: {quote(text)} has another vector in a line before")
        if not vectors:
            raise InputError(f"{input_name(self.options.file)}: has no vectors")
        self._table = np.array(vectors)
        self._digest = digest.hexdigest()[:12]

    @property
    def segment_dimension(self) -> int:
        """Size of a segment's vector."""
        return int(self._table.shape[1])

    def vectors(self, segments: Sequence[str]) -> NDArray[np.float64]:
        """Return the vectors of segments, ``(len(segments), segment_dimension)``.

        Raises:
            InputError: if a segment is not in the file.
        """
        for segment in segments:
            if segment not in self._rows:
                raise InputError(f"{input_name(self.options.file)}: has no vector for {quote(segment)}")
        table: NDArray[np.float64] = self._table[[self._rows[segment] for segment in segments]]
        return table


class ScoreFileOptions(ComponentOptions):
    """Options of the feature ``score-file``."""

    file: Annotated[
        FilePath,
        Meta(
            description="A tab-separated table. Its first line names the columns: hypothesis, reference, and one or "
            "more scores."
        ),
    ]


class ScoreFileFeature(FileFeature):
    """Scores that another program computed, such as TERp or DPMF, looked up by hypothesis and reference.

    The columns of the feature are the score columns of the table. Several references are scored by the mean. A pair
    of texts that is not in the table is an error. Scores of errors, for which less is better, may stay as they are:
    estimators learn the sign.
    """

    name: ClassVar[str] = "score-file"
    Options: ClassVar[type[Any] | str | None] = ScoreFileOptions

    def _read(self) -> None:
        self._scores: dict[tuple[str, str], list[float]] = {}
        lines = read_rows(self.options.file)
        location, header = next(lines, (input_name(self.options.file), []))
        self._columns = tuple(name for name in header if name not in ("hypothesis", "reference"))
        if len(set(header)) != len(header) or len(header) != len(self._columns) + 2 or not self._columns:
            raise InputError(
                f"{location}: the first line must name the columns: hypothesis, reference, and one or more scores, "
                "each once, separated by tabs"
            )
        digest = hashlib.sha256("\t".join(self._columns).encode("utf-8", "surrogatepass"))
        for location, cells in lines:
            if len(cells) != len(header):
                raise InputError(f"{location}: has {len(cells)} tab-separated cells; the first line has {len(header)}")
            row = dict(zip(header, cells, strict=True))
            pair = row["hypothesis"], row["reference"]
            scores = [parse_number(row[name], location) for name in self._columns]
            if self._scores.setdefault(pair, scores) != scores:
                raise InputError(f"{location}: {quote(pair[0])} has other scores in a line before")
            digest.update(f"{pair}{scores}".encode("utf-8", "surrogatepass"))
        self._digest = digest.hexdigest()[:12]

    @property
    def dimension(self) -> int:
        """Number of scores."""
        return len(self._columns)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the scores."""
        return self._columns

    def compute(self, batch: FeatureBatch) -> NDArray[np.float64]:
        """Return the scores of a batch, ``(len(batch), dimension)``.

        Raises:
            InputError: if a hypothesis with its reference is not in the table.
        """
        rows = []
        for hypothesis, references in zip(batch.hypotheses, batch.references, strict=True):
            scores = [self._scores.get((hypothesis, reference)) for reference in references]
            if None in scores:
                reference = references[scores.index(None)]
                raise InputError(
                    f"{input_name(self.options.file)}: has no score for the hypothesis {quote(hypothesis)} with the "
                    f"reference {quote(reference)}"
                )
            rows.append(np.mean(np.array(scores, float), axis=0))
        return np.array(rows)
