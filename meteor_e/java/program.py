"""Score files or requests, and write the same output as the Java program METEOR 1.5."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from typing import TextIO

from meteor_e.base.atomic import atomic_writer
from meteor_e.base.errors import ConfigError, InputError
from meteor_e.java.formats import java_double, read_java_lines
from meteor_e.java.options import JavaConfiguration, JavaOptions
from meteor_e.java.report import format_corpus_table, format_header, format_scores, format_statistics, warn
from meteor_e.java.scorer import JavaScorer, ScoredSegment, format_scored_alignment
from meteor_e.scoring.statistics import Statistics, StatisticsSum


def run(configuration: JavaConfiguration, stream: TextIO) -> None:
    """Compute scores, and write the same output as METEOR 1.5.

    Args:
        configuration: the configuration that results from the command line.
        stream: standard output.

    Raises:
        MeteorError: if METEOR 1.5 would fail, or write meaningless numbers.
    """
    if configuration.options.stdio:
        _run_stdio(configuration, stream)
    elif configuration.options.sgml:
        _run_sgml(configuration, stream)
    else:
        _run_plain(configuration, stream)


def _run_stdio(configuration: JavaConfiguration, stream: TextIO) -> None:
    """Answer requests on standard input."""
    from meteor_e.java.stdio import serve

    if configuration.options.sgml:
        warn("Stdio incompatible with other modes - using Stdio only")
    serve(_make_scorer(configuration), stream)


def _run_sgml(configuration: JavaConfiguration, stream: TextIO) -> None:
    """Score SGML files, and write a table for each system."""
    from meteor_e.java.sgml_scoring import score_sgml

    _write_header(configuration, "SGML", stream)
    score_sgml(_make_scorer(configuration), stream)


def _run_plain(configuration: JavaConfiguration, stream: TextIO) -> None:
    """Score plain text files, and write the segment scores and the table of corpus scores."""
    options = configuration.options
    if options.hypothesis == "-" and options.reference == "-":
        raise ConfigError("test and reference cannot both be standard input; to answer requests, add -stdio")
    _write_header(configuration, "plaintext", stream)
    scorer = _make_scorer(configuration)
    hypotheses = read_java_lines(options.hypothesis)
    references = _group_references(read_java_lines(options.reference), len(hypotheses), configuration)
    corpus_statistics = _score_segments(scorer, hypotheses, references, stream)
    if options.statistics:
        return
    # Like the Java program, this function creates the alignment file before it reports that the input is empty.
    if not hypotheses:
        raise InputError(f"{options.hypothesis} is empty; there is nothing to score")
    _write_corpus_scores(scorer, corpus_statistics, stream)


def _write_header(configuration: JavaConfiguration, input_format: str, stream: TextIO) -> None:
    """Write the header of the output, unless the options suppress it."""
    if not (configuration.options.quiet or configuration.options.statistics):
        stream.write(format_header(configuration, input_format))
        stream.flush()


def _make_scorer(configuration: JavaConfiguration) -> JavaScorer:
    """Print the warnings of the configuration, and create the scorer."""
    for warning in configuration.warnings:
        warn(warning)
    return JavaScorer(configuration)


def _score_segments(
    scorer: JavaScorer, hypotheses: Sequence[str], references: Sequence[str | Sequence[str]], stream: TextIO
) -> Statistics:
    """Score segments, write their results, and return the statistics of the corpus.

    If requested, also write the alignments of the segments to a file.
    """
    corpus_sum = StatisticsSum(scorer.n_matchers)
    with _open_alignment_file(scorer.configuration.options) as alignment_file:
        writer = _SegmentWriter(scorer, stream, alignment_file)
        for batch in scorer.score_batches(hypotheses, references):
            for segment in batch.segments:
                writer.write(segment)
            corpus_sum.add_total(batch.total, batch.n_segments)
    return corpus_sum.total


class _SegmentWriter:
    """Write the lines of segments, and their alignments.

    Args:
        scorer: the scorer of the segments.
        stream: standard output. With ``-q``, the scores of segments are written to standard error.
        alignment_file: the file for alignments, or ``None`` if alignments were not requested.
    """

    def __init__(self, scorer: JavaScorer, stream: TextIO, alignment_file: TextIO | None) -> None:
        self._scorer = scorer
        self._options = options = scorer.configuration.options
        self._is_quiet = options.quiet and not (options.verbose or options.statistics)
        self._stream = sys.stderr if self._is_quiet else stream
        self._alignment_file = alignment_file
        self._segment_count = 0

    def write(self, segment: ScoredSegment) -> None:
        """Write the line and the alignment of the next segment. The segments are numbered from 1."""
        self._segment_count += 1
        if self._alignment_file is not None:
            self._alignment_file.write(format_scored_alignment(segment, str(self._segment_count)))
        self._stream.write(self._format(segment) + "\n")

    def _format(self, segment: ScoredSegment) -> str:
        """Return the line of the current segment without its line end."""
        if self._options.statistics:
            return format_statistics(segment.vector, self._scorer.n_matchers, self._scorer.configuration.slots)
        if self._is_quiet:
            return java_double(segment.scores.score)
        return f"Segment {self._segment_count} score:\t{format_scores(segment.scores, self._options.verbose)}"


def _write_corpus_scores(scorer: JavaScorer, total: Statistics, stream: TextIO) -> None:
    """Write the table of corpus scores, or only the final score with ``-q``."""
    scores = scorer.compute_scores(total)
    if scorer.configuration.options.quiet:
        stream.write(java_double(scores.score) + "\n")
    else:
        stream.write("\nSystem level statistics:\n\n")
        stream.write(format_corpus_table(total, scores, scorer.configuration))


def _open_alignment_file(options: JavaOptions) -> contextlib.AbstractContextManager[TextIO | None]:
    """Open the file for alignments, if alignments were requested."""
    return atomic_writer(f"{options.prefix}-align.out") if options.alignments else contextlib.nullcontext()


def _group_references(
    lines: list[str], n_segments: int, configuration: JavaConfiguration
) -> Sequence[str | Sequence[str]]:
    """Assign the lines of the reference file to the segments, and return the references of each segment.

    The command-line option ``-r`` sets the number of references per segment. If there is one reference per segment,
    each reference is a string. Otherwise, the references of each segment are a list of strings.

    Raises:
        InputError: if the number of lines does not fit the number of segments.
    """
    options = configuration.options
    group_size = configuration.references_per_segment
    if len(lines) != n_segments * group_size:
        condition = f" for {group_size} references per segment" if group_size > 1 else ""
        raise InputError(
            f"test and reference not same length: {options.hypothesis} has {n_segments} segments, "
            f"{options.reference} has {len(lines)} lines{condition}"
        )
    if group_size == 1:
        return lines
    return [lines[start : start + group_size] for start in range(0, len(lines), group_size)]
