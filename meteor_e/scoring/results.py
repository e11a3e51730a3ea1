"""What scoring returns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from meteor_e.api.languages import Parameters
from meteor_e.api.scores import CorpusScore, SegmentScore
from meteor_e.base.extras import data_frame
from meteor_e.base.html import html_table
from meteor_e.scoring.alignment import Alignment
from meteor_e.scoring.formula import PARTS, FormulaScores, shares
from meteor_e.scoring.rows import Rows
from meteor_e.scoring.statistics import Statistics

_SHOWN = 20
"""Segments that the table of a corpus shows in a notebook."""


@dataclass(frozen=True)
class Contribution:
    """What one matcher brought.

    Attributes:
        matcher: its name.
        hypothesis_matched, reference_matched: words it matched (in character mode: characters).
        precision, recall, score: its shares; see :class:`meteor_e.scoring.formula.Shares`.
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
        score: METEOR.
        precision, recall: weighted, over content and function words.
        f1: harmonic mean of the two (for information).
        fmean: harmonic mean of the two, weighted by α.
        fragmentation_penalty: share of Fmean that fragmentation takes.
        statistics: what the score was computed from.
        parameters: what it was computed with.
        matchers: names of the chain's matchers.
        signature: what must be the same for the number to be the same.
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
        """Return a table of the score and its parts, with the signature, for notebooks."""
        return html_table(PARTS, [_row(self)], self.signature)

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame with the parts in one row; ConfigError if pandas is not installed."""
        return data_frame(PARTS, [_row(self)])

    def contributions(self) -> list[Contribution]:
        """Return what each matcher of the chain contributed to the score."""
        parts = FormulaScores(**{name: getattr(self, name) for name in PARTS})
        return [
            Contribution(
                name,
                counts.hypothesis_content + counts.hypothesis_function,
                counts.reference_content + counts.reference_function,
                *share,
            )
            for name, counts, share in zip(
                self.matchers, self.statistics.matchers, shares(self.statistics, parts, self.parameters), strict=True
            )
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return a form that JSON can hold."""
        statistics = self.statistics._asdict()
        del statistics["matchers"]
        # A list, because a chain may have one matcher twice.
        matchers = [
            {"matcher": name, "weight": weight, "contribution": share.score, **counts._asdict()}
            for name, weight, share, counts in zip(
                self.matchers,
                self.parameters.weights,
                self.contributions(),
                self.statistics.matchers,
                strict=True,
            )
        ]
        return {
            **{name: getattr(self, name) for name in PARTS},
            "matchers": matchers,
            "statistics": statistics,
            "signature": self.signature,
        }


@dataclass(frozen=True, repr=False, kw_only=True)
class MeteorSegmentScore(MeteorScore, SegmentScore):
    """The score of one segment against its best reference.

    Attributes:
        alignment: of the hypothesis with that reference.
        reference_index: which reference it is, from 0; of equally good ones the first.
    """

    alignment: Alignment
    reference_index: int

    @classmethod
    def deferred(cls, align: Callable[[], Alignment], **fields: Any) -> MeteorSegmentScore:
        """Make a score whose alignment is computed when it is first asked for.

        Args:
            align: computes it.
            fields: all other fields.
        """
        score = object.__new__(cls)
        score.__dict__.update(fields, _align=align)
        return score

    def __getattr__(self, name: str) -> Any:
        if name == "alignment" and "_align" in self.__dict__:
            self.__dict__["alignment"] = self.__dict__["_align"]()
            return self.__dict__["alignment"]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __getstate__(self) -> dict[str, Any]:
        state = {**self.__dict__, "alignment": self.alignment}
        state.pop("_align", None)
        return state

    def to_dict(self) -> dict[str, Any]:
        """Return a form that JSON can hold."""
        return {
            **super().to_dict(),
            "reference_index": self.reference_index,
            "alignment": self.alignment.to_dict(),
        }

    def explain(self) -> str:
        """Return in words where the score comes from."""
        lines = [f"score {self.score:.4f} = Fmean {self.fmean:.4f} × (1 - penalty {self.fragmentation_penalty:.4f})"]
        lines.append(
            f"precision {self.precision:.4f}, recall {self.recall:.4f}, "
            f"{self.alignment.chunks} chunk{'' if self.alignment.chunks == 1 else 's'}"
        )
        for index, share in enumerate(self.contributions()):
            pairs = [
                hypothesis if hypothesis == reference else f"{hypothesis} ~ {reference}"
                for (hypothesis, reference, _), match in zip(
                    self.alignment.pairs(), self.alignment.matches, strict=True
                )
                if match.matcher == index
            ]
            lines.append(f"  {share.matcher} {share.score:.4f}: {', '.join(pairs) or 'no match'}")
        return "\n".join(lines)


@dataclass(frozen=True, repr=False, kw_only=True)
class MeteorCorpusScore(MeteorScore, CorpusScore):
    """The score of a corpus: the formula applied to the summed statistics of its segments.

    Attributes:
        segment_count: number of segments.
        segments: their scores, if they were asked for; else empty.
    """

    segment_count: int
    segments: tuple[MeteorSegmentScore, ...] = ()

    def __repr__(self) -> str:
        count = f"{self.segment_count} segment{'' if self.segment_count == 1 else 's'}"
        return f"{super().__repr__()[:-1]}, {count}{' kept' if self.segments else ''})"

    def _repr_html_(self) -> str:
        """Return a table of the corpus and its first segments, with the signature, for notebooks."""
        rows: list[Sequence[str | float]] = [("corpus", *_row(self))]
        rows += [(f"segment {number}", *_row(segment)) for number, segment in enumerate(self.segments[:_SHOWN], 1)]
        left_out = len(self.segments) - _SHOWN
        note = (
            f"{left_out} more segments; to_pandas() returns all. {self.signature}" if left_out > 0 else self.signature
        )
        return html_table(("", *PARTS), rows, note)

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame with one row per segment, or, without segments, with one row for the corpus."""
        return data_frame(PARTS, map(_row, self.segments or [self]))

    def to_dict(self) -> dict[str, Any]:
        """Return a form that JSON can hold; it has the segments if they were asked for."""
        result = {**super().to_dict(), "segment_count": self.segment_count}
        if self.segments:
            result["segments"] = [segment.to_dict() for segment in self.segments]
        return result


def _row(score: MeteorScore) -> list[float]:
    return [getattr(score, name) for name in PARTS]


class RowDetails(Sequence[Mapping[str, Any]]):
    """Details of the segments of a batch for JSON, kept as METEOR's rows; each is made when it is asked for.

    Args:
        rows: of the batch.
        parameters: of the formula.
        matchers: names of the chain's matchers.
        alignments: of the segments; empty if details do not hold them.
    """

    def __init__(
        self, rows: Rows, parameters: Parameters, matchers: tuple[str, ...], alignments: Sequence[Alignment]
    ) -> None:
        self._rows = replace(rows, alignments=())
        self._parameters, self._matchers, self._alignments = parameters, matchers, alignments

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: Any) -> Any:
        return list(self)[index]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for index, (statistics, scores, reference) in enumerate(self._rows.segments()):
            detail = {**score_details(statistics, scores, self._parameters, self._matchers)}
            detail["reference_index"] = reference
            if self._alignments:
                detail["alignment"] = self._alignments[index]
            yield detail


def score_details(
    statistics: Statistics, scores: FormulaScores, parameters: Parameters, matchers: tuple[str, ...]
) -> dict[str, Any]:
    """Return the statistics and each matcher's share of a score, for JSON."""
    score = MeteorScore(
        **scores.defined()._asdict(), statistics=statistics, parameters=parameters, matchers=matchers, signature=""
    )
    fields = score.to_dict()
    return {name: fields[name] for name in ("matchers", "statistics")}
