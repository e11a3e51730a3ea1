"""``meteor-e mbr``: minimum Bayes risk decoding."""

from __future__ import annotations

import json
from typing import Any

import click

from meteor_e.base import terminal_progress
from meteor_e.cli import (
    METRIC_GROUPS,
    GroupedCommand,
    MeteorMaker,
    OptionGroup,
    destination,
    metric_options,
    replaced_option,
)
from meteor_e.mbr.nbest import NBEST_FORMATS, read_candidates
from meteor_e.mbr.decoding import choices

GROUPS = {
    "Input": OptionGroup(("count", "format_in", "encoding"), "samples.txt --candidates 100"),
    **METRIC_GROUPS,
    "Output": OptionGroup(("form", "output", "quiet"), "… --format jsonl -o chosen.jsonl"),
}
"""The groups of the help text."""


@click.command(cls=GroupedCommand, groups=GROUPS)
@click.argument("candidates", metavar="CANDIDATES")
@click.option(
    "--candidates",
    "count",
    type=click.IntRange(min=1),
    metavar="N",
    help="Lines that belong to one source, in a file without any marks.",
)
@click.option(
    "--format-in",
    type=click.Choice(list(NBEST_FORMATS)),
    help="Format of the file.  [default: as its first line looks]",
)
@replaced_option("--input-format", "write --format-in")
@click.option("--encoding", default="utf-8", help="Encoding of the file.  [default: utf-8]")
@click.option("-M", "--metric", default="meteor", metavar="METRIC", help="The metric.  [default: meteor]")
@metric_options
@click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice(["text", "tsv", "jsonl"]),
    default="text",
    help="text: the chosen candidates; tsv: source, candidate, expected score, text; jsonl: all expected scores, too.  "
    "[default: text]",
)
@click.option("-o", "--output", metavar="FILE", help="Write to a file.  [default: standard output]")
@click.option("-q", "--quiet", is_flag=True, help="No progress bar.")
def mbr(
    candidates: str,
    count: int | None,
    format_in: str | None,
    encoding: str,
    metric: str,
    make_meteor: MeteorMaker,
    form: str,
    output: str | None,
    quiet: bool,
) -> None:
    """Choose for each source the candidate with the best expected score (minimum Bayes risk decoding).

    Each candidate is scored against all candidates of its source, itself among them; their mean is the expected
    score. Of equals, the first is chosen. CANDIDATES is a Moses n-best list (ID ||| TEXT ||| …), the
    output of fairseq-generate (H-ID or D-ID, score, text), JSON Lines with a list of texts each, or, with
    --candidates N, plain text with N lines per source; - is standard input. Sources keep the order of the file.

    \b
    meteor-e mbr nbest.txt > chosen.txt
    meteor-e mbr samples.txt --candidates 100 -l de --format tsv
    meteor-e mbr samples.jsonl -M chrf --format jsonl
    """
    (chosen_metric,) = make_meteor.metrics([metric])
    sources = read_candidates(candidates, format_in, count, encoding=encoding)
    with destination(output) as stream, terminal_progress(quiet) as progress:
        if form == "tsv":
            stream.write("source\tcandidate\texpected\ttext\n")
        chosen = choices(chosen_metric, sources, make_meteor.language, progress=progress)
        for number, choice in enumerate(chosen, 1):
            if form == "text":
                stream.write(choice.text + "\n")
            elif form == "tsv":
                row = (str(number), str(choice.place + 1), repr(choice.expected), " ".join(choice.text.split()))
                stream.write("\t".join(row) + "\n")
            else:
                entry: dict[str, Any] = {
                    "source": number,
                    "candidate": choice.place + 1,
                    "text": choice.text,
                    "expected": choice.expected,
                    "expected_scores": choice.scores.tolist(),
                    "signature": chosen_metric.signature,
                }
                stream.write(json.dumps(entry, ensure_ascii=False) + "\n")
            progress("choosing", number, None)
