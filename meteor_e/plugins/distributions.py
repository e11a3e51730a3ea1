"""The components of this project's distributions, for listings and errors if a distribution is not installed.

The components are listed in the resource file ``distributions.json``. A test compares the file with the plugins.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from meteor_e.base.extras import comes_with_plugin


class CommandNote(NamedTuple):
    """A command of one of the project's distributions.

    Attributes:
        distribution: the name of the distribution.
        group: the heading of the command in ``meteor-e --help``.
        summary: the purpose of the command, in one line.
    """

    distribution: str
    group: str
    summary: str


@functools.cache
def load_distributions() -> Mapping[str, Mapping[str, Any]]:
    """Return the names of the components of each distribution, by kind; for commands also the group and the summary."""
    from meteor_e.languages.files import RESOURCES

    content: dict[str, Any] = json.loads((RESOURCES / "distributions.json").read_text(encoding="utf-8"))
    return content


@functools.cache
def noted_commands() -> Mapping[str, CommandNote]:
    """Return the commands of all distributions of the project, by name, whether they are installed or not."""
    return {
        name: CommandNote(distribution, *note)
        for distribution, components in load_distributions().items()
        for name, note in components.get("command", {}).items()
    }


def advise_installation(kinds: tuple[str, ...], name: str, description: str) -> str:
    """Return which distribution to install for a component; empty if the project does not have such a component.

    Args:
        kinds: the kinds that the component may have.
        name: the name of the component.
        description: the description of the component in the message.
    """
    for distribution, components in load_distributions().items():
        if any(name in components.get(kind, ()) for kind in kinds):
            return comes_with_plugin(description, distribution)
    return ""
