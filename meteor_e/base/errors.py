"""The errors that meteor_e raises on purpose.

Every message says what is wrong, where (file, line, option) and what to do about it.
The command line prints it as one line and exits with :attr:`MeteorError.exit_code`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

_PASSWORD = re.compile(r"(://[^/\s:@]*):[^/\s]*@")


class MeteorError(Exception):
    """Base of all errors of this library; passwords of URLs are hidden in its message."""

    exit_code = 1

    def __init__(self, *parts: object) -> None:
        super().__init__(*(_PASSWORD.sub(r"\1:***@", part) if isinstance(part, str) else part for part in parts))


class InputError(MeteorError):
    """A text, score or data file (or a segment in it) cannot be used as it is."""

    exit_code = 1


class ConfigError(MeteorError):
    """An option, a parameter or a YAML chain is wrong."""

    exit_code = 2


class ResourceError(MeteorError):
    """A resource pack or another resource is missing, damaged or cannot be installed."""

    exit_code = 3


class PluginError(MeteorError):
    """A plugin is missing, broken, or clashes with another one."""

    exit_code = 3


class MeteorWarning(UserWarning):
    """Base of all warnings of this library."""


class SegmentWarning(MeteorWarning):
    """A segment cannot be aligned, and was left out or scored 0, as was asked for."""


class PluginWarning(MeteorWarning):
    """A plugin is broken or clashes with another one; what was asked for works all the same."""


def near_miss(wrong: str, known: Iterable[str]) -> str:
    """Return ``" (did you mean 'x'?)"`` for the known name closest to a wrong one, or ``""``; case is ignored."""
    import difflib

    names = {name.casefold(): name for name in sorted(known)}
    close = difflib.get_close_matches(wrong.casefold(), names, n=1, cutoff=0.6)
    return f" (did you mean {names[close[0]]!r}?)" if close else ""


def count_of(number: int, noun: str) -> str:
    """Return a number with its noun in the singular or plural: ``1 segment``, ``2 segments``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def warn_user(message: str, category: type[Warning] = MeteorWarning) -> None:
    """Warn at the line outside meteor_e and its plugins that led to the warning, however deep the call is."""
    import sys
    import warnings

    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and re.match(r"meteor_e(_|\.|$)", frame.f_globals.get("__name__", "")):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


@contextmanager
def located(where: str) -> Iterator[None]:
    """Put ``file:line`` in front of errors raised inside; an empty text leaves them alone."""
    try:
        yield
    except MeteorError as error:
        if where:
            error.args = (f"{where}: {error}",)
        raise


def describe_error(error: BaseException) -> str:
    """Return an exception of a plugin's code in one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


@contextmanager
def guarded(what: str) -> Iterator[None]:
    """Run a plugin's code.

    Args:
        what: whose code it is, such as ``matcher 'soundex'``.

    Raises:
        PluginError: for an exception that is not one of ours, with the line that raised it; an exhausted
            machine is nobody's mistake, and its exceptions pass.
    """
    try:
        yield
    except (MeteorError, MemoryError, RecursionError):
        raise
    except Exception as error:
        from traceback import extract_tb

        last = extract_tb(error.__traceback__)[-1]
        raise PluginError(f"{what} failed with {describe_error(error)} ({last.filename}:{last.lineno})") from error
