"""Finds the outputs and segments of a language pair that a file of human judgments refers to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from meteor_e.api import InputError
from meteor_e.base.errors import near_miss
from meteor_e.formats.plain import read_segments
from meteor_e_evaluation.index import DataIndex, JudgmentSpec, SegmentMap, fill_pattern, system_name_regex
from meteor_e_evaluation.text_files import OutputFiles


@dataclass(frozen=True)
class JudgedTexts:
    """The system outputs and the segments to which the human judgments of a language pair refer.

    Attributes:
        index: the data index.
        pair: the language pair.
        outputs: the outputs of the systems.
        n_segments: number of segments of the test set.
        documents: name of the document of each segment. Empty if the index does not name documents.
    """

    index: DataIndex
    pair: str
    outputs: OutputFiles
    n_segments: int
    documents: tuple[str, ...]

    @cached_property
    def segments_by_document(self) -> dict[str, list[int]]:
        """Indices of the segments of each document."""
        segments_by_document: dict[str, list[int]] = {}
        for segment, document in enumerate(self.documents):
            segments_by_document.setdefault(document, []).append(segment)
        return segments_by_document


class SystemNames:
    """Maps system names in a file of judgments to names of system outputs.

    Args:
        spec: entry of the file in the index.
        texts: the texts of the language pair.

    Attributes:
        n_left_out: number of left-out judgments by description.
    """

    def __init__(self, spec: JudgmentSpec, texts: JudgedTexts) -> None:
        self._spec = spec
        self._texts = texts
        self._dropped = {*spec.drop, *texts.index.pair(texts.pair).drop}
        self._name_regex = system_name_regex(spec.system, texts.pair)
        self._systems_by_name: dict[str, tuple[str, ...]] = {}
        self.n_left_out: Counter[str] = Counter()

    @property
    def judged(self) -> set[str]:
        """Names of the outputs that judgments refer to."""
        return {system for systems in self._systems_by_name.values() for system in systems}

    def resolve(self, name: str, location: str) -> tuple[str, ...]:
        """Return the systems that a name in a file of judgments refers to.

        If the index file lists the name under ``drop``, return an empty tuple and count the judgment as left out.

        Args:
            name: name of a system in the file, or the names of several systems with the same output.
            location: file and line, for error messages.

        Raises:
            InputError: if the name does not match the pattern of the index, or if the system has no output.
        """
        if name not in self._systems_by_name:
            self._systems_by_name[name] = self._resolve_joint_name(name, location)
        systems = self._systems_by_name[name]
        if not systems:
            self.n_left_out[f"judgments of {name}"] += 1
        return systems

    def _resolve_joint_name(self, name: str, location: str) -> tuple[str, ...]:
        """Return the systems that a name refers to. The name may consist of several system names, such as ``A+B``."""
        separator = self._spec.system_separator
        single_names = name.split(separator) if separator else [name]
        systems = [self._resolve_single_name(single_name.strip(), location) for single_name in single_names]
        return tuple(system for system in systems if system is not None)

    def _resolve_single_name(self, name: str, location: str) -> str | None:
        """Return the system that a name refers to, or None if the index file lists the name under ``drop``."""
        judged_name = self._extract_name(name, location)
        if judged_name in self._dropped:
            return None
        system = self._spec.rename.get(judged_name, judged_name)
        outputs = self._texts.outputs
        if system not in outputs.files:
            raise InputError(
                f"{location}: system {system!r} has no output in {outputs.location}{near_miss(system, outputs.files)}; "
                f"correct it under 'rename' in {self._texts.index.file}, or leave it out under 'drop'"
            )
        return system

    def _extract_name(self, name: str, location: str) -> str:
        """Extract the part of a name that matches the pattern for system names in the index file.

        If the index file lists the complete name under ``drop`` or ``rename``, return the complete name. Also return
        the complete name if the pattern does not contain ``{system}``.
        """
        if name in self._dropped or name in self._spec.rename:
            return name
        match = self._name_regex.fullmatch(name)
        if match is None:
            raise InputError(
                f"{location}: system {name!r} is not of the form {self._spec.system!r} that the index gives"
            )
        return match.groupdict().get("system", name)


class SegmentNumbers:
    """Maps segment numbers in a file of judgments to indices of segments.

    Args:
        spec: entry of the file in the index.
        texts: the texts of the language pair.

    Attributes:
        n_left_out: number of left-out judgments by description.
    """

    def __init__(self, spec: JudgmentSpec, texts: JudgedTexts) -> None:
        self._first_segment = spec.first_segment
        self._segment_map = spec.segment_map
        self._texts = texts
        self._segment_of_number: dict[int, int] = {}
        if self._segment_map is not None:
            self._segment_of_number = _read_segment_map(self._segment_map, texts.index, texts.pair)
        self.n_left_out: Counter[str] = Counter()

    def find(self, number: int, location: str, document: str = "") -> int | None:
        """Convert a segment number in a file of judgments to the index of the segment.

        If the segment map does not contain the number, return None and count the judgment as left out.

        Args:
            number: number of the segment in the file.
            location: file and line, for error messages.
            document: the document within which segments are numbered. Empty if they are numbered within the test set.

        Raises:
            InputError: if the number is outside the test set or the document, or if the document does not exist.
        """
        if document:
            return self._find_in_document(document, number, location)
        segment = self._map_number(number)
        n_segments = self._texts.n_segments
        if segment is not None and not 0 <= segment < n_segments:
            raise InputError(f"{location}: segment {number} is outside the test set of {n_segments} segments")
        return segment

    def _map_number(self, number: int) -> int | None:
        """Convert a segment number within the test set to the index of the segment.

        If the segment map does not contain the number, return None and count the judgment as left out.
        """
        if self._segment_map is None:
            return number - self._first_segment
        if number not in self._segment_of_number:
            self.n_left_out[f"judgments of segments that are not in {self._segment_map.file}"] += 1
        return self._segment_of_number.get(number)

    def _find_in_document(self, document: str, number: int, location: str) -> int:
        """Convert the number of a segment within a document to its index in the test set.

        Raises:
            InputError: if the data index does not name documents, or if the document does not have such a segment.
        """
        segments_by_document = self._texts.segments_by_document
        if not segments_by_document:
            raise InputError(
                f"{location}: segments are counted in documents, but {self._texts.index.file} names no 'documents'"
            )
        if document not in segments_by_document:
            hint = near_miss(document, segments_by_document)
            raise InputError(f"{location}: {self._texts.pair} has no document {document!r}{hint}")
        segments = segments_by_document[document]
        position = number - self._first_segment
        if not 0 <= position < len(segments):
            raise InputError(
                f"{location}: segment {number} is outside the document {document}, which has {len(segments)}"
            )
        return segments[position]


def _read_segment_map(spec: SegmentMap, index: DataIndex, pair: str) -> dict[int, int]:
    """Read a table that maps segment numbers in judgments to line numbers of the test set.

    Return a dictionary that maps the segment numbers to segment indices, which start from 0.

    Args:
        spec: names the file, the columns of both numbers, and the values that other columns must have.
        index: the data index.
        pair: the language pair.
    """
    file = _find_segment_map(spec, index, pair)
    columns = [spec.key, spec.line, *spec.only]
    segment_of_number: dict[int, int] = {}
    for location, cells in _read_table(file, columns):
        try:
            if all(cells[column] == value for column, value in spec.only.items()):
                segment_of_number[int(cells[spec.key])] = int(cells[spec.line]) - 1
        except (KeyError, ValueError):
            raise InputError(f"{location}: not a row of numbers for {', '.join(columns)}") from None
    return segment_of_number


def _read_table(file: Path, columns: Sequence[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the location of each row in a tab-separated table, and the row's cells by column title.

    Raises:
        InputError: if the table does not have all the columns.
    """
    rows = read_segments(file)
    header = next(rows, "").split("\t")
    for column in columns:
        if column not in header:
            raise InputError(f"{file}: no column {column!r}; it has {', '.join(header)}")
    for row_number, row in enumerate(rows, 2):
        if row.strip():
            yield f"{file}, line {row_number}", dict(zip(header, row.split("\t"), strict=False))


def _find_segment_map(spec: SegmentMap, index: DataIndex, pair: str) -> Path:
    """Return the path of a segment map.

    The file is searched for in the folder of the data first, and then in the folder of the index file.
    """
    file_name = fill_pattern(spec.file, pair)
    file_in_data = Path(index.root) / file_name
    file_beside_index = index.file.parent / file_name
    if not file_in_data.is_file() and file_beside_index.is_file():
        return file_beside_index
    return file_in_data
