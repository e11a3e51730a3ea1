"""The languages that METEOR ships data for."""

from __future__ import annotations

from meteor_e.api.languages import ISO_CODES
from meteor_e.base.errors import ResourceError, near_miss

LANGUAGES = {
    "cs": "czech",
    "de": "german",
    "en": "english",
    "es": "spanish",
    "fr": "french",
    "ru": "russian",
}
"""The languages that METEOR has data for, and what it calls their word lists."""


def language_code(language: str) -> str:
    """Return the ISO code of a language that METEOR has data for; :class:`ResourceError` for any other."""
    code = ISO_CODES.get(language, language)
    if code not in LANGUAGES:
        raise ResourceError(
            f"METEOR has no data for the language {language!r}{near_miss(language, LANGUAGES)}; "
            f"it has for {', '.join(LANGUAGES)}. A language without data needs no pack; "
            "`meteor-e pack build` makes one from bitext"
        )
    return code


def is_installable(name: str) -> bool:
    """Return whether a pack is one of METEOR's, which can be downloaded."""
    return ISO_CODES.get(name, name) in LANGUAGES


def how_to_install(name: str, *, again: bool = False) -> str:
    """Return the end of a message on a pack that is missing, or damaged (``again``): what to do."""
    if is_installable(name):
        return f"install it{' again' if again else ''} with `meteor-e pack install {name}`"
    if again:
        return "build it again (`meteor-e pack build`, or `build_pack`), or take it from where it came from"
    return "it is none of METEOR's; `meteor-e pack build` makes packs from bitext, `build_pack` from files of your own"
