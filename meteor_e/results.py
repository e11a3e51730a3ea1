"""Systems under several metrics: the loop that scores segments, and its results, which every format writes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from meteor_e.api.batches import FIRST_BATCH, LARGE_FIRST_BATCH, Batch, Executor, map_in_order, read_batches
from meteor_e.api.formats import Found, Grid, Result
from meteor_e.api.metrics import (
    Explains,
    HasDetails,
    Metric,
    MetricSum,
    Scores,
    SystemOutputs,
    SystemsMetric,
    compute_statistics,
    found_by,
    main_scores,
)
from meteor_e.api.segments import System
from meteor_e.base import DEFAULT_SEED
from meteor_e.base.errors import ConfigError, InputError, guarded
from meteor_e.base.extras import data_frame
from meteor_e.base.progress import Progress, silent
from meteor_e.render.documents import settled
from meteor_e.render.plain import shown_number, shown_p

# NumPy is imported where it is needed: plain METEOR starts without it.
if TYPE_CHECKING:
    from meteor_e.significance.systems import SystemTest

SCHEMA_VERSION = 1
"""Version of the JSON document; it rises when a program that reads it has to change."""

PART_TITLES = {"f1": "F1", "fmean": "Fmean", "fragmentation_penalty": "penalty"}
"""What tables for people call parts of a score that have another name there."""

TEST_NAMES = {"bootstrap": "paired bootstrap", "randomization": "paired approximate randomization"}

BOOTSTRAP_NOTE = (
    "The paired bootstrap finds differences too easily: of equal systems, about one in ten differs at p < 0.05. "
    "Prefer --significance randomization."
)


Pairs: TypeAlias = Iterator[tuple[str, Sequence[str]]]


class Significance(NamedTuple):
    """How systems are tested against the first one.

    Attributes:
        method: ``bootstrap`` or ``randomization``.
        samples: of the test; ``None`` for as many as suit the method.
        seed: of the test and the intervals.
    """

    method: str
    samples: int | None = None
    seed: int = DEFAULT_SEED


@dataclass(frozen=True)
class Row:
    """A row of a table: a segment, or a whole system.

    Attributes:
        system: the place of the system.
        segment: number of the segment in the file, from 1; ``None`` for the system.
        found: what is known in each column: the score and its parts. Details stand in a metric's first column.
        count: the number of segments.
        tests: of each column against the first system; empty for segments, and where they were not asked for.
    """

    system: int
    segment: int | None
    found: tuple[Found, ...]
    count: int = 1
    tests: tuple[SystemTest, ...] = ()


class Results(Result):
    """Systems by metrics. They are scored while they are written, and kept where that is asked for.

    Kept results of consecutive parts of the same systems can be added: ``a + b``.

    Args:
        metrics: what scores; labels differ.
        systems: names.
        rows: yields the rows: of each system its segments, where they are wanted, then the system itself.
        tests: of the differences; ``None`` for none.
        left_out: numbers of segments, from 1, that are left out of all systems and metrics.
        explanations: of metrics that say why systems differ: metric, the two systems, and the text.
        sums: of each system, one per metric, for parts that can be added.
        reference_counts: the distinct numbers of references of a segment.
    """

    def __init__(
        self,
        metrics: Sequence[Metric],
        systems: Sequence[str],
        rows: Iterable[Row],
        *,
        tests: Significance | None = None,
        left_out: tuple[int, ...] = (),
        explanations: Callable[[], Iterable[tuple[str, str, str, str]]] | None = None,
        sums: Sequence[Sequence[MetricSum]] = (),
        reference_counts: Collection[int] = (),
    ) -> None:
        self.reference_counts = reference_counts
        self.metrics, self.systems = metrics, tuple(systems)
        self.tests, self.left_out = tests, left_out
        self.columns = tuple(column for metric in metrics for column in metric.headings)
        names = [column.name for column in self.columns]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ConfigError(f"two metrics have a column {twice!r}; leave one out, or tell them apart by LABEL=METRIC")
        self.sums = sums
        self._explanations = explanations
        self._rows: Iterable[Row] = rows
        self._whole: list[Row] = []

    def kept(self) -> Results:
        """Score to the end and keep all rows, so that every view can be taken any number of times."""
        self._rows = list(self.rows())
        return self

    def __add__(self, other: Results) -> Results:
        """Return the results of this part of the systems and the next one, of both of which the rows are kept.

        Raises:
            ConfigError: for other systems or metrics, or parts whose sums were not kept.
        """
        same = [metric.signature for metric in self.metrics] == [metric.signature for metric in other.metrics]
        if not same or self.systems != other.systems or not self.sums or not other.sums:
            raise ConfigError("only kept parts of the same systems under the same metrics can be added")
        sums = [[a + b for a, b in zip(*both, strict=True)] for both in zip(self.sums, other.sums, strict=True)]
        rows = []
        for place, of_system in enumerate(sums):
            before = self.sums[place][0].count
            for part, moved in ((self, 0), (other, before)):
                rows += [
                    Row(place, row.segment + moved, row.found)
                    for row in part.rows()
                    if row.segment is not None and row.system == place
                ]
            whole = tuple(found for one in of_system for found in one.found(details=True))
            rows.append(Row(place, None, whole, of_system[0].count))
        counts = {*self.reference_counts, *other.reference_counts}
        return Results(self.metrics, self.systems, rows, sums=sums, reference_counts=counts)

    def rows(self) -> Iterator[Row]:
        """Yield the rows, and remember those of systems."""
        self._whole = []
        for row in self._rows:
            if row.segment is None:
                self._whole.append(row)
            yield row

    @property
    def whole(self) -> list[Row]:
        """The rows of the systems."""
        if len(self._whole) < len(self.systems):
            for _ in self.rows():
                pass
        return self._whole

    @property
    def signatures(self) -> dict[str, str]:
        """The signature of each column's metric; that of some metrics names the number of references."""
        counts = self.reference_counts
        return {column.name: metric.signature_for(counts) for metric in self.metrics for column in metric.headings}

    def scores(self, name: str) -> list[float]:
        """Return the systems' scores in a column."""
        return [row.found[self._place(name)].values[0] for row in self.whole]

    def segment_scores(self, name: str, system: int = 0) -> list[float]:
        """Return the scores of a system's segments in a column, if they were kept."""
        rows = (row for row in self.rows() if row.segment is not None and row.system == system)
        return [row.found[self._place(name)].values[0] for row in rows]

    def _place(self, name: str) -> int:
        return [column.name for column in self.columns].index(name)

    def __repr__(self) -> str:
        return f"Results({len(self.systems)} systems; {', '.join(column.name for column in self.columns)})"

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame with one row per system; ConfigError if pandas is not installed."""
        rows = [(self.systems[row.system], *(found.values[0] for found in row.found)) for row in self.whole]
        return data_frame(("system", *(column.name for column in self.columns)), rows)

    # For people.

    def _decimals(self, digits: int | None) -> list[int]:
        """Return the decimals of each column: as many as were asked for, or its own."""
        return [column.decimals if digits is None else digits for column in self.columns]

    def lines(self, digits: int | None = None) -> Iterator[str]:
        """Yield the scores of segments, and their alignments where they are known."""
        names = [f"{column.name} " if len(self.columns) > 1 else "" for column in self.columns]
        for row in self.rows():
            if row.segment is None:
                continue
            prefix = f"{self.systems[row.system]}, " if len(self.systems) > 1 else ""
            shown = zip(names, row.found, self._decimals(digits), strict=True)
            scores = [name + shown_number(found.values[0], decimals) for name, found, decimals in shown]
            yield f"{prefix}segment {row.segment}: {', '.join(scores)}"
            for found in row.found:
                if found.details and "alignment" in found.details:
                    from meteor_e.render.alignments import alignment_lines

                    yield from alignment_lines(found.details["alignment"])
                    yield ""

    def grids(self, digits: int | None = None) -> Iterator[Grid]:
        """Yield the scores, the tests and the explanations."""
        whole = self.whole
        alone = len(self.columns) == 1
        header = ["system"]
        for column in self.columns:
            header.append(column.name + ("" if column.higher_is_better else " ↓"))
            header += [PART_TITLES.get(part, part) for part in column.parts if alone]
        rows = []
        for row in whole:
            cells = [self.systems[row.system]]
            for found, decimals in zip(row.found, self._decimals(digits), strict=True):
                cells += [shown_number(value, decimals) for value in (found.values if alone else found.values[:1])]
            rows.append([*cells, str(row.count)])
        # Columns of one metric have one signature.
        names: dict[str, list[str]] = {}
        for name, signature in self.signatures.items():
            names.setdefault(signature, []).append(name)
        notes = [signature if alone else f"{', '.join(each)}: {signature}" for signature, each in names.items()]
        if self.left_out:
            what = "segment" if len(self.left_out) == 1 else f"{len(self.left_out)} segments"
            numbers = ", ".join(map(str, self.left_out))
            notes.append(f"Left out, because it cannot be aligned in every system: {what} {numbers}.")
        yield Grid([*header, "segments"], rows, notes=notes)
        if self.tests is not None:
            yield self._tested(self.tests, whole, digits)
        for *_, text in () if self._explanations is None else self._explanations():
            yield Grid((), (), notes=text.split("\n"))

    def _tested(self, tests: Significance, whole: Sequence[Row], digits: int | None) -> Grid:
        """Return the table of tests: of each column one row per system."""
        alone = len(self.columns) == 1
        rows = []
        for place, (column, decimals) in enumerate(zip(self.columns, self._decimals(digits), strict=True)):
            for row in whole:
                test = row.tests[place]
                rows.append(
                    [
                        self.systems[row.system],
                        *([] if alone else [column.name]),
                        shown_number(row.found[place].values[0], decimals),
                        _interval(test.interval, decimals),
                        shown_number(test.difference, decimals, "+"),
                        _interval(test.difference_interval, decimals, "+"),
                        shown_p(test.p),
                    ]
                )
        what = f"{TEST_NAMES[tests.method]}, {tests.samples} samples, seed {tests.seed}"
        if len(self.systems) == 1:
            notes = [f"interval: {what}"]
        else:
            notes = [f"p: two-sided, against {self.systems[0]}; {what}"]
            notes += [BOOTSTRAP_NOTE] if tests.method == "bootstrap" else []
        title = self.columns[0].name if alone else "score"
        header = ["system", *([] if alone else ["metric"]), title, "95 % interval", "difference", "95 % interval", "p"]
        return Grid(header, rows, notes=notes, left=1 if alone else 2)

    # For programs.

    def records(self) -> Iterator[Sequence[object]]:
        """Yield one row per segment, where they are wanted, and one per system, with all digits."""
        tested = ("low", "high", "difference", "p") if self.tests is not None else ()
        header = ["system", "segment"]
        for column in self.columns:
            header += [column.name, *(f"{column.name} {part}" for part in (*column.parts, *tested))]
        yield header
        for row in self.rows():
            cells: list[object] = [self.systems[row.system], "all" if row.segment is None else row.segment]
            for place, found in enumerate(row.found):
                cells += found.values
                if row.tests:
                    test = row.tests[place]
                    cells += [test.interval.low, test.interval.high, test.difference, test.p]
                else:
                    cells += [None] * len(tested)
            yield cells

    def document(self) -> dict[str, Any]:
        """Return what ``docs/reference/score.schema.json`` describes."""
        found: dict[str, Any] = settled(self.streamed_document())
        return found

    to_dict = document

    def streamed_document(self) -> dict[str, Any]:
        """Return the same as it comes into being: the segments are not kept."""
        document: dict[str, Any] = {"version": SCHEMA_VERSION, "systems": self._streamed(), "metrics": self._described}
        if self.left_out:
            document["left_out"] = list(self.left_out)
        if self.tests is not None:
            test, samples, seed = self.tests
            document["significance"] = {"test": test, "samples": samples, "seed": seed}
        if self._explanations is not None:
            keys = ("metric", "baseline", "system", "text")
            document["explanations"] = (dict(zip(keys, entry, strict=True)) for entry in self._explanations())
        return document

    def _streamed(self) -> Iterator[dict[str, Any]]:
        """Yield the systems of the document; each has to be read to its end before the next."""
        rows = self.rows()
        for row in rows:  # the first one of a system
            system: dict[str, Any] = {"system": self.systems[row.system]}
            if row.segment is not None:
                rest = itertools.takewhile(lambda each: each.segment is not None, rows)
                system["segments"] = (
                    {"segment": each.segment, "scores": self._scores(each)} for each in itertools.chain([row], rest)
                )
            yield system | {
                "segment_count": lambda: self._whole[-1].count,
                "scores": lambda: self._scores(self._whole[-1]),
            }

    def _described(self) -> dict[str, Any]:
        """Return what the document says of each column, once the systems are scored."""
        return {
            column.name: {
                "signature": metric.signature_for(self.reference_counts),
                "higher_is_better": column.higher_is_better,
                **metric.about(),
            }
            for metric in self.metrics
            for column in metric.headings
        }

    def _scores(self, row: Row) -> dict[str, Any]:
        entries = {}
        for place, (column, found) in enumerate(zip(self.columns, row.found, strict=True)):
            score, *parts = found.values
            entry: dict[str, Any] = {"score": score}
            if parts:
                entry["parts"] = dict(zip(column.parts, parts, strict=True))
            if row.tests:
                test = row.tests[place]
                entry |= {key: getattr(test, key) for key in ("interval", "difference", "difference_interval", "p")}
            if found.details:
                entry["details"] = dict(found.details)
            entries[column.name] = entry
        return entries

    def task_scores(self) -> Iterator[tuple[str, str, list[float], float]]:
        """Yield metric, system, scores of segments, and score, for WMT's files; NaN for a segment that is left out."""
        rows = list(self.rows())
        for place, column in enumerate(self.columns):
            for whole in self.whole:
                own = {row.segment: row.found[place].values[0] for row in rows if row.system == whole.system}
                score = own.pop(None)
                last = len(own) + len(self.left_out) if own else 0
                scores = [own.get(number, math.nan) for number in range(1, last + 1)]
                yield column.name, self.systems[whole.system], scores, score

    def main_scores(self) -> Iterator[list[float]]:
        """Yield the scores of each system as soon as they are known, for ``--quiet``."""
        for row in self.rows():
            if row.segment is None:
                yield [found.values[0] for found in row.found]


def _interval(ends: Any, digits: int, sign: str = "") -> str:
    return "" if ends is None else f"[{shown_number(ends[0], digits, sign)}, {shown_number(ends[1], digits, sign)}]"


def score(
    metrics: Sequence[Metric],
    systems: Sequence[System],
    *,
    language: str = "",
    tests: Significance | None = None,
    segments: bool = True,
    details: bool = False,
    alignments: bool = False,
    explain: bool = False,
    progress: Progress = silent,
    left_out: tuple[int, ...] = (),
    keep: bool = False,
    prepared: bool = False,
    finite: bool = True,
    in_order: Executor[Any] = map_in_order,
) -> Results:
    """Return results of systems under several metrics; they are scored while rows are asked for.

    Each system is read once. Memory does not grow with the number of segments, except for ``tests`` and ``keep``
    (statistics and rows are kept), ``explain`` and metrics that do not stream (texts are kept), and where the caller
    keeps rows.

    Args:
        metrics: what scores; labels differ.
        systems: what is scored; the first is the baseline of the tests.
        language: ISO code of the text.
        tests: of differences to the first system; ``None`` for none.
        segments: whether there are rows of segments.
        details: whether rows hold what JSON has beside the scores.
        alignments: whether rows hold METEOR's alignments.
        explain: whether metrics say why systems differ from the first; ``systems`` are then read twice.
        progress: told about the work on each system.
        left_out: numbers of segments that the systems had, and that are in none of them any more.
        keep: whether statistics of segments are kept, so that parts can be added.
        prepared: whether the metrics are prepared already, for more than these systems.
        finite: whether statistics that are not finite are an error.
        in_order: who scores the batches: threads of this process, or a cluster.

    Raises:
        ConfigError: for an unknown test, or a metric that does not go with the language.
        InputError: if there is nothing to score. While rows are read: for a segment without a score, and for systems
            that are to be compared, and are not of the same segments.
    """
    if not systems:
        raise InputError("there are no systems to score")
    first = next((metric for metric in metrics if metric.language), None)
    spoken = f"the text is in {language!r}" if language else first and f"{first.label} for {first.language!r}"
    for metric in metrics:
        if first and metric.language not in ("", language or first.language):
            raise ConfigError(f"metric {metric.label} is for {metric.language!r}, and {spoken}")
    if tests is not None:
        from meteor_e.significance.systems import METHODS

        if tests.method not in METHODS:
            raise ConfigError(f"unknown significance test {tests.method!r}; there are {', '.join(METHODS)}")
        tests = tests._replace(samples=METHODS[tests.method] if tests.samples is None else tests.samples)
    used = list(metrics)
    scorer = _Scorer(metrics, segments, details, alignments, finite)
    loop = _Loop(
        scorer,
        used,
        systems,
        tests,
        keep or tests is not None,
        prepared,
        progress,
        left_out,
        in_order,
        [],
        [],
        set(),
        {},
    )
    return Results(
        used,
        [system.name for system in systems],
        loop.rows() if tests is None else loop.tested_rows(tests),
        tests=tests,
        left_out=left_out,
        explanations=_explanations(metrics, systems) if explain else None,
        sums=loop.sums,
        reference_counts=loop.reference_counts,
    )


def _explanations(
    metrics: Sequence[Metric], systems: Sequence[System]
) -> Callable[[], Iterator[tuple[str, str, str, str]]]:
    """Return what says why systems differ from the first one, for the metrics that can.

    Raises:
        ConfigError: if there is none, or nothing to compare.
    """
    found = [metric for metric in metrics if isinstance(metric, Explains)]
    if len(systems) < 2:
        raise ConfigError("--explain compares systems with the first one; give two or more")
    if not found:
        raise ConfigError("--explain: none of these metrics explains its scores; models do, such as -M en-light")

    def explained() -> Iterator[tuple[str, str, str, str]]:
        read = [(system.name, list(system.read())) for system in systems]
        (first, own), *others = ((name, [segment.hypothesis for segment in segments]) for name, segments in read)
        references = [segment.references for segment in read[0][1]]
        known = [segment.source for segment in read[0][1] if segment.source is not None]
        sources = known if len(known) == len(references) else None
        for metric, (other, texts) in itertools.product(found, others):
            yield metric.label, first, other, metric.explain(own, texts, references, (first, other), sources)

    return explained


class NamedRows(NamedTuple):
    """Scores of a system's segments of a metric that scores whole outputs.

    Attributes:
        statistics: score and 1 of each segment.
        details: what JSON says of each segment; empty if there is nothing to say.
    """

    statistics: Any
    details: Sequence[Mapping[str, Any]]

    @classmethod
    def of(cls, scores: Scores, position: int) -> NamedRows:
        """Return the rows of the system at a position."""
        import numpy as np

        segments = scores.segments[position]
        details = scores.segment_details[position] if scores.segment_details else ()
        return cls(np.stack([segments, np.ones(len(segments))], axis=1), details)


_Found: TypeAlias = tuple[Any, list[tuple[Found, ...]]]
"""What a metric finds for a batch: statistics, and for each segment what its columns hold, where that is wanted."""


@dataclass(frozen=True)
class _Scorer:
    """Scores a batch; it is pickled to other processes.

    Attributes:
        metrics: what scores; they are prepared.
        segments, details, alignments, finite: see :func:`score`.
        named: scores of the system's segments of metrics that know systems by name, by label.
    """

    metrics: Sequence[Metric]
    segments: bool
    details: bool
    alignments: bool
    finite: bool
    named: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, batch: Batch) -> list[_Found]:
        """Return what each metric finds for a batch."""
        batch.alignments = self.alignments
        found: list[_Found] = []
        for metric in self.metrics:
            named = self.named.get(metric.label)
            part = slice(batch.position, batch.position + len(batch))
            rows = compute_statistics(metric, batch, finite=self.finite) if named is None else named.statistics[part]
            details = named.details[part] if named is not None and named.details and self.details else None
            found.append((rows, self._of_segments(metric, rows, batch, details) if self.segments else []))
        return found

    def _of_segments(
        self, metric: Metric, statistics: Any, batch: Batch, details: Sequence[Mapping[str, Any]] | None
    ) -> list[tuple[Found, ...]]:
        with guarded(f"metric {metric.name!r}"):
            scores = metric.segment_scores(statistics)
            told = details
            if details is None and (self.details or self.alignments) and isinstance(metric, HasDetails):
                told = metric.details(statistics, batch)
            return found_by(metric, scores, told)


class _Loop(NamedTuple):
    """How systems are scored: the arguments of :func:`score`, and what is known of the systems that are scored already.

    Attributes:
        metrics: as they were prepared for the last system.
        sums: of each system, one per metric.
        references: of each system, where systems are tested, a hash of its references.
        reference_counts: the distinct numbers of references of a segment.
        whole_outputs: scores of the metrics that score whole outputs.
    """

    scorer: _Scorer
    metrics: list[Metric]
    systems: Sequence[System]
    tests: Significance | None
    keep: bool
    prepared: bool
    progress: Progress
    left_out: tuple[int, ...]
    in_order: Executor[Any]
    sums: list[list[MetricSum]]
    references: list[int]
    reference_counts: set[int]
    whole_outputs: dict[tuple[str, str, int], Scores]

    def rows(self) -> Iterator[Row]:
        """Yield the rows of one system after the other: the loop over segments."""
        for place, system in enumerate(self.systems):
            sums = [MetricSum(metric, self.keep) for metric in self.scorer.metrics]
            # Somebody waits for the first scores of the first system only.
            first_size = LARGE_FIRST_BATCH if place else FIRST_BATCH
            batches, scorer = self._prepared(system, sums, first_size)
            alone = scorer.metrics[0] if len(sums) == 1 else None
            threads = alone.threads if alone is not None and alone.parallel == "batches" else None
            numbers = itertools.filterfalse(set(self.left_out).__contains__, itertools.count(1))
            count = seen = 0
            for batch, found in self.in_order(scorer, batches, threads):
                self.reference_counts.update(map(len, batch.references))
                for one, (statistics, _) in zip(sums, found, strict=True):
                    one.add(statistics)
                if scorer.segments:
                    for parts, number in zip(zip(*(rows for _, rows in found), strict=True), numbers, strict=False):
                        yield Row(place, number, tuple(itertools.chain(*parts)))
                for texts in batch.references if self.tests else ():
                    seen = hash((seen, *texts))
                count += len(batch)
                self.progress(system.name, count, system.size)
            self.sums.append(sums)
            self.references.append(seen)
            if seen != self.references[0]:
                raise InputError(
                    f"{system.name} and {self.systems[0].name} are not of the same segments; tests compare systems "
                    "that are"
                )
            whole = tuple(found for one in sums for found in one.found(scorer.details))
            yield Row(place, None, whole, sums[0].count)

    def _prepared(self, system: System, sums: Sequence[MetricSum], first_size: int) -> tuple[Iterator[Batch], _Scorer]:
        """Prepare the metrics; return what there is to score, and what scores it."""
        metrics = self.scorer.metrics
        by_name = [isinstance(metric, SystemsMetric) and not metric.scores_segments for metric in metrics]
        late = any(by_name) or (any(metric.needs_references for metric in metrics) and not self.prepared)
        kept = list(system.read()) if late else []
        segments = iter(kept) if late else system.read()
        batches = read_batches(segments, system=system.name, first_size=first_size)
        first = next(batches, None)
        if first is None:
            raise InputError(f"{system.name} is empty; there is nothing to score")
        references = [segment.references for segment in kept]
        named = {}
        prepared = []
        for metric, total in zip(metrics, sums, strict=True):
            if metric.needs_references and not self.prepared:
                metric = metric.prepare(references)
            if isinstance(metric, SystemsMetric) and not metric.scores_segments:
                position, scores = self._score_systems(metric, system)
                named[metric.label] = NamedRows.of(scores, position)
                total.given = [float(scores.systems[position])]
                total.details = scores.details[position] if scores.details else None
            total.metric = metric
            prepared.append(metric)
        self.metrics[:] = prepared
        return itertools.chain([first], batches), replace(self.scorer, metrics=prepared, named=named)

    def _score_systems(self, metric: SystemsMetric, system: System) -> tuple[int, Scores]:
        """Return the position of a system among those that a metric scores together, and their scores.

        All systems are read at once if the metric compares them; otherwise each is read by itself.
        """
        together = self.systems if metric.compares_systems else [system]
        key = (metric.label, together[0].name, len(together))
        if key not in self.whole_outputs:
            outputs = _read_outputs(metric, together)
            with guarded(f"metric {metric.name!r}"):
                self.whole_outputs[key] = metric.score_shown_systems(outputs, progress=self.progress)
        return list(together).index(system), self.whole_outputs[key]

    def tested_rows(self, tests: Significance) -> Iterator[Row]:
        """Score all systems, keep their rows, test them, and yield the rows."""
        from meteor_e.significance.systems import compare_systems

        rows = list(self.rows())
        columns = []
        method, samples, seed = tests
        for metric in self.scorer.metrics:
            if not metric.additive:
                raise ConfigError(
                    f"metric {metric.label}: its score of a system is not a mean of its segments; --significance needs "
                    "a metric whose score is"
                )
        for number, metric in enumerate(self.scorer.metrics):
            of_systems = {str(place): sums[number].statistics for place, sums in enumerate(self.sums)}
            start = 0
            for column in metric.headings:

                def scorer(sums: Any, metric: Metric = metric, start: int = start) -> Any:
                    return main_scores(metric.scores(sums), start)

                columns.append(compare_systems(of_systems, scorer, method=method, samples=samples, seed=seed))
                start += 1 + len(column.parts)
        for row in rows:
            if row.segment is None:
                row = replace(row, tests=tuple(found[row.system] for found in columns))
            yield row


def _read_outputs(metric: SystemsMetric, systems: Sequence[System]) -> SystemOutputs:
    """Read all systems, for a metric that scores whole outputs.

    Raises:
        InputError: if segments differ in their number of references, or if systems have other references.
    """
    outputs, references = [], None
    for system in systems:
        segments = list(system.read())
        texts = [segment.references for segment in segments]
        if len({len(each) for each in texts}) > 1:
            raise InputError(f"metric {metric.label}: all segments need the same number of references")
        if references is not None and texts != references:
            raise InputError(f"metric {metric.label}: {systems[0].name} and {system.name} have other references")
        references = texts
        outputs.append([segment.hypothesis for segment in segments])
    sides = tuple(list(side) for side in zip(*(references or ()), strict=True))
    return SystemOutputs("", "", metric.language, tuple(system.name for system in systems), tuple(outputs), sides)
