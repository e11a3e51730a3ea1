"""The perturbations of ``meteor-e stress`` by name, and sentences to apply them to."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

from meteor_e.api import ConfigError, Perturbation
from meteor_e.base.errors import near_miss
from meteor_e.plugins.registry import plugin_registry
from meteor_e_evaluation.stress import any_language as general
from meteor_e_evaluation.stress import english_rules as english

BUILT_IN: dict[str, type[Perturbation]] = {
    rule.name: rule
    for rule in (
        english.NegationAdded,
        english.NegationDropped,
        english.NegationMoved,
        english.Antonym,
        english.NumberChanged,
        english.DateChanged,
        english.UnitChanged,
        english.NameChanged,
        english.ModalityChanged,
        general.DigitsChanged,
        english.FunctionWordAdded,
        english.ContentWordAdded,
        general.WordsAdded,
        general.TextAdded,
        english.FunctionWordDropped,
        english.ContentWordDropped,
        english.VerbDropped,
        english.HeadNounDropped,
        general.WordDropped,
        general.WordsDropped,
        general.Truncated,
        general.WordRepeated,
        general.PhraseRepeated,
        general.TextTwice,
        general.SwappedNear,
        general.SwappedFar,
        general.Shuffled,
        english.PronounGenderChanged,
        english.CaseChanged,
        english.TenseChanged,
        english.AgreementChanged,
        english.VerbFormChanged,
        english.NounNumberChanged,
        english.DeterminerChanged,
        english.PrepositionChanged,
        general.Misspelled,
        general.MisspelledOften,
        general.LowerCased,
        general.UpperCased,
        general.FinalPunctuationDropped,
        general.FinalPunctuationChanged,
        general.PunctuationDropped,
        general.PunctuationAdded,
        general.Untranslated,
        general.SourceCopied,
        general.ReferenceTwice,
        general.OtherText,
        general.Empty,
        general.FrequentWordsOnly,
        general.OneWordOnly,
        english.SpellingVariant,
        english.Contraction,
        general.Quotes,
        general.UnicodeForm,
        general.Spaces,
    )
}
"""The built-in perturbations; those of a group are adjacent."""


def perturbations(language: str = "en") -> list[Perturbation]:
    """Return the perturbations for a language, given by its ISO code; those of plugins come last."""
    registry = plugin_registry()
    of_plugins = {name: registry.perturbations.get(name) for name in registry.perturbations.names()}
    return [rule() for rule in (BUILT_IN | of_plugins).values() if not rule.languages or language in rule.languages]


def select_perturbations(language: str, only: Sequence[str] = ()) -> list[Perturbation]:
    """Return the perturbations of a language with some names, groups or kinds; all of them by default.

    Raises:
        ConfigError: for an unknown name.
    """
    rules = perturbations(language)
    known_names = {name for rule in rules for name in (rule.name, rule.group, rule.kind)}
    for name in only:
        if name not in known_names:
            hint = near_miss(name, known_names)
            raise ConfigError(f"no perturbation {name!r} for {language!r}{hint}; --list shows all")
    return [rule for rule in rules if not only or {rule.name, rule.group, rule.kind} & {*only}]


def load_bundled_examples(language: str = "en") -> tuple[list[list[str]], list[str]]:
    """Return sentences written for this test: a list of one reference for each, and good translations in other words.

    There are 122 for English and about eight for each of some other languages.

    Raises:
        ConfigError: for a language without sentences.
    """
    text = (files("meteor_e_evaluation.stress") / "texts.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t")[1:] for line in text.splitlines()[1:] if line.startswith(f"{language}\t")]
    if not rows:
        raise ConfigError(f"no sentences in {language!r} come with the stress test; give HYPOTHESES --reference FILE")
    return [[reference] for reference, _ in rows], [translation for _, translation in rows]
