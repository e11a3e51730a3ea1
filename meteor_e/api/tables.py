"""Tables of texts, and ways to score what they hold: what plugins add to ``meteor-e score``."""

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
    """A kind of file that holds a table: ``meteor-e score --format-in NAME`` reads it.

    Class attributes:
        name: of the format; lower case, unique among all installed plugins.
    """

    kind: ClassVar[str] = "table format"

    @classmethod
    def recognizes(cls, path: str) -> bool:
        """Return whether a path holds such a table. Asked where one file alone is given, without ``--format-in``."""
        return False

    @abstractmethod
    def open(self, path: str, texts: TextColumns, *, encoding: str = "utf-8") -> TextTable:
        """Open a table.

        Args:
            path: of a file or folder; ``-`` is standard input.
            texts: which columns hold the texts.
            encoding: of text files.

        Raises:
            InputError: if it cannot be read, has no rows, or lacks a column.
            ConfigError: if a library is not installed.
        """


class ScoreRun(NamedTuple):
    """What ``meteor-e score`` is to score, and how.

    Attributes:
        metrics: what scores; METEOR is prepared.
        systems: what to score. The systems of a table follow each other.
        in_order: what scores batches, and yields them in order; see :func:`meteor_e.evaluate.evaluate`.
        output: the table that takes the segments with their scores; ``None`` for none.
        prefix: prefix of the names of new columns; ``None`` lets the runner choose.
        cluster: address of the cluster that scores; ``None`` for this process.
    """

    metrics: Sequence[Metric]
    systems: Sequence[System]
    in_order: Callable[..., Any]
    output: str | None = None
    prefix: str | None = None
    cluster: str | None = None


class ScoreRunner(Component):
    """Something that takes part in scoring: ``table`` writes segments (``-o FILE.parquet``), ``dask`` is a cluster.

    Class attributes:
        name: of the runner; lower case, unique among all installed plugins.
    """

    kind: ClassVar[str] = "runner"

    @abstractmethod
    def start(self, run: ScoreRun) -> AbstractContextManager[ScoreRun]:
        """Return a context in which is scored; entering it returns the run with other systems or another ``in_order``.

        Raises:
            ConfigError: if a library is not installed, or a cluster does not answer.
        """
