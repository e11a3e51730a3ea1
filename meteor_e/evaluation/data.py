"""Test sets: outputs, references and judgements, lined up as a data index says."""

from __future__ import annotations

import glob
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from meteor_e.api.metrics import SystemOutputs
from meteor_e.base.errors import InputError, near_miss
from meteor_e.evaluation.assessments import Assessment, read_assessments
from meteor_e.evaluation.containers import read_all_texts, read_texts
from meteor_e.evaluation.index import DataIndex, JudgementSpec, OutputSpec, SegmentMap, expand, id_pattern
from meteor_e.evaluation.judgements import Assessments, Rankings
from meteor_e.evaluation.rankings import Comparison, read_rank_file, read_ranking_csv, read_ranking_xml
from meteor_e.formats.plain import read_segments

__all__ = ["TestSet", "load_test_set"]


@dataclass(frozen=True)
class TestSet(SystemOutputs):
    """One language pair of a shared task.

    Attributes:
        name: of the shared task.
        pair: ``source-target``.
        language: of the outputs.
        systems: names of the judged systems, sorted.
        outputs: their outputs, in the order of ``systems``; one list of segments each.
        references: one list of segments a reference.
        source: segments of the source; ``None`` if the index names none.
        rankings: comparisons of systems, ``None`` if there are none.
        assessments: human scores of segments, ``None`` if there are none.
        system_scores: human scores of systems, by name; empty if there are none.
        notes: what was left out in reading, for the sanity report.
    """

    __test__ = False  # for pytest: this is no test class

    rankings: Rankings | None = None
    assessments: Assessments | None = None
    system_scores: dict[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def judged(self) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
        """Return which segments of which systems were judged, as ``(systems, segments)`` truth values."""
        cells = np.zeros((len(self.systems), len(self)), bool)
        if self.rankings is not None:
            cells[self.rankings.better, self.rankings.segments] = True
            cells[self.rankings.worse, self.rankings.segments] = True
        if self.assessments is not None:
            cells[self.assessments.systems, self.assessments.segments] = True
        return cells


def load_test_set(index: DataIndex, pair: str) -> TestSet:
    """Read one language pair of an index and line it up.

    Raises:
        ConfigError: for a pair that the index does not have.
        InputError: for what is missing or does not line up, naming system and file.
    """
    special = index.pair(pair)
    root = Path(index.root)
    references = []
    for pattern in special.references or index.references:
        for file in _files(root, expand(pattern, pair), index, pair, "a reference"):
            references += [(file, segments) for segments in read_all_texts(file, "reference").values()]
    length = len(references[0][1])
    for file, segments in references:
        if len(segments) != length:
            raise InputError(f"{file} has {len(segments)} segments, {references[0][0]} has {length}")
    outputs = _Outputs(special.outputs or index.outputs, root, pair, length, index)
    judgements = _Judgements(pair, outputs, length, index, frozenset(special.drop))
    for spec in index.judgements:
        judgements.read(spec, root)
    if not judgements.systems:
        raise InputError(
            f"{index.file}: no judgements for {pair} in {', '.join(spec.file for spec in index.judgements)}"
        )
    source_pattern = special.source or index.source
    source = None
    if source_pattern is not None:
        file = _files(root, expand(source_pattern, pair), index, pair, "the source")[0]
        source = read_texts(file, "source")
        if len(source) != length:
            raise InputError(f"{file} has {len(source)} segments, {references[0][0]} has {length}")
    systems = tuple(sorted(judgements.systems))
    return TestSet(
        name=index.name,
        pair=pair,
        language=special.language or index.language or pair.partition("-")[2],
        systems=systems,
        outputs=tuple(outputs.read(system) for system in systems),
        references=tuple(segments for _, segments in references),
        source=source,
        rankings=judgements.rankings(systems),
        assessments=judgements.assessments(systems),
        system_scores=dict(judgements.system_scores),
        notes=tuple(judgements.notes(outputs)),
    )


def _files(root: Path, pattern: str, index: DataIndex, pair: str, what: str) -> list[Path]:
    is_glob = any(letter in pattern for letter in "*?[")
    found = sorted(root.glob(pattern)) if is_glob else [root / pattern]
    if not found or not found[0].is_file():
        raise InputError(f"{index.file}: {what} of {pair} is missing: {root / pattern}")
    return found


class _Outputs:
    """The outputs of one pair: where they are, and what is in them."""

    def __init__(self, spec: OutputSpec, root: Path, pair: str, length: int, index: DataIndex) -> None:
        self._length = length
        self._format = spec.format
        pattern = expand(spec.file, pair)
        self.where = str(root / pattern)
        self.files: dict[str, Path] = {}
        self._loaded: dict[str, list[str]] = {}
        if "{system}" in pattern:
            shape = id_pattern(pattern, pair)
            listing = "*".join(glob.escape(part) for part in re.split(r"\{system\}|\{number\}|\*", pattern))
            for file in root.glob(listing):
                found = shape.fullmatch(file.relative_to(root).as_posix())
                if found and file.is_file():
                    self.files[found["system"]] = file
            if not self.files:
                raise InputError(f"{index.file}: no system outputs of {pair}: {self.where}")
        else:
            file = _files(root, pattern, index, pair, "the file of outputs")[0]
            for system, segments in read_all_texts(file, "hypothesis").items():
                self.files[system] = file
                self._loaded[system] = segments

    def read(self, system: str) -> list[str]:
        """Return the output of a system."""
        file = self.files[system]
        segments = self._loaded.get(system)
        if segments is None:
            segments = self._loaded[system] = self._segments(file)
        if len(segments) != self._length:
            raise InputError(f"system {system}: {file} has {len(segments)} segments, its reference has {self._length}")
        return segments

    def _segments(self, file: Path) -> list[str]:
        if self._format == "plain":
            return list(read_segments(file))
        return read_texts(file, "hypothesis")


class _Judgements:
    """Collects the judgements of one pair, with the names and numbers of the outputs."""

    def __init__(self, pair: str, outputs: _Outputs, length: int, index: DataIndex, drop: frozenset[str]) -> None:
        self._pair = pair
        self._outputs = outputs
        self._length = length
        self._index = index
        self._drop = drop
        self._names: dict[tuple[int, str], tuple[str, ...]] = {}
        self._comparisons: list[tuple[int, str, str, bool]] = []
        self._assessments: list[tuple[int, str, float]] = []
        self._left_out: dict[str, int] = {}
        self._seen_rankings = self._seen_assessments = False
        self.systems: set[str] = set()
        self.system_scores: dict[str, float] = {}

    def read(self, spec: JudgementSpec, root: Path) -> None:
        """Add what one file has to say about the pair."""
        files = _files(root, expand(spec.file, self._pair), self._index, self._pair, "a file of judgements")
        folders = (root, self._index.file.parent)
        lines = _read_map(spec.segment_map, folders, self._pair) if spec.segment_map else None
        for file in files:
            if spec.format in ("da-segments", "da-systems"):
                self._read_assessments(spec, file, lines)
            else:
                self._read_rankings(spec, file, lines)

    def _is_ours(self, spec: JudgementSpec, pair: str) -> bool:
        return not pair or spec.pairs.get(pair, pair) == self._pair

    def _read_rankings(self, spec: JudgementSpec, file: Path, lines: dict[int, int] | None) -> None:
        self._seen_rankings = True
        readers: dict[str, Callable[[], Iterator[Comparison]]] = {
            "ranking-csv": lambda: read_ranking_csv(file, spec.languages),
            "ranking-xml": lambda: read_ranking_xml(file),
            "rank": lambda: read_rank_file(file),
        }
        for row in readers[spec.format]():
            if not self._is_ours(spec, row.pair):
                continue
            better, worse = self._resolve(spec, row.better, row.where), self._resolve(spec, row.worse, row.where)
            if not better or not worse:
                continue
            segment = self._segment(spec, row.segment, lines, row.where, file)
            if segment is not None:
                self._comparisons += [(segment, first, second, row.tie) for first in better for second in worse]

    def _read_assessments(self, spec: JudgementSpec, file: Path, lines: dict[int, int] | None) -> None:
        of_segments = spec.format == "da-segments"
        self._seen_assessments |= of_segments
        rows: Iterable[Assessment] = read_assessments(file, segments=of_segments, score=spec.score)
        for row in rows:
            if not self._is_ours(spec, row.pair):
                continue
            systems = self._resolve(spec, row.system, row.where)
            if not systems:
                continue
            if row.segment is None:
                for system in systems:
                    self.system_scores[system] = row.score
                continue
            segment = self._segment(spec, row.segment, lines, row.where, file)
            if segment is not None:
                # Systems with one output were shown once, so their score counts once.
                self._assessments.append((segment, systems[0], row.score))

    def _resolve(self, spec: JudgementSpec, name: str, where: str) -> tuple[str, ...]:
        """Return the outputs that a name of the judgements stands for; none if it is to be dropped."""
        key = (id(spec), name)
        known = self._names.get(key)
        if known is None:
            parts = name.split(spec.joined) if spec.joined else [name]
            resolved = (self._resolve_one(spec, part.strip(), where) for part in parts)
            known = self._names[key] = tuple(system for system in resolved if system is not None)
            self.systems.update(known)
        if not known:
            self._left_out[f"judgements of {name}"] = self._left_out.get(f"judgements of {name}", 0) + 1
        return known

    def _resolve_one(self, spec: JudgementSpec, name: str, where: str) -> str | None:
        if name in spec.drop or name in self._drop:
            return None
        if name in spec.rename:
            system = spec.rename[name]
        else:
            found = id_pattern(spec.system, self._pair).fullmatch(name)
            if found is None:
                raise InputError(f"{where}: system {name!r} is not of the form {spec.system!r} that the index gives")
            system = found.groupdict().get("system", name)
            if system in spec.drop or system in self._drop:
                return None
            system = spec.rename.get(system, system)
        if system not in self._outputs.files:
            raise InputError(
                f"{where}: system {system!r} has no output in {self._outputs.where}"
                f"{near_miss(system, self._outputs.files)}; correct it under 'rename' in {self._index.file}, "
                "or leave it out under 'drop'"
            )
        return system

    def _segment(
        self, spec: JudgementSpec, number: int, lines: dict[int, int] | None, where: str, file: Path
    ) -> int | None:
        if lines is not None:
            line = lines.get(number)
            if line is None:
                what = f"judgements of segments that are not in {spec.segment_map.file if spec.segment_map else ''}"
                self._left_out[what] = self._left_out.get(what, 0) + 1
                return None
            segment = line - 1
        else:
            segment = number - spec.first_segment
        if not 0 <= segment < self._length:
            raise InputError(f"{where}: segment {number} is outside the test set of {self._length} segments")
        return segment

    def rankings(self, systems: tuple[str, ...]) -> Rankings | None:
        """Return the comparisons as arrays."""
        if not self._seen_rankings:
            return None
        at = {system: position for position, system in enumerate(systems)}
        segments, better, worse, ties = zip(*self._comparisons, strict=True) if self._comparisons else ((),) * 4
        return Rankings(
            np.array(segments, np.int64),
            np.array([at[system] for system in better], np.int64),
            np.array([at[system] for system in worse], np.int64),
            np.array(ties, bool),
        )

    def assessments(self, systems: tuple[str, ...]) -> Assessments | None:
        """Return the human scores as arrays."""
        if not self._seen_assessments:
            return None
        at = {system: position for position, system in enumerate(systems)}
        segments, names, scores = zip(*self._assessments, strict=True) if self._assessments else ((),) * 3
        return Assessments(
            np.array(segments, np.int64), np.array([at[name] for name in names], np.int64), np.array(scores, float)
        )

    def notes(self, outputs: _Outputs) -> Iterator[str]:
        """Say what was left out."""
        for what, count in sorted(self._left_out.items()):
            yield f"left out: {count} {what}"
        silent = sorted(set(outputs.files) - self.systems)
        if silent:
            yield f"outputs without judgements: {', '.join(silent)}"


def _read_map(spec: SegmentMap, folders: tuple[Path, ...], pair: str) -> dict[int, int]:
    """Read the table from the first folder that has it: the data's, or that of the index, if it came with the index."""
    files = [folder / expand(spec.file, pair) for folder in folders]
    file = next((file for file in files if file.is_file()), files[0])
    rows = read_segments(file)
    header = next(rows, "").split("\t")
    for title in (spec.key, spec.line, *spec.only):
        if title not in header:
            raise InputError(f"{file}: no column {title!r}; it has {', '.join(header)}")
    lines: dict[int, int] = {}
    for number, row in enumerate(rows, 2):
        if not row.strip():
            continue
        cells = dict(zip(header, row.split("\t"), strict=False))
        try:
            if all(cells[title] == value for title, value in spec.only.items()):
                lines[int(cells[spec.key])] = int(cells[spec.line])
        except (KeyError, ValueError):
            raise InputError(f"{file}, line {number}: not a row of numbers for {', '.join(header)}") from None
    return lines
