"""The Java program's main function: score files or requests, with the output of METEOR 1.5's jar."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO, cast

from meteor_e.api.languages import Parameters
from meteor_e.base.errors import ConfigError, InputError, located
from meteor_e.base.files import atomic_writer, input_name, open_binary, os_errors_as
from meteor_e.java.alignments import format_alignment
from meteor_e.java.formats import hash_map_order, hashtable_order, java_double, java_lines, java_trim
from meteor_e.java.options import JavaConfiguration, JavaOptions
from meteor_e.java.report import (
    JavaStatistics,
    compare_lines,
    corpus_table,
    header,
    java_statistics,
    java_vector,
    score_fields,
    statistics_line,
    vector_width,
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
    from meteor_e.api.java_modules import JavaModule
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
        stream.write(header(configuration, "SGML" if options.sgml else "plaintext"))
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
    print(f"Warning: {message}", file=sys.stderr, flush=True)


# -- the metric ------------------------------------------------------------------------------------------------


def make_meteor(configuration: JavaConfiguration) -> Meteor:
    """Create the metric that the options describe, with the Java program's comparison of words."""
    weights = [*configuration.weights, *[0.0] * len(configuration.modules)]
    matchers, lemmatizer = chain_of(configuration)
    meteor = Meteor(
        configuration.language.code,
        task="li",
        parameters=dict(zip(("alpha", "beta", "gamma", "delta"), _chain_parameters(configuration), strict=False)),
        matchers=[{**matcher, "weight": weight} for matcher, weight in zip(matchers, weights, strict=False)],
        lemmatizer=lemmatizer,
        normalization=configuration.normalization,
        beam=configuration.beam,
        character_mode=configuration.options.characters,
        resources=_load_resources(configuration),
    )
    meteor.compare_words_by("java")
    return meteor


def _chain_parameters(configuration: JavaConfiguration) -> tuple[float, ...]:
    """Return the parameters for the chain, which are placeholders if the actual parameters are out of range.

    In that case, scores are computed from the statistics by :func:`_compute_scores`.
    """
    return (0.5, 1.0, 0.5, 0.5) if configuration.is_out_of_range else configuration.parameters


def _score_parameters(meteor: Meteor, configuration: JavaConfiguration) -> Parameters:
    """Return the parameters of the scores: those of the chain, or those out of range."""
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


def chain_of(configuration: JavaConfiguration) -> tuple[list[dict[str, Any]], Any]:
    """Return the matchers of the chain, one for each module, and the lemmatizer."""
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

    def make_module(name: str) -> JavaModule:
        module: JavaModule = plugin_registry().java_modules.get(name).make()
        return module

    matchers = [
        dict(make_module(name).matcher(settings)) if name in configuration.plugin_modules else {"use": name}
        for name in configuration.modules
    ]
    if options.lemmas is not None:
        return matchers, {"use": "lookup", "file": options.lemmas}
    return matchers, None if options.vector_key == "word" else make_module("embeddings").lemmatizer(settings)


def _load_resources(configuration: JavaConfiguration) -> LanguageResources | None:
    """Return the language's resources with those of the command line, or ``None`` if all are the language's.

    Files are read only if a module uses them.
    """
    replacements: dict[str, Any] = {}
    options = configuration.options
    if options.words is not None:
        replacements["function_words"] = read_list(options.words, parse_function_words)
    elif configuration.language.code != "en":
        # The Java program counts English function words in every language.
        replacements["function_words"] = _language_resources("en").function_words
    if options.synonyms is not None and "synonym" in {*configuration.modules} - {*configuration.plugin_modules}:
        from meteor_e.packs.cache import cached_synonym_index

        replacements["synonyms"] = cached_synonym_index(options.synonyms, configuration.language_name.lower())
    if options.paraphrases is not None and "paraphrase" in configuration.modules:
        from meteor_e.packs.cache import cached_paraphrase_index

        replacements["paraphrases"] = cached_paraphrase_index(options.paraphrases)
    if not replacements:
        return None
    resources = _language_resources(configuration.language.code)
    return resources.replaced("files of the command line", **replacements)


def _language_resources(code: str) -> LanguageResources:
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


def _score_segments(
    meteor: Meteor,
    hypotheses: Iterable[str],
    references: Iterable[Sequence[str]],
    total: StatisticsSum,
    *,
    alignments: bool,
    parameters: Parameters,
) -> Iterator[_Segment]:
    """Yield the scored segments, and add their statistics to ``total``."""
    if parameters is not meteor.chain.parameters:
        yield from _rescore_segments(meteor, hypotheses, references, total, alignments, parameters)
        return
    vector_size, score_size = len(total.total.to_vector()), len(FormulaScores._fields)
    for batch, rows in meteor.score_batches(hypotheses, references, alignments=alignments):
        batch_alignments = rows.alignments if alignments else itertools.repeat(None)
        counts: list[int] = memoryview(rows.statistics).cast("q").tolist()
        values: list[float] = memoryview(rows.scores).cast("d").tolist()  # type: ignore[assignment]
        for index, alignment in zip(range(len(batch)), batch_alignments, strict=False):
            if index in rows.failures:
                raise InputError(f"segment {batch.ids[index]}: {rows.failures[index]}")
            yield _Segment(
                counts[index * vector_size : (index + 1) * vector_size],
                FormulaScores._make(values[index * score_size : (index + 1) * score_size]),
                alignment,
            )
        total.add_total(rows.total, len(batch))


def _rescore_segments(
    meteor: Meteor,
    hypotheses: Iterable[str],
    references: Iterable[str | Sequence[str]],
    total: StatisticsSum,
    alignments: bool,
    parameters: Parameters,
) -> Iterator[_Segment]:
    """Yield the same as :func:`_score_segments` for parameters that are out of a chain's range.

    Each hypothesis is scored against each of its references, and the reference with the highest score is chosen.
    """
    for hypothesis, segment_references in zip(hypotheses, references, strict=True):
        texts = [segment_references] if isinstance(segment_references, str) else list(segment_references)
        pairs = _score_segments(
            meteor,
            [hypothesis] * len(texts),
            [[text] for text in texts],
            StatisticsSum(len(meteor.matchers)),
            alignments=alignments,
            parameters=meteor.chain.parameters,
        )
        rescored_pairs = [
            pair._replace(scores=_compute_scores(Statistics.from_vector(pair.vector), parameters)) for pair in pairs
        ]
        best_pair = max(rescored_pairs, key=lambda pair: pair.scores.score)
        total.add(Statistics.from_vector(best_pair.vector))
        yield best_pair


def _format_alignment(segment: _Segment, ids: str) -> str:
    assert segment.alignment is not None  # alignments were requested
    scores = segment.scores
    parts = (scores.precision, scores.recall, scores.fragmentation_penalty, scores.score)
    # The Java program splits the joined ids at tabs and keeps four fields, even if an id contains tabs.
    return format_alignment(segment.alignment, "\t".join(ids.split("\t")[:4]), parts)


# -- plain text ------------------------------------------------------------------------------------------------


def _read_lines(path: str) -> list[str]:
    name = input_name(path)
    with open_binary(path) as stream, os_errors_as(InputError, f"cannot read {name}"), located(name):
        return list(java_lines(cast(Any, stream)))


def _score_plain(meteor: Meteor, configuration: JavaConfiguration, stream: TextIO) -> None:
    options, per_segment = configuration.options, configuration.references_per_segment
    if options.hypothesis == options.reference == "-":
        raise ConfigError("test and reference cannot both be standard input; to answer requests, add -stdio")
    hypotheses, references = _read_lines(options.hypothesis), _read_lines(options.reference)
    if len(hypotheses) * per_segment != len(references):
        raise InputError(
            f"test and reference not same length: {options.hypothesis} has {len(hypotheses)} segments, "
            f"{options.reference} has {len(references)} lines"
            + (f" for {per_segment} references per segment" if per_segment > 1 else "")
        )
    total, parameters = StatisticsSum(len(meteor.matchers)), _score_parameters(meteor, configuration)
    with contextlib.ExitStack() as stack:
        output: TextIO | None = None
        if options.alignments:
            output = stack.enter_context(atomic_writer(f"{options.prefix}-align.out"))
        groups = references if per_segment == 1 else zip(*[iter(references)] * per_segment, strict=True)
        segments = _score_segments(
            meteor, hypotheses, groups, total, alignments=options.alignments, parameters=parameters
        )
        for number, segment in enumerate(segments, 1):
            if output is not None:
                output.write(_format_alignment(segment, str(number)))
            if options.statistics:
                stream.write(statistics_line(segment.vector, len(meteor.matchers), configuration.slots) + "\n")
            elif options.quiet and not options.verbose:
                print(java_double(segment.scores.score), file=sys.stderr)
            else:
                stream.write(f"Segment {number} score:\t{score_fields(segment.scores, options.verbose)}\n")
    if options.statistics:
        return
    if not hypotheses:
        raise InputError(f"{options.hypothesis} is empty; there is nothing to score")
    scores = _compute_scores(total.total, parameters)
    if options.quiet:
        stream.write(java_double(scores.score) + "\n")
    else:
        stream.write("\nSystem level statistics:\n\n" + corpus_table(total.total, scores, configuration))


# -- SGML ------------------------------------------------------------------------------------------------------


def _score_sgml(meteor: Meteor, configuration: JavaConfiguration, stream: TextIO) -> None:
    options = configuration.options
    from meteor_e.java.sgml import read_java_sgml

    paths = (options.hypothesis, options.reference)
    tests, references = (read_java_sgml(_read_lines(path), input_name(path)) for path in paths)
    _check_sets(tests, references, options)
    sort_key = functools.cmp_to_key(compare_lines)
    lines: dict[str, list[str]] = {"sys": [], "doc": [], "seg": []}
    alignments: list[tuple[str, str]] = []
    parameters = _score_parameters(meteor, configuration)

    def add_line(level: str, ids: Sequence[str], statistics: Statistics, scores: FormulaScores) -> str:
        result = (
            statistics_line(statistics.to_vector(), len(meteor.matchers), configuration.slots)
            if options.statistics
            else score_fields(scores, options.verbose)
        )
        lines[level].append("\t".join((*ids, result)))
        return lines[level][-1]

    for set_id, system in _list_systems(tests):
        total = StatisticsSum(len(meteor.matchers))
        document_totals: dict[str, StatisticsSum] = {}
        system_segments = list(_list_segments(set_id, system, tests[set_id], references[set_id]))
        scored_segments = _score_segments(
            meteor,
            [_clean_sgml_text(hypothesis) for _, _, hypothesis, _ in system_segments],
            [list(map(_clean_sgml_text, segment_references)) for _, _, _, segment_references in system_segments],
            total,
            alignments=options.alignments,
            parameters=parameters,
        )
        for (document, segment_id, _, _), segment in zip(system_segments, scored_segments, strict=True):
            statistics = Statistics.from_vector(segment.vector)
            document_totals.setdefault(document, StatisticsSum(len(meteor.matchers))).add(statistics)
            ids = (set_id, system, document, segment_id)
            line = add_line("seg", ids, statistics, segment.scores)
            if options.alignments:
                alignments.append((line, _format_alignment(segment, "\t".join(ids))))
        if not total.segments:
            raise InputError(
                f"system {system!r} of set {set_id!r} has no segment that a reference in {options.reference} has"
            )
        for document, document_total in document_totals.items():
            scores = _compute_scores(document_total.total, parameters)
            add_line("doc", (set_id, system, document), document_total.total, scores)
        scores = _compute_scores(total.total, parameters)
        add_line("sys", (set_id, system), total.total, scores)
        if not options.statistics:
            stream.write(f"[{set_id}][{system}] \n")
            stream.write(corpus_table(total.total, scores, configuration) + "\n")
    stream.flush()
    for level, rows in lines.items():
        with atomic_writer(f"{options.prefix}-{level}.scr") as output:
            output.writelines(line + "\n" for line in sorted(rows, key=sort_key))
    if options.alignments:
        with atomic_writer(f"{options.prefix}-align.out") as output:
            output.writelines(text for _, text in sorted(alignments, key=lambda entry: sort_key(entry[0])))


def _check_sets(tests: JavaSgml, references: JavaSgml, options: JavaOptions) -> None:
    """Raise InputError unless the two files have the same sets."""
    for path, sets, counterpart_path, counterpart_sets in (
        (options.hypothesis, tests, options.reference, references),
        (options.reference, references, options.hypothesis, tests),
    ):
        if not sets:
            raise InputError(f"{path} has no tstset or refset; is it SGML?")
        for set_id in sets:
            if set_id not in counterpart_sets:
                raise InputError(f"set {set_id!r} of {path} is not in {counterpart_path}")


def _list_systems(tests: JavaSgml) -> Iterator[tuple[str, str]]:
    """Yield set and system ids in the Java program's order."""
    for set_id in hash_map_order(hashtable_order(tests)):
        for system in hashtable_order(tests[set_id]):
            yield set_id, system


def _clean_sgml_text(text: str) -> str:
    """Trim a segment and replace U+000B with spaces, which the Java program does in SGML but not in plain text."""
    return java_trim(text.replace("\x0b", " "))


Documents = dict[str, dict[str, dict[str, str]]]
"""System or reference → document → segment → text."""


def _list_segments(
    set_id: str, system: str, tests: Documents, references: Documents
) -> Iterator[tuple[str, str, str, list[str]]]:
    """Yield document, segment, hypothesis and references of a system's segments, and warn about missing data.

    References, documents and segments are in the order of the Java program's hash tables. If several references have
    the highest score, the first of them is the best reference.
    """
    reference_names = hashtable_order(references)
    for document in _merge_keys(*tests.values(), *(references[name] for name in reference_names)):
        document_label = f"[{set_id}][{document}]"
        if document not in tests[system]:
            _warn(f"no data for system [{system}] on document {document_label} - skipping this document")
            continue
        document_references = []
        for name in reference_names:
            if document in references[name]:
                document_references.append((name, references[name][document]))
            else:
                _warn(f"no data for reference [{name}] on document {document_label}")
        if not document_references:
            _warn(f"no usable references for document {document_label} - skipping this document")
            continue
        hypotheses = tests[system][document]
        has_segments = False
        for segment in _merge_keys(hypotheses, *(texts for _, texts in document_references)):
            segment_label = f"{document_label}[{segment}]"
            if segment not in hypotheses:
                _warn(f"no data for system [{system}] on segment {segment_label} - scoring empty segment")
            segment_references = []
            for name, texts in document_references:
                if segment in texts:
                    segment_references.append(texts[segment])
                else:
                    _warn(f"no data for reference [{name}] on segment {segment_label}")
            if not segment_references:
                _warn(f"no usable references for segment {segment_label} - skipping this segment")
                continue
            has_segments = True
            yield document, segment, hypotheses.get(segment, ""), segment_references
        if not has_segments:
            raise InputError(f"document {document!r} of system {system!r} has no segment that a reference has")


def _merge_keys(*tables: Iterable[str]) -> list[str]:
    """Return the keys of all tables in the order in which the Java program visits them."""
    return hash_map_order(key for table in tables for key in hashtable_order(table))


# -- standard input and output ---------------------------------------------------------------------------------


def _serve(meteor: Meteor, configuration: JavaConfiguration, stream: TextIO) -> None:
    parameters = _score_parameters(meteor, configuration)

    def score(references: list[str], hypothesis: str) -> list[int]:
        # The Java program trims the fields of a request.
        references = list(map(java_trim, references))
        if configuration.is_out_of_range:
            total = StatisticsSum(len(meteor.matchers))
            segments = _rescore_segments(meteor, [java_trim(hypothesis)], [references], total, False, parameters)
            vector = next(segments).vector
        else:
            vector = meteor.score(java_trim(hypothesis), references).statistics.to_vector()
        return java_vector(vector, len(meteor.matchers), configuration.slots)

    evaluate, width = _make_evaluator(parameters, configuration.slots), vector_width(configuration.slots)
    lines = java_lines(cast(Any, sys.stdin.buffer))
    while True:
        with os_errors_as(InputError, "cannot read standard input"):
            line = next(lines, None)
        if line is None:
            return
        try:
            answers = answer(line, score, evaluate, width, is_coco=configuration.options.coco)
        except InputError as error:
            answers = [f"Error: {' '.join(str(error).split())}"]
        stream.write("".join(text + "\n" for text in answers))
        stream.flush()


def _make_evaluator(
    parameters: Parameters, slots: int
) -> Callable[[Sequence[Sequence[float]]], tuple[list[float], float]]:
    """Return a function that computes the scores of statistics lines, and the corpus score of their sum."""
    padded_parameters = dataclasses.replace(parameters, weights=(*parameters.weights, *[0.0] * slots)[:slots])

    def score(statistics: Statistics) -> float:
        return compute(statistics, padded_parameters).score

    def evaluate(vectors: Sequence[Sequence[float]]) -> tuple[list[float], float]:
        total = StatisticsSum(slots)
        scores = []
        for vector in vectors:
            statistics = java_statistics(vector, slots)
            total.add(statistics)
            scores.append(score(statistics))
        return scores, score(JavaStatistics(*total.total))

    return evaluate
