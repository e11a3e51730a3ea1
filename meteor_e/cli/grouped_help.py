"""Help texts whose options stand in groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

__all__ = ["GroupedCommand"]


class GroupedCommand(click.Command):
    """A command whose help shows options by group.

    Args:
        groups: for each heading, in order, the names of its options; what is in none comes last.
        options: see :class:`click.Command`.
    """

    def __init__(self, *args: Any, groups: Mapping[str, Sequence[str]] | None = None, **options: Any) -> None:
        super().__init__(*args, **options)
        self._groups = dict(groups or {})

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, a list per group."""
        records = {
            parameter.name: record
            for parameter in self.get_params(context)
            if not isinstance(parameter, click.Argument) and (record := parameter.get_help_record(context)) is not None
        }
        for heading, names in self._groups.items():
            rows = [records.pop(name) for name in names if name in records]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)
        if records:
            with formatter.section("Other options"):
                formatter.write_dl(list(records.values()))
