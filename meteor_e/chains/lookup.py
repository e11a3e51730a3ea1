"""Languages and segmenters by name."""

from __future__ import annotations

import os
import warnings
from dataclasses import replace

from meteor_e.api.context import MatcherContext
from meteor_e.api.languages import Language
from meteor_e.api.segmenters import Segmenter
from meteor_e.base.errors import ConfigError, MeteorWarning, PluginError
from meteor_e.base.yamlfile import is_path
from meteor_e.languages.files import read_language
from meteor_e.packs.resources import LanguageResources
from meteor_e.plugins.registry import Registry
from meteor_e.plugins.registry import plugin_registry as process_registry


def find_language(name: str, registry: Registry | None = None, *, generic: bool = True) -> Language:
    """Return a language by its code or English name, or from a file of your own.

    A language that has no definition gets the generic one of its script, with a warning.

    Args:
        name: a code (ISO 639, BCP 47), an alias, an English name, or the path of a language file (with a slash, or
            ending in ``.yaml``).
        registry: knows the codes; by default those of meteor_e and of all installed plugins.
        generic: whether a language may go without a definition of its own.

    Raises:
        ConfigError: if there is no such language, or its file has mistakes.
    """
    if is_path(name):
        return replace(read_language(name), path=os.path.abspath(name))  # noqa: PTH100 (it is only written down)
    registry = registry or process_registry()
    found: Language
    try:
        found = registry.get("language", name)
        return found
    except ConfigError:
        if not isinstance(name, str):
            raise
    from meteor_e.languages.codes import find_tag, generic_language

    known = registry.names("language")
    tag = find_tag(name, known)
    for code in tag.candidates():
        if code in known:
            found = registry.get("language", code)
            return found
    language = generic_language(tag)
    text = f"language {tag.code!r} ({language.name}) has no definition"
    if not generic:
        raise ConfigError(text)
    warnings.warn(f"{text}; it gets the generic one of the script {tag.script}", MeteorWarning, stacklevel=2)
    return language


def make_segmenter(language: Language, registry: Registry) -> Segmenter | None:
    """Return the segmenter of a language, ``None`` if it needs none.

    Raises:
        PluginError: if there is no such segmenter, or it cannot be made.
    """
    name = language.segmenter
    if name is None:
        return None
    try:
        found = registry.get("segmenter", name)
    except PluginError as error:
        raise PluginError(f"language {language.code!r}: {error}; --set segmenter=characters needs no plugin") from error
    result: Segmenter | None = found.make(MatcherContext(language, LanguageResources()))
    return result
