"""The conformance checks of formats and commands."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from meteor_e.api.outputs import Grid, OutputFormat, OutputOptions, Result
from meteor_e.api.tables import TableFormat, TextColumns
from meteor_e.base.errors import ConfigError, InputError
from meteor_e.testing.report import Report, begin, make, short

if TYPE_CHECKING:
    import click


def check_table_format(table_format: type[TableFormat] | TableFormat, **options: Any) -> None:
    """Check that a format of tables says which paths it knows, and refuses what is no such table.

    Args:
        table_format: the class, or a format that is made already.
        options: the options to make it with.

    Raises:
        ConformanceError: saying what is wrong.
    """
    report, cls = begin("table format", table_format)
    made = make(report, table_format, cls, None, options)
    for path in ("texts.txt", "-", ""):
        known = report.run(f"recognizes({path!r})", lambda path=path: cls.recognizes(path))  # type: ignore[misc]
        report.expect(known in (True, False), f"recognizes returned {short(known)}; it must return True or False")
    with TemporaryDirectory() as folder:
        (Path(folder) / "broken").write_bytes(b"\x00\xff\xfe no table of any kind")
        for name in ("missing", "broken"):
            problem = _refusal(made, str(Path(folder) / name))
            report.expect(not problem, f"of a file that is {name}, open {problem}; raise InputError")
    report.stop()


def _refusal(made: TableFormat, path: str) -> str:
    try:
        next(iter(made.open(path, TextColumns()).pairs(0)), None)
    except (ConfigError, InputError):
        return ""
    except Exception as error:
        return f"raised {type(error).__name__}"
    return "made a table"


class _MadeUp(Result):
    """One score, as every view has it."""

    def grids(self, digits: int | None = None) -> Iterable[Grid]:
        """Yield one table."""
        return [Grid(["system", "made up"], [["a|b\tc", f"{0.5:.{4 if digits is None else digits}f}"]])]

    def records(self) -> Iterator[Sequence[object]]:
        """Yield titles and a row."""
        yield ("system", "made up")
        yield ("a|b\tc", 0.5)

    def document(self) -> Mapping[str, Any]:
        """Return the score."""
        return {"systems": [{"name": "a|b\tc", "score": 0.5}]}


def check_output_format(output_format: type[OutputFormat] | OutputFormat, **options: Any) -> None:
    """Check that a format of results writes a small result, the same each time.

    Args:
        output_format: the class, or a format that is made already.
        options: the options to make it with.

    Raises:
        ConformanceError: saying what is wrong.
    """
    report, cls = begin("output format", output_format)
    made = make(report, output_format, cls, None, options)

    def written() -> str:
        stream = io.StringIO()
        with contextlib.suppress(ConfigError):  # it may be for other results
            made.write(_MadeUp(), stream, OutputOptions(3))
            return stream.getvalue() or "nothing"
        return ""

    found = [report.run("write", written) for _ in range(2)]
    report.expect(found[0] != "nothing", "write wrote nothing, and raised no ConfigError")
    report.expect(found[0] == found[1], "write writes something else the second time")
    report.stop()


def check_command(command: click.Command) -> None:
    """Check that a command has a name and a help text, that its options are described, and that ``--help`` works.

    Raises:
        ConformanceError: saying what is wrong.
    """
    import click
    from click.testing import CliRunner

    report = Report("command", type(command))
    report.title = f"command {command.name!r}"
    report.expect(bool(command.get_short_help_str()), "it has no help text; write a docstring")
    for parameter in command.params:
        described = not isinstance(parameter, click.Option) or parameter.help or parameter.hidden
        report.expect(bool(described), f"option {parameter.opts[0]} has no help")
    done = CliRunner().invoke(command, ["--help"])
    report.expect(done.exit_code == 0, f"--help ends with {done.exception!r}")
    report.stop()
