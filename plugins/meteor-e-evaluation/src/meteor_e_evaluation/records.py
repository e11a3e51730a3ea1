"""Reads files whose records contain an output, its references and its rating, such as rated captions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from meteor_e.api import InputError
from meteor_e_evaluation.index import DataIndex, RecordSpec, fill_pattern
from meteor_e_evaluation.judgments import Assessments
from meteor_e_evaluation.test_set import TestSet
from meteor_e_evaluation.text_files import find_files, get_field, read_records, segment_key

ONLY_SYSTEM = "all"
"""Name of the system if the records do not name a system."""


class _RatedOutput(NamedTuple):
    """An output with its references, its rating, and the line number of its record."""

    output: str
    references: Sequence[str]
    score: float
    line_number: int


def load_records(index: DataIndex, pair: str, spec: RecordSpec) -> TestSet:
    """Read a file of records as a test set.

    All systems must have records of the same segments with the same references. If a segment has fewer references than
    others, its last reference is repeated.

    Args:
        index: the data index.
        pair: the language pair.
        spec: the entry of the index that describes the records.

    Raises:
        InputError: if a record is malformed, or if systems have different segments or references. The message names
            the file and the line.
    """
    file = find_files(Path(index.root), fill_pattern(spec.file, pair), index, pair, "the file of records")[0]
    outputs_by_system = _read_rated_outputs(file, spec)
    if not outputs_by_system:
        raise InputError(f"{file} is empty")
    systems = sorted(outputs_by_system)
    segments = sorted(outputs_by_system[systems[0]])
    _check_segments(file, outputs_by_system)
    references = [outputs_by_system[systems[0]][segment].references for segment in segments]
    n_references = max(map(len, references))
    rows = [outputs_by_system[system][segment] for system in systems for segment in segments]
    return TestSet(
        name=index.name,
        pair=pair,
        language=index.output_language(pair),
        systems=tuple(systems),
        outputs=tuple([outputs_by_system[system][segment].output for segment in segments] for system in systems),
        references=tuple(
            [texts[min(reference_index, len(texts) - 1)] for texts in references]
            for reference_index in range(n_references)
        ),
        assessments=Assessments(
            np.tile(np.arange(len(segments)), len(systems)),
            np.repeat(np.arange(len(systems)), len(segments)),
            np.array([row.score for row in rows]),
        ),
        known_systems=tuple(systems),
        root=index.root,
    )


def _read_rated_outputs(file: Path, spec: RecordSpec) -> dict[str, dict[int, _RatedOutput]]:
    """Return the rated outputs by the name of the system and the number of the segment."""
    outputs_by_system: dict[str, dict[int, _RatedOutput]] = {}
    for line_number, record in read_records(file, spec.hypothesis, spec.references):
        location = f"{file}, line {line_number}"
        system = ONLY_SYSTEM if spec.system is None else str(get_field(record, spec.system, file, line_number))
        output = get_field(record, spec.hypothesis, file, line_number)
        references = get_field(record, spec.references, file, line_number)
        score = _parse_score(get_field(record, spec.score, file, line_number), location)
        if isinstance(references, str):
            references = [references]
        if not isinstance(output, str) or not isinstance(references, list) or not references:
            raise InputError(f"{location}: a text, its references and a finite score are needed")
        if not all(isinstance(reference, str) for reference in references):
            raise InputError(f"{location}: a reference is not a text")
        outputs = outputs_by_system.setdefault(system, {})
        segment = segment_key(record, spec.segment, file, line_number, default=len(outputs))
        if segment in outputs:
            raise InputError(
                f"{location}: a second record of system {system}, segment {segment}; the first is in line "
                f"{outputs[segment].line_number}"
            )
        outputs[segment] = _RatedOutput(output, references, score, line_number)
    return outputs_by_system


def _parse_score(value: object, location: str) -> float:
    try:
        score = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise InputError(f"{location}: the score is {value!r}, not a number") from None
    if not math.isfinite(score):
        raise InputError(f"{location}: the score is {value!r}; a finite number was expected")
    return score


def _check_segments(file: Path, outputs_by_system: dict[str, dict[int, _RatedOutput]]) -> None:
    """Check that all systems have the same segments and references."""
    first, *others = sorted(outputs_by_system)
    expected = outputs_by_system[first]
    for system in others:
        outputs = outputs_by_system[system]
        for segment in sorted({*expected, *outputs}):
            if segment not in outputs or segment not in expected:
                incomplete, complete = (system, first) if segment in expected else (first, system)
                raise InputError(
                    f"{file}: system {incomplete} has no record of a segment that {complete} has in line "
                    f"{outputs_by_system[complete][segment].line_number}; all systems need the same segments (name the "
                    "column of the segment under 'segment')"
                )
            if list(outputs[segment].references) != list(expected[segment].references):
                raise InputError(
                    f"{file}, line {outputs[segment].line_number}: other references than those of system {first} in "
                    f"line {expected[segment].line_number}"
                )
