"""Loads the test set of a language pair, which consists of outputs, references and human judgments."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from meteor_e.api import InputError
from meteor_e.formats.plain import read_segments
from meteor_e.formats.test_sets import named_set
from meteor_e_evaluation.index import NAMED_SET_PREFIX, DataIndex, PairSpec
from meteor_e_evaluation.judged_texts import JudgedTexts
from meteor_e_evaluation.judgment_reader import JudgmentReader
from meteor_e_evaluation.records import load_records
from meteor_e_evaluation.test_set import TestSet
from meteor_e_evaluation.text_files import find_files, open_outputs, read_all_texts, read_texts


class _Text(NamedTuple):
    """The segments of a reference or source text, and the path of its file."""

    file: Path
    segments: list[str]


class _TestSetTexts(NamedTuple):
    """The texts of a test set, without the outputs of the systems.

    Attributes:
        references: the references.
        source: the source, or None if the index does not name a source.
        documents: name of the document of each segment. Empty if the index does not name documents.
    """

    references: list[_Text]
    source: _Text | None
    documents: tuple[str, ...]


def load_test_set(index: DataIndex, pair: str, *, every_system: bool = False) -> TestSet:
    """Load the test set of a language pair.

    Args:
        index: the data index.
        pair: the language pair.
        every_system: whether to include systems without judgments. Measures ignore these systems.

    Returns:
        The test set, whose systems are sorted by name.

    Raises:
        ConfigError: if the index does not contain the language pair.
        InputError: if data are missing or inconsistent. The message names the system and the file.
    """
    pair_spec = index.pair(pair)
    if index.records is not None:
        return load_records(index, pair, index.records)
    return _load_separate_files(index, pair, pair_spec, every_system=every_system)


def _load_separate_files(index: DataIndex, pair: str, pair_spec: PairSpec, *, every_system: bool) -> TestSet:
    """Load a test set whose outputs, references and judgments are in separate files.

    Args:
        index: the data index.
        pair: the language pair.
        pair_spec: the settings of the language pair in the index, which override the general settings.
        every_system: whether to include systems without judgments.
    """
    texts = _read_test_set_texts(index, pair, pair_spec)
    n_segments = len(texts.references[0].segments)
    output_spec = pair_spec.outputs or index.outputs
    assert output_spec is not None  # load_index() rejects an index without outputs.
    outputs = open_outputs(index, pair, output_spec, n_segments)
    judgments = _read_judgments(JudgedTexts(index, pair, outputs, n_segments, texts.documents))
    output_systems = set(outputs.files) - set(pair_spec.reference_names)
    systems = tuple(sorted(output_systems if every_system else judgments.systems))
    outliers = {*pair_spec.outliers, *index.outliers}.intersection(systems)
    test_set = TestSet(
        name=index.name,
        pair=pair,
        language=index.output_language(pair),
        systems=systems,
        outputs=tuple(outputs.read(system) for system in systems),
        references=tuple(reference.segments for reference in texts.references),
        source=None if texts.source is None else texts.source.segments,
        known_systems=tuple(sorted(outputs.files)),
        output_files=outputs.paths_by_system(),
        reference_names=tuple(pair_spec.reference_names),
        documents=texts.documents,
        outliers=tuple(sorted(outliers)),
        root=index.root,
    )
    return judgments.add_to(test_set)


def _read_test_set_texts(index: DataIndex, pair: str, pair_spec: PairSpec) -> _TestSetTexts:
    """Read the references, the source and the documents of a language pair, and check that their lengths agree."""
    references = _read_references(pair_spec.references or index.references, index, pair)
    source = _read_source(pair_spec.source or index.source, index, pair)
    _check_lengths(references if source is None else [*references, source])
    documents = _read_documents(pair_spec.documents or index.documents, index, pair, len(references[0].segments))
    return _TestSetTexts(references, source, documents)


def _read_judgments(texts: JudgedTexts) -> JudgmentReader:
    """Read all human judgments of a language pair, and return the reader that has collected them.

    Raises:
        InputError: if there are no judgments of any system.
    """
    index, pair = texts.index, texts.pair
    pair_spec = index.pair(pair)
    specs = index.judgments if pair_spec.judgments is None else pair_spec.judgments
    reader = JudgmentReader(texts, specs)
    reader.read()
    if not reader.systems:
        raise InputError(f"{index.file}: no judgments for {pair} in {', '.join(spec.file for spec in specs)}")
    return reader


def _check_lengths(texts: list[_Text]) -> None:
    """Check that all texts have the same number of segments."""
    first = texts[0]
    for text in texts:
        if len(text.segments) != len(first.segments):
            raise InputError(f"{text.file} has {len(text.segments)} segments, {first.file} has {len(first.segments)}")


def _read_references(patterns: list[str], index: DataIndex, pair: str) -> list[_Text]:
    """Read all references of a language pair.

    Args:
        patterns: paths of the references, or names of test sets of sacreBLEU.
        index: the data index.
        pair: the language pair.
    """
    references = []
    for pattern in patterns:
        if pattern.startswith(NAMED_SET_PREFIX):
            test_set = named_set(pattern.removeprefix(NAMED_SET_PREFIX), pair)
            references += [_Text(Path(file), list(read_segments(file))) for file in test_set.references]
        else:
            for file in find_files(index, pair, pattern, "a reference"):
                texts = read_all_texts(file, "reference")
                references += [_Text(file, segments) for segments in texts.values()]
    return references


def _read_source(source: str | None, index: DataIndex, pair: str) -> _Text | None:
    """Read the source text of a language pair, or return None if the index file names no source.

    Args:
        source: path of the source, or name of a test set of sacreBLEU. If the path has wildcards, the first matching
            file is read.
        index: the data index.
        pair: the language pair.
    """
    if source is None:
        return None
    if source.startswith(NAMED_SET_PREFIX):
        test_set = named_set(source.removeprefix(NAMED_SET_PREFIX), pair)
        return _Text(Path(test_set.source), list(read_segments(test_set.source)))
    file = find_files(index, pair, source, "the source")[0]
    return _Text(file, read_texts(file, "source"))


def _read_documents(pattern: str | None, index: DataIndex, pair: str, n_segments: int) -> tuple[str, ...]:
    """Read the name of each segment's document from a file with one line per segment."""
    if pattern is None:
        return ()
    file = find_files(index, pair, pattern, "the file of documents")[0]
    last_columns = [line.rpartition("\t")[2] for line in read_segments(file)]
    names = tuple(column.strip() for column in last_columns)
    if len(names) != n_segments:
        raise InputError(f"{file} has {len(names)} lines, the test set has {n_segments} segments")
    return names
