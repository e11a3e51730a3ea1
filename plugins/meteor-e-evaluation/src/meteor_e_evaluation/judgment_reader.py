"""Reads the human judgments of a language pair, and assigns them to the outputs of systems."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from meteor_e.api import InputError
from meteor_e.base.errors import near_miss
from meteor_e.formats.plain import read_segments
from meteor_e_evaluation.index import DataIndex, JudgmentSpec, SegmentMap, fill_pattern, system_name_regex
from meteor_e_evaluation.judgments import Assessments, Rankings
from meteor_e_evaluation.rankings import read_rank_file, read_ranking_csv
from meteor_e_evaluation.ratings import HumanScore, read_assessments, read_mqm, read_ratings, read_score_lines
from meteor_e_evaluation.text_files import OutputFiles, find_files

SHIFTED_TEXTS_LIMIT = 0.2
"""Proportion of rated texts that differ from the outputs above which a warning about shifted judgments is issued."""


class SystemNames:
    """Maps the system names of a file of judgments to names of outputs.

    Attributes:
        judged: names of the outputs that judgments refer to.
    """

    def __init__(
        self, spec: JudgmentSpec, pair: str, outputs: OutputFiles, dropped: frozenset[str], index_file: Path
    ) -> None:
        self._spec = spec
        self._outputs = outputs
        self._dropped = dropped | frozenset(spec.drop)
        self._index_file = index_file
        self._name_regex = system_name_regex(spec.system, pair)
        self._systems_by_name: dict[str, tuple[str, ...]] = {}
        self.judged: set[str] = set()

    def resolve(self, name: str, location: str) -> tuple[str, ...]:
        """Return the systems that a name stands for, or an empty tuple if the index drops the name.

        Raises:
            InputError: if the name does not match the pattern of the index, or if the system has no output.
        """
        if name not in self._systems_by_name:
            separator = self._spec.system_separator
            parts = name.split(separator) if separator else [name]
            systems = [self._resolve_part(part.strip(), location) for part in parts]
            self._systems_by_name[name] = tuple(system for system in systems if system is not None)
            self.judged.update(self._systems_by_name[name])
        return self._systems_by_name[name]

    def _resolve_part(self, name: str, location: str) -> str | None:
        """Return the system that a name stands for, or None if the index drops the name."""
        if name in self._dropped:
            return None
        if name in self._spec.rename:
            system = self._spec.rename[name]
        else:
            match = self._name_regex.fullmatch(name)
            if match is None:
                raise InputError(
                    f"{location}: system {name!r} is not of the form {self._spec.system!r} that the index gives"
                )
            system = match.groupdict().get("system", name)
            if system in self._dropped:
                return None
            system = self._spec.rename.get(system, system)
        if system not in self._outputs.files:
            raise InputError(
                f"{location}: system {system!r} has no output in {self._outputs.location}"
                f"{near_miss(system, self._outputs.files)}; correct it under 'rename' in {self._index_file}, "
                "or leave it out under 'drop'"
            )
        return system


class SegmentNumbers:
    """Maps the segment numbers of a file of judgments to indices of segments.

    Args:
        spec: entry of the file in the index.
        pair: the language pair.
        n_segments: number of segments of the test set.
        lines: line numbers by segment number, or None if the index has no segment map.
        document_segments: indices of the segments of each document.
        index_file: path of the index, for messages.
    """

    def __init__(
        self,
        spec: JudgmentSpec,
        pair: str,
        n_segments: int,
        lines: dict[int, int] | None,
        document_segments: dict[str, list[int]],
        index_file: Path,
    ) -> None:
        self._spec = spec
        self._pair = pair
        self._n_segments = n_segments
        self._lines = lines
        self._document_segments = document_segments
        self._index_file = index_file

    def find(self, number: int, location: str) -> int | None:
        """Return the index of a segment, or None if the segment map does not contain its number.

        Raises:
            InputError: if the number is outside the test set.
        """
        if self._lines is None:
            segment = number - self._spec.first_segment
        elif number in self._lines:
            segment = self._lines[number] - 1
        else:
            return None
        if not 0 <= segment < self._n_segments:
            raise InputError(f"{location}: segment {number} is outside the test set of {self._n_segments} segments")
        return segment

    def find_in_document(self, document: str, number: int, location: str) -> int:
        """Return the index of the segment with a number within a document.

        Raises:
            InputError: if the data index does not name documents, or if the document does not have such a segment.
        """
        if not self._document_segments:
            raise InputError(
                f"{location}: segments are counted in documents, but {self._index_file} names no 'documents'"
            )
        segments = self._document_segments.get(document)
        if segments is None:
            hint = near_miss(document, self._document_segments)
            raise InputError(f"{location}: {self._pair} has no document {document!r}{hint}")
        position = number - self._spec.first_segment
        if not 0 <= position < len(segments):
            raise InputError(
                f"{location}: segment {number} is outside the document {document}, which has {len(segments)}"
            )
        return segments[position]


class JudgmentReader:
    """Collects the judgments of a language pair from several files.

    Attributes:
        systems: names of the judged systems.
        system_scores: human scores of systems, by name.
    """

    def __init__(
        self, pair: str, outputs: OutputFiles, n_segments: int, index: DataIndex, documents: Sequence[str] = ()
    ) -> None:
        self._pair = pair
        self._outputs = outputs
        self._n_segments = n_segments
        self._index = index
        self._dropped = frozenset(index.pair(pair).drop)
        self._document_segments: dict[str, list[int]] = {}
        for segment, document in enumerate(documents):
            self._document_segments.setdefault(document, []).append(segment)
        self._has_rankings = False
        self._has_assessments = False
        self._keeps_all_ratings = False
        self._comparisons: list[tuple[int, str, str, bool]] = []
        self._ratings: list[tuple[int, str, float]] = []
        self._n_left_out: Counter[str] = Counter()
        self._n_rated_texts = 0
        self._n_different_texts = 0
        self.systems: set[str] = set()
        self.system_scores: dict[str, float] = {}

    def read(self, spec: JudgmentSpec, root: Path) -> None:
        """Read the judgments of the language pair from the files of an entry of the index.

        Args:
            spec: the entry.
            root: folder of the data.

        Raises:
            InputError: if a file is malformed, or if it refers to unknown systems or segments. The message names the
                file and the line.
        """
        files = find_files(root, fill_pattern(spec.file, self._pair), self._index, self._pair, "a file of judgments")
        lines = None
        if spec.segment_map is not None:
            lines = _read_segment_map(spec.segment_map, (root, self._index.file.parent), self._pair)
        names = SystemNames(spec, self._pair, self._outputs, self._dropped, self._index.file)
        numbers = SegmentNumbers(spec, self._pair, self._n_segments, lines, self._document_segments, self._index.file)
        for file in files:
            if spec.format in ("ranking-csv", "rank"):
                self._read_rankings(spec, file, names, numbers)
            else:
                self._read_human_scores(spec, file, names, numbers)
        self.systems |= names.judged

    def _is_of_pair(self, spec: JudgmentSpec, pair: str) -> bool:
        """Return whether a judgment is about this language pair, which is assumed if the file does not name a pair."""
        return not pair or spec.pairs.get(pair, pair) == self._pair

    def _resolve(self, name: str, names: SystemNames, location: str) -> tuple[str, ...]:
        systems = names.resolve(name, location)
        if not systems:
            self._n_left_out[f"judgments of {name}"] += 1
        return systems

    def _find_segment(self, spec: JudgmentSpec, number: int, numbers: SegmentNumbers, location: str) -> int | None:
        segment = numbers.find(number, location)
        if segment is None and spec.segment_map is not None:
            self._n_left_out[f"judgments of segments that are not in {spec.segment_map.file}"] += 1
        return segment

    def _read_rankings(self, spec: JudgmentSpec, file: Path, names: SystemNames, numbers: SegmentNumbers) -> None:
        """Read a file of rankings, and store the comparisons of the language pair."""
        self._has_rankings = True
        ranked_pairs = read_rank_file(file) if spec.format == "rank" else read_ranking_csv(file, spec.languages)
        for ranked_pair in ranked_pairs:
            if not self._is_of_pair(spec, ranked_pair.pair):
                continue
            better_systems = self._resolve(ranked_pair.better, names, ranked_pair.location)
            worse_systems = self._resolve(ranked_pair.worse, names, ranked_pair.location)
            if not better_systems or not worse_systems:
                continue
            segment = self._find_segment(spec, ranked_pair.segment, numbers, ranked_pair.location)
            if segment is not None:
                for better, worse in itertools.product(better_systems, worse_systems):
                    self._comparisons.append((segment, better, worse, ranked_pair.tie))

    def _read_human_scores(self, spec: JudgmentSpec, file: Path, names: SystemNames, numbers: SegmentNumbers) -> None:
        """Read a file of human scores, and store the scores of segments and systems of the language pair."""
        self._has_assessments |= spec.format not in ("da-systems", "score-systems")
        self._keeps_all_ratings |= spec.ratings == "all"
        sign = -1.0 if spec.lower_is_better else 1.0
        locations: dict[str, str] = {}
        for row in self._iterate_human_scores(spec, file):
            if not self._is_of_pair(spec, row.pair):
                continue
            systems = self._resolve(row.system, names, row.location)
            if not systems:
                continue
            if row.segment is None:
                self._add_system_scores(systems, sign * row.score, row.location, locations)
                continue
            segment: int | None
            if row.document:
                segment = numbers.find_in_document(row.document, row.segment, row.location)
            else:
                segment = self._find_segment(spec, row.segment, numbers, row.location)
            if segment is not None:
                self._add_rating(segment, systems[0], sign * row.score, row.text)

    def _iterate_human_scores(self, spec: JudgmentSpec, file: Path) -> Iterable[HumanScore]:
        """Read a file of human scores in the format of its entry in the index."""
        in_document = spec.segments == "document"
        if spec.format == "mqm":
            return read_mqm(file, in_document=in_document, weights=spec.weights, only=spec.only)
        if spec.format == "ratings":
            return read_ratings(file, in_document=in_document, score=spec.score, columns=spec.columns, only=spec.only)
        if spec.format in ("score-segments", "score-systems"):
            return read_score_lines(file, self._n_segments if spec.format == "score-segments" else None)
        return read_assessments(file, segments=spec.format == "da-segments", score=spec.score)

    def _add_system_scores(
        self, systems: Sequence[str], score: float, location: str, locations: dict[str, str]
    ) -> None:
        for system in systems:
            first_location = locations.setdefault(system, location)
            if first_location != location:
                raise InputError(f"{location}: a second score of system {system}; the first is in {first_location}")
            self.system_scores[system] = score

    def _add_rating(self, segment: int, system: str, score: float, text: str | None) -> None:
        """Add the rating of an output, and compare the rated text with the output if the file contains it."""
        if text is not None:
            self._n_rated_texts += 1
            self._n_different_texts += text.split() != self._outputs.read(system)[segment].split()
        self._ratings.append((segment, system, score))

    def rankings(self, systems: Sequence[str]) -> Rankings | None:
        """Return the comparisons as arrays, or None if no file of rankings was read.

        Args:
            systems: names of the systems, whose indices the arrays contain.
        """
        if not self._has_rankings:
            return None
        index_of = {system: index for index, system in enumerate(systems)}
        return Rankings(
            segments=np.array([segment for segment, _, _, _ in self._comparisons], np.int64),
            better=np.array([index_of[better] for _, better, _, _ in self._comparisons], np.int64),
            worse=np.array([index_of[worse] for _, _, worse, _ in self._comparisons], np.int64),
            ties=np.array([is_tie for _, _, _, is_tie in self._comparisons], bool),
        )

    def assessments(self, systems: Sequence[str]) -> Assessments | None:
        """Return the ratings as arrays, or None if no file of ratings was read.

        Several ratings of an output are averaged, unless the index demands all of them.

        Args:
            systems: names of the systems, whose indices the arrays contain.
        """
        if not self._has_assessments:
            return None
        ratings = self._all_ratings(systems)
        means = ratings.average_repeated()
        return ratings if self._keeps_all_ratings or len(means) == len(ratings) else means

    def _all_ratings(self, systems: Sequence[str]) -> Assessments:
        index_of = {system: index for index, system in enumerate(systems)}
        return Assessments(
            segments=np.array([segment for segment, _, _ in self._ratings], np.int64),
            systems=np.array([index_of[system] for _, system, _ in self._ratings], np.int64),
            scores=np.array([score for _, _, score in self._ratings], float),
        )

    def notes(self) -> Iterator[str]:
        """Yield messages about left-out and averaged judgments, and about outputs without judgments."""
        for description, count in sorted(self._n_left_out.items()):
            yield f"left out: {count} {description}"
        n_ratings = len(self._ratings)
        n_outputs = len({(segment, system) for segment, system, _ in self._ratings})
        if n_outputs < n_ratings:
            treatment = "each is kept" if self._keeps_all_ratings else "several of one segment are averaged"
            yield f"{n_ratings} ratings of {n_outputs} segments of systems: {treatment}"
        if self._n_different_texts:
            message = f"{self._n_different_texts} of {self._n_rated_texts} rated texts are not the system's output"
            if self._n_different_texts > SHIFTED_TEXTS_LIMIT * self._n_rated_texts:
                message = f"warning: {message}; are the judgments shifted against the outputs?"
            yield message
        unjudged = sorted(set(self._outputs.files) - self.systems)
        if unjudged:
            yield f"outputs without judgments: {', '.join(unjudged)}"


def _read_segment_map(spec: SegmentMap, folders: Sequence[Path], pair: str) -> dict[int, int]:
    """Return the line numbers of segments by segment number.

    Args:
        spec: the table of segment numbers.
        folders: folders in which the table may be. The first one that contains the table is used.
        pair: the language pair.
    """
    candidates = [folder / fill_pattern(spec.file, pair) for folder in folders]
    file = next((candidate for candidate in candidates if candidate.is_file()), candidates[0])
    rows = read_segments(file)
    header = next(rows, "").split("\t")
    for title in (spec.key, spec.line, *spec.only):
        if title not in header:
            raise InputError(f"{file}: no column {title!r}; it has {', '.join(header)}")
    lines: dict[int, int] = {}
    for row_number, row in enumerate(rows, 2):
        if not row.strip():
            continue
        cells = dict(zip(header, row.split("\t"), strict=False))
        try:
            if _is_selected(cells, spec):
                lines[int(cells[spec.key])] = int(cells[spec.line])
        except (KeyError, ValueError):
            raise InputError(f"{file}, line {row_number}: not a row of numbers for {', '.join(header)}") from None
    return lines


def _is_selected(cells: Mapping[str, str], spec: SegmentMap) -> bool:
    """Return whether a row has the values that the entry of the index requires."""
    return all(cells[title] == value for title, value in spec.only.items())
