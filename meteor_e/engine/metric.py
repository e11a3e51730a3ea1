"""METEOR by the protocol of metrics: statistics of alignments, which several metrics of a run share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from meteor_e.api.metrics import CURRENT, Metric, SummedRows
from meteor_e.base.errors import ConfigError, InputError
from meteor_e.engine.batches import LARGE_FIRST_BATCH, SegmentBatch
from meteor_e.engine.protocol import Scored, joined
from meteor_e.scoring import formula
from meteor_e.scoring.formula import PARTS, PLACES, FormulaScores
from meteor_e.scoring.results import Score
from meteor_e.scoring.statistics import Statistics

# NumPy is imported where it is needed: plain METEOR starts without it.
if TYPE_CHECKING:
    from numpy.typing import NDArray

    from meteor_e.base.array_cache import Floats, Integers
    from meteor_e.engine.aggregation import Aggregated


@dataclass(frozen=True, eq=False)
class ScoredRows(SummedRows):
    """Statistics that an engine gave.

    Attributes:
        scored: what the engine gave.
    """

    scored: Scored
    total: list[int]
    count: int

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
        return [[defined[start + at] for at in PLACES] for start in range(0, len(defined), width)]


class AlignmentMetric(Metric):
    """METEOR: its statistics of segments are those of alignments, and its scores those of the formula.

    Args:
        meteor: the :class:`~meteor_e.Meteor` that aligns.
        label: what tables call it.
        skipping: where :attr:`Meteor.on_error` is ``skip``, leave segments that cannot be aligned out of the sum.
    """

    name: ClassVar[str] = "meteor"
    title: ClassVar[str] = "METEOR"
    parts: ClassVar[tuple[str, ...]] = PARTS[1:]
    streaming: ClassVar[bool] = True
    meteor: Any

    def __init__(self, meteor: Any, label: str = "METEOR", *, skipping: bool = False) -> None:
        self.meteor, self.label, self.skipping = meteor, label, skipping

    @property
    def signature(self) -> str:  # type: ignore[override]
        """METEOR's signature."""
        signature: str = self.meteor.signature
        return signature

    @property
    def threads(self) -> int | None:
        """Those of the chain; a chain of contextual matchers takes small batches, and threads within each."""
        threads: int | None = self.meteor.batch_threads
        return threads

    @property
    def on_error(self) -> str:
        """That of the chain; it can be set."""
        choice: str = self.meteor.on_error
        return choice

    @on_error.setter
    def on_error(self, choice: str) -> None:
        self.meteor.on_error = choice

    def failures(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> dict[int, InputError]:
        """Align segments and return those that cannot be.

        Raises:
            MeteorError: for another fault.
        """
        found = {}
        for batch, scored in self.meteor.scored_batches(hypotheses, references):
            for at, error in scored.failures.items():
                if not isinstance(error, InputError):
                    raise error
                found[batch.first - 1 + at] = error
        return found

    def statistics(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str] | None = None
    ) -> ScoredRows:
        """Align segments and return METEOR's statistics of the reference that counts, as a corpus adds them up.

        A batch that another metric aligned is looked up.

        Raises:
            InputError: for a segment that cannot be aligned, unless :attr:`Meteor.on_error` is ``zero``.
            ConfigError: if :attr:`Meteor.on_error` is ``skip``, a segment cannot be aligned, and all are needed.
        """
        batch, meteor = CURRENT.get(), self.meteor
        shared: dict[Any, Any] = {} if batch.shared is None else batch.shared
        texts = [*hypotheses], [*map(tuple, references)]
        known, rows = shared.get(meteor.signature, (None, None))
        if known == texts:
            found: ScoredRows = rows
            return found
        if batch.threads is None:
            parts = meteor.scored_batches(
                hypotheses, references, alignments=batch.alignments, first_size=LARGE_FIRST_BATCH
            )
            scored = joined([part for _, part in parts])
        else:
            whole = SegmentBatch(1, hypotheses, references)
            scored = meteor.score_batch(whole, batch.threads, batch.stop, alignments=batch.alignments)
        total, count = scored.total, len(hypotheses)
        segments = list(scored.rows()) if scored.failures else []
        for place, error in scored.failures.items():
            if meteor.tolerates(error, batch.before + place + 1):
                total = [a + b for a, b in zip(total, segments[place][0].to_vector(), strict=True)]
            elif self.skipping:
                count -= 1
            else:
                raise ConfigError(
                    "a metric needs a row for every segment; a chain with on_error 'skip' leaves some out"
                )
        found = ScoredRows(scored, total, count)
        if not scored.failures:  # Another metric may not tolerate what this one does.
            shared[meteor.signature] = texts, found
        return found

    def segment_scores(self, statistics: Any) -> Any:
        """Return METEOR and its parts."""
        return statistics.values() if isinstance(statistics, ScoredRows) else self.corpus_scores(statistics)

    def corpus_scores(self, sums: Any) -> Any:
        """Return METEOR of summed statistics, and its parts."""
        parameters = self.meteor.chain.parameters
        if isinstance(sums, list):
            found = [formula.compute(Statistics.from_vector(row), parameters).defined() for row in sums]
            return [[row[at] for at in PLACES] for row in found]
        import numpy as np

        from meteor_e.scoring.arrays import part_arrays

        return np.nan_to_num(np.stack(part_arrays(sums, parameters), axis=-1)[..., PLACES], posinf=np.inf)

    def details(
        self, statistics: Any, hypotheses: Sequence[str], references: Sequence[Sequence[str]]
    ) -> list[Mapping[str, Any]]:
        """Return what matchers brought, and the statistics; of segments also the best reference and the alignment."""
        meteor = self.meteor
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
            if scored.alignments and CURRENT.get().alignments:
                alignment = scored.alignments[number]
                detail["alignment"] = (
                    meteor.unaligned(hypotheses[number], references[number][best]) if alignment is None else alignment
                )
            told.append(detail)
        return told

    def about(self) -> Mapping[str, Any]:
        """Return the chain, and what computes."""
        return {"chain": self.meteor.chain.effective(), "engine": self.meteor.engine}

    def pairwise(
        self,
        sources: Iterable[Sequence[str]],
        references: Iterable[Sequence[str]] | None = None,
        language: str = "",
    ) -> Iterator[Floats]:
        """Score candidates against one another, or against references; each text is read once."""
        self.prepare((), language)
        found: Iterator[Floats] = self.meteor.pairwise_batches(sources, references)
        return found

    def expected_scores(
        self, hypotheses: Sequence[str], references: Sequence[str], weights: Floats, language: str = ""
    ) -> Aggregated:
        """Approximate expected scores; see :mod:`meteor_e.engine.aggregation`."""
        from meteor_e.engine.aggregation import meteor_aggregated

        self.prepare((), language)
        return meteor_aggregated(self.meteor, hypotheses, references, weights)


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
    """Align segments and return arrays; errors as for :meth:`AlignmentMetric.statistics`."""
    return aligned_rows(AlignmentMetric(meteor).statistics(hypotheses, references).scored)


def aligned_rows(scored: Scored) -> Aligned:
    """Return what an engine gave as arrays."""
    import numpy as np

    return Aligned(
        np.frombuffer(scored.scores).reshape(-1, len(FormulaScores._fields)),
        np.frombuffer(scored.statistics, np.int64).reshape(-1, len(scored.total)),
        np.frombuffer(scored.best_references, np.int32),
    )
