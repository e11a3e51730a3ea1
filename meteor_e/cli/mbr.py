"""``meteor-e mbr``: minimum Bayes risk decoding."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import click

from meteor_e.api.formats import Grid, Result
from meteor_e.base.errors import ConfigError, InputError
from meteor_e.base.progress import Progress, terminal_progress
from meteor_e.cli.commands import GroupedCommand, Options, argument, option, options
from meteor_e.cli.options import MetricOptions, Output
from meteor_e.formats.nbest import NBEST_FORMATS, read_candidates, weighted_by_scores, with_references
from meteor_e.mbr.decisions import choices
from meteor_e.mbr.methods import Aggregation, Pruning

if TYPE_CHECKING:
    from meteor_e.api.metrics import Metric
    from meteor_e.formats.nbest import Source
    from meteor_e.mbr.decisions import Choice
    from meteor_e.mbr.methods import Method

METHODS = {"exact": None, "pruning": Pruning, "aggregation": Aggregation}
"""Ways to find the best, by their names."""


def _sizes(_: click.Context, __: click.Parameter, value: str | None) -> tuple[int, ...] | None:
    """Read increasing numbers with commas between them."""
    if value is None:
        return None
    try:
        found = tuple(map(int, value.split(",")))
    except ValueError:
        found = ()
    if not found or found[0] < 1 or list(found) != sorted(set(found)):
        raise ConfigError(
            f"--sizes {value}: increasing whole numbers with commas between them are needed, as in 8,16,32"
        )
    return found


@dataclass(frozen=True)
class Candidates(Options):
    """The candidates of each source, and their references."""

    heading: ClassVar[str] = "Input"
    example: ClassVar[str] = "samples.txt --candidates 100"

    candidates: Annotated[str, argument("CANDIDATES", required=True)] = ""
    count: Annotated[
        int | None,
        option("Lines that belong to one source, in a file without any marks.", "--candidates", low=1, metavar="N"),
    ] = None
    format_in: Annotated[
        str | None,
        option("Format of the file.", type=click.Choice(list(NBEST_FORMATS)), shown="as its first line looks"),
    ] = None
    references: Annotated[
        str | None,
        option("References of each source, in any of the formats.", metavar="FILE", shown="the candidates"),
    ] = None
    references_count: Annotated[
        int | None,
        option(
            "Lines of references that belong to one source, in a file without any marks.",
            "--references-per-source",
            low=1,
            metavar="N",
        ),
    ] = None
    by_scores: Annotated[
        bool,
        option(
            "Weigh references by the system's scores, which are logarithms of probabilities.", "--weights-by-scores"
        ),
    ] = False
    encoding: Annotated[str, option("Encoding of the files.")] = "utf-8"

    def sources(self) -> Iterator[Source]:
        """Yield the candidates of each source."""
        if self.references_count is not None and self.references is None:
            raise ConfigError("--references-per-source needs --references")
        found = read_candidates(self.candidates, self.format_in, self.count, encoding=self.encoding)
        if self.references is None:
            return weighted_by_scores(found) if self.by_scores else found
        read = read_candidates(self.references, None, self.references_count, encoding=self.encoding)
        return with_references(found, weighted_by_scores(read) if self.by_scores else read)


@dataclass(frozen=True)
class Search(Options):
    """How the best candidates are found."""

    heading: ClassVar[str] = "Method"
    example: ClassVar[str] = "samples.jsonl --method aggregation"

    best: Annotated[int, option("Candidates to choose.", "--n-best", low=1, metavar="N")] = 1
    name: Annotated[Literal["exact", "pruning", "aggregation"], option("How the best are found.", "--method")] = "exact"
    top: Annotated[
        int | None, option("aggregation: candidates that are scored, too.", low=0, metavar="N", shown="256")
    ] = None
    confidence: Annotated[
        float | None, option("pruning: keep what may be best.", low=0, high=1, is_open=True, metavar="P", shown="0.99")
    ] = None
    sizes: Annotated[
        str | None,
        option("pruning: references per step.", callback=_sizes, metavar="N,N,…", shown="8,16,32,64,128,256"),
    ] = None
    seed: Annotated[
        int | None, option("Seed of a method that samples.", low=0, high=2**32 - 1, metavar="N", shown="0")
    ] = None

    def method(self) -> Method | None:
        """Return the method with the settings that were given; ``None`` to score all pairs.

        Raises:
            ConfigError: for settings of other methods.
        """
        kind: Any = METHODS[self.name]
        names = {name: {field.name for field in fields(its)} if its else set() for name, its in METHODS.items()}
        given = {key: value for key, value in vars(self).items() if value is not None and key not in ("best", "name")}
        for setting in sorted(given.keys() - names[self.name]):
            owners = [name for name, known in names.items() if setting in known]
            raise ConfigError(f"--{setting} goes with --method {' or '.join(owners)}, not {self.name}")
        return None if kind is None else kind(**given)


@dataclass(frozen=True)
class OneMetric(MetricOptions):
    """METEOR's chain, or another metric."""

    metric: Annotated[str, option("The metric.", "-M", "--metric", metavar="METRIC")] = "meteor"


@dataclass(frozen=True)
class QuietOutput(Output):
    """What is written of the choice."""

    example: ClassVar[str] = "… --format jsonl -o chosen.jsonl"

    quiet: Annotated[bool, option("No progress line.", "-q", "--quiet")] = False


@click.command(cls=GroupedCommand)
@options(inputs=Candidates, search=Search, metric=OneMetric, output=QuietOutput)
def mbr(inputs: Candidates, search: Search, metric: OneMetric, output: QuietOutput) -> None:
    """Choose for each source the candidate with the best expected score (minimum Bayes risk decoding).

    Each candidate is scored against all candidates of its source, itself among them, or against the source's
    references; their weighted mean is the expected score. Ties go to the first candidate. CANDIDATES is a Moses n-best
    list (ID ||| TEXT ||| …), JSON Lines (a list of texts, or an object with candidates, references, weights, scores,
    id), or, with --candidates N, plain text with N lines per source; - is standard input. With --n-best, text is a
    Moses n-best list.

    \b
    meteor-e mbr nbest.txt > chosen.txt
    meteor-e mbr samples.txt --candidates 100 -l de --format tsv
    meteor-e mbr samples.jsonl -M chrf --format jsonl
    meteor-e mbr nbest.txt --n-best 5 --weights-by-scores
    meteor-e mbr samples.jsonl --method aggregation
    """
    how = search.method()
    (made,) = metric.made([metric.metric])
    sources = inputs.sources()
    with terminal_progress(output.quiet) as progress:
        chosen = choices(made, sources, metric.code, method=how, best=search.best, progress=progress)
        described: dict[str, Any] = {} if how is None else {"method": {"name": search.name, **vars(how)}}
        output.write(_Chosen(chosen, made, search.best, described, progress))


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
            name = number if choice.source.id is None else choice.source.id
            for place in choice.best:
                text = choice.source.candidates[place]
                if len(text.splitlines()) > 1 or (self._best > 1 and "|||" in f"{text}{name}"):
                    raise InputError(f"source {number}: a text or ID with line breaks or ||| needs --format jsonl")
                if self._best == 1:
                    yield text
                    continue
                parts = [choice.source.features[place] if choice.source.features else ""]
                if choice.source.scores is not None:
                    parts.append(f"System= {choice.source.scores[place]!r}")
                yield f"{name} ||| {text} ||| {' '.join(filter(None, parts))} ||| {float(choice.scores[place])!r}"

    def _table(self) -> Iterator[tuple[list[str], list[object]]]:
        """Yield titles and cells; IDs, ranks and the system's scores are there if there are any."""
        for number, choice in self._numbered():
            source = choice.source
            for rank, place in enumerate(choice.best, 1):
                row: dict[str, object] = {"source": number}
                if source.id is not None:
                    row["id"] = source.id
                if self._best > 1:
                    row["rank"] = rank
                row |= {"candidate": place + 1, "expected": float(choice.scores[place])}
                if source.scores is not None:
                    row["score"] = source.scores[place]
                row["text"] = source.candidates[place]
                yield list(row), list(row.values())

    def grids(self, digits: int | None = None) -> Iterator[Grid]:
        """Yield a table of them."""
        rows = list(self._table())
        if rows:
            decimals = 4 if digits is None else digits
            cells = [
                [f"{cell:.{decimals}f}" if isinstance(cell, float) else str(cell) for cell in row] for _, row in rows
            ]
            yield Grid(rows[0][0], cells)

    def records(self) -> Iterator[Sequence[object]]:
        """Yield source, candidate, expected score and text, with ID, rank and the system's score."""
        rows = self._table()
        for header, row in rows:
            yield header
            yield row
            yield from (cells for _, cells in rows)

    def entries(self) -> Iterator[dict[str, Any]]:
        """Yield the same, with the expected scores of all candidates and what the file has beside them."""
        for number, choice in self._numbered():
            source = choice.source
            entry: dict[str, Any] = {"source": number}
            if source.id is not None:
                entry["id"] = source.id
            chosen = [self._entry(choice, place) for place in choice.best]
            entry |= chosen[0]
            if self._best > 1:
                entry["n_best"] = chosen
            entry["expected_scores"] = [None if math.isnan(score) else score for score in choice.scores.tolist()]
            yield entry | {"signature": self._metric.signature, **self._described}

    def _entry(self, choice: Choice, place: int) -> dict[str, Any]:
        source = choice.source
        entry = {"candidate": place + 1, "text": source.candidates[place], "expected": float(choice.scores[place])}
        if source.scores is not None:
            entry["score"] = source.scores[place]
        return entry | ({"features": source.features[place]} if source.features else {})
