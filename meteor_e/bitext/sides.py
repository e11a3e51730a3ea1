"""A language as far as building a pack is concerned: how its text becomes words, and its definition."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from meteor_e.api.languages import Language, NonbreakingPrefixes, Normalization
from meteor_e.base.errors import ConfigError, InputError
from meteor_e.base.files import PathLike, read_regular
from meteor_e.chains.lookup import find_language, make_segmenter
from meteor_e.languages.files import own_tasks
from meteor_e.packs.manifest import PREFIXES
from meteor_e.packs.store import PackStore
from meteor_e.packs.wordlists import MAX_SIZE, decode, parse_prefixes
from meteor_e.plugins.registry import registry
from meteor_e.text.normalization import Normalizer

__all__ = ["LanguageSide", "language_side"]


@dataclass(frozen=True)
class LanguageSide:
    """A side of a bitext.

    Attributes:
        code: ISO code of the language, or what the user calls it.
        language: its definition, ``None`` if it has none yet.
        normalizer: ``None``: text is split on white space and taken as it is.
        segment: its segmenter, for text without spaces.
        prefixes: text of its list of nonbreaking prefixes.
        description: all that decides how text becomes words.
    """

    code: str
    language: Language | None
    normalizer: Normalizer | None
    segment: Callable[[str], str] | None
    prefixes: bytes | None
    description: str

    def definition(self) -> str:
        """Return a language file that makes the pack in whose folder it lies the language's.

        What a language file of the user's says of matchers and tasks, it says, too; languages that are known by
        their codes get the universal parameters, because theirs were tuned with another table.
        """
        language = self.language
        mode = self.normalizer.mode if self.normalizer is not None else Normalization.NONE
        name = language.name if language is not None else self.code
        lines = [
            f"code: {json.dumps(self.code)}",  # quoted: no is a code
            f"name: {json.dumps(name, ensure_ascii=False)}",
            f"normalization: {mode.value}",
            f"apostrophes: {language.apostrophes if language is not None else 'apart'}",
        ]
        matchers, task, tasks = ["exact", "paraphrase"], "universal", {}
        if language is not None and language.stemmer:
            lines.append(f"stemmer: {language.stemmer}")
            matchers.insert(1, "stem")
        if language is not None and language.path:
            matchers = [*dict.fromkeys((*language.matchers, "paraphrase"))]
            task, tasks = language.default_task, own_tasks(language)
            if language.aliases:
                lines.append(f"aliases: {json.dumps(language.aliases)}")
            if language.meteor_code != language.code:
                lines.append(f"meteor_code: {json.dumps(language.meteor_code)}")
        if language is not None and language.segmenter and self.segment is not None:
            lines.append(f"segmenter: {language.segmenter}")
        lines += [
            "pack: ./  # the folder of this file",
            f"matchers: [{', '.join(matchers)}]",
            f"default_task: {task}" + ("" if tasks else "  # until it is tuned: meteor-e tune"),
        ]
        if tasks:
            lines.append("tasks:")
            lines += [f"  {json.dumps(name)}: {json.dumps(asdict(values))}" for name, values in tasks.items()]
        return "\n".join(lines) + "\n"


def language_side(name: str | None, *, whitespace: bool = False, prefixes: PathLike | None = None) -> LanguageSide:
    """Return how text in a language becomes words: as it would be scored, or on white space.

    Args:
        name: a code, known or not, or a language file. ``None``: a language that nothing is known of.
        whitespace: split on white space and do nothing else, whatever the language.
        prefixes: its list of nonbreaking prefixes. By default that of the language's pack, if it is installed.

    Raises:
        ConfigError: for a language file with mistakes, or a code that cannot be one.
        InputError: if the list cannot be read.
    """
    language = _language(name)
    code = language.code if language is not None else (name or "other")
    text = None if whitespace else _prefixes(language, prefixes)
    if whitespace:
        return LanguageSide(code, language, None, None, None, "white space")
    parsed = parse_prefixes(decode(text, "the list of prefixes")) if text is not None else NonbreakingPrefixes()
    mode = language.normalization if language is not None else Normalization.FULL
    apostrophes = language.apostrophes if language is not None else "apart"
    segment, segmenter = None, ""
    made = make_segmenter(language, registry()) if language is not None else None
    if made is not None:
        segment, segmenter = made.join, f"{made.name}({made.describe()})"
    digest = hashlib.sha256(text).hexdigest()[:12] if text is not None else "none"
    description = f"{mode.value}, apostrophes {apostrophes}, prefixes {digest}"
    if segmenter:
        description += f", segmenter {segmenter}"
    return LanguageSide(code, language, Normalizer(mode, apostrophes, parsed), segment, text, description)


def _language(name: str | None) -> Language | None:
    if name is None:
        return None
    try:
        return find_language(name, registry())
    except ConfigError:
        if not re.fullmatch(r"[A-Za-z0-9]+([-_][A-Za-z0-9]+)*", name):
            raise
        return None


def _prefixes(language: Language | None, given: PathLike | None) -> bytes | None:
    if given is not None:
        try:
            return read_regular(given, MAX_SIZE)
        except OSError as error:
            raise InputError(f"cannot read {given}: {error.strerror}") from error
    if language is None or language.pack is None or language.normalization is Normalization.LOWER:
        return None
    pack = PackStore().find(language.pack) if "/" not in language.pack else None
    if pack is None or PREFIXES not in pack.manifest.files:
        return None
    return (pack.path / PREFIXES).read_bytes()
