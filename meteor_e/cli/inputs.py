"""The input of ``score``, ``report``, ``align`` and ``stress``: files or tables with hypotheses and references."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import click

from meteor_e.api.segments import Segment, System, TextColumns, TextTable
from meteor_e.base.errors import ConfigError, guarded, near_miss
from meteor_e.cli.commands import Options, option
from meteor_e.formats.inputs import INPUT_FORMATS, TEXT_FORMATS, input_formats, spool_pipes
from meteor_e.formats.systems import read_systems
from meteor_e.plugins.registry import plugin_registry
from meteor_e.render.plain import printable

if TYPE_CHECKING:
    from meteor_e.api.tables import TableFormat


@dataclasses.dataclass(frozen=True)
class Inputs(Options, heading="Input", example="system.txt -r first.txt -r second.txt"):
    """Hypotheses and references in files, or in the columns of a table.

    Every command reads its input here, so that the same files and options give the same segments everywhere.
    """

    files: tuple[str, ...] = option((), nargs=-1, metavar="SYSTEM...")
    references: tuple[str, ...] = option(
        (),
        *("-r", "--reference"),
        multiple=True,
        metavar="FILE",
        help="File of references; repeat it for several references per segment. Without -r, the last file holds "
        "the references.",
    )
    references_per_segment: int = option(
        1,
        "--references-per-segment",
        type=click.IntRange(min=1),
        metavar="N",
        help="Lines of the reference file that belong to one segment.",
    )
    form_in: str | None = option(
        None,
        "--format-in",
        metavar="NAME",
        show_default="the content tells",
        help=f"Format of the input: {', '.join(INPUT_FORMATS)}, or a plugin's.",
    )
    hypothesis_columns: tuple[str, ...] = option(
        (),
        "--hypothesis-column",
        multiple=True,
        metavar="NAME",
        show_default="hypothesis",
        help="Column of the hypotheses in a table; repeat it for several systems.",
    )
    reference_columns: tuple[str, ...] = option(
        (),
        "--reference-column",
        multiple=True,
        metavar="NAME",
        show_default="reference",
        help="Column of the references in a table (texts or lists of texts); repeat it for several.",
    )
    id_column: str | None = option(
        None,
        "--id-column",
        metavar="NAME",
        show_default="numbers from 1",
        help="Column of the segments' ids in a table; outputs show them.",
    )
    source_column: str | None = option(
        None,
        "--source-column",
        metavar="NAME",
        show_default="no sources",
        help="Column of the sources in a table, such as the questions that the hypotheses answer. Metrics that read "
        "sources need it.",
    )
    system_column: str | None = option(
        None,
        "--system-column",
        metavar="NAME",
        show_default="one system",
        help="Column of the systems' names in a table whose rows belong to several systems.",
    )
    no_header: bool = option(
        False,
        "--no-header",
        is_flag=True,
        help="The first line of a CSV or TSV table contains texts and not the names of columns. Columns are then named "
        "1, 2 and so on; hypotheses are in 1 and references in 2, unless other columns are given.",
    )
    encoding: str = option("utf-8", "--encoding", help="Encoding of plain text files.")
    on_missing: str = option(
        "stop",
        "--on-missing",
        type=click.Choice(["stop", "skip", "empty"]),
        help="What to do with a segment of an SGML, XML or COCO file that a system or the references lack: an error, "
        "leave it out, or, where a system lacks it, score an empty text.",
    )
    names: tuple[str, ...] = option(
        (), "--name", multiple=True, metavar="NAME", help="Name of a system; one for each, in order."
    )

    def systems(self) -> list[System]:
        """Return the systems with their references; a table is read once per system.

        Raises:
            ConfigError: for a table in addition to other files, or if columns are named of a file that is not a table.
            InputError: if a file cannot be read, or hypotheses and references do not line up.
            PluginError: if the plugin that reads a table is not installed.
        """
        files, references = spool_pipes(self.files), spool_pipes(self.references)
        is_alone = len(files) == 1 and not references
        formats = self._formats([*files, *references], is_alone=is_alone)
        table_format = self._table_format(files, formats, is_alone=is_alone)
        if table_format is None:
            if self._has_columns:
                raise ConfigError(_not_a_table(files[0] if files else "nothing", self.form_in))
            count = self.references_per_segment
            return self.rename(read_systems(files, references, count, self.encoding, formats, self.on_missing))
        table_class = _find_table_format(table_format)
        if not is_alone or self.references_per_segment > 1:
            raise ConfigError(
                "a table holds hypotheses and references: name one file only, and the columns with "
                "--hypothesis-column and --reference-column, one or several of references"
            )
        columns = self._columns()
        table = table_class.make().open(files[0], columns, encoding=self.encoding)
        if columns.system is not None:
            labels = table_class.make().open(
                files[0], columns._replace(hypotheses=(columns.system,)), encoding=self.encoding
            )
            return self.rename(_split_by_system(table, [segment.hypothesis for segment in labels.segments(0)]))
        return self.rename(
            [
                System(name, partial(table.segments, index), table.size, table=table)
                for index, name in enumerate(table.systems)
            ]
        )

    @property
    def _has_columns(self) -> bool:
        """Whether an option names columns, so that the input must be a table."""
        named = (
            *(self.hypothesis_columns, self.reference_columns),
            *(self.id_column, self.source_column, self.system_column),
        )
        return any(named) or self.no_header

    def _formats(self, paths: Sequence[str], *, is_alone: bool) -> dict[str, str]:
        """Return the format of each file, as ``--format-in`` or the file's content has it."""
        form = "jsonl" if self.form_in is None and self._has_columns and paths == ["-"] else self.form_in
        return input_formats(paths, form, alone=is_alone)

    def _table_format(self, files: Sequence[str], formats: dict[str, str], *, is_alone: bool) -> str | None:
        """Return the name of the table's format; ``None`` for files of texts."""
        for form in formats.values():
            if form not in TEXT_FORMATS:
                return form
        if self.form_in is None and is_alone and files[0] != "-":
            return _recognize_plugin_format(files[0])
        return None

    def _columns(self) -> TextColumns:
        """Return the columns that the options name.

        Raises:
            ConfigError: for a column of hypotheses that is named twice.
        """
        default = TextColumns() if not self.no_header else TextColumns(("1",), ("2",))
        hypotheses = self.hypothesis_columns or default.hypotheses
        if len(set(hypotheses)) < len(hypotheses):
            raise ConfigError(f"--hypothesis-column: one of {', '.join(hypotheses)} is given twice")
        if self.system_column is not None and len(hypotheses) > 1:
            raise ConfigError("--system-column: the rows name the systems; give one --hypothesis-column")
        return TextColumns(
            hypotheses,
            self.reference_columns or default.references,
            self.id_column,
            has_header=not self.no_header,
            source=self.source_column,
            system=self.system_column,
        )

    def rename(self, systems: Sequence[System]) -> list[System]:
        """Return the systems under the names of ``--name``, or their own.

        Raises:
            ConfigError: if the number of names is not that of the systems, a name is empty or occurs twice, or two
                systems differ in characters only that no output shows, such as tabs.
        """
        # A name is one line, fit for a terminal.
        names = [printable(" ".join(name.split())) for name in self.names or [system.name for system in systems]]
        if len(names) != len(systems):
            raise ConfigError(
                f"--name is given {len(names)} times, and there are {len(systems)} systems; name each once"
            )
        if self.names and (len(set(names)) < len(names) or not all(names)):
            raise ConfigError("--name: each system needs a name of its own")
        originals: dict[str, str] = {}
        for system, name in zip(systems, names, strict=True):
            original = originals.setdefault(name, system.name)
            if original != system.name:
                raise ConfigError(
                    f"systems {original!r} and {system.name!r} would both be called {name!r}; name them with --name"
                )
        return [dataclasses.replace(system, name=name) for system, name in zip(systems, names, strict=True)]


def _not_a_table(path: str, form: str | None) -> str:
    return (
        f"{path} is {form or 'not a table'}, which has no columns: tables are Parquet, .csv, .tsv, a JSON array, or "
        "JSON Lines as .jsonl or .jsonl.gz; --format-in names another format"
    )


def _find_table_format(name: str) -> type[TableFormat]:
    """Return the format of a name.

    Raises:
        ConfigError: if there is no such format.
        PluginError: if its plugin is not installed.
    """
    if name not in INPUT_FORMATS:
        known = sorted({*INPUT_FORMATS, *plugin_registry().table_formats.names()})
        if name not in known:
            hint = near_miss(name, known)
            raise ConfigError(f"--format-in: there is no format {name!r}{hint}; the formats: {', '.join(known)}")
    table_format: type[TableFormat] = plugin_registry().table_formats.get(name)
    return table_format


def _recognize_plugin_format(path: str) -> str | None:
    """Return the name of a plugin's format that recognizes a file."""
    for name in plugin_registry().table_formats.names():
        if name not in INPUT_FORMATS:
            with guarded(f"table format {name!r}"):
                if plugin_registry().table_formats.get(name).recognizes(path):
                    return name
    return None


def _split_by_system(table: TextTable, labels: Sequence[str]) -> list[System]:
    """Return one system per label, in the order of the labels' first rows.

    Args:
        table: a table with one column of hypotheses.
        labels: the system of each row.
    """

    def read(name: str) -> Iterator[Segment]:
        rows = (segment for segment, label in zip(table.segments(0), labels, strict=True) if label == name)
        for number, segment in enumerate(rows, 1):
            yield segment if table.texts.id is not None else segment._replace(id=number)

    return [System(name, partial(read, name), count) for name, count in Counter(labels).items()]
