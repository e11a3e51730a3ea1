"""Registers the perturbations of ``meteor-e stress``, and loads the bundled example sentences."""

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
"""The built-in perturbations by name. The perturbations of a group are adjacent."""


def perturbations(language: str = "en") -> list[Perturbation]:
    """Return the built-in perturbations for a language, followed by the perturbations of plugins.

    Args:
        language: ISO code of the language.
    """
    registry = plugin_registry()
    rule_types = dict(BUILT_IN)
    for name in registry.perturbations.names():
        rule_types[name] = registry.perturbations.get(name)
    return [rule() for rule in rule_types.values() if not rule.languages or language in rule.languages]


def select_perturbations(language: str, only: Sequence[str] = ()) -> list[Perturbation]:
    """Return the perturbations for a language, optionally filtered by name, group or kind.

    Args:
        language: ISO code of the language.
        only: names, groups or kinds of the perturbations to return. By default, all perturbations are returned.

    Raises:
        ConfigError: for an unknown name.
    """
    rules = perturbations(language)
    if not only:
        return rules
    names_by_rule = {rule.name: {rule.name, rule.group, rule.kind} for rule in rules}
    known_names = set().union(*names_by_rule.values())
    for name in only:
        if name not in known_names:
            hint = near_miss(name, known_names)
            raise ConfigError(f"no perturbation {name!r} for {language!r}{hint}; --list shows all")
    return [rule for rule in rules if not names_by_rule[rule.name].isdisjoint(only)]


def load_bundled_examples(language: str = "en") -> tuple[list[list[str]], list[str]]:
    """Return the references and the paraphrases of the bundled example sentences in a language.

    The package contains 122 examples for English, and six to eight examples for each of several other languages. The
    paraphrases are good translations that differ from the references.

    Returns:
        A list with one reference per example, and the paraphrase of each example.

    Raises:
        ConfigError: if the package has no examples for the language.
    """
    table = (files("meteor_e_evaluation.stress") / "texts.tsv").read_text(encoding="utf-8")
    references = []
    paraphrases = []
    header_and_rows = table.splitlines()
    for line in header_and_rows[1:]:
        line_language, reference, paraphrase = line.split("\t")
        if line_language == language:
            references.append([reference])
            paraphrases.append(paraphrase)
    if not references:
        raise ConfigError(f"no sentences in {language!r} come with the stress test; give HYPOTHESES --reference FILE")
    return references, paraphrases
