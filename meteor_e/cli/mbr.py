"""``meteor-e mbr``: minimum Bayes risk decoding."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import click

from meteor_e.api.formats import Grid, OutputOptions, Result
from meteor_e.base.errors import ConfigError, InputError
from meteor_e.base.progress import Progress, terminal_progress
from meteor_e.cli.grouped_help import GroupedCommand, OptionGroup
from meteor_e.cli.options import METRIC_GROUPS, MeteorMaker, metric_options
from meteor_e.cli.results import format_option, output_format, output_option, write_result
from meteor_e.formats.nbest import NBEST_FORMATS, read_candidates, weighted_by_scores, with_references
from meteor_e.mbr.decisions import choices
from meteor_e.mbr.methods import Aggregation, Pruning

if TYPE_CHECKING:
    from meteor_e.api.metrics import Metric
    from meteor_e.mbr.decisions import Choice
    from meteor_e.mbr.methods import Method

METHODS = {"exact": None, "pruning": Pruning, "aggregation": Aggregation}
"""Ways to find the best, by their names."""

GROUPS = {
    "Input": OptionGroup(
        ("count", "format_in", "references", "references_count", "by_scores", "encoding"),
        "samples.txt --candidates 100",
    ),
    "Choice": OptionGroup(("best",), "nbest.txt --n-best 5"),
    "Method": OptionGroup(("method", "top", "confidence", "sizes", "seed"), "samples.jsonl --method aggregation"),
    **METRIC_GROUPS,
    "Output": OptionGroup(("form", "output", "quiet"), "… --format jsonl -o chosen.jsonl"),
}
"""The groups of the help text."""


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


@click.command(cls=GroupedCommand, groups=GROUPS)
@click.argument("candidates", metavar="CANDIDATES")
@click.option(
    "--candidates",
    "count",
    type=click.IntRange(min=1),
    metavar="N",
    help="Lines that belong to one source, in a file without any marks.",
)
@click.option(
    "--format-in",
    type=click.Choice(list(NBEST_FORMATS)),
    help="Format of the file.  [default: as its first line looks]",
)
@click.option(
    "--references", metavar="FILE", help="References of each source, in any of the formats.  [default: the candidates]"
)
@click.option(
    "--references-per-source",
    "references_count",
    type=click.IntRange(min=1),
    metavar="N",
    help="Lines of references that belong to one source, in a file without any marks.",
)
@click.option(
    "--weights-by-scores",
    "by_scores",
    is_flag=True,
    help="Weigh references by the system's scores, which are logarithms of probabilities.",
)
@click.option("--encoding", default="utf-8", help="Encoding of the files.  [default: utf-8]")
@click.option(
    "--n-best",
    "best",
    type=click.IntRange(min=1),
    default=1,
    metavar="N",
    help="Candidates to choose.  [default: 1]",
)
@click.option(
    "--method", type=click.Choice(list(METHODS)), default="exact", help="How the best are found.  [default: exact]"
)
@click.option(
    "--top",
    type=click.IntRange(min=0),
    metavar="N",
    help="aggregation: candidates that are scored, too.  [default: 256]",
)
@click.option(
    "--confidence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="P",
    help="pruning: keep what may be best.  [default: 0.99]",
)
@click.option(
    "--sizes", callback=_sizes, metavar="N,N,…", help="pruning: references per step.  [default: 8,16,32,64,128,256]"
)
@click.option(
    "--seed", type=click.IntRange(0, 2**32 - 1), metavar="N", help="Seed of a method that samples.  [default: 0]"
)
@click.option("-M", "--metric", default="meteor", metavar="METRIC", help="The metric.  [default: meteor]")
@metric_options
@format_option()
@output_option()
@click.option("-q", "--quiet", is_flag=True, help="No progress bar.")
def mbr(
    candidates: str,
    count: int | None,
    format_in: str | None,
    references: str | None,
    references_count: int | None,
    by_scores: bool,
    encoding: str,
    best: int,
    method: str,
    metric: str,
    make_meteor: MeteorMaker,
    form: str,
    output: str | None,
    quiet: bool,
    **settings: Any,
) -> None:
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
    if references_count is not None and references is None:
        raise ConfigError("--references-per-source needs --references")
    how = _method(method, settings)
    (chosen_metric,) = make_meteor.metrics([metric])
    found = output_format(form)
    sources = read_candidates(candidates, format_in, count, encoding=encoding)
    if references is not None:
        read = read_candidates(references, None, references_count, encoding=encoding)
        sources = with_references(sources, weighted_by_scores(read) if by_scores else read)
    elif by_scores:
        sources = weighted_by_scores(sources)
    with terminal_progress(quiet) as progress:
        chosen = choices(chosen_metric, sources, make_meteor.language, method=how, best=best, progress=progress)
        described: dict[str, Any] = {} if how is None else {"method": {"name": method, **vars(how)}}
        write_result(_Chosen(chosen, chosen_metric, best, described, progress), found, output, OutputOptions())


def _method(name: str, settings: dict[str, Any]) -> Method | None:
    """Return the method with the settings that were given; ConfigError for those of other methods."""
    kind: Any = METHODS[name]
    known = set() if kind is None else {field.name for field in fields(kind)}
    given = {setting: value for setting, value in settings.items() if value is not None}
    for setting in sorted(given.keys() - known):
        owners = [other for other, its in METHODS.items() if its and setting in {field.name for field in fields(its)}]
        raise ConfigError(f"--{setting} goes with --method {' or '.join(owners)}, not {name}")
    return None if kind is None else kind(**given)


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
