"""Import optional libraries, and advise users on how to install missing libraries and plugins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from meteor_e.base.errors import ConfigError


def require(module: str, purpose: str, extra: str = "", distribution: str = "meteor_e") -> Any:
    """Import and return a module that may not be installed.

    Args:
        module: the name of the module.
        purpose: the feature that needs the module, as the subject of the error message.
        extra: the extra that installs the module; empty if the distribution always installs it.
        distribution: the distribution with this extra.

    Raises:
        ConfigError: if the module is not installed. The message says how to install it.
    """
    from importlib import import_module

    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        advice = how_to_install(f"{distribution}[{extra}]" if extra else distribution)
        raise ConfigError(f"{purpose} needs {error.name}, which is not installed; {advice}") from error


def data_frame(titles: Sequence[str], rows: Iterable[Sequence[object]]) -> Any:
    """Return a pandas DataFrame.

    Raises:
        ConfigError: if pandas is not installed.
    """
    return require("pandas", "to_pandas()", "dask").DataFrame(list(rows), columns=list(titles))


def advise_plugin(description: str, distribution: str) -> str:
    """Return the error message for a component or command whose plugin is not installed.

    Args:
        description: the component or command, as the subject of the message.
        distribution: the distribution that contains it.
    """
    advice = how_to_install(distribution)
    return f"{description} comes with the plugin {distribution}, which is not installed: {advice}"


def how_to_install(distribution: str) -> str:
    """Return the command that installs a distribution of this project from a clone of the repository.

    The distributions are not on PyPI.

    Args:
        distribution: the name of the distribution, optionally with an extra in brackets.
    """
    name, bracket, extra = distribution.partition("[")
    folder = "." if name == "meteor_e" else f"./plugins/{name}"
    target = f"'{folder}{bracket}{extra}'" if bracket else folder
    return f"in a clone of meteor_e, run: pip install {target}"
