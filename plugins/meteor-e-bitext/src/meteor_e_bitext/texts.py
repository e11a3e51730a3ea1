"""How text in a language becomes words, without a metric: for coverage, packs and vocabularies."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from meteor_e.api import ConfigError, InputError, Language
from meteor_e.api.languages import NonbreakingPrefixes, Normalization
from meteor_e.api.tokens import split_words
from meteor_e.base.files import PathLike, decode_utf8, os_errors_as
from meteor_e.chains.chain import find_language, make_segmenter
from meteor_e.engine.tokenizer import Tokenizer
from meteor_e.packs.pack import LANGUAGE_FILE, PREFIXES, Pack, parse_prefixes
from meteor_e.packs.store import PackStore
from meteor_e.plugins.registry import plugin_registry
from meteor_e.text.normalization import Normalizer


@dataclass(frozen=True)
class LanguageText:
    """Text in a language; :func:`language_text` makes one.

    Attributes:
        code: ISO code of the language, or what the user calls it.
        language: its definition, ``None`` if it has none yet.
        normalizer: ``None``: text is split on white space and taken as it is.
        segment: puts spaces between the words of text without spaces; ``None`` for other languages.
        prefixes: content of its list of nonbreaking prefixes, ``None`` if it has none.
        description: all that decides how text becomes words.
    """

    code: str
    language: Language | None
    normalizer: Normalizer | None
    segment: Callable[[str], str] | None
    prefixes: bytes | None
    description: str

    def words(self, line: str) -> list[str]:
        """Return the words of a line."""
        if self.segment is not None:
            line = self.segment(line)
        return split_words(line if self.normalizer is None else self.normalizer(line))

    def tokenizer(self, threads: int = 1) -> Tokenizer:
        """Return what turns many lines into numbers of words, natively where there is a native core."""
        return Tokenizer(self.normalizer, self.segment, threads)


def language_text(
    name: str | None,
    *,
    whitespace: bool = False,
    prefixes: PathLike | NonbreakingPrefixes | None = None,
) -> LanguageText:
    """Return how text in a language becomes words: as it would be scored, or on white space.

    Args:
        name: a code, known or not, or a language file. ``None``: a language that nothing is known of.
        whitespace: split on white space and do nothing else, whatever the language.
        prefixes: the file of its nonbreaking prefixes, or these. By default those of the language's pack, if it
            is installed.

    Raises:
        ConfigError: for a language file with mistakes, or a code that cannot be one.
        InputError: if the list cannot be read.
    """
    language = _language(name)
    code = language.code if language is not None else (name or "other")
    if whitespace:
        return LanguageText(code, language, None, None, None, "white space")
    content = None
    if not isinstance(prefixes, NonbreakingPrefixes):
        content = _prefixes(language, prefixes)
        prefixes = (
            NonbreakingPrefixes() if content is None else parse_prefixes(decode_utf8(content, "the list of prefixes"))
        )
    mode = language.normalization if language is not None else Normalization.FULL
    apostrophes = language.apostrophes if language is not None else "apart"
    segment, segmenter = None, ""
    if language is not None and language.segmenter is not None:
        made = make_segmenter(language, plugin_registry())
        segment, segmenter = made.join, f"{made.name}({made.describe()})"
    digest = hashlib.sha256(content).hexdigest()[:12] if content is not None else "none"
    description = f"{mode.value}, apostrophes {apostrophes}, prefixes {digest}"
    if segmenter:
        description += f", segmenter {segmenter}"
    return LanguageText(code, language, Normalizer(mode, apostrophes, prefixes), segment, content, description)


def pack_text(pack: Pack, language: str | None = None) -> LanguageText:
    """Return how text in a pack's language becomes words, with the pack's nonbreaking prefixes.

    Args:
        pack: the pack. One that is made from bitext says itself how its language's text becomes words.
        language: another language; see :func:`language_text`.
    """
    own = str(pack.path / LANGUAGE_FILE) if LANGUAGE_FILE in pack.manifest.files else pack.language
    return language_text(language or own, prefixes=pack.nonbreaking_prefixes)


def _language(name: str | None) -> Language | None:
    if name is None:
        return None
    try:
        return find_language(name, plugin_registry())
    except ConfigError:
        if not re.fullmatch(r"[A-Za-z0-9]+([-_][A-Za-z0-9]+)*", name):
            raise
        return None


def _prefixes(language: Language | None, given: PathLike | None) -> bytes | None:
    if given is not None:
        with os_errors_as(InputError, f"cannot read {given}"):
            return Path(given).read_bytes()
    if language is None or language.pack is None or language.normalization is Normalization.LOWER:
        return None
    pack = PackStore().find(language.pack) if "/" not in language.pack else None
    if pack is None or PREFIXES not in pack.manifest.files:
        return None
    return (pack.path / PREFIXES).read_bytes()
