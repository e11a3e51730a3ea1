"""``meteor-e languages``: which languages have a definition, and what each has."""

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


_LEMMAS = ("simplemma",)
_SYNONYMS = ("omw", "dbnary")
_MODULES = {
    "stem": "stem",
    "paraphrase": "paraphrase",
    **dict.fromkeys(_LEMMAS, "lemma"),
    **dict.fromkeys(_SYNONYMS, "synonym"),
}
"""The matcher that each resource is for; function words have none."""


@click.command()
@click.argument("code", required=False)
@click.option("--wide", is_flag=True, help="Print all columns, in lines of up to 300 characters.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def languages(code: str | None, wide: bool, as_json: bool) -> None:
    """List languages, their resources and parameters, and what resources change in agreement with people.

    With a CODE (ISO 639, BCP 47) or an English name, show one. Any other language works, too: it gets the generic
    definition of its script.

    Evidence is a measurement: how much a resource changes segment-level Kendall's tau on human judgments, with its
    95 % interval. A resource is proven if the interval is above 0, harmful if it is below 0, else neutral. The
    modules of METEOR 1.5 are on in its languages; of other languages, resources that were not tested are off. The task
    "all" switches every module on.

    \b
    meteor-e languages
    meteor-e languages is
    """
    codes = sorted({plugin_registry().languages.get(name).code for name in plugin_registry().languages.names()})
    found = [find_language(code)] if code else [plugin_registry().languages.get(each) for each in codes]
    packs: dict[str, list[str]] = {}
    for name in PackStore().names():
        packs.setdefault(name.partition("-")[0], []).append(name)
    rows = [{**describe(language), "packs": packs.get(language.code, [])} for language in found]
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
    elif code:
        click.echo(format_wrapped_table(["key", "value"], [[key, spell(value)] for key, value in rows[0].items()]))
    elif not wide:
        summaries = [[row["code"], row["name"], summarize_resources(row), spell(row["packs"])] for row in rows]
        click.echo(format_table(["code", "name", "resources", "packs"], summaries, left=4))
        click.echo("\n`meteor-e languages CODE` shows all about one language, --wide all columns.")
    else:
        header = list(rows[0])
        for row in rows:
            row["evidence"] = _tested(row["evidence"])
        click.echo(format_table(header, [[spell(row[key]) for key in header] for row in rows], left=len(header)))


def describe(language: Language) -> dict[str, Any]:
    """Return what is known of a language."""
    task = language.tasks[language.default_task]
    lemmas = [name for name in _LEMMAS if name in language.resources]
    if language.lemmatizer and language.lemmatizer not in lemmas:
        lemmas.append(f"{language.lemmatizer} of your own")
    own = ["own"] if "synonym" in task.weights else []
    words = language.function_words or (language.pack and "own")
    return {
        "code": language.code,
        "name": language.name,
        "stems": language.stemmer,
        "lemmas": lemmas,
        "synonyms": own + [name for name in _SYNONYMS if name in language.resources],
        "paraphrases": has_paraphrases(language),
        "function words": words,
        "segmenter": language.segmenter,
        "task": language.default_task,
        "parameters": " ".join(f"{getattr(task, name):g}" for name in GREEK),
        "evidence": {name: verdict(language, name) for name in _resources(language)},
    }


def summarize_resources(row: dict[str, Any]) -> str:
    """Return the kinds of resources that exist for a language, whether or not they are installed."""
    kinds = ("stems", "lemmas", "synonyms", "paraphrases")
    return ", ".join(kind for kind in kinds if row[kind]) or "-"


def has_paraphrases(language: Language) -> bool:
    """Return whether METEOR has a paraphrase table for a language.

    Every other language also lists the matcher ``paraphrase``. It matches only with a pack that the user builds.
    """
    return language.pack is not None and "paraphrase" in language.matchers


def _resources(language: Language) -> list[str]:
    """Return the names of a language's resources, those that were tested first."""
    modules = ["stem"] if "stem" in language.matchers else []
    modules += ["paraphrase"] if has_paraphrases(language) else []
    return list(dict.fromkeys([*language.evidence, *modules, *language.resources]))


def verdict(language: Language, name: str) -> str:
    """Return what is known of a resource, and whether it is on."""
    used = language.tasks[language.default_task].weights
    on = _MODULES.get(name, "") in used and name in ("stem", "paraphrase", language.lemmatizer)
    on = on or (name == "function words" and language.function_words is None and language.pack is not None)
    known = language.evidence.get(name)
    text = "untested"
    if known:
        text = f"{known.verdict} {known.change:+.4f} [{known.low:+.4f}, {known.high:+.4f}] ({known.data})"
    return f"{text}, {'on' if on else 'off'}"


def _tested(evidence: dict[str, str]) -> str:
    """Return verdict and figure of what was tested, without intervals and judgments."""
    known = [
        f"{name} {' '.join(text.split()[:2])}, {text.rpartition(' ')[2]}"
        for name, text in evidence.items()
        if not text.startswith("untested")
    ]
    return "; ".join(known) or "untested"


def spell(value: Any) -> str:
    """Return what is known as text."""
    if isinstance(value, dict):
        return "; ".join(f"{name} {text}" for name, text in value.items()) or "-"
    if isinstance(value, list):
        return ", ".join(value) or "-"
    return {None: "-", True: "yes", False: "-"}.get(value) or str(value)
