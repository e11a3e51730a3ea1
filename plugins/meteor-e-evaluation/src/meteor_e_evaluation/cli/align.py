"""``meteor-e align``: which words match."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TextIO

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
class AlignInput(Inputs, heading="Input", example='--text "the cat sat" "a cat sat down"'):
    """Files or tables of one system, two segments, or lines of standard input."""

    text: bool = option(False, "--text", is_flag=True, help="The two arguments are segments, not files.")
    stdio: bool = option(
        False, "--stdio", is_flag=True, help="Read 'hypothesis ||| reference' lines; answer each immediately."
    )

    def system(self) -> System:
        """Return the system whose segments are aligned.

        Raises:
            ConfigError: if arguments are missing or exclude each other, or there are several systems.
            InputError: if the files cannot be read.
        """
        if self.stdio:
            if self.files or self.references or self.text:
                raise ConfigError("--stdio reads standard input; give no files and no --text")
            return System("standard input", partial(_read_requests, self.encoding))
        if len(self.files) == 2 and self.text:
            hypothesis, reference = self.files
            return System.from_segments("--text", [Segment(1, hypothesis, (reference,))])
        if self.text or not self.files:
            raise ConfigError("align needs a hypothesis and a reference: two files, or two segments with --text")
        try:
            systems = self.systems()
        except InputError as error:
            if "No such file" in str(error):
                raise InputError(f"{error} (to align two segments instead of two files, add --text)") from error
            raise
        if len(systems) > 1:
            raise ConfigError(f"align takes one system, not {len(systems)}; run it once per system")
        return systems[0]


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
    """Align hypotheses with references, and show which words match.

    Of several references, the alignment is that of the best-scoring one, as for `meteor-e score`.

    \b
    meteor-e align system.txt reference.txt
    meteor-e align --text "the cat sat on the mat" "a cat was sitting on the mat"
    meteor-e align system.txt reference.txt --show
    meteor-e align system.txt -r first.txt -r second.txt
    meteor-e align results.json annotations.json
    """
    if written.show and written.form != "text":
        raise ConfigError("--show and --format exclude each other")
    system, form = inputs.system(), "show" if written.show else written.form
    meteor = metric.for_text(system.context).meteor()
    with destination(written.output) as stream:
        for number, segment in enumerate(system.read(), 1):
            with add_location(f"segment {segment.id}"):
                alignment, reference = _align_best(meteor, segment, written.maximum_accuracy)
            texts = (segment.hypothesis, reference)
            _write(stream, form, alignment, number, segment.id, texts, meteor.resources.function_words)
            if inputs.stdio:
                stream.flush()


def _read_requests(encoding: str) -> Iterator[Segment]:
    """Yield the segments of ``hypothesis ||| reference [||| reference …]`` lines of standard input."""
    from meteor_e.formats.plain import read_segments

    for number, line in enumerate(read_segments("-", encoding=encoding), 1):
        hypothesis, *references = line.split(" ||| ")
        if not references:
            raise InputError(f"standard input, line {number}: 'hypothesis ||| reference' was expected")
        yield Segment(number, hypothesis, tuple(references))


def _align_best(meteor: Meteor, segment: Segment, maximum_accuracy: bool) -> tuple[Alignment, str]:
    """Return the alignment with the best-scoring reference, as ``score`` chooses it, and that reference."""
    reference = segment.references[0]
    if len(segment.references) > 1:
        reference = segment.references[meteor.score(segment.hypothesis, segment.references).reference_index]
    return meteor.align(segment.hypothesis, reference, maximum_accuracy=maximum_accuracy), reference


def _write(
    stream: TextIO,
    form: str,
    alignment: Alignment,
    number: int,
    segment_id: SegmentId,
    texts: tuple[str, str],
    function_words: Collection[str],
) -> None:
    """Write a segment: its id, its alignment, in some formats its raw texts.

    Args:
        stream: where to write.
        form: the format, or ``show``.
        alignment: of the segment.
        number: of the segment, from 1, by which the Java Matcher's format names it.
        segment_id: the id by which the other formats name the segment.
        texts: raw hypothesis and raw reference.
        function_words: of the language, in lower case.
    """
    if form in ("json", "jsonl"):
        from meteor_e_evaluation.reports.offsets import word_offsets

        sides = zip(texts, (alignment.hypothesis, alignment.reference), strict=True)
        hypothesis, reference = (word_offsets(text, words) for text, words in sides)
        places = {"hypothesis_offsets": hypothesis, "reference_offsets": reference}
        stream.write(json.dumps({"segment": segment_id, **alignment.to_dict(), **places}, ensure_ascii=False) + "\n")
    elif form == "java":
        from meteor_e.java.alignments import format_alignment

        stream.write(format_alignment(alignment, number))
    elif form == "latex":
        from meteor_e_evaluation.reports.matrix import MATRIX_PREAMBLE, alignment_matrix

        try:
            matrix = alignment_matrix(alignment, function_words)
        except InputError as error:
            raise InputError(f"segment {segment_id}: {error}") from error
        stream.write(f"{MATRIX_PREAMBLE if number == 1 else ''}\n% segment {segment_id}\n{matrix}")
    else:
        stream.write(f"segment {segment_id}\n")
        if form == "show":
            from meteor_e_evaluation.reports.aligned_pair import show_alignment

            show_alignment(alignment, function_words, stream)
        else:
            stream.writelines(line + "\n" for line in alignment_lines(alignment))
        stream.write("\n")
