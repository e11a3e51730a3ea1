"""The columns of a feature that a recipe chooses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from meteor_e.api import ConfigError, Feature
from meteor_e.base.errors import near_miss


@dataclass(frozen=True)
class NamedFeature:
    """A feature and what a recipe calls it.

    Attributes:
        label: what its columns begin with.
        feature: the feature.
        chosen: positions of the columns that are wanted.
    """

    label: str
    feature: Feature
    chosen: tuple[int, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The wanted columns, ``label.column``."""
        names = self.feature.columns
        return tuple(f"{self.label}.{names[place]}" for place in self.chosen)

    @property
    def signature(self) -> str:
        """The signature: equal signatures give equal numbers."""
        return f"{self.feature.name}:{self.feature.dimension}:{self.feature.version}:{self.feature.describe()}"

    @property
    def definition(self) -> str:
        """The signature without versions of libraries, which a trained model asks for."""
        return f"{self.feature.name}:{self.feature.dimension}:{self.feature.version}:{self.feature.definition()}"


def choose_columns(label: str, columns: Sequence[str], wanted: object) -> tuple[int, ...]:
    """Return the positions of the columns that a recipe names; of all if it names none.

    Raises:
        ConfigError: for a name that no column has.
    """
    if wanted is None:
        return tuple(range(len(columns)))
    if not isinstance(wanted, list) or not all(isinstance(name, str) for name in wanted):
        raise ConfigError(f"feature {label!r}: columns must be a list of names")
    places: list[int] = []
    for name in wanted:
        found = [
            place
            for place, column in enumerate(columns)
            if column == name or (name.endswith("*") and column.startswith(name[:-1]))
        ]
        if not found:
            raise ConfigError(
                f"feature {label!r} has no column {name!r}{near_miss(name, columns)}; it has {', '.join(columns)}"
            )
        places += [place for place in found if place not in places]
    return tuple(places)
