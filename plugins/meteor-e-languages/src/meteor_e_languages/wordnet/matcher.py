"""The matcher ``wordnet``, which matches words that are related in WordNet."""

from __future__ import annotations

import dataclasses
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
from meteor_e_languages.wordnet.multilingual import read_tab
from meteor_e_languages.wordnet.relations import (
    HYPERNYMS,
    PARTS_OF_SPEECH,
    RELATIONS,
    SYNONYMS,
    Lexicon,
    make_entry,
    write_index,
)
from meteor_e_languages.wordnet.sources import Princeton, Tab, find_princeton, find_tab, how_to_get

_VERSION = 1
"""The version of the index, which changes if equal files lead to other keys."""
_OMW_VERSION = "3.0"
"""The version of WordNet whose synsets the files of the Open Multilingual WordNet use."""


Relation = Literal["synonyms", "hypernyms", "similar", "also", "entailments", "causes", "verb-groups", "derivations"]
PartOfSpeech = Literal["noun", "verb", "adjective", "adverb"]


class WordnetMatcher(KeyMatcher):
    """A matcher for words that share a synset of WordNet, or whose synsets are related.

    English words are looked up in Princeton WordNet, together with their base forms according to WordNet's rules. Words
    of other languages are looked up in the Open Multilingual WordNet. If a lemmatizer is used, the lemma of a word is
    looked up, too.

    Args:
        index: the keys of words; ``None`` for a matcher that does not match any words.
        description: the description of the index, for the signature.
        english: whether to use the base forms of English.
        parts: the letters of the parts of speech to look up.
    """

    name: ClassVar[str] = "wordnet"
    default_weight: ClassVar[float] = 0.8
    requires: ClassVar[tuple[str, ...]] = ("WordNet's or the Open Multilingual WordNet's files",)

    class Options(ComponentOptions):
        """Options of the matcher ``wordnet``."""

        relations: Annotated[
            Relation | Annotated[list[Relation], Meta(min_length=1)],
            Meta(description="Relations by which two words match."),
        ] = "synonyms"
        depth: Annotated[int, Meta(ge=1, le=20, description="Maximum number of steps up to a hypernym.")] = 1
        parts_of_speech: (
            Annotated[
                PartOfSpeech | Annotated[list[PartOfSpeech], Meta(min_length=1)],
                Meta(description="Parts of speech to look up; by default all."),
            ]
            | None
        ) = None
        folder: (
            Annotated[FolderPath, Meta(description="Folder with the data, instead of the folders of nltk and Debian.")]
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
        """Find the WordNet data, and create a cached index for the options.

        Raises:
            ConfigError: if the options contradict each other.
            ResourceError: if the data is missing (the message says how to get it) or damaged.
        """
        request = _Request.from_options(context.language, options)
        data = request.find_data()
        if data is None and context.explicit:
            name = "WordNet" if request.english else f"Open Multilingual WordNet of {context.language.name}"
            raise ResourceError(f"matcher 'wordnet': there is no {name}; {how_to_get(name, request.folder)}")
        if data is None:
            return cls()  # This matcher does not have data, so it does not match any words.
        index, description = request.load_index(data)
        return cls(index, description, request.english, request.parts)

    def keys(self, token: Token) -> set[int]:
        """Look up the match keys of a token by its form, its base forms and its lemma."""
        keys: set[int] = set()
        if self._index is None:
            return keys
        for part in self._parts:
            keys.update(self._index.synsets(make_entry(part, token.form)))
            if token.lemma and token.lemma != token.form:
                keys.update(self._index.synsets(make_entry(part, token.lemma)))
            if self._english:
                for base in self._find_bases(self._index, part, token.form):
                    keys.update(self._index.synsets(base))
        return keys

    @staticmethod
    def _find_bases(index: SynonymIndex, part: str, form: str) -> Sequence[str]:
        """Return the index entries of a word's base forms. Irregular forms have priority over regular forms."""
        irregular_bases = index.bases(make_entry(part, form))
        return irregular_bases or [make_entry(part, base) for base in base_forms(form, part)]

    def describe(self) -> str:
        """Return the part of the metric's signature that describes the WordNet data and the relations."""
        return self._description


@dataclass(frozen=True)
class _Data:
    """The sources of a matcher's data: Princeton WordNet, the Open Multilingual WordNet, or both."""

    princeton: Princeton | None = None
    tab: Tab | None = None


@dataclass(frozen=True)
class _Request:
    """The WordNet data that a matcher needs, as specified by the matcher's options.

    Attributes:
        language: the language of the chain.
        relations: the relations by which words match, in a fixed order.
        depth: the maximum distance of hypernyms.
        parts: the letters of the parts of speech.
        folder: the folder with the data, if the chain names it.
        file: the file of the Open Multilingual WordNet, if the chain names it.
    """

    language: Language
    relations: tuple[str, ...]
    depth: int
    parts: str
    folder: Path | None
    file: Path | None

    @classmethod
    def from_options(cls, language: Language, options: WordnetMatcher.Options) -> _Request:
        """Create the request from the options of a matcher. Raise ConfigError if the options contradict each other."""
        selected_relations = _as_list(options.relations)
        relations = tuple(relation for relation in RELATIONS if relation in selected_relations)
        part_names = _as_list(options.parts_of_speech or list(PARTS_OF_SPEECH))
        parts = "".join(letter for name, letter in PARTS_OF_SPEECH.items() if name in part_names)
        folder = None if options.folder is None else Path(options.folder)
        file = None if options.file is None else Path(options.file)
        request = cls(language, relations, options.depth, parts, folder, file)
        if not request.english and "derivations" in relations:
            raise ConfigError("matcher 'wordnet': derivations hold between English words; leave them out")
        return request

    @property
    def english(self) -> bool:
        """Whether words are looked up in Princeton WordNet."""
        return self.language.code == "en" and self.file is None

    def find_data(self) -> _Data | None:
        """Find the WordNet data. Return ``None`` if no data is found.

        Raises:
            ResourceError: if the folder that the chain names is missing, or the relations need WordNet itself.
        """
        if self.folder is not None and not self.folder.is_dir():
            raise ResourceError(f"matcher 'wordnet': there is no folder {str(self.folder)!r}")
        return self._find_english_data() if self.english else self._find_multilingual_data()

    def _find_english_data(self) -> _Data | None:
        """Find Princeton WordNet. Return ``None`` if it is not found."""
        princeton = find_princeton(self.folder)
        return None if princeton is None else _Data(princeton=princeton)

    def _find_multilingual_data(self) -> _Data | None:
        """Find the Open Multilingual WordNet. For relations other than synonyms, also find Princeton WordNet.

        Return ``None`` if the Open Multilingual WordNet is not found.

        Raises:
            ResourceError: if the relations need Princeton WordNet, and it is not installed.
        """
        tab = find_tab(self.folder, self.language) if self.file is None else Tab(self.file)
        if tab is None:
            return None
        if self.relations == (SYNONYMS,):
            return _Data(tab=tab)
        return _Data(princeton=self._find_princeton_for_relations(), tab=tab)

    def _find_princeton_for_relations(self) -> Princeton:
        """Find Princeton WordNet in the folder that the user specified, or else in the standard folders.

        Raises:
            ResourceError: if Princeton WordNet is not installed.
        """
        princeton = find_princeton(self.folder) or find_princeton(None)
        if princeton is None:
            relations = ", ".join(relation for relation in self.relations if relation != SYNONYMS)
            raise ResourceError(f"matcher 'wordnet': {relations} need WordNet itself; {how_to_get('WordNet')}")
        return princeton

    def load_index(self, data: _Data) -> tuple[SynonymIndex, str]:
        """Return the cached index, and the text that describes the index in the metric's signature."""
        digest = self._compute_digest(data)
        with terminal_progress() as progress:

            def build(target: Path) -> int:
                return write_index(self._read_lexicon(data, progress), target, progress)

            index = load_cached_index(f"wordnet-{digest[:40]}", SynonymIndex, build, progress)
        return index, self._describe_index(data, digest)

    def _describe_index(self, data: _Data, digest: str) -> str:
        """Return the text that describes the WordNet data and the options in the metric's signature."""
        name = "princeton"
        if data.tab is not None:
            name = (data.tab.inner or data.tab.path.name).rpartition("/")[2]
        relations = "+".join(self.relations)
        depth = f" depth={self.depth}" if HYPERNYMS in self.relations else ""
        return f"{name}@{digest[:12]} relations={relations}{depth} parts={self.parts}"

    def _compute_digest(self, data: _Data) -> str:
        """Return a digest of all data and options that affect the index."""
        identity = (
            _VERSION,
            "" if data.princeton is None else data.princeton.digest(),
            "" if data.tab is None else hashlib.sha256(data.tab.content).hexdigest(),
            self.relations,
            self.depth if HYPERNYMS in self.relations else 0,
            self.parts,
            self.language.code,
        )
        return hashlib.sha256(repr(identity).encode()).hexdigest()

    def _read_lexicon(self, data: _Data, progress: Progress) -> Lexicon:
        """Read the words and relations. If both sources are used, Princeton WordNet provides only the relations."""
        if data.princeton is not None and data.tab is not None:
            _check_version(data.princeton)
        lexicon = Lexicon() if data.princeton is None else self._read_princeton(data.princeton, progress)
        if data.tab is not None:
            synsets = read_tab(data.tab, self.parts, self.language.code)
            lexicon = dataclasses.replace(lexicon, synsets=synsets, exceptions={})
        if not lexicon.synsets:
            raise ResourceError(f"there are no words of these parts of speech in {data.tab or data.princeton}")
        return dataclasses.replace(lexicon, shared=SYNONYMS in self.relations)

    def _read_princeton(self, princeton: Princeton, progress: Progress) -> Lexicon:
        """Read the words and relations of Princeton WordNet."""
        from meteor_e_languages.wordnet.princeton import read_wordnet  # This import is slow.

        return read_wordnet(princeton, self.parts, self.relations, self.depth, progress)


def _check_version(princeton: Princeton) -> None:
    """Raise a :class:`ResourceError` if the Open Multilingual WordNet requires another version of WordNet."""
    from meteor_e_languages.wordnet.princeton import read_version

    version = read_version(princeton)
    if version != _OMW_VERSION:
        raise ResourceError(
            f"the Open Multilingual WordNet uses the synsets of WordNet {_OMW_VERSION}, but {princeton} "
            f"is version {version or 'unknown'}; name the folder of WordNet {_OMW_VERSION}, or use the relation "
            "synonyms only"
        )


def _as_list(value: str | Sequence[str]) -> Sequence[str]:
    """Return the value of an option as a list. The value is a single name or a list of names."""
    return [value] if isinstance(value, str) else value
