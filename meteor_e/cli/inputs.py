"""This module defines the input options of all commands that score texts."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import click

from meteor_e.api.segments import Segment, System, TextColumns, TextTable
from meteor_e.base.errors import ConfigError, near_miss, plugin_errors
from meteor_e.base.files import input_name
from meteor_e.cli.commands import Options, option
from meteor_e.formats.inputs import INPUT_FORMATS, TEXT_FORMATS, detect_format, spool_input, spool_pipes
from meteor_e.formats.systems import read_systems
from meteor_e.plugins.registry import plugin_registry
from meteor_e.render.plain import printable

if TYPE_CHECKING:
    from meteor_e.api.tables import TableFormat


@dataclasses.dataclass(frozen=True)
class Inputs(Options):
    """Store the options that name the hypotheses and references, either in files or in columns of a table.

    All commands that score texts share these options, so that they read the same segments from the same files.
    """

    heading = "Input"
    example = "system.txt -r first.txt -r second.txt"

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
    format_in: str | None = option(
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
            ConfigError: if there are no hypotheses, a table is combined with other files, or column options are set but
                the input is not a table.
            InputError: if a file cannot be read, or hypotheses and references do not line up.
            PluginError: if the plugin that reads a table is not installed.
        """
        files = spool_pipes(self.files)
        references = spool_pipes(self.references)
        formats = self._detect_formats(files, references)
        table_format = next((name for name in formats.values() if name not in TEXT_FORMATS), None)
        if table_format is None:
            return self._rename_systems(self._read_texts(files, references, formats))
        table_class = _find_table_format(table_format)
        if len(files) != 1 or references or self.references_per_segment > 1:
            raise ConfigError(_ONE_TABLE)
        return self._rename_systems(self._read_table(table_class, files[0]))

    def _read_texts(self, files: Sequence[str], references: Sequence[str], formats: Mapping[str, str]) -> list[System]:
        """Return the systems of text files.

        Args:
            files: the files of hypotheses.
            references: the files of references.
            formats: the format of each file.

        Raises:
            ConfigError: if an option names the columns of a table, or there are only references.
        """
        if self._has_columns():
            raise ConfigError(_describe_missing_table(files[0] if files else "nothing", self.format_in))
        if references and not files:
            raise ConfigError("the hypotheses are missing: give a file of hypotheses in addition to --reference")
        return read_systems(
            files,
            references,
            references_per_segment=self.references_per_segment,
            encoding=self.encoding,
            formats=formats,
            on_missing=self.on_missing,
        )

    def _detect_formats(self, files: Sequence[str], references: Sequence[str]) -> dict[str, str]:
        """Return the format of each input file. The formats are detected unless ``--format-in`` is set."""
        paths = [*files, *references]
        if self.format_in is not None:
            return dict.fromkeys(paths, self.format_in)
        if len(files) == 1 and not references:
            return {files[0]: self._detect_only_format(files[0])}
        return {path: detect_format(path) for path in paths}

    def _detect_only_format(self, path: str) -> str:
        """Return the format of the input file if there is only one file. A table must be the only input file."""
        if path == "-" and self._has_columns():
            return "jsonl"
        format_name = detect_format(path, is_only_file=True)
        # A plugin can recognize a table only by reading the file, but standard input can be read only once.
        is_final = format_name not in TEXT_FORMATS or path == "-"
        return format_name if is_final else _recognize_plugin_format(path) or format_name

    def _has_columns(self) -> bool:
        """Return whether an option for table columns is set. Such an option requires a table as input."""
        text_columns = (*self.hypothesis_columns, *self.reference_columns)
        other_columns = (self.id_column, self.source_column, self.system_column)
        return bool(text_columns) or any(other_columns) or self.no_header

    def _read_table(self, table_class: type[TableFormat], path: str) -> list[System]:
        """Return the systems of a table.

        If the table has a system column, each distinct name in the column is the name of a system. Otherwise, each
        hypothesis column contains the hypotheses of one system.
        """
        columns = self._columns()
        is_read_repeatedly = columns.system is not None or len(columns.hypotheses) > 1
        table_path = spool_input(path) if path == "-" and is_read_repeatedly else path
        open_table = partial(table_class.make().open, table_path, encoding=self.encoding)
        table = open_table(columns)
        if columns.system is not None:
            # A table yields only segments. To read the system names, open the table again with the names as hypotheses.
            name_table = open_table(columns._replace(hypotheses=(columns.system,)))
            return _split_by_system(table, (segment.hypothesis for segment in name_table.segments(0)))
        return [
            System(name, partial(table.segments, index), table.size, table=table, rereadable=table_path != "-")
            for index, name in enumerate(table.systems)
        ]

    def _columns(self) -> TextColumns:
        """Return the table columns that the options specify.

        Raises:
            ConfigError: if a hypothesis column is given twice, or a system column is combined with several hypothesis
                columns.
        """
        default_columns = TextColumns(hypotheses=("1",), references=("2",)) if self.no_header else TextColumns()
        hypotheses = self.hypothesis_columns or default_columns.hypotheses
        if len(set(hypotheses)) < len(hypotheses):
            raise ConfigError(f"--hypothesis-column: one of {', '.join(hypotheses)} is given twice")
        if self.system_column is not None and len(hypotheses) > 1:
            raise ConfigError("--system-column: each row names its system, so give only one --hypothesis-column")
        return TextColumns(
            hypotheses=hypotheses,
            references=self.reference_columns or default_columns.references,
            id=self.id_column,
            has_header=not self.no_header,
            source=self.source_column,
            system=self.system_column,
        )

    def _rename_systems(self, systems: Sequence[System]) -> list[System]:
        """Return copies of the systems with the names from ``--name``.

        Without ``--name``, the systems keep their names, except that unprintable characters are replaced.

        Raises:
            ConfigError: if the number of names differs from the number of systems, a name is empty or occurs twice, or
                the names of two systems differ only in unprintable characters or white space.
        """
        names = self._clean_option_names(len(systems)) if self.names else _clean_system_names(systems)
        return [dataclasses.replace(system, name=name) for system, name in zip(systems, names, strict=True)]

    def _clean_option_names(self, system_count: int) -> list[str]:
        """Return the names from ``--name``, with unprintable characters replaced.

        Raises:
            ConfigError: if there is not one name per system, or a name is empty or occurs twice.
        """
        if len(self.names) != system_count:
            raise ConfigError(
                f"--name is given {len(self.names)} times, but there are {system_count} systems; name each system once"
            )
        names = list(map(_clean_name, self.names))
        if "" in names or len(set(names)) < len(names):
            raise ConfigError("--name: the names of systems must be different and not empty")
        return names


def _clean_system_names(systems: Sequence[System]) -> list[str]:
    """Return the names of the systems, with unprintable characters replaced.

    Raises:
        ConfigError: if the names of two systems differ only in unprintable characters or white space.
    """
    original_names: dict[str, str] = {}
    names = []
    for system in systems:
        name = _clean_name(system.name)
        original_name = original_names.setdefault(name, system.name)
        if original_name != system.name:
            raise ConfigError(
                f"systems {original_name!r} and {system.name!r} would both be called {name!r}; name them with --name"
            )
        names.append(name)
    return names


def _clean_name(name: str) -> str:
    """Convert a name to a single line of printable characters, because output formats require this."""
    return printable(" ".join(name.split()))


_ONE_TABLE = (
    "a table holds hypotheses and references: name one file only, and name its columns with --hypothesis-column and "
    "--reference-column, which can be repeated"
)
"""This is the error message for a table that is combined with other files."""


def _describe_missing_table(path: str, format_name: str | None) -> str:
    """Return the error message for table options that are given when the input is not a table."""
    return (
        f"{input_name(path)} is {format_name or 'not a table'}, which has no columns: tables are Parquet, .csv, .tsv, "
        "a JSON array, or JSON Lines as .jsonl or .jsonl.gz; --format-in names another format"
    )


def _find_table_format(name: str) -> type[TableFormat]:
    """Return the table format with a given name.

    Raises:
        ConfigError: if there is no format with this name.
        PluginError: if the plugin that provides the format is not installed.
    """
    registry = plugin_registry().table_formats
    if name in INPUT_FORMATS or name in registry:
        # If the plugin of a format in INPUT_FORMATS is not installed, the registry raises PluginError.
        return registry.get(name)
    names = sorted({*INPUT_FORMATS, *registry.names()})
    hint = near_miss(name, names)
    raise ConfigError(f"--format-in: there is no format {name!r}{hint}; the formats: {', '.join(names)}")


def _recognize_plugin_format(path: str) -> str | None:
    """Return the name of the first plugin format that recognizes a table file, or ``None`` if there is none."""
    for name in plugin_registry().table_formats.names():
        if name not in INPUT_FORMATS:
            with plugin_errors(f"table format {name!r}"):
                if plugin_registry().table_formats.get(name).recognizes(path):
                    return name
    return None


def _split_by_system(table: TextTable, system_names: Iterable[str]) -> list[System]:
    """Split a table into systems, in the order of their first rows. All segments are kept in memory.

    Args:
        table: a table with one hypothesis column.
        system_names: the name of the system in each row.
    """
    segments_by_system: dict[str, list[Segment]] = {}
    for segment, system_name in zip(table.segments(0), system_names, strict=True):
        segments = segments_by_system.setdefault(system_name, [])
        # Without an id column, the segments of each system are numbered from 1.
        segment_id = len(segments) + 1 if table.texts.id is None else segment.id
        segments.append(segment._replace(id=segment_id))
    return [System.from_segments(name, segments) for name, segments in segments_by_system.items()]
