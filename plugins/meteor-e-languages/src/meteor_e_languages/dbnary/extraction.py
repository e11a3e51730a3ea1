"""From DBnary to a pack of synsets: read it, number the vocabulary, write synsets, build the pack."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path

from meteor_e import ConfigError, InputError, ResourceError
from meteor_e.api import Language
from meteor_e.base.folders import temporary_folder
from meteor_e.base.progress import Progress, silent
from meteor_e.packs.build import build_pack
from meteor_e.packs.download import download_url
from meteor_e.packs.pack import Pack, SourceFile
from meteor_e.packs.store import PackStore
from meteor_e_languages.dbnary import dump, endpoint
from meteor_e_languages.dbnary.harvest import Harvest
from meteor_e_languages.dbnary.model import APPROXIMATE_SYNONYM, LICENCE, SYNONYM, find_edition, synset_word, word_maker
from meteor_e_languages.dbnary.synsets import pack_name

DUMP_URL = "http://kaiko.getalp.org/static/ontolex/latest/{code}_dbnary_ontolex.ttl.bz2"
"""Where DBnary offers its newest dumps, by the language's two letters."""
_DATE = re.compile(r"(?<!\d)((?:19|20)\d{6})(?!\d)")
"""The date in a dump's name, such as fr_dbnary_ontolex_20240120.ttl.bz2."""


def install_synsets(
    language: Language,
    dumps: Sequence[Path] = (),
    *,
    url: str | None = None,
    offline: bool = False,
    approximate: bool = False,
    progress: Progress = silent,
) -> tuple[Pack, int]:
    """Make a language's pack of synsets from dumps or a SPARQL endpoint; without either, the newest dump is downloaded.

    Args:
        language: the language.
        dumps: dumps that are there, plain or packed: one, or the parts of one edition.
        url: address of a SPARQL endpoint that is asked instead of a dump.
        offline: never download anything.
        approximate: count approximate synonyms, too.
        progress: told how far it is.

    Returns:
        The pack, and the number of different pairs of a word and its synonym.

    Raises:
        ConfigError: if DBnary does not have the language, or for dumps and an endpoint together.
        InputError: if a dump of ``dumps`` cannot be read or is not well-formed, with the line.
        ResourceError: if it cannot be downloaded or is not a dump then, there are no synonyms in it, or the pack cannot
            be written; or if the endpoint fails to the end.
    """
    find_edition(language)
    if dumps and url:
        raise ConfigError("give dumps or an endpoint, not both")
    with temporary_folder(PackStore().root, "dbnary") as place:
        if dumps:
            return _pack(language, dumps, None, place, approximate, progress)
        if url and offline:
            raise ResourceError(f"offline, so {url} is not asked; name a dump: --dump FILE")
        if url:
            return _pack(language, (), url, place, approximate, progress)
        address = DUMP_URL.format(code=language.code)
        otherwise = (
            f"get {address.rpartition('/')[2]} elsewhere, and name it: "
            f"`meteor-e dbnary install {language.code} --dump FILE`"
        )
        if offline:
            raise ResourceError(f"offline, so {address} is not downloaded; {otherwise}")
        try:
            return _pack(language, [download_url(address, place, progress)], None, place, approximate, progress)
        except ResourceError as error:
            raise ResourceError(f"{error}; {otherwise}") from error
        except InputError as error:
            raise ResourceError(f"what {address} sent is not a dump: {error}; {otherwise}") from error


def _pack(
    language: Language, dumps: Sequence[Path], url: str | None, place: Path, approximate: bool, progress: Progress
) -> tuple[Pack, int]:
    """Read an endpoint or dumps into a work file of about half their unpacked size; memory does not grow."""
    edition = find_edition(language)
    kinds = [SYNONYM, APPROXIMATE_SYNONYM] if approximate else [SYNONYM]
    with Harvest(place / "work") as harvest:
        sources = [SourceFile(path.name, dump.extract(harvest, path, edition, kinds, progress)) for path in dumps]
        if url:
            endpoint.extract(harvest, url, edition, kinds, progress)
        else:
            progress("finding words", 0, None)
            harvest.derive_words()
        text, pairs = _synset_text(harvest, language)
    if url:
        sources, dates = [SourceFile(url, hashlib.sha256(text.encode()).hexdigest())], [_today()]
    else:
        dates = [match[1] for path in dumps if (match := _DATE.search(path.name))]
    synsets = place / f"{language.name.lower()}.synsets"
    synsets.write_text(text, encoding="utf-8", newline="\n")
    pack = build_pack(
        PackStore().root / pack_name(language.code),
        language=language.code,
        version=max(dates) if dates else sources[0].sha256[:8],
        licence=LICENCE,
        synonyms=synsets,
        sources=sources,
        progress=progress,
    )
    return pack, pairs


def _today() -> str:
    return datetime.now(timezone.utc).strftime("%Y-%m-%d")


def _synset_text(harvest: Harvest, language: Language) -> tuple[str, int]:
    """Return the synsets in METEOR-E's format, and the number of pairs.

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
        raise ResourceError(f"there are no synonyms of {language.name} in it; is it DBnary, and of this language?")
    numbers = {word: number for number, word in enumerate(sorted(synonyms), 1)}
    lines = []
    for word, number in numbers.items():
        ids = [number, *sorted(numbers[synonym] for synonym in synonyms[word])]
        lines += [word, " ".join(f"{one:08d}" for one in ids)]
    return "\n".join(lines) + "\n", sum(map(len, synonyms.values()))
