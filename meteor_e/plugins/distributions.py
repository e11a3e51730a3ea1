"""Which distribution of this repository brings what, for listings and errors where it is not installed.

The file ``distributions.json`` of the resources says it; a test compares it with the plugins themselves.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from meteor_e.base.extras import comes_with_plugin


class CommandNote(NamedTuple):
    """A command of one of our distributions.

    Attributes:
        distribution: that brings it.
        group: its heading in ``meteor-e --help``.
        summary: what it is for, in a line.
    """

    distribution: str
    group: str
    summary: str


@functools.cache
def listed() -> Mapping[str, Mapping[str, Any]]:
    """Return what each distribution brings: by kind, names, and of commands also group and summary."""
    from meteor_e.languages.files import RESOURCES

    content: dict[str, Any] = json.loads((RESOURCES / "distributions.json").read_text(encoding="utf-8"))
    return content


@functools.cache
def noted_commands() -> Mapping[str, CommandNote]:
    """Return the commands of our distributions, installed or not, by name."""
    return {
        name: CommandNote(distribution, *note)
        for distribution, brought in listed().items()
        for name, note in brought.get("command", {}).items()
    }


def missing(kinds: tuple[str, ...], name: str, what: str) -> str:
    """Return what to install for a thing that is not there; empty if no distribution of ours brings it.

    Args:
        kinds: kinds of things that it may be.
        name: its name.
        what: what to call it.
    """
    for distribution, brought in listed().items():
        if any(name in brought.get(kind, ()) for kind in kinds):
            return comes_with_plugin(what, distribution)
    return ""
