"""Build a pack of synsets from a dump or a SPARQL endpoint of DBnary."""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
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
from meteor_e_languages.dbnary.model import (
    APPROXIMATE_SYNONYM,
    LICENCE,
    SYNONYM,
    Edition,
    find_edition,
    make_normalizer,
    normalize_word,
)
from meteor_e_languages.dbnary.synsets import pack_name

DUMP_URL = "http://kaiko.getalp.org/static/ontolex/latest/{code}_dbnary_ontolex.ttl.bz2"
"""The address of the latest dump of a language."""
_DATE = re.compile(r"(?<!\d)((?:19|20)\d{6})(?!\d)")
"""The date in the name of a dump, such as fr_dbnary_ontolex_20240120.ttl.bz2."""


def install_synsets(
    language: Language,
    dumps: Sequence[Path] = (),
    *,
    url: str | None = None,
    offline: bool = False,
    approximate: bool = False,
    progress: Progress = silent,
) -> tuple[Pack, int]:
    """Build the pack of synsets of a language from dumps or from a SPARQL endpoint.

    By default, the latest dump is downloaded.

    Args:
        language: the language.
        dumps: local dumps, plain or compressed: a single dump, or the parts of one edition.
        url: the address of a SPARQL endpoint to query instead of a dump.
        offline: do not download anything.
        approximate: include approximate synonyms.
        progress: called with the progress.

    Returns:
        The pack, and the number of distinct pairs of a word and its synonym.

    Raises:
        ConfigError: if DBnary does not have the language, or dumps and an endpoint are combined.
        InputError: if a local dump cannot be read or is malformed (with the line).
        ResourceError: if the dump cannot be downloaded, the download is not a dump, the endpoint fails repeatedly,
            there are no synonyms, or the pack cannot be written.
    """
    edition = find_edition(language)
    if dumps and url:
        raise ConfigError("give dumps or an endpoint, not both")
    if url and offline:
        raise ResourceError(f"offline, so {url} is not queried; name a dump: --dump FILE")
    properties = [SYNONYM, APPROXIMATE_SYNONYM] if approximate else [SYNONYM]
    with temporary_folder(PackStore().root, "dbnary") as folder:
        builder = _SynsetPackBuilder(edition, properties, folder, progress)
        if url:
            return builder.build_from_endpoint(url)
        if dumps:
            return builder.build_from_dumps(dumps)
        return builder.build_from_download(offline)


@dataclass(frozen=True)
class _SynsetPackBuilder:
    """Builds a language's pack of synsets. Each build method returns the pack and the number of synonym pairs in it.

    Attributes:
        edition: the DBnary edition of the language.
        properties: the IRIs of the RDF properties that connect synonyms.
        folder: the folder for temporary files.
        progress: called with the progress.
    """

    edition: Edition
    properties: Sequence[str]
    folder: Path
    progress: Progress

    def build_from_download(self, offline: bool) -> tuple[Pack, int]:
        """Download the latest dump, and build the pack from it. Raise a ResourceError if ``offline`` is true."""
        code = self.edition.language.code
        address = DUMP_URL.format(code=code)
        file_name = address.rpartition("/")[2]
        advice = f"get {file_name} elsewhere, and name it: `meteor-e dbnary install {code} --dump FILE`"
        if offline:
            raise ResourceError(f"offline, so {address} is not downloaded; {advice}")
        try:
            return self.build_from_dumps([download_url(address, self.folder, self.progress)])
        except ResourceError as error:
            raise ResourceError(f"{error}; {advice}") from error
        except InputError as error:
            raise ResourceError(f"the file from {address} is not a dump: {error}; {advice}") from error

    def build_from_endpoint(self, url: str) -> tuple[Pack, int]:
        """Build the pack from a SPARQL endpoint. The version of the pack is the current date."""
        with Harvest(self.folder / "work") as harvest:
            endpoint.extract(harvest, url, self.edition, self.properties, self.progress)
            synset_lines, pair_count = _format_synsets(harvest, self.edition.language)
        sources = [SourceFile(url, hashlib.sha256(synset_lines.encode()).hexdigest())]
        version = datetime.now(timezone.utc).strftime("%Y-%m-%d")
        return self._build(synset_lines, sources, version), pair_count

    def build_from_dumps(self, dumps: Sequence[Path]) -> tuple[Pack, int]:
        """Build the pack from dumps.

        The pack's version is the latest date in the file names of the dumps. If the file names do not contain a date,
        the version is the first few characters of the first dump's digest.

        The temporary files need about half as much disk space as the decompressed dumps.
        """
        sources = []
        with Harvest(self.folder / "work") as harvest:
            for path in dumps:
                digest = dump.extract(harvest, path, self.edition, self.properties, self.progress)
                sources.append(SourceFile(path.name, digest))
            self.progress("finding words", 0, None)
            harvest.derive_words()
            synset_lines, pair_count = _format_synsets(harvest, self.edition.language)
        dates = _DATE.findall(" ".join(path.name for path in dumps))
        version = max(dates, default=sources[0].sha256[:8])
        return self._build(synset_lines, sources, version), pair_count

    def _build(self, synset_lines: str, sources: Sequence[SourceFile], version: str) -> Pack:
        """Build a pack from the content of a synset file."""
        language = self.edition.language
        synset_file = self.folder / f"{language.name.lower()}.synsets"
        synset_file.write_text(synset_lines, encoding="utf-8", newline="\n")
        return build_pack(
            PackStore().root / pack_name(language.code),
            language=language.code,
            version=version,
            licence=LICENCE,
            synonyms=synset_file,
            sources=sources,
            progress=self.progress,
        )


def _format_synsets(harvest: Harvest, language: Language) -> tuple[str, int]:
    """Return the synsets in METEOR-E's file format, and the number of synonym pairs.

    Each word has its own synset, and also belongs to the synsets of its synonyms. Synset ids are assigned in
    alphabetical order of the words.
    """
    synonyms_by_word = _collect_synonyms(harvest, language)
    if not synonyms_by_word:
        raise ResourceError(
            f"there are no synonyms of {language.name} in the data; check that it is DBnary, and of this language"
        )
    synset_ids = {word: synset_id for synset_id, word in enumerate(sorted(synonyms_by_word), 1)}
    lines = []
    pair_count = 0
    for word, word_id in synset_ids.items():
        synonym_ids = sorted(synset_ids[synonym] for synonym in synonyms_by_word[word])
        formatted_ids = [f"{synset_id:08d}" for synset_id in (word_id, *synonym_ids)]
        lines += [word, " ".join(formatted_ids)]
        pair_count += len(synonym_ids)
    return "\n".join(lines) + "\n", pair_count


def _collect_synonyms(harvest: Harvest, language: Language) -> dict[str, set[str]]:
    """Return a set of synonyms for each normalized word. The set is empty if DBnary lists no synonyms for the word."""
    normalizer = make_normalizer(language)
    normalize = functools.cache(lambda word: normalize_word(word, normalizer))
    synonyms_by_word: dict[str, set[str]] = {}
    for raw_word, raw_synonym in harvest.pairs():
        word = normalize(raw_word)
        synonym = normalize(raw_synonym)
        if word and synonym and word != synonym:
            synonyms_by_word.setdefault(word, set()).add(synonym)
            synonyms_by_word.setdefault(synonym, set())
    return synonyms_by_word
