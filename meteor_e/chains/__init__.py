"""Chains: from a YAML file, a mapping or keyword arguments to everything that decides a score."""

from __future__ import annotations

from typing import TYPE_CHECKING

from meteor_e.base.lazy import lazy_names

if TYPE_CHECKING:
    from meteor_e.chains.chain import OWN_FUNCTION_WORDS
    from meteor_e.chains.config import load_chain
    from meteor_e.chains.lookup import find_language
    from meteor_e.chains.paths import chain_with_paths
    from meteor_e.chains.settings import apply_settings
    from meteor_e.chains.texts import LanguageText, language_text

__all__ = [
    "OWN_FUNCTION_WORDS",
    "LanguageText",
    "apply_settings",
    "chain_with_paths",
    "find_language",
    "language_text",
    "load_chain",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "chain": ["OWN_FUNCTION_WORDS"],
        "config": ["load_chain"],
        "lookup": ["find_language"],
        "paths": ["chain_with_paths"],
        "settings": ["apply_settings"],
        "texts": ["LanguageText", "language_text"],
    },
)
