"""Reads the human judgments of a language pair, and assigns them to the outputs of systems."""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from meteor_e.api import InputError
from meteor_e_evaluation.index import JudgmentSpec
from meteor_e_evaluation.judged_texts import JudgedTexts, SegmentNumbers, SystemNames
from meteor_e_evaluation.judgments import Assessments, Rankings
from meteor_e_evaluation.rankings import RankedPair, read_rank_file, read_ranking_csv
from meteor_e_evaluation.ratings import HumanScore, read_assessments, read_mqm, read_ratings, read_score_lines
from meteor_e_evaluation.test_set import TestSet
from meteor_e_evaluation.text_files import OutputFiles, find_files

RANKING_FORMATS = ("ranking-csv", "rank")
"""Formats of files that contain comparisons of systems."""

SYSTEM_FORMATS = ("da-systems", "score-systems")
"""Formats of files that contain scores of whole systems."""

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


class _RatingCollector:
    """Collects ratings of outputs, and compares the rated texts with the outputs.

    Args:
        outputs: the outputs of the systems.
        keep_all: whether to keep several ratings of an output. Otherwise, they are averaged.
    """

    def __init__(self, outputs: OutputFiles, *, keep_all: bool) -> None:
        self._outputs = outputs
        self._keep_all = keep_all
        self._ratings: list[_Rating] = []
        self._n_rated_texts = 0
        self._n_different_texts = 0

    def add(self, rating: _Rating, text: str | None) -> None:
        """Add the rating of an output. If the file contains the rated text, the text is compared with the output."""
        self._ratings.append(rating)
        if text is not None:
            output = self._outputs.read(rating.system)[rating.segment]
            self._n_rated_texts += 1
            self._n_different_texts += text.split() != output.split()

    def assessments(self, index_of_system: Mapping[str, int]) -> Assessments:
        """Return the ratings as arrays.

        Args:
            index_of_system: index of each system in the arrays.
        """
        ratings = Assessments(
            segments=np.array([rating.segment for rating in self._ratings], np.int64),
            systems=np.array([index_of_system[rating.system] for rating in self._ratings], np.int64),
            scores=np.array([rating.score for rating in self._ratings], float),
        )
        # If no output was rated twice, averaging is skipped, because it would sort the ratings.
        if self._keep_all or self._count_rated_outputs() == len(ratings):
            return ratings
        return ratings.average_repeated()

    def _count_rated_outputs(self) -> int:
        return len({(rating.segment, rating.system) for rating in self._ratings})

    def notes(self) -> Iterator[str]:
        """Yield messages about outputs with several ratings, and about rated texts that differ from the outputs."""
        n_ratings = len(self._ratings)
        n_outputs = self._count_rated_outputs()
        if n_outputs < n_ratings:
            treatment = "each is kept" if self._keep_all else "several of one segment are averaged"
            yield f"{n_ratings} ratings of {n_outputs} segments of systems: {treatment}"
        if self._n_different_texts:
            yield self._describe_different_texts()

    def _describe_different_texts(self) -> str:
        """Return a message about rated texts that differ from the outputs.

        The message is a warning if many of the rated texts differ from the outputs.
        """
        message = f"{self._n_different_texts} of {self._n_rated_texts} rated texts are not the system's output"
        if self._n_different_texts > SHIFTED_TEXTS_LIMIT * self._n_rated_texts:
            return f"warning: {message}; are the judgments shifted against the outputs?"
        return message


def _compare_systems(pair: RankedPair, names: SystemNames, numbers: SegmentNumbers) -> Iterator[_Comparison]:
    """Yield the comparisons of systems that an annotator made by ranking a pair of outputs.

    A system name in the file may stand for several systems with the same output.
    """
    better_systems = names.resolve(pair.better, pair.location)
    worse_systems = names.resolve(pair.worse, pair.location)
    if not better_systems or not worse_systems:
        return
    segment = numbers.find(pair.segment, pair.location)
    if segment is None:
        return
    for better, worse in itertools.product(better_systems, worse_systems):
        # If the output of systems A and B is preferred to that of B and C, then B is not compared with itself.
        if better != worse:
            yield _Comparison(segment, better, worse, pair.tie)


class JudgmentReader:
    """Collects the judgments of a language pair from several files.

    Args:
        texts: the texts of the language pair.
        specs: the entries of the index that name the files.

    Attributes:
        systems: names of the judged systems.
        system_scores: human scores of systems, by name.
    """

    def __init__(self, texts: JudgedTexts, specs: Sequence[JudgmentSpec]) -> None:
        self._texts = texts
        self._specs = specs
        self._comparisons: list[_Comparison] = []
        self._ratings = _RatingCollector(texts.outputs, keep_all=any(spec.ratings == "all" for spec in specs))
        self._n_left_out: Counter[str] = Counter()
        self.systems: set[str] = set()
        self.system_scores: dict[str, float] = {}
        self._location_of_score: dict[str, str] = {}

    def read(self) -> None:
        """Read all files of judgments.

        Raises:
            InputError: if a file is malformed, or if it refers to unknown systems or segments. The message names the
                file and the line.
        """
        for spec in self._specs:
            files = find_files(self._texts.index, self._texts.pair, spec.file, "a file of judgments")
            system_names = SystemNames(spec, self._texts)
            segment_numbers = SegmentNumbers(spec, self._texts)
            for file in files:
                if spec.format in RANKING_FORMATS:
                    self._read_rankings(spec, file, system_names, segment_numbers)
                elif spec.format in SYSTEM_FORMATS:
                    self._read_system_scores(spec, file, system_names)
                else:
                    self._read_ratings(spec, file, system_names, segment_numbers)
            self._n_left_out += system_names.n_left_out + segment_numbers.n_left_out
            self.systems |= system_names.judged

    def _is_of_pair(self, judgment: RankedPair | HumanScore, spec: JudgmentSpec) -> bool:
        """Return whether a judgment belongs to the language pair of this reader.

        If a file does not name a language pair, all its judgments belong to the language pair of the reader.
        """
        return not judgment.pair or spec.pairs.get(judgment.pair, judgment.pair) == self._texts.pair

    def _read_rankings(self, spec: JudgmentSpec, file: Path, names: SystemNames, numbers: SegmentNumbers) -> None:
        """Read a file of rankings, and store the comparisons of the language pair."""
        ranked_pairs = read_rank_file(file) if spec.format == "rank" else read_ranking_csv(file, spec.languages)
        for ranked_pair in ranked_pairs:
            if self._is_of_pair(ranked_pair, spec):
                self._comparisons += _compare_systems(ranked_pair, names, numbers)

    def _read_system_scores(self, spec: JudgmentSpec, file: Path, names: SystemNames) -> None:
        """Read a file with scores of systems, and store the scores of the language pair.

        Raises:
            InputError: if this file or a previous file contains another score of a system.
        """
        for human_score in self._iterate_human_scores(spec, file):
            location = human_score.location
            for system in names.resolve(human_score.system, location):
                first_location = self._location_of_score.setdefault(system, location)
                if first_location != location:
                    raise InputError(f"{location}: a second score of system {system}; the first is in {first_location}")
                self.system_scores[system] = human_score.score

    def _read_ratings(self, spec: JudgmentSpec, file: Path, names: SystemNames, numbers: SegmentNumbers) -> None:
        """Read a file with ratings of segments, and store the ratings of the language pair."""
        for human_score in self._iterate_human_scores(spec, file):
            systems = names.resolve(human_score.system, human_score.location)
            if not systems:
                continue
            assert human_score.segment is not None  # Only files with scores of systems do not name segments.
            segment = numbers.find(human_score.segment, human_score.location, human_score.document)
            if segment is not None:
                # If a rating names several systems with the same output, it counts only for the first of the systems.
                self._ratings.add(_Rating(segment, systems[0], human_score.score), human_score.text)

    def _iterate_human_scores(self, spec: JudgmentSpec, file: Path) -> Iterator[HumanScore]:
        """Yield the human scores of the language pair in a file, negated if lower scores are better."""
        for human_score in self._open_human_scores(spec, file):
            if self._is_of_pair(human_score, spec):
                yield human_score._replace(score=-human_score.score) if spec.lower_is_better else human_score

    def _open_human_scores(self, spec: JudgmentSpec, file: Path) -> Iterator[HumanScore]:
        """Read a file of human scores in the format that the index file names."""
        in_document = spec.segments == "document"
        if spec.format == "mqm":
            return read_mqm(file, in_document=in_document, weights=spec.weights, only=spec.only)
        if spec.format == "ratings":
            return read_ratings(file, in_document=in_document, score=spec.score, columns=spec.columns, only=spec.only)
        if spec.format in ("score-segments", "score-systems"):
            return read_score_lines(file, self._texts.n_segments if spec.format == "score-segments" else None)
        return read_assessments(file, segments=spec.format == "da-segments", score=spec.score)

    def add_to(self, test_set: TestSet) -> TestSet:
        """Return a copy of a test set that contains the collected judgments.

        Args:
            test_set: the test set without judgments, which contains all judged systems.
        """
        index_of_system = {system: index for index, system in enumerate(test_set.systems)}
        return dataclasses.replace(
            test_set,
            rankings=self._make_rankings(index_of_system),
            assessments=self._make_assessments(index_of_system),
            system_scores=dict(self.system_scores),
            notes=tuple(self._describe_problems()),
        )

    def _make_rankings(self, index_of_system: Mapping[str, int]) -> Rankings | None:
        """Return the comparisons as arrays, or None if the index file does not list files of rankings."""
        if not any(spec.format in RANKING_FORMATS for spec in self._specs):
            return None
        return Rankings(
            segments=np.array([comparison.segment for comparison in self._comparisons], np.int64),
            better=np.array([index_of_system[comparison.better] for comparison in self._comparisons], np.int64),
            worse=np.array([index_of_system[comparison.worse] for comparison in self._comparisons], np.int64),
            ties=np.array([comparison.tie for comparison in self._comparisons], bool),
        )

    def _make_assessments(self, index_of_system: Mapping[str, int]) -> Assessments | None:
        """Return the ratings as arrays, or None if the index file does not list files of ratings.

        Several ratings of an output are averaged, unless the index file contains ``ratings: all``.
        """
        has_rating_files = any(spec.format not in RANKING_FORMATS + SYSTEM_FORMATS for spec in self._specs)
        return self._ratings.assessments(index_of_system) if has_rating_files else None

    def _describe_problems(self) -> Iterator[str]:
        """Yield messages about possible problems of human judgments.

        The messages report judgments that were left out, outputs with several ratings, rated texts that differ from the
        outputs, and systems without judgments.
        """
        for description, count in sorted(self._n_left_out.items()):
            yield f"left out: {count} {description}"
        yield from self._ratings.notes()
        systems_without_judgments = sorted(set(self._texts.outputs.files) - self.systems)
        if systems_without_judgments:
            yield f"outputs without judgments: {', '.join(systems_without_judgments)}"
