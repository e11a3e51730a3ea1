"""What a pack made of bitext says about its making."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from meteor_e import __version__
from meteor_e.packs.pack import SourceFile
from meteor_e_bitext.options import BitextOptions
from meteor_e_bitext.pivot import Paraphrases
from meteor_e_bitext.texts import LanguageText


def sample(table: Paraphrases, size: int, seed: int) -> list[tuple[float, str, str]]:
    """Return random entries of a table, in its order: probability, phrase, paraphrase."""
    count = len(table.left)
    chosen = sorted(random.Random(seed).sample(range(count), min(size, count)))
    return [
        (float(table.probabilities[k]), table.phrases.text(int(table.left[k])), table.phrases.text(int(table.right[k])))
        for k in chosen
    ]


def report(
    side: LanguageText,
    pivot_side: LanguageText,
    sources: Sequence[SourceFile],
    options: BitextOptions,
    facts: Mapping[str, Any],
) -> str:
    """Return the report, in Markdown."""
    rows: list[tuple[str, object]] = [
        ("built with", f"meteor_e {__version__}"),
        ("language", f"{side.code} ({side.description})"),
        ("pivot language", f"{pivot_side.code} ({pivot_side.description})"),
        *((f"source {_cell(file.name)}", f"SHA-256 {file.sha256}") for file in sources),
        ("lines", f"{facts['lines']:,}"),
        ("lines without a word on one side", f"{facts['empty']:,}"),
        (f"lines of more than {options.longest_sentence} words", f"{facts['long']:,}"),
        ("words", f"{facts['words']:,}"),
        ("distinct words", f"{facts['types']:,}"),
        ("phrase pairs", f"{facts['phrase_pairs']:,}"),
        ("paraphrases", f"{facts['paraphrases']:,} of {facts['phrases']:,} phrases"),
        ("function words", f"{len(facts['function_words']):,}"),
    ]
    given = {**asdict(options), **asdict(options.alignment), **asdict(options.pivot)}
    del given["alignment"], given["pivot"]
    lines = ["# Pack from bitext", "", "| | |", "|---|---|"]
    lines += [f"| {key} | {_cell(str(value))} |" for key, value in rows]
    lines += ["", "## Options", "", "| | |", "|---|---|"]
    lines += [f"| {key.replace('_', ' ')} | {_cell(str(value))} |" for key, value in given.items()]
    lines += ["", "## Function words", "", "Most frequent first.", "", _cell(" ".join(facts["function_words"]))]
    lines += ["", f"## Random paraphrases, seed {options.seed}", "", "| p | phrase | paraphrase |", "|---|---|---|"]
    lines += [f"| {p:.3f} | {_cell(left)} | {_cell(right)} |" for p, left, right in facts["sample"]]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    """Return text that stays in its cell, and is no markup."""
    text = "".join(char if char.isprintable() else "�" for char in text)
    return "".join("\\" + char if char in "\\`*_{}[]<>#|~" else char for char in text)
