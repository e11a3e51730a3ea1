"""``meteor-e pack build``: a pack from two text files."""

from __future__ import annotations

import sys

import click

from meteor_e.base.progress import terminal_progress
from meteor_e.cli.grouped_help import GroupedCommand, OptionGroup
from meteor_e.packs.store import PackStore

GROUPS = {
    "Text": OptionGroup(
        ("language", "bitext", "pivot_language", "tokenization", "prefixes", "encoding", "longest_sentence"),
        "-l oc --bitext corpus.oc corpus.fr --pivot-language fr",
    ),
    "Word alignment": OptionGroup(
        ("alignment", "heuristic", "iterations"), "-l oc --bitext corpus.oc corpus.fr --alignment corpus.pharaoh"
    ),
    "Phrases": OptionGroup(
        ("phrase_table", "table_first", "longest_phrase", "least_count"),
        "-l oc --bitext corpus.oc corpus.fr --least-count 3",
    ),
    "Paraphrases and function words": OptionGroup(
        ("least_product", "least_probability", "common", "symbols", "target_lines"),
        "-l oc --bitext corpus.oc corpus.fr --least-probability 0.05",
    ),
    "Output": OptionGroup(
        ("output", "sample", "seed", "threads", "work", "keep_work"), "-l oc --bitext corpus.oc corpus.fr -o ./oc-pack"
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
@click.option("--table-first", is_flag=True, help="The table's first column is the language's; METEOR's is the second.")
@click.option(
    "--heuristic",
    default="grow-diag-final-and",
    metavar="NAME",
    help="How two alignments become one: intersection, union, grow-diag, "
    "grow-diag-final, grow-diag-final-and.  [default: grow-diag-final-and]",
)
@click.option("--iterations", type=click.IntRange(1, 100), default=5, help="Of the word aligner.  [default: 5]")
@click.option("--longest-sentence", type=int, default=100, help="Leave longer lines out.  [default: 100 words]")
@click.option("--longest-phrase", type=int, default=7, help="Words of a phrase at most.  [default: 7]")
@click.option("--least-count", type=int, default=2, help="Leave out phrases that occur less often.  [default: 2]")
@click.option("--common", type=float, default=0.001, help="Relative frequency of function words.  [default: 0.001]")
@click.option("--least-product", type=float, default=0.001, help="Least p(f|e)*p(e'|f).  [default: 0.001]")
@click.option("--least-probability", type=float, default=0.01, help="Least p(e'|e).  [default: 0.01]")
@click.option("--symbols", help="Characters that no phrase may hold.  [default: ASCII's punctuation]")
@click.option(
    "--target-lines",
    type=click.IntRange(min=0),
    default=0,
    help="Paraphrase only phrases in so many first lines (METEOR's script: 10000).  [default: 0, all]",
)
@click.option("--sample", type=click.IntRange(min=0), default=100, help="Paraphrases in the report.  [default: 100]")
@click.option("--seed", type=int, default=1, help="Of their choice.  [default: 1]")
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
    table_first: bool,
    heuristic: str,
    iterations: int,
    longest_sentence: int,
    longest_phrase: int,
    least_count: int,
    common: float,
    least_product: float,
    least_probability: float,
    symbols: str | None,
    target_lines: int,
    sample: int,
    seed: int,
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
    from meteor_e.engine.threads import default_threads
    from meteor_e_bitext.alignment import AlignmentOptions
    from meteor_e_bitext.build import build_from_bitext
    from meteor_e_bitext.options import BitextOptions
    from meteor_e_bitext.pivot import SYMBOLS, PivotOptions
    from meteor_e_bitext.texts import language_text

    whitespace = tokenization == "whitespace"
    side = language_text(language, whitespace=whitespace, prefixes=prefixes)
    pivot_side = language_text(pivot_language, whitespace=whitespace)
    options = BitextOptions(
        alignment=AlignmentOptions(iterations=iterations, heuristic=heuristic),
        pivot=PivotOptions(least_product, least_probability, common, SYMBOLS if symbols is None else symbols),
        longest_sentence=longest_sentence,
        longest_phrase=longest_phrase,
        least_count=least_count,
        table_first=table_first,
        target_lines=target_lines,
        sample=sample,
        seed=seed,
        encoding=encoding,
    )
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
