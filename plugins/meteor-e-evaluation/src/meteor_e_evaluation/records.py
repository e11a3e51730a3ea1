"""Reads files of rated outputs, such as image captions.

Each record contains an output, its references and its rating.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from meteor_e.api import InputError
from meteor_e_evaluation.index import DataIndex, RecordSpec
from meteor_e_evaluation.judgments import Assessments
from meteor_e_evaluation.metric_task import parse_finite_number
from meteor_e_evaluation.test_set import TestSet, align_references
from meteor_e_evaluation.text_files import Record, find_files, read_records, sort_by_segment

ONLY_SYSTEM = "all"
"""Name of the system if the records do not name a system."""


class _RatedOutput(NamedTuple):
    """An output with its references, its rating, and the line number of its record."""

    text: str
    references: list[str]
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
    file = find_files(index, pair, spec.file, "the file of records")[0]
    outputs_by_system = _read_rated_outputs(file, spec)
    if not outputs_by_system:
        raise InputError(f"{file} is empty")
    _check_segments(file, outputs_by_system)
    systems = tuple(sorted(outputs_by_system))
    rated_outputs = [sort_by_segment(outputs_by_system[system]) for system in systems]  # One list per system.
    texts = tuple([output.text for output in system_outputs] for system_outputs in rated_outputs)
    return TestSet(
        name=index.name,
        pair=pair,
        language=index.output_language(pair),
        systems=systems,
        outputs=texts,
        references=align_references([output.references for output in rated_outputs[0]]),
        assessments=_make_assessments(rated_outputs),
        known_systems=systems,
        root=index.root,
    )


def _make_assessments(rated_outputs: Sequence[Sequence[_RatedOutput]]) -> Assessments:
    """Convert the ratings of all systems to arrays."""
    n_systems = len(rated_outputs)
    n_segments = len(rated_outputs[0])
    scores = [rated_output.score for system_outputs in rated_outputs for rated_output in system_outputs]
    return Assessments(
        segments=np.tile(np.arange(n_segments), n_systems),
        systems=np.repeat(np.arange(n_systems), n_segments),
        scores=np.array(scores),
    )


def _read_rated_outputs(file: Path, spec: RecordSpec) -> dict[str, dict[int, _RatedOutput]]:
    """Read rated outputs into one dictionary per system, with segment numbers as keys.

    Raises:
        InputError: if a record is malformed, or if a system has two records of a segment.
    """
    outputs_by_system: dict[str, dict[int, _RatedOutput]] = {}
    for record in read_records(file, spec.hypothesis, spec.references):
        system = ONLY_SYSTEM if spec.system is None else str(record.get(spec.system))
        rated_output = _parse_rated_output(record, spec)
        outputs = outputs_by_system.setdefault(system, {})
        segment = record.get_segment(spec.segment, default=len(outputs))
        if segment in outputs:
            first_line = outputs[segment].line_number
            raise InputError(
                f"{record.location}: a second record of system {system}, segment {segment}; the first is in line "
                f"{first_line}"
            )
        outputs[segment] = rated_output
    return outputs_by_system


def _parse_rated_output(record: Record, spec: RecordSpec) -> _RatedOutput:
    """Extract the output, the references and the rating from a record.

    Raises:
        InputError: if the record lacks a field, or if a field has the wrong type.
    """
    output = record.get(spec.hypothesis)
    field = record.get(spec.references)  # This is a reference or a list of references.
    score = parse_finite_number(record.get(spec.score), "the score", record.location)
    references = [field] if isinstance(field, str) else field
    if not isinstance(output, str) or not isinstance(references, list) or not references:
        raise InputError(f"{record.location}: a text, its references and a finite score are needed")
    if not all(isinstance(reference, str) for reference in references):
        raise InputError(f"{record.location}: a reference is not a text")
    return _RatedOutput(output, references, score, record.line_number)


def _check_segments(file: Path, outputs_by_system: dict[str, dict[int, _RatedOutput]]) -> None:
    """Check that all systems have the same segments and references."""
    first_system, *other_systems = sorted(outputs_by_system)
    first_outputs = outputs_by_system[first_system]
    for system in other_systems:
        outputs = outputs_by_system[system]
        missing_segments = first_outputs.keys() - outputs.keys()
        if missing_segments:
            raise _missing_record_error(file, system, first_system, first_outputs[min(missing_segments)].line_number)
        additional_segments = outputs.keys() - first_outputs.keys()
        if additional_segments:
            raise _missing_record_error(file, first_system, system, outputs[min(additional_segments)].line_number)
        for segment, first_output in sorted(first_outputs.items()):
            output = outputs[segment]
            if output.references != first_output.references:
                raise InputError(
                    f"{file}, line {output.line_number}: other references than those of system {first_system} in line "
                    f"{first_output.line_number}"
                )


def _missing_record_error(file: Path, system: str, complete_system: str, line_number: int) -> InputError:
    """Return the error to raise if a system does not have a record of a segment.

    Args:
        file: the file of records.
        system: name of the system without the record.
        complete_system: name of a system with a record of the segment.
        line_number: line number of the existing record.
    """
    return InputError(
        f"{file}: system {system} has no record of a segment that {complete_system} has in line {line_number}; all "
        "systems need the same segments (name the column of the segment under 'segment')"
    )
