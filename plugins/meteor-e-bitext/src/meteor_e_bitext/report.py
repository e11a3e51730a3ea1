"""Write the report on a pack that was built from bitext."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

from meteor_e import __version__
from meteor_e.packs.pack import SourceFile
from meteor_e_bitext.options import BitextOptions
from meteor_e_bitext.pivot import Paraphrases
from meteor_e_bitext.texts import LanguageText

_MARKUP = frozenset("\\`*_{}[]<>#|~")
"""The characters that Markdown may interpret."""


class SampledParaphrase(NamedTuple):
    """Store a randomly selected entry of a paraphrase table."""

    probability: float
    phrase: str
    paraphrase: str


def draw_sample(paraphrases: Paraphrases, size: int, seed: int) -> list[SampledParaphrase]:
    """Select random entries of a paraphrase table.

    Args:
        paraphrases: the entries of the table.
        size: the maximum number of entries to select.
        seed: the seed of the random number generator.
    """
    entry_count = len(paraphrases.phrase_ids)
    sample_size = min(size, entry_count)
    indices = sorted(random.Random(seed).sample(range(entry_count), sample_size))
    probabilities = paraphrases.probabilities[indices].tolist()
    phrases = paraphrases.phrases.texts(paraphrases.phrase_ids[indices])
    paraphrase_texts = paraphrases.phrases.texts(paraphrases.paraphrase_ids[indices])
    return list(map(SampledParaphrase, probabilities, phrases, paraphrase_texts))


def format_report(
    text: LanguageText,
    pivot_text: LanguageText,
    sources: Sequence[SourceFile],
    options: BitextOptions,
    facts: Mapping[str, Any],
) -> str:
    """Return the report as Markdown.

    Args:
        text: the language of the pack and its tokenization.
        pivot_text: the pivot language and its tokenization.
        sources: the input files.
        options: the options of the build.
        facts: numbers of lines, words, phrases and paraphrases, the function words, and a sample of the paraphrases.
    """
    function_words = " ".join(facts["function_words"])
    lines = [
        "# Pack from bitext",
        "",
        *_format_table(_list_facts(text, pivot_text, sources, options, facts)),
        "",
        "## Options",
        "",
        *_format_table(_list_options(options)),
        "",
        "## Function words",
        "",
        "Most frequent first.",
        "",
        _escape(function_words),
        "",
        f"## Random paraphrases, seed {options.seed}",
        "",
        "| p | phrase | paraphrase |",
        "|---|---|---|",
    ]
    for probability, phrase, paraphrase in facts["sample"]:
        lines.append(f"| {probability:.3f} | {_escape(phrase)} | {_escape(paraphrase)} |")
    return "\n".join(lines) + "\n"


def _list_facts(
    text: LanguageText,
    pivot_text: LanguageText,
    sources: Sequence[SourceFile],
    options: BitextOptions,
    facts: Mapping[str, Any],
) -> list[tuple[str, str]]:
    """Return the rows of the report's first table. The table describes the input and the content of the pack."""
    source_rows = [(f"source {_escape(file.name)}", f"SHA-256 {file.sha256}") for file in sources]
    return [
        ("built with", f"meteor_e {__version__}"),
        ("language", f"{text.code} ({text.description})"),
        ("pivot language", f"{pivot_text.code} ({pivot_text.description})"),
        *source_rows,
        ("lines", f"{facts['lines']:,}"),
        ("lines without a word on one side", f"{facts['empty']:,}"),
        (f"lines of more than {options.longest_sentence} words", f"{facts['long']:,}"),
        ("words", f"{facts['words']:,}"),
        ("distinct words", f"{facts['types']:,}"),
        ("phrase pairs", f"{facts['phrase_pairs']:,}"),
        ("paraphrases", f"{facts['paraphrases']:,} of {facts['phrases']:,} phrases"),
        ("function words", f"{len(facts['function_words']):,}"),
    ]


def _list_options(options: BitextOptions) -> list[tuple[str, str]]:
    """Return the name and value of each option, including the options for word alignment and pivoting."""
    values = asdict(options)
    alignment_values = values.pop("alignment")
    pivot_values = values.pop("pivot")
    values.update(alignment_values)
    values.update(pivot_values)
    return [(name.replace("_", " "), str(value)) for name, value in values.items()]


def _format_table(rows: Iterable[tuple[str, str]]) -> list[str]:
    """Return the lines of a Markdown table with a column of names, a column of values and no heading."""
    return ["| | |", "|---|---|", *(f"| {name} | {_escape(value)} |" for name, value in rows)]


def _escape(text: str) -> str:
    """Escape markup and replace control characters in the text of a Markdown table cell."""
    escaped = []
    for character in text:
        if character in _MARKUP:
            escaped.append("\\" + character)
        elif character.isprintable():
            escaped.append(character)
        else:
            escaped.append("\N{REPLACEMENT CHARACTER}")
    return "".join(escaped)
