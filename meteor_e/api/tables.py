"""Formats of tables of texts, and runners. Both are components that plugins add to ``meteor-e score``."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from meteor_e.api.component import Component
from meteor_e.api.segments import System, TextColumns, TextTable

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from meteor_e.api.metrics import Metric


class TableFormat(Component):
    """Base of formats of tables that ``meteor-e score --format-in NAME`` reads.

    Class attributes:
        name: name of the format; lower case, unique among all installed plugins.
    """

    kind: ClassVar[str] = "table format"

    @classmethod
    def recognizes(cls, path: str) -> bool:
        """Return whether a file has this format, if a command is given a single file without ``--format-in``."""
        return False

    @abstractmethod
    def open(self, path: str, texts: TextColumns, *, encoding: str = "utf-8") -> TextTable:
        """Open a table.

        Args:
            path: path of a file or folder, or ``-`` for standard input.
            texts: names of the columns that contain the texts.
            encoding: encoding of text files.

        Raises:
            InputError: if the table cannot be read, does not have rows, or lacks a column.
            ConfigError: if a required library is not installed.
        """


class ScoreRun(NamedTuple):
    """The metrics, systems and options of a run of ``meteor-e score``.

    Attributes:
        metrics: the metrics. METEOR has already been prepared.
        systems: the systems. Systems of the same table are consecutive.
        execute: function that maps a scorer over batches; see :func:`meteor_e.evaluate.evaluate`.
        output: path of the table to which the segments and their scores are written, or ``None``.
        prefix: prefix of the names of new columns; ``None`` for the runner's default.
        cluster: address of the cluster that computes scores; ``None`` to use this process.
    """

    metrics: Sequence[Metric]
    systems: Sequence[System]
    execute: Callable[..., Any]
    output: str | None = None
    prefix: str | None = None
    cluster: str | None = None


class ScoreRunner(Component):
    """Base of components that change how ``meteor-e score`` computes or stores scores.

    The runner ``table`` writes segments to a table (``-o FILE.parquet``). The runner ``dask`` uses a cluster.

    Class attributes:
        name: name of the runner; lower case, unique among all installed plugins.
    """

    kind: ClassVar[str] = "runner"

    @abstractmethod
    def start(self, run: ScoreRun) -> AbstractContextManager[ScoreRun]:
        """Return a context manager for the run. Its ``with`` statement yields the run with changed attributes.

        Raises:
            ConfigError: if a required library is not installed, or if a cluster does not respond.
        """
