"""Write the language file of a pack. The file defines a language that uses the pack."""

from __future__ import annotations

import json
from dataclasses import asdict

from meteor_e.api import Language
from meteor_e.api.languages import Normalization, Task
from meteor_e.languages.files import own_tasks
from meteor_e_bitext.texts import LanguageText


def format_language_file(text: LanguageText) -> str:
    """Return the content of a language file for a pack that was built from bitext.

    If the user wrote a language file, the result has the matchers and tasks of this file. Otherwise, the default task
    of the result is ``universal``. Tasks of built-in languages are not copied, because METEOR's authors tuned these
    tasks with METEOR's own paraphrases.

    Args:
        text: the language of the pack and its tokenization.
    """
    lines = [
        *_format_tokenization(text),
        *_format_components(text),
        "pack: ./  # the folder of this file",
        f"matchers: [{', '.join(_select_matchers(text.language))}]",
        *_format_tasks(text.language),
    ]
    return "\n".join(lines) + "\n"


def _format_tokenization(text: LanguageText) -> list[str]:
    """Return the lines that specify the code, the name and the tokenization of a language."""
    language = text.language
    name = language.name if language is not None else text.code
    mode = text.normalizer.mode if text.normalizer is not None else Normalization.NONE
    apostrophes = language.apostrophes if language is not None else "apart"
    return [
        f"code: {json.dumps(text.code)}",  # Without quotes, the code of Norwegian (no) would mean false in YAML.
        f"name: {json.dumps(name, ensure_ascii=False)}",
        f"normalization: {mode.value}",
        f"apostrophes: {apostrophes}",
    ]


def _format_tasks(language: Language | None) -> list[str]:
    """Return the lines that specify the default task and the parameters of all tasks."""
    default_task = "universal"
    tasks: dict[str, Task] = {}
    if language is not None and language.path:
        default_task = language.default_task
        tasks = own_tasks(language)
    if not tasks:
        return [f"default_task: {default_task}  # until it is tuned: meteor-e tune"]
    lines = [f"default_task: {default_task}", "tasks:"]
    for name, task in tasks.items():
        lines.append(f"  {json.dumps(name)}: {json.dumps(asdict(task))}")
    return lines


def _format_components(text: LanguageText) -> list[str]:
    """Return the lines that specify the stemmer, the alternative names and the segmenter of a language."""
    language = text.language
    if language is None:
        return []
    lines = []
    if language.stemmer:
        lines.append(f"stemmer: {language.stemmer}")
    if language.path and language.aliases:
        lines.append(f"aliases: {json.dumps(language.aliases)}")
    if language.path and language.meteor_code != language.code:
        lines.append(f"meteor_code: {json.dumps(language.meteor_code)}")
    if language.segmenter and text.segment is not None:
        lines.append(f"segmenter: {language.segmenter}")
    return lines


def _select_matchers(language: Language | None) -> list[str]:
    """Return the matchers of a language, including ``paraphrase``."""
    if language is not None and language.path:
        return list(dict.fromkeys((*language.matchers, "paraphrase")))
    if language is not None and language.stemmer:
        return ["exact", "stem", "paraphrase"]
    return ["exact", "paraphrase"]
