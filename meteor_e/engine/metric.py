"""METEOR by the protocol of metrics: statistics of alignments, which several metrics of a run share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from meteor_e.api.metrics import Metric
from meteor_e.api.sums import SummedRows, current_batch
from meteor_e.base.errors import ConfigError, InputError
from meteor_e.engine.protocol import Scored
from meteor_e.engine.streaming import SegmentBatch
from meteor_e.scoring import formula
from meteor_e.scoring.formula import PARTS, FormulaScores
from meteor_e.scoring.results import Score
from meteor_e.scoring.statistics import Statistics, statistics_width

# NumPy is imported where it is needed: plain METEOR starts without it.
if TYPE_CHECKING:
    from numpy.typing import NDArray

    from meteor_e.base.array_cache import Floats, Integers

_ORDER = [FormulaScores._fields.index(part) for part in PARTS]


class ScoredRows(SummedRows):
    """Statistics that an engine gave.

    Attributes:
        scored: what the engine gave.
    """

    def __init__(self, scored: Scored, total: list[int], count: int) -> None:
        self.scored, self.total, self.count = scored, total, count

    def __len__(self) -> int:
        return len(self.scored.best_references) // 4

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        from meteor_e.scoring.statistics import as_summed

        return as_summed(aligned_rows(self.scored).statistics).astype(float if dtype is None else dtype)

    def values(self) -> list[list[float]]:
        """Return METEOR and its parts for each segment; 0 for parts that are undefined."""
        numbers = memoryview(self.scored.scores).cast("d").tolist()
        defined = [value if value == value else 0.0 for value in numbers]  # NaN is not equal to itself.
        width = len(PARTS)
        return [[defined[start + at] for at in _ORDER] for start in range(0, len(defined), width)]


class AlignmentMetric(Metric):
    """METEOR: its statistics of segments are those of alignments, and its scores those of the formula."""

    title: ClassVar[str] = "METEOR"
    parts: ClassVar[tuple[str, ...]] = PARTS[1:]
    streaming: ClassVar[bool] = True
    threaded: ClassVar[bool] = True
    skipping = False
    """Whether segments may be left out."""

    @property
    @abstractmethod
    def current(self) -> Any:
        """The :class:`~meteor_e.Meteor` that aligns."""

    @property
    def threads(self) -> int | None:
        """Those of the chain; a chain of contextual matchers takes small batches, and threads within each."""
        meteor = self.current
        return None if meteor.reads_sentences else min(meteor.threads, meteor.max_threads or meteor.threads)

    @property
    def on_error(self) -> str:
        """That of the chain; it can be set."""
        choice: str = self.current.on_error
        return choice

    @on_error.setter
    def on_error(self, choice: str) -> None:
        self.current.on_error = choice

    def failures(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> dict[int, InputError]:
        """Align segments and return those that cannot be.

        Raises:
            MeteorError: for another fault.
        """
        found = {}
        for batch, scored in self.current.scored_batches(hypotheses, references):
            for at, error in scored.failures.items():
                if not isinstance(error, InputError):
                    raise error
                found[batch.first - 1 + at] = error
        return found

    def statistics(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str] | None = None
    ) -> ScoredRows:
        """Return METEOR's statistics of the reference that counts, as a corpus adds them up."""
        return align_segments(self.current, hypotheses, references, skipping=self.skipping)

    def segment_scores(self, statistics: Any) -> Any:
        """Return METEOR and its parts."""
        return statistics.values() if isinstance(statistics, ScoredRows) else self.corpus_scores(statistics)

    def corpus_scores(self, sums: Any) -> Any:
        """Return METEOR of summed statistics, and its parts."""
        parameters = self.current.chain.parameters
        if isinstance(sums, list):
            found = [formula.compute(Statistics.from_vector(row), parameters).defined() for row in sums]
            return [[row[at] for at in _ORDER] for row in found]
        import numpy as np

        from meteor_e.scoring.arrays import part_arrays

        return np.nan_to_num(np.stack(part_arrays(sums, parameters), axis=-1)[..., _ORDER], posinf=np.inf)

    def details(
        self, statistics: Any, hypotheses: Sequence[str], references: Sequence[Sequence[str]]
    ) -> list[Mapping[str, Any]]:
        """Return what matchers brought, and the statistics; of segments also the best reference and the alignment."""
        meteor = self.current
        fixed = {
            "parameters": meteor.chain.parameters, "matchers": meteor.matcher_names, "signature": meteor.signature
        }  # fmt: skip

        def counted(of: Statistics, parts: FormulaScores) -> dict[str, Any]:
            found = Score(**parts.defined()._asdict(), statistics=of, **fixed).to_dict()
            return {name: found[name] for name in ("matchers", "statistics")}

        if not isinstance(statistics, ScoredRows):
            sums = [Statistics.from_vector([int(value) for value in row]) for row in statistics]
            return [counted(of, formula.compute(of, meteor.chain.parameters)) for of in sums]
        scored = statistics.scored
        told: list[Mapping[str, Any]] = []
        for number, (of, parts, best) in enumerate(scored.rows()):
            detail = {**counted(of, parts), "reference_index": best}
            if scored.alignments and current_batch().alignments:
                alignment = scored.alignments[number]
                detail["alignment"] = (
                    meteor.unaligned(hypotheses[number], references[number][best]) if alignment is None else alignment
                )
            told.append(detail)
        return told

    def about(self) -> Mapping[str, Any]:
        """Return the chain, and what computes."""
        return {"chain": self.current.chain.effective(), "engine": self.current.engine}


class Aligned(NamedTuple):
    """Scores and statistics of segments, each with the reference that counts.

    Attributes:
        scores: ``(segments, 6)``, the fields of :class:`~meteor_e.scoring.formula.FormulaScores`; undefined ones are
            NaN.
        statistics: ``(segments, width)``, as :meth:`~meteor_e.scoring.statistics.Statistics.to_vector` orders them.
        references: which reference counts, ``(segments,)``.
    """

    scores: Floats
    statistics: Integers
    references: NDArray[Any]


def aligned(meteor: Any, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Aligned:
    """Align segments and return arrays; arguments and errors as for :func:`align_segments`."""
    return aligned_rows(align_segments(meteor, hypotheses, references).scored)


def aligned_rows(scored: Scored) -> Aligned:
    """Return what an engine gave as arrays."""
    import numpy as np

    return Aligned(
        np.frombuffer(scored.scores).reshape(-1, len(FormulaScores._fields)),
        np.frombuffer(scored.statistics, np.int64).reshape(-1, len(scored.total)),
        np.frombuffer(scored.best_references, np.int32),
    )


@dataclass
class _Known:
    """Rows that a chain gave for a batch, and which texts they belong to."""

    rows: list[Any] = field(default_factory=list)
    places: dict[tuple[str, tuple[str, ...]], int] = field(default_factory=dict)


def align_segments(
    meteor: Any, hypotheses: Sequence[str], references: Sequence[Sequence[str]], *, skipping: bool = False
) -> ScoredRows:
    """Align segments and score them; texts that another metric of the batch aligned are looked up.

    Args:
        meteor: the :class:`~meteor_e.Meteor` that aligns.
        hypotheses: one per segment.
        references: for each hypothesis its references.
        skipping: where :attr:`Meteor.on_error` is ``skip``, leave segments that cannot be aligned out of the sum.

    Raises:
        InputError: for a segment that cannot be aligned, unless :attr:`Meteor.on_error` is ``zero``.
        ConfigError: if :attr:`Meteor.on_error` is ``skip``, a segment cannot be aligned, and all are needed.
    """
    batch = current_batch()
    numbers = range(batch.before + 1, batch.before + len(hypotheses) + 1)
    if batch.shared is None or batch.alignments:
        return _aligned(meteor, hypotheses, references, numbers, skipping)
    known = batch.shared.setdefault(meteor.signature, _Known())
    keys = [(hypothesis, tuple(texts)) for hypothesis, texts in zip(hypotheses, references, strict=True)]
    new = [at for at, key in enumerate(keys) if key not in known.places]
    import numpy as np

    if new:
        fresh = _aligned(
            meteor, [hypotheses[at] for at in new], [references[at] for at in new], [numbers[at] for at in new]
        )
        if fresh.scored.failures:  # Another metric may not tolerate what this one does.
            return _aligned(meteor, hypotheses, references, numbers)
        first, arrays = len(known.places), aligned_rows(fresh.scored)
        both: Any = zip(known.rows, arrays, strict=True)
        known.rows = list(map(np.concatenate, both)) if known.rows else list(arrays)
        known.places |= {keys[at]: first + place for place, at in enumerate(new)}
    places = [known.places[key] for key in keys]
    scores, statistics, best = (rows[places] for rows in known.rows)
    found = Scored(statistics.tobytes(), scores.tobytes(), best.tobytes(), {}, [], [0] * statistics.shape[1])
    total = np.asarray(ScoredRows(found, [], 0), np.int64).sum(axis=0).tolist()
    return ScoredRows(found, total, len(places))


def _aligned(
    meteor: Any,
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    numbers: Sequence[int],
    skipping: bool = False,
) -> ScoredRows:
    """Return the rows of segments with numbers."""
    width = statistics_width(len(meteor.matchers))
    parts = [scored for _, scored in _scored(meteor, hypotheses, references)]
    failures: dict[int, Any] = {}
    total, count, at = [0] * width, 0, 0
    for scored in parts:
        total = [a + b for a, b in zip(total, scored.total, strict=True)]
        size = len(scored.best_references) // 4
        rows = list(scored.rows()) if scored.failures else []
        for place, error in scored.failures.items():
            failures[at + place] = error
            if meteor.tolerates(error, numbers[at + place]):
                total = [a + b for a, b in zip(total, rows[place][0].to_vector(), strict=True)]
            elif skipping:
                count -= 1
            else:
                raise ConfigError(
                    "a metric needs a row for every segment; a chain with on_error 'skip' leaves some out"
                )
        count += size
        at += size
    if len(parts) == 1:
        return ScoredRows(parts[0], total, count)
    joined = Scored(
        statistics=b"".join(part.statistics for part in parts),
        scores=b"".join(part.scores for part in parts),
        best_references=b"".join(part.best_references for part in parts),
        failures=failures,
        alignments=[alignment for part in parts for alignment in part.alignments],
        total=total,
    )
    return ScoredRows(joined, total, count)


def _scored(
    meteor: Any, hypotheses: Sequence[str], references: Sequence[Sequence[str]]
) -> Iterator[tuple[SegmentBatch, Scored]]:
    """Score a batch at once, where a loop shares threads out; else in parts, with the metric's own threads."""
    batch = current_batch()
    if batch.threads is None:
        found: Iterator[tuple[SegmentBatch, Scored]] = meteor.scored_batches(
            hypotheses, references, alignments=batch.alignments
        )
        return found
    whole = SegmentBatch(1, hypotheses, references)
    return iter([(whole, meteor.score_batch(whole, batch.threads, batch.stop, alignments=batch.alignments))])
