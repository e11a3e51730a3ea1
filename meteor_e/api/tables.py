"""Base classes of components that extend ``meteor-e score``: formats of input tables, and runners."""

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
    """Base class of the formats of input tables, which users select with ``meteor-e score --format-in NAME``.

    The class attribute ``name`` is the name of the format, in lower case. The name must be unique among all installed
    plugins.
    """

    kind: ClassVar[str] = "table format"

    @classmethod
    def recognizes(cls, path: str) -> bool:
        """Return whether a file has this format. If users omit ``--format-in``, this method detects the format."""
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
    """The metrics, systems and options of one run of ``meteor-e score``.

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
    """Base class of runners, which change how ``meteor-e score`` computes or stores scores.

    For example, the runner ``table`` writes segments to a table, and the runner ``dask`` uses a cluster.

    The class attribute ``name`` is the name of the runner, in lower case. The name must be unique among all installed
    plugins.
    """

    kind: ClassVar[str] = "runner"

    @abstractmethod
    def start(self, run: ScoreRun) -> AbstractContextManager[ScoreRun]:
        """Return a context manager. Its ``with`` block receives a modified copy of the run.

        Args:
            run: the original run.

        Raises:
            ConfigError: if a required library is not installed, or if a cluster does not respond.
        """
