"""Writes the language file of a pack, which defines the language and specifies its pack."""

from __future__ import annotations

import json
from dataclasses import asdict

from meteor_e.api import Language
from meteor_e.api.languages import Normalization, Task
from meteor_e.languages.files import own_tasks
from meteor_e_bitext.texts import LanguageText


def format_language_file(text: LanguageText) -> str:
    """Return the content of a language file for a pack that was built from bitext.

    The file contains the matchers and tasks of the user's language file if the user specified one. Otherwise, it
    specifies the universal parameters, because the parameters of built-in languages were tuned with other paraphrases.

    Args:
        text: the language of the pack and its tokenization.
    """
    language = text.language
    mode = text.normalizer.mode if text.normalizer is not None else Normalization.NONE
    name = language.name if language is not None else text.code
    apostrophes = language.apostrophes if language is not None else "apart"
    lines = [
        f"code: {json.dumps(text.code)}",  # Without quotes, the code of Norwegian (no) would mean false in YAML.
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
    """Return the lines that specify the stemmer, the other names and the segmenter of a language."""
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
    """Return the matchers of a language, including ``paraphrase``."""
    if language.path:
        return list(dict.fromkeys((*language.matchers, "paraphrase")))
    if language.stemmer:
        return ["exact", "stem", "paraphrase"]
    return ["exact", "paraphrase"]
