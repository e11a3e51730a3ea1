"""``meteor-e compat``: the Java program's command line and output.

Everything is as METEOR 1.5's jar has it, standard output and files to the byte (``docs/compat.md`` lists what
differs); errors that are a stack trace there are one line here.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TextIO, cast

import click

from meteor_e.base.errors import ConfigError, InputError, located
from meteor_e.cli.output import destination
from meteor_e.java.options import FLAGS, VALUES, JavaConfiguration, JavaOptions, UsageError, parse

if TYPE_CHECKING:
    from meteor_e.api import JavaSettings
    from meteor_e.formats.sgml import JavaSgml
    from meteor_e.meteor import Meteor
    from meteor_e.packs.resources import LanguageResources
    from meteor_e.scoring.formula import FormulaScores
    from meteor_e.scoring.parameters import Parameters
    from meteor_e.scoring.results import SegmentScore
    from meteor_e.scoring.statistics import Statistics

HELP = {
    "-l": "language: en cz de es fr ru da fi hu it nl no pt ro se tr, or other (default en)",
    "-t": "task: rank util adq hter li tune universal",
    "-p": "'alpha beta gamma delta'",
    "-m": "modules: 'exact stem synonym paraphrase'",
    "-w": "weights of the modules: '1.0 0.6 0.8 0.6'",
    "-r": "references a segment, one after the other in the reference file (default 1)",
    "-x": "beam size (default 40)",
    "-s": "file of function words",
    "-d": "folder of synonyms; METEOR-E's are looked up by lemma, too (with -lemmas, or vectors that need lemmas)",
    "-a": "paraphrase table (gzip)",
    "-f": "prefix of the files that are written (default meteor)",
    "-emb": "METEOR-E: word vectors (module 'embeddings'), looked up by word",
    "-embLemma": "the same, looked up by lemma",
    "-embWord_POS": "the same, by word and tag",
    "-embLemma_POS": "the same, by lemma and tag",
    "-embWord_Lemma": "the same, by word and lemma",
    "-embTh": "lowest similarity of two words (default 0.80)",
    "-lemmas": "METEOR-E: table of lemmas, word, tag and lemma, joined by tabs",
    "-new": "folder of a new language: function.words and paraphrase.gz",
    "-q": "segment scores on standard error, the final score on standard output, nothing else",
    "-ch": "precision and recall of characters",
    "-norm": "tokenise, normalise punctuation, lowercase",
    "-lower": "lowercase",
    "-noPunct": "with -norm: drop punctuation",
    "-sgml": "the files are SGML",
    "-stdio": "answer SCORE and EVAL lines of standard input",
    "-mira": "the same as -stdio",
    "-vOut": "precision, recall, penalty and score of every segment",
    "-ssOut": "statistics in the place of scores",
    "-writeAlignments": "write alignments to PREFIX-align.out",
}


class JavaCommand(click.Command):
    """A command whose arguments are the Java program's, so that click must leave them alone."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Take all arguments as they are; a lone ``--help`` asks for help."""
        if args in (["--help"], ["-h"], ["-help"]):
            click.echo(self.get_help(context))
            context.exit()
        context.params["arguments"] = tuple(args)
        return []

    def collect_usage_pieces(self, context: click.Context) -> list[str]:
        """Name the two files."""
        return ["TEST", "REFERENCE", "[OPTIONS]"]

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the Java program's options."""
        with formatter.section("Options of the Java program"):
            formatter.write_dl(
                [
                    (f"{name} {VALUES[name].upper()}" if name in VALUES else name, HELP[name])
                    for name in (*VALUES, *FLAGS)
                ]
            )


@click.command(cls=JavaCommand)
def compat(arguments: Sequence[str]) -> None:
    """Take METEOR 1.5's (Java) command line unchanged, or METEOR-E's, and write what it writes.

    \b
    meteor-e compat system.txt reference.txt -l en -norm -vOut
    meteor-e compat system.txt reference.txt -l fr -norm -emb fr.vectors.txt -lemmas fr.tsv -d dbnary
    meteor-e compat - - -stdio -l en -norm
    """
    try:
        options = parse(arguments)
        configuration = JavaConfiguration.of(options)
    except UsageError as error:
        raise UsageError(f"{error} (see meteor-e compat --help)") from error
    with destination(None) as stream:
        _run(options, configuration, stream)


def _run(options: JavaOptions, configuration: JavaConfiguration, stream: TextIO) -> None:
    if not (options.quiet or options.statistics or options.stdio):
        from meteor_e.java.report import header

        stream.write(header(configuration, "SGML" if options.sgml else "plaintext"))
        stream.flush()
    if options.stdio and options.sgml:
        _warn("Stdio incompatible with other modes - using Stdio only")
    for warning in configuration.warnings:
        _warn(warning)
    meteor = _meteor(configuration)
    if options.stdio:
        _serve(meteor, configuration, stream)
    elif options.sgml:
        _score_sgml(meteor, options, configuration, stream)
    else:
        _score_plain(meteor, options, configuration, stream)


def _warn(message: str) -> None:
    print(f"Warning: {message}", file=sys.stderr, flush=True)


def _meteor(configuration: JavaConfiguration) -> Meteor:
    from meteor_e.java.words import with_java_words
    from meteor_e.meteor import Meteor

    weights = [*configuration.weights, *[0.0] * len(configuration.modules)]
    meteor = Meteor(
        configuration.language.code,
        task="li",
        parameters=dict(zip(("alpha", "beta", "gamma", "delta"), configuration.parameters, strict=False)),
        matchers=[
            {**_matcher(module, configuration), "weight": weight}
            for module, weight in zip(configuration.modules, weights, strict=False)
        ],
        lemmatizer=_lemmatizer(configuration),
        normalization=configuration.normalization,
        beam=configuration.beam,
        character_mode=configuration.character_mode,
        resources=_resources(configuration),
    )
    meteor.matchers = with_java_words(meteor.matchers)
    return meteor


def _matcher(module: str, configuration: JavaConfiguration) -> dict[str, Any]:
    """Return what stands for a module in a chain: the matcher of that name, or what METEOR-E has instead."""
    extension = configuration.extension
    # Where words have lemmas, METEOR-E's synonyms take the place of METEOR 1.5's.
    if extension is None or not (module == "embeddings" or (module == "synonym" and extension.lemmatizes)):
        return {"use": module}
    from meteor_e.plugins import plugin_registry

    return dict(plugin_registry().java_module(module)().matcher(_settings(configuration)))


def _lemmatizer(configuration: JavaConfiguration) -> str | dict[str, Any] | None:
    extension = configuration.extension
    if extension is None or not extension.lemmatizes:
        return None
    if extension.lemmas is not None:
        return {"use": "lookup", "file": extension.lemmas}
    from meteor_e.plugins import plugin_registry

    found = plugin_registry().java_module("embeddings")().lemmatizer(_settings(configuration))
    return found if found is None or isinstance(found, str) else dict(found)


def _settings(configuration: JavaConfiguration) -> JavaSettings:
    from meteor_e.api import JavaSettings

    extension = configuration.extension
    assert extension is not None
    return JavaSettings(
        configuration.language,
        configuration.language_name.lower(),
        extension.vectors,
        extension.key,
        extension.threshold,
        extension.lemmas,
        configuration.synonyms,
    )


def _resources(configuration: JavaConfiguration) -> LanguageResources | None:
    """Return the resources if they differ from the language's own; only what a module needs is opened."""
    given: dict[str, Any] = {}
    if configuration.words is not None:
        from meteor_e.packs import read_function_words

        given["own_function_words"] = read_function_words(configuration.words)
    elif configuration.language.code != "en":
        # The Java program counts English function words in every language.
        given["own_function_words"] = _language_resources("en").function_words
    by_lemma = configuration.extension is not None and configuration.extension.lemmatizes
    if configuration.synonyms is not None and "synonym" in configuration.modules and not by_lemma:
        from meteor_e.packs import cached_synonym_index

        given["own_synonyms"] = cached_synonym_index(configuration.synonyms, configuration.language_name.lower())
    if configuration.paraphrases is not None and "paraphrase" in configuration.modules:
        from meteor_e.packs import cached_paraphrase_index

        given["own_paraphrases"] = cached_paraphrase_index(configuration.paraphrases)
    if not given:
        return None
    resources = _language_resources(configuration.language.code)
    return dataclasses.replace(resources, **given, own_description="files of the command line")


def _language_resources(code: str) -> LanguageResources:
    from meteor_e.meteor import Meteor

    return Meteor(code, matchers=["exact"]).resources


def _scores(statistics: Statistics, parameters: Parameters) -> FormulaScores:
    """Apply the formula, NaN where a part is undefined, as the Java program prints it."""
    from meteor_e.scoring.formula import compute

    return compute(statistics, parameters)


# -- plain text ------------------------------------------------------------------------------------------------


def _lines(path: str) -> list[str]:
    from meteor_e.base.files import input_name, open_binary, reading
    from meteor_e.java.formats import java_lines

    with open_binary(path) as stream, reading(input_name(path)), located(input_name(path)):
        return list(java_lines(cast(Any, stream)))


def _score_plain(meteor: Meteor, options: JavaOptions, configuration: JavaConfiguration, stream: TextIO) -> None:
    from meteor_e.base.files import atomic_writer
    from meteor_e.java.formats import java_double
    from meteor_e.java.report import corpus_table, score_fields, statistics_line
    from meteor_e.scoring.statistics import StatisticsSum

    per_segment = options.references_per_segment
    if options.hypothesis == options.reference == "-":
        raise ConfigError("test and reference cannot both be standard input; to answer requests, add -stdio")
    hypotheses, references = _lines(options.hypothesis), _lines(options.reference)
    if len(hypotheses) * per_segment != len(references):
        raise InputError(
            f"test and reference not same length: {options.hypothesis} has {len(hypotheses)} segments, "
            f"{options.reference} has {len(references)} lines"
            + (f" for {per_segment} references a segment" if per_segment > 1 else "")
        )
    total = StatisticsSum(len(meteor.matchers))
    with contextlib.ExitStack() as stack:
        output: TextIO | None = None
        if options.alignments:
            output = stack.enter_context(atomic_writer(f"{options.prefix}-align.out"))
        groups = (references[at : at + per_segment] for at in range(0, len(references), per_segment))
        for number, segment in enumerate(meteor.segments(hypotheses, groups), 1):
            total.add(segment.statistics)
            scores = _scores(segment.statistics, meteor.chain.parameters)
            if output is not None:
                output.write(_alignment(segment, str(number), scores))
            if options.statistics:
                stream.write(statistics_line(segment.statistics, configuration.slots) + "\n")
            elif options.quiet and not options.verbose:
                print(java_double(scores.score), file=sys.stderr)
            else:
                stream.write(f"Segment {number} score:\t{score_fields(scores, options.verbose)}\n")
    if options.statistics:
        return
    if not hypotheses:
        raise InputError(f"{options.hypothesis} is empty; there is nothing to score")
    scores = _scores(total.total, meteor.chain.parameters)
    if options.quiet:
        stream.write(java_double(scores.score) + "\n")
    else:
        stream.write("\nSystem level statistics:\n\n" + corpus_table(total.total, scores, configuration))


def _alignment(segment: SegmentScore, ids: str, scores: FormulaScores) -> str:
    from meteor_e.java.alignments import format_alignment

    parts = (scores.precision, scores.recall, scores.fragmentation_penalty, scores.score)
    return format_alignment(segment.alignment, ids, parts)


# -- SGML ------------------------------------------------------------------------------------------------------


def _score_sgml(meteor: Meteor, options: JavaOptions, configuration: JavaConfiguration, stream: TextIO) -> None:
    from meteor_e.base.files import atomic_writer
    from meteor_e.java.report import compare_lines, corpus_table, score_fields, statistics_line
    from meteor_e.scoring.statistics import StatisticsSum

    tests = _read_sgml(options.hypothesis)
    references = _read_sgml(options.reference)
    _check_sets(tests, references, options)
    order = functools.cmp_to_key(compare_lines)
    lines: dict[str, list[str]] = {"sys": [], "doc": [], "seg": []}
    alignments: list[tuple[str, str]] = []

    def add_line(level: str, ids: Sequence[str], statistics: Statistics, scores: FormulaScores) -> str:
        last = (
            statistics_line(statistics, configuration.slots)
            if options.statistics
            else score_fields(scores, options.verbose)
        )
        lines[level].append("\t".join((*ids, last)))
        return lines[level][-1]

    for set_id, system in _systems(tests):
        total = StatisticsSum(len(meteor.matchers))
        documents: dict[str, StatisticsSum] = {}
        for document, name, hypothesis, sides in _pairs(set_id, system, tests[set_id], references[set_id]):
            segment = meteor.score(hypothesis, sides)
            scores = _scores(segment.statistics, meteor.chain.parameters)
            total.add(segment.statistics)
            documents.setdefault(document, StatisticsSum(len(meteor.matchers))).add(segment.statistics)
            ids = (set_id, system, document, name)
            line = add_line("seg", ids, segment.statistics, scores)
            if options.alignments:
                alignments.append((line, _alignment(segment, "\t".join(ids), scores)))
        if not total.segments:
            raise InputError(
                f"system {system!r} of set {set_id!r} has no segment that a reference in {options.reference} has"
            )
        for document, part in documents.items():
            scores = _scores(part.total, meteor.chain.parameters)
            add_line("doc", (set_id, system, document), part.total, scores)
        scores = _scores(total.total, meteor.chain.parameters)
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


def _read_sgml(path: str) -> JavaSgml:
    from meteor_e.base.files import input_name
    from meteor_e.formats.sgml import read_java_sgml

    return read_java_sgml(_lines(path), input_name(path))


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
    from meteor_e.java.formats import hash_map_order, hashtable_order

    for set_id in hash_map_order(hashtable_order(tests)):
        for system in hashtable_order(tests[set_id]):
            yield set_id, system


Documents = dict[str, dict[str, dict[str, str]]]


def _pairs(
    set_id: str, system: str, tests: Documents, references: Documents
) -> Iterator[tuple[str, str, str, list[str]]]:
    """Give document, segment, hypothesis and references of all segments of a system, warning of what is missing.

    References, documents and segments come in the order of the Java program's hash tables: it decides between
    references that score the same.
    """
    from meteor_e.java.formats import hashtable_order

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
            yield document, segment, hypotheses.get(segment, ""), sides


def _union(*tables: Iterable[str]) -> list[str]:
    from meteor_e.java.formats import hash_map_order, hashtable_order

    return hash_map_order(key for table in tables for key in hashtable_order(table))


# -- standard input and output ---------------------------------------------------------------------------------


def _serve(meteor: Meteor, configuration: JavaConfiguration, stream: TextIO) -> None:
    from meteor_e.base.files import reading
    from meteor_e.java.formats import java_lines
    from meteor_e.java.report import statistics_vector
    from meteor_e.java.stdio import answer

    def score(references: list[str], hypothesis: str) -> list[int]:
        return statistics_vector(meteor.score(hypothesis, references).statistics, configuration.slots)

    evaluate = _evaluator(meteor.chain.parameters, configuration.slots)
    lines = java_lines(cast(Any, sys.stdin.buffer))
    while True:
        with reading("standard input"):
            line = next(lines, None)
        if line is None:
            return
        try:
            answers = answer(line, score, evaluate, 7 + 4 * configuration.slots)
        except InputError as error:
            answers = [f"Error: {' '.join(str(error).split())}"]
        stream.write("".join(text + "\n" for text in answers))
        stream.flush()


def _evaluator(parameters: Parameters, slots: int) -> Callable[[Sequence[Sequence[float]]], tuple[list[float], float]]:
    from meteor_e.scoring.statistics import Statistics, StatisticsSum

    padded = dataclasses.replace(parameters, weights=(*parameters.weights, *[0.0] * slots)[:slots])

    def score(statistics: Statistics) -> float:
        try:
            return _scores(statistics, padded).score
        except (ValueError, OverflowError):
            # Statistics that no alignment has: a negative base, a result out of range.
            return 0.0

    def evaluate(vectors: Sequence[Sequence[float]]) -> tuple[list[float], float]:
        total = StatisticsSum(slots)
        scores = []
        for vector in vectors:
            statistics = Statistics.from_vector(cast("Sequence[int]", vector))
            total.add(statistics)
            scores.append(score(statistics))
        return scores, score(total.total)

    return evaluate
