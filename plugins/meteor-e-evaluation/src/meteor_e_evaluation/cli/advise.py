"""``meteor-e advise``: which metrics have evidence for a language and a purpose."""

from __future__ import annotations

import json

import click

from meteor_e.cli.grouped_help import GroupedCommand, OptionGroup
from meteor_e.render.plain import format_table

GROUPS = {
    "Texts": OptionGroup(("language", "purpose", "words", "references"), "-l de --purpose rating"),
    "Output": OptionGroup(("as_json",), "--purpose captions --json"),
}
"""The groups of the help text."""


@click.command(cls=GroupedCommand, groups=GROUPS)
@click.argument("texts", required=False, metavar="[FILE]")
@click.option("-l", "--language", default="en", metavar="CODE", help="Language of the texts.  [default: en]")
@click.option(
    "--purpose",
    type=click.Choice(["ranking", "rating", "captions", "reward"]),
    default="rating",
    help="ranking orders outputs of one segment; rating scores segments; reward chooses outputs, so that no error may "
    "go unnoticed.  [default: rating]",
)
@click.option("--words", type=click.FloatRange(min=1), help="Words per text.  [default: counted in FILE]")
@click.option(
    "--references", type=click.IntRange(min=1), default=1, metavar="N", help="References per segment.  [default: 1]"
)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def advise(texts: str | None, language: str, purpose: str, words: float | None, references: int, as_json: bool) -> None:
    r"""Say which metrics have evidence, and which have none.

    The figures are those of the atlas: agreement with people on sets of the language and the purpose, METEOR's beside
    them, and the share of errors that the stress test of English found noticed. FILE is a reference, whose length
    counts.

    \b
    meteor-e advise -l de --purpose rating
    meteor-e advise reference.txt --purpose captions --references 5
    """
    from meteor_e.chains.lookup import find_language
    from meteor_e.metrics.evidence import advice_table
    from meteor_e.metrics.evidence import advise as find
    from meteor_e_evaluation.data import read_texts

    if texts is not None and words is None:
        counted = [len(text.split()) for text in read_texts(texts, "reference")]
        words = sum(counted) / max(1, len(counted))
    language = find_language(language).code
    found = find(language, purpose, words, references)
    if as_json:
        click.echo(json.dumps([vars(each) for each in found], ensure_ascii=False, indent=1))
        return
    header, rows, without = advice_table(found)
    if rows:
        click.echo(format_table(header, rows))
    else:
        click.echo(f"No metric was measured for {language} and the purpose {purpose}.")
    if without:
        click.echo(without)
