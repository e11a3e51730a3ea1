"""``meteor-e pack install CODE`` of a language without METEOR's data: synonyms of the Open Multilingual Wordnet 1.4.

The archive that nltk's data has is downloaded, by its SHA-256, and read without being unpacked. A file of your own does
as well, offline.
"""

from __future__ import annotations

from pathlib import Path

import click

from meteor_e.api import ResourceError
from meteor_e.base.errors import near_miss
from meteor_e.base.offline import is_offline
from meteor_e.base.progress import terminal_progress
from meteor_e.chains.chain import find_language
from meteor_e.packs.build import open_builder
from meteor_e.packs.download import download_url
from meteor_e.packs.pack import SourceFile
from meteor_e.packs.store import PackStore
from meteor_e_languages.thesauri import wordnet

ARCHIVE = (
    "https://raw.githubusercontent.com/nltk/nltk_data/550b6625bcef1f2abff2ff770a5a0d272c9c6b2a"
    "/packages/corpora/omw-1.4.zip"
)
SHA256 = "3b941e664852f3297b6040236626065796a2aaf7d7f9eec8779a3beaa1096c2d"
WORDNETS = {
    **{"ar": "arb", "bg": "bul", "ca": "cat", "da": "dan", "el": "ell", "eu": "eus", "fi": "fin"},
    **{"gl": "glg", "he": "heb", "hr": "hrv", "id": "ind", "is": "isl", "it": "ita", "ja": "jpn"},
    **{"lt": "lit", "ms": "zsm", "nl": "nld", "no": "nob", "pl": "pol", "pt": "por", "ro": "ron", "sk": "slk"},
    **{"sl": "slv", "sq": "als", "sv": "swe", "th": "tha", "zh": "cmn"},
}
"""Languages without METEOR's data that the archive has a wordnet of, and its codes of them."""


@click.command("synonyms", hidden=True)
@click.argument("language")
@click.option("--from", "source", metavar="PATH|URL", help="omw-1.4.zip, or a .tab file.")
def synonyms_command(language: str, source: str | None) -> None:
    """Make the pack CODE-omw. `meteor-e pack install CODE` does this where METEOR has no data."""
    code = find_language(language).code
    if code not in WORDNETS:
        raise ResourceError(
            f"nothing is known to install for {code!r}{near_miss(language, WORDNETS)}; METEOR's data or a wordnet can "
            f"be had for cs, de, en, es, fr, ru, {', '.join(sorted(WORDNETS))}. `meteor-e languages {code}` says what "
            "the language has without a pack; `meteor-e pack build` makes one from bitext"
        )
    name, url = f"{code}-omw", source or ARCHIVE
    with terminal_progress() as progress, open_builder(PackStore().root / name, name, progress) as builder:
        path = Path(url)
        if url.startswith(("http://", "https://")):
            if is_offline():
                raise ResourceError(
                    f"offline, so {url} is not downloaded; run: meteor-e pack install {code} --from omw-1.4.zip"
                )
            path = download_url(url, builder.temporary_folder, progress)
        file = SourceFile.from_path(path)
        if source is None and file.sha256 != SHA256:
            raise ResourceError(f"{path.name} has the SHA-256 {file.sha256}, not {SHA256}")
        made, words = wordnet(path, WORDNETS[code], builder.temporary_folder)
        builder.build(made, code, [file], version="1.4" if file.sha256 == SHA256 else "1")
    click.echo(f"installed {name} ({words:,} words with synonyms); license: {made.licence}")
    click.echo(f"score with: -l {code} --set pack={name} -m exact,synonym")
