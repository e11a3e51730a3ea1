"""Build packs of synonyms from the Open Multilingual Wordnet 1.4 for languages without METEOR's data.

The command ``meteor-e pack install CODE`` uses this module. The archive is downloaded from nltk's data collection, and
the SHA-256 digest of the archive is verified. A local file can be used instead.
"""

from __future__ import annotations

from pathlib import Path

import click

from meteor_e.api import ResourceError
from meteor_e.base.errors import near_miss
from meteor_e.base.offline import is_offline
from meteor_e.base.progress import Progress, terminal_progress
from meteor_e.chains.chain import find_language
from meteor_e.packs.build import open_builder
from meteor_e.packs.download import download_url
from meteor_e.packs.pack import SourceFile
from meteor_e.packs.store import PackStore
from meteor_e_languages.thesauri import convert_wordnet

ARCHIVE = (
    "https://raw.githubusercontent.com/nltk/nltk_data/550b6625bcef1f2abff2ff770a5a0d272c9c6b2a"
    "/packages/corpora/omw-1.4.zip"
)
ARCHIVE_SHA256 = "3b941e664852f3297b6040236626065796a2aaf7d7f9eec8779a3beaa1096c2d"
WORDNETS = {
    **{"ar": "arb", "bg": "bul", "ca": "cat", "da": "dan", "el": "ell", "eu": "eus", "fi": "fin"},
    **{"gl": "glg", "he": "heb", "hr": "hrv", "id": "ind", "is": "isl", "it": "ita", "ja": "jpn"},
    **{"lt": "lit", "ms": "zsm", "nl": "nld", "no": "nob", "pl": "pol", "pt": "por", "ro": "ron", "sk": "slk"},
    **{"sl": "slv", "sq": "als", "sv": "swe", "th": "tha", "zh": "cmn"},
}
"""The languages without METEOR's data that have a wordnet in the archive, and the codes of the wordnets."""


@click.command("synonyms", hidden=True)
@click.argument("language")
@click.option("--from", "source", metavar="PATH|URL", help="File or address of omw-1.4.zip, or of a .tab file.")
def synonyms_command(language: str, source: str | None) -> None:
    """Build the synonym pack CODE-omw.

    `meteor-e pack install CODE` runs this command if METEOR does not provide data for the language.
    """
    code = find_language(language).code
    if code not in WORDNETS:
        raise ResourceError(_describe_missing_wordnet(code, language))
    name = f"{code}-omw"
    with terminal_progress() as progress, open_builder(PackStore().root / name, name, progress) as builder:
        path = _get_file(source or ARCHIVE, code, builder.temporary_folder, progress)
        source_file = SourceFile.from_path(path)
        if source is None and source_file.sha256 != ARCHIVE_SHA256:
            raise ResourceError(f"{source_file.name} has the SHA-256 {source_file.sha256}, not {ARCHIVE_SHA256}")
        ingredients, word_count = convert_wordnet(path, WORDNETS[code], builder.temporary_folder)
        version = "1.4" if source_file.sha256 == ARCHIVE_SHA256 else "1"
        builder.build(ingredients, code, [source_file], version=version)
    click.echo(f"installed {name} ({word_count:,} words with synonyms); license: {ingredients.licence}")
    click.echo(f"score with: -l {code} --set pack={name} -m exact,synonym")


def _describe_missing_wordnet(code: str, language: str) -> str:
    """Return the error message for a language whose wordnet is not in the archive."""
    return (
        f"there is no pack to install for {code!r}{near_miss(language, WORDNETS)}; METEOR's data or a wordnet is "
        f"available for cs, de, en, es, fr, ru, {', '.join(sorted(WORDNETS))}. `meteor-e languages {code}` shows "
        "what the language has without a pack; `meteor-e pack build` builds a pack from bitext"
    )


def _get_file(source: str, code: str, folder: Path, progress: Progress) -> Path:
    """Return the path of a local file. If the source is a URL, the file is downloaded first."""
    if not source.startswith(("http://", "https://")):
        return Path(source)
    if is_offline():
        raise ResourceError(
            f"offline, so {source} is not downloaded; run: meteor-e pack install {code} --from omw-1.4.zip"
        )
    return download_url(source, folder, progress)
