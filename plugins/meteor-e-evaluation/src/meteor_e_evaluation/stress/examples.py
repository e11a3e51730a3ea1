"""The sentences that come with the stress test: references and translations, written for it."""

from __future__ import annotations

from importlib.resources import files
from typing import NamedTuple

from meteor_e.api import ConfigError


class Examples(NamedTuple):
    """Translations with their references.

    Attributes:
        references: one list of a single reference per segment.
        hypotheses: a right translation of each, in other words.
    """

    references: list[list[str]]
    hypotheses: list[str]


def bundled_examples(language: str = "en") -> Examples:
    """Return the sentences of a language: 122 for English, some eight for others.

    Raises:
        ConfigError: for a language that has none.
    """
    folder = files("meteor_e_evaluation.stress")
    rows = {}
    for name in ("english.tsv", "languages.tsv"):
        lines = (folder / name).read_text(encoding="utf-8").splitlines()[1:]
        rows[name] = [line.split("\t") for line in lines]
    found = rows["english.tsv"] if language == "en" else [row for row in rows["languages.tsv"] if row[0] == language]
    if not found:
        known = ", ".join(["en", *dict.fromkeys(row[0] for row in rows["languages.tsv"])])
        raise ConfigError(f"sentences come with the stress test in {known}, not in {language!r}; give --reference FILE")
    return Examples([[row[1]] for row in found], [row[2] for row in found])
