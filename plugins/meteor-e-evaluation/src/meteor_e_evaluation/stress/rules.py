"""The table of our perturbations; those of plugins come after it."""

from __future__ import annotations

import random
from collections.abc import Sequence

from meteor_e.api import ConfigError, Perturbation
from meteor_e.api.perturbations import PerturbationContext
from meteor_e.base.errors import near_miss
from meteor_e.plugins.registry import plugin_registry
from meteor_e_evaluation.stress import english, general
from meteor_e_evaluation.stress.english import listed
from meteor_e_evaluation.stress.general import Draft, NoOccasionError, Rule, dropping, replacing, swapping

EN, ALL = ("en",), ()

TABLE: Sequence[tuple[str, str, tuple[str, ...], Rule, str]] = (
    ("negation-added", "polarity", EN, english.negation_added, "A negation is added."),
    ("negation-dropped", "polarity", EN, english.negation_dropped, "A negation is missing."),
    ("negation-moved", "polarity", EN, english.negation_moved, "Another part of the sentence is negated."),
    ("antonym", "meaning", EN, replacing(english.opposites), "A word is its opposite."),
    ("number-changed", "meaning", EN, replacing(listed("numerals", ("second",))), "A number in words is another one."),
    ("date-changed", "meaning", EN, replacing(english.dates), "A month, a day, a time or a year is another one."),
    ("unit-changed", "meaning", EN, english.unit_changed, "A unit or a currency is another one."),
    ("name-changed", "meaning", EN, english.name_changed, "A name is another one: of a person, a place, a people."),
    ("modality-changed", "meaning", EN, replacing(listed("modals")), "What must be only may be, and the like."),
    ("digits-changed", "meaning", ALL, general.changed_digits, "A number in digits is another one."),
    ("function-word-added", "addition", EN, english.function_word_added, "A function word is added."),
    ("content-word-added", "addition", EN, english.content_word_added, "A word of another text is added."),
    ("words-added", "addition", ALL, general.added_words, "Two to four words of another text are added."),
    ("text-added", "addition", ALL, general.added_text, "Another text follows."),
    ("function-word-dropped", "omission", EN, dropping(english.is_function_word), "A function word is missing."),
    ("content-word-dropped", "omission", EN, dropping(english.is_content_word), "A content word is missing."),
    ("verb-dropped", "omission", EN, dropping(english.is_verb), "A full verb is missing."),
    ("head-noun-dropped", "omission", EN, dropping(english.is_head_noun), "The last noun of a phrase is missing."),
    ("word-dropped", "omission", ALL, dropping(lambda draft, at: True), "One word is missing."),
    ("words-dropped", "omission", ALL, general.dropped_quarter, "A quarter of the words is missing, here and there."),
    ("truncated", "omission", ALL, general.truncated, "The last quarter of the words or more is cut off."),
    ("word-repeated", "repetition", ALL, general.repeated_word, "One word stands there twice."),
    ("phrase-repeated", "repetition", ALL, general.repeated_phrase, "Two to four words in a row stand there twice."),
    ("text-twice", "repetition", ALL, general.repeated_text, "The whole text stands there twice."),
    ("swapped-near", "order", ALL, swapping(1, 1), "Two neighboring words have changed places."),
    ("swapped-far", "order", ALL, swapping(4, 1000), "Two words four places or more apart have changed places."),
    ("shuffled", "order", ALL, general.shuffled, "All words stand in random order."),
    ("pronoun-gender-changed", "grammar", EN, replacing(english.genders), "A woman is a man, or the other way round."),
    ("case-changed", "grammar", EN, english.case_changed, "A pronoun has another case, or a possessive has no ending."),
    ("tense-changed", "grammar", EN, replacing(english.tenses), "A verb in the present is in the past, or vice versa."),
    ("agreement-changed", "grammar", EN, replacing(english.agreements), "A verb does not agree with its subject."),
    ("verb-form-changed", "grammar", EN, replacing(english.verb_forms), "A verb is a bare base, or its form in -ing."),
    ("noun-number-changed", "grammar", EN, replacing(english.noun_numbers), "A singular is a plural, or vice versa."),
    ("determiner-changed", "grammar", EN, replacing(english.determiners), "An article or a determiner is another one."),
    ("preposition-changed", "grammar", EN, replacing(english.prepositions), "A preposition is another one."),
    ("misspelled", "spelling", ALL, general.misspelled, "In one word letters are swapped, missing, doubled or others."),
    ("misspelled-often", "spelling", ALL, general.often_misspelled, "A third of the words is misspelled."),
    ("lower-cased", "casing", ALL, lambda draft: draft.text.lower(), "All capitals are lost."),
    ("upper-cased", "casing", ALL, lambda draft: draft.text.upper(), "All letters are capitals."),
    ("final-punctuation-dropped", "punctuation", ALL, general.without_final_mark, "The mark at the end is missing."),
    ("final-punctuation-changed", "punctuation", ALL, general.other_final_mark, "The mark at the end is another one."),
    ("punctuation-dropped", "punctuation", ALL, general.without_marks, "All punctuation is missing."),
    ("punctuation-added", "punctuation", ALL, general.added_mark, "A comma or a full stop breaks the text."),
    ("untranslated", "untranslated", ALL, general.untranslated, "One or two words are of another language."),
    ("source-copied", "untranslated", ALL, general.copied_source, "The source replaces the text."),
    ("reference-twice", "degenerate", ALL, general.repeated_reference, "The reference, twice, replaces the text."),
    ("other-text", "degenerate", ALL, general.another_text, "The text of another segment replaces the text."),
    ("empty", "degenerate", ALL, lambda draft: "", "There is no text."),
    ("frequent-words-only", "degenerate", ALL, general.frequent_words_only, "Frequent words replace the text."),
    ("one-word-only", "degenerate", ALL, general.one_word_only, "One word of the text, as often as it has words."),
    ("spelling-variant", "writing", EN, english.spelling_variant, "British spelling is American, or vice versa."),
    ("contraction", "writing", EN, english.contraction, 'Short forms are long, or vice versa: "do not" for "don\'t".'),
    ("quotes", "writing", ALL, general.other_quotes, "Quotation marks are curly instead of straight, or vice versa."),
    ("unicode-form", "writing", ALL, general.other_unicode_form, "Letters with accents or hyphens have another code."),
    ("spaces", "writing", ALL, general.other_spaces, "A space is doubled, one does not break, and one is at the end."),
)
"""Name, group, languages, what it does, and the same in words. The group ``writing`` is harmless, all others errors."""


def _perturbation(name: str, group: str, languages: tuple[str, ...], rule: Rule, what: str) -> type[Perturbation]:
    def apply(self: Perturbation, text: str, rng: random.Random, context: PerturbationContext) -> str | None:
        try:
            changed = rule(Draft(text, rng, context))
        except NoOccasionError:
            return None
        return None if changed == text else changed

    kind = "harmless" if group == "writing" else "error"
    members = {"name": name, "group": group, "kind": kind, "languages": languages, "apply": apply, "__doc__": what}
    return type(name.title().replace("-", ""), (Perturbation,), members)


BUILT_IN = {row[0]: _perturbation(*row) for row in TABLE}
"""Our perturbations by name, those of one group together."""


def perturbations(language: str = "en") -> list[Perturbation]:
    """Return the perturbations for a language, those of plugins last.

    Args:
        language: ISO code. English has rules of its own; all others have those that need no grammar.
    """
    registry = plugin_registry()
    others = {name: registry.get("perturbation", name) for name in registry.names("perturbation")}
    return [found() for found in (BUILT_IN | others).values() if not found.languages or language in found.languages]


def chosen_rules(language: str, only: Sequence[str] = ()) -> list[Perturbation]:
    """Return the perturbations of a language that are named, by name, group or kind.

    Raises:
        ConfigError: for a name that none has.
    """
    names = {rule: {rule.name, rule.group, rule.kind} for rule in perturbations(language)}
    known = set().union(*names.values())
    for name in only:
        if name not in known:
            raise ConfigError(f"no perturbation {name!r} for {language!r}{near_miss(name, known)}; --list shows all")
    return [rule for rule, own in names.items() if not only or own & {*only}]
