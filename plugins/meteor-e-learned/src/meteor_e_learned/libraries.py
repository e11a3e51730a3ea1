"""Error handling for the optional libraries of estimators."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from meteor_e.api import ConfigError
from meteor_e.base.errors import plugin_errors
from meteor_e.base.extras import how_to_install

DISTRIBUTIONS = {
    "scipy": "meteor-e-learned[train]",
    "sklearn": "meteor-e-learned[train]",
    "torch": "meteor-e-papers[networks]",
}
"""The distribution, with its extra, that installs each library."""


@contextmanager
def estimator_errors(task: str) -> Iterator[None]:
    """Convert exceptions from an estimator to meteor_e's exceptions, which explain the problem to the user.

    Args:
        task: a description of the task for messages, such as ``training 'maxsd'``.

    Raises:
        ConfigError: if a library is not installed. The message contains the command that installs it.
        PluginError: for an exception of another package, with the line that raised it.
    """
    with plugin_errors(task):
        try:
            yield
        except ModuleNotFoundError as error:
            distribution = DISTRIBUTIONS.get((error.name or "").partition(".")[0])
            if distribution is None:
                raise
            raise ConfigError(
                f"{task} needs {error.name}, which is not installed; {how_to_install(distribution)}"
            ) from error
