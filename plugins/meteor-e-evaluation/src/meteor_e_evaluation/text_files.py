"""Reads the texts that a data index names: outputs, references and sources."""

from __future__ import annotations

import glob
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from meteor_e.api import InputError, TextColumns
from meteor_e.base.errors import count_of, near_miss
from meteor_e.base.files import PathLike
from meteor_e.formats.delimited import DelimitedTable
from meteor_e.formats.documents import Role
from meteor_e.formats.inputs import TEXT_FORMATS, detect_format, read_collection
from meteor_e.formats.plain import read_segments
from meteor_e.formats.test_sets import named_set
from meteor_e_evaluation.index import NAMED_SET_PREFIX, DataIndex, OutputSpec, fill_pattern, system_name_regex

Item = TypeVar("Item")


def read_all_texts(path: PathLike, role: Role) -> dict[str, list[str]]:
    """Read all texts in a file that have a certain role, such as references.

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
    return {name: list(segment_by_id.values()) for name, segment_by_id in texts.items()}


def read_texts(path: PathLike, role: Role) -> list[str]:
    """Return the segments of the text with the given role. The file must contain exactly one text with this role.

    Raises:
        InputError: if the file is malformed, or if it does not contain exactly one text of this role.
    """
    texts = read_all_texts(path, role)
    if len(texts) != 1:
        raise InputError(f"{path}: one {role} is needed, it has {len(texts)} ({', '.join(texts)})")
    (text,) = texts.values()
    return text


@dataclass(frozen=True)
class Record:
    """A record of a JSON Lines, CSV or TSV file.

    Attributes:
        fields: content of each field or column.
        file: path of the file.
        line_number: number of the line, starting from 1.
    """

    fields: Mapping[str, Any]
    file: Path
    line_number: int

    @property
    def location(self) -> str:
        """File and line, for error messages."""
        return f"{self.file}, line {self.line_number}"

    def get(self, name: str) -> Any:
        """Return the content of a field.

        Raises:
            InputError: if the record does not have the field.
        """
        if name not in self.fields:
            hint = near_miss(name, self.fields)
            raise InputError(f"{self.location}: no field {name!r}{hint}; there are {', '.join(self.fields)}")
        return self.fields[name]

    def get_segment(self, column: str | None, default: int) -> int:
        """Return the segment number.

        Args:
            column: column with the segment number, or None if the file has no such column.
            default: number to return if the file has no such column.

        Raises:
            InputError: if the column does not contain a whole number.
        """
        if column is None:
            return default
        value = self.get(column)
        number = _parse_whole_number(value)
        if number is None:
            raise InputError(f"{self.location}: the segment is {value!r}, not a whole number")
        return number


def _parse_whole_number(value: Any) -> int | None:
    """Return the whole number in a field, or None if the field does not contain a whole number."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return int(number) if number.is_integer() and not isinstance(value, bool) else None


def read_records(file: Path, hypothesis: str, references: str | None) -> Iterator[Record]:
    """Read the records of a JSON Lines, CSV or TSV file.

    Args:
        file: path of the file. Its extension determines the format.
        hypothesis: name of the field or column with the output.
        references: name of the field or column with the references, or None if the file has no references.

    Raises:
        InputError: if a line is not a record. The message names the file and the line.
    """
    # The extension .csv or .tsv may be followed by the extension of a compression format, as in .tsv.gz.
    table_suffixes = [suffix for suffix in file.suffixes if suffix in (".csv", ".tsv")]
    if not table_suffixes:
        yield from _read_json_records(file)
        return
    columns = TextColumns(hypotheses=(hypothesis,), references=(references,) if references else ())
    has_tabs = table_suffixes[-1] == ".tsv"
    table = DelimitedTable(str(file), columns, has_tabs)
    for line_number, cells in table.records():
        yield Record(cells, file, line_number)


def _read_json_records(file: Path) -> Iterator[Record]:
    """Read the records of a JSON Lines file."""
    for line_number, line in enumerate(read_segments(file), 1):
        try:
            fields = json.loads(line)
        except ValueError as error:
            raise InputError(f"{file}, line {line_number}: not a record with these fields: {error}") from None
        if not isinstance(fields, dict):
            raise InputError(f"{file}, line {line_number}: not a record with these fields")
        yield Record(fields, file, line_number)


def find_files(index: DataIndex, pair: str, pattern: str, description: str) -> list[Path]:
    """Return the sorted paths of all files that match a pattern in the index file.

    Args:
        index: the data index.
        pair: the language pair.
        pattern: path relative to the folder of the data, which may contain wildcards, ``{pair}``, ``{source}`` and
            ``{target}``.
        description: description of the files, for the error message.

    Raises:
        InputError: if no file matches.
    """
    root = Path(index.root)
    path = fill_pattern(pattern, pair)
    has_wildcards = any(character in path for character in "*?[")
    paths = sorted(root.glob(path)) if has_wildcards else [root / path]
    files = [file for file in paths if file.is_file()]
    if not files:
        raise InputError(f"{index.file}: {description} of {pair} is missing: {root / path}")
    return files


@dataclass
class OutputFiles:
    """Reads the system outputs of a language pair.

    Attributes:
        location: path or pattern of the files, for error messages.
        n_segments: number of segments of the test set.
        files: path of the output of each system.
        texts: segments of the systems that have already been read.
        is_shared: whether all systems are in the same file, which has already been read.
        is_plain: whether each file is plain text. Otherwise, its content determines the format.
    """

    location: str
    n_segments: int
    files: dict[str, Path]
    texts: dict[str, list[str]] = field(default_factory=dict)
    is_shared: bool = False
    is_plain: bool = False

    @classmethod
    def from_shared_file(
        cls, file: Path, texts: dict[str, list[str]], *, location: str, n_segments: int
    ) -> OutputFiles:
        """Create an object for the outputs of all systems, which have already been read from a single file."""
        return cls(location, n_segments, files=dict.fromkeys(texts, file), texts=texts, is_shared=True)

    def paths_by_system(self) -> dict[str, str]:
        """Return the path of each system's output, or an empty dictionary if all systems share a file."""
        return {} if self.is_shared else {system: str(path) for system, path in self.files.items()}

    def read(self, system: str) -> list[str]:
        """Return the output of a system, one string per segment.

        Raises:
            InputError: if the numbers of segments of the output and of its reference differ.
        """
        file = self.files[system]
        if system not in self.texts:
            self.texts[system] = list(read_segments(file)) if self.is_plain else read_texts(file, "hypothesis")
        segments = self.texts[system]
        if len(segments) != self.n_segments:
            length = count_of(len(segments), "segment")
            raise InputError(f"system {system}: {file} has {length}, its reference has {self.n_segments}")
        return segments


def open_outputs(index: DataIndex, pair: str, spec: OutputSpec, n_segments: int) -> OutputFiles:
    """Find the files with the system outputs of a language pair.

    Args:
        index: the data index.
        pair: the language pair.
        spec: entry of the outputs in the index.
        n_segments: number of segments of the test set.

    Raises:
        InputError: if there are no outputs.
    """
    if spec.file.startswith(NAMED_SET_PREFIX):
        texts = _read_named_set(index, pair, spec.file)
        return OutputFiles.from_shared_file(Path(spec.file), texts, location=spec.file, n_segments=n_segments)
    location = str(Path(index.root) / fill_pattern(spec.file, pair))
    if "{system}" in spec.file:
        files = _find_output_files(index, pair, spec.file)
        return OutputFiles(location, n_segments, files, is_plain=spec.format == "plain")
    file = find_files(index, pair, spec.file, "the file of outputs")[0]
    texts = read_all_texts(file, "hypothesis") if spec.system is None else _read_output_table(file, spec, spec.system)
    return OutputFiles.from_shared_file(file, texts, location=location, n_segments=n_segments)


def _read_named_set(index: DataIndex, pair: str, name: str) -> dict[str, list[str]]:
    """Return the segments of each system in a test set of sacreBLEU."""
    outputs = named_set(name.removeprefix(NAMED_SET_PREFIX), pair).systems
    if not outputs:
        raise InputError(f"{index.file}: {name} has no system outputs for {pair}")
    return {system: list(read_segments(path)) for system, path in outputs.items()}


def _find_output_files(index: DataIndex, pair: str, pattern: str) -> dict[str, Path]:
    """Return the path of each system's output, if each system has its own file."""
    root = Path(index.root)
    name_regex = system_name_regex(pattern, pair)
    path = fill_pattern(pattern, pair)
    files = {}
    for file in root.glob(_make_glob(path)):
        match = name_regex.fullmatch(file.relative_to(root).as_posix())
        if match and file.is_file():
            files[match["system"]] = file
    if not files:
        raise InputError(f"{index.file}: no system outputs of {pair}: {root / path}")
    return files


def _make_glob(path: str) -> str:
    """Replace ``{system}`` and ``{number}`` in a path by ``*``. Only ``*`` is a wildcard."""
    literal_parts = re.split(r"\{system\}|\{number\}|\*", path)
    return "*".join(glob.escape(part) for part in literal_parts)


def _read_output_table(file: Path, spec: OutputSpec, system_column: str) -> dict[str, list[str]]:
    """Read the outputs of all systems from a table in which one column names the system.

    Returns:
        The segments of each system, in the order of their numbers.
    """
    outputs_by_system: dict[str, dict[int, str]] = {}
    for record in read_records(file, spec.hypothesis, None):
        system = str(record.get(system_column))
        output = record.get(spec.hypothesis)
        if not isinstance(output, str):
            raise InputError(f"{record.location}: the output is not a text")
        outputs = outputs_by_system.setdefault(system, {})
        segment = record.get_segment(spec.segment, default=len(outputs))
        if segment in outputs:
            raise InputError(f"{record.location}: a second output of system {system} for segment {segment}")
        outputs[segment] = output
    if not outputs_by_system:
        raise InputError(f"{file} is empty")
    return {system: sort_by_segment(outputs) for system, outputs in outputs_by_system.items()}


def sort_by_segment(items: Mapping[int, Item]) -> list[Item]:
    """Return the values of a dictionary in the order of its keys, which are segment numbers."""
    return [items[number] for number in sorted(items)]
