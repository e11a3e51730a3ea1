"""The part of ``meteor-e score`` that tables and clusters need."""

from __future__ import annotations

import codecs
import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from meteor_e.base.errors import ConfigError
from meteor_e.base.files import compression, open_regular
from meteor_e.cli.inputs import Pair, SystemInput, refuse_pipes
from meteor_e.cli.progress import progress_bar
from meteor_e.tables.kinds import DELIMITED, is_table, is_table_name

if TYPE_CHECKING:
    from distributed import Client

    from meteor_e.meteor import Meteor
    from meteor_e.scoring.statistics import StatisticsSum
    from meteor_e.tables.batches import Batch, Range, Source
    from meteor_e.tables.columns import ScoredColumns

DEFAULT_HYPOTHESIS, DEFAULT_REFERENCE = "hypothesis", "reference"


class TableOptions(NamedTuple):
    """What the options say about tables.

    Attributes:
        hypotheses: columns of hypotheses, a column a system.
        references: columns of references.
        split: split of a dataset.
        prefix: what the names of new columns begin with.
    """

    hypotheses: tuple[str, ...]
    references: tuple[str, ...]
    split: str | None
    prefix: str


def table_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options; the command receives them as ``table``, and ``cluster``."""

    def with_table(
        *args: Any,
        hypothesis_columns: tuple[str, ...],
        reference_columns: tuple[str, ...],
        split: str | None,
        prefix: str,
        **kwargs: Any,
    ) -> None:
        command(*args, table=TableOptions(hypothesis_columns, reference_columns, split, prefix), **kwargs)

    with_table.__doc__ = command.__doc__
    with_table.__name__ = command.__name__
    wrapped: Callable[..., None] = with_table
    if hasattr(command, "__click_params__"):
        with_table.__click_params__ = command.__click_params__  # type: ignore[attr-defined]
    for option in reversed(
        (
            click.option(
                "--hypothesis-column",
                "hypothesis_columns",
                multiple=True,
                metavar="NAME",
                help="Column of the hypotheses in a table; repeat it for several systems.  [default: hypothesis]",
            ),
            click.option(
                "--reference-column",
                "reference_columns",
                multiple=True,
                metavar="NAME",
                help="Column of the references in a table (texts or lists of texts); repeat it for several.  "
                "[default: reference]",
            ),
            click.option("--split", metavar="NAME", help="Split of a datasets folder."),
            click.option(
                "--prefix",
                default="meteor_",
                metavar="TEXT",
                help="What the names of the columns in an output table begin with.  [default: meteor_]",
            ),
            click.option(
                "--dask",
                "cluster",
                metavar="ADDRESS",
                help="Score on a Dask cluster: its scheduler's address or scheduler file; "
                "'local' or 'local:N' starts N processes here.",
            ),
        )
    ):
        wrapped = option(wrapped)
    return wrapped


def find_table(
    files: Sequence[str], references: Sequence[str], references_per_segment: int, options: TableOptions
) -> Source | None:
    """Open the table that a command line names; ``None`` if it names no table.

    Raises:
        ConfigError: if it names more than one, or other files beside it.
        InputError: if it cannot be read.
    """
    asked = options.hypotheses or options.references or options.split is not None
    # One file alone cannot be plain text: there would be no reference.
    asked = asked or (len(files) == 1 and not references and files[0].endswith(DELIMITED))
    refuse_pipes((*files, *references))
    tables = [path for path in (*files, *references) if is_table(path)]
    if not tables and not asked:
        return None
    from meteor_e.tables.batches import TextColumns
    from meteor_e.tables.sources import open_table

    if len(files) != 1 or references:
        raise ConfigError(
            "a table holds hypotheses and references: name one file only, and the columns with "
            "--hypothesis-column and --reference-column"
        )
    if references_per_segment > 1:
        raise ConfigError("-r counts lines of plain text; in a table, several references are several columns or lists")
    texts = TextColumns(options.hypotheses or (DEFAULT_HYPOTHESIS,), options.references or (DEFAULT_REFERENCE,))
    for name in texts.hypotheses:
        if texts.hypotheses.count(name) > 1:
            raise ConfigError(f"--hypothesis-column {name} is given twice")
    return open_table(files[0], texts, split=options.split)


def systems_of(source: Source) -> list[SystemInput]:
    """Return the systems of a table; the table is read once for each."""

    def pairs(number: int) -> Iterator[Pair]:
        for batch in source.batches():
            for hypothesis, references in zip(batch.texts.hypotheses[number], batch.texts.references, strict=True):
                yield hypothesis, list(references)

    def reader(number: int) -> Callable[[], Iterator[Pair]]:
        return lambda: pairs(number)

    return [SystemInput(name, source.size, reader(number)) for number, name in enumerate(source.systems)]


def sources_of(inputs: Sequence[SystemInput], encoding: str) -> list[Source]:
    """Return systems as tables."""
    from meteor_e.tables.plain import PairSource

    utf8 = codecs.lookup(encoding).name == "utf-8"
    return [
        PairSource(
            system.name,
            system.size,
            system.pairs,
            several=len(inputs) > 1,
            files=system.lines if system.lines and utf8 and not any(map(_is_packed, system.lines)) else None,
        )
        for system in inputs
    ]


def _is_packed(path: str) -> bool:
    with contextlib.suppress(OSError), open_regular(path) as file:
        return compression(file.read(10)) is not None
    return False


def is_table_output(output: str | None, from_table: bool) -> bool:
    """Return whether an output file is to be a table of segments, by its name."""
    if output is None or output == "-":
        return False
    return is_table_name(output) or (from_table and "." not in Path(output).name)


def score_sources(
    meteor: Meteor,
    sources: Sequence[Source],
    *,
    output: str | None,
    prefix: str,
    cluster: str | None,
    quiet: bool,
) -> list[StatisticsSum]:
    """Score tables; segments are written as they are scored, and not kept.

    Args:
        meteor: the metric.
        sources: the tables.
        output: the table to write, if any.
        prefix: of the new columns' names.
        cluster: the cluster that scores; ``None``: this process.
        quiet: show no progress.

    Returns:
        The summed statistics of each system of each table.
    """
    from meteor_e.scoring.statistics import StatisticsSum
    from meteor_e.tables.columns import ColumnNames
    from meteor_e.tables.writers import table_writer

    totals: list[StatisticsSum] = []
    with contextlib.ExitStack() as stack:
        client = None
        if cluster is not None:
            from meteor_e.distributed.cluster import connect

            client = stack.enter_context(connect(cluster))
        writer = None
        if output is not None:
            writer = stack.enter_context(table_writer(output, meteor.signature, sources[0].schema()))
        for source in sources:
            alone = len(source.systems) == 1
            names = [
                ColumnNames.of(meteor.matcher_names, prefix if alone else f"{system}_{prefix}")
                for system in source.systems
            ]
            sums = [StatisticsSum(len(meteor.matchers)) for _ in source.systems]
            label = source.name if alone or cluster is not None else ", ".join(source.systems)
            with progress_bar(label, source.size, hidden=quiet) as advance:
                done = 0
                for work, scored in _scored(meteor, source, client, writer is not None):
                    for total, columns in zip(sums, scored, strict=True):
                        total.add_total(columns.total, work.size)
                    if writer is not None:
                        rows = work.read(whole=True).rows
                        assert rows is not None
                        added: dict[str, Any] = {}
                        for columns, own in zip(scored, names, strict=True):
                            added.update(columns.named(own))
                        writer.write(rows, added)
                    done += work.size
                    advance(done)
            totals += sums
        if writer is not None:
            systems = [system for source in sources for system in source.systems]
            scores = {name: meteor.corpus_score(total).score for name, total in zip(systems, totals, strict=True)}
            writer.finish(scores)
    return totals


def _scored(
    meteor: Meteor, source: Source, client: Client | None, whole: bool
) -> Iterator[tuple[Batch | Range, list[ScoredColumns]]]:
    if client is None:
        for batch in source.batches(whole):
            yield batch, batch.score(meteor, meteor.threads)
        return
    from meteor_e.distributed.cluster import prepare, see_files
    from meteor_e.distributed.tasks import score_in_order

    metric = prepare(client, meteor)
    ranges = source.ranges()
    if ranges and see_files(client, sorted({path for each in ranges for path in each.files})):
        yield from score_in_order(client, metric, ranges, totals_only=not whole)
    else:
        # The workers are sent the texts: what they cannot read, or not in parts.
        yield from score_in_order(client, metric, source.batches(whole), totals_only=not whole)
