"""``meteor-e pack build``: a pack from two text files."""

from __future__ import annotations

import dataclasses
import sys

import click

from meteor_e.base.progress import terminal_progress
from meteor_e.cli.commands import GroupedCommand, OptionGroup
from meteor_e.cli.options import parse_fields, set_option
from meteor_e.packs.store import PackStore
from meteor_e_bitext.alignment import AlignmentOptions
from meteor_e_bitext.options import BitextOptions
from meteor_e_bitext.pivot import PivotOptions

GROUPS = {
    "Text": OptionGroup(
        ("language", "bitext", "pivot_language", "tokenization", "prefixes", "encoding"),
        "-l oc --bitext corpus.oc corpus.fr --pivot-language fr",
    ),
    "Word alignment": OptionGroup(("alignment",), "-l oc --bitext corpus.oc corpus.fr --alignment corpus.pharaoh"),
    "Phrases and paraphrases": OptionGroup(
        ("phrase_table", "settings"), "-l oc --bitext corpus.oc corpus.fr --set least_count=3"
    ),
    "Output": OptionGroup(
        ("output", "threads", "work", "keep_work"), "-l oc --bitext corpus.oc corpus.fr -o ./oc-pack"
    ),
}
"""The groups of the help text."""


@click.command(cls=GroupedCommand, groups=GROUPS)
@click.option("-l", "--language", required=True, metavar="CODE|FILE", help="Language of the first file, and the pack.")
@click.option(
    "--bitext",
    nargs=2,
    required=True,
    metavar="TEXT TRANSLATION",
    help="Text in the language and its translation into another one, line by line; plain, gzip, bzip2 or xz.",
)
@click.option(
    "--pivot-language",
    metavar="CODE|FILE",
    help="Language of the translation, for its tokenization.  [default: none in particular]",
)
@click.option("-o", "--output", metavar="DIR", help="The pack's folder.  [default: LANGUAGE-bitext among your packs]")
@click.option(
    "--tokenization",
    type=click.Choice(["language", "whitespace"]),
    default="language",
    help="How text becomes words: by the language's tokenizer, as for scoring, or at white space.  [default: language]",
)
@click.option("--prefixes", metavar="FILE", help="Nonbreaking prefixes.  [default: those of the language's pack]")
@click.option("--alignment", metavar="FILE", help="Take word alignments from a Pharaoh file.")
@click.option("--phrase-table", metavar="FILE", help="Take phrase pairs from a Moses phrase table.")
@set_option(BitextOptions, AlignmentOptions, PivotOptions)
@click.option("--encoding", default="utf-8", help="Encoding of the text.  [default: utf-8]")
@click.option("--threads", type=click.IntRange(min=1), help="Threads that work.  [default: as many as processors]")
@click.option("--work", metavar="DIR", help="Where intermediate results lie.  [default: beside the pack]")
@click.option("--keep-work", is_flag=True, help="Leave them there.")
def build(
    language: str,
    bitext: tuple[str, str],
    pivot_language: str | None,
    output: str | None,
    tokenization: str,
    prefixes: str | None,
    alignment: str | None,
    phrase_table: str | None,
    settings: tuple[str, ...],
    encoding: str,
    threads: int | None,
    work: str | None,
    keep_work: bool,
) -> None:
    """Build a pack from bitext: function words and paraphrases of any language.

    Interrupted, it goes on where it was when the same command is given again.

    \b
    meteor-e pack build --language fr --bitext europarl.fr europarl.en
    meteor-e score system.txt reference.txt --language fr --set pack=fr-bitext
    """
    from meteor_e.engine.batches import default_threads
    from meteor_e_bitext.build import build_from_bitext
    from meteor_e_bitext.texts import language_text

    whitespace = tokenization == "whitespace"
    side = language_text(language, whitespace=whitespace, prefixes=prefixes)
    pivot_side = language_text(pivot_language, whitespace=whitespace)
    options, aligning, pivoting = parse_fields(settings, BitextOptions, AlignmentOptions, PivotOptions)
    options = dataclasses.replace(options, alignment=aligning, pivot=pivoting, encoding=encoding)
    target = output if output is not None else PackStore().root / f"{side.code}-bitext"

    def say(stage: str, seconds: float, reused: bool) -> None:
        # Not by click, which would write into the middle of the bars.
        print(f"{stage}: {'done before' if reused else f'{seconds:.1f} s'}", file=sys.stderr)

    with terminal_progress(delay=0) as progress:
        built = build_from_bitext(
            target,
            side,
            pivot_side,
            bitext,
            options=options,
            alignments=alignment,
            phrase_table=phrase_table,
            work=work,
            keep_work=keep_work,
            threads=default_threads(threads),
            progress=progress,
            done=say,
        )
    click.echo(f"built {built.name} ({built.summary}) in {built.path}")
