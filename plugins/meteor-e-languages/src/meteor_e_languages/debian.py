"""Thesauri (MyThes) and dictionaries (hunspell) of Debian's packages, made into packs.

Packages are named in ``debian.json``, by version and SHA-256. Nothing of them is installed or run: their files are read
from the archive. A folder or a package of your own does as well, offline.
"""

from __future__ import annotations

import io
import itertools
import json
import lzma
import re
import tarfile
from collections.abc import Callable, Iterable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import click

from meteor_e.api import ResourceError, near_miss
from meteor_e.toolkit import (
    Ingredients,
    PackStore,
    SourceFile,
    download_url,
    find_language,
    pack_place,
    terminal_progress,
)

MIRROR = "http://deb.debian.org/debian/"
MOST_BYTES = 1 << 28
"""Bytes of a file of a package."""
MOST_FORMS = 1_500_000
"""Inflected forms that a dictionary is expanded to."""
_PATTERNS = {"mythes": r"/th_[^/]*\.dat$", "hunspell": r"/[^/]+\.(?:aff|dic)$"}


@click.command("with")
@click.argument("language")
@click.argument("kind", type=click.Choice(tuple(_PATTERNS)))
@click.option(
    "--from", "source", metavar="PATH", help="A Debian package, or a folder with its files; nothing is downloaded."
)
@click.option("--offline", is_flag=True, envvar="METEOR_E_OFFLINE", help="Never download anything.")
def with_command(language: str, kind: str, source: str | None, offline: bool) -> None:
    """Make a pack from a thesaurus (mythes) or a dictionary (hunspell).

    \b
    meteor-e pack with is mythes
    meteor-e pack with he hunspell --from hunspell-he.deb
    """
    code = find_language(language).code
    with (
        terminal_progress() as progress,
        pack_place(PackStore().root / f"{code}-{kind}", f"{code}-{kind}", progress) as place,
    ):
        path, version, licence = Path(source) if source else None, "", "as in its file copyright"
        if path is None:
            entry = _entry(code, kind)
            if offline:
                raise ResourceError(f"offline, so {entry['package']} is not downloaded; give it with --from FILE")
            path, version = download_url(MIRROR + entry["path"], place.scratch, progress), entry["version"]
            if (found := SourceFile.of(path)).sha256 != entry["sha256"]:
                raise ResourceError(f"{path.name} has the SHA-256 {found.sha256}, not {entry['sha256']}")
        found_files = dict(_files(path, _PATTERNS[kind]))
        notice = next((text for name, text in found_files.items() if name.endswith("copyright")), b"")
        made, summary = (_thesaurus if kind == "mythes" else _dictionary)(found_files, place.scratch)
        sources = [SourceFile.of(path)] if path.is_file() else []
        licence = _licence(notice) or licence
        notices = (("copyright", notice),) if notice else ()
        place.build(made._replace(licence=licence, notices=notices), code, sources, version=version or "1")
    click.echo(f"installed {code}-{kind} ({summary}); license: {licence}")


def _entry(code: str, kind: str) -> dict[str, str]:
    known: dict[str, dict[str, str]] = json.loads(files(__package__).joinpath("debian.json").read_text("utf-8"))[kind]
    if code not in known:
        raise ResourceError(
            f"Debian has no {kind} for {code!r}{near_miss(code, known)}; it has for {', '.join(sorted(known))}. "
            "Another source is given with --from PATH"
        )
    return known[code]


def _files(path: Path, pattern: str) -> Iterator[tuple[str, bytes]]:
    """Yield names and contents of the files of a package or a folder that match, and of ``copyright``."""
    wanted = re.compile(f"{pattern}|(?:^|/)copyright$")
    if path.is_dir():
        for file in sorted(path.rglob("*")):
            if wanted.search(f"/{file.name}") and file.is_file() and file.stat().st_size <= MOST_BYTES:
                yield str(file), file.read_bytes()
        return
    try:
        with tarfile.open(fileobj=io.BytesIO(_data(path))) as archive:
            for member in archive:
                if member.isfile() and member.size <= MOST_BYTES and wanted.search(f"/{member.name}"):
                    yield member.name, archive.extractfile(member).read()  # type: ignore[union-attr]
    except (OSError, tarfile.TarError, lzma.LZMAError, EOFError) as error:
        raise ResourceError(f"{path} is not a Debian package that can be read: {error}") from error


def _data(path: Path) -> bytes:
    """Return the archive of a package's files: it is a member of an ``ar`` archive."""
    with path.open("rb") as stream:
        if stream.read(8) != b"!<arch>\n":
            raise tarfile.TarError("it is no ar archive")
        while len(header := stream.read(60)) == 60:
            size = int(header[48:58])
            if size > MOST_BYTES:
                raise tarfile.TarError("a member is too large")
            content = stream.read(size + size % 2)
            if header.startswith(b"data.tar"):
                return content[:size]
    raise tarfile.TarError("it has no data.tar")


def _licence(notice: bytes) -> str:
    """Return the licenses that a file ``copyright`` names."""
    named = re.findall(r"^License:[ \t]*(\S.*)$", notice.decode("utf-8", "replace"), re.M)
    # The dictionaries of LibreOffice have one such file together.
    distinct = list(dict.fromkeys(named))
    return ", ".join(distinct) if len(distinct) <= 3 else ""


def _thesaurus(found: dict[str, bytes], scratch: Path) -> tuple[Ingredients, str]:
    """Turn a MyThes thesaurus into synsets: each meaning of an entry is one, with the entry's word."""
    synsets: dict[str, list[int]] = {}
    numbers = itertools.count(1)
    for name, content in found.items():
        if not name.endswith(".dat"):
            continue
        first, _, rest = content.partition(b"\n")
        lines = iter(rest.decode(_encoding(first, name), "replace").splitlines())
        for line in lines:
            word, bar, count = line.rpartition("|")
            if not bar or not count.strip().isdigit():
                continue
            for meaning in itertools.islice(lines, int(count)):
                others = [re.sub(r"\s*\((?:similar term)\)", "", text) for text in meaning.split("|")[1:]]
                words = {text.strip().lower() for text in (word, *others)}
                members = sorted(text for text in words if text and not re.search(r"[\s()]", text))
                if len(members) > 1:
                    number = next(numbers)
                    for member in members:
                        synsets.setdefault(member, []).append(number)
    if not synsets:
        raise ResourceError("the thesaurus has no synonyms; a package of MyThes has a file th_….dat")
    target = scratch / "synsets.txt"
    with target.open("w", encoding="utf-8", newline="\n") as stream:
        stream.writelines(f"{word}\n{' '.join(map(str, ids))}\n" for word, ids in sorted(synsets.items()))
    return Ingredients(synonyms=target), f"{len(synsets):,} words with synonyms"


def _encoding(first: bytes, name: str) -> str:
    encoding = first.strip().decode("ascii", "replace").replace("microsoft-cp", "cp").replace("ISO8859", "iso8859")
    try:
        "".encode(encoding)
    except LookupError:
        raise ResourceError(f"{name} is in the unknown encoding {encoding!r}") from None
    return encoding


def _dictionary(found: dict[str, bytes], scratch: Path) -> tuple[Ingredients, str]:
    """Expand a hunspell dictionary to a table of forms and their base words."""
    pairs = [
        (name, name[:-4] + ".dic") for name in sorted(found) if name.endswith(".aff") and name[:-4] + ".dic" in found
    ]
    if not pairs:
        raise ResourceError("there is no dictionary of two files, .aff and .dic")
    affixes, words = (found[name] for name in max(pairs, key=lambda pair: len(found[pair[1]])))
    match = re.search(rb"^(?:\xef\xbb\xbf)?SET[ \t]+(\S+)", affixes, re.M)
    encoding = _encoding(match[1] if match else b"iso8859-1", "the affix file")
    rules = Affixes(affixes.decode(encoding, "replace"))
    lemmas: dict[str, str] = {}
    for line in words.decode(encoding, "replace").splitlines()[1:]:
        base, _, flags = line.split("\t")[0].partition("/")
        for form in rules.forms(base.strip(), flags.partition(" ")[0].strip()):
            lemmas.setdefault(form.lower(), base.strip().lower())
            if len(lemmas) > MOST_FORMS:
                raise ResourceError(f"the dictionary has more than {MOST_FORMS:,} forms; it is too large for a table")
    target = scratch / "lemmas.tsv"
    with target.open("w", encoding="utf-8", newline="\n") as stream:
        stream.writelines(f"{form}\t\t{lemma}\n" for form, lemma in sorted(lemmas.items()) if form != lemma)
    return Ingredients(copies=((TABLE, target),)), f"{sum(a != b for a, b in lemmas.items()):,} forms"


TABLE = "lemmas.tsv"
"""The table of forms in a pack that is made from a dictionary."""


class Affixes:
    """The prefixes and suffixes of a hunspell dictionary, one of each at most on a word."""

    def __init__(self, text: str) -> None:
        self._rules: dict[str, list[tuple[bool, bool, str, str, Callable[[str], Any]]]] = {}
        self._aliases: list[str] = []
        self._mode = (re.findall(r"^FLAG[ \t]+(\S+)", text, re.M) or ["char"])[0].lower()
        cross: dict[tuple[str, str], bool] = {}
        for line in text.splitlines():
            parts = line.split()
            if parts[:1] == ["AF"] and len(parts) > 1:
                self._aliases.append(parts[1])
            if len(parts) < 4 or parts[0] not in ("SFX", "PFX"):
                continue
            kind, flag, strip, add = parts[:4]
            if (kind, flag) not in cross:
                cross[kind, flag] = strip == "Y"
                continue
            condition = parts[4] if len(parts) > 4 else "."
            try:
                pattern = re.compile(f"(?:{condition})$" if kind == "SFX" else f"(?:{condition})")
            except re.error:
                continue
            rule = (
                kind == "SFX",
                cross[kind, flag],
                "" if strip == "0" else strip,
                add.partition("/")[0],
                pattern.search,
            )
            if kind == "PFX":
                rule = (*rule[:4], pattern.match)
            self._rules.setdefault(flag, []).append(rule)

    def flags(self, text: str) -> Iterable[str]:
        """Return the flags of a word."""
        if self._aliases and text.isdigit() and int(text) < len(self._aliases):
            text = self._aliases[int(text)]  # the first line of aliases is their number
        if self._mode == "long":
            return [text[at : at + 2] for at in range(0, len(text), 2)]
        return text.split(",") if self._mode == "num" else text

    def forms(self, base: str, flags: str) -> Iterator[str]:
        """Yield the word and its forms."""
        yield base
        rules = [rule for flag in self.flags(flags) for rule in self._rules.get(flag, ())]
        stems = [base]
        for suffix, cross, strip, add, fits in rules:
            if suffix and base.endswith(strip) and fits(base):
                form = base[: len(base) - len(strip)] + ("" if add == "0" else add)
                yield form
                if cross:
                    stems.append(form)
        for suffix, cross, strip, add, fits in rules:
            for stem in () if suffix else stems if cross else stems[:1]:
                if stem.startswith(strip) and fits(stem):
                    yield ("" if add == "0" else add) + stem[len(strip) :]
