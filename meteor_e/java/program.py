"""Score files or requests, and write the same output as the Java program METEOR 1.5."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO, cast

from meteor_e.api.languages import Parameters
from meteor_e.base.atomic import atomic_writer
from meteor_e.base.errors import ConfigError, InputError, add_location
from meteor_e.base.files import input_name, open_binary, os_errors_as
from meteor_e.java.alignments import format_alignment
from meteor_e.java.formats import hash_map_order, hashtable_order, java_double, java_lines, java_trim
from meteor_e.java.options import JavaConfiguration, JavaOptions
from meteor_e.java.report import (
    JavaStatistics,
    compare_lines,
    count_java_statistics,
    format_corpus_table,
    format_header,
    format_scores,
    format_statistics,
    make_java_vector,
    parse_java_statistics,
)
from meteor_e.java.stdio import answer
from meteor_e.meteor import Meteor
from meteor_e.packs.pack import parse_function_words, read_word_list
from meteor_e.packs.resources import LanguageResources
from meteor_e.plugins.registry import plugin_registry
from meteor_e.scoring.alignment import Alignment
from meteor_e.scoring.formula import FormulaScores, compute
from meteor_e.scoring.statistics import Statistics, StatisticsSum

if TYPE_CHECKING:
    from meteor_e.api.java_modules import JavaSettings
    from meteor_e.java.sgml import JavaSgml


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
        _warn("Stdio incompatible with other modes - using Stdio only")
    for warning in configuration.warnings:
        _warn(warning)
    scorer = _Scorer(configuration)
    if options.stdio:
        _serve(scorer, stream)
    elif options.sgml:
        _score_sgml(scorer, stream)
    else:
        _score_plain(scorer, stream)


def _warn(message: str) -> None:
    """Print a warning in the format of METEOR 1.5."""
    print(f"Warning: {message}", file=sys.stderr, flush=True)


# -- The metric --

_PLACEHOLDERS = (0.5, 1.0, 0.5, 0.5)
"""The parameters of the chain if those of the command line are out of the range of chains.

The scores are then computed from the statistics.
"""


def make_meteor(configuration: JavaConfiguration) -> Meteor:
    """Create the metric that the options describe. The metric compares words in the same way as METEOR 1.5."""
    matchers, lemmatizer = make_chain_entries(configuration)
    for index, matcher in enumerate(matchers):
        # Modules without a weight have the weight 0.
        has_weight = index < len(configuration.weights)
        matcher["weight"] = configuration.weights[index] if has_weight else 0.0
    parameters = _PLACEHOLDERS if configuration.is_out_of_range else configuration.parameters
    alpha, beta, gamma, delta = parameters[:4]
    meteor = Meteor(
        configuration.language.code,
        task="li",
        parameters={"alpha": alpha, "beta": beta, "gamma": gamma, "delta": delta},
        matchers=matchers,
        lemmatizer=lemmatizer,
        normalization=configuration.normalization,
        beam=configuration.beam,
        character_mode=configuration.options.characters,
        resources=_load_resources(configuration),
    )
    meteor.compare_words_by("java")
    return meteor


def make_chain_entries(configuration: JavaConfiguration) -> tuple[list[dict[str, Any]], Any]:
    """Return the matchers and the lemmatizer in the form that a chain file uses. The lemmatizer can be ``None``."""
    options = configuration.options
    if configuration.threshold is None:
        return [{"use": module} for module in configuration.modules], None
    settings = _make_plugin_settings(configuration, configuration.threshold)
    module_classes = plugin_registry().java_modules
    matchers: list[dict[str, Any]] = []
    for name in configuration.modules:
        if name in configuration.plugin_modules:
            matchers.append(dict(module_classes.get(name).make().matcher(settings)))
        else:
            matchers.append({"use": name})
    lemmatizer: Any = None
    if options.lemmas is not None:
        lemmatizer = {"use": "lookup", "file": options.lemmas}
    elif options.vector_key != "word":
        lemmatizer = module_classes.get("embeddings").make().lemmatizer(settings)
    return matchers, lemmatizer


def _make_plugin_settings(configuration: JavaConfiguration, threshold: float) -> JavaSettings:
    """Return the command-line options for matchers that plugins provide."""
    from meteor_e.api.java_modules import JavaSettings

    options = configuration.options
    return JavaSettings(
        language=configuration.language,
        language_name=configuration.language_name.lower(),
        vectors=options.vectors,
        key=options.vector_key,
        threshold=threshold,
        lemmas=options.lemmas,
        synonyms=options.synonyms,
    )


def _load_resources(configuration: JavaConfiguration) -> LanguageResources | None:
    """Return the language's resources with replacements, or ``None`` if the command line does not replace any."""
    replacements = _load_replacements(configuration)
    if not replacements:
        return None
    resources = _load_language_resources(configuration.language.code)
    return resources.replace("files of the command line", **replacements)


def _load_replacements(configuration: JavaConfiguration) -> dict[str, Any]:
    """Read the replacements for resources of the language. Files that no module uses are not read."""
    replacements: dict[str, Any] = {}
    options = configuration.options
    if options.words is not None:
        replacements["function_words"] = parse_function_words(read_word_list(options.words))
    elif configuration.language.code != "en":
        # By default, METEOR 1.5 uses the English function words for every language.
        replacements["function_words"] = _load_language_resources("en").function_words
    core_modules = set(configuration.modules) - set(configuration.plugin_modules)
    if options.synonyms is not None and "synonym" in core_modules:
        from meteor_e.packs.cache import load_synonym_index  # This import is slow.

        replacements["synonyms"] = load_synonym_index(options.synonyms, configuration.language_name.lower())
    if options.paraphrases is not None and "paraphrase" in core_modules:
        from meteor_e.packs.cache import load_paraphrase_index  # This import is slow.

        replacements["paraphrases"] = load_paraphrase_index(options.paraphrases)
    return replacements


def _load_language_resources(code: str) -> LanguageResources:
    """Return the installed resources of a language."""
    return Meteor(code, matchers=["exact"]).resources


class _Segment(NamedTuple):
    """A scored segment.

    Attributes:
        vector: the statistics, in the order of ``Statistics.to_vector()``.
        scores: the scores; undefined parts are NaN.
        alignment: the alignment with the best reference, if alignments were requested.
    """

    vector: list[int]
    scores: FormulaScores
    alignment: Alignment | None


class _Scorer:
    """Score segments and statistics with the parameters of the command line.

    METEOR 1.5 accepts parameters that meteor_e's chains reject, such as an α above 1. For such parameters, the scorer
    computes the scores from the statistics, and chooses the best reference of each segment itself.

    Args:
        configuration: the configuration of the run.

    Attributes:
        configuration: the configuration of the run.
        meteor: the metric, which has placeholders for parameters that are out of the range of chains.
        parameters: the parameters of the command line.
    """

    def __init__(self, configuration: JavaConfiguration) -> None:
        self.configuration = configuration
        self.meteor = make_meteor(configuration)
        self.parameters = self.meteor.chain.parameters
        if configuration.is_out_of_range:
            alpha, beta, gamma, delta = configuration.parameters[:4]
            self.parameters = Parameters(alpha, beta, gamma, delta, self.parameters.weights)

    @property
    def n_matchers(self) -> int:
        """Return the number of matchers in the chain."""
        return len(self.meteor.matchers)

    def compute_scores(self, statistics: Statistics) -> FormulaScores:
        """Compute scores from statistics. If Python's power function fails, the penalty is infinite, as in Java."""
        parameters = self.parameters
        try:
            return compute(statistics, parameters)
        except (ValueError, OverflowError):
            scores = compute(statistics, dataclasses.replace(parameters, beta=0.0))
            penalty = parameters.gamma * math.inf
            score = scores.fmean * (1 - penalty)
            return scores._replace(fragmentation_penalty=penalty, score=score if score > 0 else 0.0)

    def score_segments(
        self, hypotheses: Iterable[str], references: Iterable[str | Sequence[str]], corpus_sum: StatisticsSum
    ) -> Iterator[_Segment]:
        """Score segments, yield the results, and add the statistics to the corpus sum.

        Args:
            hypotheses: one hypothesis per segment.
            references: the references of each segment.
            corpus_sum: the sum to which the statistics are added.
        """
        if self.configuration.is_out_of_range:
            return self._rescore_segments(hypotheses, references, corpus_sum)
        return self._score_batches(hypotheses, references, corpus_sum)

    def _score_batches(
        self, hypotheses: Iterable[str], references: Iterable[str | Sequence[str]], corpus_sum: StatisticsSum
    ) -> Iterator[_Segment]:
        """Score segments in batches with the parameters of the chain; see :meth:`score_segments`."""
        with_alignments = self.configuration.options.alignments
        vector_size = len(corpus_sum.total.to_vector())
        score_size = len(FormulaScores._fields)
        for batch, rows in self.meteor.score_batches(hypotheses, references, alignments=with_alignments):
            # Converting the numbers of all segments at once is faster than converting them segment by segment.
            flat_counts: list[int] = memoryview(rows.statistics).cast("q").tolist()  # (segments * vector_size,)
            flat_scores: list[float] = memoryview(rows.scores).cast("d").tolist()  # type: ignore[assignment]
            for index in range(len(batch)):
                if index in rows.failures:
                    raise InputError(f"segment {batch.ids[index]}: {rows.failures[index]}")
                vector = flat_counts[index * vector_size : (index + 1) * vector_size]
                scores = FormulaScores._make(flat_scores[index * score_size : (index + 1) * score_size])
                alignment = rows.alignments[index] if with_alignments else None
                yield _Segment(vector, scores, alignment)
            corpus_sum.add_total(rows.total, len(batch))

    def _rescore_segments(
        self, hypotheses: Iterable[str], references: Iterable[str | Sequence[str]], corpus_sum: StatisticsSum
    ) -> Iterator[_Segment]:
        """Score segments with parameters that chains reject, such as an α above 1; see :meth:`score_segments`.

        Each hypothesis is scored against each of its references. The reference with the highest score is chosen.
        """
        for hypothesis, segment_references in zip(hypotheses, references, strict=True):
            reference_list = [segment_references] if isinstance(segment_references, str) else segment_references
            unused_sum = StatisticsSum(self.n_matchers)
            pairs = []
            for pair in self._score_batches([hypothesis] * len(reference_list), reference_list, unused_sum):
                scores = self.compute_scores(Statistics.from_vector(pair.vector))
                pairs.append(pair._replace(scores=scores))
            # If several references have the highest score, the first of them is chosen.
            best_pair = max(pairs, key=lambda pair: pair.scores.score)
            corpus_sum.add(Statistics.from_vector(best_pair.vector))
            yield best_pair


def _format_alignment(segment: _Segment, ids: str) -> str:
    """Format the alignment and the scores of a segment."""
    assert segment.alignment is not None  # alignments were requested
    scores = segment.scores
    parts = (scores.precision, scores.recall, scores.fragmentation_penalty, scores.score)
    # METEOR 1.5 joins the segment's ids with tabs, splits the result at tabs, and keeps four fields.
    return format_alignment(segment.alignment, "\t".join(ids.split("\t")[:4]), parts)


# -- Plain text --


def _read_lines(path: str) -> list[str]:
    """Read the lines of a file in the same way as METEOR 1.5."""
    name = input_name(path)
    with open_binary(path) as stream, os_errors_as(InputError, f"cannot read {name}"), add_location(name):
        return list(java_lines(cast(Any, stream)))


def _score_plain(scorer: _Scorer, stream: TextIO) -> None:
    """Score plain text files, and write the segment scores and the table of corpus scores."""
    configuration = scorer.configuration
    options = configuration.options
    if options.hypothesis == options.reference == "-":
        raise ConfigError("test and reference cannot both be standard input; to answer requests, add -stdio")
    hypotheses = _read_lines(options.hypothesis)
    references = _group_references(_read_lines(options.reference), len(hypotheses), configuration)
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
    segments: Iterable[_Segment], n_matchers: int, configuration: JavaConfiguration, stream: TextIO
) -> None:
    """Write the scores or statistics of segments. If requested, also write their alignments to a file."""
    options = configuration.options
    alignment_writer: contextlib.AbstractContextManager[TextIO | None] = contextlib.nullcontext()
    if options.alignments:
        alignment_writer = atomic_writer(f"{options.prefix}-align.out")
    with alignment_writer as alignment_file:
        for number, segment in enumerate(segments, 1):
            if alignment_file is not None:
                alignment_file.write(_format_alignment(segment, str(number)))
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


# -- SGML --


def _score_sgml(scorer: _Scorer, stream: TextIO) -> None:
    """Score SGML files. Write a table for each system, and score files for systems, documents and segments."""
    from meteor_e.java.sgml import read_java_sgml

    options = scorer.configuration.options
    tests = read_java_sgml(_read_lines(options.hypothesis), input_name(options.hypothesis))
    references = read_java_sgml(_read_lines(options.reference), input_name(options.reference))
    _check_sets(tests, references, options)
    score_files = _ScoreFiles(scorer)
    for set_id, system in _list_systems(tests):
        segments = _list_segments(set_id, system, tests[set_id], references[set_id])
        _score_system(scorer, (set_id, system), segments, score_files, stream)
    stream.flush()
    score_files.write()


class _SgmlAlignment(NamedTuple):
    """The alignment of a segment, and the score line of the segment, which serves as the sort key."""

    line: str
    text: str


class _ScoreFiles:
    """Collect the lines of the score files and the alignments until all systems have been scored.

    Args:
        scorer: the scorer of the run.
    """

    def __init__(self, scorer: _Scorer) -> None:
        self._scorer = scorer
        self._options = scorer.configuration.options
        self._lines: dict[str, list[str]] = {"sys": [], "doc": [], "seg": []}
        self._alignments: list[_SgmlAlignment] = []

    def add_line(self, level: str, ids: Sequence[str], statistics: Statistics, scores: FormulaScores) -> str:
        """Add a line to a score file, and return the line. The level of the file is ``sys``, ``doc`` or ``seg``."""
        if self._options.statistics:
            slots = self._scorer.configuration.slots
            result = format_statistics(statistics.to_vector(), self._scorer.n_matchers, slots)
        else:
            result = format_scores(scores, self._options.verbose)
        line = "\t".join((*ids, result))
        self._lines[level].append(line)
        return line

    def add_total(self, level: str, ids: Sequence[str], statistics: Statistics) -> FormulaScores:
        """Score a system or document, add a line to the corresponding score file, and return the scores."""
        scores = self._scorer.compute_scores(statistics)
        self.add_line(level, ids, statistics, scores)
        return scores

    def add_segment(self, ids: Sequence[str], statistics: Statistics, segment: _Segment) -> None:
        """Add the score of a segment, and its alignment if alignments were requested."""
        line = self.add_line("seg", ids, statistics, segment.scores)
        if self._options.alignments:
            self._alignments.append(_SgmlAlignment(line, _format_alignment(segment, "\t".join(ids))))

    def write(self) -> None:
        """Write the score files and the alignments, sorted in the order of METEOR 1.5."""
        sort_key = functools.cmp_to_key(compare_lines)
        for level, lines in self._lines.items():
            with atomic_writer(f"{self._options.prefix}-{level}.scr") as output:
                output.writelines(line + "\n" for line in sorted(lines, key=sort_key))
        if self._options.alignments:
            # The alignments are sorted by the score lines of their segments.
            self._alignments.sort(key=lambda alignment: sort_key(alignment.line))
            with atomic_writer(f"{self._options.prefix}-align.out") as output:
                output.writelines(alignment.text for alignment in self._alignments)


class _SgmlSegment(NamedTuple):
    """Store a segment of a system in SGML files."""

    document: str
    id: str
    hypothesis: str
    references: list[str]


def _score_system(
    scorer: _Scorer,
    system_ids: tuple[str, str],
    segments: Sequence[_SgmlSegment],
    score_files: _ScoreFiles,
    stream: TextIO,
) -> None:
    """Score a system, add its lines to the score files, and write its table.

    Args:
        scorer: the scorer of the run.
        system_ids: the ids of the set and of the system.
        segments: the segments of the system.
        score_files: the score files of all systems.
        stream: standard output.
    """
    options = scorer.configuration.options
    set_id, system = system_ids
    if not segments:
        raise InputError(f"system {system!r} of set {set_id!r} has no segment in common with {options.reference}")
    corpus_sum = StatisticsSum(scorer.n_matchers)
    document_sums = {segment.document: StatisticsSum(scorer.n_matchers) for segment in segments}
    scored_segments = scorer.score_segments(
        hypotheses=[_clean_sgml_text(segment.hypothesis) for segment in segments],
        references=[[_clean_sgml_text(reference) for reference in segment.references] for segment in segments],
        corpus_sum=corpus_sum,
    )
    for segment, scored_segment in zip(segments, scored_segments, strict=True):
        statistics = Statistics.from_vector(scored_segment.vector)
        document_sums[segment.document].add(statistics)
        score_files.add_segment((set_id, system, segment.document, segment.id), statistics, scored_segment)
    for document, document_sum in document_sums.items():
        score_files.add_total("doc", (set_id, system, document), document_sum.total)
    scores = score_files.add_total("sys", system_ids, corpus_sum.total)
    if not options.statistics:
        stream.write(f"[{set_id}][{system}] \n")
        stream.write(format_corpus_table(corpus_sum.total, scores, scorer.configuration) + "\n")


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


Documents = dict[str, dict[str, dict[str, str]]]
"""System or reference → document → segment → text."""


def _list_segments(set_id: str, system: str, tests: Documents, references: Documents) -> list[_SgmlSegment]:
    """Return the segments of a system in a test set, and warn about missing data.

    References, documents and segments are in the order of METEOR 1.5's hash tables. The order matters if several
    references have the same highest score, because the first of these references is chosen.
    """
    ordered_references = {name: references[name] for name in hashtable_order(references)}
    segments: list[_SgmlSegment] = []
    for document in _merge_keys([*tests.values(), *ordered_references.values()]):
        label = f"[{set_id}][{document}]"
        if document not in tests[system]:
            _warn(f"no data for system [{system}] on document {label} - skipping this document")
            continue
        document_references = _select_document(document, ordered_references, label)
        if not document_references:
            _warn(f"no usable references for document {label} - skipping this document")
            continue
        hypotheses = tests[system][document]
        document_segments = _list_document_segments(label, document, system, hypotheses, document_references)
        if not document_segments:
            raise InputError(f"document {document!r} of system {system!r} has no segment that a reference has")
        segments += document_segments
    return segments


def _select_document(document: str, references: Documents, label: str) -> dict[str, dict[str, str]]:
    """Return the segments of a document in each reference. Warn about references that lack the document.

    Args:
        document: the id of the document.
        references: the documents of each reference.
        label: the ids of the set and the document, for warnings.
    """
    segments_by_reference = {}
    for name, documents in references.items():
        if document in documents:
            segments_by_reference[name] = documents[document]
        else:
            _warn(f"no data for reference [{name}] on document {label}")
    return segments_by_reference


def _list_document_segments(
    document_label: str,
    document: str,
    system: str,
    hypotheses: dict[str, str],
    references: dict[str, dict[str, str]],
) -> list[_SgmlSegment]:
    """Return the segments of a document that have a reference, and warn about missing texts.

    Args:
        document_label: the ids of the set and the document, for warnings.
        document: the id of the document.
        system: the id of the system.
        hypotheses: the hypotheses by segment.
        references: the texts of each reference by segment.
    """
    segments = []
    for segment_id in _merge_keys([hypotheses, *references.values()]):
        label = f"{document_label}[{segment_id}]"
        if segment_id not in hypotheses:
            _warn(f"no data for system [{system}] on segment {label} - scoring empty segment")
        segment_references = []
        for name, texts in references.items():
            if segment_id in texts:
                segment_references.append(texts[segment_id])
            else:
                _warn(f"no data for reference [{name}] on segment {label}")
        if segment_references:
            hypothesis = hypotheses.get(segment_id, "")
            segments.append(_SgmlSegment(document, segment_id, hypothesis, segment_references))
        else:
            _warn(f"no usable references for segment {label} - skipping this segment")
    return segments


def _merge_keys(hash_tables: Iterable[Iterable[str]]) -> list[str]:
    """Return the keys of all hash tables in the order in which METEOR 1.5 visits them."""
    keys: list[str] = []
    for hash_table in hash_tables:
        keys += hashtable_order(hash_table)
    return hash_map_order(keys)


# -- The stdio protocol --


def _serve(scorer: _Scorer, stream: TextIO) -> None:
    """Answer the requests on standard input until the end of the input."""
    configuration = scorer.configuration
    score = functools.partial(_score_request, scorer)
    evaluate = functools.partial(_evaluate_request, _pad_weights(scorer.parameters, configuration.slots))
    statistics_size = count_java_statistics(configuration.slots)
    for request in _read_requests():
        try:
            response_lines = answer(request, score, evaluate, statistics_size, is_coco=configuration.options.coco)
        except InputError as error:
            response_lines = [f"Error: {' '.join(str(error).split())}"]
        stream.writelines(line + "\n" for line in response_lines)
        stream.flush()


def _read_requests() -> Iterator[str]:
    """Yield each line of standard input as soon as it has been read."""
    with os_errors_as(InputError, "cannot read standard input"):
        yield from java_lines(cast(Any, sys.stdin.buffer))


def _score_request(scorer: _Scorer, references: list[str], hypothesis: str) -> list[int]:
    """Score the texts of a request, and return its statistics. The texts are trimmed as in METEOR 1.5."""
    trimmed_hypothesis = java_trim(hypothesis)
    trimmed_references = [java_trim(reference) for reference in references]
    if scorer.configuration.is_out_of_range:
        corpus_sum = StatisticsSum(scorer.n_matchers)
        (segment,) = scorer.score_segments([trimmed_hypothesis], [trimmed_references], corpus_sum)
        vector = segment.vector
    else:
        vector = scorer.meteor.score(trimmed_hypothesis, trimmed_references).statistics.to_vector()
    return make_java_vector(vector, scorer.n_matchers, scorer.configuration.slots)


def _pad_weights(parameters: Parameters, slots: int) -> Parameters:
    """Pad the weights of the parameters with zeros, so that each module of a statistics line has a weight."""
    padded_weights = (*parameters.weights, *[0.0] * slots)
    return dataclasses.replace(parameters, weights=padded_weights[:slots])


def _evaluate_request(parameters: Parameters, vectors: Sequence[Sequence[float]]) -> tuple[list[float], float]:
    """Score the statistics lines of a request. Return the score of each line and the corpus score.

    Args:
        parameters: the parameters of the scores, with one weight for each module of a statistics line.
        vectors: the statistics lines.
    """
    slots = len(parameters.weights)
    corpus_sum = StatisticsSum(slots)
    scores = []
    for vector in vectors:
        statistics = parse_java_statistics(vector, slots)
        corpus_sum.add(statistics)
        scores.append(compute(statistics, parameters).score)
    corpus_scores = compute(JavaStatistics(*corpus_sum.total), parameters)
    return scores, corpus_scores.score
