"""``meteor-e mbr``: minimum Bayes risk decoding."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import click

from meteor_e.api.formats import Grid, Result
from meteor_e.base.errors import ConfigError, InputError
from meteor_e.base.progress import Progress, terminal_progress
from meteor_e.cli.commands import GroupedCommand, Options, option
from meteor_e.cli.options import MetricOptions, Output, complete_names
from meteor_e.formats.nbest import NBEST_FORMATS, read_candidates, weighted_by_scores
from meteor_e.mbr.decisions import choices
from meteor_e.mbr.methods import Aggregation, Pruning

if TYPE_CHECKING:
    from meteor_e.api.metrics import Metric
    from meteor_e.mbr.decisions import Choice
    from meteor_e.mbr.methods import Method

METHODS = {"exact": None, "pruning": Pruning, "aggregation": Aggregation}
"""Ways to find the best, by their names."""


@dataclass(frozen=True)
class CandidateOptions(Options, heading="Input", example="samples.txt --candidates 100"):
    """The candidates of each source, and their references."""

    candidates: str = option(None, metavar="CANDIDATES", required=True)
    count: int | None = option(
        None,
        "--candidates",
        type=click.IntRange(min=1),
        metavar="N",
        help="Plain text: candidates (lines) per source.",
    )
    format_in: str | None = option(
        None,
        "--format-in",
        type=click.Choice(list(NBEST_FORMATS)),
        show_default="as its first line looks",
        help="Format of the file.",
    )
    by_scores: bool = option(
        False,
        "--weights-by-scores",
        is_flag=True,
        help="Weigh references by the system's scores: logarithms of probabilities.",
    )
    encoding: str = option("utf-8", "--encoding", help="Encoding of the file.")


@dataclass(frozen=True)
class MethodOptions(Options, heading="Method", example="samples.jsonl --method aggregation"):
    """How the best candidates are found."""

    best: int = option(1, "--n-best", type=click.IntRange(min=1), metavar="N", help="Candidates to choose.")
    name: str = option("exact", "--method", type=click.Choice(list(METHODS)), help="How to find the best candidates.")
    top: int | None = option(
        None,
        "--top",
        type=click.IntRange(min=0),
        metavar="N",
        show_default="256",
        help="aggregation: candidates that get exact scores.",
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
        """Return the method with the settings that were given; ``None`` to score all pairs.

        Raises:
            ConfigError: for settings of other methods.
        """
        kind: Any = METHODS[self.name]
        known = [] if kind is None else [field.name for field in fields(kind)]
        given = {key: getattr(self, key) for key in ("top", "confidence", "seed") if getattr(self, key) is not None}
        for setting in given:
            if setting not in known:
                raise ConfigError(f"--{setting} is not a setting of --method {self.name}")
        return None if kind is None else kind(**given)


@dataclass(frozen=True)
class OneMetric(MetricOptions):
    """METEOR's chain, or another metric."""

    metric: str = option(
        "meteor", "-M", "--metric", metavar="METRIC", help="The metric.", shell_complete=complete_names("metric")
    )


@dataclass(frozen=True)
class QuietOutput(Output, example="… --format jsonl -o chosen.jsonl"):
    """What is written of the choice."""

    quiet: bool = option(False, "-q", "--quiet", is_flag=True, help="No progress line.")


@click.command(cls=GroupedCommand)
def mbr(inputs: CandidateOptions, search: MethodOptions, metric: OneMetric, output: QuietOutput) -> None:
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
    (utility,) = metric.create_metrics([metric.metric])
    sources = read_candidates(inputs.candidates, inputs.format_in, inputs.count, encoding=inputs.encoding)
    sources = weighted_by_scores(sources) if inputs.by_scores else sources
    with terminal_progress(output.quiet) as progress:
        choice_iterator = choices(utility, sources, method=method, best=search.best, progress=progress)
        settings: dict[str, Any] = {} if method is None else {"method": {"name": search.name, **vars(method)}}
        output.write(_Choices(choice_iterator, utility, search.best, settings, progress))


class _Choices(Result):
    """The chosen candidates. Sources are read and decided one by one while the choices are written."""

    def __init__(
        self, choices: Iterator[Choice], metric: Metric, best: int, settings: dict[str, Any], progress: Progress
    ) -> None:
        self._choices, self._metric, self._best, self._progress = choices, metric, best, progress
        self._settings = settings

    def _iterate(self) -> Iterator[tuple[int, Choice]]:
        """Yield the choices with the numbers of their sources, from 1."""
        for number, choice in enumerate(self._choices, 1):
            yield number, choice
            self._progress("choosing", number, None)

    def lines(self, digits: int | None = None) -> Iterator[str]:
        """Yield the chosen candidates; several candidates per source form a Moses n-best list."""
        for number, choice in self._iterate():
            source, source_id = choice.source, number if choice.source.id is None else choice.source.id
            for index in choice.best:
                text = source.candidates[index]
                if len(text.splitlines()) > 1 or (self._best > 1 and "|||" in f"{text}{source_id}"):
                    raise InputError(f"source {number}: a text or ID with line breaks or ||| needs --format jsonl")
                if self._best == 1:
                    yield text
                    continue
                features = "" if source.scores is None else f"System= {source.scores[index]!r}"
                yield f"{source_id} ||| {text} ||| {features} ||| {float(choice.scores[index])!r}"

    def grids(self, digits: int | None = None) -> Iterator[Grid]:
        """Yield a table of the chosen candidates."""
        rows = list(self.records())
        if rows:
            decimals = 4 if digits is None else digits
            cells = [[f"{cell:.{decimals}f}" if isinstance(cell, float) else str(cell) for cell in row] for row in rows]
            yield Grid(cells[0], cells[1:])

    def records(self) -> Iterator[Sequence[object]]:
        """Yield source, candidate, expected score and text; also ids, ranks and the system's scores, if there are any.

        The columns are those of the first source.
        """
        header: Sequence[str] = ()
        for number, choice in self._iterate():
            for rank, index in enumerate(choice.best, 1):
                rank_entry = {"rank": rank} if self._best > 1 else {}
                row = {**_source_entry(number, choice), **rank_entry, **_candidate_entry(choice, index)}
                row["text"] = row.pop("text")
                if not header:
                    header = list(row)
                    yield header
                yield list(row.values())

    def entries(self) -> Iterator[dict[str, Any]]:
        """Yield the same, with the expected scores of all candidates."""
        for number, choice in self._iterate():
            best_entries = [_candidate_entry(choice, index) for index in choice.best]
            n_best = {"n_best": best_entries} if self._best > 1 else {}
            expected_scores = [None if math.isnan(score) else score for score in choice.scores.tolist()]
            yield {
                **_source_entry(number, choice),
                **best_entries[0],
                **n_best,
                "expected_scores": expected_scores,
                "signature": self._metric.signature_for({1}),
                **self._settings,
            }


def _source_entry(number: int, choice: Choice) -> dict[str, Any]:
    return {"source": number} | ({} if choice.source.id is None else {"id": choice.source.id})


def _candidate_entry(choice: Choice, index: int) -> dict[str, Any]:
    source = choice.source
    entry = {"candidate": index + 1, "text": source.candidates[index], "expected": float(choice.scores[index])}
    return entry | ({} if source.scores is None else {"score": source.scores[index]})
