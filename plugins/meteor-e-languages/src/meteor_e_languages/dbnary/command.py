"""``meteor-e dbnary``: synsets from DBnary."""

from __future__ import annotations

from pathlib import Path

import click

from meteor_e.base.offline import is_offline
from meteor_e.base.progress import terminal_progress
from meteor_e.chains.chain import find_language
from meteor_e.cli.commands import FullHelpGroup


@click.group(cls=FullHelpGroup)
def dbnary() -> None:
    """Make packs of synsets from DBnary, the Wiktionaries as linked data."""


@dbnary.command()
@click.argument("language", metavar="CODE")
@click.option(
    "--dump",
    "dumps",
    metavar="FILE",
    multiple=True,
    help="A dump that you have (fr_dbnary_ontolex.ttl.bz2), instead of a download; may be repeated.",
)
@click.option(
    "--endpoint", "url", metavar="URL", help="A SPARQL endpoint to ask instead, such as http://kaiko.getalp.org/sparql."
)
@click.option("--approximate", is_flag=True, help="Count approximate synonyms, too.")
def install(language: str, dumps: tuple[str, ...], url: str | None, approximate: bool) -> None:
    """Make the pack that the matcher 'dbnary' reads from DBnary's newest dump, which is downloaded.

    \b
    meteor-e dbnary install fr
    meteor-e dbnary install fr --dump fr_dbnary_ontolex.ttl.bz2
    meteor-e dbnary install fr --endpoint http://kaiko.getalp.org/sparql
    """
    from meteor_e_languages.dbnary.extraction import install_synsets

    found = find_language(language)
    with terminal_progress() as progress:
        paths = [Path(dump) for dump in dumps]
        pack, pairs = install_synsets(
            found, paths, url=url, offline=is_offline(), approximate=approximate, progress=progress
        )
    click.echo(f"made {pack.name} ({pack.manifest.contents['synonyms']:,} words, {pairs:,} synonyms) in {pack.path}")
