"""From a list of features and texts to a matrix: in batches, in several processes, each row computed once.

Rows are kept on disk, one database per feature, under the feature's signature and what it reads of the segment; a run
that was interrupted goes on where it stopped, and runs side by side share what they find.
"""

from __future__ import annotations

import contextlib
import html
import os
import re
import sqlite3
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from meteor_e.api import ConfigError, Feature, FeatureBatch, InputError, MatcherContext, SegmentFeature
from meteor_e.base.array_cache import Floats, digest
from meteor_e.base.errors import near_miss
from meteor_e.base.files import cache_folder
from meteor_e.base.progress import Progress, silent
from meteor_e.packs.resources import LanguageResources
from meteor_e.plugins.registry import plugin_registry

BATCH = 2048
"""Segments that are computed at once."""
ROOM = 1 << 21
"""Characters of all segments that are computed at once; a longer segment goes alone."""
LOCKED_AFTER = 60
"""Seconds to wait for another process that writes."""
_SEAL = 8


class FeatureStore:
    """Rows of features on disk.

    Args:
        folder: where; by default ``features`` in the folder that ``METEOR_E_CACHE`` names, else in the user's
            cache folder.
        enabled: whether to keep anything.
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None, *, enabled: bool = True) -> None:
        self.folder = Path(folder) if folder is not None else cache_folder("features")
        self.enabled = enabled

    @contextlib.contextmanager
    def _open(self, signature: str) -> Iterator[sqlite3.Connection]:
        file = self.folder / f"{digest([signature])[:32]}.sqlite"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with contextlib.closing(sqlite3.connect(file, timeout=LOCKED_AFTER)) as connection:
                connection.execute("create table if not exists rows (key blob primary key, value blob) without rowid")
                yield connection
        except (OSError, sqlite3.Error) as error:
            if "locked" in str(error):
                raise ConfigError(
                    f"another process has kept the features in {file} to itself for {LOCKED_AFTER} seconds; let it "
                    "end, choose another folder with METEOR_E_CACHE, or use --no-cache"
                ) from error
            raise ConfigError(
                f"the kept features in {file} cannot be used ({error}); delete the file, choose another folder with "
                "METEOR_E_CACHE, or use --no-cache"
            ) from error

    def get(self, signature: str, keys: Sequence[Hashable], dimension: int) -> dict[Hashable, Floats]:
        """Return the rows that are known."""
        if not self.enabled or not keys:
            return {}
        found: dict[Hashable, Floats] = {}
        with self._open(signature) as connection:
            for start in range(0, len(keys), 500):
                part = keys[start : start + 500]
                query = f"select key, value from rows where key in ({','.join('?' * len(part))})"
                for key, value in connection.execute(query, part):
                    row = value[:-_SEAL]
                    if len(row) == 8 * dimension and value == _sealed(key, row):
                        found[key] = np.frombuffer(row, "<f8")
        return found

    def put(self, signature: str, rows: Mapping[Hashable, Floats]) -> None:
        """Keep rows."""
        if not self.enabled or not rows:
            return
        with self._open(signature) as connection, connection:
            connection.executemany(
                "insert or replace into rows values (?, ?)",
                [(key, _sealed(key, np.ascontiguousarray(row, "<f8").tobytes())) for key, row in rows.items()],
            )


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


FeatureColumn = str


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
            made.append(NamedFeature(str(label), feature, _choose(str(label), feature.columns, columns)))
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
        work = [block for places, entries in missing.items() for block in _blocks(places, entries, batch)]
        done, total = 0, sum(len(block.places) * len(block.features) for block in work)
        for block, computed in _run(work, batch, jobs):
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


def _choose(label: str, columns: Sequence[str], wanted: object) -> tuple[int, ...]:
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


def _sealed(key: Hashable, row: bytes) -> bytes:
    """Return a row with a checksum of it and its key after it: a damaged file must give no other features."""
    import hashlib

    assert isinstance(key, bytes)
    return row + hashlib.sha256(key + row).digest()[:_SEAL]


def _digest(row: tuple[str | tuple[str, ...], ...]) -> bytes:
    import hashlib

    texts = [text for part in row for text in ([part] if isinstance(part, str) else [str(len(part)), *part])]
    return hashlib.sha256(digest(texts).encode()).digest()[:16]


@dataclass(frozen=True)
class _Block:
    """Segments of a batch, and the features that are computed of them."""

    places: tuple[int, ...]
    features: tuple[NamedFeature, ...]


def _blocks(places: Sequence[int], features: Sequence[NamedFeature], batch: FeatureBatch) -> Iterator[_Block]:
    """Yield blocks of segments that lack the same features, so that these share what they make of the texts."""
    block: list[int] = []
    room = ROOM
    for place in places:
        size = len(batch.hypotheses[place]) + sum(map(len, batch.references[place]))
        if block and (len(block) == BATCH or size > room):
            yield _Block(tuple(block), tuple(features))
            block, room = [], ROOM
        block.append(place)
        room -= size
    if block:
        yield _Block(tuple(block), tuple(features))


def picked(batch: FeatureBatch, places: Sequence[int]) -> FeatureBatch:
    """Return some of a batch's segments."""

    def of(values: Sequence[Any] | None) -> list[Any] | None:
        return None if values is None else [values[place] for place in places]

    return FeatureBatch(
        of(batch.hypotheses) or [], of(batch.references) or [], of(batch.sources), of(batch.systems), of(batch.segments)
    )


_ENTITY = re.compile(r"&(?:#\d+|#[xX][0-9a-fA-F]+|[a-zA-Z]\w*);")
_APART = re.compile(r"& (apos|quot|lt|gt|amp) ;(?P<suffix> (?=(?:s|t|re|ve|m|d|ll)\b))?")


def unescaped(batch: FeatureBatch) -> FeatureBatch:
    """Return a batch with the characters that entities of XML stand for.

    Tools of machine translation leave ``&apos;``, and set ``&amp; apos ;`` apart what was escaped twice.
    """

    def apart(found: re.Match[str]) -> str:
        return html.unescape(f"&{found[1]};") + ("" if found[1] == "apos" else found["suffix"] or "")

    def plain(text: str) -> str:
        if "&" not in text:
            return text
        for _ in range(2):  # Some texts were escaped twice.
            text = _ENTITY.sub(lambda found: html.unescape(found[0]), text)
        return _APART.sub(apart, text)

    if not any("&" in text for text in chain(batch.hypotheses, *batch.references)):
        return batch
    hypotheses = [plain(text) for text in batch.hypotheses]
    references = [[plain(text) for text in each] for each in batch.references]
    return FeatureBatch(hypotheses, references, batch.sources, batch.systems, batch.segments)


_features: dict[str, Feature] = {}
"""The features that this process computes, by label."""


def _begin(features: Mapping[str, Feature]) -> None:
    _features.update(features)


def _compute(block: tuple[Sequence[str], FeatureBatch]) -> list[Floats]:
    labels, batch = block
    return [_features[label].rows(batch) for label in labels]


def _run(work: Sequence[_Block], batch: FeatureBatch, jobs: int) -> Iterator[tuple[_Block, list[Floats]]]:
    """Yield each block with the rows of each of its features."""
    features = {entry.label: entry.feature for block in work for entry in block.features}
    parts = (([entry.label for entry in block.features], picked(batch, block.places)) for block in work)
    if min(jobs, len(work)) <= 1:
        computed = ([features[label].rows(part) for label in labels] for labels, part in parts)
        yield from zip(work, computed, strict=True)
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    # A process that is forked from one with threads can hang; these are started afresh.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(jobs, len(work)), context, _begin, (features,)) as pool:
        yield from zip(work, pool.map(_compute, parts), strict=True)
