"""The part of ``meteor-e score`` that tables need: options, input, and the ways to score that plugins bring."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import click

from meteor_e.api.tables import ScoreRun, ScoreRunner, SystemInput, TableFormat, TextColumns, TextTable
from meteor_e.base.errors import ConfigError, guarded, near_miss
from meteor_e.cli.inputs import refuse_pipes
from meteor_e.formats.inputs import INPUT_FORMATS, TEXT_FORMATS
from meteor_e.formats.tables import is_table_name, table_format

TABLE_OPTIONS = (
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
        "'local' or 'local:N' starts N processes here. (Plugin meteor-e-tables.)",
    ),
)


class TableOptions(NamedTuple):
    """What the options say about tables.

    Attributes:
        hypotheses: columns of hypotheses, one for each system.
        references: columns of references.
    """

    hypotheses: tuple[str, ...]
    references: tuple[str, ...]

    @property
    def texts(self) -> TextColumns:
        """The columns, those by default where none are named."""
        default = TextColumns()
        return TextColumns(self.hypotheses or default.hypotheses, self.references or default.references)


def find_table(
    files: Sequence[str],
    references: Sequence[str],
    references_per_segment: int,
    encoding: str,
    options: TableOptions,
    form: str | None,
) -> TextTable | None:
    """Open the table that a command line names; ``None`` if it names no table.

    Raises:
        ConfigError: if it names more than one, or other files beside it.
        InputError: if it cannot be read.
        PluginError: if the plugin that reads it is not installed.
    """
    refuse_pipes((*files, *references))
    if form is not None and form not in INPUT_FORMATS:
        _check_format(form)
    asked = bool(options.hypotheses or options.references)
    if form in TEXT_FORMATS:
        if asked:
            raise ConfigError(f"--format-in {form} has no columns; leave out the options of tables")
        return None
    alone = len(files) == 1 and not references
    found = form or next(filter(None, (table_format(path, alone=alone) for path in (*files, *references))), None)
    if found is None and alone:
        found = _format_of_plugins(files[0]) if files[0] != "-" else "jsonl" if asked else None
    if found is None and not asked:
        return None
    if not alone:
        raise ConfigError(
            "a table holds hypotheses and references: name one file only, and the columns with "
            "--hypothesis-column and --reference-column"
        )
    if found is None:
        folder = " (a folder without Parquet files)"
        kind = folder if Path(files[0]).is_dir() else "" if Path(files[0]).exists() else " (there is no such file)"
        raise ConfigError(
            f"{files[0]} is not a table{kind}: Parquet, .csv, "
            ".tsv, or JSON Lines as .jsonl or .jsonl.gz; --format-in names another format. Columns are of tables only"
        )
    _check_options(options, references_per_segment)
    from meteor_e.plugins.registry import plugin_registry

    kind_found: type[TableFormat] = plugin_registry().get("table format", found)
    return kind_found.make().open(files[0], options.texts, encoding=encoding)


def _check_options(options: TableOptions, references_per_segment: int) -> None:
    """Refuse options that a table does not go with."""
    if references_per_segment > 1:
        raise ConfigError(
            "--references-per-segment counts lines of plain text; in a table, several references are several columns "
            "or lists"
        )
    for name in options.hypotheses:
        if options.hypotheses.count(name) > 1:
            raise ConfigError(f"--hypothesis-column {name} is given twice")


def _check_format(form: str) -> None:
    from meteor_e.plugins.registry import plugin_registry

    known = sorted({*INPUT_FORMATS, *plugin_registry().names("table format")})
    if form not in known:
        raise ConfigError(
            f"--format-in: there is no format {form!r}{near_miss(form, known)}; the formats: {', '.join(known)}"
        )


def _format_of_plugins(path: str) -> str | None:
    """Return the name of a plugin's format that knows a file that we do not."""
    from meteor_e.plugins.registry import plugin_registry

    for name in plugin_registry().names("table format"):
        if name not in INPUT_FORMATS:
            with guarded(f"table format {name!r}"):
                if plugin_registry().get("table format", name).recognizes(path):
                    return name
    return None


def systems_of(table: TextTable) -> list[SystemInput]:
    """Return the systems of a table; the table is read once for each."""
    return [
        SystemInput(name, table.size, lambda number=number: table.pairs(number), table=table)  # type: ignore[misc]
        for number, name in enumerate(table.systems)
    ]


def is_table_output(output: str | None) -> bool:
    """Return whether an output file is to be a table of segments, by its name."""
    return output is not None and output != "-" and is_table_name(output)


@contextmanager
def runners(run: ScoreRun) -> Iterator[ScoreRun]:
    """Start the cluster and the table of segments that a run asks for; they end with the block.

    Raises:
        PluginError: if the plugin is not installed.
    """
    from meteor_e.plugins.registry import plugin_registry

    with ExitStack() as stack:
        for name, asked in (("dask", run.cluster), ("table", run.output)):
            if asked is not None:
                runner: ScoreRunner = plugin_registry().get("runner", name).make()
                run = stack.enter_context(runner.start(run))
        yield run
