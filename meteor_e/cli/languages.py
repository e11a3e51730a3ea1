"""The command ``meteor-e languages`` lists the supported languages and their resources."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from meteor_e.api.languages import GREEK
from meteor_e.chains.chain import find_language
from meteor_e.packs.store import PackStore
from meteor_e.plugins.registry import plugin_registry
from meteor_e.render.columns import format_wrapped_table
from meteor_e.render.plain import format_table

if TYPE_CHECKING:
    from meteor_e.api.languages import Language


_LEMMATIZERS = ("simplemma",)
_WORDNETS = ("omw", "dbnary")
_MATCHERS = {
    "stem": "stem",
    "paraphrase": "paraphrase",
    **dict.fromkeys(_LEMMATIZERS, "lemma"),
    **dict.fromkeys(_WORDNETS, "synonym"),
}
"""The table maps each resource to the matcher that uses it. Function words do not need a matcher."""

_FROM_PACK = "own"
"""In a table cell, this value means that the data come from the resource pack of the language."""


@click.command()
@click.argument("code", required=False)
@click.option("--wide", is_flag=True, help="Print all columns, in lines of up to 300 characters.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def languages(code: str | None, wide: bool, as_json: bool) -> None:
    """List languages, their resources, and the measured effect of each resource.

    If a CODE is given, only this language is shown. CODE is an ISO 639 code, a BCP 47 code or the English name of a
    language. Languages that are not listed use the generic definition of their script.

    The evidence is the measured effect of a resource: the change in segment-level Kendall's tau with human judgments,
    with a 95% confidence interval. A resource is proven if the interval is above 0, harmful if it is below 0, and
    neutral otherwise. Languages of METEOR 1.5 use the matchers of METEOR 1.5. Other languages do not use untested
    resources by default. The task "all" turns every matcher on.

    \b
    meteor-e languages
    meteor-e languages is
    """
    selected_languages = [find_language(code)] if code else _list_defined_languages()
    packs = _list_installed_packs()
    rows = [{**describe(language), "packs": packs.get(language.code, [])} for language in selected_languages]
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
    elif code:
        lines = [[key, spell(value)] for key, value in rows[0].items()]
        click.echo(format_wrapped_table(["key", "value"], lines))
    elif wide:
        click.echo(_format_all_columns(selected_languages, rows))
    else:
        click.echo(_format_summaries(rows))
        click.echo("\n`meteor-e languages CODE` describes one language, --wide shows all columns.")


def _list_defined_languages() -> list[Language]:
    """Return all languages that have a definition, sorted by code."""
    registry = plugin_registry().languages
    codes = {registry.get(name).code for name in registry.names()}
    return [registry.get(code) for code in sorted(codes)]


def _list_installed_packs() -> dict[str, list[str]]:
    """Return the names of the installed resource packs by language code."""
    packs: dict[str, list[str]] = {}
    for name in PackStore().names():
        packs.setdefault(name.partition("-")[0], []).append(name)
    return packs


def _format_all_columns(languages: list[Language], rows: list[dict[str, Any]]) -> str:
    """Format the descriptions of languages as a table with one column per key and a short summary of the evidence."""
    header = list(rows[0])
    lines = []
    for language, row in zip(languages, rows, strict=True):
        summarized_row = {**row, "evidence": _summarize_evidence(language)}
        lines.append(list(map(spell, summarized_row.values())))
    return format_table(header, lines, left=len(header))


def _format_summaries(rows: list[dict[str, Any]]) -> str:
    """Format the descriptions of languages as a table with the names, the resources and the installed packs."""
    lines = [[row["code"], row["name"], summarize_resources(row), spell(row["packs"])] for row in rows]
    return format_table(["code", "name", "resources", "packs"], lines, left=4)


def describe(language: Language) -> dict[str, Any]:
    """Describe a language in a dictionary whose keys are the column titles of the table."""
    task = language.tasks[language.default_task]
    pack_synonyms = [_FROM_PACK] if "synonym" in task.weights else []
    pack_function_words = _FROM_PACK if language.pack else None
    return {
        "code": language.code,
        "name": language.name,
        "stems": language.stemmer,
        "lemmas": _list_lemmatizers(language),
        "synonyms": [*pack_synonyms, *(name for name in _WORDNETS if name in language.resources)],
        "paraphrases": has_paraphrases(language),
        "function words": language.function_words or pack_function_words,
        "segmenter": language.segmenter,
        "task": language.default_task,
        "parameters": " ".join(f"{getattr(task, name):g}" for name in GREEK),
        "evidence": {name: verdict(language, name) for name in _list_resources(language)},
    }


def _list_lemmatizers(language: Language) -> list[str]:
    """Return the lemmatizers of a language, including a lemmatizer that the user has added to the language file."""
    lemmatizers = [name for name in _LEMMATIZERS if name in language.resources]
    if language.lemmatizer and language.lemmatizer not in lemmatizers:
        lemmatizers.append(f"{language.lemmatizer} of your own")
    return lemmatizers


def summarize_resources(row: dict[str, Any]) -> str:
    """Return the kinds of resources that exist for a language, whether or not they are installed."""
    kinds = ("stems", "lemmas", "synonyms", "paraphrases")
    return ", ".join(kind for kind in kinds if row[kind]) or "-"


def has_paraphrases(language: Language) -> bool:
    """Return whether METEOR 1.5 provides a paraphrase table for a language.

    Other languages also list the matcher ``paraphrase``, but users must build the required resource pack themselves.
    """
    return language.pack is not None and "paraphrase" in language.matchers


def _list_resources(language: Language) -> list[str]:
    """Return the names of a language's resources. Resources with a measured effect come first."""
    matchers = ["stem"] if "stem" in language.matchers else []
    if has_paraphrases(language):
        matchers.append("paraphrase")
    return list(dict.fromkeys([*language.evidence, *matchers, *language.resources]))


def verdict(language: Language, resource: str) -> str:
    """Describe the measured effect of a resource, and state whether the default task uses the resource (on or off)."""
    evidence = language.evidence.get(resource)
    text = "untested"
    if evidence:
        interval = f"[{evidence.low:+.4f}, {evidence.high:+.4f}]"
        text = f"{evidence.verdict} {evidence.change:+.4f} {interval} ({evidence.data})"
    return f"{text}, {_usage(language, resource)}"


def _usage(language: Language, resource: str) -> str:
    """Return ``on`` if METEOR uses a resource of a language by default, or ``off`` if it does not."""
    if resource == "function words":
        is_used = language.function_words is None and language.pack is not None
    else:
        task = language.tasks[language.default_task]
        has_weight = _MATCHERS.get(resource) in task.weights
        is_used = has_weight and resource in ("stem", "paraphrase", language.lemmatizer)
    return "on" if is_used else "off"


def _summarize_evidence(language: Language) -> str:
    """Return a short text with the measured effect of each resource of a language."""
    summaries = []
    for resource, evidence in language.evidence.items():
        usage = _usage(language, resource)
        summaries.append(f"{resource} {evidence.verdict} {evidence.change:+.4f}, {usage}")
    return "; ".join(summaries) or "untested"


def spell(value: Any) -> str:
    """Format a value from the description of a language. Empty values become a dash."""
    if isinstance(value, dict):
        return "; ".join(f"{name} {text}" for name, text in value.items()) or "-"
    if isinstance(value, list):
        return ", ".join(value) or "-"
    if value is True:
        return "yes"
    if value is None or value is False:
        return "-"
    return str(value)
