"""The perturbations: our table, which ``rules.yaml`` holds, and those of plugins."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from typing import Any

from meteor_e.api import ConfigError, Perturbation
from meteor_e.api.perturbations import PerturbationContext
from meteor_e.base.errors import near_miss
from meteor_e.base.yamlfile import parse_yaml
from meteor_e.plugins.registry import plugin_registry
from meteor_e_evaluation.stress import english, general
from meteor_e_evaluation.stress.general import Draft, NoOccasionError, Rule

FUNCTIONS = {**vars(general), **vars(english)}
"""What the table names."""


def _filled(template: str) -> Rule:
    """Return a rule that makes a new text of a text and what there is beside it."""

    def rule(draft: Draft) -> str:
        known = {"text": draft.text, "lower": draft.text.lower(), "upper": draft.text.upper()}
        known |= {"source": draft.context.source or "", "reference": draft.context.reference or ""}
        if "{other}" in template:
            known["other"] = general.another_text(draft)
        if any(f"{{{name}}}" in template and not known[name] for name in ("source", "reference")):
            raise NoOccasionError
        changed = template.format(**known)
        return draft.text if changed.split() == draft.text.split() else changed

    return rule


OPERATIONS: Mapping[str, Callable[[Any, Mapping[str, Any]], Rule]] = {
    "do": lambda name, row: FUNCTIONS[name],
    "replace": lambda name, row: general.replacing(FUNCTIONS[name]),
    "list": lambda name, row: general.replacing(english.listed(name, row.get("but", ()))),
    "drop": lambda name, row: general.dropping((lambda draft, at: True) if name == "any" else FUNCTIONS[name]),
    "swap": lambda places, row: general.swapping(*places),
    "text": lambda template, row: _filled(template),
    "pattern": lambda pattern, row: lambda draft: re.sub(pattern, lambda at: row["by"].get(at[0], ""), draft.text),
}
"""From what a row of the table says to what it does."""


def _perturbation(name: str, row: Mapping[str, Any]) -> type[Perturbation]:
    rule = next(make(row[key], row) for key, make in OPERATIONS.items() if key in row)

    def apply(self: Perturbation, text: str, rng: random.Random, context: PerturbationContext) -> str | None:
        try:
            changed = rule(Draft(text, rng, context))
        except NoOccasionError:
            return None
        return None if changed == text else changed

    members = {
        "name": name,
        "group": row["group"],
        "kind": "harmless" if row["group"] == "writing" else "error",
        "languages": ("en",) if "en" in row else (),
        "apply": apply,
        "__doc__": row["what"],
    }
    return type(name.title().replace("-", ""), (Perturbation,), members)


_TABLE = files("meteor_e_evaluation.stress") / "rules.yaml"
BUILT_IN = {name: _perturbation(name, row) for name, row in parse_yaml(_TABLE.read_bytes(), "rules.yaml").data.items()}
"""Our perturbations by name, those of one group together."""


def perturbations(language: str = "en") -> list[Perturbation]:
    """Return the perturbations for a language, by its ISO code; those of plugins come last."""
    registry = plugin_registry()
    others = {name: registry.get("perturbation", name) for name in registry.names("perturbation")}
    return [found() for found in (BUILT_IN | others).values() if not found.languages or language in found.languages]


def chosen_rules(language: str, only: Sequence[str] = ()) -> list[Perturbation]:
    """Return the perturbations of a language that are named, by name, group or kind.

    Raises:
        ConfigError: for a name that none has.
    """
    names = {rule: {rule.name, rule.group, rule.kind} for rule in perturbations(language)}
    known = set().union(*names.values())
    for name in only:
        if name not in known:
            raise ConfigError(f"no perturbation {name!r} for {language!r}{near_miss(name, known)}; --list shows all")
    return [rule for rule, own in names.items() if not only or own & {*only}]
