"""The scores of segments and corpora, which the methods of :class:`meteor_e.Meteor` return."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from meteor_e.api.languages import Parameters
from meteor_e.api.scores import CorpusScore, SegmentScore
from meteor_e.base.errors import count_of
from meteor_e.base.extras import data_frame
from meteor_e.base.html import html_table
from meteor_e.scoring import formula
from meteor_e.scoring.alignment import Alignment
from meteor_e.scoring.formula import PART_INDEXES, PARTS, FormulaScores, shares
from meteor_e.scoring.rows import Rows
from meteor_e.scoring.statistics import Statistics, statistics_width

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DISPLAYED_SEGMENTS = 20
"""Maximum number of segments in the table of a corpus score in a notebook."""


@dataclass(frozen=True)
class Contribution:
    """The contribution of one matcher to a score.

    Attributes:
        matcher: name of the matcher.
        hypothesis_matched, reference_matched: number of matched words; in character mode, number of characters.
        precision, recall, score: the matcher's contributions; see :class:`meteor_e.scoring.formula.Shares`.
    """

    matcher: str
    hypothesis_matched: int
    reference_matched: int
    precision: float
    recall: float
    score: float


@dataclass(frozen=True, repr=False)
class MeteorScore:
    """A METEOR score and its parts, each in [0, 1].

    Attributes:
        score: the METEOR score.
        precision, recall: weighted precision and recall of content and function words.
        f1: harmonic mean of precision and recall; the score does not depend on it.
        fmean: harmonic mean of precision and recall, weighted by α.
        fragmentation_penalty: share of Fmean that is lost to word order.
        statistics: statistics from which the score was computed.
        parameters: parameters of the formula.
        matchers: names of the chain's matchers.
        signature: line that identifies the metric. Equal signatures mean equal scores for equal texts.
    """

    score: float
    precision: float
    recall: float
    f1: float
    fmean: float
    fragmentation_penalty: float
    statistics: Statistics
    parameters: Parameters
    matchers: tuple[str, ...]
    signature: str

    def __float__(self) -> float:
        return self.score

    def __repr__(self) -> str:
        parts = ", ".join(f"{name}={getattr(self, name):.4f}" for name in PARTS)
        return f"{type(self).__name__}({parts})"

    def _repr_html_(self) -> str:
        """Return an HTML table of the score and its parts for notebooks, with the signature below it."""
        return html_table(PARTS, [_row(self)], self.signature)

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame with the score and its parts in one row.

        Raises:
            ConfigError: if pandas is not installed.
        """
        return data_frame(PARTS, [_row(self)])

    def contributions(self) -> list[Contribution]:
        """Return the contribution of each matcher of the chain to the score."""
        parts = FormulaScores(self.precision, self.recall, self.f1, self.fmean, self.fragmentation_penalty, self.score)
        return _compute_contributions(self.statistics, parts, self.parameters, self.matchers)

    def to_dict(self) -> dict[str, Any]:
        """Return the score as a dictionary that can be written as JSON."""
        scores = {name: getattr(self, name) for name in PARTS}
        details = _list_details(self.statistics, self.parameters, self.contributions())
        return {**scores, **details, "signature": self.signature}


def _compute_contributions(
    statistics: Statistics, parts: FormulaScores, parameters: Parameters, matchers: Sequence[str]
) -> list[Contribution]:
    """Return the contribution of each matcher to a score.

    Args:
        statistics: statistics of a segment or a corpus.
        parts: the score and its parts without NaN.
        parameters: parameters of the formula.
        matchers: names of the matchers.
    """
    contributions = []
    matcher_shares = shares(statistics, parts, parameters)
    for name, counts, share in zip(matchers, statistics.matchers, matcher_shares, strict=True):
        hypothesis_matched = counts.hypothesis_content + counts.hypothesis_function
        reference_matched = counts.reference_content + counts.reference_function
        contributions.append(Contribution(name, hypothesis_matched, reference_matched, *share))
    return contributions


def _list_details(
    statistics: Statistics, parameters: Parameters, contributions: Sequence[Contribution]
) -> dict[str, Any]:
    """Return JSON entries that explain a score by its statistics and by the contribution of each matcher."""
    matchers = []
    for contribution, counts, weight in zip(contributions, statistics.matchers, parameters.weights, strict=True):
        entry = {"matcher": contribution.matcher, "weight": weight, "contribution": contribution.score}
        matchers.append({**entry, **counts._asdict()})
    totals = {name: value for name, value in statistics._asdict().items() if name != "matchers"}
    return {"matchers": matchers, "statistics": totals}


@dataclass(frozen=True, repr=False, kw_only=True)
class MeteorSegmentScore(MeteorScore, SegmentScore):
    """The score of one segment against its best reference.

    Attributes:
        alignment: alignment of the hypothesis with the best reference.
        reference_index: index of the best reference, from 0; the first of equally good references.
    """

    alignment: Alignment
    reference_index: int

    @classmethod
    def with_lazy_alignment(
        cls, align: Callable[[str, str], Alignment], texts: tuple[str, str], **fields: Any
    ) -> MeteorSegmentScore:
        """Create a score whose alignment is computed on first access.

        Args:
            align: function that aligns a hypothesis with a reference.
            texts: the hypothesis and its best reference.
            **fields: all other fields.
        """
        score = object.__new__(cls)
        score.__dict__.update(fields, _align=align, _texts=texts)
        return score

    def __getattr__(self, name: str) -> Any:
        if name == "alignment" and "_align" in self.__dict__:
            self.__dict__["alignment"] = self._align(*self._texts)
            return self.__dict__["alignment"]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __getstate__(self) -> dict[str, Any]:
        state = {**self.__dict__, "alignment": self.alignment}
        state.pop("_align", None)
        state.pop("_texts", None)
        return state

    def to_dict(self) -> dict[str, Any]:
        """Return the score and its alignment as a dictionary that can be written as JSON."""
        return {
            **super().to_dict(),
            "reference_index": self.reference_index,
            "alignment": self.alignment.to_dict(),
        }

    def explain(self) -> str:
        """Explain the score in a few lines, with the formula and the matches of each matcher."""
        chunks = count_of(self.alignment.chunks, "chunk")
        lines = [
            f"score {self.score:.4f} = Fmean {self.fmean:.4f} × (1 - penalty {self.fragmentation_penalty:.4f})",
            f"precision {self.precision:.4f}, recall {self.recall:.4f}, {chunks}",
        ]
        for contribution, pairs in zip(self.contributions(), self._list_pairs(), strict=True):
            lines.append(f"  {contribution.matcher} {contribution.score:.4f}: {', '.join(pairs) or 'no match'}")
        return "\n".join(lines)

    def _list_pairs(self) -> list[list[str]]:
        """For each matcher, list the phrases that it matched. Phrases that differ are written as a pair."""
        pairs_by_matcher: list[list[str]] = [[] for _ in self.matchers]
        for match, (hypothesis, reference, _) in zip(self.alignment.matches, self.alignment.pairs(), strict=True):
            pair = hypothesis if hypothesis == reference else f"{hypothesis} ~ {reference}"
            pairs_by_matcher[match.matcher].append(pair)
        return pairs_by_matcher


@dataclass(frozen=True, repr=False, kw_only=True)
class MeteorCorpusScore(MeteorScore, CorpusScore):
    """The score of a corpus, which is computed from the sum of its segments' statistics.

    Attributes:
        segment_count: number of segments.
        segments: scores of the segments; empty unless they were requested.
    """

    segment_count: int
    segments: tuple[MeteorSegmentScore, ...] = ()

    def __repr__(self) -> str:
        fields = super().__repr__().removesuffix(")")
        count = f"{self.segment_count} segment{'' if self.segment_count == 1 else 's'}"
        return f"{fields}, {count}{' kept' if self.segments else ''})"

    def _repr_html_(self) -> str:
        """Return an HTML table for notebooks that contains the scores of the corpus and of the first segments."""
        rows: list[Sequence[str | float]] = [("corpus", *_row(self))]
        for number, segment in enumerate(self.segments[:_DISPLAYED_SEGMENTS], 1):
            rows.append((f"segment {number}", *_row(segment)))
        note = self.signature
        hidden_segments = len(self.segments) - _DISPLAYED_SEGMENTS
        if hidden_segments > 0:
            note = f"{hidden_segments} more segments; to_pandas() returns all. {note}"
        return html_table(("", *PARTS), rows, note)

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame with a row per segment, or with a single row if segments were not requested."""
        return data_frame(PARTS, map(_row, self.segments or [self]))

    def to_dict(self) -> dict[str, Any]:
        """Return the score as a dictionary for JSON. Segment scores are included if they were requested."""
        result = {**super().to_dict(), "segment_count": self.segment_count}
        if self.segments:
            result["segments"] = [segment.to_dict() for segment in self.segments]
        return result


def _row(score: MeteorScore) -> list[float]:
    """Return the score and its parts as a row of a table."""
    return [getattr(score, name) for name in PARTS]


class RowDetails(Sequence[Mapping[str, Any]]):
    """Details of the segments of a batch for JSON output. To save memory, details are only created on access.

    Args:
        rows: statistics of the batch.
        parameters: parameters of the formula.
        matchers: names of the chain's matchers.
        alignments: alignments of the segments; empty if the details do not include them.
    """

    def __init__(
        self, rows: Rows, parameters: Parameters, matchers: tuple[str, ...], alignments: Sequence[Alignment]
    ) -> None:
        self._statistics = _pack_integers(memoryview(rows.statistics).cast("q"))
        self._best_references = rows.best_references
        self._parameters, self._matchers, self._alignments = parameters, matchers, alignments

    def __len__(self) -> int:
        return len(self._best_references) // 4  # 32-bit integers

    def __getitem__(self, index: Any) -> Any:
        return list(self)[index]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        width = statistics_width(len(self._matchers))
        for index, reference_index in enumerate(memoryview(self._best_references).cast("i")):
            vector = self._statistics[index * width : (index + 1) * width]
            details = score_details(vector, self._parameters, self._matchers)
            details["reference_index"] = reference_index
            if self._alignments:
                details["alignment"] = self._alignments[index]
            yield details


def _pack_integers(values: Iterable[int]) -> array[int]:
    """Store integers in four bytes each, or in eight bytes each if a number is too large."""
    try:
        return array("i", values)
    except OverflowError:
        return array("q", values)


def compute_parts(sums: Any, parameters: Parameters) -> Any:
    """Compute the score and the parts of the score for each sum of statistics. Undefined parts are 0.

    Args:
        sums: a list of lists of integers, or an array ``(…, width)``.
        parameters: parameters of the formula.

    Returns:
        The values of :data:`~meteor_e.scoring.formula.PARTS` for each sum: a list of lists, or an array ``(…, parts)``.
    """
    return _compute_part_rows(sums, parameters) if isinstance(sums, list) else _compute_part_array(sums, parameters)


def _compute_part_rows(vectors: Iterable[Sequence[int]], parameters: Parameters) -> list[list[float]]:
    """Compute the score and its parts for each vector of statistics without NumPy, which takes time to import."""
    rows = []
    for vector in vectors:
        parts = formula.compute(Statistics.from_vector(vector), parameters).without_nan()
        rows.append([parts[index] for index in PART_INDEXES])
    return rows


def _compute_part_array(sums: NDArray[Any], parameters: Parameters) -> NDArray[Any]:
    """Compute the score and its parts for an array of statistics, ``(…, width)``. The result is ``(…, parts)``."""
    import numpy as np

    from meteor_e.scoring.arrays import part_arrays

    part_array = np.stack(part_arrays(sums, parameters), axis=-1)
    return np.asarray(np.nan_to_num(part_array[..., PART_INDEXES], posinf=np.inf))


def score_details(vector: Sequence[float], parameters: Parameters, matchers: tuple[str, ...]) -> dict[str, Any]:
    """Return JSON entries that explain a score by its statistics and by the contribution of each matcher.

    Args:
        vector: the statistics of a segment, or the sum of the statistics of a system's segments. All values are whole
            numbers, but an array may store them as floats.
        parameters: parameters of the formula.
        matchers: names of the chain's matchers.
    """
    statistics = Statistics.from_vector([int(value) for value in vector])
    parts = formula.compute(statistics, parameters).without_nan()
    contributions = _compute_contributions(statistics, parts, parameters, matchers)
    return _list_details(statistics, parameters, contributions)
