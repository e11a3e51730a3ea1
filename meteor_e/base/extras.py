"""Libraries that need not be installed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from meteor_e.base.errors import ConfigError


def require(module: str, what: str, extra: str = "", distribution: str = "meteor_e") -> Any:
    """Import a module that need not be installed.

    Args:
        module: its name.
        what: what needs it, for the message.
        extra: the extra that brings it; empty where the distribution itself does.
        distribution: that has the extra.

    Raises:
        ConfigError: if it is not installed.
    """
    from importlib import import_module

    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        advice = how_to_install(f"{distribution}[{extra}]" if extra else distribution)
        raise ConfigError(f"{what} needs {error.name}, which is not installed; {advice}") from error


def data_frame(titles: Sequence[str], rows: Iterable[Sequence[object]]) -> Any:
    """Return a pandas DataFrame; ConfigError if pandas is not installed."""
    return require("pandas", "to_pandas()", "dask").DataFrame(list(rows), columns=list(titles))


def comes_with_plugin(what: str, distribution: str) -> str:
    """Return the message for what a distribution of ours has that is missing."""
    return f"{what} comes with the plugin {distribution}, which is not installed: {how_to_install(distribution)}"


def how_to_install(distribution: str) -> str:
    """Return what to run in a clone of the repository where a distribution of ours is missing; no index has it yet.

    Args:
        distribution: its name, with an extra in brackets where one is needed.
    """
    core = distribution.partition("[")[0] == "meteor_e"
    folder = distribution.replace("meteor_e", ".") if core else f"./plugins/{distribution}"
    return "in a clone of meteor_e, run: pip install " + (f"'{folder}'" if "[" in folder else folder)
