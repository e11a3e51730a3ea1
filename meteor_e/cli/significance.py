"""The options of significance tests between systems, and their table."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from meteor_e.cli.tables import format_table

if TYPE_CHECKING:
    from meteor_e.meteor import Meteor
    from meteor_e.scoring.statistics import Statistics
    from meteor_e.significance.systems import SystemTest


def significance_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options."""
    for option in reversed(
        (
            click.option(
                "--significance",
                type=click.Choice(["randomization", "bootstrap"]),
                is_flag=False,
                flag_value="randomization",
                help="Test every system against the first, and give 95 % intervals; write it after the files, or with "
                "a method.  [default: randomization]",
            ),
            click.option(
                "--samples",
                type=click.IntRange(min=1),
                metavar="N",
                help="Samples of the test.  [default: 1000 for bootstrap, 10000 for randomization]",
            ),
            click.option(
                "--seed", type=click.IntRange(min=0), default=12345, help="Seed of the test.  [default: 12345]"
            ),
        )
    ):
        command = option(command)
    return command


BOOTSTRAP_NOTE = (
    "The paired bootstrap finds differences too easily: of equal systems, about one in ten differs at p < 0.05. "
    "Prefer --significance randomization."
)


class SystemTests:
    """Collects the statistics of systems while they are scored, and tests them.

    Args:
        method: ``bootstrap`` or ``randomization``.
        samples: of the test; by default as many as suit the method.
        seed: of the test.
    """

    def __init__(self, method: str, samples: int | None, seed: int) -> None:
        from meteor_e.significance.systems import METHODS

        self.method = method
        self.samples = METHODS[method] if samples is None else samples
        self.seed = seed
        self._systems: dict[str, list[Statistics]] = {}

    def start(self, name: str) -> list[Statistics]:
        """Return the list that takes the statistics of a system's segments."""
        unique, number = name, 1
        while unique in self._systems:
            number += 1
            unique = f"{name} ({number})"
        self._systems[unique] = []
        return self._systems[unique]

    def results(self, meteor: Meteor) -> list[SystemTest]:
        """Test the systems."""
        from meteor_e.significance.systems import compare_systems, meteor_scorer, meteor_statistics

        return compare_systems(
            {name: meteor_statistics(segments) for name, segments in self._systems.items()},
            meteor_scorer(meteor.chain.parameters),
            method=self.method,
            samples=self.samples,
            seed=self.seed,
        )

    def table(self, meteor: Meteor, digits: int) -> str:
        """Return a table of the results, and what was done."""
        rows = []
        for result in self.results(meteor):
            ends = f"[{result.interval.low:.{digits}f}, {result.interval.high:.{digits}f}]"
            row = [result.system, f"{result.score:.{digits}f}", ends]
            if result.difference is None or result.difference_interval is None:
                row += ["", "", ""]
            else:
                low, high = result.difference_interval
                row += [
                    f"{result.difference:+.{digits}f}",
                    f"[{low:+.{digits}f}, {high:+.{digits}f}]",
                    "<0.0001" if result.p is not None and result.p < 0.0001 else f"{result.p:.4f}",
                ]
            rows.append(row)
        what = {"bootstrap": "paired bootstrap", "randomization": "paired approximate randomization"}[self.method]
        header = ["system", "METEOR", "95 % interval", "difference", "95 % interval", "p"]
        return (
            format_table(header, rows)
            + f"\np: two-sided, against the first; {what}, {self.samples} samples, seed {self.seed}\n"
            + (f"{BOOTSTRAP_NOTE}\n" if self.method == "bootstrap" else "")
        )

    def to_dict(self, meteor: Meteor) -> dict[str, Any]:
        """Return a form that JSON can hold."""
        results = self.results(meteor)
        return {
            "test": self.method,
            "samples": self.samples,
            "seed": self.seed,
            "systems": [result.to_dict() for result in results],
        }
