"""Test sets: outputs, references and judgments, lined up as a data index says."""

from __future__ import annotations

import dataclasses
import glob
import json
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import InputError, SystemOutputs, TextColumns
from meteor_e.base.array_cache import Floats
from meteor_e.base.errors import count_of, near_miss
from meteor_e.base.files import PathLike
from meteor_e.formats.delimited import DelimitedTable
from meteor_e.formats.documents import Role
from meteor_e.formats.inputs import TEXT_FORMATS, input_format, read_collection
from meteor_e.formats.plain import read_segments
from meteor_e.formats.test_sets import named_set, target_language
from meteor_e_evaluation.index import (
    NAMED,
    DataIndex,
    JudgementSpec,
    OutputSpec,
    RecordSpec,
    SegmentMap,
    expand,
    id_pattern,
)
from meteor_e_evaluation.judgements import Assessments, Rankings
from meteor_e_evaluation.rankings import RankedPair, read_rank_file, read_ranking_csv
from meteor_e_evaluation.ratings import Assessment, read_assessments, read_mqm, read_ratings, read_score_lines


def read_all_texts(path: PathLike, role: Role) -> dict[str, list[str]]:
    """Read all texts of a role (``hypothesis``, ``reference``, ``source``) in a file.

    Args:
        path: the file. Plain text holds one text, which is called ``""``.
        role: what to read from SGML and XML.

    Raises:
        InputError: if the file is malformed or has none.
    """
    form = input_format(os.fspath(path))
    if form not in TEXT_FORMATS or form == "plain":
        return {"": list(read_segments(path))}
    found = read_collection(path, form).texts[role]
    if not found:
        raise InputError(f"{path}: holds no {role}")
    # Segments missing in a system must not shift the others, so lengths are compared by the caller.
    return {name: [*segments.values()] for name, segments in found.items()}


def read_texts(path: PathLike, role: Role) -> list[str]:
    """Read the one text of a role in a file.

    Raises:
        InputError: if the file is malformed, or has none or several.
    """
    texts = read_all_texts(path, role)
    if len(texts) != 1:
        raise InputError(f"{path}: one {role} is needed, it has {len(texts)} ({', '.join(texts)})")
    (text,) = texts.values()
    return text


SHIFTED = 0.2
"""Share of rated texts that may differ from the outputs before we warn that the judgments are shifted."""


@dataclass(frozen=True)
class TestSet(SystemOutputs):
    """One language pair of a shared task.

    Attributes:
        name: of the shared task.
        pair: ``source-target``.
        language: of the outputs.
        systems: names of the judged systems, sorted.
        outputs: their outputs, in the order of ``systems``; one list of segments each.
        references: one list of segments per reference.
        source: segments of the source; ``None`` if the index names none.
        rankings: comparisons of systems, ``None`` if there are none.
        assessments: human scores of segments, ``None`` if there are none.
        system_scores: human scores of systems, by name; empty if there are none.
        notes: what was left out in reading, for the sanity report.
        known_systems: names of all outputs, judged or not.
        reference_names: what files of scores call the references; empty where the index does not say.
        documents: the document of each segment; empty where the index does not say.
        outliers: systems that system-level measures leave out.
        root: folder of the data.
    """

    __test__ = False  # for pytest: this is no test class

    rankings: Rankings | None = None
    assessments: Assessments | None = None
    system_scores: dict[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    known_systems: tuple[str, ...] = ()
    reference_names: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    outliers: tuple[str, ...] = ()
    root: str = ""

    @cached_property
    def human(self) -> Floats:
        """Human scores as ``(systems, segments)``; NaN where there is none."""
        shape = (len(self.systems), len(self))
        return np.full(shape, np.nan) if self.assessments is None else self.assessments.matrix(shape)

    def without(self, cells: NDArray[np.bool_]) -> TestSet:
        """Return the test set without the judgments of some cells, ``(systems, segments)``."""
        rankings, assessments = self.rankings, self.assessments
        if rankings is not None:
            lost = cells[rankings.better, rankings.segments] | cells[rankings.worse, rankings.segments]
            rankings = rankings.select(~lost)
        if assessments is not None:
            assessments = assessments.select(~cells[assessments.systems, assessments.segments])
        return dataclasses.replace(self, rankings=rankings, assessments=assessments)

    def judged(self) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
        """Return which segments of which systems were judged, as ``(systems, segments)`` truth values."""
        cells = np.zeros((len(self.systems), len(self)), bool)
        if self.rankings is not None:
            cells[self.rankings.better, self.rankings.segments] = True
            cells[self.rankings.worse, self.rankings.segments] = True
        if self.assessments is not None:
            cells[self.assessments.systems, self.assessments.segments] = True
        return cells


def load_test_set(index: DataIndex, pair: str, *, every_system: bool = False) -> TestSet:
    """Read one language pair of an index and line it up.

    Args:
        index: the index.
        pair: the language pair.
        every_system: whether to read systems that nobody judged, too; no measure looks at them.

    Raises:
        ConfigError: for a pair that the index does not have.
        InputError: for what is missing or does not line up, naming system and file.
    """
    special = index.pair(pair)
    if index.records is not None:
        return _read_records(index, pair, index.records)
    root = Path(index.root)
    references = []
    for pattern in special.references or index.references:
        references += _references(pattern, root, index, pair)
    length = len(references[0][1])
    for file, segments in references:
        if len(segments) != length:
            raise InputError(f"{file} has {len(segments)} segments, {references[0][0]} has {length}")
    documents = _documents(special.documents or index.documents, root, index, pair, length)
    where = special.outputs or index.outputs
    assert where is not None  # load_index has checked it
    outputs = _Outputs(where, root, pair, length, index)
    judgements = _Judgements(pair, outputs, length, index, frozenset(special.drop), documents)
    specs = index.judgements if special.judgements is None else special.judgements
    for spec in specs:
        judgements.read(spec, root)
    if not judgements.systems:
        raise InputError(f"{index.file}: no judgments for {pair} in {', '.join(spec.file for spec in specs)}")
    source = _source(special.source or index.source, root, index, pair)
    if source is not None and len(source[1]) != length:
        raise InputError(f"{source[0]} has {len(source[1])} segments, {references[0][0]} has {length}")
    used = set(special.reference_names)
    systems = tuple(sorted({*outputs.files} - used if every_system else judgements.systems))
    outliers = {*special.outliers, *index.outliers}
    return TestSet(
        name=index.name,
        pair=pair,
        language=special.language or index.language or target_language(pair),
        systems=systems,
        outputs=tuple(outputs.read(system) for system in systems),
        references=tuple(segments for _, segments in references),
        source=None if source is None else source[1],
        rankings=judgements.rankings(systems),
        assessments=judgements.assessments(systems),
        system_scores=dict(judgements.system_scores),
        notes=tuple(judgements.notes(outputs)),
        known_systems=tuple(sorted(outputs.files)),
        reference_names=tuple(special.reference_names),
        documents=documents,
        outliers=tuple(system for system in systems if system in outliers),
        root=index.root,
    )


def _rows(file: Path, spec: RecordSpec) -> Iterator[tuple[int, Callable[[], Any]]]:
    """Yield the number of each record, and what returns it."""
    kind = next((suffix for suffix in reversed(file.suffixes) if suffix in (".csv", ".tsv")), "")
    if kind:
        table = DelimitedTable(str(file), TextColumns((spec.hypothesis,), (spec.references,)), kind == ".tsv")
        return ((number, partial(dict, row)) for number, row in table.records())
    return ((number, partial(json.loads, line)) for number, line in enumerate(read_segments(file), 1))


def _read_records(index: DataIndex, pair: str, spec: RecordSpec) -> TestSet:
    """Read a file of rated texts, each with its own references: one system, one segment per record.

    A text with fewer references than others has its last one several times.
    """
    file = _files(Path(index.root), expand(spec.file, pair), index, pair, "the file of records")[0]
    texts: list[str] = []
    lists: list[list[str]] = []
    scores: list[float] = []
    for number, read in _rows(file, spec):
        try:
            row = read()
            text, references, score = row[spec.hypothesis], row[spec.references], float(row[spec.score])
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"{file}, line {number}: not a record with these fields: {error}") from None
        listed = [references] if isinstance(references, str) else references
        if not isinstance(text, str) or not isinstance(listed, list) or not listed or not math.isfinite(score):
            raise InputError(f"{file}, line {number}: a text, its references and a finite score are needed")
        if not all(isinstance(each, str) for each in listed):
            raise InputError(f"{file}, line {number}: a reference is not a text")
        texts.append(text)
        lists.append(listed)
        scores.append(score)
    if not texts:
        raise InputError(f"{file} is empty")
    most = max(map(len, lists))
    return TestSet(
        name=index.name,
        pair=pair,
        language=index.pair(pair).language or index.language or target_language(pair),
        systems=("all",),
        outputs=(texts,),
        references=tuple([each[min(at, len(each) - 1)] for each in lists] for at in range(most)),
        assessments=Assessments(np.arange(len(texts)), np.zeros(len(texts), np.int64), np.array(scores)),
        known_systems=("all",),
        root=index.root,
    )


def _references(pattern: str, root: Path, index: DataIndex, pair: str) -> list[tuple[Path, list[str]]]:
    if pattern.startswith(NAMED):
        named = named_set(pattern.removeprefix(NAMED), pair)
        return [(Path(file), list(read_segments(file))) for file in named.references]
    return [
        (file, segments)
        for file in _files(root, expand(pattern, pair), index, pair, "a reference")
        for segments in read_all_texts(file, "reference").values()
    ]


def _source(pattern: str | None, root: Path, index: DataIndex, pair: str) -> tuple[Path, list[str]] | None:
    if pattern is None:
        return None
    if pattern.startswith(NAMED):
        named = named_set(pattern.removeprefix(NAMED), pair)
        return Path(named.source), list(read_segments(named.source))
    file = _files(root, expand(pattern, pair), index, pair, "the source")[0]
    return file, read_texts(file, "source")


def _documents(pattern: str | None, root: Path, index: DataIndex, pair: str, length: int) -> tuple[str, ...]:
    """Read the document of each segment: the last column of a file with a line per segment."""
    if pattern is None:
        return ()
    file = _files(root, expand(pattern, pair), index, pair, "the file of documents")[0]
    names = tuple(line.rpartition("\t")[2].strip() for line in read_segments(file))
    if len(names) != length:
        raise InputError(f"{file} has {len(names)} lines, the test set has {length} segments")
    return names


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
        self.files: dict[str, Path] = {}
        self._loaded: dict[str, list[str]] = {}
        if spec.file.startswith(NAMED):
            self.where = spec.file
            for system, path in named_set(spec.file.removeprefix(NAMED), pair).systems.items():
                self.files[system] = Path(spec.file)
                self._loaded[system] = list(read_segments(path))
            if not self.files:
                raise InputError(f"{index.file}: {spec.file} has no system outputs for {pair}")
            return
        pattern = expand(spec.file, pair)
        self.where = str(root / pattern)
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
            raise InputError(
                f"system {system}: {file} has {count_of(len(segments), 'segment')}, its reference has {self._length}"
            )
        return segments

    def _segments(self, file: Path) -> list[str]:
        if self._format == "plain":
            return list(read_segments(file))
        return read_texts(file, "hypothesis")


class _Judgements:
    """Collects the judgments of one pair, with the names and numbers of the outputs."""

    def __init__(
        self,
        pair: str,
        outputs: _Outputs,
        length: int,
        index: DataIndex,
        drop: frozenset[str],
        documents: tuple[str, ...] = (),
    ) -> None:
        self._pair = pair
        self._outputs = outputs
        self._length = length
        self._index = index
        self._drop = drop
        self._in_document: dict[str, list[int]] = {}
        for segment, document in enumerate(documents):
            self._in_document.setdefault(document, []).append(segment)
        self._texts = self._other_texts = 0
        self._keep_all = False
        self._several: int = 0
        self._names: dict[tuple[int, str], tuple[str, ...]] = {}
        self._comparisons: list[tuple[int, str, str, bool]] = []
        self._assessments: list[tuple[int, str, float]] = []
        self._left_out: dict[str, int] = {}
        self._seen_rankings = self._seen_assessments = False
        self.systems: set[str] = set()
        self.system_scores: dict[str, float] = {}

    def read(self, spec: JudgementSpec, root: Path) -> None:
        """Add what one file has to say about the pair."""
        files = _files(root, expand(spec.file, self._pair), self._index, self._pair, "a file of judgments")
        folders = (root, self._index.file.parent)
        lines = _read_map(spec.segment_map, folders, self._pair) if spec.segment_map else None
        for file in files:
            if spec.format in ("ranking-csv", "rank"):
                self._read_rankings(spec, file, lines)
            else:
                self._read_assessments(spec, file, lines)

    def _is_ours(self, spec: JudgementSpec, pair: str) -> bool:
        return not pair or spec.pairs.get(pair, pair) == self._pair

    def _read_rankings(self, spec: JudgementSpec, file: Path, lines: dict[int, int] | None) -> None:
        self._seen_rankings = True
        readers: dict[str, Callable[[], Iterator[RankedPair]]] = {
            "ranking-csv": lambda: read_ranking_csv(file, spec.languages),
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
        self._seen_assessments |= spec.format not in ("da-systems", "score-systems")
        self._keep_all |= spec.ratings == "all"
        sign = -1.0 if spec.lower_is_better else 1.0
        given: dict[str, str] = {}
        for row in self._rows(spec, file):
            if not self._is_ours(spec, row.pair):
                continue
            systems = self._resolve(spec, row.system, row.where)
            if not systems:
                continue
            if row.segment is None:
                for system in systems:
                    before = given.setdefault(system, row.where)
                    if before != row.where:
                        raise InputError(f"{row.where}: a second score of system {system}; the first is in {before}")
                    self.system_scores[system] = sign * row.score
                continue
            segment = self._place(spec, row, lines, file)
            if segment is not None:
                self._compare_texts(systems[0], segment, row.text)
                # Systems with one output were shown once, so their score counts once.
                self._assessments.append((segment, systems[0], sign * row.score))

    def _rows(self, spec: JudgementSpec, file: Path) -> Iterable[Assessment]:
        """Read a file of human scores in any form."""
        if spec.format == "mqm":
            return read_mqm(file, in_document=spec.segments == "document", weights=spec.weights, only=spec.only)
        if spec.format == "ratings":
            return read_ratings(
                file,
                in_document=spec.segments == "document",
                score=spec.score,
                columns=spec.columns,
                only=spec.only,
            )
        if spec.format in ("score-segments", "score-systems"):
            length = self._length if spec.format == "score-segments" else None
            return read_score_lines(file, length)
        return read_assessments(file, segments=spec.format == "da-segments", score=spec.score)

    def _place(self, spec: JudgementSpec, row: Assessment, lines: dict[int, int] | None, file: Path) -> int | None:
        """Return the segment of a row, from 0."""
        assert row.segment is not None
        if not row.document:
            return self._segment(spec, row.segment, lines, row.where, file)
        if not self._in_document:
            raise InputError(
                f"{row.where}: segments are counted in documents, but {self._index.file} names no 'documents'"
            )
        inside = self._in_document.get(row.document)
        if inside is None:
            near = near_miss(row.document, self._in_document)
            raise InputError(f"{row.where}: {self._pair} has no document {row.document!r}{near}")
        place = row.segment - spec.first_segment
        if not 0 <= place < len(inside):
            raise InputError(
                f"{row.where}: segment {row.segment} is outside the document {row.document}, which has {len(inside)}"
            )
        return inside[place]

    def _compare_texts(self, system: str, segment: int, text: str | None) -> None:
        """Count rated texts that are not the system's output: a shifted join shows there."""
        if text is not None:
            self._texts += 1
            self._other_texts += text.split() != self._outputs.read(system)[segment].split()

    def _resolve(self, spec: JudgementSpec, name: str, where: str) -> tuple[str, ...]:
        """Return the outputs that a name of the judgments stands for; none if it is to be dropped."""
        key = (id(spec), name)
        known = self._names.get(key)
        if known is None:
            parts = name.split(spec.joined) if spec.joined else [name]
            resolved = (self._resolve_one(spec, part.strip(), where) for part in parts)
            known = self._names[key] = tuple(system for system in resolved if system is not None)
            self.systems.update(known)
        if not known:
            self._left_out[f"judgments of {name}"] = self._left_out.get(f"judgments of {name}", 0) + 1
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
                what = f"judgments of segments that are not in {spec.segment_map.file if spec.segment_map else ''}"
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
        every = Assessments(
            np.array(segments, np.int64), np.array([at[name] for name in names], np.int64), np.array(scores, float)
        )
        mean = every.averaged()
        self._several = len(every) - len(mean)
        return every if self._keep_all or not self._several else mean

    def notes(self, outputs: _Outputs) -> Iterator[str]:
        """Say what was left out."""
        for what, count in sorted(self._left_out.items()):
            yield f"left out: {count} {what}"
        if self._several:
            done = "each is kept" if self._keep_all else "several of one segment are averaged"
            count = len(self._assessments)
            yield f"{count} ratings of {count - self._several} segments of systems: {done}"
        if self._other_texts:
            message = f"{self._other_texts} of {self._texts} rated texts are not the system's output"
            if self._other_texts > SHIFTED * self._texts:
                message = f"warning: {message}; are the judgments shifted against the outputs?"
            yield message
        silent = sorted(set(outputs.files) - self.systems)
        if silent:
            yield f"outputs without judgments: {', '.join(silent)}"


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
