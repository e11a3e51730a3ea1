"""From DBnary to a pack of synsets: read a source, number the vocabulary, write synsets, build the pack."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from meteor_e import InputError, ResourceError
from meteor_e.api import Language
from meteor_e.base.files import atomic_writer, locked, scratch_folder
from meteor_e.base.progress import Progress, silent
from meteor_e.packs.build import build_pack
from meteor_e.packs.download import download_url
from meteor_e.packs.manifest import SourceFile, check_name
from meteor_e.packs.pack import Pack
from meteor_e.packs.store import PackStore
from meteor_e_languages.dbnary import dump, endpoint
from meteor_e_languages.dbnary.harvest import Harvest
from meteor_e_languages.dbnary.model import APPROXIMATE_SYNONYM, LICENCE, SYNONYM, find_edition, synset_word, word_maker
from meteor_e_languages.dbnary.sparql import Endpoint, Patience
from meteor_e_languages.dbnary.synsets import PathLike, pack_name

DUMP_URL = "http://kaiko.getalp.org/static/ontolex/latest/{code}_dbnary_ontolex.ttl.bz2"
"""Where DBnary offers its newest dumps, by the language's two letters."""


class Extraction(NamedTuple):
    """What came of an extraction.

    Attributes:
        pack: the pack, in the store.
        pairs: different pairs of a word and its synonym; 0 if they were not counted.
        remarks: what the user has to know, a sentence each.
    """

    pack: Pack
    pairs: int
    remarks: Sequence[str] = ()


def extract_from_endpoint(
    language: Language,
    url: str = endpoint.DEFAULT_ENDPOINT,
    *,
    approximate: bool = False,
    edition: str | None = None,
    name: str | None = None,
    page: int = endpoint.PAGE,
    patience: Patience | None = None,
    restart: bool = False,
    synsets: PathLike | None = None,
    progress: Progress = silent,
) -> Extraction:
    """Make a pack of synsets from a SPARQL endpoint.

    What has arrived is kept if this is interrupted, and the next call with the same arguments goes on from there.

    Args:
        language: the language.
        url: the endpoint's address.
        approximate: count approximate synonyms, too.
        edition: DBnary's code of the language, if it is not the one that is known here.
        name: the pack's name; by default ``dbnary-`` and the language's code.
        page: rows to ask for at once.
        patience: how long to go on when the endpoint fails.
        restart: forget what an interrupted extraction has left.
        synsets: write the synsets to this file, too, in METEOR-E's format.
        progress: told how far it is.

    Raises:
        ConfigError: if DBnary does not have the language.
        ResourceError: if the endpoint fails to the end, there are no synonyms, or the pack cannot be written.
    """
    found = find_edition(language, edition)
    kinds = _kinds(approximate)
    remote = Endpoint(url, patience, progress)
    target = _target(language, name)
    subject = {"endpoint": url, "edition": found.code, "language": language.code, "kinds": kinds}
    with _work_file(target, "extraction", subject, progress, restart=restart) as harvest:
        remarks = endpoint.extract(harvest, remote, found, kinds, page=page, progress=progress)
        content = _synset_text(harvest, language)
        version = datetime.now(timezone.utc).strftime("%Y-%m-%d")
        source = SourceFile(url, hashlib.sha256(content.text.encode()).hexdigest())
        pack = _build(target, language, content, [source], version, synsets, progress)
        harvest.remove()
    return Extraction(pack, content.pairs, remarks)


def extract_from_dumps(
    language: Language,
    dumps: Sequence[PathLike],
    *,
    approximate: bool = False,
    edition: str | None = None,
    name: str | None = None,
    synsets: PathLike | None = None,
    progress: Progress = silent,
) -> Extraction:
    """Make a pack of synsets from Turtle dumps, plain or packed, as DBnary publishes them.

    They are read as streams, into a file beside the packs that takes about half of their unpacked size while it is
    there; memory does not grow with them.

    Args:
        language: the language.
        dumps: the files: one, or the parts of one edition.
        approximate, edition, name, synsets, progress: as for :func:`extract_from_endpoint`.

    Raises:
        ConfigError: if DBnary does not have the language.
        InputError: if a dump cannot be read or is not well-formed, with the line.
        ResourceError: if there are no synonyms in it, or the pack cannot be written.
    """
    found = find_edition(language, edition)
    kinds = _kinds(approximate)
    target = _target(language, name)
    paths = [Path(path) for path in dumps]
    with _work_file(target, "dump", {"dumps": list(map(str, paths))}, progress, restart=True) as harvest:
        try:
            sources = [SourceFile(path.name, dump.extract(harvest, path, found, kinds, progress)) for path in paths]
            progress("finding words", 0, None)
            harvest.derive_words()
            content = _synset_text(harvest, language)
        finally:
            harvest.remove()
        dates = [match[1] for path in paths if (match := _DATE.search(path.name))]
        version = max(dates) if dates else sources[0].sha256[:8]
        pack = _build(target, language, content, sources, version, synsets, progress)
    return Extraction(pack, content.pairs)


def install_dump(
    language: Language,
    dumps: Sequence[PathLike] = (),
    *,
    url: str | None = None,
    offline: bool = False,
    approximate: bool = False,
    progress: Progress = silent,
) -> Extraction:
    """Make a language's pack of synsets from a dump, which is downloaded unless there are some.

    Args:
        language: the language.
        dumps: dumps that are there.
        url: where the dump is; by default the newest that DBnary offers.
        offline: never download anything.
        approximate, progress: as for :func:`extract_from_endpoint`.

    Raises:
        ConfigError: if DBnary does not have the language.
        InputError: if a dump of ``dumps`` cannot be read or is not well-formed, with the line.
        ResourceError: if it cannot be downloaded or is no dump then, there are no synonyms in it, or the pack cannot
            be written.
    """
    find_edition(language)
    if dumps:
        return extract_from_dumps(language, dumps, approximate=approximate, progress=progress)
    address = url or DUMP_URL.format(code=language.code)
    otherwise = (
        f"get {address.rpartition('/')[2]} elsewhere, and name it: "
        f"`meteor-e dbnary install {language.code} --dump FILE`"
    )
    if offline:
        raise ResourceError(f"offline, so {address} is not downloaded; {otherwise}")
    with scratch_folder(PackStore().root, "dbnary") as place:
        try:
            path = download_url(address, place, progress)
        except ResourceError as error:
            raise ResourceError(f"{error}; {otherwise}") from error
        try:
            return extract_from_dumps(language, [path], approximate=approximate, progress=progress)
        except InputError as error:
            raise ResourceError(f"what {address} sent is no dump: {error}; {otherwise}") from error


def pack_synset_file(
    language: Language, path: PathLike, *, name: str | None = None, progress: Progress = silent
) -> Extraction:
    """Make a pack of a synset file of METEOR-E, plain or gzipped, as it is.

    Args:
        language: the language.
        path: the file.
        name: the pack's name; by default ``dbnary-`` and the language's code.
        progress: told how far it is.

    Raises:
        ResourceError: if the file cannot be read or is malformed, or the pack cannot be written.
    """
    target = _target(language, name)
    pack = build_pack(
        target, language=language.code, version="METEOR-E", licence=LICENCE, synonyms=path, progress=progress
    )
    return Extraction(pack, 0)


_DATE = re.compile(r"(?<!\d)((?:19|20)\d{6})(?!\d)")
"""The date in a dump's name, such as fr_dbnary_ontolex_20240120.ttl.bz2."""


class _Content(NamedTuple):
    text: str
    pairs: int


def _kinds(approximate: bool) -> list[str]:
    return [SYNONYM, APPROXIMATE_SYNONYM] if approximate else [SYNONYM]


def _target(language: Language, name: str | None) -> Path:
    return PackStore().root / check_name(name or pack_name(language.code))


@contextmanager
def _work_file(
    target: Path, what: str, subject: dict[str, Any], progress: Progress, *, restart: bool
) -> Iterator[Harvest]:
    """Open the work file of a pack, which nobody else has open meanwhile."""
    with locked(target.parent, f"{target.name}.{what}", progress):
        path = target.parent / f".{target.name}.{what}"
        if restart:
            path.unlink(missing_ok=True)
        # What begins anew each time need not survive a crash.
        harvest = Harvest(path, subject, durable=what == "extraction")
        try:
            yield harvest
        finally:
            harvest.close()


def _synset_text(harvest: Harvest, language: Language) -> _Content:
    """Return the synsets in METEOR-E's format.

    The vocabulary is numbered in the order of its words. A word's ids are its own number and those of its synonyms.
    """
    normalizer = word_maker(language)
    words: dict[str, str] = {}
    synonyms: dict[str, set[str]] = {}
    for pair in harvest.pairs():
        word, synonym = (words.setdefault(text, synset_word(text, normalizer)) for text in pair)
        if word and synonym and word != synonym:
            synonyms.setdefault(word, set()).add(synonym)
            synonyms.setdefault(synonym, set())
    if not synonyms:
        raise ResourceError(
            f"there are no synonyms of {language.name} in it; is it DBnary, and of this language? (see --edition)"
        )
    numbers = {word: number for number, word in enumerate(sorted(synonyms), 1)}
    lines = []
    for word, number in numbers.items():
        ids = [number, *sorted(numbers[synonym] for synonym in synonyms[word])]
        lines += [word, " ".join(f"{one:08d}" for one in ids)]
    return _Content("\n".join(lines) + "\n", sum(map(len, synonyms.values())))


def _build(
    target: Path,
    language: Language,
    content: _Content,
    sources: Sequence[SourceFile],
    version: str,
    synsets: PathLike | None,
    progress: Progress,
) -> Pack:
    if synsets is not None:
        with atomic_writer(synsets) as stream:
            stream.write(content.text)
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"{language.name.lower()}.synsets"
        path.write_text(content.text, encoding="utf-8", newline="\n")
        return build_pack(
            target,
            language=language.code,
            version=version,
            licence=LICENCE,
            synonyms=path,
            sources=sources,
            progress=progress,
        )
