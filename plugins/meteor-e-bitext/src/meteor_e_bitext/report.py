"""Write the report of a pack that is built from bitext."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from meteor_e import __version__
from meteor_e.packs.pack import SourceFile
from meteor_e_bitext.options import BitextOptions
from meteor_e_bitext.pivot import Paraphrases
from meteor_e_bitext.texts import LanguageText

_MARKUP = frozenset("\\`*_{}[]<>#|~")
"""The characters that Markdown may interpret."""


def draw_sample(paraphrases: Paraphrases, size: int, seed: int) -> list[tuple[float, str, str]]:
    """Return random entries of a paraphrase table: probability, phrase, paraphrase."""
    entry_count = len(paraphrases.left)
    indices = sorted(random.Random(seed).sample(range(entry_count), min(size, entry_count)))
    phrases = paraphrases.phrases
    sample = []
    for index in indices:
        phrase = phrases.text(int(paraphrases.left[index]))
        paraphrase = phrases.text(int(paraphrases.right[index]))
        sample.append((float(paraphrases.probabilities[index]), phrase, paraphrase))
    return sample


def format_report(
    text: LanguageText,
    pivot_text: LanguageText,
    sources: Sequence[SourceFile],
    options: BitextOptions,
    facts: Mapping[str, Any],
) -> str:
    """Return the report in Markdown.

    Args:
        text: the language of the pack.
        pivot_text: the pivot language.
        sources: the input files.
        options: the options of the build.
        facts: numbers of lines, words, phrases and paraphrases, the function words, and a sample of the paraphrases.
    """
    rows: list[tuple[str, object]] = [
        ("built with", f"meteor_e {__version__}"),
        ("language", f"{text.code} ({text.description})"),
        ("pivot language", f"{pivot_text.code} ({pivot_text.description})"),
        *((f"source {_escape(file.name)}", f"SHA-256 {file.sha256}") for file in sources),
        ("lines", f"{facts['lines']:,}"),
        ("lines without a word on one side", f"{facts['empty']:,}"),
        (f"lines of more than {options.longest_sentence} words", f"{facts['long']:,}"),
        ("words", f"{facts['words']:,}"),
        ("distinct words", f"{facts['types']:,}"),
        ("phrase pairs", f"{facts['phrase_pairs']:,}"),
        ("paraphrases", f"{facts['paraphrases']:,} of {facts['phrases']:,} phrases"),
        ("function words", f"{len(facts['function_words']):,}"),
    ]
    values = {**asdict(options), **asdict(options.alignment), **asdict(options.pivot)}
    del values["alignment"], values["pivot"]
    lines = ["# Pack from bitext", "", *_format_table(rows)]
    lines += ["", "## Options", ""]
    lines += _format_table((name.replace("_", " "), value) for name, value in values.items())
    lines += ["", "## Function words", "", "Most frequent first.", "", _escape(" ".join(facts["function_words"]))]
    lines += ["", f"## Random paraphrases, seed {options.seed}", "", "| p | phrase | paraphrase |", "|---|---|---|"]
    for probability, phrase, paraphrase in facts["sample"]:
        lines.append(f"| {probability:.3f} | {_escape(phrase)} | {_escape(paraphrase)} |")
    return "\n".join(lines) + "\n"


def _format_table(rows: Iterable[tuple[str, object]]) -> list[str]:
    """Return the lines of a Markdown table of names and values, without a heading."""
    return ["| | |", "|---|---|", *(f"| {name} | {_escape(str(value))} |" for name, value in rows)]


def _escape(text: str) -> str:
    """Return text for a table cell, with escaped markup and without control characters."""
    text = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
    return "".join("\\" + char if char in _MARKUP else char for char in text)
