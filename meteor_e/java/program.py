"""Score files or requests, and write the same output as the Java program METEOR 1.5."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Sequence
from typing import TextIO

from meteor_e.base.atomic import atomic_writer
from meteor_e.base.errors import ConfigError, InputError
from meteor_e.java.formats import java_double, read_java_lines
from meteor_e.java.options import JavaConfiguration
from meteor_e.java.report import format_corpus_table, format_header, format_scores, format_statistics, warn
from meteor_e.java.scorer import JavaScorer, ScoredSegment, format_scored_alignment
from meteor_e.scoring.statistics import StatisticsSum


def run(configuration: JavaConfiguration, stream: TextIO) -> None:
    """Compute scores, and write the same output as METEOR 1.5.

    Args:
        configuration: the configuration that results from the command line.
        stream: standard output.

    Raises:
        MeteorError: if METEOR 1.5 would fail, or write meaningless numbers.
    """
    options = configuration.options
    if not (options.quiet or options.statistics or options.stdio):
        stream.write(format_header(configuration, "SGML" if options.sgml else "plaintext"))
        stream.flush()
    if options.stdio and options.sgml:
        warn("Stdio incompatible with other modes - using Stdio only")
    for warning in configuration.warnings:
        warn(warning)
    scorer = JavaScorer(configuration)
    if options.stdio:
        from meteor_e.java.stdio_scoring import serve

        serve(scorer, stream)
    elif options.sgml:
        from meteor_e.java.sgml_scoring import score_sgml

        score_sgml(scorer, stream)
    else:
        _score_plain(scorer, stream)


def _score_plain(scorer: JavaScorer, stream: TextIO) -> None:
    """Score plain text files, and write the segment scores and the table of corpus scores."""
    configuration = scorer.configuration
    options = configuration.options
    if options.hypothesis == options.reference == "-":
        raise ConfigError("test and reference cannot both be standard input; to answer requests, add -stdio")
    hypotheses = read_java_lines(options.hypothesis)
    references = _group_references(read_java_lines(options.reference), len(hypotheses), configuration)
    corpus_sum = StatisticsSum(scorer.n_matchers)
    segments = scorer.score_segments(hypotheses, references, corpus_sum)
    _write_segments(segments, scorer.n_matchers, configuration, stream)
    if options.statistics:
        return
    if not hypotheses:
        raise InputError(f"{options.hypothesis} is empty; there is nothing to score")
    scores = scorer.compute_scores(corpus_sum.total)
    if options.quiet:
        stream.write(java_double(scores.score) + "\n")
    else:
        stream.write("\nSystem level statistics:\n\n")
        stream.write(format_corpus_table(corpus_sum.total, scores, configuration))


def _write_segments(
    segments: Iterable[ScoredSegment], n_matchers: int, configuration: JavaConfiguration, stream: TextIO
) -> None:
    """Write the scores or statistics of segments. If requested, also write their alignments to a file."""
    options = configuration.options
    alignment_writer: contextlib.AbstractContextManager[TextIO | None] = contextlib.nullcontext()
    if options.alignments:
        alignment_writer = atomic_writer(f"{options.prefix}-align.out")
    with alignment_writer as alignment_file:
        for number, segment in enumerate(segments, 1):
            if alignment_file is not None:
                alignment_file.write(format_scored_alignment(segment, str(number)))
            if options.statistics:
                stream.write(format_statistics(segment.vector, n_matchers, configuration.slots) + "\n")
            elif options.quiet and not options.verbose:
                print(java_double(segment.scores.score), file=sys.stderr)
            else:
                stream.write(f"Segment {number} score:\t{format_scores(segment.scores, options.verbose)}\n")


def _group_references(
    lines: list[str], n_segments: int, configuration: JavaConfiguration
) -> Sequence[str | Sequence[str]]:
    """Group the lines of the reference file by segment. If each segment has one reference, return the lines.

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
