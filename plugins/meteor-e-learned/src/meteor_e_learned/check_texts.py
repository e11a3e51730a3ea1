"""Checks that features still have the same values as when a model was trained.

Before a model is used, the features of a few test sentences are computed and compared with the values in the model
file. The sentences contain names, numbers, punctuation, unknown words, other scripts, repetitions and different word
orders.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ConfigError, Feature, FeatureBatch
from meteor_e.base.array_cache import Floats
from meteor_e_learned.extraction import FeatureSet
from meteor_e_learned.feature_store import FeatureStore

TOLERANCE = 1e-6
"""Maximum absolute or relative difference between two values of a feature."""

_TEXTS = (
    (
        "The lighthouse keeper counted 14 ships before noon.",
        "Before noon, the keeper of the lighthouse counted 14 ships.",
    ),
    ("A old bridge was closed since Monday", "The old bridge has been closed since Monday."),
    (
        "Nobody told Ms. Okonkwo that her train, the 7:45, does not stops here!",
        "Nobody had told Ms Okonkwo that the 7.45 train doesn't stop here.",
    ),
    (
        "The Quittenmus is cooked slow slow with zucker",
        "The quince jam is cooked very slowly with sugar.",
    ),
    ("Two of the three reports are not yet public.", "Two of the three reports are already public."),
    ("He said: „we will see“ — and left the зал.", '"We shall see," he said, and left the hall.'),
    ("the the the", "Rivers carry sand to the sea."),
    ("", "Silence followed."),
    ("Rivers carry sand to the sea.", "Rivers carry sand to the sea."),
    (
        "Children were playing in the garden of neighbors while it rained",
        "While it was raining, the children played in the neighbors' garden.",
    ),
)
"""Pairs of a hypothesis and a reference."""


@dataclass(frozen=True)
class CheckTexts:
    """Test sentences, with the feature values that were computed when a model was trained.

    Attributes:
        hypotheses: the hypotheses.
        references: the reference of each hypothesis.
        columns: the columns of the features that read only these texts.
        values: the values of the columns, ``(texts, columns)``.
        libraries: the versions of the libraries of each feature at the training, by the feature's label.
    """

    hypotheses: tuple[str, ...]
    references: tuple[str, ...]
    columns: tuple[str, ...]
    values: Floats
    libraries: dict[str, dict[str, str]]

    def check(self, features: FeatureSet, model: str) -> None:
        """Check that the features still have the same values as when the model was trained.

        Args:
            features: the features of the model.
            model: the name of the model, for messages.

        Raises:
            ConfigError: if a value differs by more than the tolerance. The message names the feature and its libraries.
        """
        columns, values = _compute_values(features, self.hypotheses, self.references)
        if columns != self.columns:
            raise ConfigError(f"model {model!r} is damaged: its check texts are of other features than its own")
        tolerances = _list_tolerances(features, columns)
        # A comparison with NaN is always false. The negation therefore reports NaN as a change.
        is_changed = ~(np.abs(values - self.values) <= tolerances * (1 + np.abs(self.values)))  # (texts, columns)
        if not is_changed.any():
            return
        text, column = np.argwhere(is_changed)[0]
        n_changed_columns = np.count_nonzero(is_changed.any(axis=0))
        raise ConfigError(
            f"model {model!r}: feature {columns[column]!r} gives {values[text, column]:.6g} where the model was "
            f"trained with {self.values[text, column]:.6g} ({n_changed_columns} of {len(columns)} numbers differ by "
            f"more than {tolerances[column]:g}); {self._explain_change(features, columns[column])}"
        )

    def _explain_change(self, features: FeatureSet, column: str) -> str:
        """Explain in an error message why a feature may have changed, and how the user can solve the problem."""
        label, _, _ = column.partition(".")
        feature = next(entry.feature for entry in features.features if entry.label == label)
        old_versions = self.libraries.get(label, {})
        changes, requirements = [], []
        for library, new_version in library_versions(feature.requires).items():
            old_version = old_versions.get(library)
            if new_version == old_version:
                continue
            changes.append(f"{library} is {new_version}, the model was made with {old_version or '?'}")
            # The plugin requires one exact version of meteor_e, so another version cannot be installed.
            if old_version and library != "meteor_e":
                requirements.append(f"'{library}=={old_version}'")
        if not changes:
            return "its resources differ from those of the training; train the model again"
        advice = f"run: pip install {' '.join(requirements)}" if requirements else "train the model again"
        return f"{', '.join(changes)}; {advice}"

    def to_json(self) -> dict[str, Any]:
        """Return the test sentences as JSON data. A model file stores the feature values separately, as an array."""
        return {
            "hypotheses": list(self.hypotheses),
            "references": list(self.references),
            "columns": list(self.columns),
            "libraries": self.libraries,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any], values: NDArray[Any]) -> CheckTexts:
        """Restore the test sentences and their feature values from the content of a model file.

        Args:
            data: the result of :meth:`to_json`.
            values: the feature values, ``(texts, columns)``.

        Raises:
            ValueError, KeyError, TypeError: if the data are invalid.
        """
        hypotheses = tuple(str(text) for text in data["hypotheses"])
        references = tuple(str(text) for text in data["references"])
        columns = tuple(str(name) for name in data["columns"])
        expected_shape = len(hypotheses), len(columns)
        if len(references) != len(hypotheses) or values.shape != expected_shape:
            raise ValueError("the check texts do not fit their numbers")
        libraries = {}
        for label, versions in data["libraries"].items():
            libraries[str(label)] = {str(name): str(version) for name, version in versions.items()}
        return cls(hypotheses, references, columns, values.astype(float), libraries)


def make_check_texts(features: FeatureSet) -> CheckTexts:
    """Compute the features of the test sentences. The sentences are English, even for models of other languages."""
    hypotheses, references = zip(*_TEXTS, strict=True)
    columns, values = _compute_values(features, hypotheses, references)
    libraries = {entry.label: library_versions(entry.feature.requires) for entry in features.features}
    return CheckTexts(hypotheses, references, columns, values, libraries)


def _compute_values(
    features: FeatureSet, hypotheses: Sequence[str], references: Sequence[str]
) -> tuple[tuple[str, ...], Floats]:
    """Compute the features of hypotheses with one reference each, and return the column names and the values.

    Features that cannot process arbitrary texts are left out.
    """
    checked_features = FeatureSet([entry for entry in features.features if reads_any_segment(entry.feature)])
    # Each segment uses the next segment's reference as its source text, so source and reference differ.
    sources = [*references[1:], *references[:1]]
    batch = FeatureBatch(hypotheses, [[reference] for reference in references], sources)
    return checked_features.columns, checked_features.extract(batch, FeatureStore(enabled=False))


def _list_tolerances(features: FeatureSet, columns: Sequence[str]) -> Floats:
    """Return the maximum difference that is tolerated for each feature column."""
    tolerance_by_column = {}
    for entry in features.features:
        tolerance = max(TOLERANCE, float(getattr(entry.feature, "tolerance", 0)))
        tolerance_by_column.update(dict.fromkeys(entry.columns, tolerance))
    return np.array([tolerance_by_column[column] for column in columns])


def reads_any_segment(feature: Feature) -> bool:
    """Return whether a feature accepts arbitrary texts and needs nothing but hypotheses, references and sources."""
    return feature.any_text and {*feature.needs} <= {"hypotheses", "references", "sources"}


def library_versions(names: Sequence[str]) -> dict[str, str]:
    """Return a dictionary from library names to installed versions. By default, it contains only meteor_e."""
    versions = {}
    for name in names or ("meteor_e",):
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions
