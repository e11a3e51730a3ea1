"""``meteor-e stem``: METEOR's stems."""

from __future__ import annotations

import click

from meteor_e.base.errors import ConfigError
from meteor_e.cli.grouped_help import GroupedCommand
from meteor_e.cli.output import destination


@click.command(cls=GroupedCommand)
@click.argument("files", nargs=-1)
@click.option("-l", "--language", required=True, help="Language, by its ISO code.")
@click.option("--encoding", default="utf-8", help="Encoding of the files.  [default: utf-8]")
@click.option("-o", "--output", metavar="FILE", help="Write to a file.  [default: standard output]")
def stem(files: tuple[str, ...], language: str, encoding: str, output: str | None) -> None:
    """Stem every word of FILES (by default of standard input), line by line, as METEOR does.

    Lines are split on white space. The case of words is kept; the stemmers expect lower case.

    \b
    meteor-e stem -l fr text.fr
    meteor-e stem -l de < text.de > stems.de
    """
    from meteor_e.api.tokens import split_words
    from meteor_e.chains.lookup import find_language
    from meteor_e.formats.plain import read_segments
    from meteor_e.text.stemming import any_stemmer

    definition = find_language(language)
    if definition.stemmer is None:
        raise ConfigError(f"language {definition.code!r} has no stemmer")
    find = any_stemmer(definition.stemmer)
    with destination(output) as stream:
        for path in files or ("-",):
            for line in read_segments(path, encoding=encoding):
                stream.write(" ".join(map(find, split_words(line))) + "\n")
