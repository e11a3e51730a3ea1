"""Resource packs: function words, prefixes, synonyms and paraphrases of a language, memory-mapped.

A pack is a folder with a manifest; :class:`PackStore` installs, finds, verifies and removes them.
The indexes in it are described in ``docs/index-format.md``. Reading them imports neither numpy nor
what downloads and builds them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from meteor_e.base.lazy import lazy_names

if TYPE_CHECKING:
    from meteor_e.api.languages import NonbreakingPrefixes
    from meteor_e.base.progress import Progress, terminal_progress
    from meteor_e.packs.build import Ingredients, PackPlace, build_pack, pack_place
    from meteor_e.packs.build_paraphrases import build_paraphrase_index
    from meteor_e.packs.build_synonyms import build_synonym_index
    from meteor_e.packs.cache import cached_index, cached_paraphrase_index, cached_synonym_file, cached_synonym_index
    from meteor_e.packs.download import Wheel, check_wheel, download_url, download_wheel
    from meteor_e.packs.indexfile import IndexFile, Layout, damaged, write_index
    from meteor_e.packs.manifest import FILE_NAME, LANGUAGE_FILE, Manifest, SourceFile, check_name
    from meteor_e.packs.pack import Pack, open_pack
    from meteor_e.packs.paraphrases import ParaphraseIndex
    from meteor_e.packs.resources import LanguageResources
    from meteor_e.packs.store import PackStore
    from meteor_e.packs.synonyms import SynonymIndex
    from meteor_e.packs.usage import TABLE_FILE
    from meteor_e.packs.vocabulary import VOCABULARY_SECTIONS, Vocabulary, vocabulary_sections
    from meteor_e.packs.wordlists import read_function_words, read_prefixes

__all__ = [
    "FILE_NAME",
    "LANGUAGE_FILE",
    "TABLE_FILE",
    "VOCABULARY_SECTIONS",
    "IndexFile",
    "Ingredients",
    "LanguageResources",
    "Layout",
    "Manifest",
    "NonbreakingPrefixes",
    "Pack",
    "PackPlace",
    "PackStore",
    "ParaphraseIndex",
    "Progress",
    "SourceFile",
    "SynonymIndex",
    "Vocabulary",
    "Wheel",
    "build_pack",
    "build_paraphrase_index",
    "build_synonym_index",
    "cached_index",
    "cached_paraphrase_index",
    "cached_synonym_file",
    "cached_synonym_index",
    "check_name",
    "check_wheel",
    "damaged",
    "download_url",
    "download_wheel",
    "open_pack",
    "pack_place",
    "read_function_words",
    "read_prefixes",
    "terminal_progress",
    "vocabulary_sections",
    "write_index",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "resources": ["LanguageResources"],
        ".api.languages": ["NonbreakingPrefixes"],
        ".base.progress": ["Progress", "terminal_progress"],
        "build": ["Ingredients", "PackPlace", "build_pack", "pack_place"],
        "build_paraphrases": ["build_paraphrase_index"],
        "build_synonyms": ["build_synonym_index"],
        "cache": ["cached_index", "cached_paraphrase_index", "cached_synonym_file", "cached_synonym_index"],
        "download": ["Wheel", "check_wheel", "download_url", "download_wheel"],
        "indexfile": ["IndexFile", "Layout", "damaged", "write_index"],
        "manifest": ["FILE_NAME", "LANGUAGE_FILE", "Manifest", "SourceFile", "check_name"],
        "pack": ["Pack", "open_pack"],
        "paraphrases": ["ParaphraseIndex"],
        "store": ["PackStore"],
        "synonyms": ["SynonymIndex"],
        "usage": ["TABLE_FILE"],
        "vocabulary": ["VOCABULARY_SECTIONS", "Vocabulary", "vocabulary_sections"],
        "wordlists": ["read_function_words", "read_prefixes"],
    },
)
