"""The libraries that only some estimators need."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from meteor_e.api import ConfigError
from meteor_e.base.errors import guarded

_EXTRAS = {"scipy": "train", "sklearn": "train"}
"""The extra of this plugin that brings each."""


@contextmanager
def guarded_estimator(what: str) -> Iterator[None]:
    """Run an estimator's code.

    Args:
        what: whose code it is, such as ``training 'maxsd'``.

    Raises:
        ConfigError: if a library is not installed; it says what to run.
        PluginError: for an exception that is not one of ours, with the line that raised it.
    """
    with guarded(what):
        try:
            yield
        except ModuleNotFoundError as error:
            extra = _EXTRAS.get((error.name or "").partition(".")[0])
            if extra is None:
                raise
            raise ConfigError(
                f"{what} needs {error.name}, which is not installed: pip install './plugins/meteor-e-learned[{extra}]'"
            ) from error
