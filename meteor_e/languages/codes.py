"""Codes of languages as people write them, and languages that have no file.

ISO 639-1 and 639-3, BCP 47 with script and region, and English names stand for one language each. Parsing, old codes
and the likely script of a language come from ``langcodes``. A language without a file gets the generic definition of
its script: exact matches, and the segmenter that fits the script.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Collection
from dataclasses import replace
from typing import NamedTuple

from meteor_e.api.languages import ISO_CODES, Language
from meteor_e.base.errors import ConfigError, near_miss
from meteor_e.languages.files import RESOURCES, common_tasks, generic_tasks

_ANY_SCRIPT = {"sr", "zh", "no"}
"""Languages whose files serve every script that they are written in."""

_GROUPS = {"fil": "tl", "nb": "no", "nn": "no"}
"""Codes that share the file of another one."""

_SPACELESS = {"Hans", "Hant", "Hani", "Jpan", "Bopo", "Thai", "Laoo", "Khmr", "Mymr", "Tibt"}
"""Scripts without spaces between words."""


class LanguageTag(NamedTuple):
    """What a code means.

    Attributes:
        code: the code in its standard form, such as ``pt-BR``.
        language: code of the language alone; of a group of languages that have one code, that code: ``no`` for ``nb``.
        script: the script that is meant, or the likely one, as ISO 15924 calls it.
        other_script: whether the code names a script that is not the language's usual one.
    """

    code: str
    language: str
    script: str
    other_script: bool

    def candidates(self) -> tuple[str, ...]:
        """Return the codes of files that serve this language, the closest first."""
        found = (self.code, f"{self.language}-{self.script}")
        if self.other_script and self.language not in _ANY_SCRIPT:
            return found
        return *found, self.code.partition("-")[0], self.language


@functools.cache
def language_names() -> dict[str, str]:
    """Return the English names of languages, by code."""
    names: dict[str, str] = json.loads((RESOURCES / "languages" / "names.json").read_text(encoding="utf-8"))
    return names


def find_tag(text: str, known: Collection[str] = ()) -> LanguageTag:
    """Return the language that a code or an English name stands for; case does not matter.

    Args:
        text: a code of ISO 639-1 or 639-3, a BCP 47 tag, with ``-`` or ``_``, or a name.
        known: codes that languages of plugins add, for the near miss of an error.

    Raises:
        ConfigError: if it is none of these; the message has a near miss.
    """
    import langcodes

    written = text.strip().replace("_", "-")
    primary, dash, rest = written.partition("-")
    if primary.lower() in ISO_CODES and (not dash or primary.lower() == "cz"):  # as METEOR and WMT write them
        written = f"{ISO_CODES[primary.lower()]}{dash}{rest}"
    try:
        tag = langcodes.Language.get(written)
        valid = tag.is_valid() and bool(tag.language) and tag.language != "und"
    except (ValueError, LookupError):
        valid = False
    if not valid:
        by_name = {name.casefold(): code for code, name in language_names().items()}
        code = by_name.get(text.strip().casefold())
        if code is None:
            miss = near_miss(text.casefold(), {*by_name, *known})
            raise ConfigError(
                f"there is no language {text!r}{miss}; give an ISO 639 code, a BCP 47 tag such as pt-BR, or an English "
                "name; 'meteor-e languages' lists those that have a definition, and 'other' is for any language"
            )
        tag = langcodes.Language.get(code)
    usual = langcodes.Language.get(str(tag.language)).maximize().script or "Latn"
    script = tag.script or tag.maximize().script or usual
    language = str(tag.prefer_macrolanguage().language)
    language = _GROUPS.get(language, language)
    return LanguageTag(tag.to_tag(), language, script, tag.script is not None and tag.script != usual)


def generic_language(tag: LanguageTag) -> Language:
    """Return the definition of a language that has no file: that of its script."""
    code = tag.language
    return Language(
        code=tag.code,
        name=language_names().get(tag.code, language_names().get(code, f"language {code}")),
        matchers=("exact",),
        tasks={
            # The chain any keeps its matchers; what only a pack has is left out.
            name: replace(task, weights={key: weight for key, weight in task.weights.items() if key != "paraphrase"})
            for name, task in generic_tasks(("exact",), common_tasks()).items()
        },
        default_task="universal",
        meteor_code=tag.code,
        segmenter="characters" if tag.script in _SPACELESS else "unicode",
        source=f"the generic definition of the script {tag.script}",
        script=tag.script,
    )
