"""The Java program's main part: options in, scores out, as METEOR 1.5's jar writes them."""

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
    """Do what the Java program does with a command line, and write what it writes.

    Args:
        configuration: what the options mean.
        stream: standard output.

    Raises:
        MeteorError: where the Java program would fail, or write numbers that mean nothing.
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
    """Return the metric that the options name; it tells words apart as the Java program does."""
    weights = [*configuration.weights, *[0.0] * len(configuration.modules)]
    entries, lemmatizer = chain_of(configuration)
    meteor = Meteor(
        configuration.language.code,
        task="li",
        parameters=dict(zip(("alpha", "beta", "gamma", "delta"), _within(configuration), strict=False)),
        matchers=[{**entry, "weight": weight} for entry, weight in zip(entries, weights, strict=False)],
        lemmatizer=lemmatizer,
        normalization=configuration.normalization,
        beam=configuration.beam,
        character_mode=configuration.options.characters,
        resources=_resources(configuration),
    )
    meteor.compare_words_by("java")
    return meteor


def _within(configuration: JavaConfiguration) -> tuple[float, ...]:
    """Return parameters that a chain takes; with those out of range, scores are computed here from the statistics."""
    return (0.5, 1.0, 0.5, 0.5) if configuration.beyond else configuration.parameters


def _parameters(meteor: Meteor, configuration: JavaConfiguration) -> Parameters:
    parameters = meteor.chain.parameters
    if not configuration.beyond:
        return parameters
    alpha, beta, gamma, delta = configuration.parameters[:4]
    return Parameters(alpha, beta, gamma, delta, parameters.weights)


def _compute(statistics: Statistics, parameters: Parameters) -> FormulaScores:
    """Return what Java computes where C's ``pow`` has no result: the penalty is infinite."""
    try:
        return compute(statistics, parameters)
    except (ValueError, OverflowError):
        scores = compute(statistics, dataclasses.replace(parameters, beta=0.0))
        penalty = parameters.gamma * math.inf
        score = scores.fmean * (1 - penalty)
        return scores._replace(fragmentation_penalty=penalty, score=score if score > 0 else 0.0)


def chain_of(configuration: JavaConfiguration) -> tuple[list[dict[str, Any]], Any]:
    """Return what stands for the modules in a chain, and the lemmatizer."""
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

    def module(name: str) -> JavaModule:
        result = plugin_registry().java_modules.get(name).make()
        return result

    entries = [
        dict(module(name).matcher(settings)) if name in configuration.replaced else {"use": name}
        for name in configuration.modules
    ]
    if options.lemmas is not None:
        return entries, {"use": "lookup", "file": options.lemmas}
    return entries, None if options.vector_key == "word" else module("embeddings").lemmatizer(settings)


def _resources(configuration: JavaConfiguration) -> LanguageResources | None:
    """Return the resources if they differ from the language's own; only what a module needs is opened."""
    given: dict[str, Any] = {}
    options = configuration.options
    if options.words is not None:
        given["function_words"] = read_list(options.words, parse_function_words)
    elif configuration.language.code != "en":
        # The Java program counts English function words in every language.
        given["function_words"] = _language_resources("en").function_words
    if options.synonyms is not None and "synonym" in {*configuration.modules} - {*configuration.replaced}:
        from meteor_e.packs.cache import cached_synonym_index

        given["synonyms"] = cached_synonym_index(options.synonyms, configuration.language_name.lower())
    if options.paraphrases is not None and "paraphrase" in configuration.modules:
        from meteor_e.packs.cache import cached_paraphrase_index

        given["paraphrases"] = cached_paraphrase_index(options.paraphrases)
    if not given:
        return None
    resources = _language_resources(configuration.language.code)
    return resources.replaced("files of the command line", **given)


def _language_resources(code: str) -> LanguageResources:
    return Meteor(code, matchers=["exact"]).resources


class _Segment(NamedTuple):
    """A segment as the Java program scores it: parts of the score that are undefined are NaN."""

    vector: list[int]  # its statistics, as Statistics.to_vector() has them
    scores: FormulaScores
    alignment: Alignment | None


def _segments(
    meteor: Meteor,
    hypotheses: Iterable[str],
    references: Iterable[Sequence[str]],
    total: StatisticsSum,
    *,
    alignments: bool,
    parameters: Parameters,
) -> Iterator[_Segment]:
    """Yield segments, and add them to a sum."""
    if parameters is not meteor.chain.parameters:
        yield from _rescored(meteor, hypotheses, references, total, alignments, parameters)
        return
    width, parts = len(total.total.to_vector()), len(FormulaScores._fields)
    for batch, rows in meteor.score_batches(hypotheses, references, alignments=alignments):
        kept_alignments = rows.alignments if alignments else itertools.repeat(None)
        counts: list[int] = memoryview(rows.statistics).cast("q").tolist()
        values: list[float] = memoryview(rows.scores).cast("d").tolist()  # type: ignore[assignment]
        for index, alignment in zip(range(len(batch)), kept_alignments, strict=False):
            if index in rows.failures:
                raise InputError(f"segment {batch.ids[index]}: {rows.failures[index]}")
            yield _Segment(
                counts[index * width : (index + 1) * width],
                FormulaScores._make(values[index * parts : (index + 1) * parts]),
                alignment,
            )
        total.add_total(rows.total, len(batch))


def _rescored(
    meteor: Meteor,
    hypotheses: Iterable[str],
    references: Iterable[str | Sequence[str]],
    total: StatisticsSum,
    alignments: bool,
    parameters: Parameters,
) -> Iterator[_Segment]:
    """Yield segments as :func:`_segments` does, with parameters that no chain takes: of all references the best one."""
    for hypothesis, sides in zip(hypotheses, references, strict=True):
        others = [sides] if isinstance(sides, str) else list(sides)
        scratch = StatisticsSum(len(meteor.matchers))
        pairs = _segments(
            meteor,
            [hypothesis] * len(others),
            [[other] for other in others],
            scratch,
            alignments=alignments,
            parameters=meteor.chain.parameters,
        )
        scored = [pair._replace(scores=_compute(Statistics.from_vector(pair.vector), parameters)) for pair in pairs]
        best = max(scored, key=lambda pair: pair.scores.score)
        total.add(Statistics.from_vector(best.vector))
        yield best


def _alignment(segment: _Segment, ids: str) -> str:
    assert segment.alignment is not None  # they were asked for
    scores = segment.scores
    parts = (scores.precision, scores.recall, scores.fragmentation_penalty, scores.score)
    # The Java program takes four fields of the line: ids that have tabs in them push the others out.
    return format_alignment(segment.alignment, "\t".join(ids.split("\t")[:4]), parts)


# -- plain text ------------------------------------------------------------------------------------------------


def _lines(path: str) -> list[str]:
    name = input_name(path)
    with open_binary(path) as stream, os_errors_as(InputError, f"cannot read {name}"), located(name):
        return list(java_lines(cast(Any, stream)))


def _score_plain(meteor: Meteor, configuration: JavaConfiguration, stream: TextIO) -> None:
    options, per_segment = configuration.options, configuration.references_per_segment
    if options.hypothesis == options.reference == "-":
        raise ConfigError("test and reference cannot both be standard input; to answer requests, add -stdio")
    hypotheses, references = _lines(options.hypothesis), _lines(options.reference)
    if len(hypotheses) * per_segment != len(references):
        raise InputError(
            f"test and reference not same length: {options.hypothesis} has {len(hypotheses)} segments, "
            f"{options.reference} has {len(references)} lines"
            + (f" for {per_segment} references per segment" if per_segment > 1 else "")
        )
    total, parameters = StatisticsSum(len(meteor.matchers)), _parameters(meteor, configuration)
    with contextlib.ExitStack() as stack:
        output: TextIO | None = None
        if options.alignments:
            output = stack.enter_context(atomic_writer(f"{options.prefix}-align.out"))
        groups = references if per_segment == 1 else zip(*[iter(references)] * per_segment, strict=True)
        segments = _segments(meteor, hypotheses, groups, total, alignments=options.alignments, parameters=parameters)
        for number, segment in enumerate(segments, 1):
            if output is not None:
                output.write(_alignment(segment, str(number)))
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
    scores = _compute(total.total, parameters)
    if options.quiet:
        stream.write(java_double(scores.score) + "\n")
    else:
        stream.write("\nSystem level statistics:\n\n" + corpus_table(total.total, scores, configuration))


# -- SGML ------------------------------------------------------------------------------------------------------


def _score_sgml(meteor: Meteor, configuration: JavaConfiguration, stream: TextIO) -> None:
    options = configuration.options
    from meteor_e.java.sgml import read_java_sgml

    paths = (options.hypothesis, options.reference)
    tests, references = (read_java_sgml(_lines(path), input_name(path)) for path in paths)
    _check_sets(tests, references, options)
    order = functools.cmp_to_key(compare_lines)
    lines: dict[str, list[str]] = {"sys": [], "doc": [], "seg": []}
    alignments: list[tuple[str, str]] = []
    parameters = _parameters(meteor, configuration)

    def add_line(level: str, ids: Sequence[str], statistics: Statistics, scores: FormulaScores) -> str:
        last = (
            statistics_line(statistics.to_vector(), len(meteor.matchers), configuration.slots)
            if options.statistics
            else score_fields(scores, options.verbose)
        )
        lines[level].append("\t".join((*ids, last)))
        return lines[level][-1]

    for set_id, system in _systems(tests):
        total = StatisticsSum(len(meteor.matchers))
        documents: dict[str, StatisticsSum] = {}
        pairs = list(_pairs(set_id, system, tests[set_id], references[set_id]))
        segments = _segments(
            meteor,
            [_sgml_text(hypothesis) for _, _, hypothesis, _ in pairs],
            [list(map(_sgml_text, sides)) for _, _, _, sides in pairs],
            total,
            alignments=options.alignments,
            parameters=parameters,
        )
        for (document, name, _, _), segment in zip(pairs, segments, strict=True):
            statistics = Statistics.from_vector(segment.vector)
            documents.setdefault(document, StatisticsSum(len(meteor.matchers))).add(statistics)
            ids = (set_id, system, document, name)
            line = add_line("seg", ids, statistics, segment.scores)
            if options.alignments:
                alignments.append((line, _alignment(segment, "\t".join(ids))))
        if not total.segments:
            raise InputError(
                f"system {system!r} of set {set_id!r} has no segment that a reference in {options.reference} has"
            )
        for document, part in documents.items():
            scores = _compute(part.total, parameters)
            add_line("doc", (set_id, system, document), part.total, scores)
        scores = _compute(total.total, parameters)
        add_line("sys", (set_id, system), total.total, scores)
        if not options.statistics:
            stream.write(f"[{set_id}][{system}] \n")
            stream.write(corpus_table(total.total, scores, configuration) + "\n")
    stream.flush()
    for level, rows in lines.items():
        with atomic_writer(f"{options.prefix}-{level}.scr") as output:
            output.writelines(line + "\n" for line in sorted(rows, key=order))
    if options.alignments:
        with atomic_writer(f"{options.prefix}-align.out") as output:
            output.writelines(text for _, text in sorted(alignments, key=lambda entry: order(entry[0])))


def _check_sets(tests: JavaSgml, references: JavaSgml, options: JavaOptions) -> None:
    for path, own, path_of_others, others in (
        (options.hypothesis, tests, options.reference, references),
        (options.reference, references, options.hypothesis, tests),
    ):
        if not own:
            raise InputError(f"{path} has no tstset or refset; is it SGML?")
        for set_id in own:
            if set_id not in others:
                raise InputError(f"set {set_id!r} of {path} is not in {path_of_others}")


def _systems(tests: JavaSgml) -> Iterator[tuple[str, str]]:
    for set_id in hash_map_order(hashtable_order(tests)):
        for system in hashtable_order(tests[set_id]):
            yield set_id, system


def _sgml_text(text: str) -> str:
    """Return a segment as the Java program takes it from SGML, and not from plain text: trimmed, and without U+000B."""
    return java_trim(text.replace("\x0b", " "))


Documents = dict[str, dict[str, dict[str, str]]]


def _pairs(
    set_id: str, system: str, tests: Documents, references: Documents
) -> Iterator[tuple[str, str, str, list[str]]]:
    """Give document, segment, hypothesis and references of all segments of a system, warning of what is missing.

    References, documents and segments come in the order of the Java program's hash tables: it decides between
    references that score the same.
    """
    names = hashtable_order(references)
    for document in _union(*tests.values(), *(references[name] for name in names)):
        at = f"[{set_id}][{document}]"
        if document not in tests[system]:
            _warn(f"no data for system [{system}] on document {at} - skipping this document")
            continue
        usable = []
        for name in names:
            if document in references[name]:
                usable.append(name)
            else:
                _warn(f"no data for reference [{name}] on document {at}")
        if not usable:
            _warn(f"no usable references for document {at} - skipping this document")
            continue
        hypotheses = tests[system][document]
        scored = False
        for segment in _union(hypotheses, *(references[name][document] for name in usable)):
            if segment not in hypotheses:
                _warn(f"no data for system [{system}] on segment {at}[{segment}] - scoring empty segment")
            sides = []
            for name in usable:
                if segment in references[name][document]:
                    sides.append(references[name][document][segment])
                else:
                    _warn(f"no data for reference [{name}] on segment {at}[{segment}]")
            if not sides:
                _warn(f"no usable references for segment {at}[{segment}] - skipping this segment")
                continue
            scored = True
            yield document, segment, hypotheses.get(segment, ""), sides
        if not scored:
            raise InputError(f"document {document!r} of system {system!r} has no segment that a reference has")


def _union(*tables: Iterable[str]) -> list[str]:
    return hash_map_order(key for table in tables for key in hashtable_order(table))


# -- standard input and output ---------------------------------------------------------------------------------


def _serve(meteor: Meteor, configuration: JavaConfiguration, stream: TextIO) -> None:
    parameters = _parameters(meteor, configuration)

    def score(references: list[str], hypothesis: str) -> list[int]:
        # The Java program trims the text between the bars.
        sides = [java_trim(side) for side in references]
        if configuration.beyond:
            scratch = StatisticsSum(len(meteor.matchers))
            vector = next(_rescored(meteor, [java_trim(hypothesis)], [sides], scratch, False, parameters)).vector
        else:
            vector = meteor.score(java_trim(hypothesis), sides).statistics.to_vector()
        return java_vector(vector, len(meteor.matchers), configuration.slots)

    evaluate, width = _evaluator(parameters, configuration.slots), vector_width(configuration.slots)
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


def _evaluator(parameters: Parameters, slots: int) -> Callable[[Sequence[Sequence[float]]], tuple[list[float], float]]:
    padded = dataclasses.replace(parameters, weights=(*parameters.weights, *[0.0] * slots)[:slots])

    def score(statistics: Statistics) -> float:
        return compute(statistics, padded).score

    def evaluate(vectors: Sequence[Sequence[float]]) -> tuple[list[float], float]:
        total = StatisticsSum(slots)
        scores = []
        for vector in vectors:
            statistics = java_statistics(vector, slots)
            total.add(statistics)
            scores.append(score(statistics))
        return scores, score(JavaStatistics(*total.total))

    return evaluate
