"""Resource packs: function words, prefixes, synonyms and paraphrases of a language, memory-mapped.

A pack is a folder with a manifest; :class:`PackStore` installs, finds, verifies and removes them.
The indexes in it are described in ``docs/index-format.md``. Reading them imports neither numpy nor
what downloads and builds them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from meteor_e.api.languages import NonbreakingPrefixes
from meteor_e.base.progress import Progress, terminal_progress
from meteor_e.packs.pack import Pack, open_pack
from meteor_e.packs.paraphrases import ParaphraseIndex
from meteor_e.packs.store import PackStore
from meteor_e.packs.synonyms import SynonymIndex
from meteor_e.packs.wordlists import read_function_words, read_prefixes

if TYPE_CHECKING:
    from meteor_e.packs.build import build_pack
    from meteor_e.packs.build_paraphrases import build_paraphrase_index
    from meteor_e.packs.build_synonyms import build_synonym_index
    from meteor_e.packs.cache import (
        cached_paraphrase_index,
        cached_synonym_file,
        cached_synonym_index,
    )

__all__ = [
    "NonbreakingPrefixes",
    "Pack",
    "PackStore",
    "ParaphraseIndex",
    "Progress",
    "SynonymIndex",
    "build_pack",
    "build_paraphrase_index",
    "build_synonym_index",
    "cached_paraphrase_index",
    "cached_synonym_file",
    "cached_synonym_index",
    "open_pack",
    "read_function_words",
    "read_prefixes",
    "terminal_progress",
]

_LATER = {
    "build_pack": "build",
    "build_paraphrase_index": "build_paraphrases",
    "build_synonym_index": "build_synonyms",
    "cached_paraphrase_index": "cache",
    "cached_synonym_file": "cache",
    "cached_synonym_index": "cache",
}


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
