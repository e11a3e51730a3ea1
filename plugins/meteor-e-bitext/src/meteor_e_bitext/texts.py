"""Tokenize text in the same way as the METEOR metric, but without creating the metric."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from meteor_e.api import ConfigError, InputError, Language, Segmenter
from meteor_e.api.languages import NonbreakingPrefixes, Normalization
from meteor_e.api.tokens import split_words
from meteor_e.base.files import PathLike, decode_utf8, os_errors_as
from meteor_e.chains.chain import find_language, make_segmenter
from meteor_e.engine.tokenizer import Tokenizer
from meteor_e.packs.pack import LANGUAGE_FILE, PREFIXES, Pack, parse_prefixes
from meteor_e.packs.store import PackStore
from meteor_e.plugins.registry import plugin_registry
from meteor_e.text.normalization import Normalizer

_UNKNOWN_LANGUAGE = Language(code="", name="", matchers=(), tasks={}, default_task="", normalization=Normalization.FULL)
"""The settings of a language that does not have a definition."""


@dataclass(frozen=True)
class LanguageText:
    """Store a language and its tokenization settings. Use :func:`language_text` to create an instance.

    Attributes:
        code: the ISO code of the language, or a name that the user has chosen.
        language: the definition of the language, or None if the language does not have a definition.
        normalizer: normalizes a line before it is split at white space. If it is None, lines are not normalized.
        segment: inserts spaces between the words of a line. It is None if the language does not have a segmenter.
        prefixes: the content of the list of nonbreaking prefixes, or None if the list does not exist.
        description: a description of all settings that affect the tokenization.
    """

    code: str
    language: Language | None
    normalizer: Normalizer | None
    segment: Callable[[str], str] | None
    prefixes: bytes | None
    description: str

    def words(self, line: str) -> list[str]:
        """Split a line into words."""
        if self.segment is not None:
            line = self.segment(line)
        if self.normalizer is not None:
            line = self.normalizer(line)
        return split_words(line)

    def tokenizer(self, threads: int = 1) -> Tokenizer:
        """Return a tokenizer that converts lines to word ids. The native core is used if it is installed.

        Args:
            threads: the number of threads that tokenize lines.
        """
        return Tokenizer(self.normalizer, self.segment, threads)


def language_text(
    name: str | None,
    *,
    whitespace: bool = False,
    prefixes: PathLike | NonbreakingPrefixes | None = None,
) -> LanguageText:
    """Return a language and its tokenization settings. By default, the settings are the same as for scoring.

    Args:
        name: the code of a language, which may be unknown, or the path of a language file. None means no particular
            language.
        whitespace: whether to split the text only at white space, regardless of the language.
        prefixes: the path of a file of nonbreaking prefixes, or the prefixes themselves. By default, the prefixes of
            the language's pack are used if the pack is installed. Text that is only split at white space does not need
            prefixes.

    Raises:
        ConfigError: if the language file is malformed, or if the name is neither a code nor a file.
        InputError: if the file of prefixes cannot be read.
    """
    language = _find_language(name)
    code = language.code if language is not None else name or "other"
    if whitespace:
        return LanguageText(
            code=code, language=language, normalizer=None, segment=None, prefixes=None, description="white space"
        )
    if isinstance(prefixes, NonbreakingPrefixes):
        return _make_scoring_text(code, language, prefixes, prefix_list=None)
    prefix_list = _read_pack_prefixes(language) if prefixes is None else _read_file(prefixes)
    return _make_scoring_text(code, language, _parse_prefix_list(prefix_list), prefix_list)


def _make_scoring_text(
    code: str, language: Language | None, prefixes: NonbreakingPrefixes, prefix_list: bytes | None
) -> LanguageText:
    """Return a language with the tokenization settings that are used for scoring.

    Args:
        code: the code of the language.
        language: the definition of the language, or None for a language without a definition.
        prefixes: the nonbreaking prefixes.
        prefix_list: the content of the file that lists the prefixes, or None if the file does not exist.
    """
    settings = language or _UNKNOWN_LANGUAGE
    segmenter = None if settings.segmenter is None else make_segmenter(settings, plugin_registry())
    return LanguageText(
        code=code,
        language=language,
        normalizer=Normalizer(settings.normalization, settings.apostrophes, prefixes),
        segment=None if segmenter is None else segmenter.join,
        prefixes=prefix_list,
        description=_describe_tokenization(settings, prefix_list, segmenter),
    )


def _describe_tokenization(language: Language, prefixes: bytes | None, segmenter: Segmenter | None) -> str:
    """Return a description of all settings that affect the tokenization.

    Args:
        language: the definition of the language.
        prefixes: the content of the list of nonbreaking prefixes, or None if the list does not exist.
        segmenter: the word segmenter, or None if words are separated by white space.
    """
    digest = "none" if prefixes is None else hashlib.sha256(prefixes).hexdigest()[:12]
    description = f"{language.normalization.value}, apostrophes {language.apostrophes}, prefixes {digest}"
    if segmenter is None:
        return description
    return f"{description}, segmenter {segmenter.name}({segmenter.describe()})"


def pack_text(pack: Pack, language: str | None = None) -> LanguageText:
    """Return a pack's language and its tokenization settings. The settings include the pack's nonbreaking prefixes.

    Args:
        pack: the pack.
        language: the language to use instead of that of the pack; see :func:`language_text`. By default, the language
            file of the pack defines the language if the pack was built from bitext.
    """
    if language is None:
        has_language_file = LANGUAGE_FILE in pack.manifest.files
        language = str(pack.path / LANGUAGE_FILE) if has_language_file else pack.language
    return language_text(language, prefixes=pack.nonbreaking_prefixes)


def _find_language(name: str | None) -> Language | None:
    """Return the definition of a language, or None if the name is an unknown language code."""
    if name is None:
        return None
    try:
        return find_language(name, plugin_registry())
    except ConfigError:
        is_code = re.fullmatch(r"[A-Za-z0-9]+([-_][A-Za-z0-9]+)*", name)
        if not is_code:
            raise
        return None


def _parse_prefix_list(prefix_list: bytes | None) -> NonbreakingPrefixes:
    """Parse the content of a file that lists nonbreaking prefixes. Without a list, there are no prefixes."""
    if prefix_list is None:
        return NonbreakingPrefixes()
    return parse_prefixes(decode_utf8(prefix_list, "the list of prefixes"))


def _read_file(path: PathLike) -> bytes:
    """Return the content of a file. Raise an :class:`InputError` if it cannot be read."""
    with os_errors_as(InputError, f"cannot read {path}"):
        return Path(path).read_bytes()


def _read_pack_prefixes(language: Language | None) -> bytes | None:
    """Return the list of nonbreaking prefixes in the installed pack of a language, or None if there is no list."""
    if language is None or language.pack is None:
        return None
    is_folder = "/" in language.pack
    uses_prefixes = language.normalization is not Normalization.LOWER
    if is_folder or not uses_prefixes:
        return None
    pack = PackStore().find(language.pack)
    if pack is None or PREFIXES not in pack.manifest.files:
        return None
    return (pack.path / PREFIXES).read_bytes()
