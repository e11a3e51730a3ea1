"""The command ``meteor-e mbr`` performs minimum Bayes risk decoding."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from meteor_e.api.formats import Grid, Result
from meteor_e.base.errors import ConfigError, InputError
from meteor_e.base.progress import Progress, terminal_progress
from meteor_e.cli.commands import GroupedCommand, Options, option
from meteor_e.cli.options import MetricOptions, Output, complete_names
from meteor_e.formats.nbest import NBEST_FORMATS, read_candidates, weight_by_scores
from meteor_e.mbr.decisions import choices
from meteor_e.mbr.methods import Aggregation, Pruning

if TYPE_CHECKING:
    from meteor_e.api.metrics import Metric
    from meteor_e.mbr.decisions import Choice
    from meteor_e.mbr.methods import Method

METHODS: dict[str, type[Any] | None] = {"exact": None, "pruning": Pruning, "aggregation": Aggregation}
"""The table maps the name of each method to its class. The exact method has no class; it scores all pairs."""


@dataclass(frozen=True)
class CandidateOptions(Options):
    """Store the command-line options that describe the input file with the candidates."""

    heading = "Input"
    example = "samples.txt --candidates 100"

    candidates: str = option(None, metavar="CANDIDATES", required=True)
    count: int | None = option(
        None,
        "--candidates",
        type=click.IntRange(min=1),
        metavar="N",
        help="Plain text: number of candidates (lines) per source.",
    )
    format_in: str | None = option(
        None,
        "--format-in",
        type=click.Choice(list(NBEST_FORMATS)),
        show_default="detected from the first line",
        help="Format of the file.",
    )
    by_scores: bool = option(
        False,
        "--weights-by-scores",
        is_flag=True,
        help="Weight references by the probabilities of the system, whose logarithms are the scores in the file.",
    )
    encoding: str = option("utf-8", "--encoding", help="Encoding of the file.")


@dataclass(frozen=True)
class MethodOptions(Options):
    """Store the command-line options that select the search method for the best candidates."""

    heading = "Method"
    example = "samples.jsonl --method aggregation"

    best: int = option(
        1, "--n-best", type=click.IntRange(min=1), metavar="N", help="Number of candidates to choose per source."
    )
    name: str = option(
        "exact", "--method", type=click.Choice(list(METHODS)), help="Method of finding the best candidates."
    )
    top: int | None = option(
        None,
        "--top",
        type=click.IntRange(min=0),
        metavar="N",
        show_default="256",
        help="aggregation: number of candidates that get exact scores.",
    )
    confidence: float | None = option(
        None,
        "--confidence",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        metavar="P",
        show_default="0.99",
        help="pruning: drop a candidate that wins in fewer than 1 - P of the bootstrap samples.",
    )
    seed: int | None = option(
        None,
        "--seed",
        type=click.IntRange(0, 2**32 - 1),
        metavar="N",
        show_default="0",
        help="Seed of a method that samples.",
    )

    def method(self) -> Method | None:
        """Return the selected method with its settings, or ``None`` for the exact method.

        Raises:
            ConfigError: if the method does not support one of the settings.
        """
        options = {"top": self.top, "confidence": self.confidence, "seed": self.seed}
        settings = {name: value for name, value in options.items() if value is not None}
        method_class = METHODS[self.name]
        for name in settings:
            if method_class is None or name not in method_class.__dataclass_fields__:
                raise ConfigError(f"--{name} is not a setting of --method {self.name}")
        return None if method_class is None else method_class(**settings)


@dataclass(frozen=True)
class MbrMetric(MetricOptions):
    """Store the command-line options of the metric that scores the candidates. The default metric is METEOR."""

    metric: str = option(
        "meteor", "-M", "--metric", metavar="METRIC", help="The metric.", shell_complete=complete_names("metric")
    )


@dataclass(frozen=True)
class QuietOutput(Output):
    """Store the command-line options for the output and for the progress line."""

    example = "… --format jsonl -o chosen.jsonl"

    quiet: bool = option(False, "-q", "--quiet", is_flag=True, help="Show no progress line.")


@click.command(cls=GroupedCommand)
def mbr(inputs: CandidateOptions, search: MethodOptions, metric: MbrMetric, output: QuietOutput) -> None:
    """Choose for each source the candidate with the best expected score (minimum Bayes risk decoding).

    Each candidate is scored against all candidates of its source, or against the source's references. The weighted
    mean of these scores is the expected score. Ties go to the first candidate. CANDIDATES is a Moses n-best list
    (ID ||| TEXT ||| …), JSON Lines (a list of texts, or an object with candidates, references, weights, scores, id),
    or, with --candidates N, plain text with N lines per source; - is standard input. With --n-best, the output is a
    Moses n-best list.

    \b
    meteor-e mbr nbest.txt > chosen.txt
    meteor-e mbr samples.txt --candidates 100 -l de --format tsv
    meteor-e mbr samples.jsonl -M chrf --format jsonl
    meteor-e mbr nbest.txt --n-best 5 --weights-by-scores
    meteor-e mbr samples.jsonl --method aggregation
    """
    method = search.method()
    # The function create_metrics() returns a list with one metric. Decision theory calls this metric the utility.
    (utility,) = metric.create_metrics([metric.metric])
    sources = read_candidates(inputs.candidates, inputs.format_in, inputs.count, encoding=inputs.encoding)
    if inputs.by_scores:
        sources = weight_by_scores(sources)
    settings = {} if method is None else {"method": {"name": search.name, **vars(method)}}
    with terminal_progress(output.quiet) as progress:
        source_choices = choices(utility, sources, method=method, best=search.best, progress=progress)
        output.write(_MbrResult(source_choices, utility, search.best, settings, progress))


@dataclass(frozen=True)
class _MbrResult(Result):
    """Convert the chosen candidates to the texts, tables and records of the output formats.

    The candidates of a source sentence are scored only when the output for this source is written.

    Attributes:
        choices: the choices, one per source.
        metric: the metric that scores the candidates.
        best: the number of chosen candidates per source.
        settings: the method and its settings, for JSON output.
        progress: the callback that receives the number of finished sources.
    """

    choices: Iterator[Choice]
    metric: Metric
    best: int
    settings: dict[str, Any]
    progress: Progress

    def _number_choices(self) -> Iterator[tuple[int, Choice]]:
        """Number the source sentences from 1. Yield each number with the chosen candidates, and report the progress."""
        for number, choice in enumerate(self.choices, 1):
            yield number, choice
            self.progress("choosing", number, None)

    def lines(self, digits: int | None = None) -> Iterator[str]:
        """Yield the chosen candidates as text lines, or as a Moses n-best list if several are chosen per source.

        Raises:
            InputError: if a text or a source id contains characters that the format cannot represent.
        """
        make_line = _make_text_line if self.best == 1 else _make_nbest_line
        for number, choice in self._number_choices():
            for candidate_index in choice.best:
                yield make_line(number, choice, candidate_index)

    def grids(self, digits: int | None = None) -> Iterator[Grid]:
        """Yield one table of the chosen candidates, or nothing if there are no sources."""
        decimals = 4 if digits is None else digits
        table = []
        for record in self.records():
            cells = [f"{value:.{decimals}f}" if isinstance(value, float) else str(value) for value in record]
            table.append(cells)
        if table:
            yield Grid(header=table[0], rows=table[1:])

    def records(self) -> Iterator[Sequence[object]]:
        """Yield a header and one row per chosen candidate.

        Each row contains the source number, the candidate number, the expected score and the text. Optional columns are
        the source id, the system's score, and the rank among several chosen candidates.
        """
        for number, choice in self._number_choices():
            rows = [self._make_row(number, choice, rank, index) for rank, index in enumerate(choice.best, 1)]
            if number == 1:
                yield list(rows[0])
            for row in rows:
                yield list(row.values())

    def _make_row(self, number: int, choice: Choice, rank: int, index: int) -> dict[str, Any]:
        """Return a table row for a chosen candidate: a dictionary from column titles to values. The text comes last."""
        row = _source_entry(number, choice)
        if self.best > 1:
            row["rank"] = rank
        candidate = _candidate_entry(choice, index)
        text = candidate.pop("text")
        return {**row, **candidate, "text": text}

    def entries(self) -> Iterator[dict[str, Any]]:
        """Yield one dictionary per source with the chosen candidates and the expected scores of all candidates."""
        for number, choice in self._number_choices():
            best_entries = [_candidate_entry(choice, index) for index in choice.best]
            entry = _source_entry(number, choice)
            entry.update(best_entries[0])
            if self.best > 1:
                entry["n_best"] = best_entries
            entry["expected_scores"] = [None if math.isnan(score) else score for score in choice.scores.tolist()]
            entry["signature"] = self.metric.signature_for({1})
            entry.update(self.settings)
            yield entry


def _make_text_line(number: int, choice: Choice, index: int) -> str:
    """Return the text of a candidate as an output line."""
    text = choice.source.candidates[index]
    if len(text.splitlines()) > 1:
        raise InputError(_describe_unsuitable_text(number))
    return text


def _make_nbest_line(number: int, choice: Choice, index: int) -> str:
    """Format a candidate as a line of a Moses n-best list, with the expected score as the last field."""
    source = choice.source
    source_id = number if source.id is None else source.id
    text = source.candidates[index]
    if "|||" in f"{text}{source_id}" or len(text.splitlines()) > 1:
        raise InputError(_describe_unsuitable_text(number))
    features = "" if source.scores is None else f"System= {source.scores[index]!r}"
    return f"{source_id} ||| {text} ||| {features} ||| {float(choice.scores[index])!r}"


def _describe_unsuitable_text(number: int) -> str:
    """Return the error message for a text or id that contains line breaks or ``|||``."""
    return f"source {number}: a text or ID with line breaks or ||| needs --format jsonl"


def _source_entry(number: int, choice: Choice) -> dict[str, Any]:
    """Return the output columns that describe a source: its number and, if available, its id."""
    entry: dict[str, Any] = {"source": number}
    if choice.source.id is not None:
        entry["id"] = choice.source.id
    return entry


def _candidate_entry(choice: Choice, index: int) -> dict[str, Any]:
    """Return the output columns that describe a candidate: its number, its text and its scores."""
    source = choice.source
    entry = {"candidate": index + 1, "text": source.candidates[index], "expected": float(choice.scores[index])}
    if source.scores is not None:
        entry["score"] = source.scores[index]
    return entry
