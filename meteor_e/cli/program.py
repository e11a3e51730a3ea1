"""The program ``meteor-e``. Each command is a module, which is imported when the command is called.

Plugins can add commands. They are searched only for names that the core does not have, and for lists of commands.
"""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys
import threading
import warnings
from importlib import import_module
from typing import NoReturn

import click

from meteor_e._version import __version__
from meteor_e.base.errors import MeteorError
from meteor_e.base.offline import VARIABLE, is_offline
from meteor_e.cli.commands import PluginGroup
from meteor_e.plugins.builtin import COMMANDS
from meteor_e.plugins.distributions import load_command_notes

_HEADINGS = ("Score", "Look", "Evaluate", "Train", "Resources", "Plugins")
"""The headings of commands in the help. Commands of third parties appear under the last heading."""

_GARBAGE_THRESHOLD = 50_000
"""New objects after which Python collects garbage. Python's default is 700, or 2,000 since Python 3.14."""

_MAX_ERROR_LENGTH = 1500
"""Longer error messages are shortened in the middle."""


class LazyGroup(PluginGroup):
    """A group that imports the module of a command when the command is called."""

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Import and return a command of the core, or else a command of a plugin."""
        if name not in COMMANDS:
            return super().get_command(context, name)
        command: click.Command = getattr(import_module(f"meteor_e.cli.{name}"), name)
        return command

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by heading. The modules of the core's commands are not imported."""
        from meteor_e.plugins.registry import plugin_registry

        sections: dict[str, list[tuple[str, str]]] = {heading: [] for heading in _HEADINGS}
        notes = load_command_notes()
        for name in self.list_commands(context):
            if name in COMMANDS:
                heading, summary = COMMANDS[name]
            else:
                heading = notes[name].group if name in notes else _HEADINGS[-1]
                command = self.get_command(context, name)
                summary = command.get_short_help_str(limit=200) if command else ""
            sections[heading].append((name, summary))
        plugin_registry().warn()
        for heading, rows in sections.items():
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)


def _show_version(context: click.Context, _: click.Parameter, is_requested: bool) -> None:
    """Print the version and the engine, and exit; the callback of ``--version``."""
    if is_requested:
        from meteor_e.engine.native import native_module

        engine = "pure Python" if native_module() is None else "native core"
        click.echo(f"meteor-e {__version__} ({engine})")
        context.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show version and engine.",
)
@click.option("--offline", is_flag=True, help="Never download anything; METEOR_E_OFFLINE=1 has the same effect.")
@click.pass_context
def cli(context: click.Context, offline: bool) -> None:
    """METEOR and METEOR-E without Java.

    Score a system's output against its reference:

        meteor-e score HYPOTHESIS REFERENCE -l en
    """
    if offline and not is_offline():
        os.environ[VARIABLE] = "1"
        context.call_on_close(lambda: os.environ.pop(VARIABLE, None))


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the program and exit.

    Exit codes: 0 success, 1 bad data, 2 bad usage, 3 missing resource or broken plugin, 130 interrupted,
    143 terminated.
    """
    # Imported modules are never garbage. To search them repeatedly takes a tenth of the time of a short run.
    gc.set_threshold(_GARBAGE_THRESHOLD)
    _replace_closed_streams()
    warnings.showwarning = _print_warning  # type: ignore[assignment]
    # A program that calls this function from another thread, or that handles SIGTERM, keeps its signal handler.
    is_main_thread = threading.current_thread() is threading.main_thread()
    handles_sigterm = is_main_thread and signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    if handles_sigterm:
        signal.signal(signal.SIGTERM, _raise_terminated)
    try:
        code = _run(arguments)
    finally:
        if handles_sigterm:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
    # Python collects garbage twice when it exits. Frozen objects are skipped.
    gc.freeze()
    sys.exit(code)


def _replace_closed_streams() -> None:
    """Replace closed standard streams by the null device, opened for the opposite direction.

    Reading from or writing to such a stream raises an error. Only standard error accepts text, which is discarded,
    because errors about standard error could not be shown.
    """
    replacements = (("stdin", "r", os.O_WRONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY))
    for name, mode, flags in replacements:
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, flags), mode, encoding="utf-8"))


class _TerminatedError(KeyboardInterrupt):
    """The process received SIGTERM."""


def _raise_terminated(number: int, _: object) -> NoReturn:
    """Interrupt the command like Ctrl-C, so that it removes its temporary files; the handler of SIGTERM."""
    signal.signal(number, signal.SIG_DFL)  # A second SIGTERM ends the process immediately.
    raise _TerminatedError


def _run(arguments: list[str] | None) -> int:
    """Run a command, print one line if it fails, and return the exit code."""
    try:
        result = cli.main(arguments, prog_name="meteor-e", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except (Exception, KeyboardInterrupt) as error:
        code, message = _explain_error(_find_interrupt(error) or error)
    if message:
        _print_error(message)
    return code


def _find_interrupt(error: BaseException) -> KeyboardInterrupt | None:
    """Return the interrupt that caused an error; ``None`` if the error has another cause.

    A library whose import is interrupted may raise an error of another type.
    """
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, KeyboardInterrupt):
        cause = cause.__cause__ or cause.__context__
    return cause


def _explain_error(error: BaseException) -> tuple[int, str]:
    """Return the exit code and the message of an error. The message is empty if nothing should be printed.

    An error of an unexpected type is raised again, because it is a defect of the program.
    """
    match error:
        case click.exceptions.Exit():
            return error.exit_code, ""
        case click.ClickException():
            return 2, _explain_usage_error(error)
        case MeteorError():
            return error.exit_code, str(error)
        case OSError():
            _discard_output()
            return 1, _explain_system_error(error)
        case _TerminatedError():
            return 143, "terminated"
        case KeyboardInterrupt() | click.Abort():
            return 130, "interrupted"
        case MemoryError():
            return 1, "out of memory; split the input into smaller parts"
        case RecursionError():
            return 1, "the input is nested too deeply"
    raise error


def _explain_usage_error(error: click.ClickException) -> str:
    """Return the message of a usage error. If the command line is empty, show the help and return an empty text."""
    # Since version 8.2, click raises this error for an empty command line; older versions show the help themselves.
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()
        return ""
    context = getattr(error, "ctx", None)
    hint = f" (see {context.command_path} --help)" if context else ""
    return error.format_message() + hint


def _explain_system_error(error: OSError) -> str:
    """Return the message of an error of the operating system; empty if the reader of the output has closed the pipe."""
    if isinstance(error, BrokenPipeError):
        return ""
    # Functions that read and write files name the file. An error without a file name usually comes from the output.
    is_output_error = error.errno in (errno.EBADF, errno.EIO, errno.ENOSPC)
    name = error.filename or ("standard output" if is_output_error else "")
    return f"{name}: {error.strerror}" if name else str(error.strerror or error)


def _print_error(message: str) -> None:
    """Print a message as one line on standard error. The middle of a very long message is left out."""
    line = " ".join(message.split())
    if not line.isprintable():
        # The names of files and systems may contain control sequences, which would change the terminal.
        line = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)
    if len(line) > _MAX_ERROR_LENGTH:
        line = f"{line[:1000]} … {line[-400:]}"
    click.echo(f"meteor-e: {line}", err=True)


def _discard_output() -> None:
    """Redirect standard output to the null device.

    Otherwise Python would print another error when it flushes a closed pipe at exit.
    """
    try:
        descriptor = os.open(os.devnull, os.O_WRONLY)
        os.dup2(descriptor, sys.stdout.fileno())
    except (OSError, ValueError):
        sys.stdout = None


def _print_warning(message: Warning | str, *_: object) -> None:
    """Print a warning as one line on standard error; the replacement of ``warnings.showwarning``."""
    _print_error(f"warning: {message}")
