"""Loads the test set of a language pair, which consists of outputs, references and human judgments."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from meteor_e.api import InputError
from meteor_e.formats.plain import read_segments
from meteor_e.formats.test_sets import named_set
from meteor_e_evaluation.index import NAMED_SET_PREFIX, DataIndex, fill_pattern
from meteor_e_evaluation.judgment_reader import JudgmentReader
from meteor_e_evaluation.records import load_records
from meteor_e_evaluation.test_set import TestSet
from meteor_e_evaluation.text_files import OutputFiles, find_files, read_all_texts, read_texts


class _Text(NamedTuple):
    """The segments of a reference or a source, and the file that contains them."""

    file: Path
    segments: list[str]


def load_test_set(index: DataIndex, pair: str, *, every_system: bool = False) -> TestSet:
    """Load the test set of a language pair.

    Args:
        index: the data index.
        pair: the language pair.
        every_system: whether to include systems without judgments, which measures ignore.

    Raises:
        ConfigError: if the index does not contain the language pair.
        InputError: if data are missing or inconsistent. The message names the system and the file.
    """
    entries = index.pair(pair)
    if index.records is not None:
        return load_records(index, pair, index.records)
    root = Path(index.root)
    references = _read_references(entries.references or index.references, root, index, pair)
    n_segments = len(references[0].segments)
    source = _read_source(entries.source or index.source, root, index, pair)
    _check_lengths(references if source is None else [*references, source])
    documents = _read_documents(entries.documents or index.documents, root, index, pair, n_segments)
    output_spec = entries.outputs or index.outputs
    assert output_spec is not None  # load_index() rejects an index without outputs.
    outputs = OutputFiles(output_spec, root, pair, n_segments, index)
    judgments = JudgmentReader(pair, outputs, n_segments, index, documents)
    _read_judgments(judgments, index, pair)
    systems = judgments.systems
    if every_system:
        systems = set(outputs.files) - set(entries.reference_names)
    names = tuple(sorted(systems))
    outliers = {*entries.outliers, *index.outliers}
    return TestSet(
        name=index.name,
        pair=pair,
        language=index.output_language(pair),
        systems=names,
        outputs=tuple(outputs.read(system) for system in names),
        references=tuple(reference.segments for reference in references),
        source=None if source is None else source.segments,
        rankings=judgments.rankings(names),
        assessments=judgments.assessments(names),
        system_scores=dict(judgments.system_scores),
        notes=tuple(judgments.notes()),
        known_systems=tuple(sorted(outputs.files)),
        output_files={name: str(path) for name, path in outputs.files.items() if outputs.is_file_per_system},
        reference_names=tuple(entries.reference_names),
        documents=documents,
        outliers=tuple(system for system in names if system in outliers),
        root=index.root,
    )


def _read_judgments(reader: JudgmentReader, index: DataIndex, pair: str) -> None:
    """Read all judgments of a language pair into the reader.

    Raises:
        InputError: if there are no judgments of any system.
    """
    entries = index.pair(pair)
    specs = index.judgments if entries.judgments is None else entries.judgments
    for spec in specs:
        reader.read(spec, Path(index.root))
    if not reader.systems:
        raise InputError(f"{index.file}: no judgments for {pair} in {', '.join(spec.file for spec in specs)}")


def _check_lengths(texts: list[_Text]) -> None:
    """Check that all texts have as many segments as the first one."""
    first = texts[0]
    for text in texts:
        if len(text.segments) != len(first.segments):
            raise InputError(f"{text.file} has {len(text.segments)} segments, {first.file} has {len(first.segments)}")


def _read_references(patterns: list[str], root: Path, index: DataIndex, pair: str) -> list[_Text]:
    references = []
    for pattern in patterns:
        if pattern.startswith(NAMED_SET_PREFIX):
            named = named_set(pattern.removeprefix(NAMED_SET_PREFIX), pair)
            references += [_Text(Path(file), list(read_segments(file))) for file in named.references]
            continue
        for file in find_files(root, fill_pattern(pattern, pair), index, pair, "a reference"):
            references += [_Text(file, segments) for segments in read_all_texts(file, "reference").values()]
    return references


def _read_source(pattern: str | None, root: Path, index: DataIndex, pair: str) -> _Text | None:
    if pattern is None:
        return None
    if pattern.startswith(NAMED_SET_PREFIX):
        file = Path(named_set(pattern.removeprefix(NAMED_SET_PREFIX), pair).source)
        return _Text(file, list(read_segments(file)))
    file = find_files(root, fill_pattern(pattern, pair), index, pair, "the source")[0]
    return _Text(file, read_texts(file, "source"))


def _read_documents(pattern: str | None, root: Path, index: DataIndex, pair: str, n_segments: int) -> tuple[str, ...]:
    """Read the document of each segment from the last column of a file with one line per segment."""
    if pattern is None:
        return ()
    file = find_files(root, fill_pattern(pattern, pair), index, pair, "the file of documents")[0]
    names = tuple(line.rpartition("\t")[2].strip() for line in read_segments(file))
    if len(names) != n_segments:
        raise InputError(f"{file} has {len(names)} lines, the test set has {n_segments} segments")
    return names
