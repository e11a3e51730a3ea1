"""Tables of texts, and ways to score what they hold: what plugins add to ``meteor-e score``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from meteor_e.api.component import Component

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from meteor_e.api.metrics import Metric


class TextColumns(NamedTuple):
    """Which columns of a table hold the texts.

    Attributes:
        hypotheses: one column for each system.
        references: one or several columns; a cell holds a text or a list of texts.
    """

    hypotheses: tuple[str, ...] = ("hypothesis",)
    references: tuple[str, ...] = ("reference",)


class TextTable(ABC):
    """An open table with hypotheses and references in columns.

    Attributes:
        name: what to call it in messages.
        size: number of rows; ``None`` if only reading tells.
        texts: which columns hold the texts. Each hypothesis column is a system of that name.
    """

    name: str
    size: int | None
    texts: TextColumns

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return self.texts.hypotheses

    @abstractmethod
    def pairs(self, system: int) -> Iterator[tuple[str, list[str]]]:
        """Read the table: yield each hypothesis of a system with its references.

        Args:
            system: number of the system in :attr:`systems`.

        Raises:
            InputError: for the first cell that holds no text, with its place.
        """

    def records(self) -> Iterator[tuple[int, Mapping[str, Any]]] | None:
        """Read the table: yield each row with all its columns, and its line number.

        Outputs that keep the columns of their input call it. ``None`` if there is nothing but the texts.
        """
        return None


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


class SystemInput(NamedTuple):
    """One system's segments with their references.

    Attributes:
        name: what to call the system.
        size: number of segments; ``None`` where only reading tells (standard input).
        pairs: gives the hypotheses and their references, once.
        table: the table that holds the system, if one does.
        sources: of each segment, if they are known.
        is_coco: whether they are captions in COCO's files, which METEOR scores with COCO's tokens.
    """

    name: str
    size: int | None
    pairs: Callable[[], Iterator[tuple[str, Sequence[str]]]]
    table: TextTable | None = None
    sources: Sequence[str] | None = None
    is_coco: bool = False

    @classmethod
    def of(
        cls,
        name: str,
        hypotheses: Sequence[str],
        references: Sequence[Sequence[str]],
        sources: Sequence[str] | None = None,
    ) -> SystemInput:
        """Return a system of lists: one hypothesis per segment, and its references."""
        pairs = partial(zip, hypotheses, references, strict=True)
        return cls(name, len(hypotheses), pairs, sources=sources)


class ScoreRun(NamedTuple):
    """What ``meteor-e score`` is to score, and how.

    Attributes:
        metrics: what scores; METEOR is prepared.
        systems: what to score. The systems of a table follow each other.
        in_order: what scores batches, and yields them in order; see :func:`meteor_e.results.score`.
        output: the table that takes the segments with their scores; ``None`` for none.
        prefix: what the names of new columns begin with.
        cluster: address of the cluster that scores; ``None`` for this process.
    """

    metrics: Sequence[Metric]
    systems: Sequence[SystemInput]
    in_order: Callable[..., Any]
    output: str | None = None
    prefix: str = "meteor_"
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
