"""The errors and warnings of meteor_e.

The message of an error says what is wrong, where (file, line or option), and what to do about it. The command line
prints the message as one line and exits with :attr:`MeteorError.exit_code`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

_PASSWORD = re.compile(r"(://[^/\s:@]*):[^/\s]*@")


class MeteorError(Exception):
    """The base class of all errors of this library. The message hides passwords in URLs."""

    exit_code = 1

    def __init__(self, *args: object) -> None:
        super().__init__(*(_PASSWORD.sub(r"\1:***@", arg) if isinstance(arg, str) else arg for arg in args))


class InputError(MeteorError):
    """An input file or one of its segments is not valid."""

    exit_code = 1


class ConfigError(MeteorError):
    """An option, a parameter or a YAML chain is not valid."""

    exit_code = 2


class ResourceError(MeteorError):
    """A resource, such as a pack, is missing or damaged, or cannot be installed."""

    exit_code = 3


class PluginError(MeteorError):
    """A plugin is missing or broken, or it conflicts with another plugin."""

    exit_code = 3


class MeteorWarning(UserWarning):
    """The base class of all warnings of this library."""


class SegmentWarning(MeteorWarning):
    """A segment could not be aligned. The option ``on_error`` decides whether the segment is skipped or scored as 0."""


class PluginWarning(MeteorWarning):
    """A plugin is broken or conflicts with another plugin, but the current task does not need it."""


def near_miss(name: str, valid_names: Iterable[str]) -> str:
    """Return a suggestion for an error message about an unknown name, such as ``" (did you mean 'bleu'?)"``.

    The suggestion is the valid name that is most similar to the unknown name, regardless of case. The result is empty
    if no valid name is similar.
    """
    import difflib

    names_by_casefold = {valid_name.casefold(): valid_name for valid_name in sorted(valid_names)}
    matches = difflib.get_close_matches(name.casefold(), names_by_casefold, n=1, cutoff=0.6)
    return f" (did you mean {names_by_casefold[matches[0]]!r}?)" if matches else ""


def count_of(count: int, noun: str) -> str:
    """Return a count with its noun in the singular or plural: ``1 segment``, ``2 segments``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def warn_user(message: str, category: type[Warning] = MeteorWarning) -> None:
    """Issue a warning that points to the line of user code that called meteor_e or one of its plugins."""
    import sys
    import warnings

    stack_level = 2
    frame = sys._getframe(1)
    while frame.f_back is not None and re.match(r"meteor_e(_|\.|$)", frame.f_globals.get("__name__", "")):
        stack_level += 1
        frame = frame.f_back
    warnings.warn(message, category, stacklevel=stack_level)


@contextmanager
def add_location(location: str) -> Iterator[None]:
    """Prepend a location, such as ``file:line``, to the messages of errors in the ``with`` block.

    If the location is an empty string, the messages are not changed.
    """
    try:
        yield
    except MeteorError as error:
        if location:
            error.args = (f"{location}: {error}",)
        raise


def describe_error(error: BaseException) -> str:
    """Return the type and the message of an exception as one line."""
    message = " ".join(str(error).split())
    type_name = type(error).__name__
    return f"{type_name}: {message}" if message else type_name


@contextmanager
def plugin_errors(component: str) -> Iterator[None]:
    """Convert exceptions that a plugin raises in the ``with`` block into errors that name the plugin.

    Subclasses of MeteorError are not converted. MemoryError and RecursionError are not converted either, because they
    may not be the plugin's fault.

    Args:
        component: the component whose code runs, such as ``matcher 'soundex'``.

    Raises:
        PluginError: for any other exception. The message contains the line that raised the exception.
    """
    try:
        yield
    except (MeteorError, MemoryError, RecursionError):
        raise
    except Exception as error:
        from traceback import extract_tb

        frame = extract_tb(error.__traceback__)[-1]
        message = f"{component} failed with {describe_error(error)} ({frame.filename}:{frame.lineno})"
        raise PluginError(message) from error
