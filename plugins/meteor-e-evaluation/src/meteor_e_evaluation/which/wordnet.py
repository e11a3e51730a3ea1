"""Synonyms as nltk finds them in WordNet, read word by word: WordNet itself is never loaded.

The format of the files is in wndb(5WN), the rules for base forms in morphy(7WN). Releases of nltk differ in one thing:
up to 3.8 the rules are applied again to what they gave, until a word of WordNet comes out; from 3.9 on once.
"""

from __future__ import annotations

import functools
import hashlib
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from meteor_e.api import ResourceError
from meteor_e.base.extras import require
from meteor_e.base.files import os_errors_as

_FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}


class WordNet:
    """Words of Princeton WordNet and their synonyms.

    Args:
        files: the content of ``index.noun``, ``data.noun``, ``noun.exc`` and so on.
        digest: of the files, for signatures.
    """

    def __init__(self, files: dict[str, bytes], digest: str) -> None:
        from meteor_e_languages.wordnet.morphology import SUFFIXES

        self._suffixes = SUFFIXES
        self.digest = digest
        self._data = {part: files[f"data.{name}"] for part, name in _FILES.items()}
        self._synsets: dict[str, dict[str, list[int]]] = {part: {} for part in _FILES}
        self._bases: dict[str, dict[str, list[str]]] = {part: {} for part in _FILES}
        for part, kind in _FILES.items():
            for line in files[f"index.{kind}"].decode("ascii").splitlines():
                if not line.startswith(" "):
                    fields = line.split()
                    self._synsets[part][fields[0]] = [int(at) for at in fields[-int(fields[2]) :]]
            for line in files[f"{kind}.exc"].decode("ascii").splitlines():
                form, *bases = line.split()
                self._bases[part][form] = bases

    @functools.lru_cache(maxsize=200_000)  # noqa: B019 - as many words as texts have; the object lives as long
    def synonyms(self, word: str, again: bool) -> frozenset[str]:
        """Return the words of a word's synsets, those of several words left out, and the word itself.

        Args:
            word: in any case.
            again: apply the rules for base forms again to what they gave, as nltk did up to 3.8.
        """
        found = {word}
        for part in _FILES:
            for base in self._base_forms(word.lower(), part, again):
                for at in self._synsets[part][base]:
                    found.update(name for name in self._words(part, at) if "_" not in name)
        return frozenset(found)

    def _base_forms(self, form: str, part: str, again: bool) -> list[str]:
        def known(forms: Iterable[str]) -> list[str]:
            return [each for each in dict.fromkeys(forms) if each in self._synsets[part]]

        def shorter(forms: Iterable[str]) -> list[str]:
            return [
                each[: len(each) - len(old)] + new
                for each in forms
                for old, new in self._suffixes[part]
                if each.endswith(old)
            ]

        if form in self._bases[part]:
            return known([form, *self._bases[part][form]])
        forms = shorter([form])
        found = known([form, *forms])
        while again and not found and forms:
            forms = shorter(forms)
            found = known(forms)
        return found

    def _words(self, part: str, at: int) -> Iterator[str]:
        line = self._data[part][at : at + 20_000].partition(b"\n")[0].decode("ascii").split()
        for place in range(int(line[3], 16)):
            # Adjectives may carry where they stand: "afraid(p)".
            yield line[4 + 2 * place].partition("(")[0]


def find_wordnet() -> WordNet | None:
    """Return WordNet 3.0 as nltk finds it, else as Debian installs it; ``None`` if it is nowhere.

    Raises:
        ResourceError: if the files cannot be read.
        ConfigError: without the plugin of synonyms.
    """
    sources = require("meteor_e_languages.wordnet.sources", "nltk's METEOR", distribution="meteor-e-languages")
    for folder in (*(place / "corpora" / "wordnet" for place in sources.nltk_folders()), sources.DEBIAN):
        names = [f"{file}.{kind}" for kind in _FILES.values() for file in ("index", "data")]
        names += [f"{kind}.exc" for kind in _FILES.values()]
        archive = folder.with_name(f"{folder.name}.zip")
        with os_errors_as(ResourceError, f"cannot read {folder}"):
            if all((folder / name).is_file() for name in names):
                return _wordnet({name: (folder / name).read_bytes() for name in names}, folder)
            if archive.is_file():
                try:
                    with zipfile.ZipFile(archive) as opened:
                        return _wordnet({name: opened.read(f"wordnet/{name}") for name in names}, archive)
                except (KeyError, zipfile.BadZipFile) as error:
                    raise ResourceError(f"{archive} is damaged, or not WordNet: {error}") from error
    return None


def _wordnet(files: dict[str, bytes], place: Path) -> WordNet:
    digest = hashlib.sha256(b"".join(files[name] for name in sorted(files))).hexdigest()
    try:
        return WordNet(files, digest[:12])
    except (ValueError, IndexError) as error:
        raise ResourceError(f"WordNet in {place} is damaged: {error}") from error
