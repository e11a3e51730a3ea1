"""Score files or requests, and write the same output as the Java program METEOR 1.5."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO, cast

from meteor_e.api.languages import GREEK, Parameters
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
from meteor_e.packs.pack import parse_function_words, read_list
from meteor_e.packs.resources import LanguageResources
from meteor_e.plugins.registry import plugin_registry
from meteor_e.scoring.alignment import Alignment
from meteor_e.scoring.formula import FormulaScores, compute
from meteor_e.scoring.statistics import Statistics, StatisticsSum

if TYPE_CHECKING:
    from meteor_e.java.sgml import JavaSgml


def run(configuration: JavaConfiguration, stream: TextIO) -> None:
    """Run the Java program: compute scores and write the same output.

    Args:
        configuration: the configuration that results from the command line.
        stream: standard output.

    Raises:
        MeteorError: if the Java program would fail, or write meaningless numbers.
    """
    options = configuration.options
    if not (options.quiet or options.statistics or options.stdio):
        stream.write(format_header(configuration, "SGML" if options.sgml else "plaintext"))
        stream.flush()
    if options.stdio and options.sgml:
        _warn("Stdio incompatible with other modes - using Stdio only")
    for warning in configuration.warnings:
        _warn(warning)
    meteor = make_meteor(configuration)
    if options.stdio:
        _serve(meteor, configuration, stream)
    elif options.sgml:
        _score_sgml(meteor, configuration, stream)
    else:
        _score_plain(meteor, configuration, stream)


def _warn(message: str) -> None:
    """Print a warning of the Java program."""
    print(f"Warning: {message}", file=sys.stderr, flush=True)


# -- The metric --


def make_meteor(configuration: JavaConfiguration) -> Meteor:
    """Create the metric that the options describe. It compares words in the same way as the Java program."""
    # Modules without a weight have the weight 0.
    weights = [*configuration.weights, *[0.0] * len(configuration.modules)]
    matchers, lemmatizer = make_chain_entries(configuration)
    meteor = Meteor(
        configuration.language.code,
        task="li",
        parameters=dict(zip(GREEK, _select_chain_parameters(configuration), strict=False)),
        matchers=[{**matcher, "weight": weight} for matcher, weight in zip(matchers, weights, strict=False)],
        lemmatizer=lemmatizer,
        normalization=configuration.normalization,
        beam=configuration.beam,
        character_mode=configuration.options.characters,
        resources=_load_resources(configuration),
    )
    meteor.compare_words_by("java")
    return meteor


def _select_chain_parameters(configuration: JavaConfiguration) -> tuple[float, ...]:
    """Return the parameters of the chain. Placeholders replace parameters that are out of the range of chains.

    With placeholders, :func:`_compute_scores` computes the scores from the statistics.
    """
    return (0.5, 1.0, 0.5, 0.5) if configuration.is_out_of_range else configuration.parameters


def _select_score_parameters(meteor: Meteor, configuration: JavaConfiguration) -> Parameters:
    """Return the parameters from which scores are computed, even if they are out of the range of chains."""
    parameters = meteor.chain.parameters
    if not configuration.is_out_of_range:
        return parameters
    alpha, beta, gamma, delta = configuration.parameters[:4]
    return Parameters(alpha, beta, gamma, delta, parameters.weights)


def _compute_scores(statistics: Statistics, parameters: Parameters) -> FormulaScores:
    """Return the scores of statistics. If Python's power function fails, the penalty is infinite, as in Java."""
    try:
        return compute(statistics, parameters)
    except (ValueError, OverflowError):
        scores = compute(statistics, dataclasses.replace(parameters, beta=0.0))
        penalty = parameters.gamma * math.inf
        score = scores.fmean * (1 - penalty)
        return scores._replace(fragmentation_penalty=penalty, score=score if score > 0 else 0.0)


def make_chain_entries(configuration: JavaConfiguration) -> tuple[list[dict[str, Any]], Any]:
    """Return the matcher of each module, and the lemmatizer or ``None``, as entries of a chain file."""
    options = configuration.options
    if configuration.threshold is None:
        return [{"use": module} for module in configuration.modules], None
    from meteor_e.api.java_modules import JavaSettings

    settings = JavaSettings(
        language=configuration.language,
        language_name=configuration.language_name.lower(),
        vectors=options.vectors,
        key=options.vector_key,
        threshold=configuration.threshold,
        lemmas=options.lemmas,
        synonyms=options.synonyms,
    )

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


def _load_resources(configuration: JavaConfiguration) -> LanguageResources | None:
    """Return the language's resources with replacements from the command line, or ``None`` without replacements."""
    replacements = _load_replacements(configuration)
    if not replacements:
        return None
    resources = _load_language_resources(configuration.language.code)
    return resources.replace("files of the command line", **replacements)


def _load_replacements(configuration: JavaConfiguration) -> dict[str, Any]:
    """Read the resources that replace the language's own resources. Files that no module uses are not read."""
    replacements: dict[str, Any] = {}
    options = configuration.options
    if options.words is not None:
        replacements["function_words"] = read_list(options.words, parse_function_words)
    elif configuration.language.code != "en":
        # The Java program counts English function words in every language.
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


def _score_and_sum_segments(
    meteor: Meteor,
    hypotheses: Iterable[str],
    references: Iterable[str | Sequence[str]],
    corpus_sum: StatisticsSum,
    *,
    alignments: bool,
    parameters: Parameters,
) -> Iterator[_Segment]:
    """Score segments and yield them, and add their statistics to the sum of the corpus.

    Args:
        meteor: the metric.
        hypotheses: one hypothesis per segment.
        references: the references of each segment.
        corpus_sum: the sum to which the statistics are added.
        alignments: whether the alignments are requested.
        parameters: the parameters of the scores, which may be out of the range of chains.
    """
    if parameters is meteor.chain.parameters:
        return _score_and_sum_batches(meteor, hypotheses, references, corpus_sum, alignments=alignments)
    # The chain has placeholders, so its scores are not the scores of these parameters.
    return _rescore_and_sum_segments(
        meteor, hypotheses, references, corpus_sum, alignments=alignments, parameters=parameters
    )


def _score_and_sum_batches(
    meteor: Meteor,
    hypotheses: Iterable[str],
    references: Iterable[str | Sequence[str]],
    corpus_sum: StatisticsSum,
    *,
    alignments: bool,
) -> Iterator[_Segment]:
    """Score segments with the parameters of the chain in batches; see :func:`_score_and_sum_segments`."""
    vector_size, score_size = len(corpus_sum.total.to_vector()), len(FormulaScores._fields)
    for batch, rows in meteor.score_batches(hypotheses, references, alignments=alignments):
        # The rows of all segments are concatenated, because converting one array is faster than converting many.
        flat_counts: list[int] = memoryview(rows.statistics).cast("q").tolist()
        flat_scores: list[float] = memoryview(rows.scores).cast("d").tolist()  # type: ignore[assignment]
        for index in range(len(batch)):
            if index in rows.failures:
                raise InputError(f"segment {batch.ids[index]}: {rows.failures[index]}")
            vector = flat_counts[index * vector_size : (index + 1) * vector_size]
            scores = FormulaScores._make(flat_scores[index * score_size : (index + 1) * score_size])
            yield _Segment(vector, scores, rows.alignments[index] if alignments else None)
        corpus_sum.add_total(rows.total, len(batch))


def _rescore_and_sum_segments(
    meteor: Meteor,
    hypotheses: Iterable[str],
    references: Iterable[str | Sequence[str]],
    corpus_sum: StatisticsSum,
    *,
    alignments: bool,
    parameters: Parameters,
) -> Iterator[_Segment]:
    """Score segments with parameters that are out of the range of chains; see :func:`_score_and_sum_segments`.

    Each hypothesis is scored with each of its references, and the reference with the highest score is chosen here.
    """
    for hypothesis, segment_references in zip(hypotheses, references, strict=True):
        reference_list = [segment_references] if isinstance(segment_references, str) else list(segment_references)
        pairs = _score_and_sum_batches(
            meteor,
            hypotheses=[hypothesis] * len(reference_list),
            references=[[reference] for reference in reference_list],
            corpus_sum=StatisticsSum(len(meteor.matchers)),
            alignments=alignments,
        )
        rescored_pairs = []
        for pair in pairs:
            scores = _compute_scores(Statistics.from_vector(pair.vector), parameters)
            rescored_pairs.append(pair._replace(scores=scores))
        best_pair = max(rescored_pairs, key=lambda pair: pair.scores.score)
        corpus_sum.add(Statistics.from_vector(best_pair.vector))
        yield best_pair


def _format_alignment(segment: _Segment, ids: str) -> str:
    """Format the alignment of a segment together with the scores of the segment."""
    assert segment.alignment is not None  # alignments were requested
    scores = segment.scores
    parts = (scores.precision, scores.recall, scores.fragmentation_penalty, scores.score)
    # The Java program splits the joined ids at tabs and keeps four fields, even if an id contains tabs.
    return format_alignment(segment.alignment, "\t".join(ids.split("\t")[:4]), parts)


# -- Plain text --


def _read_lines(path: str) -> list[str]:
    """Return the lines of a file as the Java program reads them."""
    name = input_name(path)
    with open_binary(path) as stream, os_errors_as(InputError, f"cannot read {name}"), add_location(name):
        return list(java_lines(cast(Any, stream)))


def _score_plain(meteor: Meteor, configuration: JavaConfiguration, stream: TextIO) -> None:
    """Score plain text files, and write the scores of the segments and the table of the corpus score."""
    options = configuration.options
    if options.hypothesis == options.reference == "-":
        raise ConfigError("test and reference cannot both be standard input; to answer requests, add -stdio")
    hypotheses = _read_lines(options.hypothesis)
    references = _group_references(_read_lines(options.reference), len(hypotheses), configuration)
    parameters = _select_score_parameters(meteor, configuration)
    corpus_sum = StatisticsSum(len(meteor.matchers))
    segments = _score_and_sum_segments(
        meteor, hypotheses, references, corpus_sum, alignments=options.alignments, parameters=parameters
    )
    _write_segments(segments, len(meteor.matchers), configuration, stream)
    if options.statistics:
        return
    if not hypotheses:
        raise InputError(f"{options.hypothesis} is empty; there is nothing to score")
    scores = _compute_scores(corpus_sum.total, parameters)
    if options.quiet:
        stream.write(java_double(scores.score) + "\n")
    else:
        stream.write("\nSystem level statistics:\n\n" + format_corpus_table(corpus_sum.total, scores, configuration))


def _write_segments(
    segments: Iterable[_Segment], n_matchers: int, configuration: JavaConfiguration, stream: TextIO
) -> None:
    """Write the scores or statistics of segments, and their alignments to a file if alignments were requested."""
    options = configuration.options
    with _open_alignment_file(options) as alignment_file:
        for number, segment in enumerate(segments, 1):
            if alignment_file is not None:
                alignment_file.write(_format_alignment(segment, str(number)))
            if options.statistics:
                stream.write(format_statistics(segment.vector, n_matchers, configuration.slots) + "\n")
            elif options.quiet and not options.verbose:
                print(java_double(segment.scores.score), file=sys.stderr)
            else:
                stream.write(f"Segment {number} score:\t{format_scores(segment.scores, options.verbose)}\n")


def _open_alignment_file(options: JavaOptions) -> contextlib.AbstractContextManager[TextIO | None]:
    """Return a context manager that opens the file of alignments, or returns ``None`` if none were requested."""
    return atomic_writer(f"{options.prefix}-align.out") if options.alignments else contextlib.nullcontext()


def _group_references(
    lines: list[str], n_segments: int, configuration: JavaConfiguration
) -> Sequence[str | Sequence[str]]:
    """Group the lines of the reference file by segment. If each segment has one reference, return the lines.

    Raises:
        InputError: if the number of lines does not fit the number of segments.
    """
    options, per_segment = configuration.options, configuration.references_per_segment
    if n_segments * per_segment != len(lines):
        condition = f" for {per_segment} references per segment" if per_segment > 1 else ""
        raise InputError(
            f"test and reference not same length: {options.hypothesis} has {n_segments} segments, "
            f"{options.reference} has {len(lines)} lines{condition}"
        )
    if per_segment == 1:
        return lines
    return [lines[start : start + per_segment] for start in range(0, len(lines), per_segment)]


# -- SGML --


def _score_sgml(meteor: Meteor, configuration: JavaConfiguration, stream: TextIO) -> None:
    """Score SGML files, write a table for each system, and write files with the scores of all levels."""
    from meteor_e.java.sgml import read_java_sgml

    options = configuration.options
    tests = read_java_sgml(_read_lines(options.hypothesis), input_name(options.hypothesis))
    references = read_java_sgml(_read_lines(options.reference), input_name(options.reference))
    _check_sets(tests, references, options)
    score_files = _ScoreFiles(meteor, configuration)
    for set_id, system in _list_systems(tests):
        segments = list(_list_segments(set_id, system, tests[set_id], references[set_id]))
        _score_system(meteor, configuration, (set_id, system), segments, score_files, stream)
    stream.flush()
    score_files.write()


class _ScoreFiles:
    """Collects the lines of the score files and the alignments until all systems have been scored.

    Args:
        meteor: the metric.
        configuration: the configuration of the run.
    """

    def __init__(self, meteor: Meteor, configuration: JavaConfiguration) -> None:
        self._n_matchers = len(meteor.matchers)
        self._slots = configuration.slots
        self._options = configuration.options
        self._lines: dict[str, list[str]] = {"sys": [], "doc": [], "seg": []}
        self._alignments: list[tuple[str, str]] = []

    def add_line(self, level: str, ids: Sequence[str], statistics: Statistics, scores: FormulaScores) -> str:
        """Add a line to the score file of a level, which is ``sys``, ``doc`` or ``seg``, and return the line."""
        if self._options.statistics:
            result = format_statistics(statistics.to_vector(), self._n_matchers, self._slots)
        else:
            result = format_scores(scores, self._options.verbose)
        line = "\t".join((*ids, result))
        self._lines[level].append(line)
        return line

    def add_total(
        self, level: str, ids: Sequence[str], statistics: Statistics, parameters: Parameters
    ) -> FormulaScores:
        """Compute and return the scores of a system or document, and add a line to the score file of its level."""
        scores = _compute_scores(statistics, parameters)
        self.add_line(level, ids, statistics, scores)
        return scores

    def add_segment(self, ids: Sequence[str], statistics: Statistics, segment: _Segment) -> None:
        """Add the score of a segment, and its alignment if alignments were requested."""
        line = self.add_line("seg", ids, statistics, segment.scores)
        if self._options.alignments:
            self._alignments.append((line, _format_alignment(segment, "\t".join(ids))))

    def write(self) -> None:
        """Write the score files and the alignments, sorted in the order of the Java program."""
        sort_key = functools.cmp_to_key(compare_lines)
        for level, lines in self._lines.items():
            with atomic_writer(f"{self._options.prefix}-{level}.scr") as output:
                output.writelines(line + "\n" for line in sorted(lines, key=sort_key))
        if self._options.alignments:
            self._alignments.sort(key=lambda entry: sort_key(entry[0]))
            with atomic_writer(f"{self._options.prefix}-align.out") as output:
                output.writelines(text for _, text in self._alignments)


class _SgmlSegment(NamedTuple):
    """A segment of a system in SGML files."""

    document: str
    id: str
    hypothesis: str
    references: list[str]


def _score_system(
    meteor: Meteor,
    configuration: JavaConfiguration,
    system_ids: tuple[str, str],
    segments: Sequence[_SgmlSegment],
    score_files: _ScoreFiles,
    stream: TextIO,
) -> None:
    """Score a system, add its lines to the score files, and write its table."""
    options = configuration.options
    parameters = _select_score_parameters(meteor, configuration)
    set_id, system = system_ids
    corpus_sum = StatisticsSum(len(meteor.matchers))
    document_sums: dict[str, StatisticsSum] = {}
    scored_segments = _score_and_sum_segments(
        meteor,
        hypotheses=[_clean_sgml_text(segment.hypothesis) for segment in segments],
        references=[[_clean_sgml_text(reference) for reference in segment.references] for segment in segments],
        corpus_sum=corpus_sum,
        alignments=options.alignments,
        parameters=parameters,
    )
    for segment, scored_segment in zip(segments, scored_segments, strict=True):
        statistics = Statistics.from_vector(scored_segment.vector)
        document_sums.setdefault(segment.document, StatisticsSum(len(meteor.matchers))).add(statistics)
        score_files.add_segment((set_id, system, segment.document, segment.id), statistics, scored_segment)
    if not corpus_sum.segments:
        raise InputError(f"system {system!r} of set {set_id!r} has no segment in common with {options.reference}")
    for document, document_sum in document_sums.items():
        score_files.add_total("doc", (set_id, system, document), document_sum.total, parameters)
    scores = score_files.add_total("sys", system_ids, corpus_sum.total, parameters)
    if not options.statistics:
        stream.write(f"[{set_id}][{system}] \n")
        stream.write(format_corpus_table(corpus_sum.total, scores, configuration) + "\n")


def _check_sets(tests: JavaSgml, references: JavaSgml, options: JavaOptions) -> None:
    """Raise InputError if the two files have different sets."""
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
    """Yield the ids of each set and system in the order in which the Java program scores them."""
    for set_id in hash_map_order(hashtable_order(tests)):
        for system in hashtable_order(tests[set_id]):
            yield set_id, system


def _clean_sgml_text(text: str) -> str:
    """Trim a segment and replace U+000B with spaces, as the Java program does for SGML but not for plain text."""
    return java_trim(text.replace("\x0b", " "))


Documents = dict[str, dict[str, dict[str, str]]]
"""System or reference → document → segment → text."""


def _list_segments(set_id: str, system: str, tests: Documents, references: Documents) -> Iterator[_SgmlSegment]:
    """Yield the segments of a system, and warn about missing data.

    References, documents and segments are in the order of the Java program's hash tables. The order of the references
    matters, because the first of several references with the highest score is the best reference.
    """
    ordered_references = {name: references[name] for name in hashtable_order(references)}
    for document in _merge_keys(*tests.values(), *ordered_references.values()):
        label = f"[{set_id}][{document}]"
        if document not in tests[system]:
            _warn(f"no data for system [{system}] on document {label} - skipping this document")
            continue
        document_references = _select_document(document, ordered_references, label)
        if not document_references:
            _warn(f"no usable references for document {label} - skipping this document")
            continue
        segments = list(_list_document_segments(label, document, system, tests[system][document], document_references))
        if not segments:
            raise InputError(f"document {document!r} of system {system!r} has no segment that a reference has")
        yield from segments


def _select_document(document: str, references: Documents, label: str) -> dict[str, dict[str, str]]:
    """Return the segments of a document in each reference that contains it, and warn about the other references.

    Args:
        document: the document.
        references: the documents of each reference.
        label: the document with its set, for warnings.
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
) -> Iterator[_SgmlSegment]:
    """Yield the segments of a document that have a reference, and warn about missing texts.

    Args:
        document_label: the document with its set, for warnings.
        document: the document.
        system: the name of the system.
        hypotheses: the hypotheses by segment.
        references: the texts of each reference by segment.
    """
    for segment in _merge_keys(hypotheses, *references.values()):
        label = f"{document_label}[{segment}]"
        if segment not in hypotheses:
            _warn(f"no data for system [{system}] on segment {label} - scoring empty segment")
        segment_references = []
        for name, texts in references.items():
            if segment in texts:
                segment_references.append(texts[segment])
            else:
                _warn(f"no data for reference [{name}] on segment {label}")
        if segment_references:
            yield _SgmlSegment(document, segment, hypotheses.get(segment, ""), segment_references)
        else:
            _warn(f"no usable references for segment {label} - skipping this segment")


def _merge_keys(*tables: Iterable[str]) -> list[str]:
    """Return the keys of all tables in the order in which the Java program visits them."""
    return hash_map_order(key for table in tables for key in hashtable_order(table))


# -- The stdio protocol --


def _serve(meteor: Meteor, configuration: JavaConfiguration, stream: TextIO) -> None:
    """Answer the requests on standard input until the end of the input."""
    parameters = _select_score_parameters(meteor, configuration)
    score = functools.partial(_score_request, meteor, configuration, parameters)
    evaluate = _make_evaluator(parameters, configuration.slots)
    width = count_java_statistics(configuration.slots)
    requests = java_lines(cast(Any, sys.stdin.buffer))
    while True:
        with os_errors_as(InputError, "cannot read standard input"):
            request = next(requests, None)
        if request is None:
            return
        try:
            answers = answer(request, score, evaluate, width, is_coco=configuration.options.coco)
        except InputError as error:
            answers = [f"Error: {' '.join(str(error).split())}"]
        stream.write("".join(text + "\n" for text in answers))
        stream.flush()


def _score_request(
    meteor: Meteor, configuration: JavaConfiguration, parameters: Parameters, references: list[str], hypothesis: str
) -> list[int]:
    """Score a request and return its statistics. The texts are trimmed as in the Java program."""
    trimmed_hypothesis = java_trim(hypothesis)
    trimmed_references = [java_trim(reference) for reference in references]
    if configuration.is_out_of_range:
        segments = _rescore_and_sum_segments(
            meteor,
            hypotheses=[trimmed_hypothesis],
            references=[trimmed_references],
            corpus_sum=StatisticsSum(len(meteor.matchers)),
            alignments=False,
            parameters=parameters,
        )
        vector = next(segments).vector
    else:
        vector = meteor.score(trimmed_hypothesis, trimmed_references).statistics.to_vector()
    return make_java_vector(vector, len(meteor.matchers), configuration.slots)


def _make_evaluator(
    parameters: Parameters, slots: int
) -> Callable[[Sequence[Sequence[float]]], tuple[list[float], float]]:
    """Return a function that computes the scores of statistics lines, and the corpus score of their sum.

    Args:
        parameters: the parameters of the scores.
        slots: the number of modules in a statistics line.
    """
    padded_parameters = dataclasses.replace(parameters, weights=(*parameters.weights, *[0.0] * slots)[:slots])

    def score(statistics: Statistics) -> float:
        return compute(statistics, padded_parameters).score

    def evaluate(vectors: Sequence[Sequence[float]]) -> tuple[list[float], float]:
        total = StatisticsSum(slots)
        scores = []
        for vector in vectors:
            statistics = parse_java_statistics(vector, slots)
            total.add(statistics)
            scores.append(score(statistics))
        return scores, score(JavaStatistics(*total.total))

    return evaluate
