"""``meteor-e languages``: which languages have a definition, and what is known of each."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from meteor_e.chains.lookup import find_language
from meteor_e.packs.store import PackStore
from meteor_e.plugins.registry import plugin_registry
from meteor_e.render.plain import format_table

if TYPE_CHECKING:
    from meteor_e.api.languages import Language


@click.command()
@click.argument("code", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def languages(code: str | None, as_json: bool) -> None:
    """List languages: their stems, lemmas, packs, segmenters, default task and evidence.

    With a CODE (ISO 639, BCP 47) or an English name, show one. Any other language works, too: it gets the generic
    definition of its script.

    Evidence is the change of Kendall's tau inside a segment that a module brought on human judgments: proven, neutral
    or harmful. Untested modules are off; the task "all" switches every module on.

    \b
    meteor-e languages
    meteor-e languages is
    """
    store = PackStore()
    packs: dict[str, list[str]] = {}
    for name in store.names():
        packs.setdefault(name.partition("-")[0], []).append(name)
    codes = sorted({plugin_registry().get("language", name).code for name in plugin_registry().names("language")})
    found = [find_language(code)] if code else [plugin_registry().get("language", each) for each in codes]
    rows = [_row(language, packs.get(language.code, [])) for language in found]
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
    elif code:
        click.echo("\n".join(f"{key:15}{_text(value)}" for key, value in rows[0].items()))
    else:
        lines = [[_text(value) for value in row.values()] for row in rows]
        click.echo(format_table(list(rows[0]), lines, left=len(rows[0])))


def _row(language: Language, packs: list[str]) -> dict[str, Any]:
    """Return what is known of a language; of packs, the names of those that are installed."""
    used = language.tasks[language.default_task].weights
    return {
        "code": language.code,
        "name": language.name,
        "stems": language.stemmer,
        "lemmas": language.lemmatizer,
        "synonyms": "synonym" in language.matchers,
        "paraphrases": "paraphrase" in language.matchers,
        "function words": language.function_words or (language.pack and "own"),
        "segmenter": language.segmenter,
        "packs": packs,
        "task": language.default_task,
        "evidence": {
            module: _verdict(language, module, module in used)
            for module in language.matchers
            if module in ("stem", "lemma", "synonym", "paraphrase")
        },
    }


def _verdict(language: Language, module: str, on: bool) -> str:
    """Return what is known of a module, and whether it is on."""
    known = language.evidence.get(module)
    text = f"{known.verdict} {known.change:+.3f} ({known.data})" if known else "untested"
    return f"{text}, {'on' if on else 'off'}"


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{name} {text}" for name, text in value.items()) or "-"
    if isinstance(value, list):
        return ", ".join(value) or "-"
    return {None: "-", True: "yes", False: "-"}.get(value) or str(value)
