"""Dask data frames of texts, and of scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from meteor_e.api import InputError
from meteor_e.base.files import PathLike
from meteor_e_tables.batches import RANGE_ROWS
from meteor_e_tables.columns import PREFIX
from meteor_e_tables.frames import FrameScorer
from meteor_e_tables.libraries import require
from meteor_e_tables.plain import LineRange, line_ranges
from meteor_e_tables.portable import PortableMetric

if TYPE_CHECKING:
    import dask.dataframe as dd
    import pandas as pd

    from meteor_e import CorpusScore, Meteor


def score_dataframe(
    frame: dd.DataFrame,
    metric: PortableMetric | Meteor,
    *,
    hypothesis: str = "hypothesis",
    reference: str | Sequence[str] = "reference",
    prefix: str = PREFIX,
) -> dd.DataFrame:
    """Add columns of scores and statistics to a Dask data frame; nothing is computed yet.

    Args:
        frame: with the columns of texts.
        metric: as :func:`meteor_e_tables.distributed.prepare` returns it, or a :class:`meteor_e.Meteor`.
        hypothesis: column of the hypotheses.
        reference: column of the references, or several; a cell holds a text or a list of texts.
        prefix: what the names of the new columns begin with.

    Raises:
        InputError: if there is no such column, or a new one is there already. What is wrong with a cell is raised
            when it is computed, with partition and row.
    """
    _dask()
    scorer = FrameScorer(metric, hypothesis, reference, prefix)
    return frame.map_partitions(scorer, meta=scorer.meta(frame._meta))


def corpus_score(scored: dd.DataFrame, metric: PortableMetric | Meteor, *, prefix: str = PREFIX) -> CorpusScore:
    """Compute the score of a corpus whose segments :func:`score_dataframe` scores.

    Each partition adds up its statistics where it is; one row per partition travels. The result is that of
    :meth:`meteor_e.Meteor.corpus` on one machine, bit for bit: sums of whole numbers do not depend on their order.

    Args:
        scored: what :func:`score_dataframe` returned; persist it, or write it and read it back, if the segments'
            scores are wanted, too, or they are computed twice.
        metric: the same metric.
        prefix: the same prefix.

    Raises:
        InputError: if the frame was not scored, or has no rows.
        MeteorError: for the first row that has no score.
    """
    _dask()
    scorer = FrameScorer(metric, prefix=prefix)
    lacking = next((name for name in scorer.columns.statistics if name not in scored.columns), None)
    if lacking is not None:
        raise InputError(f"the data frame has no column {lacking!r}; score it with score_dataframe first")
    # Only these columns are read where the frame comes from a file.
    sums = scored[list(scorer.columns.statistics)].map_partitions(scorer.sums, meta=scorer.sums_meta())
    return scorer.corpus_score(sums.compute())


def read_text(hypotheses: PathLike, *references: PathLike, rows: int = RANGE_ROWS) -> dd.DataFrame:
    """Make a Dask data frame of plain text files, one segment per line.

    The files are looked through once, here, for the beginnings of lines; each worker reads its own lines, so they
    must be where the workers can see them, under the same path.

    Args:
        hypotheses: the file, uncompressed, UTF-8.
        references: one or several files that line up with it.
        rows: lines of a partition.

    Returns:
        Columns ``hypothesis``, and ``reference`` or ``reference_1``, ``reference_2`` …

    Raises:
        InputError: if a file cannot be read, or has another number of lines than the others.
    """
    dd = _dask()
    import pandas as pd

    if not references:
        raise InputError("name at least one file of references")
    ranges = line_ranges([str(path) for path in (hypotheses, *references)], rows=rows)
    names = reference_names(len(references))
    meta = pd.DataFrame({name: pd.Series([""], dtype=object).iloc[:0] for name in ("hypothesis", *names)})
    return dd.from_map(_frame, ranges, names=names, meta=meta)


def reference_names(count: int) -> list[str]:
    """Name the columns of so many references."""
    return ["reference"] if count == 1 else [f"reference_{number}" for number in range(1, count + 1)]


def _frame(lines: LineRange, names: Sequence[str]) -> pd.DataFrame:
    import pandas as pd

    batch = lines.read()
    columns: dict[str, Any] = {"hypothesis": batch.texts.hypotheses[0]}
    columns.update(zip(names, map(list, zip(*batch.texts.references, strict=True)), strict=True))
    index = pd.RangeIndex(lines.first - 1, lines.first - 1 + lines.size)
    return pd.DataFrame({name: pd.Series(values, index, dtype=object) for name, values in columns.items()})


def _dask() -> Any:
    return require("dask.dataframe", "a data frame on a cluster", "dask")
