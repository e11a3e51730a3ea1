"""Systems under several metrics: scores, intervals and tests, as one table; and the table in every form."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import io
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np

from meteor_e.api.metrics import BATCH, Metric, MetricScore, RunningScore, SystemOutputs
from meteor_e.api.tables import SystemInput
from meteor_e.base.array_cache import ArrayCache, Floats, digest
from meteor_e.base.errors import ConfigError, InputError
from meteor_e.base.notebooks import Tabular
from meteor_e.base.progress import Progress, silent, staged
from meteor_e.formats.metric_task import metric_task_lines
from meteor_e.metrics.alignment_arrays import aligned_once
from meteor_e.significance.resampling import DEFAULT_SEED
from meteor_e.significance.systems import METHODS, SystemTest, compare_systems

__all__ = [
    "FORMATS",
    "Column",
    "SystemTable",
    "SystemTexts",
    "WmtNames",
    "metric_score",
    "render_systems",
    "score_table",
]

CHARACTERS = 1 << 23
"""Of all texts that are in memory at once, where metrics stream."""


@dataclass(frozen=True)
class SystemTexts:
    """What one system wrote.

    Attributes:
        name: of the system.
        hypotheses: one per segment.
        references: for each segment its references.
    """

    name: str
    hypotheses: Sequence[str]
    references: Sequence[Sequence[str]]

    @property
    def size(self) -> int:
        """Number of segments."""
        return len(self.hypotheses)

    def pairs(self) -> Iterator[tuple[str, Sequence[str]]]:
        """Yield each hypothesis with its references."""
        return zip(self.hypotheses, self.references, strict=True)


@dataclass(frozen=True)
class Column:
    """One metric's scores of all systems.

    Attributes:
        label: of the metric.
        signature: what must be the same for the numbers to be the same.
        higher_is_better: whether they are scores, or errors.
        decimals: that tables show.
        scores: one per system.
        segments: ``(segments,)`` scores for each system; empty arrays if they were not asked for.
        tests: of each system against the first, with intervals; empty if they were not asked for.
    """

    label: str
    signature: str
    higher_is_better: bool
    decimals: int
    scores: tuple[float, ...]
    segments: tuple[Floats, ...]
    tests: tuple[SystemTest, ...] = ()


@dataclass(frozen=True, repr=False)
class SystemTable(Tabular):
    """Systems by metrics.

    Attributes:
        systems: names.
        segment_counts: of each system.
        columns: one per metric.
        language: ISO code of the text.
        method: test of the differences; ``None`` for none.
        samples, seed: of the test.
        left_out: numbers of segments, from 1, that are left out of all systems and metrics.
    """

    systems: tuple[str, ...]
    segment_counts: tuple[int, ...]
    columns: tuple[Column, ...]
    language: str = ""
    method: str | None = None
    samples: int = 0
    seed: int = DEFAULT_SEED
    left_out: tuple[int, ...] = ()
    _part: ClassVar[str] = "system"

    def __repr__(self) -> str:
        return f"SystemTable({len(self.systems)} systems; {', '.join(column.label for column in self.columns)})"

    def _table(self) -> tuple[Sequence[str], Sequence[object], Iterable[Sequence[object]], str]:
        rows = zip(self.systems, *(column.scores for column in self.columns), strict=True)
        return ("system", *(column.label for column in self.columns)), (), rows, "; ".join(notes(self))

    def to_dict(self, *, segments: bool = True) -> dict[str, Any]:
        """Return a form that JSON can hold, with the scores of segments if they were kept and are asked for."""
        systems = []
        for row, system in enumerate(self.systems):
            scores = {}
            for column in self.columns:
                entry: dict[str, Any] = {"score": column.scores[row]}
                if column.tests:
                    test = column.tests[row].to_dict()
                    entry |= {key: test[key] for key in ("interval", "difference", "difference_interval", "p")}
                if segments and len(column.segments[row]):
                    # What is left out is null, so that places are those of the files.
                    numbered = self.numbered(column.segments[row])
                    entry["segments"] = [None if number in self.left_out else score for number, score in numbered]
                scores[column.label] = entry
            systems.append({"system": system, "segment_count": self.segment_counts[row], "scores": scores})
        document: dict[str, Any] = {
            "metrics": {
                column.label: {"signature": column.signature, "higher_is_better": column.higher_is_better}
                for column in self.columns
            },
            "systems": systems,
        }
        if self.left_out:
            document["left_out"] = list(self.left_out)
        if self.method is not None:
            document["significance"] = {"test": self.method, "samples": self.samples, "seed": self.seed}
        return document

    def numbered(self, scores: Floats) -> Iterator[tuple[int, float]]:
        """Yield the scores of segments with the numbers that these have in the files; NaN for one that is left out."""
        kept = iter(scores.tolist())
        for number in range(1, len(scores) + len(self.left_out) + 1):
            yield number, math.nan if number in self.left_out else next(kept)


def score_table(
    metrics: Sequence[Metric],
    systems: Sequence[SystemInput | SystemTexts],
    *,
    language: str = "",
    method: str | None = None,
    samples: int | None = None,
    seed: int = DEFAULT_SEED,
    segments: bool = True,
    progress: Progress = silent,
    left_out: tuple[int, ...] = (),
) -> SystemTable:
    """Score systems with several metrics; each system is read once, some thousand segments at a time.

    Memory does not grow with the number of segments, except for what is asked for: one number per segment and metric
    for ``segments``, the metric's statistics for ``method``. Texts are kept for metrics that do not stream
    (:meth:`~meteor_e.api.metrics.Metric.streams`).

    Args:
        metrics: what scores; labels differ.
        systems: what is scored; the first is the baseline of the tests.
        language: ISO code of the text.
        method: test of differences to the first system, a key of :data:`~.significance.METHODS`; ``None`` for none.
        samples: of the test.
        seed: of the test and the intervals.
        segments: whether to keep the scores of segments.
        progress: told about the work on each system.
        left_out: numbers of segments that the systems had, and that are in none of them any more.

    Raises:
        ConfigError: for an unknown method, or a metric that does not go with the language.
        InputError: if there is nothing to score, or systems that are to be compared are not of the same segments.
    """
    if not systems:
        raise InputError("there are no systems to score")
    first = next((metric for metric in metrics if metric.language), None)
    spoken = f"the text is in {language!r}" if language else first and f"{first.label} for {first.language!r}"
    for metric in metrics:
        if first and metric.language not in ("", language or first.language):
            raise ConfigError(f"metric {metric.label} is for {metric.language!r}, and {spoken}")
    number = 0 if method is None else METHODS.get(method, 0) if samples is None else samples
    scored = [
        _score_system(metrics, system, language, segments, method is not None, staged(progress, system.name))
        for system in systems
    ]
    for system, one in zip(systems, scored, strict=True):
        if method is not None and one.references != scored[0].references:
            raise InputError(
                f"{system.name} and {systems[0].name} are not of the same segments; tests compare systems that are"
            )
    columns = []
    for at, metric in enumerate(metrics):
        results = [one.results[at] for one in scored]
        tests: tuple[SystemTest, ...] = ()
        if method is not None:
            found = {f"{row}": result.statistics for row, result in enumerate(results)}
            tests = tuple(compare_systems(found, metric.corpus_scores, method=method, samples=samples, seed=seed))
        columns.append(
            Column(
                metric.label,
                results[0].signature,
                metric.higher_is_better,
                metric.decimals,
                tuple(result.score for result in results),
                tuple(result.segments for result in results),
                tests,
            )
        )
    return SystemTable(
        tuple(system.name for system in systems),
        tuple(one.segments for one in scored),
        tuple(columns),
        language,
        method,
        number,
        seed,
        left_out,
    )


class _ScoredSystem(NamedTuple):
    """A system's scores, one per metric; the number of its segments; a digest of its references."""

    results: list[MetricScore]
    segments: int
    references: bytes


def _score_system(
    metrics: Sequence[Metric],
    system: SystemInput | SystemTexts,
    language: str,
    keep_segments: bool,
    keep_statistics: bool,
    progress: Progress,
) -> _ScoredSystem:
    """Score a system with all metrics while its segments are read."""
    streaming = {
        metric.label: RunningScore(metric, segments=keep_segments, statistics=keep_statistics)
        for metric in metrics
        if metric.streams()
    }
    hypotheses: list[str] = []
    references: list[list[str]] = []
    seen, count = hashlib.sha256(), 0
    for batch in _batches(system.pairs()):
        texts, lists = [text for text, _ in batch], [list(its_references) for _, its_references in batch]
        for its_references in lists if keep_statistics else ():
            seen.update(digest(its_references).encode())
        if len(streaming) < len(metrics):
            hypotheses += texts
            references += lists
        with aligned_once() if len(metrics) > 1 else contextlib.nullcontext():
            for metric in metrics:
                if metric.label in streaming:
                    if not count:
                        metric.prepare(lists, language)
                    streaming[metric.label].add(texts, lists)
        count += len(texts)
        progress(system.name, count, system.size)
    if not count:
        raise InputError(f"{system.name} is empty; there is nothing to score")
    results = [
        streaming[metric.label].result()
        if metric.label in streaming
        else metric_score(metric, SystemTexts(system.name, hypotheses, references), language, progress)
        for metric in metrics
    ]
    return _ScoredSystem(results, count, seen.digest())


def _batches(pairs: Iterable[tuple[str, Sequence[str]]]) -> Iterator[list[tuple[str, Sequence[str]]]]:
    """Yield pairs in lists, of as many as a metric scores at once; fewer where segments are long."""
    batch: list[tuple[str, Sequence[str]]] = []
    room = CHARACTERS
    for text, references in pairs:
        batch.append((text, references))
        room -= len(text) + sum(map(len, references))
        if len(batch) == BATCH or room < 0:
            yield batch
            batch, room = [], CHARACTERS
    if batch:
        yield batch


def metric_score(metric: Metric, system: SystemTexts, language: str = "", progress: Progress = silent) -> MetricScore:
    """Score one system with a metric of any kind.

    Args:
        metric: what scores.
        system: what is scored.
        language: ISO code of the text.
        progress: told about the work.

    Raises:
        InputError: if segments differ in their number of references, for a metric that scores whole systems.
    """
    if metric.by_system:
        if len({len(texts) for texts in system.references}) > 1:
            raise InputError(f"metric {metric.label}: all segments need the same number of references")
        sides = tuple(list(side) for side in zip(*system.references, strict=True))
        outputs = SystemOutputs("", "", language, (system.name,), (list(system.hypotheses),), sides)
        cells = np.ones((1, len(outputs)), bool)
        scores = metric.score_outputs(outputs, cells, ArrayCache(enabled=False), systems=True, progress=progress)
        segments = scores.segments[0]
        rows = np.stack([segments, np.ones(len(segments))], axis=1)
        return MetricScore(metric.label, float(scores.systems[0]), segments, rows, scores.signature)
    metric.prepare(system.references, language)
    return metric.score_prepared(system.hypotheses, system.references, progress=progress)


class WmtNames(NamedTuple):
    """What WMT's score files call a test set.

    Attributes:
        pair: language pair, such as ``de-en``.
        test_set: name of the test set.
        reference: name of the reference.
    """

    pair: str
    test_set: str
    reference: str


def render_systems(
    table: SystemTable, form: str, *, digits: int | None = None, segments: bool = False, names: WmtNames | None = None
) -> str:
    """Return a table in one of :data:`FORMATS`.

    Args:
        table: the table.
        form: its form.
        digits: decimals; by default as many as suit each metric. TSV, CSV, JSON and WMT's form have all.
        segments: whether to give the scores of segments, too (TSV, CSV, JSON, WMT's form).
        names: what WMT's form calls pair, test set and reference; that form needs them.

    Raises:
        ConfigError: for WMT's form without names, for an unknown form, or segments where a form has no room for them.
    """
    if form not in FORMATS:
        raise ConfigError(f"unknown format {form!r}; there are {', '.join(FORMATS)}")
    if segments and form in ("latex", "markdown"):
        raise ConfigError(f"--segments does not go with --format {form}; use json, tsv, csv or wmt")
    renderer = FORMATS[form]
    if renderer is not None:
        return renderer(table, digits, segments)
    if names is None:
        raise ConfigError("WMT's form needs names of language pair, test set and reference")
    return _wmt(table, segments, names)


def shown_cells(table: SystemTable, digits: int | None) -> Iterator[list[str]]:
    """Yield each system's name and its scores as people read them, with interval and p where they are known."""
    for row, system in enumerate(table.systems):
        cells = [system]
        for column in table.columns:
            places = column.decimals if digits is None else digits
            text = f"{column.scores[row]:.{places}f}"
            if column.tests:
                test = column.tests[row]
                text += f" [{test.interval.low:.{places}f}, {test.interval.high:.{places}f}]"
                if test.p is not None:
                    text += f" p {_p(test.p)}"
            cells.append(text)
        yield cells


def _p(p: float) -> str:
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"


def headers(table: SystemTable) -> list[str]:
    """Return the titles of the columns; an arrow says that lower is better."""
    return ["system", *(column.label + ("" if column.higher_is_better else " ↓") for column in table.columns)]


def notes(table: SystemTable) -> list[str]:
    """Return one signature per metric, and what was tested."""
    lines = [f"{column.label}: {column.signature}" for column in table.columns]
    if table.method is not None:
        what = {"bootstrap": "paired bootstrap", "randomization": "paired approximate randomization"}[table.method]
        lines.append(
            f"Brackets: 95 % intervals. p: two-sided, against {table.systems[0]}; {what}, {table.samples} samples, "
            f"seed {table.seed}."
        )
    return lines


# What is text anyhow stays as it is: an underscore within a word, the brackets of an interval, and a p below a limit.
_MARKDOWN = re.compile(r"[\\`*|~]|\[(?=.*\]\()|<(?=[A-Za-z/!?])|(?<![^\W_])_|_(?![^\W_])")


def _markdown(table: SystemTable, digits: int | None, segments: bool) -> str:
    lines = [
        "| " + " | ".join(_MARKDOWN.sub(r"\\\g<0>", cell) for cell in cells) + " |"
        for cells in (headers(table), *shown_cells(table, digits))
    ]
    lines.insert(1, "|---|" + "---:|" * len(table.columns))
    return "\n".join([*lines, "", *(f"- {line}" for line in notes(table))]) + "\n"


_LATEX = str.maketrans(
    {
        **{char: f"\\{char}" for char in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "↓": r"$\downarrow$",
        "<": "$<$",
        ">": "$>$",
        "|": "$|$",
    }
)


def _latex(table: SystemTable, digits: int | None, segments: bool) -> str:
    def row(cells: Sequence[str]) -> str:
        return " & ".join(cell.translate(_LATEX) for cell in cells) + r" \\"

    titles = headers(table)
    lines = [rf"\begin{{tabular}}{{l{'r' * (len(titles) - 1)}}}", r"\hline", row(titles), r"\hline"]
    lines += [row(cells) for cells in shown_cells(table, digits)]
    lines += [r"\hline", r"\end{tabular}", *(f"% {line}" for line in notes(table))]
    return "\n".join(lines) + "\n"


def _rows(table: SystemTable, segments: bool) -> Iterator[list[str]]:
    tested = ("low", "high", "difference", "p") if table.method is not None else ()
    yield ["system", "segment", *(f"{column.label}{part}" for column in table.columns
                                  for part in ("", *(f" {name}" for name in tested)))]  # fmt: skip
    for row, system in enumerate(table.systems):
        of_segments = zip(*(table.numbered(column.segments[row]) for column in table.columns), strict=True)
        for scored in of_segments if segments else ():
            number = scored[0][0]
            if number not in table.left_out:
                values = [[repr(score), *("" for _ in tested)] for _, score in scored]
                yield [system, str(number), *(cell for cells in values for cell in cells)]
        values = []
        for column in table.columns:
            cells = [repr(float(column.scores[row]))]
            if column.tests:
                test = column.tests[row]
                found = (test.interval.low, test.interval.high, test.difference, test.p)
                cells += ["" if value is None else repr(float(value)) for value in found]
            values.append(cells)
        yield [system, "all", *(cell for cells in values for cell in cells)]


def _tsv(table: SystemTable, digits: int | None, segments: bool) -> str:
    return "".join("\t".join(" ".join(cell.split()) for cell in row) + "\n" for row in _rows(table, segments))


def _csv(table: SystemTable, digits: int | None, segments: bool) -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(_rows(table, segments))
    return stream.getvalue()


def _json(table: SystemTable, digits: int | None, segments: bool) -> str:
    return json.dumps(table.to_dict(segments=segments), ensure_ascii=False, indent=2) + "\n"


def _wmt(table: SystemTable, segments: bool, names: WmtNames) -> str:
    """Return lines of the metrics task: of segments if they are asked for, else of systems."""
    lines: list[str] = []
    for column in table.columns:
        label = "_".join(column.label.split())
        for row, system in enumerate(table.systems):
            whole = None if segments else column.scores[row]
            scores = [score for _, score in table.numbered(column.segments[row])] if segments else []
            lines += metric_task_lines(
                label, names.pair, names.test_set, names.reference, "_".join(system.split()), scores, whole
            )
    return "".join(f"{line}\n" for line in lines)


Renderer: TypeAlias = Callable[[SystemTable, "int | None", bool], str]

FORMATS: Mapping[str, Renderer | None] = {
    "tsv": _tsv,
    "csv": _csv,
    "json": _json,
    "latex": _latex,
    "markdown": _markdown,
    "wmt": None,  # needs names
}
"""Forms of a table, beside that for a terminal."""
