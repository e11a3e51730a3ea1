"""The language file of a pack: its language's definition, with the pack in it."""

from __future__ import annotations

import json
from dataclasses import asdict

from meteor_e.api.languages import Normalization
from meteor_e.languages.files import own_tasks
from meteor_e_bitext.texts import LanguageText


def language_file(text: LanguageText) -> str:
    """Return a language file that makes the pack in whose folder it lies the language's.

    What a language file of the user's says of matchers and tasks, it says, too; languages that are known by
    their codes get the universal parameters, because theirs were tuned with another table.
    """
    language = text.language
    mode = text.normalizer.mode if text.normalizer is not None else Normalization.NONE
    name = language.name if language is not None else text.code
    lines = [
        f"code: {json.dumps(text.code)}",  # quoted: no is a code
        f"name: {json.dumps(name, ensure_ascii=False)}",
        f"normalization: {mode.value}",
        f"apostrophes: {language.apostrophes if language is not None else 'apart'}",
    ]
    matchers, task, tasks = ["exact", "paraphrase"], "universal", {}
    if language is not None and language.stemmer:
        lines.append(f"stemmer: {language.stemmer}")
        matchers.insert(1, "stem")
    if language is not None and language.path:
        matchers = [*dict.fromkeys((*language.matchers, "paraphrase"))]
        task, tasks = language.default_task, own_tasks(language)
        if language.aliases:
            lines.append(f"aliases: {json.dumps(language.aliases)}")
        if language.meteor_code != language.code:
            lines.append(f"meteor_code: {json.dumps(language.meteor_code)}")
    if language is not None and language.segmenter and text.segment is not None:
        lines.append(f"segmenter: {language.segmenter}")
    lines += [
        "pack: ./  # the folder of this file",
        f"matchers: [{', '.join(matchers)}]",
        f"default_task: {task}" + ("" if tasks else "  # until it is tuned: meteor-e tune"),
    ]
    if tasks:
        lines.append("tasks:")
        lines += [f"  {json.dumps(name)}: {json.dumps(asdict(values))}" for name, values in tasks.items()]
    return "\n".join(lines) + "\n"
