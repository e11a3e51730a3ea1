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
        # A column is selected only once, even if it matches several names.
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
        return _join_columns(self._extract_matrices(batch, store, jobs, progress), len(batch))

    def segment_vectors(
        self, segments: Sequence[str], store: FeatureStore, *, jobs: int = 1, progress: Progress = silent
    ) -> Floats:
        """Concatenate the segment vectors of all features into one vector per segment.

        Raises:
            ConfigError: if a feature does not have vectors of segments.
        """
        dimensions = [_segment_dimension(entry) for entry in self.features]
        batch = FeatureBatch(segments, [[segment] for segment in segments])
        matrices = self._extract_matrices(batch, store, jobs, progress)
        # The first columns hold the vector of the hypothesis. The other columns hold the references' mean vector.
        vectors = [matrix[:, :dimension] for matrix, dimension in zip(matrices, dimensions, strict=True)]
        return _join_columns(vectors, len(segments))

    def _extract_matrices(
        self, batch: FeatureBatch, store: FeatureStore, jobs: int, progress: Progress
    ) -> list[Floats]:
        """Compute one matrix per feature, ``(segments, selected columns)``. See :meth:`extract` for the arguments."""
        decoded_batch = decode_batch(batch) if self.unescape else batch
        tables = _make_tables(self.features, decoded_batch, store)
        _compute_missing_rows(tables, decoded_batch, jobs, progress)
        return [table.select_columns() for table in tables.values()]


class _SegmentKeys:
    """The cache keys of the segments in a batch, for features that read the same fields.

    Segments with equal keys have equal feature values. A key is a hash of the segment's texts. If the cache is
    disabled, the texts themselves are the key.

    Args:
        batch: the segments.
        needs: the fields that the features read.
        store: the cache.

    Attributes:
        keys: the key of each segment.
        first_indexes: the index of the first segment with each key.
    """

    def __init__(self, batch: FeatureBatch, needs: Needs, store: FeatureStore) -> None:
        fields = [_read_field(batch, name) for name in needs]
        segment_texts: list[Any] = list(zip(*fields, strict=True))
        self.keys: list[Hashable] = list(map(_digest_row, segment_texts)) if store.enabled else segment_texts
        self.first_indexes: dict[Hashable, int] = {}
        for index, key in enumerate(self.keys):
            self.first_indexes.setdefault(key, index)


class _FeatureRows:
    """A feature's values, one row per segment of a batch. The constructor loads existing rows from the cache.

    Segments with equal keys have equal rows, so only the first segment with each key receives a row.

    Args:
        entry: the feature.
        keys: the keys of the segments.
        store: the cache.

    Attributes:
        entry: the feature.
        missing_indexes: the indexes of the segments whose rows have to be computed.
    """

    def __init__(self, entry: NamedFeature, keys: _SegmentKeys, store: FeatureStore) -> None:
        self.entry, self._keys, self._store = entry, keys, store
        self._rows = np.empty((len(keys.keys), entry.feature.dimension))
        stored_rows: Mapping[Hashable, Floats] = {}
        # The signature is computed only if the cache is enabled, because looking up library versions takes time.
        if store.enabled:
            stored_rows = store.get(entry.signature, list(keys.first_indexes), entry.feature.dimension)
        for key, row in stored_rows.items():
            self._rows[keys.first_indexes[key]] = row
        self.missing_indexes = tuple(index for key, index in keys.first_indexes.items() if key not in stored_rows)

    def add(self, indexes: Sequence[int], rows: Floats) -> None:
        """Add newly computed rows, and write them to the cache.

        Args:
            indexes: the indexes of the segments.
            rows: the row of each of these segments.
        """
        self._rows[indexes] = rows
        if self._store.enabled:
            row_keys = [self._keys.keys[index] for index in indexes]
            self._store.put(self.entry.signature, dict(zip(row_keys, rows, strict=True)))

    def select_columns(self) -> Floats:
        """Return the selected columns of the feature, with one row per segment."""
        matrix = self._rows
        has_duplicates = len(self._keys.first_indexes) < len(matrix)
        if has_duplicates:
            matrix = matrix[[self._keys.first_indexes[key] for key in self._keys.keys]]
        if len(self.entry.indexes) < matrix.shape[1]:
            matrix = matrix[:, self.entry.indexes]
        return matrix


def _make_tables(features: Iterable[NamedFeature], batch: FeatureBatch, store: FeatureStore) -> dict[str, _FeatureRows]:
    """Return a dictionary that maps each feature's label to the feature's table of values."""
    # The cache keys of segments depend only on the fields that a feature reads, so features can share keys.
    keys_by_needs: dict[Needs, _SegmentKeys] = {}
    tables = {}
    for entry in features:
        needs = entry.feature.needs
        if needs not in keys_by_needs:
            keys_by_needs[needs] = _SegmentKeys(batch, needs, store)
        tables[entry.label] = _FeatureRows(entry, keys_by_needs[needs], store)
    return tables


def _compute_missing_rows(
    tables: Mapping[str, _FeatureRows], batch: FeatureBatch, jobs: int, progress: Progress
) -> None:
    """Compute the missing rows of the feature tables, and fill in the rows block by block."""
    blocks = _plan_blocks(tables.values(), batch)
    n_rows = sum(block.n_rows for block in blocks)
    n_finished = 0
    for block, block_rows in compute_blocks(blocks, batch, jobs):
        for entry, rows in zip(block.features, block_rows, strict=True):
            tables[entry.label].add(list(block.indexes), rows)
        n_finished += block.n_rows
        progress("features", n_finished, n_rows)


def _plan_blocks(tables: Iterable[_FeatureRows], batch: FeatureBatch) -> list[FeatureBlock]:
    """Return the blocks of rows to compute. Features with the same missing rows are computed together."""
    features_by_indexes: dict[tuple[int, ...], list[NamedFeature]] = {}
    for table in tables:
        features_by_indexes.setdefault(table.missing_indexes, []).append(table.entry)
    blocks: list[FeatureBlock] = []
    for indexes, features in features_by_indexes.items():
        blocks += split_blocks(indexes, features, batch)
    return blocks


def _join_columns(matrices: Sequence[Floats], n_rows: int) -> Floats:
    """Join matrices side by side. Without matrices, return a matrix without columns."""
    return np.hstack(matrices) if matrices else np.empty((n_rows, 0))


def _segment_dimension(entry: NamedFeature) -> int:
    """Return the length of a feature's segment vectors. Raise ConfigError if the feature has no segment vectors."""
    if not isinstance(entry.feature, SegmentFeature):
        raise ConfigError(f"feature {entry.label!r} has no vectors of segments")
    return entry.feature.segment_dimension


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


def change_feature_paths(entry: str | Mapping[str, Any], change: Callable[[str], str]) -> str | dict[str, Any]:
    """Apply a function to all file paths in the options of a feature.

    Args:
        entry: the entry of a recipe, see :meth:`FeatureSet.from_config`. Invalid entries are not changed.
        change: a function that returns the new path for a path.

    Raises:
        PluginError: if the feature, or a matcher or a lemmatizer of a chain, is not installed.
    """
    if isinstance(entry, str):
        return entry
    name = entry.get("use")
    if not isinstance(name, str):
        return dict(entry)
    feature_type = plugin_registry().features.get(name)
    options = {key: value for key, value in entry.items() if key not in ("use", "as", "columns")}
    return {**entry, **feature_type.with_paths(options, change)}


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
