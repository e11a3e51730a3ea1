"""Command-line options that several commands share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from meteor_e.api import ConfigError
from meteor_e.cli.commands import Options, option


def pair_option(default: str) -> Any:
    """Return a dataclass field for the command-line option ``--pair``.

    Args:
        default: description of the language pairs that are used without the option.
    """
    help_text = "A language pair; may be repeated."
    return option((), "--pair", multiple=True, metavar="SRC-TRG", show_default=default, help=help_text)


@dataclass(frozen=True)
class Data(Options):
    """Options that name the system outputs, the references and the human judgments."""

    heading = "Data"

    indexes: tuple[str, ...] = option((), nargs=-1, metavar="INDEX...")
    pairs: tuple[str, ...] = pair_option("all")
    root: str | None = option(None, "--root", metavar="DIR", help="Folder of the data, instead of the index's.")

    def __post_init__(self) -> None:
        if self.root is not None and len(self.indexes) > 1:
            raise ConfigError("--root goes with one index")
