"""Options that both commands take: which data, what is kept between runs, and how much is said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from types import SimpleNamespace
from typing import TYPE_CHECKING

import click

from meteor_e.api import ConfigError
from meteor_e.base import DEFAULT_SEED
from meteor_e.base.progress import Progress, terminal_progress

if TYPE_CHECKING:
    from meteor_e.base.array_cache import ArrayCache


class SharedOptions(SimpleNamespace):
    """The options of a command, under their names, as the command line gives them."""

    def store(self) -> ArrayCache:
        """Return where scores and statistics are kept."""
        from meteor_e.base.array_cache import ArrayCache

        return ArrayCache(enabled=not self.no_cache)

    def bars(self) -> AbstractContextManager[Progress]:
        """Return a progress bar, which stays away if nothing is to be said."""
        return terminal_progress(self.quiet)

    def check_root(self, indexes: Sequence[str]) -> None:
        """Make sure that a folder of the data is given for one index only.

        Raises:
            ConfigError: if it is not.
        """
        if self.root is not None and len(indexes) > 1:
            raise ConfigError("--root goes with one index")


def shared_options(*, pairs: str, seeded: str, quiet: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that adds the options.

    Args:
        pairs: the language pairs that are taken by default.
        seeded: what the seed is of.
        quiet: what ``--quiet`` does.
    """
    options = (
        click.option(
            "--pair",
            "pairs",
            multiple=True,
            metavar="SRC-TRG",
            help=f"A language pair; may be repeated.  [default: {pairs}]",
        ),
        click.option("--root", metavar="DIR", help="Folder of the data, instead of the index's."),
        click.option(
            "--seed", type=click.IntRange(min=0), default=DEFAULT_SEED, help=f"Seed of {seeded}.", show_default=True
        ),
        click.option("--no-cache", is_flag=True, help="Keep nothing and use nothing that was kept."),
        click.option("-q", "--quiet", is_flag=True, help=quiet),
    )

    def add(command: Callable[..., None]) -> Callable[..., None]:
        for option in reversed(options):
            command = option(command)
        return command

    return add
