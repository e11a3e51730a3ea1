"""Packs of thesauri, wordnets, dictionaries and frequent words: ``meteor-e pack install LANGUAGE --with KIND``.

``packages.json`` names what is downloaded, by version and SHA-256: Debian's packages of MyThes thesauri and hunspell
dictionaries, and the Open Multilingual Wordnet as nltk's data has it. Nothing of them is installed or run: their files
are read from the archive. A folder or an archive of your own does as well, offline. Frequent words come from wordfreq.
"""

from __future__ import annotations

import functools
import io
import json
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import IO, Any, NamedTuple

import click

from meteor_e.api import Language, ResourceError
from meteor_e.base.errors import near_miss
from meteor_e.base.progress import terminal_progress
from meteor_e.chains.lookup import find_language
from meteor_e.packs.build import Ingredients, pack_place
from meteor_e.packs.download import download_url
from meteor_e.packs.manifest import SourceFile
from meteor_e.packs.store import PackStore
from meteor_e_languages import affixes, thesauri
from meteor_e_languages.thesauri import MOST_BYTES
from meteor_e_languages.words import frequency_lists

MIRROR = "http://deb.debian.org/debian/"
OFTEN = 1e-3
"""Relative frequency from which METEOR's authors count a word as a function word (Denkowski and Lavie, 2014)."""

Files = dict[str, bytes]
"""Contents of files by their names."""


class _Kind(NamedTuple):
    """What is read from a package, and what makes a pack's ingredients of it."""

    pattern: str
    make: Callable[[Files, Path, Language], tuple[Ingredients, str]]


def _wordnet(found: Files, scratch: Path, language: Language) -> tuple[Ingredients, str]:
    import langcodes

    codes: dict[str, str] = _known()["omw"]["files"]
    code = codes.get(language.code) or langcodes.Language.get(language.code).to_alpha3()
    return thesauri.wordnet(found, scratch, code)


_KINDS = {
    "mythes": _Kind(r"/th(?:es)?_[^/]*\.dat$", lambda found, scratch, _: thesauri.mythes(found, scratch)),
    "omw": _Kind(r"/wn-(?:data|wikt)-[a-z]+\.tab(?:\.gz)?$|/[^/]+\.xml$", _wordnet),
    "hunspell": _Kind(r"/[^/]+\.(?:aff|dic)$", lambda found, scratch, _: affixes.ingredients(found, scratch)),
}


@click.command("with")
@click.argument("language")
@click.argument("kind", type=click.Choice((*_KINDS, "wordfreq")))
@click.option("--from", "source", metavar="PATH|URL", help="A package, an archive, or a folder of files or packages.")
@click.option("--offline", is_flag=True, envvar="METEOR_E_OFFLINE", help="Never download anything.")
def with_command(language: str, kind: str, source: str | None, offline: bool) -> None:
    """Make a pack from a thesaurus (mythes), a wordnet (omw), a dictionary (hunspell) or frequent words (wordfreq).

    \b
    meteor-e pack with is mythes
    meteor-e pack with he hunspell --from hunspell-he.deb
    """
    found = find_language(language)
    code = found.code
    with (
        terminal_progress() as progress,
        pack_place(PackStore().root / f"{code}-{kind}", f"{code}-{kind}", progress) as place,
    ):
        path, version = None, "1"
        if kind == "wordfreq":
            made, summary, version = _frequent_words(code)
        else:
            entry = {} if source else _entry(code, kind)
            url = str(source if source else entry["path"])
            path = Path(url)
            if url.startswith(("http://", "https://")):
                if offline:
                    raise ResourceError(
                        f"offline, so {entry.get('package', url)} is not downloaded; give it with --from FILE"
                    )
                path = download_url(url, place.scratch, progress)
            elif path.is_dir() and code in installable(kind):
                # A folder of packages, as somebody downloaded them: the one that is known by name.
                known = _entry(code, kind)
                package = path / known["path"].rpartition("/")[2]
                path, entry = (package, known) if package.is_file() else (path, entry)
            if entry:
                version = entry["version"]
                if (digest := SourceFile.of(path).sha256) != entry["sha256"]:
                    raise ResourceError(f"{path.name} has the SHA-256 {digest}, not {entry['sha256']}")
            made, summary = _read(path, _KINDS[kind], place.scratch, found)
        sources = [SourceFile.of(path)] if path is not None and path.is_file() else []
        place.build(made, code, sources, version=version)
    click.echo(f"installed {code}-{kind} ({summary}); license: {made.licence}")


def _read(path: Path, kind: _Kind, scratch: Path, language: Language) -> tuple[Ingredients, str]:
    found = dict(_files(path, kind.pattern))
    notice = next((text for name, text in sorted(found.items()) if name.endswith("copyright")), b"")
    made, summary = kind.make(found, scratch, language)
    licence = made.licence or _licence(notice, language.code) or "as in its file copyright"
    notices = (("copyright", notice),) if notice else ()
    return made._replace(licence=licence, notices=notices), summary


@functools.cache
def _known() -> dict[str, Any]:
    known: dict[str, Any] = json.loads(files(__package__).joinpath("packages.json").read_text("utf-8"))
    return known


def installable(kind: str) -> frozenset[str]:
    """Return the codes of the languages for which ``--with KIND`` knows a package by name."""
    if kind == "wordfreq":
        return frozenset(frequency_lists())
    return frozenset(_known()["omw"]["files"] if kind == "omw" else _known()[kind])


def _entry(code: str, kind: str) -> dict[str, str]:
    """Return version, digest and URL of what is downloaded."""
    known = installable(kind)
    if code not in known:
        raise ResourceError(
            f"no {kind} is known for {code!r}{near_miss(code, known)}; there is one for {', '.join(sorted(known))}. "
            "Another source is given with --from PATH"
        )
    entry: dict[str, str] = _known()["omw"]["archive"] if kind == "omw" else _known()[kind][code]
    return {**entry, "path": entry["path"] if kind == "omw" else MIRROR + entry["path"]}


def _files(path: Path, pattern: str) -> Iterator[tuple[str, bytes]]:
    """Yield names and contents of the files of an archive or a folder that match, and of ``copyright``."""
    wanted = re.compile(f"{pattern}|(?:^|/)copyright$")
    if path.is_dir():
        for file in sorted(path.rglob("*")):
            if wanted.search(f"/{file.name}") and file.is_file() and file.stat().st_size <= MOST_BYTES:
                yield str(file), file.read_bytes()
        return
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                for entry in archive.infolist():
                    if entry.file_size <= MOST_BYTES and wanted.search(f"/{entry.filename}"):
                        yield entry.filename, archive.read(entry)
            return
        with _data(path) as data, tarfile.open(fileobj=data) as tar:
            for member in tar:
                if member.isfile() and member.size <= MOST_BYTES and wanted.search(f"/{member.name}"):
                    yield member.name, tar.extractfile(member).read()  # type: ignore[union-attr]
    except (OSError, tarfile.TarError, zipfile.BadZipFile, lzma.LZMAError, zlib.error, EOFError) as error:
        raise ResourceError(f"{path} is no package, archive or folder that can be read: {error}") from error


def _data(path: Path) -> IO[bytes]:
    """Return a tar archive, that of a Debian package's files: there it is a member of an ``ar`` archive."""
    stream = path.open("rb")
    if stream.read(8) != b"!<arch>\n":
        stream.seek(0)
        return stream
    with stream:
        while len(header := stream.read(60)) == 60:
            size = int(header[48:58])
            if size > MOST_BYTES:
                raise tarfile.TarError("a member is too large")
            content = stream.read(size + size % 2)
            if header.startswith(b"data.tar"):
                return io.BytesIO(content[:size])
    raise tarfile.TarError("it has no data.tar")


def _licence(notice: bytes, code: str) -> str:
    """Return the licenses that a file ``copyright`` names: of the language's folder, else all, if these are few."""
    named: dict[str, str] = {}
    for paragraph in re.split(r"\n\s*\n", notice.decode("utf-8", "replace")):
        licence = re.search(r"^License:[ \t]*(\S.*)$", paragraph, re.M)
        if licence:
            place = re.search(r"^Files:[ \t]*dictionaries/([a-z]+)", paragraph, re.M)
            named.setdefault(place[1] if place else licence[1], licence[1])
    # The dictionaries of LibreOffice have one such file together.
    distinct = [named[code]] if code in named else list(dict.fromkeys(named.values()))
    return ", ".join(distinct) if len(distinct) <= 3 else ""


def _frequent_words(code: str) -> tuple[Ingredients, str, str]:
    """Return the words that are a thousandth of a language's text or more, as METEOR's function words are."""
    from importlib.metadata import version

    known = frequency_lists()
    if code not in known:
        raise ResourceError(
            f"wordfreq has no list for {code!r}{near_miss(code, known)}; it has lists for {', '.join(sorted(known))}"
        )
    import wordfreq

    frequencies = wordfreq.get_frequency_dict(known[code], "best")
    words = sorted(word for word, share in frequencies.items() if share >= OFTEN and word[0].isalpha())
    made = Ingredients(function_words="".join(f"{word}\n" for word in words).encode(), licence="CC-BY-SA-4.0")
    return made, f"{len(words)} function words", version("wordfreq")
