"""This module runs the program ``meteor-e``: it finds the command, runs it, and reports errors in one line.

Each command's module is imported only when the command is called. Plugins are loaded only to list all commands or to
find a command that is not built in.
"""

from __future__ import annotations

import contextlib
import errno
import gc
import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator
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
"""The help text lists commands under these headings. Commands of third-party plugins are under the last one."""

_GARBAGE_THRESHOLD = 50_000
"""Python collects garbage after this number of new objects. The default of Python is 700, or 2,000 since 3.14."""

_MAX_ERROR_LENGTH = 1500
"""Error messages with more characters than this are shortened in the middle."""


class LazyGroup(PluginGroup):
    """Import the module of a command only when the command is called, so that other commands start faster."""

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Import the module of a command, and return the command."""
        if name not in COMMANDS:
            return super().get_command(context, name)
        command: click.Command = getattr(import_module(f"meteor_e.cli.{name}"), name)
        return command

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands to the help text, grouped by heading."""
        from meteor_e.plugins.registry import plugin_registry

        sections: dict[str, list[tuple[str, str]]] = {heading: [] for heading in _HEADINGS}
        for name in self.list_commands(context):
            heading, summary = COMMANDS[name] if name in COMMANDS else self._describe_plugin_command(context, name)
            sections[heading].append((name, summary))
        plugin_registry().warn()
        for heading, rows in sections.items():
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)

    def _describe_plugin_command(self, context: click.Context, name: str) -> tuple[str, str]:
        """Return the heading and the summary of a plugin's command."""
        notes = load_command_notes()
        heading = notes[name].group if name in notes else _HEADINGS[-1]
        command = self.get_command(context, name)
        return heading, command.get_short_help_str(limit=200) if command else ""


def _show_version(context: click.Context, _: click.Parameter, is_requested: bool) -> None:
    """Handle the option ``--version``: print the version and the engine, and exit."""
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
    """Run the program with command-line arguments, by default those of the process, and exit.

    The exit code is 0 for success, 1 for invalid data, 2 for incorrect usage, 3 for a missing resource or a broken
    plugin, 130 after an interrupt, and 143 after a termination signal.
    """
    # Fewer garbage collections make short runs faster, because imported modules are not scanned repeatedly.
    gc.set_threshold(_GARBAGE_THRESHOLD)
    _replace_closed_streams()
    warnings.showwarning = _print_warning  # type: ignore[assignment]
    with _handle_sigterm():
        code = _run(arguments)
    # The garbage collector skips frozen objects at exit, so the program ends faster.
    gc.freeze()
    sys.exit(code)


def _replace_closed_streams() -> None:
    """Replace closed standard streams with the null device, because Python sets closed streams to ``None``.

    Reading from the replaced standard input or writing to the replaced standard output raises an error. Text that is
    written to the replaced standard error is discarded.
    """
    # Open standard input only for writing and standard output only for reading, so that any use raises an error.
    replacements = (("stdin", "r", os.O_WRONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY))
    for name, mode, flags in replacements:
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, flags)
            setattr(sys, name, os.fdopen(descriptor, mode, encoding="utf-8"))


@contextlib.contextmanager
def _handle_sigterm() -> Iterator[None]:
    """Raise _TerminatedError in the ``with`` block if the process receives SIGTERM.

    Signal handlers can be set only in the main thread. A handler that the calling program has set remains in effect.
    """
    is_main_thread = threading.current_thread() is threading.main_thread()
    if not is_main_thread or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _raise_terminated)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


class _TerminatedError(KeyboardInterrupt):
    """Signal that the process has received SIGTERM and must end."""


def _raise_terminated(number: int, _: object) -> NoReturn:
    """Handle the signal SIGTERM by interrupting the command, so that the command removes its temporary files."""
    signal.signal(number, signal.SIG_DFL)  # A second SIGTERM ends the process immediately.
    raise _TerminatedError


def _run(arguments: list[str] | None) -> int:
    """Run a command and return its exit code. If the command fails, print a one-line error message."""
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
    """Return the keyboard interrupt that caused an error, or ``None`` if the error has another cause.

    If a library is interrupted during its import, it may raise an exception of another type.
    """
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, KeyboardInterrupt):
            return cause
        cause = cause.__cause__ or cause.__context__
    return None


def _explain_error(error: BaseException) -> tuple[int, str]:
    """Return the exit code and the message of an error. The message is empty if nothing should be printed.

    Errors of unexpected types are raised again, because they indicate bugs.
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
    """Return the message of a usage error. If there are no arguments, show the help and return an empty string."""
    # Since version 8.2, click raises this exception if there are no arguments. Older versions print the help text.
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()
        return ""
    context = getattr(error, "ctx", None)
    hint = f" (see {context.command_path} --help)" if context else ""
    return error.format_message() + hint


def _explain_system_error(error: OSError) -> str:
    """Return the message of an operating system error, or an empty string if the output pipe has been closed."""
    if isinstance(error, BrokenPipeError):
        return ""
    if error.filename:
        return f"{error.filename}: {error.strerror}"
    if error.errno in (errno.EBADF, errno.EIO, errno.ENOSPC):
        # An OSError without a file name usually comes from writing to standard output.
        return f"standard output: {error.strerror}"
    return error.strerror or str(error)


def _print_error(message: str) -> None:
    """Print an error message as one line on standard error. A very long message is shortened in the middle."""
    line = " ".join(message.split())
    if not line.isprintable():
        # Names of files and systems may contain control sequences that would change the state of the terminal.
        line = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)
    if len(line) > _MAX_ERROR_LENGTH:
        line = f"{line[:1000]} … {line[-400:]}"
    click.echo(f"meteor-e: {line}", err=True)


def _discard_output() -> None:
    """Redirect standard output to the null device, because flushing a closed pipe at exit would cause another error."""
    try:
        descriptor = os.open(os.devnull, os.O_WRONLY)
        os.dup2(descriptor, sys.stdout.fileno())
    except (OSError, ValueError):
        sys.stdout = None


def _print_warning(message: Warning | str, *_: object) -> None:
    """Print a warning as one line on standard error. The function replaces ``warnings.showwarning``."""
    _print_error(f"warning: {message}")
