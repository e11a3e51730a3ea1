"""Define the command ``meteor-e pack build``, which builds a pack from a text and its translation."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Sequence

import click

from meteor_e.base.progress import terminal_progress
from meteor_e.cli.commands import GroupedCommand, Options, option
from meteor_e.cli.options import parse_fields, set_option
from meteor_e.packs.store import PackStore
from meteor_e_bitext.alignment import AlignmentOptions
from meteor_e_bitext.options import BitextOptions
from meteor_e_bitext.pivot import PivotOptions

SETTINGS = (BitextOptions, AlignmentOptions, PivotOptions)
"""The classes whose fields can be set with the option ``--set``."""


@dataclasses.dataclass(frozen=True)
class TextOptions(Options):
    """Options for the text, its translation, and the tokenization of both."""

    heading = "Text"
    example = "-l oc --bitext corpus.oc corpus.fr --pivot-language fr"

    language: str = option(
        None, "-l", "--language", required=True, metavar="CODE|FILE", help="Language of the first file and of the pack."
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
        help="Tokenize as for scoring, or split at white space only.",
    )
    prefixes: str | None = option(
        None,
        "--prefixes",
        metavar="FILE",
        show_default="those of the language's pack",
        help="File of nonbreaking prefixes, such as abbreviations.",
    )
    encoding: str = option("utf-8", "--encoding", help="Encoding of both text files.")


@dataclasses.dataclass(frozen=True)
class PhraseOptions(Options):
    """Options for word alignment and paraphrase extraction."""

    heading = "Word alignment, phrases and paraphrases"
    example = "-l oc --bitext corpus.oc corpus.fr --set least_count=3"

    alignment: str | None = option(
        None, "--alignment", metavar="FILE", help="Take word alignments from a Pharaoh file."
    )
    phrase_table: str | None = option(
        None, "--phrase-table", metavar="FILE", help="Take phrase pairs from a Moses phrase table."
    )
    settings: tuple[str, ...] = set_option(*SETTINGS)


@dataclasses.dataclass(frozen=True)
class PackOptions(Options):
    """Options for the pack's folder, the folder of intermediate results, and the number of threads."""

    heading = "Output"
    example = "-l oc --bitext corpus.oc corpus.fr -o ./oc-pack"

    output: str | None = option(
        None,
        *("-o", "--output"),
        metavar="DIR",
        show_default="LANGUAGE-bitext in the folder of packs",
        help="Folder of the pack.",
    )
    threads: int | None = option(
        None,
        "--threads",
        type=click.IntRange(min=1),
        show_default="the number of processors",
        help="Number of threads.",
    )
    work: str | None = option(
        None, "--work", metavar="DIR", show_default="next to the pack", help="Folder of intermediate results."
    )
    keep_work: bool = option(False, "--keep-work", is_flag=True, help="Keep the intermediate results.")


@click.command(cls=GroupedCommand)
def build(text: TextOptions, phrases: PhraseOptions, pack: PackOptions) -> None:
    """Build a pack of function words and paraphrases from bitext in any language.

    If the build is interrupted, run the same command again to continue it.

    \b
    meteor-e pack build --language fr --bitext europarl.fr europarl.en
    meteor-e score system.txt reference.txt --language fr --set pack=fr-bitext
    """
    # NumPy and the extension module are imported only if a pack is built.
    from meteor_e.api.batches import default_threads
    from meteor_e_bitext.build import build_from_bitext
    from meteor_e_bitext.texts import language_text

    whitespace = text.tokenization == "whitespace"
    language = language_text(text.language, whitespace=whitespace, prefixes=text.prefixes)
    pivot_language = language_text(text.pivot_language, whitespace=whitespace)
    options = _parse_settings(phrases.settings, text.encoding)
    target = pack.output if pack.output is not None else PackStore().root / f"{language.code}-bitext"
    with terminal_progress(delay=0) as progress:
        new_pack = build_from_bitext(
            target,
            language,
            pivot_language,
            text.bitext,
            options=options,
            alignments=phrases.alignment,
            phrase_table=phrases.phrase_table,
            work=pack.work,
            keep_work=pack.keep_work,
            threads=default_threads(pack.threads),
            progress=progress,
            done=_print_stage,
        )
    click.echo(f"built {new_pack.name} ({new_pack.summary}) in {new_pack.path}")


def _parse_settings(settings: Sequence[str], encoding: str) -> BitextOptions:
    """Return the options of the build, given the values of ``--set`` and the encoding of the text files."""
    options, alignment, pivot = parse_fields(settings, *SETTINGS)
    complete_options: BitextOptions = dataclasses.replace(options, alignment=alignment, pivot=pivot, encoding=encoding)
    return complete_options


def _print_stage(stage: str, seconds: float, reused: bool) -> None:
    """Print how long a stage took, or report that an earlier result was reused."""
    duration = "done before" if reused else f"{seconds:.1f} s"
    # The output of click.echo() would collide with the progress bar, so print() is used.
    print(f"{stage}: {duration}", file=sys.stderr)
