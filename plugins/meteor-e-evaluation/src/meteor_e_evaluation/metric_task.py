"""Reads metric scores from files of the WMT metrics task, from plain numbers, and from the output of COMET."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from meteor_e.api import InputError
from meteor_e.base.files import PathLike, input_name
from meteor_e.formats.plain import read_segments

EXPECTED_FORMATS = (
    "expected are lines of METRIC LP TESTSET SYSTEM [SEGMENT] SCORE or of SYSTEM SCORE, one number per line, or the "
    "output of comet-score"
)


def parse_finite_number(content: Any, field: str, location: str) -> float:
    """Parse the number in a field of a file.

    Args:
        content: content of the field, which is a string or, in a JSON file, any value.
        field: name of the field, for the error message.
        location: file and line, for the error message.

    Raises:
        InputError: if the field is not a finite number.
    """
    try:
        value = float(content)
    except (TypeError, ValueError):
        raise InputError(f"{location}: {field} is {content!r}, not a number") from None
    if not math.isfinite(value):
        raise InputError(f"{location}: {field} is {content!r}; a finite number was expected")
    return value


def parse_whole_number(text: str, field: str, location: str) -> int:
    """Parse a field of a file as an integer.

    Args:
        text: content of the field.
        field: name of the field, for the error message.
        location: file and line, for the error message.

    Raises:
        InputError: if the field is not a whole number.
    """
    try:
        return int(text)
    except ValueError:
        raise InputError(f"{location}: {field} is {text!r}, not a whole number") from None


class MetricScore(NamedTuple):
    """A metric's score of one output or of a whole system.

    If the file does not name the metric, the language pair, the test set or the reference, the attribute is an empty
    string.

    Attributes:
        system: name of the system.
        segment: number of the segment, starting from 1, or None for a score of a system.
        score: the score. NaN if the file contains ``None`` or ``NaN``.
        location: file and line, for error messages.
        metric: name of the metric.
        pair: language pair.
        testset: name of the test set.
        reference: name of the reference.
    """

    system: str
    segment: int | None
    score: float
    location: str
    metric: str = ""
    pair: str = ""
    testset: str = ""
    reference: str = ""


def split_fields(line: str) -> list[str]:
    """Split a line into fields, and remove quotation marks around the fields.

    If the line contains tabs, tabs separate the fields. If the line contains commas but neither tabs nor blanks, commas
    separate the fields. In any other line, white space separates the fields.
    """
    if "\t" in line:
        fields = line.rstrip(" ").split("\t")
    elif "," in line and " " not in line.strip():
        fields = line.rstrip(" ").split(",")
    else:
        fields = line.split()
    return [field.strip().strip('"') for field in fields]


class _Line(NamedTuple):
    """A line of a file, with its location for error messages."""

    text: str
    location: str


def _read_lines(path: PathLike, file_name: str) -> Iterator[_Line]:
    """Yield the lines of a file that are not blank."""
    for line_number, line in enumerate(read_segments(path), 1):
        if line.strip():
            yield _Line(line, f"{file_name}, line {line_number}")


def read_metric_scores(path: PathLike) -> Iterator[MetricScore]:
    """Read a file of metric scores of segments or systems. The first line determines the format.

    Formats:
        - The format of the WMT metrics task: ``METRIC LP TESTSET SYSTEM SEGMENT SCORE`` for a segment, or ``METRIC LP
          TESTSET SYSTEM SCORE`` for a system. Since 2019, ``REFERENCE`` may follow ``TESTSET``, and ``ensemble`` and
          ``available`` may follow the score.
        - The short format of later years: ``SYSTEM SCORE``. If a system has several lines, they are its segments.
        - One number per line, for the segments of a system that the file does not name.
        - The output of ``comet-score``, as text or JSON. The name of a system is the path of its output.

    Args:
        path: path of the file, which may be compressed.

    Returns:
        The scores in the order of the file. There are no scores if the file is empty.

    Raises:
        InputError: if the file has another format. The message names the file and the line.
    """
    file_name = input_name(path)
    remaining_lines = _read_lines(path, file_name)
    first_line = next(remaining_lines, None)
    if first_line is None:
        return iter(())
    lines = itertools.chain([first_line], remaining_lines)
    if first_line.text.lstrip().startswith("{"):
        document = "\n".join(line.text for line in lines)
        return _parse_comet_json(document, file_name)
    if _COMET_LINE.fullmatch(first_line.text):
        return _parse_comet_lines(lines)
    fields = split_fields(first_line.text)
    if len(fields) == 1 and _is_score(fields[0]):
        return _parse_numbers(lines)
    if len(fields) == 2:
        return iter(_parse_short_lines(lines))
    return (_parse_wmt_line(line) for line in lines)


def _parse_wmt_line(line: _Line) -> MetricScore:
    """Parse a line in the format of the WMT metrics task.

    The format is ``METRIC LP TESTSET [REFERENCE] SYSTEM [SEGMENT] SCORE [ensemble] [available]``, in which the fields
    in brackets are optional.

    Raises:
        InputError: if the line has another format.
    """
    fields = split_fields(line.text)
    while len(fields) > 5 and not _is_score(fields[-1]):
        fields.pop()  # This drops "ensemble" and "available", which may follow the score.
    if len(fields) not in (5, 6, 7) or "-" not in fields[1]:
        raise InputError(f"{line.location}: not a line of metric scores; {EXPECTED_FORMATS}")
    metric, pair, testset, *output_fields, score_text = fields
    score = _parse_score(score_text, line.location)
    reference, system, segment = _parse_output_fields(output_fields, line.location)
    return MetricScore(system, segment, score, line.location, metric, pair, testset, reference)


def _parse_output_fields(fields: Sequence[str], location: str) -> tuple[str, str, int | None]:
    """Parse the fields ``[REFERENCE] SYSTEM [SEGMENT]``, of which those in brackets are optional.

    Returns:
        The reference, which may be empty, the system, and the segment number, which is None for a whole output.

    Raises:
        InputError: if the last of three fields is not a whole number.
    """
    last_field = fields[-1]
    has_segment = len(fields) > 1 and last_field.isdecimal()
    if len(fields) == 3 and not has_segment:
        raise InputError(f"{location}: the segment is {last_field!r}, not a whole number")
    names = fields[:-1] if has_segment else fields
    reference = names[0] if len(names) == 2 else ""
    return reference, names[-1], int(last_field) if has_segment else None


def _parse_short_lines(lines: Iterator[_Line]) -> list[MetricScore]:
    """Parse lines with a system and a score.

    If each system has only one line, the file contains scores of systems. Otherwise, the file contains scores of
    segments, and the lines of a system are its segments in order.
    """
    system_scores = [_parse_short_line(line) for line in lines]
    systems = {score.system for score in system_scores}
    if len(systems) == len(system_scores):
        return system_scores
    n_segments: Counter[str] = Counter()
    segment_scores = []
    for score in system_scores:
        n_segments[score.system] += 1
        segment_scores.append(score._replace(segment=n_segments[score.system]))
    return segment_scores


def _parse_short_line(line: _Line) -> MetricScore:
    """Parse a line with a system and a score as the score of the whole system."""
    fields = split_fields(line.text)
    if len(fields) != 2:
        raise InputError(f"{line.location}: {len(fields)} fields; the lines before have 2")
    system, score_text = fields
    return MetricScore(system, None, _parse_score(score_text, line.location), line.location)


def _parse_numbers(lines: Iterator[_Line]) -> Iterator[MetricScore]:
    """Parse the score of one segment per line."""
    for segment, line in enumerate(lines, 1):
        score = _parse_score(line.text.strip(), line.location)
        yield MetricScore(system="", segment=segment, score=score, location=line.location)


_COMET_LINE = re.compile(r"(?P<system>[^\t]+)\t(?:Segment (?P<segment>\d+)\t)?score: (?P<score>\S+)(?:\t.*)?")
_COMET_CLOSING_LINE = re.compile(r"Predictions saved in: .*")


def _parse_comet_lines(lines: Iterator[_Line]) -> Iterator[MetricScore]:
    """Parse the text that ``comet-score`` prints. Its segment numbers start from 0.

    If a system has segment scores, its system score is ignored, because COMET rounds system scores.
    """
    systems_with_segment_scores: set[str] = set()
    for line in lines:
        if _COMET_CLOSING_LINE.fullmatch(line.text):
            continue
        fields = _COMET_LINE.fullmatch(line.text)
        if fields is None:
            raise InputError(f"{line.location}: not a line of comet-score, such as FILE⇥Segment 0⇥score: 0.8417")
        system = fields["system"]
        score = _parse_score(fields["score"], line.location)
        if fields["segment"] is not None:
            systems_with_segment_scores.add(system)
            segment_number = int(fields["segment"]) + 1
            yield MetricScore(system, segment_number, score, line.location)
        elif system not in systems_with_segment_scores:
            yield MetricScore(system, None, score, line.location)


def _parse_comet_json(text: str, file_name: str) -> Iterator[MetricScore]:
    """Parse the JSON file that ``comet-score --to_json`` writes."""
    try:
        document = json.loads(text)
    except ValueError as error:
        raise InputError(f"{file_name}: not valid JSON: {error}") from None
    for system, segments in document.items():
        if not isinstance(segments, list):
            raise InputError(f"{file_name}: {system!r} is not a list of segments, as comet-score --to_json writes it")
        for number, segment in enumerate(segments, 1):
            location = f"{file_name}, {system}, segment {number}"
            yield MetricScore(system, number, _comet_score(segment, location), location)


def _comet_score(segment: Any, location: str) -> float:
    """Return the score of a segment in the JSON output of COMET."""
    value = segment.get("COMET") if isinstance(segment, Mapping) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"{location}: no number 'COMET', as comet-score --to_json writes it")
    return float(value)


def _is_score(text: str) -> bool:
    """Return whether a field contains a number or ``None``."""
    try:
        float(text)
    except ValueError:
        return text == "None"
    return True


def _parse_score(text: str, location: str) -> float:
    """Convert a field to a score. The text ``None`` becomes NaN."""
    if text == "None":
        return math.nan
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{location}: the score is {text!r}, not a number") from None


def match_systems(names: Sequence[str], systems: Sequence[str], output_files: Mapping[str, str]) -> dict[str, str]:
    """Map the system names of a score file to the systems of a test set.

    COMET names a system after its output file. Such a name is mapped to the system with this output file.

    A name in the score file may be a path. If the file name in this path, with or without its extension, is the name
    of a system, the path is mapped to this system.

    Args:
        names: system names of the score file.
        systems: names of the systems.
        output_files: path of the output of each system, if it is known.

    Returns:
        The system of each name. A name that does not match any system is mapped to itself.
    """
    systems_by_file_name: dict[str, set[str]] = defaultdict(set)
    for system in systems:
        systems_by_file_name[system].add(system)
        systems_by_file_name[_last_part(output_files.get(system, system))].add(system)
    system_of_name = {}
    for name in names:
        system_of_name[name] = name if name in systems else _match_file_name(name, systems_by_file_name)
    return system_of_name


def _match_file_name(path: str, systems_by_file_name: Mapping[str, Collection[str]]) -> str:
    """Find the system that a path names, with or without the extension of the file.

    If no system or several systems match the file name, the path is returned.
    """
    file_name = _last_part(path)
    stem, _, _ = file_name.rpartition(".")
    matching_name = file_name if file_name in systems_by_file_name else stem
    candidates = systems_by_file_name.get(matching_name, ())
    if len(candidates) != 1:
        return path
    (system,) = candidates
    return system


def _last_part(path: str) -> str:
    """Return the last part of a path. Slashes and backslashes separate the parts."""
    return path.replace("\\", "/").rpartition("/")[2]
