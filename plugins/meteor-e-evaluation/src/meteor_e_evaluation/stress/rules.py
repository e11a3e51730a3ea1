"""All perturbations: ours, and those of plugins."""

from __future__ import annotations

from meteor_e.api import Perturbation
from meteor_e.plugins.registry import plugin_registry
from meteor_e_evaluation.stress import english, general

_CLASSES = [
    found
    for module in (english, general)
    for found in vars(module).values()
    if isinstance(found, type) and issubclass(found, Perturbation) and found.__module__ == module.__name__
]
_GROUPS = (
    *("polarity", "meaning", "addition", "omission", "repetition", "order", "grammar", "spelling", "casing"),
    *("punctuation", "untranslated", "degenerate", "writing"),
)
BUILT_IN = {found.name: found for found in sorted(_CLASSES, key=lambda found: _GROUPS.index(found.group))}
"""Our perturbations by name, those of one group together."""


def perturbations(language: str = "en") -> list[Perturbation]:
    """Return the perturbations for a language, those of plugins last.

    Args:
        language: ISO code. English has rules of its own; all others have those that need no grammar.
    """
    registry = plugin_registry()
    names = [*BUILT_IN, *(name for name in registry.names("perturbation") if name not in BUILT_IN)]
    classes = [BUILT_IN[name] if name in BUILT_IN else registry.get("perturbation", name) for name in names]
    return [found() for found in classes if not found.languages or language in found.languages]
