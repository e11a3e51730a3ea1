"""The ways to score that ``meteor-e score`` asks for: into a table of segments, and on a cluster."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from meteor_e.api import SystemInput
from meteor_e.api.tables import ScoreRun, ScoreRunner
from meteor_e.base.progress import terminal_progress
from meteor_e_tables.batches import Source

if TYPE_CHECKING:
    from distributed import Client

    from meteor_e import Meteor
    from meteor_e.scoring.statistics import StatisticsSum
    from meteor_e_tables.batches import Batch, Range
    from meteor_e_tables.columns import ScoredColumns


class TableRunner(ScoreRunner):
    """Scores into a table of segments: Parquet, JSON Lines or a folder of datasets."""

    name = "table"

    def run(self, meteor: Meteor, run: ScoreRun) -> list[StatisticsSum]:
        """Score the systems; segments are written as they are scored, and not kept."""
        return _score_sources(meteor, _sources(run.systems), run)


class DaskRunner(TableRunner):
    """Scores on a Dask cluster; into a table of segments, if there is an output."""

    name = "dask"


def _sources(systems: Sequence[SystemInput]) -> list[Source]:
    """Return systems as tables; the systems of one table are one."""
    from meteor_e_tables.plain import PairSource, RecordSource

    found: list[Source] = []
    seen: list[object] = []
    for system in systems:
        table = system.table
        if table is None or (not isinstance(table, Source) and table.records() is None):
            found.append(PairSource(system, several=len(systems) > 1))
        elif not any(table is other for other in seen):
            seen.append(table)
            found.append(table if isinstance(table, Source) else RecordSource(table))
    return found


def _score_sources(meteor: Meteor, sources: Sequence[Source], run: ScoreRun) -> list[StatisticsSum]:
    """Score tables; return the summed statistics of each system of each table."""
    from meteor_e.scoring.statistics import StatisticsSum
    from meteor_e_tables.columns import ColumnNames
    from meteor_e_tables.writers import table_writer

    totals: list[StatisticsSum] = []
    with contextlib.ExitStack() as stack:
        client = None
        if run.cluster is not None:
            from meteor_e_tables.distributed.cluster import connect

            client = stack.enter_context(connect(run.cluster))
        writer = None
        if run.output is not None:
            writer = stack.enter_context(table_writer(run.output, meteor.signature, sources[0].schema()))
        for source in sources:
            alone = len(source.systems) == 1
            names = [
                ColumnNames.of(meteor.matcher_names, run.prefix if alone else f"{system}_{run.prefix}")
                for system in source.systems
            ]
            sums = [StatisticsSum(len(meteor.matchers)) for _ in source.systems]
            label = source.name if alone or run.cluster is not None else ", ".join(source.systems)
            with terminal_progress(run.quiet) as progress:
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
                    progress(label, done, source.size)
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
    from meteor_e_tables.distributed.cluster import prepare, see_files
    from meteor_e_tables.distributed.tasks import score_in_order

    metric = prepare(client, meteor)
    ranges = source.ranges()
    if ranges and see_files(client, sorted({path for each in ranges for path in each.files})):
        yield from score_in_order(client, metric, ranges, totals_only=not whole)
    else:
        # The workers are sent the texts: what they cannot read, or not in parts.
        yield from score_in_order(client, metric, source.batches(whole), totals_only=not whole)
