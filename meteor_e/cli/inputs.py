"""The input options of commands that score texts: hypotheses and references in files or in the columns of a table."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import click

from meteor_e.api.segments import Segment, System, TextColumns, TextTable
from meteor_e.base.errors import ConfigError, near_miss, plugin_errors
from meteor_e.cli.commands import Options, option
from meteor_e.formats.inputs import INPUT_FORMATS, TEXT_FORMATS, detect_formats, spool_pipes
from meteor_e.formats.systems import read_systems
from meteor_e.plugins.registry import plugin_registry
from meteor_e.render.plain import printable

if TYPE_CHECKING:
    from meteor_e.api.tables import TableFormat


@dataclasses.dataclass(frozen=True)
class Inputs(Options, heading="Input", example="system.txt -r first.txt -r second.txt"):
    """The options for hypotheses and references, which can be in files or in the columns of a table.

    All commands that score texts share these options, so that they read the same segments from the same files.
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
        show_default="detected from the content",
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
        help="What to do if a system or the references lack a segment of an SGML, XML or COCO file: stop with an "
        "error, skip the segment, or score an empty text if a system lacks it.",
    )
    names: tuple[str, ...] = option(
        (), "--name", multiple=True, metavar="NAME", help="Name of a system; repeat it for each system, in order."
    )

    def systems(self) -> list[System]:
        """Return the systems with their hypotheses and references.

        Raises:
            ConfigError: if a table is combined with other files, or if column options are set but the input is not a
                table.
            InputError: if a file cannot be read, or hypotheses and references do not line up.
            PluginError: if the plugin that reads a table is not installed.
        """
        files, references = spool_pipes(self.files), spool_pipes(self.references)
        is_only_file = len(files) == 1 and not references
        formats = self._formats([*files, *references], is_only_file=is_only_file)
        table_format = self._table_format(files, formats, is_only_file=is_only_file)
        if table_format is not None:
            table_class = _find_table_format(table_format)
            if not is_only_file or self.references_per_segment > 1:
                raise ConfigError(_ONE_TABLE)
            return self.rename(self._read_table(table_class, files[0]))
        if self._has_columns:
            raise ConfigError(_not_a_table(files[0] if files else "nothing", self.form_in))
        count = self.references_per_segment
        return self.rename(read_systems(files, references, count, self.encoding, formats, self.on_missing))

    def _read_table(self, table_class: type[TableFormat], path: str) -> list[System]:
        """Return the systems of a table.

        There is one system for each label of the system column or, without such a column, for each hypothesis column.
        """
        columns = self._columns()
        table = table_class.make().open(path, columns, encoding=self.encoding)
        if columns.system is not None:
            label_columns = columns._replace(hypotheses=(columns.system,))
            labels = table_class.make().open(path, label_columns, encoding=self.encoding)
            return _split_by_system(table, [segment.hypothesis for segment in labels.segments(0)])
        return [
            System(name, partial(table.segments, index), table.size, table=table, rereadable=path != "-")
            for index, name in enumerate(table.systems)
        ]

    @property
    def _has_columns(self) -> bool:
        """Whether any option describes columns, so that the input must be a table."""
        text_columns = (*self.hypothesis_columns, *self.reference_columns)
        other_columns = (self.id_column, self.source_column, self.system_column)
        return bool(text_columns) or any(other_columns) or self.no_header

    def _formats(self, paths: Sequence[str], *, is_only_file: bool) -> dict[str, str]:
        """Return the format of each input file by path. Formats are detected unless ``--format-in`` is set."""
        form = self.form_in
        if form is None and self._has_columns and paths == ["-"]:
            form = "jsonl"
        return detect_formats(paths, form, is_only_file=is_only_file)

    def _table_format(self, files: Sequence[str], formats: dict[str, str], *, is_only_file: bool) -> str | None:
        """Return the format name of an input table, or ``None`` if the input is not a table."""
        for form in formats.values():
            if form not in TEXT_FORMATS:
                return form
        if self.form_in is None and is_only_file and files[0] != "-":
            return _recognize_plugin_format(files[0])
        return None

    def _columns(self) -> TextColumns:
        """Return the table columns that the options specify.

        Raises:
            ConfigError: if a hypothesis column is given twice, or a system column is combined with several hypothesis
                columns.
        """
        default = TextColumns(("1",), ("2",)) if self.no_header else TextColumns()
        hypotheses = self.hypothesis_columns or default.hypotheses
        if len(set(hypotheses)) < len(hypotheses):
            raise ConfigError(f"--hypothesis-column: one of {', '.join(hypotheses)} is given twice")
        if self.system_column is not None and len(hypotheses) > 1:
            raise ConfigError("--system-column: each row names its system, so give only one --hypothesis-column")
        return TextColumns(
            hypotheses,
            self.reference_columns or default.references,
            self.id_column,
            has_header=not self.no_header,
            source=self.source_column,
            system=self.system_column,
        )

    def rename(self, systems: Sequence[System]) -> list[System]:
        """Return the systems renamed according to ``--name``, or by default with printable forms of their names.

        Raises:
            ConfigError: if the number of names differs from the number of systems, a name is empty or occurs twice, or
                the names of two systems differ only in unprintable characters or white space.
        """
        requested_names = self.names or [system.name for system in systems]
        # Output formats show each name within one line.
        names = [printable(" ".join(name.split())) for name in requested_names]
        if len(names) != len(systems):
            raise ConfigError(
                f"--name is given {len(names)} times, but there are {len(systems)} systems; name each system once"
            )
        if self.names and (len(set(names)) < len(names) or not all(names)):
            raise ConfigError("--name: the names of systems must be different and not empty")
        _check_new_names(systems, names)
        return [dataclasses.replace(system, name=name) for system, name in zip(systems, names, strict=True)]


def _check_new_names(systems: Sequence[System], names: Sequence[str]) -> None:
    """Raise ConfigError if systems with different names would be given the same new name."""
    original_names: dict[str, str] = {}
    for system, name in zip(systems, names, strict=True):
        original_name = original_names.setdefault(name, system.name)
        if original_name != system.name:
            raise ConfigError(
                f"systems {original_name!r} and {system.name!r} would both be called {name!r}; name them with --name"
            )


_ONE_TABLE = (
    "a table holds hypotheses and references: name one file only, and name its columns with --hypothesis-column and "
    "--reference-column, which can be repeated"
)
"""The error message for a table that is combined with other files."""


def _not_a_table(path: str, form: str | None) -> str:
    """Return the error message for column options if the input file is not a table."""
    return (
        f"{path} is {form or 'not a table'}, which has no columns: tables are Parquet, .csv, .tsv, a JSON array, or "
        "JSON Lines as .jsonl or .jsonl.gz; --format-in names another format"
    )


def _find_table_format(name: str) -> type[TableFormat]:
    """Return the table format with a given name.

    Raises:
        ConfigError: if there is no format with this name.
        PluginError: if the plugin that provides the format is not installed.
    """
    registry = plugin_registry().table_formats
    if name not in INPUT_FORMATS and name not in registry.names():
        names = sorted({*INPUT_FORMATS, *registry.names()})
        hint = near_miss(name, names)
        raise ConfigError(f"--format-in: there is no format {name!r}{hint}; the formats: {', '.join(names)}")
    table_format: type[TableFormat] = registry.get(name)
    return table_format


def _recognize_plugin_format(path: str) -> str | None:
    """Return the name of the first table format from a plugin that recognizes a file, or ``None``."""
    for name in plugin_registry().table_formats.names():
        if name not in INPUT_FORMATS:
            with plugin_errors(f"table format {name!r}"):
                if plugin_registry().table_formats.get(name).recognizes(path):
                    return name
    return None


def _split_by_system(table: TextTable, labels: Sequence[str]) -> list[System]:
    """Split a table with a system column into one system per label, in order of first occurrence.

    The table is read only once, and its segments are kept in memory.

    Args:
        table: a table with one hypothesis column.
        labels: the name of the system of each row.
    """
    segments_by_system: dict[str, list[Segment]] = {}
    for segment, label in zip(table.segments(0), labels, strict=True):
        segments = segments_by_system.setdefault(label, [])
        # Without an id column, the segments of each system are numbered from 1.
        segments.append(segment if table.texts.id is not None else segment._replace(id=len(segments) + 1))
    return [System.from_segments(name, segments) for name, segments in segments_by_system.items()]
