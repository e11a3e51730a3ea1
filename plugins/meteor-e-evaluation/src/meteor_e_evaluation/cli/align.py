"""``meteor-e align``: which words match."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

import click

from meteor_e.api import ConfigError, InputError
from meteor_e.cli.commands import GroupedCommand, Options, destination, option
from meteor_e.cli.options import MetricOptions
from meteor_e.render.alignments import alignment_lines

if TYPE_CHECKING:
    from meteor_e import Alignment


@dataclass(frozen=True)
class AlignInput(Options, heading="Input", example='--text "the cat sat" "a cat sat down"'):
    """Two files, two segments, or lines of standard input."""

    hypothesis: str | None = option(None, required=False)
    reference: str | None = option(None, required=False)
    text: bool = option(False, "--text", is_flag=True, help="The two arguments are segments, not files.")
    stdio: bool = option(
        False, "--stdio", is_flag=True, help="Read 'hypothesis ||| reference' lines; answer each at once."
    )
    encoding: str = option("utf-8", "--encoding", help="Encoding of the files.")

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Return the pairs of hypothesis and reference.

        Raises:
            ConfigError: if arguments are missing, or do not go together.
        """
        if self.stdio:
            if self.hypothesis is not None or self.text:
                raise ConfigError("--stdio reads standard input; give no files and no --text")
            return _stdio_pairs(self.encoding)
        if self.hypothesis is None or self.reference is None:
            raise ConfigError("align needs a hypothesis and a reference: two files, or two segments with --text")
        if self.text:
            return iter([(self.hypothesis, self.reference)])
        return _file_pairs(self.hypothesis, self.reference, self.encoding)


@dataclass(frozen=True)
class AlignOutput(Options, heading="Output", example="… --format jsonl -o alignments.jsonl"):
    """Form of the alignments."""

    maximum_accuracy: bool = option(
        False,
        "--maximum-accuracy",
        is_flag=True,
        help="Prefer many matches to few chunks (the Java Matcher's maxacc).",
    )
    form: str = option(
        "text",
        "--format",
        type=click.Choice(["text", "jsonl", "json", "java", "latex"]),
        help="text: lines for people. jsonl, json: one JSON object per segment, with the words' character offsets in "
        "the raw text. java: the Java Matcher's format. latex: a matrix (TikZ).",
    )
    show: bool = option(False, "--show", is_flag=True, help="Show the two lines, aligned; in a terminal, in colors.")
    output: str | None = option(
        None, "-o", "--output", metavar="FILE", show_default="standard output", help="Write to a file."
    )


@click.command(cls=GroupedCommand)
def align(inputs: AlignInput, metric: MetricOptions, written: AlignOutput) -> None:
    """Align hypotheses with references, one segment per line, and show which words match.

    \b
    meteor-e align system.txt reference.txt
    meteor-e align --text "the cat sat on the mat" "a cat was sitting on the mat"
    meteor-e align system.txt reference.txt --show
    """
    if written.show and written.form != "text":
        raise ConfigError("--show and --format exclude each other")
    pairs, form = inputs.pairs(), "show" if written.show else written.form
    meteor = metric.meteor()
    with destination(written.output) as stream:
        for number, texts in enumerate(pairs, 1):
            alignment = meteor.align(*texts, maximum_accuracy=written.maximum_accuracy)
            _write(stream, form, alignment, number, texts, meteor.resources.function_words)
            if inputs.stdio:
                stream.flush()


def _file_pairs(hypothesis: str, reference: str, encoding: str) -> Iterator[tuple[str, str]]:
    from meteor_e.formats.systems import read_systems

    try:
        (system,) = read_systems([hypothesis], [reference], encoding=encoding)
    except InputError as error:
        if "No such file" in str(error):
            raise InputError(f"{error} (to align two segments instead of two files, add --text)") from error
        raise
    for segment in system.read():
        yield segment.hypothesis, segment.references[0]


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
