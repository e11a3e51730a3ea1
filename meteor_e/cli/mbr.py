"""``meteor-e mbr``: minimum Bayes risk decoding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from meteor_e.api.outputs import Grid, OutputOptions, Result
from meteor_e.base.progress import Progress, terminal_progress
from meteor_e.cli.grouped_help import GroupedCommand, OptionGroup
from meteor_e.cli.options import METRIC_GROUPS, MeteorMaker, metric_options, replaced_option
from meteor_e.cli.results import check_output, format_option, output_format, output_option, write_result
from meteor_e.mbr.candidates import NBEST_FORMATS, read_candidates
from meteor_e.mbr.decisions import choices

if TYPE_CHECKING:
    from meteor_e.api.metrics import Metric
    from meteor_e.mbr.decisions import Choice

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
@format_option()
@output_option()
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
    check_output(output, [candidates])
    found = output_format(form)
    with terminal_progress(quiet) as progress:
        chosen = choices(chosen_metric, sources, make_meteor.language, progress=progress)
        write_result(_Chosen(chosen, chosen_metric, progress), found, output, OutputOptions())


class _Chosen(Result):
    """The chosen candidates, which are found while they are written."""

    def __init__(self, chosen: Iterator[Choice], metric: Metric, progress: Progress) -> None:
        self._chosen, self._metric, self._progress = chosen, metric, progress

    def _numbered(self) -> Iterator[tuple[int, Choice]]:
        for number, choice in enumerate(self._chosen, 1):
            yield number, choice
            self._progress("choosing", number, None)

    def lines(self, digits: int | None = None) -> Iterator[str]:
        """Yield the chosen candidates."""
        return (choice.text for _, choice in self._numbered())

    def grids(self, digits: int | None = None) -> Iterator[Grid]:
        """Yield a table of them."""
        places = 4 if digits is None else digits
        header = ["source", "candidate", "expected", "text"]
        rows = [[str(n), str(c.place + 1), f"{c.expected:.{places}f}", c.text] for n, c in self._numbered()]
        if rows:
            yield Grid(header, rows)

    def records(self) -> Iterator[Sequence[object]]:
        """Yield source, candidate, expected score and text."""
        yield "source", "candidate", "expected", "text"
        for number, choice in self._numbered():
            yield number, choice.place + 1, choice.expected, choice.text

    def entries(self) -> Iterator[dict[str, Any]]:
        """Yield the same, with the expected scores of all candidates."""
        for number, choice in self._numbered():
            yield {
                "source": number,
                "candidate": choice.place + 1,
                "text": choice.text,
                "expected": choice.expected,
                "expected_scores": choice.scores.tolist(),
                "signature": self._metric.signature,
            }
