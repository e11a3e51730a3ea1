"""Write the language file of a pack: a language definition that names the pack."""

from __future__ import annotations

import json
from dataclasses import asdict

from meteor_e.api import Language
from meteor_e.api.languages import Normalization, Task
from meteor_e.languages.files import own_tasks
from meteor_e_bitext.texts import LanguageText


def format_language_file(text: LanguageText) -> str:
    """Return a language file for the folder of a pack, which becomes the pack of the language.

    Matchers and tasks are taken from the user's language file, if there is one. A built-in language gets the universal
    parameters, because its own parameters were tuned with another paraphrase table.
    """
    language = text.language
    mode = text.normalizer.mode if text.normalizer is not None else Normalization.NONE
    name = language.name if language is not None else text.code
    apostrophes = language.apostrophes if language is not None else "apart"
    lines = [
        f"code: {json.dumps(text.code)}",  # in quotes, because YAML reads the code of Norwegian, no, as false
        f"name: {json.dumps(name, ensure_ascii=False)}",
        f"normalization: {mode.value}",
        f"apostrophes: {apostrophes}",
    ]
    matchers = ["exact", "paraphrase"]
    default_task = "universal"
    tasks: dict[str, Task] = {}
    if language is not None:
        lines += _format_components(language, has_segmenter=text.segment is not None)
        matchers = _select_matchers(language)
        if language.path:
            default_task = language.default_task
            tasks = own_tasks(language)
    lines += [
        "pack: ./  # the folder of this file",
        f"matchers: [{', '.join(matchers)}]",
        f"default_task: {default_task}" + ("" if tasks else "  # until it is tuned: meteor-e tune"),
    ]
    if tasks:
        lines.append("tasks:")
        lines += [f"  {json.dumps(name)}: {json.dumps(asdict(task))}" for name, task in tasks.items()]
    return "\n".join(lines) + "\n"


def _format_components(language: Language, has_segmenter: bool) -> list[str]:
    """Return the lines for the stemmer, the other names of the language, and the segmenter."""
    lines = []
    if language.stemmer:
        lines.append(f"stemmer: {language.stemmer}")
    if language.path and language.aliases:
        lines.append(f"aliases: {json.dumps(language.aliases)}")
    if language.path and language.meteor_code != language.code:
        lines.append(f"meteor_code: {json.dumps(language.meteor_code)}")
    if language.segmenter and has_segmenter:
        lines.append(f"segmenter: {language.segmenter}")
    return lines


def _select_matchers(language: Language) -> list[str]:
    """Return the matchers of the language file. Those of a user's file are kept, and ``paraphrase`` is added."""
    if language.path:
        return list(dict.fromkeys((*language.matchers, "paraphrase")))
    if language.stemmer:
        return ["exact", "stem", "paraphrase"]
    return ["exact", "paraphrase"]
