"""Look up the codes and names of languages, and define languages that do not have a language file.

A language can be named by an ISO 639-1 or 639-3 code, a BCP 47 tag with script and region, or its English name.
``langcodes`` parses the codes, replaces deprecated ones, and supplies the likely script of a language. The generic
definition of a language consists of the matcher ``exact`` and a segmenter for the script of the language.

Importing ``langcodes`` is slow, so this module is imported only for languages that the registry does not contain.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Collection
from dataclasses import replace
from typing import NamedTuple

import langcodes

from meteor_e.api.languages import ISO_CODES, Language
from meteor_e.base.errors import ConfigError, near_miss
from meteor_e.languages.files import RESOURCES, common_tasks, make_tasks

_ANY_SCRIPT = {"sr", "zh", "no"}
"""Languages whose language files apply to every script that the language is written in."""

_SHARED_FILES = {"fil": "tl", "nb": "no", "nn": "no"}
"""A mapping from the codes of languages without a language file to the codes whose language files they use."""

_SPACELESS = {"Hans", "Hant", "Hani", "Jpan", "Bopo", "Thai", "Laoo", "Khmr", "Mymr", "Tibt"}
"""Scripts without spaces between words."""


class LanguageTag(NamedTuple):
    """A parsed language code.

    Attributes:
        code: the code in its standard form, such as ``pt-BR``.
        language: the code of the language without script and region. Languages that share a language file have the
            code of that file: ``no`` for ``nb``.
        script: the ISO 15924 code of the script, by default the likely script of the language.
        has_unusual_script: whether the code names a script that is not the usual script of the language.
    """

    code: str
    language: str
    script: str
    has_unusual_script: bool

    def candidates(self) -> tuple[str, ...]:
        """List the codes that the definition of this language may have. The most specific code comes first."""
        codes = (self.code, f"{self.language}-{self.script}")
        if self.has_unusual_script and self.language not in _ANY_SCRIPT:
            return codes
        return *codes, self.code.partition("-")[0], self.language


@functools.cache
def language_names() -> dict[str, str]:
    """Return a mapping from language codes to the English names of the languages."""
    names: dict[str, str] = json.loads((RESOURCES / "languages" / "names.json").read_text(encoding="utf-8"))
    return names


def parse_tag(text: str, defined_codes: Collection[str] = ()) -> LanguageTag:
    """Parse a language code or an English language name. Case is ignored.

    Args:
        text: an ISO 639-1 or 639-3 code, a BCP 47 tag with ``-`` or ``_``, or an English name.
        defined_codes: the codes of languages that have definitions. The error message may suggest one of them.

    Raises:
        ConfigError: if the language does not exist. The message suggests a similar name.
    """
    language = _parse_code(text)
    if language is None:
        language = langcodes.Language.get(_find_code(text, defined_codes))
    macrolanguage = str(language.prefer_macrolanguage().language)
    return LanguageTag(
        code=language.to_tag(),
        language=_SHARED_FILES.get(macrolanguage, macrolanguage),
        script=_find_script(language),
        has_unusual_script=_has_unusual_script(language),
    )


def _has_unusual_script(tag: langcodes.Language) -> bool:
    """Return whether a tag names a script that is not the usual script of its language."""
    language_without_region = langcodes.Language.get(str(tag.language))
    return tag.script is not None and tag.script != _find_script(language_without_region)


def _find_script(tag: langcodes.Language) -> str:
    """Return the ISO 15924 code of the script that belongs to a language tag.

    If the tag does not name a script, return the most likely script of the tag's language and region. If the most
    likely script is unknown, return ``Latn``.
    """
    return tag.script or tag.maximize().script or "Latn"


def _find_code(name: str, defined_codes: Collection[str]) -> str:
    """Return the code of a language, given its English name. See :func:`parse_tag`."""
    codes = {name.casefold(): code for code, name in language_names().items()}
    code = codes.get(name.strip().casefold())
    if code is None:
        suggestion = near_miss(name.casefold(), {*codes, *defined_codes})
        raise ConfigError(
            f"there is no language {name!r}{suggestion}; give an ISO 639 code, a BCP 47 tag such as pt-BR, or an "
            "English name; `meteor-e languages` lists languages with a definition; 'other' is for other languages"
        )
    return code


def _parse_code(text: str) -> langcodes.Language | None:
    """Parse an ISO 639 code or a BCP 47 tag. Return ``None`` if the string is not a valid code."""
    code = _replace_meteor_code(text.strip().replace("_", "-"))
    try:
        tag = langcodes.Language.get(code)
        is_valid = tag.is_valid() and tag.language not in (None, "", "und")
    except (ValueError, LookupError):
        return None
    return tag if is_valid else None


def _replace_meteor_code(code: str) -> str:
    """Replace METEOR's code for Czech or Swedish, "cz" or "se", by the ISO 639 code of the language.

    In ISO 639, "se" is Northern Sami. This code is therefore replaced only if it stands alone.
    """
    language, hyphen, subtags = code.partition("-")
    if language.lower() == "cz":
        return f"{ISO_CODES['cz']}{hyphen}{subtags}"
    return ISO_CODES["se"] if code.lower() == "se" else code


def generic_language(tag: LanguageTag) -> Language:
    """Return the generic definition of a language that does not have a language file."""
    names = language_names()
    english_name = names.get(tag.code) or names.get(tag.language) or f"language {tag.language}"
    tasks = {}
    for name, task in make_tasks(("exact",), common_tasks()).items():
        # The matcher "paraphrase" needs a resource pack. A language without a language file does not have a pack.
        weights = {matcher: weight for matcher, weight in task.weights.items() if matcher != "paraphrase"}
        tasks[name] = replace(task, weights=weights)
    return Language(
        code=tag.code,
        name=english_name,
        matchers=("exact",),
        tasks=tasks,
        default_task="universal",
        meteor_code=tag.code,
        segmenter="characters" if tag.script in _SPACELESS else "unicode",
        source=f"the generic definition of the script {tag.script}",
        script=tag.script,
    )
