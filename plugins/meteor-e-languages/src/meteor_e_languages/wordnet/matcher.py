"""Words that are related in WordNet."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from meteor_e.api import (
    ComponentOptions,
    ConfigError,
    FilePath,
    KeyMatcher,
    Language,
    MatcherContext,
    Meta,
    ResourceError,
    Token,
)
from meteor_e.api.options import FolderPath
from meteor_e.base.progress import Progress, terminal_progress
from meteor_e.packs.cache import load_cached_index
from meteor_e.packs.indexes import SynonymIndex
from meteor_e_languages.wordnet.morphology import base_forms
from meteor_e_languages.wordnet.relations import (
    HYPERNYMS,
    PARTS_OF_SPEECH,
    RELATIONS,
    SYNONYMS,
    Lexicon,
    entry,
    write_index,
)
from meteor_e_languages.wordnet.sources import Princeton, Tab, find_princeton, find_tabs, how_to_get

_VERSION = 1
"""Of the index's content: raised when other keys come of the same files."""
_OMW_VERSION = "3.0"
"""The WordNet whose synsets the Open Multilingual WordNet's files name."""


Relation = Literal["synonyms", "hypernyms", "similar", "also", "entailments", "causes", "verb-groups", "derivations"]
PartOfSpeech = Literal["noun", "verb", "adjective", "adverb"]


class WordnetMatcher(KeyMatcher):
    """Different words match if they share a synset of WordNet, or their synsets are related.

    English words are those of Princeton WordNet, with the base forms of inflected words as WordNet finds them; the
    words of other languages those of the Open Multilingual WordNet. In a chain with a lemmatizer, a word has its
    lemma's synsets, too.

    Args:
        index: keys of words; ``None`` matches nothing.
        description: of the index, for the signature.
        english: whether the base forms are those of English.
        parts: letters of the parts of speech whose synsets count.
    """

    name: ClassVar[str] = "wordnet"
    default_weight: ClassVar[float] = 0.8
    requires: ClassVar[tuple[str, ...]] = ("WordNet's or the Open Multilingual WordNet's files",)

    class Options(ComponentOptions):
        """What a chain may say beside the name."""

        relations: Annotated[
            Relation | Annotated[list[Relation], Meta(min_length=1)], Meta(description="What makes two words match.")
        ] = "synonyms"
        depth: Annotated[int, Meta(ge=1, le=20, description="Steps up to a hypernym, at most.")] = 1
        parts_of_speech: (
            Annotated[
                PartOfSpeech | Annotated[list[PartOfSpeech], Meta(min_length=1)],
                Meta(description="Parts of speech whose synsets count; by default all."),
            ]
            | None
        ) = None
        folder: (
            Annotated[FolderPath, Meta(description="Where the data are, instead of nltk's folders and Debian's.")]
            | None
        ) = None
        file: Annotated[FilePath, Meta(description="A .tab file of the Open Multilingual WordNet.")] | None = None

    def __init__(
        self,
        index: SynonymIndex | None = None,
        description: str = "none",
        english: bool = True,
        parts: str = "".join(PARTS_OF_SPEECH.values()),
    ) -> None:
        self._index = index
        self._description = description
        self._english = english
        self._parts = parts

    @classmethod
    def from_options(cls, context: MatcherContext, options: Options) -> WordnetMatcher:
        """Find the data, and index what the options ask for; the index is kept in the cache.

        Raises:
            ConfigError: for values that make no sense together.
            ResourceError: if there are no data, which says how to get them, or they are damaged.
        """
        wanted = _Wanted.of(context.language, options)
        data = wanted.find()
        if data is None:
            if context.explicit:
                what = "WordNet" if wanted.english else f"Open Multilingual WordNet of {context.language.name}"
                raise ResourceError(f"matcher 'wordnet': there is no {what}; {how_to_get(what, wanted.folder)}")
            return cls()
        index, description = wanted.index(data)
        return cls(index, description, wanted.english, wanted.parts)

    def keys(self, token: Token) -> set[int]:
        """Return what the token's form, its base forms and its lemma share with other words."""
        found: set[int] = set()
        if self._index is None:
            return found
        for part in self._parts:
            for word in dict.fromkeys((token.form, token.lemma or token.form)):
                found.update(self._index.synsets(entry(part, word)))
            if self._english:
                own = self._index.bases(entry(part, token.form))
                regular = () if own else (entry(part, base) for base in base_forms(token.form, part))
                for base in own or regular:
                    found.update(self._index.synsets(base))
        return found

    def describe(self) -> str:
        """Name the data, the beginning of their digest, and what makes words match."""
        return self._description


@dataclass(frozen=True)
class _Wanted:
    """What the options of a chain ask for."""

    language: Language
    relations: tuple[str, ...]
    depth: int
    parts: str
    folder: Path | None
    file: Path | None

    @classmethod
    def of(cls, language: Language, options: WordnetMatcher.Options) -> _Wanted:
        """Return what the options ask for, in one order; ConfigError where they make no sense together."""
        chosen, parts = _names(options.relations), _names(options.parts_of_speech or list(PARTS_OF_SPEECH))
        wanted = cls(
            language,
            tuple(relation for relation in RELATIONS if relation in chosen),
            options.depth,
            "".join(letter for part, letter in PARTS_OF_SPEECH.items() if part in parts),
            None if options.folder is None else Path(options.folder),
            None if options.file is None else Path(options.file),
        )
        if not wanted.english and "derivations" in chosen:
            raise ConfigError("matcher 'wordnet': derivations hold between English words; leave them out")
        return wanted

    @property
    def english(self) -> bool:
        """Whether the words are those of Princeton WordNet itself."""
        return self.language.code == "en" and self.file is None

    def find(self) -> _Data | None:
        """Find the data; ``None`` if there are none.

        Raises:
            ResourceError: if what the user names is not there, or the relations of WordNet are not.
        """
        if self.folder is not None and not self.folder.is_dir():
            raise ResourceError(f"matcher 'wordnet': there is no folder {str(self.folder)!r}")
        if self.english:
            princeton = find_princeton(self.folder)
            return None if princeton is None else _Data(princeton, None)
        tab = Tab(self.file) if self.file is not None else find_tabs(self.folder, self.language)
        if tab is None or self.relations == (SYNONYMS,):
            return None if tab is None else _Data(None, tab)
        princeton = (find_princeton(self.folder) if self.folder else None) or find_princeton(None)
        if princeton is None:
            others = ", ".join(relation for relation in self.relations if relation != SYNONYMS)
            raise ResourceError(f"matcher 'wordnet': {others} need WordNet itself; {how_to_get('WordNet')}")
        return _Data(princeton, tab)

    def index(self, data: _Data) -> tuple[SynonymIndex, str]:
        """Return the index and what the signature says of it."""
        content = None if data.tab is None else data.tab.read()
        princeton = "" if data.princeton is None else data.princeton.digest()
        key = hashlib.sha256(
            repr(
                (
                    _VERSION,
                    princeton,
                    "" if content is None else hashlib.sha256(content).hexdigest(),
                    self.relations,
                    self.depth if HYPERNYMS in self.relations else 0,
                    self.parts,
                    self.language.code,
                )
            ).encode()
        ).hexdigest()
        with terminal_progress() as progress:

            def build(target: Path) -> int:
                return write_index(self._lexicon(data, content, progress), target, progress)

            index = load_cached_index(f"wordnet-{key[:40]}", SynonymIndex, build, progress)
        name = "princeton" if data.tab is None else (data.tab.inner or data.tab.path.name).rpartition("/")[2]
        hypernyms = f" depth={self.depth}" if HYPERNYMS in self.relations else ""
        relations = "+".join(self.relations)
        return index, f"{name}@{key[:12]} relations={relations}{hypernyms} parts={self.parts}"

    def _lexicon(self, data: _Data, content: bytes | None, progress: Progress) -> Lexicon:
        from meteor_e_languages.wordnet.multilingual import read_tab

        lexicon = Lexicon()
        if data.princeton is not None:
            from meteor_e_languages.wordnet.princeton import read_version, read_wordnet

            if data.tab is not None and (version := read_version(data.princeton)) != _OMW_VERSION:
                raise ResourceError(
                    f"the Open Multilingual WordNet names synsets of WordNet {_OMW_VERSION}, but {data.princeton} "
                    f"is version {version or 'unknown'}; name the folder of WordNet {_OMW_VERSION}, or leave "
                    "the relations other than synonyms out"
                )
            lexicon = read_wordnet(data.princeton, self.parts, self.relations, self.depth, progress)
        if data.tab is not None:
            assert content is not None
            lexicon.synsets = read_tab(data.tab, content, self.parts, self.language.code)
            lexicon.exceptions = {}
        if SYNONYMS not in self.relations:
            lexicon.shared = False
        if not lexicon.synsets:
            raise ResourceError(f"there are no words of these parts of speech in {data.tab or data.princeton}")
        return lexicon


@dataclass(frozen=True)
class _Data:
    """Princeton WordNet, a file of the Open Multilingual WordNet, or both."""

    princeton: Princeton | None
    tab: Tab | None


def _names(given: str | Sequence[str]) -> Sequence[str]:
    """Return the names that an option lists, or its only one."""
    return [given] if isinstance(given, str) else given
