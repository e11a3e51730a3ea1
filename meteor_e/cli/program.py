"""The command line, ``meteor-e``: one module per command, each imported when it is called.

Plugins may bring commands, too. They are looked for when a name is none of meteor_e's own, and for listings.
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
from meteor_e.plugins.distributions import noted_commands

_HEADINGS = ("Score", "Look", "Evaluate", "Train", "Resources", "Plugins")
"""Headings of commands in the help; those of third parties come under the last."""

_GARBAGE = 50_000
"""New objects after which Python looks for garbage; 700, or 2,000 since 3.14, unless it is told."""


class LazyGroup(PluginGroup):
    """A group whose commands are imported only when they are called."""

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Import the command's module and return the command; ``None`` if there is none."""
        if name not in COMMANDS:
            return super().get_command(context, name)
        command: click.Command = getattr(import_module(f"meteor_e.cli.{name}"), name)
        return command

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands by heading, without importing any of ours."""
        from meteor_e.plugins.registry import plugin_registry

        listed: dict[str, list[tuple[str, str]]] = {heading: [] for heading in _HEADINGS}
        notes = noted_commands()
        for name in self.list_commands(context):
            if name in COMMANDS:
                heading, summary = COMMANDS[name]
            else:
                heading = notes[name].group if name in notes else _HEADINGS[-1]
                command = self.get_command(context, name)
                summary = command.get_short_help_str(limit=200) if command else ""
            listed[heading].append((name, summary))
        plugin_registry().warn()
        for heading, rows in listed.items():
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)


def _show_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
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
@click.option("--offline", is_flag=True, help="Never download anything; METEOR_E_OFFLINE=1 says the same.")
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
    """Run the command line.

    Exit codes: 0 done, 1 data, 2 usage, 3 resource or plugin, 130 interrupted, 143 terminated.
    """
    # What a command imports stays; to look through it for garbage again and again is a tenth of a short run.
    gc.set_threshold(_GARBAGE)
    # Streams that are closed become the null device, open for the other direction: using them is an error.
    for name, mode, other in (("stdin", "r", os.O_WRONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY)):
        if getattr(sys, name) is None:  # nobody hears an error on standard error
            setattr(sys, name, os.fdopen(os.open(os.devnull, other), mode, encoding="utf-8"))
    warnings.showwarning = _one_line_warning  # type: ignore[assignment]
    # SIGTERM interrupts as Ctrl-C does, so that scratch files go. Who calls from another thread, or handles SIGTERM,
    # keeps what is set.
    ours = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    if ours:
        signal.signal(signal.SIGTERM, _terminate)
    try:
        code = _run(arguments)
    finally:
        if ours:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
    # Nor is there anything to look for when Python ends, which looks twice through all that there is.
    gc.freeze()
    sys.exit(code)


class _Terminated(KeyboardInterrupt):
    """The process was asked to end."""


def _terminate(number: int, _: object) -> NoReturn:
    signal.signal(number, signal.SIG_DFL)  # a second one ends the process at once
    raise _Terminated


def _run(arguments: list[str] | None) -> int:
    """Run a command; return the exit code, after a line that says what went wrong."""
    try:
        result = cli.main(arguments, prog_name="meteor-e", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except (Exception, KeyboardInterrupt) as error:
        cause: BaseException | None = error
        # A library that is interrupted while it is imported raises an error of its own.
        while cause is not None and not isinstance(cause, KeyboardInterrupt):
            cause = cause.__cause__ or cause.__context__
        code, message = _explained(error if cause is None else cause)
    if message:
        _complain(message)
    return code


def _explained(error: BaseException) -> tuple[int, str]:
    """Return the exit code for an error, and what to say about it; raise an error that nobody foresaw."""
    match error:
        case click.exceptions.Exit():
            return error.exit_code, ""
        case click.ClickException():
            if type(error).__name__ == "NoArgsIsHelpError":  # of click 8.2 and later; earlier ones show the help
                error.show()
                return 2, ""
            context = getattr(error, "ctx", None)
            return 2, error.format_message() + (f" (see {context.command_path} --help)" if context else "")
        case MeteorError():
            return error.exit_code, str(error)
        case OSError():
            _discard_output()
            if isinstance(error, BrokenPipeError):
                return 1, ""
            # Reading and writing name the file themselves; what is left is a full disk or a lost device.
            lost = "standard output" if error.errno in (errno.EBADF, errno.EIO, errno.ENOSPC) else ""
            name = error.filename or lost
            return 1, f"{name}: {error.strerror}" if name else str(error.strerror or error)
        case _Terminated():
            return 143, "terminated"
        case KeyboardInterrupt() | click.Abort():
            return 130, "interrupted"
        case MemoryError():
            return 1, "out of memory; split the input into smaller parts"
        case RecursionError():
            return 1, "the input is nested too deeply"
    raise error


def _complain(message: str) -> None:
    """Print one line on standard error, the middle of a very long one left out."""
    line = " ".join(message.split())
    if not line.isprintable():
        # Names of files and systems may hold what a terminal obeys.
        line = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)
    click.echo(f"meteor-e: {line if len(line) <= 1500 else f'{line[:1000]} … {line[-400:]}'}", err=True)


def _discard_output() -> None:
    """Keep the interpreter from complaining about a closed pipe when it flushes on its way out."""
    try:
        descriptor = os.open(os.devnull, os.O_WRONLY)
        os.dup2(descriptor, sys.stdout.fileno())
    except (OSError, ValueError):
        sys.stdout = None


def _one_line_warning(message: Warning | str, *_: object) -> None:
    _complain(f"warning: {message}")
