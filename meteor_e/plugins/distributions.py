"""List the components of all distributions of meteor_e, even of distributions that are not installed.

Error messages use this information to tell users which distribution to install. The file ``distributions.json`` lists
the components. A test compares this file with the plugins.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from meteor_e.base.extras import advise_plugin


class CommandNote(NamedTuple):
    """A command of the program ``meteor-e``, with the distribution that contains it.

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
    """Read ``distributions.json``, which lists the components in each Python distribution, grouped by kind."""
    from meteor_e.languages.files import RESOURCES

    content: dict[str, Any] = json.loads((RESOURCES / "distributions.json").read_text(encoding="utf-8"))
    return content


@functools.cache
def load_command_notes() -> Mapping[str, CommandNote]:
    """Return a mapping from command names to commands, including commands that are not installed."""
    notes = {}
    for distribution, components in load_distributions().items():
        for name, (group, summary) in components.get("command", {}).items():
            notes[name] = CommandNote(distribution, group, summary)
    return notes


def advise_installation(kinds: tuple[str, ...], name: str, description: str) -> str:
    """Tell the user which distribution contains a component. Return an empty string for unknown components.

    Args:
        kinds: the kinds that the component may have.
        name: the name of the component.
        description: the component, as the subject of the message.
    """
    for distribution, components in load_distributions().items():
        if any(name in components.get(kind, ()) for kind in kinds):
            return advise_plugin(description, distribution)
    return ""
