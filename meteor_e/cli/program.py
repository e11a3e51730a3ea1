"""The command line, ``meteor-e``: one module per command, each imported when it is called.

Plugins may bring commands, too. They are looked for when a name is none of meteor_e's own, and for listings.
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
from typing import TYPE_CHECKING, NoReturn

import click

from meteor_e._version import __version__
from meteor_e.base.errors import MeteorError
from meteor_e.base.offline import VARIABLE, is_offline
from meteor_e.plugins.builtin import COMMANDS

if TYPE_CHECKING:
    from meteor_e.plugins.registry import Registry

_HEADINGS = ("Score", "Look", "Evaluate", "Train", "Resources", "Plugins")
"""Headings of commands in the help; those of third parties come under the last."""

_GARBAGE = 50_000
"""New objects after which Python looks for garbage; 700, or 2,000 since 3.14, unless it is told."""


class LazyGroup(click.Group):
    """A group whose commands are imported only when they are called."""

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names of all commands, those of plugins among them."""
        # A name with a space is a command of a group.
        from meteor_e.plugins.distributions import noted_commands

        return [name for name in {*noted_commands(), *_registry().names("command")} if " " not in name]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Import the command's module and return the command; ``None`` if there is none."""
        if name in COMMANDS:
            module = name.replace("-", "_")
            command = getattr(import_module(f"meteor_e.cli.{module}"), module)
            assert isinstance(command, click.Command)
            return command
        from meteor_e.cli.groups import plugin_command

        return plugin_command(context, name)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands by heading, without importing any of this repository's."""
        listed: dict[str, list[tuple[str, str]]] = {heading: [] for heading in _HEADINGS}
        for name in sorted(self.list_commands(context)):
            heading, summary = _summary(name)
            listed[heading].append((name, summary))
        _registry().tell()
        for heading, rows in listed.items():
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command; suggest the nearest for a name that is none."""
        from meteor_e.base.errors import near_miss

        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            names = self.list_commands(context)
            if args[0] not in names:
                failures = _registry().failures()
                hint = f"; plugins that failed: {'; '.join(failures)}" if failures else ""
                raise click.UsageError(f"no such command {args[0]!r}{near_miss(args[0], names)}{hint}", context)
        return super().resolve_command(context, args)


def _registry() -> Registry:
    from meteor_e.plugins.registry import plugin_registry

    return plugin_registry()


def _summary(name: str) -> tuple[str, str]:
    """Return a command's heading in the help, and what it is for, in a line."""
    from meteor_e.plugins.distributions import noted_commands

    if name in COMMANDS:
        return COMMANDS[name]
    note = noted_commands().get(name)
    if note is not None and name not in _registry().names("command"):
        return note.group, f"Needs {note.distribution}. {note.summary}"
    try:
        found = _registry().get("command", name)
    except MeteorError as error:
        return _HEADINGS[-1], f"ERROR: {error}"
    return note.group if note is not None else _HEADINGS[-1], found.get_short_help_str(limit=200)


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
    _replace_closed_streams()
    warnings.showwarning = _one_line_warning  # type: ignore[assignment]
    with _interrupted_by_termination() as terminated:
        code = _run(arguments, terminated)
    # Nor is there anything to look for when Python ends, which looks twice through all that there is.
    gc.freeze()
    sys.exit(code)


# Click 8.2 and later raise this; earlier ones show the help themselves.
_NO_ARGUMENTS: tuple[type[click.ClickException], ...] = (
    (click.exceptions.NoArgsIsHelpError,) if hasattr(click.exceptions, "NoArgsIsHelpError") else ()
)


def _run(arguments: list[str] | None, terminated: list[int]) -> int:
    """Run a command; return the exit code, after a line that says what went wrong."""
    try:
        with _interrupts_recognized():
            result = cli.main(arguments, prog_name="meteor-e", standalone_mode=False)
        sys.stdout.flush()
        code = result if isinstance(result, int) else 0
    except click.exceptions.Exit as stop:
        code = stop.exit_code
    except _NO_ARGUMENTS as error:
        error.show()  # the help, whole
        code = 2
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        _complain(error.format_message() + (f" (see {context.command_path} --help)" if context else ""))
        code = 2
    except MeteorError as error:
        _complain(str(error))
        code = error.exit_code
    except BrokenPipeError:
        code = 1
        _discard_output()
    except OSError as error:
        # Reading and writing name the file themselves; what is left is a full disk or a lost device.
        name = error.filename or ("standard output" if error.errno in (errno.EBADF, errno.EIO, errno.ENOSPC) else "")
        _complain(f"{name}: {error.strerror}" if name else str(error.strerror or error))
        code = 1
        _discard_output()
    except (KeyboardInterrupt, click.Abort):
        _complain("terminated" if terminated else "interrupted")
        code = 143 if terminated else 130
    except MemoryError:
        _complain("out of memory; split the input into smaller parts")
        code = 1
    except RecursionError:
        _complain("the input is nested too deeply")
        code = 1
    return code


@contextlib.contextmanager
def _interrupted_by_termination() -> Iterator[list[int]]:
    """Let SIGTERM interrupt as Ctrl-C does, so that scratch files go; yield a list that then gets its number.

    A second SIGTERM ends the process at once. Who calls from another thread, or handles SIGTERM, keeps what is set.
    """
    received: list[int] = []

    def interrupt(number: int, _: object) -> NoReturn:
        received.append(number)
        signal.signal(number, signal.SIG_DFL)
        raise KeyboardInterrupt

    ours = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    if ours:
        signal.signal(signal.SIGTERM, interrupt)
    try:
        yield received
    finally:
        if ours:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


@contextlib.contextmanager
def _interrupts_recognized() -> Iterator[None]:
    """Raise KeyboardInterrupt for errors that come from one: a library that is interrupted while it is imported."""
    try:
        yield
    except Exception as error:
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, KeyboardInterrupt):
            cause = cause.__cause__ or cause.__context__
        if cause is not None:
            raise cause from None
        raise


def _replace_closed_streams() -> None:
    """Put the null device, open for the other direction, for streams that are closed: using them is an error."""
    for name, mode, other in (("stdin", "r", os.O_WRONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY)):
        if getattr(sys, name) is None:  # nobody hears an error on standard error
            setattr(sys, name, os.fdopen(os.open(os.devnull, other), mode, encoding="utf-8"))


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
