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
    how = search.method()
    (utility,) = metric.create_metrics([metric.metric])
    sources = read_candidates(inputs.candidates, inputs.format_in, inputs.count, encoding=inputs.encoding)
    sources = weighted_by_scores(sources) if inputs.by_scores else sources
    with terminal_progress(output.quiet) as progress:
        chosen = choices(utility, sources, method=how, best=search.best, progress=progress)
        described: dict[str, Any] = {} if how is None else {"method": {"name": search.name, **vars(how)}}
        output.write(_Chosen(chosen, utility, search.best, described, progress))


class _Chosen(Result):
    """The chosen candidates, which are found while they are written."""

    def __init__(
        self, chosen: Iterator[Choice], metric: Metric, best: int, described: dict[str, Any], progress: Progress
    ) -> None:
        self._chosen, self._metric, self._best, self._progress = chosen, metric, best, progress
        self._described = described

    def _numbered(self) -> Iterator[tuple[int, Choice]]:
        for number, choice in enumerate(self._chosen, 1):
            yield number, choice
            self._progress("choosing", number, None)

    def lines(self, digits: int | None = None) -> Iterator[str]:
        """Yield the chosen candidates; of several a source, as a Moses n-best list."""
        for number, choice in self._numbered():
            source, name = choice.source, number if choice.source.id is None else choice.source.id
            for place in choice.best:
                text = source.candidates[place]
                if len(text.splitlines()) > 1 or (self._best > 1 and "|||" in f"{text}{name}"):
                    raise InputError(f"source {number}: a text or ID with line breaks or ||| needs --format jsonl")
                own = "" if source.scores is None else f"System= {source.scores[place]!r}"
                yield text if self._best == 1 else f"{name} ||| {text} ||| {own} ||| {float(choice.scores[place])!r}"

    def grids(self, digits: int | None = None) -> Iterator[Grid]:
        """Yield a table of them."""
        rows = list(self.records())
        if rows:
            places = 4 if digits is None else digits
            cells = [[f"{cell:.{places}f}" if isinstance(cell, float) else str(cell) for cell in row] for row in rows]
            yield Grid(cells[0], cells[1:])

    def records(self) -> Iterator[Sequence[object]]:
        """Yield source, candidate, expected score and text; with IDs, ranks and the system's scores if there are any.

        They are those of the first source.
        """
        header: Sequence[str] = ()
        for number, choice in self._numbered():
            for rank, place in enumerate(choice.best, 1):
                ranked = {"rank": rank} if self._best > 1 else {}
                row = {**self._named(number, choice), **ranked, **self._entry(choice, place)}
                row["text"] = row.pop("text")
                if not header:
                    header = list(row)
                    yield header
                yield list(row.values())

    def entries(self) -> Iterator[dict[str, Any]]:
        """Yield the same, with the expected scores of all candidates."""
        for number, choice in self._numbered():
            chosen = [self._entry(choice, place) for place in choice.best]
            several = {"n_best": chosen} if self._best > 1 else {}
            every = [None if math.isnan(score) else score for score in choice.scores.tolist()]
            entry = {**self._named(number, choice), **chosen[0], **several, "expected_scores": every}
            yield entry | {"signature": self._metric.signature_for({1}), **self._described}

    def _named(self, number: int, choice: Choice) -> dict[str, Any]:
        return {"source": number} | ({} if choice.source.id is None else {"id": choice.source.id})

    def _entry(self, choice: Choice, place: int) -> dict[str, Any]:
        source = choice.source
        entry = {"candidate": place + 1, "text": source.candidates[place], "expected": float(choice.scores[place])}
        return entry | ({} if source.scores is None else {"score": source.scores[place]})
