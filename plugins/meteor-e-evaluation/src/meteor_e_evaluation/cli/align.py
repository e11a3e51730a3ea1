"""``meteor-e align``: which words match."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, TextIO

import click

from meteor_e.api import ConfigError, InputError
from meteor_e.cli.commands import GroupedCommand, OptionGroup, destination
from meteor_e.cli.options import MetricOptions
from meteor_e.render.alignments import alignment_lines

if TYPE_CHECKING:
    from meteor_e import Alignment


GROUPS = {
    "Input": OptionGroup(("text", "stdio", "encoding"), '--text "the cat sat" "a cat sat down"'),
    "Output": OptionGroup(("maximum_accuracy", "form", "show", "output"), "… --format jsonl -o alignments.jsonl"),
}
"""The groups of the help text."""


@click.command(cls=GroupedCommand, structs={"metric": MetricOptions}, groups=GROUPS)
@click.argument("hypothesis", required=False)
@click.argument("reference", required=False)
@click.option("--text", is_flag=True, help="The two arguments are segments, not files.")
@click.option("--stdio", is_flag=True, help="Read 'hypothesis ||| reference' lines; answer each at once.")
@click.option("--maximum-accuracy", is_flag=True, help="Prefer many matches to few chunks (the Java Matcher's maxacc).")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "jsonl", "json", "java", "latex"]),
    default="text",
    help="Lines to read; jsonl or json: one JSON object per segment, with the words' character offsets in the raw "
    "text; the Java Matcher's format; or a matrix in LaTeX (TikZ).  [default: text]",
)
@click.option("--show", is_flag=True, help="Show the two lines, aligned; in a terminal, in colors.")
@click.option("--encoding", default="utf-8", help="Encoding of the files.  [default: utf-8]")
@click.option("-o", "--output", metavar="FILE", help="Write to a file.  [default: standard output]")
def align(
    hypothesis: str | None,
    reference: str | None,
    metric: MetricOptions,
    text: bool,
    stdio: bool,
    maximum_accuracy: bool,
    form: str,
    show: bool,
    encoding: str,
    output: str | None,
) -> None:
    """Align hypotheses with references, one segment per line, and show which words match.

    \b
    meteor-e align system.txt reference.txt
    meteor-e align --text "the cat sat on the mat" "a cat was sitting on the mat"
    meteor-e align system.txt reference.txt --show
    """
    if show and form != "text":
        raise ConfigError("--show and --format exclude each other")
    if stdio:
        if hypothesis is not None or text:
            raise ConfigError("--stdio reads standard input; give no files and no --text")
        pairs = _stdio_pairs(encoding)
    elif hypothesis is None or reference is None:
        raise ConfigError("align needs a hypothesis and a reference: two files, or two segments with --text")
    elif text:
        pairs = iter([(hypothesis, reference)])
    else:
        pairs = _file_pairs(hypothesis, reference, encoding)
    meteor = metric.meteor()
    with destination(output) as stream:
        for number, texts in enumerate(pairs, 1):
            alignment = meteor.align(*texts, maximum_accuracy=maximum_accuracy)
            _write(stream, "show" if show else form, alignment, number, texts, meteor.resources.function_words)
            if stdio:
                stream.flush()


def _file_pairs(hypothesis: str, reference: str, encoding: str) -> Iterator[tuple[str, str]]:
    from meteor_e.formats.systems import read_systems

    try:
        (system,) = read_systems([hypothesis], [reference], encoding=encoding)
    except InputError as error:
        if "No such file" in str(error):
            raise InputError(f"{error} (to align two segments instead of two files, add --text)") from error
        raise
    for segment, (first, *_) in system.pairs():
        yield segment, first


def _stdio_pairs(encoding: str) -> Iterator[tuple[str, str]]:
    from meteor_e.formats.plain import read_segments

    for number, line in enumerate(read_segments("-", encoding=encoding), 1):
        hypothesis, separator, reference = line.partition(" ||| ")
        if not separator:
            raise InputError(f"standard input, line {number}: 'hypothesis ||| reference' was expected")
        yield hypothesis, reference


def _write(
    stream: TextIO,
    form: str,
    alignment: Alignment,
    number: int,
    texts: tuple[str, str],
    function_words: Collection[str],
) -> None:
    """Write a segment: its number, its alignment, in some formats its raw texts."""
    if form in ("json", "jsonl"):
        from meteor_e_evaluation.reports.offsets import word_offsets

        sides = zip(texts, (alignment.hypothesis, alignment.reference), strict=True)
        hypothesis, reference = (word_offsets(text, words) for text, words in sides)
        places = {"hypothesis_offsets": hypothesis, "reference_offsets": reference}
        stream.write(json.dumps({"segment": number, **alignment.to_dict(), **places}, ensure_ascii=False) + "\n")
    elif form == "java":
        from meteor_e.java.alignments import format_alignment

        stream.write(format_alignment(alignment, number))
    elif form == "latex":
        from meteor_e_evaluation.reports.matrix import MATRIX_PREAMBLE, alignment_matrix

        try:
            matrix = alignment_matrix(alignment, function_words)
        except InputError as error:
            raise InputError(f"segment {number}: {error}") from error
        stream.write(f"{MATRIX_PREAMBLE if number == 1 else ''}\n% segment {number}\n{matrix}")
    else:
        stream.write(f"segment {number}\n")
        if form == "show":
            from meteor_e_evaluation.reports.aligned_pair import show_alignment

            show_alignment(alignment, function_words, stream)
        else:
            stream.writelines(line + "\n" for line in alignment_lines(alignment))
        stream.write("\n")
