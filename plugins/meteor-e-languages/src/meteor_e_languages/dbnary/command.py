"""``meteor-e dbnary``: synsets from DBnary."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from meteor_e import ConfigError, ResourceError
from meteor_e.base.offline import is_offline
from meteor_e.base.progress import terminal_progress
from meteor_e.chains.lookup import find_language
from meteor_e.cli.grouped_help import FullHelpGroup, GroupedCommand, OptionGroup
from meteor_e.cli.settings import parse_fields, set_option
from meteor_e_languages.dbnary.sparql import Patience

if TYPE_CHECKING:
    from meteor_e_languages.dbnary.extraction import Extraction


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
@click.option("--url", metavar="URL", help="Where the dump is.  [default: the newest of DBnary's own]")
@click.option("--approximate", is_flag=True, help="Count approximate synonyms, too.")
def install(language: str, dumps: tuple[str, ...], url: str | None, approximate: bool) -> None:
    """Make the pack that the matcher 'dbnary' reads from DBnary's dump, which is downloaded.

    \b
    meteor-e dbnary install fr
    meteor-e dbnary install fr --dump fr_dbnary_ontolex.ttl.bz2
    """
    from meteor_e_languages.dbnary.extraction import install_dump

    if dumps and url is not None:
        raise ConfigError("--dump and --url cannot be given together; choose one source")
    found = find_language(language)
    with terminal_progress() as progress:
        result = install_dump(found, dumps, url=url, offline=is_offline(), approximate=approximate, progress=progress)
    _tell(result)


GROUPS = {
    "Source": OptionGroup(
        ("language", "dumps", "synsets", "edition", "approximate"), "-l fr --dump fr_dbnary_ontolex.ttl.bz2"
    ),
    "Endpoint": OptionGroup(("endpoint", "page", "settings", "restart"), "-l fr --set timeout=300 --set retries=20"),
    "Output": OptionGroup(("name", "write_synsets"), "-l fr --name my-synsets"),
}
"""The groups of the help text."""


@dbnary.command(cls=GroupedCommand, groups=GROUPS)
@click.option("-l", "--language", required=True, metavar="CODE", help="Language, such as fr.")
@click.option(
    "--endpoint", metavar="URL", help="SPARQL endpoint. Default: DBnary's own, http://kaiko.getalp.org/sparql."
)
@click.option(
    "--dump",
    "dumps",
    metavar="FILE",
    multiple=True,
    help="Turtle dump, plain or packed (fr_dbnary_ontolex.ttl.bz2), instead of an endpoint; may be repeated.",
)
@click.option("--synsets", metavar="FILE", help="Synset file of METEOR-E (french.synsets), plain or gzipped.")
@click.option("--approximate", is_flag=True, help="Count approximate synonyms, too.")
@click.option("--edition", metavar="CODE", help="DBnary's code of the language, such as fra, if it is not known here.")
@click.option("--name", metavar="PACK", help="The pack's name. Default: dbnary-CODE, where the matcher looks.")
@click.option("--write-synsets", metavar="FILE", help="Write the synsets to a file, too, in METEOR-E's format.")
@click.option(
    "--page", type=click.IntRange(1, 1_000_000), default=10_000, show_default=True, help="Rows to ask an endpoint for."
)
@set_option(Patience)
@click.option("--restart", is_flag=True, help="Forget what an interrupted extraction has left.")
def extract(
    language: str,
    endpoint: str | None,
    dumps: tuple[str, ...],
    synsets: str | None,
    approximate: bool,
    edition: str | None,
    name: str | None,
    write_synsets: str | None,
    page: int,
    settings: tuple[str, ...],
    restart: bool,
) -> None:
    """Make the pack of synsets that the matcher 'dbnary' reads.

    From a SPARQL endpoint, a dump (--dump), or a file of METEOR-E (--synsets). What an endpoint has sent is kept if
    the command is interrupted; the same command goes on from there.

    \b
    meteor-e dbnary extract -l fr
    meteor-e dbnary extract -l fr --dump fr_dbnary_ontolex.ttl.bz2
    """
    from meteor_e_languages.dbnary.endpoint import DEFAULT_ENDPOINT
    from meteor_e_languages.dbnary.extraction import extract_from_dumps, extract_from_endpoint, pack_synset_file
    from meteor_e_languages.dbnary.sparql import WITHOUT_NETWORK

    given = [option for option, value in (("--endpoint", endpoint), ("--dump", dumps), ("--synsets", synsets)) if value]
    if len(given) > 1:
        raise ConfigError(f"{' and '.join(given)} cannot be given together; choose one source")
    if is_offline() and not dumps and synsets is None:
        raise ResourceError(f"offline, so no SPARQL endpoint is asked; {WITHOUT_NETWORK}")
    found = find_language(language)
    with terminal_progress() as progress:
        if synsets is not None:
            if approximate or edition or write_synsets:
                raise ConfigError("a synset file is packed as it is: --synsets takes no option but --name")
            result = pack_synset_file(found, synsets, name=name, progress=progress)
        elif dumps:
            result = extract_from_dumps(
                found,
                dumps,
                approximate=approximate,
                edition=edition,
                name=name,
                synsets=write_synsets,
                progress=progress,
            )
        else:
            result = extract_from_endpoint(
                found,
                endpoint or DEFAULT_ENDPOINT,
                approximate=approximate,
                edition=edition,
                name=name,
                page=page,
                patience=parse_fields(settings, Patience)[0],
                restart=restart,
                synsets=write_synsets,
                progress=progress,
            )
    _tell(result)


def _tell(result: Extraction) -> None:
    """Say what was made."""
    for remark in result.remarks:
        click.echo(f"meteor-e: warning: {remark}", err=True)
    pairs = f", {result.pairs:,} pair{'s' * (result.pairs != 1)} of synonyms" if result.pairs else ""
    pack = result.pack
    click.echo(f"made {pack.name} ({pack.manifest.contents['synonyms']:,} words{pairs}) in {pack.path}")
