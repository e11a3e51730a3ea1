"""Define the command ``meteor-e dbnary``, which builds packs of synsets from DBnary."""

from __future__ import annotations

from pathlib import Path

import click

from meteor_e.base.offline import is_offline
from meteor_e.base.progress import terminal_progress
from meteor_e.chains.chain import find_language
from meteor_e.cli.commands import FullHelpGroup


@click.group(cls=FullHelpGroup)
def dbnary() -> None:
    """Build packs of synsets from DBnary, an extract of the Wiktionaries as linked data."""


@dbnary.command()
@click.argument("language", metavar="CODE")
@click.option(
    "--dump",
    "dumps",
    metavar="FILE",
    multiple=True,
    help="Local dump (fr_dbnary_ontolex.ttl.bz2), instead of a download. The option can be repeated.",
)
@click.option(
    "--endpoint",
    "url",
    metavar="URL",
    help="SPARQL endpoint, instead of a dump, such as http://kaiko.getalp.org/sparql.",
)
@click.option("--approximate", is_flag=True, help="Include approximate synonyms.")
def install(language: str, dumps: tuple[str, ...], url: str | None, approximate: bool) -> None:
    """Build the synonyms of the matcher 'dbnary' from DBnary. By default, the latest dump is downloaded.

    \b
    meteor-e dbnary install fr
    meteor-e dbnary install fr --dump fr_dbnary_ontolex.ttl.bz2
    meteor-e dbnary install fr --endpoint http://kaiko.getalp.org/sparql
    """
    from meteor_e_languages.dbnary.extraction import install_synsets

    dump_paths = [Path(dump) for dump in dumps]
    with terminal_progress() as progress:
        pack, pair_count = install_synsets(
            find_language(language),
            dump_paths,
            url=url,
            offline=is_offline(),
            approximate=approximate,
            progress=progress,
        )
    word_count = pack.manifest.contents["synonyms"]
    click.echo(f"made {pack.name} ({word_count:,} words, {pair_count:,} synonyms) in {pack.path}")
