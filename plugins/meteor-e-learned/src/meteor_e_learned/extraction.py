"""From a list of features and texts to a matrix: in batches, in several processes, each row computed once.

Rows are kept on disk, one database per feature, under the feature's signature and what it reads of the segment; a run
that was interrupted goes on where it stopped, and runs side by side share what they find.
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
from meteor_e_learned.blocks import compute_blocks, split_blocks
from meteor_e_learned.columns import NamedFeature, choose_columns
from meteor_e_learned.entities import unescaped
from meteor_e_learned.feature_store import FeatureStore


class FeatureSet:
    """Some features, side by side.

    Args:
        features: the features; their labels differ.
        unescape: read the entities of XML in texts as the characters that they stand for.
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
        """Make features of what a recipe lists.

        Args:
            entries: names of features, or mappings with ``use``, the name; ``as``, what to call it; ``columns``,
                the columns to take (one that ends in ``*`` stands for all that begin so); and the feature's options.
            language: of hypotheses and references.
            unescape: see the class.

        Raises:
            ConfigError: for a wrong option or column.
            PluginError: for a feature that is not installed.
        """
        context = MatcherContext(plugin_registry().languages.get(language), LanguageResources())
        made = []
        for entry in entries:
            options = {"use": entry} if isinstance(entry, str) else dict(entry)
            name = options.pop("use", None)
            if not isinstance(name, str):
                raise ConfigError(f"a feature is a name or a mapping with 'use', not {entry!r}")
            label, columns = options.pop("as", name), options.pop("columns", None)
            feature = plugin_registry().features.get(name).make(context, **options)
            made.append(NamedFeature(str(label), feature, choose_columns(str(label), feature.columns, columns)))
        return cls(made, unescape=unescape)

    @staticmethod
    def with_paths(
        entries: Sequence[str | Mapping[str, Any]], change: Callable[[str], str]
    ) -> list[str | dict[str, Any]]:
        """Return entries, as :meth:`from_config` takes them, with all paths in their options changed.

        Args:
            entries: the entries; what is wrong with them stays.
            change: called with each path.

        Raises:
            PluginError: for a feature, or in a chain a matcher or lemmatizer, that is not installed.
        """
        changed: list[str | dict[str, Any]] = []
        for entry in entries:
            if isinstance(entry, str) or not isinstance(entry.get("use"), str):
                changed.append(entry if isinstance(entry, str) else dict(entry))
                continue
            options = {name: value for name, value in entry.items() if name not in ("use", "as", "columns")}
            changed.append({**entry, **plugin_registry().features.get(entry["use"]).with_paths(options, change)})
        return changed

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of all columns."""
        return tuple(column for entry in self.features for column in entry.columns)

    @property
    def dimension(self) -> int:
        """Numbers per row."""
        return len(self.columns)

    @property
    def signature(self) -> tuple[str, ...]:
        """The signature of rows: one line per feature, then the columns."""
        return (*(f"{entry.label}={entry.signature}" for entry in self.features), *self.columns)

    @property
    def definition(self) -> tuple[str, ...]:
        """The same without versions of libraries, which a trained model asks for."""
        return (*(f"{entry.label}={entry.definition}" for entry in self.features), *self.columns)

    def only(self, columns: Collection[str]) -> FeatureSet:
        """Return the features with these of their columns, in the features' own order."""
        return FeatureSet(
            [
                NamedFeature(entry.label, entry.feature, tuple(
                    place for place, column in zip(entry.chosen, entry.columns, strict=True) if column in columns
                ))
                for entry in self.features
            ],
            unescape=self.unescape,
        )  # fmt: skip

    def select(self, columns: Sequence[str]) -> list[int]:
        """Return the positions of columns; ``ter`` and ``ter.*`` are all of a feature.

        Raises:
            ConfigError: for a column that is not there.
        """
        places = []
        for pattern in columns:
            beginning = pattern.removesuffix("*")
            found = [
                place
                for place, column in enumerate(self.columns)
                if column == pattern
                or (pattern.endswith("*") and column.startswith(beginning))
                or column.startswith(f"{pattern}.")
            ]
            if not found:
                raise ConfigError(f"there is no feature {pattern!r}{near_miss(pattern, self.columns)}")
            places += [place for place in found if place not in places]
        return places

    def extract(
        self, batch: FeatureBatch, store: FeatureStore, *, jobs: int = 1, progress: Progress = silent
    ) -> Floats:
        """Return one row per segment, ``(len(batch), dimension)``.

        Args:
            batch: the segments, as many as you like.
            store: where rows are kept.
            jobs: number of processes.
            progress: told how many rows of all features are done, and how many there are.

        Raises:
            InputError: for segments that cannot be used.
            PluginError: if a feature fails.
        """
        if self.unescape:
            batch = unescaped(batch)
        keys = _row_keys({entry.feature.needs for entry in self.features}, batch, store)
        # The first place of the same segment, where it is computed; others are copies.
        firsts: dict[tuple[str, ...], dict[Hashable, int]] = {}
        for needs, of_rows in keys.items():
            found: dict[Hashable, int] = {}
            for at, key in enumerate(of_rows):
                found.setdefault(key, at)
            firsts[needs] = found
        result = {entry.label: np.empty((len(batch), entry.feature.dimension)) for entry in self.features}
        missing: dict[tuple[int, ...], list[NamedFeature]] = {}
        for entry in self.features:
            first = firsts[entry.feature.needs]
            # The signature costs something: versions of libraries are looked up for it.
            known = store.get(entry.signature, list(first), entry.feature.dimension) if store.enabled else {}
            for key, row in known.items():
                result[entry.label][first[key]] = row
            missing.setdefault(tuple(at for key, at in first.items() if key not in known), []).append(entry)
        work = [block for places, entries in missing.items() for block in split_blocks(places, entries, batch)]
        done, total = 0, sum(len(block.places) * len(block.features) for block in work)
        for block, computed in compute_blocks(work, batch, jobs):
            places = list(block.places)
            for entry, rows in zip(block.features, computed, strict=True):
                result[entry.label][places] = rows
                if store.enabled:
                    of_entry = keys[entry.feature.needs]
                    store.put(entry.signature, {of_entry[at]: row for at, row in zip(places, rows, strict=True)})
            done += len(places) * len(block.features)
            progress("features", done, total)
        copied = {
            needs: np.array([first[key] for key in keys[needs]], np.int64)
            for needs, first in firsts.items()
            if len(first) < len(batch)
        }
        blocks = []
        for entry in self.features:
            rows = result[entry.label]
            if entry.feature.needs in copied:
                rows = rows[copied[entry.feature.needs]]
            blocks.append(rows if len(entry.chosen) == rows.shape[1] else rows[:, entry.chosen])
        return np.hstack(blocks) if blocks else np.empty((len(batch), 0))

    def segment_vectors(
        self, segments: Sequence[str], store: FeatureStore, *, jobs: int = 1, progress: Progress = silent
    ) -> Floats:
        """Return the vectors of segments, side by side, ``(len(segments), sum of segment dimensions)``.

        Raises:
            ConfigError: if a feature has no vectors of segments.
        """
        for entry in self.features:
            if not isinstance(entry.feature, SegmentFeature):
                raise ConfigError(f"feature {entry.label!r} has no vectors of segments")
        batch = FeatureBatch(segments, [[segment] for segment in segments])
        rows = self.extract(batch, store, jobs=jobs, progress=progress)
        blocks, start = [], 0
        for entry in self.features:
            assert isinstance(entry.feature, SegmentFeature)
            blocks.append(rows[:, start : start + entry.feature.segment_dimension])
            start += entry.feature.dimension
        return np.hstack(blocks) if blocks else np.empty((len(segments), 0))


def _row_keys(
    needs: Iterable[tuple[str, ...]], batch: FeatureBatch, store: FeatureStore
) -> dict[tuple[str, ...], list[Hashable]]:
    """Return the keys of segments, for each choice of what features read.

    Rows that are kept on disk go by a digest; else the texts themselves do.
    """
    result: dict[tuple[str, ...], list[Hashable]] = {}
    for names in needs:
        parts: list[Sequence[str] | Sequence[Sequence[str]]] = []
        for name in names:
            values = getattr(batch, name)
            if values is None:
                advice = "; name their column with --source-column" if name == "sources" else ""
                raise InputError(f"a feature needs the {name} of the segments{advice}")
            if len(values) != len(batch):
                raise InputError(f"there are {len(batch)} hypotheses but {len(values)} {name}")
            parts.append([tuple(value) for value in values] if name == "references" else values)
        rows: list[Hashable] = list(zip(*parts, strict=True))
        result[names] = [_digest(row) for row in rows] if store.enabled else rows  # type: ignore[arg-type]
    return result


def _digest(row: tuple[str | tuple[str, ...], ...]) -> bytes:
    import hashlib

    texts = [text for part in row for text in ([part] if isinstance(part, str) else [str(len(part)), *part])]
    return hashlib.sha256(digest(texts).encode()).digest()[:16]
