"""``meteor-e which``: which METEOR a reported number is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from meteor_e.api import ConfigError, InputError
from meteor_e.base.progress import terminal_progress
from meteor_e.cli.grouped_help import GroupedCommand, OptionGroup
from meteor_e.cli.inputs import lined_up, systems
from meteor_e.cli.output import destination
from meteor_e.formats.inputs import open_input

if TYPE_CHECKING:
    from meteor_e_evaluation.which import Evidence

GROUPS = {
    "Numbers": OptionGroup(
        ("also", "table", "scale", "level", "year"), "27.3 system.txt reference.txt --also 25.9 other-system.txt"
    ),
    "Search": OptionGroup(
        ("language", "formulas", "encoders", "nearest", "offline"), ".273 system.de reference.de -l de"
    ),
    "Output": OptionGroup(("form", "output", "quiet"), "27.3 system.txt reference.txt -f json"),
}
"""The groups of the help text."""


@click.command(cls=GroupedCommand, groups=GROUPS)
@click.argument("reported")
@click.argument("hypotheses")
@click.argument("references", nargs=-1, required=True)
@click.option(
    "--also",
    nargs=2,
    multiple=True,
    metavar="REPORTED FILE",
    help="A further number of the same METEOR: of another system on the same references, or, with the same file, of "
    "another level or part; may be repeated.",
)
@click.option(
    "--table",
    metavar="FILE",
    help="Further numbers, also in other languages, one per line, separated by tabs: number, language, hypotheses, "
    "references.",
)
@click.option("--year", type=int, metavar="YEAR", help="Year of the paper: what is newer is left out.")
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
    help="Try these, too: '0.85 0.2 0.6' (α β γ, for nltk), with δ as a fourth for METEOR 1.5, too, and weights of "
    "its modules after them; may be repeated.",
)
@click.option("--encoders", is_flag=True, help="Also run chains that read texts with an encoder, which takes minutes.")
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
    it is: 27.3 is 27.25 to 27.35. Before it may stand what it is of: corpus=27.3, segments=28.1, precision=61.2,
    recall=, f1=, fmean=. All that matches is named, by program. The exit status is 1 if nothing matches.

    \b
    meteor-e which 27.3 system.txt reference.txt
    meteor-e which .2731 system.txt reference-a.txt reference-b.txt --level segments
    meteor-e which corpus=27.3 system.txt reference.txt --also segments=28.1 system.txt
    """
    from meteor_e_evaluation.which import which as find

    first = _evidence(reported, hypotheses, references, language)
    also = [_evidence(number, file, references, language) for number, file in options["also"]]
    if options["table"] is not None:
        also += _table(Path(options["table"]))
    with terminal_progress(options["quiet"]) as progress:
        findings = find(
            *first,
            also=also,
            year=options["year"],
            scale=options["scale"],
            level=options["level"],
            encoders=options["encoders"],
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


def _evidence(reported: str, hypotheses: str, references: Sequence[str], language: str) -> Evidence:
    """Read the texts of a number, of any form that ``score`` reads."""
    from meteor_e_evaluation.which import Evidence

    found = lined_up(systems([hypotheses], references, 1, "utf-8"))
    if len(found) != 1:
        names = ", ".join(system.name for system in found)
        raise InputError(f"{hypotheses}: one system is needed, it has {len(found)} ({names})")
    system = found[0]
    most = max(map(len, system.references))
    # Captions may have different numbers of references; one that is there twice changes no score.
    padded = [[*own, *list(own[-1:]) * (most - len(own))] for own in system.references]
    return Evidence(reported, system.hypotheses, list(map(list, zip(*padded, strict=True))), language)


def _table(path: Path) -> list[Evidence]:
    found = []
    with open_input(path, form="plain") as file:
        for number, line in enumerate(file.segments(), 1):
            if not line.strip() or line.startswith("#"):
                continue
            cells = line.split("\t")
            if len(cells) < 4 or not all(map(str.strip, cells)):
                raise InputError(
                    f"{path}, line {number}: there must be a number, a language, a file of hypotheses and files of "
                    "references, separated by tabs"
                )
            reported, language, *files = map(str.strip, cells)
            hypotheses, *references = (str(path.parent / file) for file in files)
            found.append(_evidence(reported, hypotheses, references, language))
    return found


def _numbers(text: str) -> list[float]:
    try:
        return [float(number) for number in text.split()]
    except ValueError as error:
        raise ConfigError(f"--formula {text!r} are not numbers, separated by blanks") from error
