"""Extracts a matrix of features from texts, and caches its rows on disk.

Each feature has its own database. The key of a row is a hash of the texts that the feature reads. Therefore, an
interrupted extraction can be resumed, and parallel extractions share the cached rows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from meteor_e.api import ConfigError, FeatureBatch, InputError, MatcherContext, SegmentFeature
from meteor_e.base.array_cache import Floats, digest
from meteor_e.base.errors import near_miss
from meteor_e.base.progress import Progress, silent
from meteor_e.packs.resources import LanguageResources
from meteor_e.plugins.registry import plugin_registry
from meteor_e_learned.blocks import FeatureBlock, compute_blocks, split_blocks
from meteor_e_learned.columns import NamedFeature, matches_pattern, select_columns
from meteor_e_learned.entities import decode_batch
from meteor_e_learned.feature_store import FeatureStore

Needs = tuple[str, ...]
"""The names of the fields of a batch that a feature reads."""


class FeatureSet:
    """A list of features whose columns are joined into one feature matrix.

    Args:
        features: the features. Their labels must differ.
        unescape: whether to replace XML entities in texts by characters.
    """

    def __init__(self, features: Sequence[NamedFeature], *, unescape: bool = False) -> None:
        self.features = tuple(features)
        self.unescape = unescape
        labels = [entry.label for entry in self.features]
        for label in labels:
            if labels.count(label) > 1:
                raise ConfigError(f"two features are called {label!r}; give one of them another name with 'as'")

    @classmethod
    def from_config(
        cls, entries: Sequence[str | Mapping[str, Any]], language: str = "en", *, unescape: bool = False
    ) -> FeatureSet:
        """Make the features that a recipe lists.

        Args:
            entries: the names of the features, or mappings. In a mapping, ``use`` is the name of a feature, ``as`` is
                its label, and ``columns`` lists the columns to select. A column that ends in ``*`` selects all columns
                with this prefix. The other keys are the options of the feature.
            language: the language of hypotheses and references.
            unescape: see the class.

        Raises:
            ConfigError: for a wrong option or column.
            PluginError: if a feature is not installed.
        """
        context = MatcherContext(plugin_registry().languages.get(language), LanguageResources())
        features = [_make_feature(entry, context) for entry in entries]
        return cls(features, unescape=unescape)

    @staticmethod
    def with_paths(
        entries: Sequence[str | Mapping[str, Any]], change: Callable[[str], str]
    ) -> list[str | dict[str, Any]]:
        """Apply a function to all file paths in the feature options of a recipe.

        Args:
            entries: the entries, see :meth:`from_config`. Invalid entries are not changed.
            change: a function that returns the new path for a path.

        Raises:
            PluginError: if a feature, or a matcher or a lemmatizer of a chain, is not installed.
        """
        return [_change_paths(entry, change) for entry in entries]

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns."""
        return tuple(column for entry in self.features for column in entry.columns)

    @property
    def dimension(self) -> int:
        """The number of columns."""
        return len(self.columns)

    @property
    def signature(self) -> tuple[str, ...]:
        """The signatures of all features, followed by the names of all columns."""
        return (*(f"{entry.label}={entry.signature}" for entry in self.features), *self.columns)

    @property
    def definition(self) -> tuple[str, ...]:
        """The signature without library versions. A trained model accepts only features with the same definition."""
        return (*(f"{entry.label}={entry.definition}" for entry in self.features), *self.columns)

    def only(self, columns: Collection[str]) -> FeatureSet:
        """Return a copy that contains only the given columns. The order of the columns does not change."""
        features = []
        for entry in self.features:
            names = zip(entry.indexes, entry.columns, strict=True)
            indexes = tuple(index for index, column in names if column in columns)
            features.append(NamedFeature(entry.label, entry.feature, indexes))
        return FeatureSet(features, unescape=self.unescape)

    def select(self, columns: Sequence[str]) -> list[int]:
        """Return the indexes of the columns that match at least one of the given names.

        Args:
            columns: names of columns, such as ``ter.score``. ``ter`` and ``ter.*`` select all columns of a feature.

        Raises:
            ConfigError: if no column matches a name.
        """
        selected_indexes: list[int] = []
        for pattern in columns:
            matching_indexes = [
                index
                for index, column in enumerate(self.columns)
                if matches_pattern(column, pattern) or column.startswith(f"{pattern}.")
            ]
            if not matching_indexes:
                raise ConfigError(f"there is no feature {pattern!r}{near_miss(pattern, self.columns)}")
            selected_indexes += matching_indexes
        # A column that several names match is selected only once.
        return list(dict.fromkeys(selected_indexes))

    def extract(
        self, batch: FeatureBatch, store: FeatureStore, *, jobs: int = 1, progress: Progress = silent
    ) -> Floats:
        """Compute the feature matrix of a batch, with one row per segment.

        Args:
            batch: the segments.
            store: the store of computed rows.
            jobs: the number of processes.
            progress: receives the number of finished rows of all features, and their total number.

        Raises:
            InputError: if the batch does not contain a field that a feature reads, such as the sources.
            PluginError: if a feature fails.
        """
        if self.unescape:
            batch = decode_batch(batch)
        # Segments with equal keys have equal rows, so only the first segment with each key is computed.
        keys = _make_row_keys({entry.feature.needs for entry in self.features}, batch, store)
        first_indexes = {needs: _index_first(row_keys) for needs, row_keys in keys.items()}
        values = {entry.label: np.empty((len(batch), entry.feature.dimension)) for entry in self.features}
        features_by_rows = self._read_stored_rows(first_indexes, store, values)
        blocks: list[FeatureBlock] = []
        for missing_indexes, entries in features_by_rows.items():
            blocks += split_blocks(missing_indexes, entries, batch)
        n_rows = sum(block.n_rows for block in blocks)
        n_finished = 0
        for block, block_rows in compute_blocks(blocks, batch, jobs):
            _save_block(block, block_rows, keys, store, values)
            n_finished += block.n_rows
            progress("features", n_finished, n_rows)
        return self._join_columns(len(batch), keys, first_indexes, values)

    def _read_stored_rows(
        self, first_indexes: Mapping[Needs, Mapping[Hashable, int]], store: FeatureStore, values: Mapping[str, Floats]
    ) -> dict[tuple[int, ...], list[NamedFeature]]:
        """Copy cached feature rows to the output arrays, and list the rows that have to be computed.

        Args:
            first_indexes: the index of the first segment with each key, by the fields that features read.
            store: the store of computed rows.
            values: the array of each feature, by label.

        Returns:
            The features whose rows have to be computed, by the indexes of these rows.
        """
        features_by_rows: dict[tuple[int, ...], list[NamedFeature]] = {}
        for entry in self.features:
            index_by_key = first_indexes[entry.feature.needs]
            stored_rows: Mapping[Hashable, Floats] = {}
            # The signature is computed only if the cache is enabled, because looking up library versions takes time.
            if store.enabled:
                stored_rows = store.get(entry.signature, list(index_by_key), entry.feature.dimension)
            for key, row in stored_rows.items():
                values[entry.label][index_by_key[key]] = row
            missing_indexes = tuple(index for key, index in index_by_key.items() if key not in stored_rows)
            features_by_rows.setdefault(missing_indexes, []).append(entry)
        return features_by_rows

    def _join_columns(
        self,
        n_segments: int,
        keys: Mapping[Needs, Sequence[Hashable]],
        first_indexes: Mapping[Needs, Mapping[Hashable, int]],
        values: Mapping[str, Floats],
    ) -> Floats:
        """Join the selected columns of all features into one matrix with one row per segment.

        Args:
            n_segments: the number of segments.
            keys: the key of each segment, by the fields that features read.
            first_indexes: the index of the first segment with each key. Only this segment has a computed row.
            values: the array of each feature, by label.
        """
        if not self.features:
            return np.empty((n_segments, 0))
        feature_matrices = []
        for entry in self.features:
            matrix = values[entry.label]
            index_by_key = first_indexes[entry.feature.needs]
            has_duplicates = len(index_by_key) < n_segments
            if has_duplicates:
                row_indexes = [index_by_key[key] for key in keys[entry.feature.needs]]
                matrix = matrix[row_indexes]
            if len(entry.indexes) < matrix.shape[1]:
                matrix = matrix[:, entry.indexes]
            feature_matrices.append(matrix)
        return np.hstack(feature_matrices)

    def segment_vectors(
        self, segments: Sequence[str], store: FeatureStore, *, jobs: int = 1, progress: Progress = silent
    ) -> Floats:
        """Concatenate the segment vectors of all features into one vector per segment.

        Raises:
            ConfigError: if a feature does not have vectors of segments.
        """
        for entry in self.features:
            if not isinstance(entry.feature, SegmentFeature):
                raise ConfigError(f"feature {entry.label!r} has no vectors of segments")
        batch = FeatureBatch(segments, [[segment] for segment in segments])
        rows = self.extract(batch, store, jobs=jobs, progress=progress)
        vectors = [np.empty((len(segments), 0))]
        start = 0
        for entry in self.features:
            assert isinstance(entry.feature, SegmentFeature)
            # The columns of a feature are the vector of the hypothesis and the mean vector of the references.
            vectors.append(rows[:, start : start + entry.feature.segment_dimension])
            start += entry.feature.dimension
        return np.hstack(vectors)


def _make_feature(entry: str | Mapping[str, Any], context: MatcherContext) -> NamedFeature:
    """Create a feature from its entry in a recipe, which is a name or a mapping of options."""
    options = {"use": entry} if isinstance(entry, str) else dict(entry)
    name = options.pop("use", None)
    if not isinstance(name, str):
        raise ConfigError(f"a feature is a name or a mapping with 'use', not {entry!r}")
    label = str(options.pop("as", name))
    patterns = options.pop("columns", None)
    feature = plugin_registry().features.get(name).make(context, **options)
    return NamedFeature(label, feature, select_columns(label, feature.columns, patterns))


def _change_paths(entry: str | Mapping[str, Any], change: Callable[[str], str]) -> str | dict[str, Any]:
    """Apply a function to all file paths in the options of one feature."""
    if isinstance(entry, str):
        return entry
    name = entry.get("use")
    if not isinstance(name, str):
        return dict(entry)
    options = {key: value for key, value in entry.items() if key not in ("use", "as", "columns")}
    return {**entry, **plugin_registry().features.get(name).with_paths(options, change)}


def _index_first(keys: Iterable[Hashable]) -> dict[Hashable, int]:
    """Return a dictionary from each key to the index of its first occurrence."""
    indexes: dict[Hashable, int] = {}
    for index, key in enumerate(keys):
        indexes.setdefault(key, index)
    return indexes


def _save_block(
    block: FeatureBlock,
    block_rows: Sequence[Floats],
    keys: Mapping[Needs, Sequence[Hashable]],
    store: FeatureStore,
    values: Mapping[str, Floats],
) -> None:
    """Copy newly computed feature rows to the output arrays, and write the rows to the cache."""
    indexes = list(block.indexes)
    for entry, rows in zip(block.features, block_rows, strict=True):
        values[entry.label][indexes] = rows
        if store.enabled:
            segment_keys = keys[entry.feature.needs]
            block_keys = [segment_keys[index] for index in indexes]
            store.put(entry.signature, dict(zip(block_keys, rows, strict=True)))


def _make_row_keys(
    needs_of_features: Iterable[Needs], batch: FeatureBatch, store: FeatureStore
) -> dict[Needs, list[Hashable]]:
    """Return the cache keys of all segments, separately for each combination of fields that a feature reads.

    Segments with equal keys have equal feature values. A key is a hash of the segment's texts. If the cache is
    disabled, the texts themselves are the key.
    """
    keys: dict[Needs, list[Hashable]] = {}
    for needs in needs_of_features:
        fields = [_read_field(batch, name) for name in needs]
        # The texts of each segment that the features read.
        segment_texts: list[Any] = list(zip(*fields, strict=True))
        if store.enabled:
            keys[needs] = [_digest_row(texts) for texts in segment_texts]
        else:
            keys[needs] = segment_texts
    return keys


def _read_field(batch: FeatureBatch, name: str) -> Sequence[str] | Sequence[tuple[str, ...]]:
    """Return the values of a batch field, such as the sources. Lists of references become hashable tuples.

    Raises:
        InputError: if the batch does not have the field, or if the field has another length than the hypotheses.
    """
    values = getattr(batch, name)
    if values is None:
        advice = "; name their column with --source-column" if name == "sources" else ""
        raise InputError(f"a feature needs the {name} of the segments{advice}")
    if len(values) != len(batch):
        raise InputError(f"there are {len(batch)} hypotheses but {len(values)} {name}")
    return [tuple(references) for references in values] if name == "references" else values


def _digest_row(row: tuple[str | tuple[str, ...], ...]) -> bytes:
    """Return a hash of all texts of a segment."""
    import hashlib

    texts: list[str] = []
    for field in row:
        if isinstance(field, str):
            texts.append(field)
        else:
            texts += [str(len(field)), *field]
    return hashlib.sha256(digest(texts).encode()).digest()[:16]
