"""Write the report on a pack that was built from bitext."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import NamedTuple

from meteor_e import __version__
from meteor_e.packs.pack import SourceFile
from meteor_e_bitext.corpus import LineCounts
from meteor_e_bitext.options import BitextOptions
from meteor_e_bitext.pivot import Paraphrases
from meteor_e_bitext.texts import LanguageText

_MARKUP = frozenset("\\`*_{}[]<>#|~")
"""The characters that Markdown may interpret."""


class SampledParaphrase(NamedTuple):
    """A randomly selected entry of a paraphrase table, which the report shows as an example."""

    probability: float
    phrase: str
    paraphrase: str


class PackContents(NamedTuple):
    """Describe the contents of a pack.

    Attributes:
        words: the number of words of the corpus.
        types: the number of distinct words of the corpus.
        phrase_pairs: the number of phrase pairs from which paraphrases were derived.
        paraphrases: the number of entries of the paraphrase table.
        phrases: the number of phrases that have paraphrases.
        function_words: the function words, most frequent first.
        sample: randomly selected entries of the paraphrase table.
    """

    words: int
    types: int
    phrase_pairs: int
    paraphrases: int
    phrases: int
    function_words: list[str]
    sample: list[SampledParaphrase]


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
    texts: tuple[LanguageText, LanguageText],
    sources: Sequence[SourceFile],
    options: BitextOptions,
    line_counts: LineCounts,
    contents: PackContents,
) -> str:
    """Return the report as Markdown.

    Args:
        texts: the language of the pack, and the pivot language.
        sources: the input files.
        options: the options of the build.
        line_counts: the numbers of lines of the bitext.
        contents: the contents of the pack.
    """
    lines = [
        "# Pack from bitext",
        "",
        *_format_table([*_list_inputs(texts, sources), *_list_counts(options, line_counts, contents)]),
        "",
        "## Options",
        "",
        *_format_table(_list_options(options)),
        "",
        "## Function words",
        "",
        "Most frequent first.",
        "",
        _escape(" ".join(contents.function_words)),
        "",
        f"## Random paraphrases, seed {options.seed}",
        "",
        "| p | phrase | paraphrase |",
        "|---|---|---|",
    ]
    for probability, phrase, paraphrase in contents.sample:
        lines.append(f"| {probability:.3f} | {_escape(phrase)} | {_escape(paraphrase)} |")
    return "\n".join(lines) + "\n"


def _list_inputs(texts: tuple[LanguageText, LanguageText], sources: Sequence[SourceFile]) -> list[tuple[str, str]]:
    """Return the rows of the report's first table that describe the input."""
    text, pivot_text = texts
    return [
        ("built with", f"meteor_e {__version__}"),
        ("language", f"{text.code} ({text.description})"),
        ("pivot language", f"{pivot_text.code} ({pivot_text.description})"),
        *[(f"source {_escape(file.name)}", f"SHA-256 {file.sha256}") for file in sources],
    ]


def _list_counts(options: BitextOptions, line_counts: LineCounts, contents: PackContents) -> list[tuple[str, str]]:
    """Return the rows of the report's first table that contain the numbers of lines, words and phrases."""
    return [
        ("lines", f"{line_counts.lines:,}"),
        ("lines without a word on one side", f"{line_counts.empty:,}"),
        (f"lines of more than {options.longest_sentence} words", f"{line_counts.long:,}"),
        ("words", f"{contents.words:,}"),
        ("distinct words", f"{contents.types:,}"),
        ("phrase pairs", f"{contents.phrase_pairs:,}"),
        ("paraphrases", f"{contents.paraphrases:,} of {contents.phrases:,} phrases"),
        ("function words", f"{len(contents.function_words):,}"),
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
