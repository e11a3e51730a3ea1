"""Reads the human judgments of a language pair, and assigns them to the outputs of systems."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

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


class _Comparison(NamedTuple):
    """A human comparison of two systems on one segment.

    Attributes:
        segment: index of the segment.
        better, worse: names of the better and the worse system.
        tie: whether the annotator ranked the two systems equally.
    """

    segment: int
    better: str
    worse: str
    tie: bool


class _Rating(NamedTuple):
    """A human rating of the output of a system for a segment.

    Attributes:
        segment: index of the segment.
        system: name of the system.
        score: the rating. Higher ratings are better.
    """

    segment: int
    system: str
    score: float


class SystemNames:
    """Maps system names in a file of judgments to names of system outputs.

    Args:
        spec: entry of the file in the index.
        pair: the language pair.
        outputs: the outputs of the systems.
        dropped: names that are not systems of the language pair.
        index_file: path of the index, for messages.

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
        """Return the systems that a name in a file of judgments stands for.

        The result is empty if the index file lists the name under ``drop``.

        Args:
            name: name of a system in the file, or the names of several systems with the same output.
            location: file and line, for error messages.

        Raises:
            InputError: if the name does not match the pattern of the index, or if the system has no output.
        """
        if name not in self._systems_by_name:
            separator = self._spec.system_separator
            single_names = name.split(separator) if separator else [name]
            systems = [self._resolve_single_name(single_name.strip(), location) for single_name in single_names]
            self._systems_by_name[name] = tuple(system for system in systems if system is not None)
            self.judged.update(self._systems_by_name[name])
        return self._systems_by_name[name]

    def _resolve_single_name(self, name: str, location: str) -> str | None:
        """Return the system that a name stands for, or None if the index file drops the name."""
        # The index file may drop or rename either the whole name, or the part of it that its pattern extracts.
        is_listed = name in self._dropped or name in self._spec.rename
        listed_name = name if is_listed else self._match_pattern(name, location)
        if listed_name in self._dropped:
            return None
        system = self._spec.rename.get(listed_name, listed_name)
        if system not in self._outputs.files:
            raise InputError(
                f"{location}: system {system!r} has no output in {self._outputs.location}"
                f"{near_miss(system, self._outputs.files)}; correct it under 'rename' in {self._index_file}, "
                "or leave it out under 'drop'"
            )
        return system

    def _match_pattern(self, name: str, location: str) -> str:
        """Extract the name of a system by the pattern that the index file gives.

        Without a pattern, the whole name is returned.
        """
        match = self._name_regex.fullmatch(name)
        if match is None:
            raise InputError(
                f"{location}: system {name!r} is not of the form {self._spec.system!r} that the index gives"
            )
        return match.groupdict().get("system", name)


@dataclass(frozen=True)
class SegmentNumbers:
    """Maps segment numbers in a file of judgments to indices of segments.

    Attributes:
        spec: entry of the file in the index.
        pair: the language pair.
        n_segments: number of segments of the test set.
        lines: line numbers by segment number, or None if the index has no segment map.
        document_segments: indices of the segments of each document.
        index_file: path of the index, for messages.
    """

    spec: JudgmentSpec
    pair: str
    n_segments: int
    lines: dict[int, int] | None
    document_segments: dict[str, list[int]]
    index_file: Path

    def find(self, number: int, location: str) -> int | None:
        """Return the index of a segment, or None if the segment map lacks its number.

        Raises:
            InputError: if the number is outside the test set.
        """
        if self.lines is None:
            segment = number - self.spec.first_segment
        elif number in self.lines:
            segment = self.lines[number] - 1
        else:
            return None
        if not 0 <= segment < self.n_segments:
            raise InputError(f"{location}: segment {number} is outside the test set of {self.n_segments} segments")
        return segment

    def find_in_document(self, document: str, number: int, location: str) -> int:
        """Convert the number of a segment within a document to its index in the test set.

        Raises:
            InputError: if the data index does not name documents, or if the document does not have such a segment.
        """
        if not self.document_segments:
            raise InputError(
                f"{location}: segments are counted in documents, but {self.index_file} names no 'documents'"
            )
        segments = self.document_segments.get(document)
        if segments is None:
            hint = near_miss(document, self.document_segments)
            raise InputError(f"{location}: {self.pair} has no document {document!r}{hint}")
        position = number - self.spec.first_segment
        if not 0 <= position < len(segments):
            raise InputError(
                f"{location}: segment {number} is outside the document {document}, which has {len(segments)}"
            )
        return segments[position]


class JudgmentReader:
    """Collects the judgments of a language pair from several files.

    Args:
        pair: the language pair.
        outputs: the outputs of the systems.
        n_segments: number of segments of the test set.
        index: the data index.
        documents: name of the document of each segment. Empty if the index does not name documents.

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
        self._document_segments: dict[str, list[int]] = {}
        for segment, document in enumerate(documents):
            self._document_segments.setdefault(document, []).append(segment)
        self._has_rankings = False
        self._has_assessments = False
        self._keeps_all_ratings = False
        self._comparisons: list[_Comparison] = []
        self._ratings: list[_Rating] = []
        self._n_left_out: Counter[str] = Counter()
        self._n_rated_texts = 0
        self._n_different_texts = 0
        self.systems: set[str] = set()
        self.system_scores: dict[str, float] = {}

    def read(self, spec: JudgmentSpec) -> None:
        """Read the files of judgments that one entry in the index file names.

        Args:
            spec: the entry.

        Raises:
            InputError: if a file is malformed, or if it refers to unknown systems or segments. The message names the
                file and the line.
        """
        files = find_files(self._index, self._pair, spec.file, "a file of judgments")
        lines = None
        if spec.segment_map is not None:
            lines = _read_segment_map(spec.segment_map, self._index, self._pair)
        dropped = frozenset(self._index.pair(self._pair).drop)
        names = SystemNames(spec, self._pair, self._outputs, dropped, self._index.file)
        numbers = SegmentNumbers(spec, self._pair, self._n_segments, lines, self._document_segments, self._index.file)
        for file in files:
            if spec.format in ("ranking-csv", "rank"):
                self._read_rankings(spec, file, names, numbers)
            else:
                self._read_human_scores(spec, file, names, numbers)
        self.systems |= names.judged

    def _is_of_pair(self, spec: JudgmentSpec, pair: str) -> bool:
        """Return whether a judgment belongs to the language pair that is read.

        If the file does not name a language pair, all its judgments belong to the pair that is read.
        """
        return not pair or spec.pairs.get(pair, pair) == self._pair

    def _resolve_name(self, name: str, names: SystemNames, location: str) -> tuple[str, ...]:
        """Return the systems that a name stands for. If there are none, count the judgment as left out."""
        systems = names.resolve(name, location)
        if not systems:
            self._n_left_out[f"judgments of {name}"] += 1
        return systems

    def _find_segment(self, spec: JudgmentSpec, number: int, numbers: SegmentNumbers, location: str) -> int | None:
        """Return the index of a segment. If the segment map lacks the segment, count the judgment as left out."""
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
            location = ranked_pair.location
            # A name may stand for several systems with the same output.
            better_systems = self._resolve_name(ranked_pair.better, names, location)
            worse_systems = self._resolve_name(ranked_pair.worse, names, location)
            if not better_systems or not worse_systems:
                continue
            segment = self._find_segment(spec, ranked_pair.segment, numbers, location)
            if segment is None:
                continue
            for better, worse in itertools.product(better_systems, worse_systems):
                self._comparisons.append(_Comparison(segment, better, worse, ranked_pair.tie))

    def _read_human_scores(self, spec: JudgmentSpec, file: Path, names: SystemNames, numbers: SegmentNumbers) -> None:
        """Read a file of human scores, and store all scores that belong to the language pair."""
        self._has_assessments |= spec.format not in ("da-systems", "score-systems")
        self._keeps_all_ratings |= spec.ratings == "all"
        sign = -1.0 if spec.lower_is_better else 1.0
        location_of_system: dict[str, str] = {}
        for human_score in self._iterate_human_scores(spec, file):
            if not self._is_of_pair(spec, human_score.pair):
                continue
            location = human_score.location
            systems = self._resolve_name(human_score.system, names, location)
            if not systems:
                continue
            score = sign * human_score.score
            if human_score.segment is None:
                self._add_system_scores(systems, score, location, location_of_system)
                continue
            segment: int | None
            if human_score.document:
                segment = numbers.find_in_document(human_score.document, human_score.segment, location)
            else:
                segment = self._find_segment(spec, human_score.segment, numbers, location)
            if segment is not None:
                self._add_rating(_Rating(segment, systems[0], score), human_score.text)

    def _iterate_human_scores(self, spec: JudgmentSpec, file: Path) -> Iterable[HumanScore]:
        """Read a file of human scores in the format that the index file names."""
        in_document = spec.segments == "document"
        if spec.format == "mqm":
            return read_mqm(file, in_document=in_document, weights=spec.weights, only=spec.only)
        if spec.format == "ratings":
            return read_ratings(file, in_document=in_document, score=spec.score, columns=spec.columns, only=spec.only)
        if spec.format in ("score-segments", "score-systems"):
            return read_score_lines(file, self._n_segments if spec.format == "score-segments" else None)
        return read_assessments(file, segments=spec.format == "da-segments", score=spec.score)

    def _add_system_scores(
        self, systems: Sequence[str], score: float, location: str, location_of_system: dict[str, str]
    ) -> None:
        """Add the human score of one or several systems.

        Args:
            systems: names of the systems.
            score: the score.
            location: file and line of the score.
            location_of_system: location of the score of each system. The location is added to this dictionary.

        Raises:
            InputError: if a system already has a score at another location.
        """
        for system in systems:
            first_location = location_of_system.setdefault(system, location)
            if first_location != location:
                raise InputError(f"{location}: a second score of system {system}; the first is in {first_location}")
            self.system_scores[system] = score

    def _add_rating(self, rating: _Rating, text: str | None) -> None:
        """Add the rating of an output.

        If the file contains the rated text, the text is compared with the output.
        """
        self._ratings.append(rating)
        if text is not None:
            output = self._outputs.read(rating.system)[rating.segment]
            self._n_rated_texts += 1
            self._n_different_texts += text.split() != output.split()

    def rankings(self, systems: Sequence[str]) -> Rankings | None:
        """Return the comparisons as arrays, or None if no file of rankings was read.

        Args:
            systems: names of the systems, whose indices the arrays contain.
        """
        if not self._has_rankings:
            return None
        index_of_system = {system: index for index, system in enumerate(systems)}
        return Rankings(
            segments=np.array([comparison.segment for comparison in self._comparisons], np.int64),
            better=np.array([index_of_system[comparison.better] for comparison in self._comparisons], np.int64),
            worse=np.array([index_of_system[comparison.worse] for comparison in self._comparisons], np.int64),
            ties=np.array([comparison.tie for comparison in self._comparisons], bool),
        )

    def assessments(self, systems: Sequence[str]) -> Assessments | None:
        """Return the ratings as arrays, or None if no file of ratings was read.

        Several ratings of an output are averaged, unless the index file contains ``ratings: all``.

        Args:
            systems: names of the systems, whose indices the arrays contain.
        """
        if not self._has_assessments:
            return None
        index_of_system = {system: index for index, system in enumerate(systems)}
        ratings = Assessments(
            segments=np.array([rating.segment for rating in self._ratings], np.int64),
            systems=np.array([index_of_system[rating.system] for rating in self._ratings], np.int64),
            scores=np.array([rating.score for rating in self._ratings], float),
        )
        if self._keeps_all_ratings:
            return ratings
        means = ratings.average_repeated()
        # If no output was rated repeatedly, the ratings keep the order of the file.
        return ratings if len(means) == len(ratings) else means

    def notes(self) -> Iterator[str]:
        """Yield messages about judgments that were left out or averaged, and about systems without judgments."""
        for description, count in sorted(self._n_left_out.items()):
            yield f"left out: {count} {description}"
        n_ratings = len(self._ratings)
        n_outputs = len({(rating.segment, rating.system) for rating in self._ratings})
        if n_outputs < n_ratings:
            treatment = "each is kept" if self._keeps_all_ratings else "several of one segment are averaged"
            yield f"{n_ratings} ratings of {n_outputs} segments of systems: {treatment}"
        if self._n_different_texts:
            yield self._describe_different_texts()
        systems_without_judgments = sorted(set(self._outputs.files) - self.systems)
        if systems_without_judgments:
            yield f"outputs without judgments: {', '.join(systems_without_judgments)}"

    def _describe_different_texts(self) -> str:
        """Return a message about rated texts that differ from the outputs.

        The message is a warning if many rated texts differ.
        """
        message = f"{self._n_different_texts} of {self._n_rated_texts} rated texts are not the system's output"
        if self._n_different_texts > SHIFTED_TEXTS_LIMIT * self._n_rated_texts:
            return f"warning: {message}; are the judgments shifted against the outputs?"
        return message


def _read_segment_map(spec: SegmentMap, index: DataIndex, pair: str) -> dict[int, int]:
    """Read a table that maps segment numbers in judgments to line numbers of the test set.

    Args:
        spec: the entry of the index that describes the table.
        index: the data index.
        pair: the language pair.
    """
    file = _find_segment_map(spec, index, pair)
    rows = read_segments(file)
    header = next(rows, "").split("\t")
    for title in (spec.key, spec.line, *spec.only):
        if title not in header:
            raise InputError(f"{file}: no column {title!r}; it has {', '.join(header)}")
    line_of_segment: dict[int, int] = {}
    for row_number, row in enumerate(rows, 2):
        if not row.strip():
            continue
        cells = dict(zip(header, row.split("\t"), strict=False))
        try:
            if _is_selected(cells, spec):
                line_of_segment[int(cells[spec.key])] = int(cells[spec.line])
        except (KeyError, ValueError):
            raise InputError(f"{file}, line {row_number}: not a row of numbers for {', '.join(header)}") from None
    return line_of_segment


def _find_segment_map(spec: SegmentMap, index: DataIndex, pair: str) -> Path:
    """Return the path of a segment map, in the folder of the index or by default in the folder of the data."""
    file_name = fill_pattern(spec.file, pair)
    file_in_data = Path(index.root) / file_name
    file_beside_index = index.file.parent / file_name
    if not file_in_data.is_file() and file_beside_index.is_file():
        return file_beside_index
    return file_in_data


def _is_selected(cells: Mapping[str, str], spec: SegmentMap) -> bool:
    """Return whether a row of the segment map passes the filter ``only`` in the index file."""
    return all(cells[title] == value for title, value in spec.only.items())
