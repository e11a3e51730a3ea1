"""What a plugin's code raises becomes an error of ours that names the plugin."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from meteor_e.base.errors import MeteorError, PluginError


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
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        where = f" ({trace.tb_frame.f_code.co_filename}:{trace.tb_lineno})" if trace is not None else ""
        raise PluginError(f"{what} failed with {describe_error(error)}{where}") from error
