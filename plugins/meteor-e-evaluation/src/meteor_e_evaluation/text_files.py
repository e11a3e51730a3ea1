"""Reads the texts that a data index names: outputs, references and sources."""

from __future__ import annotations

import glob
import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from meteor_e.api import InputError, TextColumns
from meteor_e.base.errors import count_of, near_miss
from meteor_e.base.files import PathLike
from meteor_e.formats.delimited import DelimitedTable
from meteor_e.formats.documents import Role
from meteor_e.formats.inputs import TEXT_FORMATS, detect_format, read_collection
from meteor_e.formats.plain import read_segments
from meteor_e.formats.test_sets import named_set
from meteor_e_evaluation.index import NAMED_SET_PREFIX, DataIndex, OutputSpec, fill_pattern, system_name_regex


def read_all_texts(path: PathLike, role: Role) -> dict[str, list[str]]:
    """Read all texts in a file that have a certain role.

    Args:
        path: path of the file. A plain text file contains one text, whose name is empty.
        role: role of the texts in an SGML or XML file: ``hypothesis``, ``reference`` or ``source``.

    Returns:
        The segments of each text by the name of the text. The caller must check the number of segments.

    Raises:
        InputError: if the file is malformed or does not have texts of this role.
    """
    file_format = detect_format(os.fspath(path))
    if file_format not in TEXT_FORMATS or file_format == "plain":
        return {"": list(read_segments(path))}
    texts = read_collection(path, file_format).texts[role]
    if not texts:
        raise InputError(f"{path}: holds no {role}")
    return {name: [*segments.values()] for name, segments in texts.items()}


def read_texts(path: PathLike, role: Role) -> list[str]:
    """Read the only text with the given role in a file.

    Raises:
        InputError: if the file is malformed, or if it does not contain exactly one text of this role.
    """
    texts = read_all_texts(path, role)
    if len(texts) != 1:
        raise InputError(f"{path}: one {role} is needed, it has {len(texts)} ({', '.join(texts)})")
    (text,) = texts.values()
    return text


def read_records(file: Path, hypothesis: str, references: str | None) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the line number and the fields of each record of a JSON Lines, CSV or TSV file.

    Args:
        file: path of the file. Its extension determines the format.
        hypothesis: name of the field or column with the output.
        references: name of the field or column with the references, or None if the file has no references.

    Raises:
        InputError: if a line is not a record. The message names the file and the line.
    """
    table_suffixes = [suffix for suffix in file.suffixes if suffix in (".csv", ".tsv")]
    if table_suffixes:
        columns = TextColumns((hypothesis,), (hypothesis if references is None else references,))
        yield from DelimitedTable(str(file), columns, table_suffixes[-1] == ".tsv").records()
    else:
        yield from _read_json_records(file)


def _read_json_records(file: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for line_number, line in enumerate(read_segments(file), 1):
        try:
            record = json.loads(line)
        except ValueError as error:
            raise InputError(f"{file}, line {line_number}: not a record with these fields: {error}") from None
        if not isinstance(record, dict):
            raise InputError(f"{file}, line {line_number}: not a record with these fields")
        yield line_number, record


def get_field(record: Mapping[str, Any], name: str, file: Path, line_number: int) -> Any:
    """Return the value of a field of a record.

    Raises:
        InputError: if the record does not have the field. The message names the file and the line.
    """
    if name not in record:
        raise InputError(
            f"{file}, line {line_number}: no field {name!r}{near_miss(name, record)}; there are {', '.join(record)}"
        )
    return record[name]


def find_files(root: Path, pattern: str, index: DataIndex, pair: str, description: str) -> list[Path]:
    """Return the sorted paths of all files that match a pattern.

    Args:
        root: folder of the data.
        pattern: path relative to the folder, which may contain wildcards.
        index: the data index, for the error message.
        pair: the language pair, for the error message.
        description: description of the files, for the error message.

    Raises:
        InputError: if no file matches.
    """
    has_wildcards = any(character in pattern for character in "*?[")
    paths = sorted(root.glob(pattern)) if has_wildcards else [root / pattern]
    if not paths or not paths[0].is_file():
        raise InputError(f"{index.file}: {description} of {pair} is missing: {root / pattern}")
    return paths


class OutputFiles:
    """Reads the system outputs of a language pair.

    Attributes:
        files: path of the output of each system.
        location: path or pattern of the files, for error messages.
        is_file_per_system: whether each system has a file of its own.
    """

    def __init__(self, spec: OutputSpec, root: Path, pair: str, n_segments: int, index: DataIndex) -> None:
        self._n_segments = n_segments
        self._format = spec.format
        self._texts: dict[str, list[str]] = {}
        self.files: dict[str, Path] = {}
        self.is_file_per_system = False
        pattern = fill_pattern(spec.file, pair)
        if spec.file.startswith(NAMED_SET_PREFIX):
            self.location = spec.file
            self._read_named_set(spec.file, pair, index)
            return
        self.location = str(root / pattern)
        if "{system}" in pattern:
            self.is_file_per_system = True
            self._find_files(pattern, root, pair, index)
            return
        file = find_files(root, pattern, index, pair, "the file of outputs")[0]
        texts = read_all_texts(file, "hypothesis") if spec.system is None else _read_output_table(file, spec)
        self._texts = texts
        self.files = dict.fromkeys(texts, file)

    def _read_named_set(self, name: str, pair: str, index: DataIndex) -> None:
        for system, path in named_set(name.removeprefix(NAMED_SET_PREFIX), pair).systems.items():
            self.files[system] = Path(name)
            self._texts[system] = list(read_segments(path))
        if not self.files:
            raise InputError(f"{index.file}: {name} has no system outputs for {pair}")

    def _find_files(self, pattern: str, root: Path, pair: str, index: DataIndex) -> None:
        name_regex = system_name_regex(pattern, pair)
        wildcards = "*".join(glob.escape(part) for part in re.split(r"\{system\}|\{number\}|\*", pattern))
        for file in root.glob(wildcards):
            match = name_regex.fullmatch(file.relative_to(root).as_posix())
            if match and file.is_file():
                self.files[match["system"]] = file
        if not self.files:
            raise InputError(f"{index.file}: no system outputs of {pair}: {self.location}")

    def read(self, system: str) -> list[str]:
        """Return the output of a system.

        Raises:
            InputError: if the numbers of segments of the output and of its reference differ.
        """
        file = self.files[system]
        if system not in self._texts:
            is_plain = self._format == "plain"
            self._texts[system] = list(read_segments(file)) if is_plain else read_texts(file, "hypothesis")
        segments = self._texts[system]
        if len(segments) != self._n_segments:
            length = count_of(len(segments), "segment")
            raise InputError(f"system {system}: {file} has {length}, its reference has {self._n_segments}")
        return segments


def _read_output_table(file: Path, spec: OutputSpec) -> dict[str, list[str]]:
    """Return the segments of each system from a table with a column for the system."""
    assert spec.system is not None
    outputs_by_system: dict[str, dict[int, str]] = {}
    for line_number, record in read_records(file, spec.hypothesis, None):
        system = str(get_field(record, spec.system, file, line_number))
        output = get_field(record, spec.hypothesis, file, line_number)
        if not isinstance(output, str):
            raise InputError(f"{file}, line {line_number}: the output is not a text")
        outputs = outputs_by_system.setdefault(system, {})
        segment = segment_key(record, spec.segment, file, line_number, default=len(outputs))
        if segment in outputs:
            raise InputError(f"{file}, line {line_number}: a second output of system {system} for segment {segment}")
        outputs[segment] = output
    if not outputs_by_system:
        raise InputError(f"{file} is empty")
    segments_by_system = {}
    for system, outputs in outputs_by_system.items():
        segments_by_system[system] = [outputs[segment] for segment in sorted(outputs)]
    return segments_by_system


def segment_key(record: Mapping[str, Any], column: str | None, file: Path, line_number: int, *, default: int) -> int:
    """Return the segment number of a record.

    Args:
        record: the record.
        column: column with the segment number, or None if the file has no such column.
        file: path of the file, for error messages.
        line_number: number of the line, for error messages.
        default: number to return if the file has no column with the segment number.

    Raises:
        InputError: if the column does not contain a whole number. The message names the file and the line.
    """
    if column is None:
        return default
    value = get_field(record, column, file, line_number)
    message = f"{file}, line {line_number}: the segment is {value!r}, not a whole number"
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(message) from None
    if isinstance(value, bool) or not number.is_integer():
        raise InputError(message)
    return int(number)
