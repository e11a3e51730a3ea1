"""``meteor-e pack build``: a pack from two text files."""

from __future__ import annotations

import dataclasses
import sys

import click

from meteor_e.base.progress import terminal_progress
from meteor_e.cli.commands import GroupedCommand, Options, option
from meteor_e.cli.options import parse_fields, set_option
from meteor_e.packs.store import PackStore
from meteor_e_bitext.alignment import AlignmentOptions
from meteor_e_bitext.options import BitextOptions
from meteor_e_bitext.pivot import PivotOptions

SETTINGS = (BitextOptions, AlignmentOptions, PivotOptions)
"""Their fields are set by ``--set``."""


@dataclasses.dataclass(frozen=True)
class TextOptions(Options, heading="Text", example="-l oc --bitext corpus.oc corpus.fr --pivot-language fr"):
    """Text in two languages, and how it becomes words."""

    language: str = option(
        None, "-l", "--language", required=True, metavar="CODE|FILE", help="Language of the first file, and the pack."
    )
    bitext: tuple[str, str] = option(
        None,
        "--bitext",
        nargs=2,
        required=True,
        metavar="TEXT TRANSLATION",
        help="Text in the language and its translation into another one, line by line; plain, gzip, bzip2 or xz.",
    )
    pivot_language: str | None = option(
        None,
        "--pivot-language",
        metavar="CODE|FILE",
        show_default="none in particular",
        help="Language of the translation, for its tokenization.",
    )
    tokenization: str = option(
        "language",
        "--tokenization",
        type=click.Choice(["language", "whitespace"]),
        help="How text becomes words: by the language's tokenizer, as for scoring, or at white space.",
    )
    prefixes: str | None = option(
        None,
        "--prefixes",
        metavar="FILE",
        show_default="those of the language's pack",
        help="Nonbreaking prefixes.",
    )
    encoding: str = option("utf-8", "--encoding", help="Encoding of the text.")


@dataclasses.dataclass(frozen=True)
class PhraseOptions(
    Options,
    heading="Word alignment, phrases and paraphrases",
    example="-l oc --bitext corpus.oc corpus.fr --set least_count=3",
):
    """How paraphrases are found, or where they come from."""

    alignment: str | None = option(
        None, "--alignment", metavar="FILE", help="Take word alignments from a Pharaoh file."
    )
    phrase_table: str | None = option(
        None, "--phrase-table", metavar="FILE", help="Take phrase pairs from a Moses phrase table."
    )
    settings: tuple[str, ...] = set_option(*SETTINGS)


@dataclasses.dataclass(frozen=True)
class PackOptions(Options, heading="Output", example="-l oc --bitext corpus.oc corpus.fr -o ./oc-pack"):
    """The pack's folder, and the work."""

    output: str | None = option(
        None,
        *("-o", "--output"),
        metavar="DIR",
        show_default="LANGUAGE-bitext among your packs",
        help="The pack's folder.",
    )
    threads: int | None = option(
        None,
        "--threads",
        type=click.IntRange(min=1),
        show_default="as many as processors",
        help="Threads that work.",
    )
    work: str | None = option(
        None, "--work", metavar="DIR", show_default="beside the pack", help="Where intermediate results lie."
    )
    keep_work: bool = option(False, "--keep-work", is_flag=True, help="Leave them there.")


@click.command(cls=GroupedCommand)
def build(text: TextOptions, phrases: PhraseOptions, place: PackOptions) -> None:
    """Build a pack from bitext: function words and paraphrases of any language.

    Interrupted, it goes on where it was when the same command is given again.

    \b
    meteor-e pack build --language fr --bitext europarl.fr europarl.en
    meteor-e score system.txt reference.txt --language fr --set pack=fr-bitext
    """
    from meteor_e.api.batches import default_threads
    from meteor_e_bitext.build import build_from_bitext
    from meteor_e_bitext.texts import language_text

    whitespace = text.tokenization == "whitespace"
    side = language_text(text.language, whitespace=whitespace, prefixes=text.prefixes)
    pivot_side = language_text(text.pivot_language, whitespace=whitespace)
    options, aligning, pivoting = parse_fields(phrases.settings, *SETTINGS)
    options = dataclasses.replace(options, alignment=aligning, pivot=pivoting, encoding=text.encoding)
    target = place.output if place.output is not None else PackStore().root / f"{side.code}-bitext"

    def say(stage: str, seconds: float, reused: bool) -> None:
        # Not by click, which would write into the middle of the bars.
        print(f"{stage}: {'done before' if reused else f'{seconds:.1f} s'}", file=sys.stderr)

    with terminal_progress(delay=0) as progress:
        built = build_from_bitext(
            target,
            side,
            pivot_side,
            text.bitext,
            options=options,
            alignments=phrases.alignment,
            phrase_table=phrases.phrase_table,
            work=place.work,
            keep_work=place.keep_work,
            threads=default_threads(place.threads),
            progress=progress,
            done=say,
        )
    click.echo(f"built {built.name} ({built.summary}) in {built.path}")
