"""Score SGML files, and write the same tables and score files as METEOR 1.5."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TextIO, TypeVar

from meteor_e.base.atomic import atomic_writer
from meteor_e.base.errors import InputError
from meteor_e.base.files import input_name
from meteor_e.java.formats import hash_map_order, hashtable_order, java_trim, read_java_lines
from meteor_e.java.options import JavaOptions
from meteor_e.java.report import compare_lines, format_corpus_table, format_scores, format_statistics, warn
from meteor_e.java.scorer import JavaScorer, ScoredSegment, format_scored_alignment
from meteor_e.java.sgml import JavaSgml, read_java_sgml
from meteor_e.scoring.formula import FormulaScores
from meteor_e.scoring.statistics import Statistics, StatisticsSum


def score_sgml(scorer: JavaScorer, stream: TextIO) -> None:
    """Score SGML files. Write a table for each system, and score files for systems, documents and segments."""
    options = scorer.configuration.options
    hypothesis_sets = read_java_sgml(read_java_lines(options.hypothesis), input_name(options.hypothesis))
    reference_sets = read_java_sgml(read_java_lines(options.reference), input_name(options.reference))
    _check_sets(hypothesis_sets, reference_sets, options)
    score_files = _ScoreFiles(scorer)
    for set_id, system_id in _list_systems(hypothesis_sets):
        segments = _list_segments(set_id, system_id, hypothesis_sets[set_id], reference_sets[set_id])
        if not segments:
            message = f"system {system_id!r} of set {set_id!r} has no segment in common with {options.reference}"
            raise InputError(message)
        system_result = _score_system(scorer, segments)
        scores = score_files.add_system((set_id, system_id), system_result)
        if not options.statistics:
            stream.write(f"[{set_id}][{system_id}] \n")
            stream.write(format_corpus_table(system_result.system_sum.total, scores, scorer.configuration) + "\n")
    stream.flush()
    score_files.write()


class _SgmlAlignment(NamedTuple):
    """The alignment of a segment, and the segment's score line. The alignments are sorted by their score lines."""

    line: str
    text: str


class _ScoreFiles:
    """Collect the lines of the score files and the alignments until all systems have been scored.

    Args:
        scorer: the scorer of the run.
    """

    def __init__(self, scorer: JavaScorer) -> None:
        self._scorer = scorer
        self._options = scorer.configuration.options
        self._lines: dict[str, list[str]] = {"sys": [], "doc": [], "seg": []}
        self._alignments: list[_SgmlAlignment] = []

    def add_system(self, system_ids: tuple[str, str], result: _SystemResult) -> FormulaScores:
        """Add lines for a system, its documents and its segments to the score files, and return the system's scores.

        Args:
            system_ids: the ids of the set and of the system.
            result: the statistics and scores of the system.
        """
        for segment, scored_segment in result.segments:
            self._add_segment((*system_ids, segment.document, segment.id), scored_segment)
        for document, document_sum in result.document_sums.items():
            self._add_total("doc", (*system_ids, document), document_sum.total)
        return self._add_total("sys", system_ids, result.system_sum.total)

    def _add_total(self, level: str, ids: Sequence[str], statistics: Statistics) -> FormulaScores:
        """Score a system or document, add a line to the corresponding score file, and return the scores."""
        scores = self._scorer.compute_scores(statistics)
        self._add_line(level, ids, statistics.to_vector(), scores)
        return scores

    def _add_segment(self, ids: Sequence[str], segment: ScoredSegment) -> None:
        """Add the score of a segment, and its alignment if alignments were requested."""
        line = self._add_line("seg", ids, segment.vector, segment.scores)
        if self._options.alignments:
            self._alignments.append(_SgmlAlignment(line, format_scored_alignment(segment, "\t".join(ids))))

    def _add_line(self, level: str, ids: Sequence[str], vector: Sequence[int], scores: FormulaScores) -> str:
        """Add a line to a score file, and return the line. The level of the file is ``sys``, ``doc`` or ``seg``."""
        if self._options.statistics:
            result = format_statistics(vector, self._scorer.n_matchers, self._scorer.configuration.slots)
        else:
            result = format_scores(scores, self._options.verbose)
        line = "\t".join((*ids, result))
        self._lines[level].append(line)
        return line

    def write(self) -> None:
        """Write the score files and the alignments, sorted in the order of METEOR 1.5."""
        sort_key = functools.cmp_to_key(compare_lines)
        for level, lines in self._lines.items():
            with atomic_writer(f"{self._options.prefix}-{level}.scr") as output:
                output.writelines(line + "\n" for line in sorted(lines, key=sort_key))
        if self._options.alignments:
            # The alignments are written in the same order as the score lines of their segments.
            self._alignments.sort(key=lambda alignment: sort_key(alignment.line))
            with atomic_writer(f"{self._options.prefix}-align.out") as output:
                output.writelines(alignment.text for alignment in self._alignments)


class _SgmlSegment(NamedTuple):
    """A segment of a system, as read from the SGML files."""

    document: str
    id: str
    hypothesis: str
    references: list[str]


class _SystemResult(NamedTuple):
    """The statistics and scores of a system.

    Attributes:
        segments: the segments, and their statistics and scores.
        document_sums: the statistics of each document.
        system_sum: the statistics of all documents.
    """

    segments: list[tuple[_SgmlSegment, ScoredSegment]]
    document_sums: dict[str, StatisticsSum]
    system_sum: StatisticsSum


def _score_system(scorer: JavaScorer, segments: Sequence[_SgmlSegment]) -> _SystemResult:
    """Score the segments of a system, and compute the statistics of its documents.

    Args:
        scorer: the scorer of the run.
        segments: the segments of the system.
    """
    batches = scorer.score_batches(
        hypotheses=[_clean_sgml_text(segment.hypothesis) for segment in segments],
        references=[[_clean_sgml_text(reference) for reference in segment.references] for segment in segments],
    )
    scored_segments = [segment for batch in batches for segment in batch.segments]
    segment_results = list(zip(segments, scored_segments, strict=True))
    document_sums = {segment.document: StatisticsSum(scorer.n_matchers) for segment in segments}
    system_sum = StatisticsSum(scorer.n_matchers)
    for segment, scored_segment in segment_results:
        statistics = Statistics.from_vector(scored_segment.vector)
        document_sums[segment.document].add(statistics)
        system_sum.add(statistics)
    return _SystemResult(segment_results, document_sums, system_sum)


def _check_sets(tests: JavaSgml, references: JavaSgml, options: JavaOptions) -> None:
    """Raise InputError if the two SGML files contain different test sets."""
    for path, sets in ((options.hypothesis, tests), (options.reference, references)):
        if not sets:
            raise InputError(f"{path} has no tstset or refset; is it SGML?")
    for set_id in tests:
        if set_id not in references:
            raise InputError(f"set {set_id!r} of {options.hypothesis} is not in {options.reference}")
    for set_id in references:
        if set_id not in tests:
            raise InputError(f"set {set_id!r} of {options.reference} is not in {options.hypothesis}")


def _list_systems(tests: JavaSgml) -> Iterator[tuple[str, str]]:
    """Yield the ids of each test set and system, in METEOR 1.5's scoring order."""
    for set_id in hash_map_order(hashtable_order(tests)):
        for system in hashtable_order(tests[set_id]):
            yield set_id, system


def _clean_sgml_text(text: str) -> str:
    """Trim a segment and replace U+000B with spaces, as METEOR 1.5 does for SGML but not for plain text."""
    return java_trim(text.replace("\x0b", " "))


Documents = dict[str, dict[str, str]]
"""Document → segment → text."""


class _TestSystem(NamedTuple):
    """A system of a test set, and the references of the set.

    Attributes:
        set_id: the id of the test set.
        id: the id of the system.
        hypotheses: the documents of the system.
        references: the documents of each reference. The order of the references matters if several references have the
            same highest score, because the first of these references is chosen.
    """

    set_id: str
    id: str
    hypotheses: Documents
    references: dict[str, Documents]


def _list_segments(
    set_id: str, system_id: str, tests: dict[str, Documents], references: dict[str, Documents]
) -> list[_SgmlSegment]:
    """Return the segments of a system in a test set, and warn about missing data.

    References, documents and segments are in the order of METEOR 1.5's hash tables.

    Args:
        set_id: the id of the test set.
        system_id: the id of the system.
        tests: the documents of each system in the test set.
        references: the documents of each reference of the test set.
    """
    ordered_references = {name: references[name] for name in hashtable_order(references)}
    system = _TestSystem(set_id, system_id, tests[system_id], ordered_references)
    segments: list[_SgmlSegment] = []
    for document_id in _merge_keys([*tests.values(), *ordered_references.values()]):
        segments += _list_document_segments(system, document_id)
    return segments


def _list_document_segments(system: _TestSystem, document_id: str) -> list[_SgmlSegment]:
    """Return the segments of a document. The list is empty if the system or all references lack the document.

    Raises:
        InputError: if the document has no segment that a reference has.
    """
    label = f"[{system.set_id}][{document_id}]"
    if document_id not in system.hypotheses:
        warn(f"no data for system [{system.id}] on document {label} - skipping this document")
        return []
    references = _select_references(system.references, document_id, "document", label)
    if not references:
        return []
    segments = list(_read_document(system, document_id, references))
    if not segments:
        raise InputError(f"document {document_id!r} of system {system.id!r} has no segment that a reference has")
    return segments


def _read_document(
    system: _TestSystem, document_id: str, references: Mapping[str, Mapping[str, str]]
) -> Iterator[_SgmlSegment]:
    """Yield the segments of a document that have at least one reference.

    If the system does not have a hypothesis for a segment, the hypothesis is an empty string.
    """
    hypotheses = system.hypotheses[document_id]
    for segment_id in _merge_keys([hypotheses, *references.values()]):
        label = f"[{system.set_id}][{document_id}][{segment_id}]"
        if segment_id not in hypotheses:
            warn(f"no data for system [{system.id}] on segment {label} - scoring empty segment")
        segment_references = _select_references(references, segment_id, "segment", label)
        if segment_references:
            hypothesis = hypotheses.get(segment_id, "")
            yield _SgmlSegment(document_id, segment_id, hypothesis, list(segment_references.values()))


_Content = TypeVar("_Content")


def _select_references(
    references: Mapping[str, Mapping[str, _Content]], id: str, level: str, label: str
) -> dict[str, _Content]:
    """Return the content of a document or a segment in each reference. Warn about references that lack it.

    Args:
        references: the documents or the segments of each reference.
        id: the id of the document or the segment.
        level: ``document`` or ``segment``, for warnings.
        label: the ids of the set, the document and the segment, for warnings.
    """
    contents = {}
    for name, contents_by_id in references.items():
        if id in contents_by_id:
            contents[name] = contents_by_id[id]
        else:
            warn(f"no data for reference [{name}] on {level} {label}")
    if not contents:
        warn(f"no usable references for {level} {label} - skipping this {level}")
    return contents


def _merge_keys(hash_tables: Iterable[Iterable[str]]) -> list[str]:
    """Return the keys of all hash tables in the order in which METEOR 1.5 visits them."""
    keys: list[str] = []
    for hash_table in hash_tables:
        keys += hashtable_order(hash_table)
    return hash_map_order(keys)
