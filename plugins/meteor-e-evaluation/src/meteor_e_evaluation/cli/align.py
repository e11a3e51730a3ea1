"""Defines the command ``meteor-e align``, which shows the matching words of two texts."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TextIO

import click

from meteor_e.api import ConfigError, InputError, Segment, System
from meteor_e.base.errors import add_location
from meteor_e.cli.commands import GroupedCommand, Options, destination, option
from meteor_e.cli.inputs import Inputs
from meteor_e.cli.options import MetricOptions
from meteor_e.render.alignments import alignment_lines

if TYPE_CHECKING:
    from meteor_e import Alignment, Meteor
    from meteor_e.api.segments import SegmentId


@dataclass(frozen=True)
class AlignInput(Inputs):
    """Options for the input, which can be files, two segments, or standard input."""

    heading = "Input"
    example = '--text "the cat sat" "a cat sat down"'

    text: bool = option(False, "--text", is_flag=True, help="The two arguments are segments, not files.")
    stdio: bool = option(
        False, "--stdio", is_flag=True, help="Read 'hypothesis ||| reference' lines; answer each immediately."
    )

    def system(self) -> System:
        """Return the system whose segments will be aligned.

        Raises:
            ConfigError: if arguments are missing or exclude each other, or if the files contain several systems.
            InputError: if the files cannot be read.
        """
        if self.stdio:
            return self._standard_input()
        if len(self.files) == 2 and self.text:
            hypothesis, reference = self.files
            return System.from_segments("--text", [Segment(1, hypothesis, (reference,))])
        if self.text or not self.files:
            raise ConfigError("align needs a hypothesis and a reference: two files, or two segments with --text")
        return self._load_system()

    def _standard_input(self) -> System:
        """Return a system whose segments are read from standard input."""
        if self.files or self.references or self.text:
            raise ConfigError("--stdio reads standard input; give no files and no --text")
        return System("standard input", lambda: _read_requests(self.encoding))

    def _load_system(self) -> System:
        """Return the single system whose hypotheses and references the input files contain.

        Raises:
            ConfigError: if the files contain several systems.
            InputError: if the files cannot be read.
        """
        try:
            systems = self.systems()
        except InputError as error:
            if isinstance(error.__cause__, FileNotFoundError):
                raise InputError(f"{error} (to align two segments instead of two files, add --text)") from error
            raise
        if len(systems) > 1:
            raise ConfigError(f"align takes one system, not {len(systems)}; run it once per system")
        return systems[0]


@dataclass(frozen=True)
class AlignOutput(Options):
    """Options for the output format of the alignments."""

    heading = "Output"
    example = "… --format jsonl -o alignments.jsonl"

    maximum_accuracy: bool = option(
        False,
        "--maximum-accuracy",
        is_flag=True,
        help="Prefer many matches to few chunks (the Java Matcher's maxacc).",
    )
    format_name: str = option(
        "text",
        "--format",
        type=click.Choice(["text", "jsonl", "json", "java", "latex"]),
        help="text: readable lines. jsonl, json: one JSON object per segment, with the words' character offsets in "
        "the raw text. java: the Java Matcher's format. latex: a matrix (TikZ).",
    )
    show: bool = option(False, "--show", is_flag=True, help="Show the two lines, aligned; in a terminal, in colors.")
    output: str | None = option(
        None, "-o", "--output", metavar="FILE", show_default="standard output", help="Write to a file."
    )


@click.command(cls=GroupedCommand)
def align(inputs: AlignInput, metric: MetricOptions, output: AlignOutput) -> None:
    """Align hypotheses with references, and show which words match.

    If a segment has several references, the hypothesis is aligned with the best-scoring one, as in `meteor-e score`.

    \b
    meteor-e align system.txt reference.txt
    meteor-e align --text "the cat sat on the mat" "a cat was sitting on the mat"
    meteor-e align system.txt reference.txt --show
    meteor-e align system.txt -r first.txt -r second.txt
    meteor-e align results.json annotations.json
    """
    if output.show and output.format_name != "text":
        raise ConfigError("--show and --format exclude each other")
    system = inputs.system()
    meteor = metric.for_text(system.context).meteor()
    output_format = "show" if output.show else output.format_name
    write_segment = _WRITERS[output_format]
    with destination(output.output) as stream:
        for segment in _align_segments(meteor, system, output.maximum_accuracy):
            write_segment(stream, segment)
            if inputs.stdio:
                stream.flush()


def _read_requests(encoding: str) -> Iterator[Segment]:
    """Yield a segment for each line ``hypothesis ||| reference [||| reference …]`` of standard input."""
    from meteor_e.formats.plain import read_segments

    for number, line in enumerate(read_segments("-", encoding=encoding), 1):
        hypothesis, *references = line.split(" ||| ")
        if not references:
            raise InputError(f"standard input, line {number}: 'hypothesis ||| reference' was expected")
        yield Segment(number, hypothesis, tuple(references))


def _align_segments(meteor: Meteor, system: System, maximum_accuracy: bool) -> Iterator[_AlignedSegment]:
    """Align each hypothesis of a system with its best-scoring reference.

    Args:
        meteor: the metric that scores the references and aligns the texts.
        system: the hypotheses and their references.
        maximum_accuracy: whether to prefer many matches to few chunks.
    """
    for number, segment in enumerate(system.read(), 1):
        hypothesis = segment.hypothesis
        with add_location(f"segment {segment.id}"):
            reference = _select_best_reference(meteor, segment)
            alignment = meteor.align(hypothesis, reference, maximum_accuracy=maximum_accuracy)
        yield _AlignedSegment(number, segment.id, hypothesis, reference, alignment, meteor.resources.function_words)


def _select_best_reference(meteor: Meteor, segment: Segment) -> str:
    """Return the reference that gives the hypothesis of a segment its highest score."""
    if len(segment.references) == 1:
        return segment.references[0]
    score = meteor.score(segment.hypothesis, segment.references)
    return segment.references[score.reference_index]


class _AlignedSegment(NamedTuple):
    """An aligned segment, ready to be written.

    Attributes:
        number: number of the segment, starting from 1, for the format of the Java Matcher.
        id: id of the segment, for all other formats.
        hypothesis, reference: the raw texts.
        alignment: alignment of the two texts.
        function_words: function words of the language, in lower case.
    """

    number: int
    id: SegmentId
    hypothesis: str
    reference: str
    alignment: Alignment
    function_words: Collection[str]


def _write_json(stream: TextIO, segment: _AlignedSegment) -> None:
    """Write the alignment as a line of JSON, with the character offsets of the words."""
    from meteor_e_evaluation.reports.offsets import word_offsets

    alignment = segment.alignment
    document = {
        "segment": segment.id,
        **alignment.to_dict(),
        "hypothesis_offsets": word_offsets(segment.hypothesis, alignment.hypothesis),
        "reference_offsets": word_offsets(segment.reference, alignment.reference),
    }
    stream.write(json.dumps(document, ensure_ascii=False) + "\n")


def _write_java(stream: TextIO, segment: _AlignedSegment) -> None:
    """Write the alignment in the format of the Java Matcher."""
    from meteor_e.java.alignments import format_alignment

    stream.write(format_alignment(segment.alignment, segment.number))


def _write_latex(stream: TextIO, segment: _AlignedSegment) -> None:
    """Write the alignment as a matrix in LaTeX, with a preamble before the first matrix."""
    from meteor_e_evaluation.reports.matrix import MATRIX_PREAMBLE, alignment_matrix

    try:
        matrix = alignment_matrix(segment.alignment, segment.function_words)
    except InputError as error:
        raise InputError(f"segment {segment.id}: {error}") from error
    preamble = MATRIX_PREAMBLE if segment.number == 1 else ""
    stream.write(f"{preamble}\n% segment {segment.id}\n{matrix}")


def _write_text(stream: TextIO, segment: _AlignedSegment) -> None:
    """Write the alignment as readable lines."""
    stream.write(f"segment {segment.id}\n")
    stream.writelines(line + "\n" for line in alignment_lines(segment.alignment))
    stream.write("\n")


def _show(stream: TextIO, segment: _AlignedSegment) -> None:
    """Write the hypothesis above the reference, with matching words in the same column."""
    from meteor_e_evaluation.reports.aligned_pair import show_alignment

    stream.write(f"segment {segment.id}\n")
    show_alignment(segment.alignment, segment.function_words, stream)
    stream.write("\n")


_WRITERS: dict[str, Callable[[TextIO, _AlignedSegment], None]] = {
    "text": _write_text,
    "show": _show,
    "json": _write_json,
    "jsonl": _write_json,
    "java": _write_java,
    "latex": _write_latex,
}
