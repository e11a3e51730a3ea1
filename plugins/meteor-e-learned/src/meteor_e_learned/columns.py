"""Selects the columns of a feature by name or by prefix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from meteor_e.api import ConfigError, Feature
from meteor_e.base.errors import near_miss


@dataclass(frozen=True)
class NamedFeature:
    """A feature, its label, and the indexes of the feature columns that are used.

    Attributes:
        label: the prefix of the feature's column names.
        feature: the feature.
        indexes: the indexes of the selected columns.
    """

    label: str
    feature: Feature
    indexes: tuple[int, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the selected columns, in the format ``label.column``."""
        names = self.feature.columns
        return tuple(f"{self.label}.{names[index]}" for index in self.indexes)

    @property
    def signature(self) -> str:
        """A string that identifies the feature. Features with equal signatures compute equal values."""
        return f"{self._prefix}:{self.feature.describe()}"

    @property
    def definition(self) -> str:
        """The signature without library versions.

        A trained model only accepts features whose definitions are the same as during training.
        """
        return f"{self._prefix}:{self.feature.definition()}"

    @property
    def _prefix(self) -> str:
        return f"{self.feature.name}:{self.feature.dimension}:{self.feature.version}"


def matches_pattern(column: str, pattern: str) -> bool:
    """Return whether the name of a column matches a pattern. A pattern is a name, or a prefix followed by ``*``."""
    if pattern.endswith("*"):
        return column.startswith(pattern[:-1])
    return column == pattern


def select_columns(label: str, columns: Sequence[str], patterns: object) -> tuple[int, ...]:
    """Return the indexes of the columns whose names match at least one pattern.

    Args:
        label: the label of the feature, for messages.
        columns: the names of the feature's columns.
        patterns: the value of ``columns`` in the recipe: a list of names and patterns, or ``None`` for all columns.

    Raises:
        ConfigError: if the value is not a list of names, or if no column matches a name.
    """
    if patterns is None:
        return tuple(range(len(columns)))
    if not isinstance(patterns, list) or not all(isinstance(pattern, str) for pattern in patterns):
        raise ConfigError(f"feature {label!r}: columns must be a list of names")
    selected_indexes: list[int] = []
    for pattern in patterns:
        matching_indexes = [index for index, column in enumerate(columns) if matches_pattern(column, pattern)]
        if not matching_indexes:
            raise ConfigError(
                f"feature {label!r} has no column {pattern!r}{near_miss(pattern, columns)}; it has {', '.join(columns)}"
            )
        selected_indexes += matching_indexes
    # A column that several patterns match is selected only once.
    return tuple(dict.fromkeys(selected_indexes))
