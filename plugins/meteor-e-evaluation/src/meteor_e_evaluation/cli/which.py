"""``meteor-e which``: which METEOR a reported number is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from meteor_e.api import ConfigError
from meteor_e.toolkit import GroupedCommand, OptionGroup, destination, terminal_progress

GROUPS = {
    "Number": OptionGroup(("scale", "level"), "27.3 system.txt reference.txt --level corpus"),
    "Search": OptionGroup(
        ("language", "formulas", "everything", "nearest", "offline"), ".273 system.de reference.de -l de"
    ),
    "Output": OptionGroup(("form", "output", "quiet"), "27.3 system.txt reference.txt -f json"),
}
"""The groups of the help text."""


@click.command(cls=GroupedCommand, groups=GROUPS)
@click.argument("reported")
@click.argument("hypotheses")
@click.argument("references", nargs=-1, required=True)
@click.option("-l", "--language", default="en", metavar="CODE", help="Language of the texts.  [default: en]")
@click.option(
    "--scale",
    type=click.Choice(["auto", "percent", "fraction"]),
    default="auto",
    help="What the number is in.  [default: percent above 1, else a fraction]",
)
@click.option(
    "--level", type=click.Choice(["corpus", "segments"]), help="Score of the corpus, or mean of the segments.  [both]"
)
@click.option(
    "--formula",
    "formulas",
    multiple=True,
    metavar="NUMBERS",
    help="Try these, too: '0.85 0.2 0.6 0.75' (α β γ δ), and weights of the modules after them; may be repeated.",
)
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Name all that match, not only the three most usual; also run chains that read texts with an encoder.",
)
@click.option(
    "--nearest",
    type=click.IntRange(min=1),
    default=5,
    metavar="N",
    help="Numbers to show where nothing matches.  [default: 5]",
)
@click.option("--offline", is_flag=True, help="Download nothing.")
@click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    help="Form of the results.  [default: text]",
)
@click.option("-o", "--output", metavar="FILE", help="Write to a file.  [default: standard output]")
@click.option("-q", "--quiet", is_flag=True, help="No progress bar.")
def which(reported: str, hypotheses: str, references: tuple[str, ...], language: str, **options: Any) -> None:
    """Say which METEOR a reported number is.

    Scores the HYPOTHESES with every METEOR that people run: METEOR 1.5's tasks and modules, published parameters of
    earlier versions, nltk's releases, evaluate, pycocoevalcap, METEOR-E's chains. The digits of REPORTED say how exact
    it is: 27.3 is 27.25 to 27.35. The exit status is 1 if nothing matches.

    \b
    meteor-e which 27.3 system.txt reference.txt
    meteor-e which .2731 system.txt reference-a.txt reference-b.txt --level segments
    """
    from meteor_e_evaluation.data import read_texts
    from meteor_e_evaluation.which import which as find

    texts = [read_texts(Path(file), "reference") for file in references]
    with terminal_progress(options["quiet"]) as progress:
        findings = find(
            reported,
            read_texts(Path(hypotheses), "hypothesis"),
            texts,
            language,
            scale=options["scale"],
            level=options["level"],
            everything=options["everything"],
            formulas=[_numbers(text) for text in options["formulas"]],
            nearest=options["nearest"],
            offline=options["offline"] or None,
            progress=progress,
        )
    with destination(options["output"]) as stream:
        if options["form"] == "json":
            stream.write(json.dumps(findings.document(), ensure_ascii=False, indent=2, allow_nan=False) + "\n")
        else:
            stream.write(findings.text())
    if not findings.matches:
        click.get_current_context().exit(1)


def _numbers(text: str) -> list[float]:
    try:
        return [float(number) for number in text.split()]
    except ValueError as error:
        raise ConfigError(f"--parameters {text!r} are not numbers, separated by blanks") from error
