"""Perturbation rules of ``meteor-e stress`` that apply to English texts only."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from meteor_e.base.yamlfile import parse_yaml
from meteor_e_evaluation.stress.english import EnglishDraft
from meteor_e_evaluation.stress.rule import EnglishRule

_FILE = files("meteor_e_evaluation.stress") / "cases.yaml"

CASES: dict[str, Any] = parse_yaml(_FILE.read_bytes(), "cases.yaml").data
"""For each rule that replaces or drops words, its stages of cases."""


class NegationAdded(EnglishRule):
    """A verb is negated."""

    name, group = "negation-added", "polarity"

    def _change(self, draft: EnglishDraft) -> str:
        return draft.add_negation()


class NegationDropped(EnglishRule):
    """A negation is removed."""

    name, group = "negation-dropped", "polarity"

    def _change(self, draft: EnglishDraft) -> str:
        return draft.drop_negation()


class NegationMoved(EnglishRule):
    """Another part of the sentence is negated."""

    name, group = "negation-moved", "polarity"

    def _change(self, draft: EnglishDraft) -> str:
        return draft.move_negation()


class Antonym(EnglishRule):
    """A word is replaced by its opposite."""

    name, group = "antonym", "meaning"

    def _change(self, draft: EnglishDraft) -> str:
        return draft.replace_case(CASES["antonym"])


class NumberChanged(EnglishRule):
    """A number word is replaced by another one."""

    name, group = "number-changed", "meaning"

    def _change(self, draft: EnglishDraft) -> str:
        return draft.replace_case(CASES["number-changed"])


class DateChanged(EnglishRule):
    """A month, a day, a time or a year is replaced by another one."""

    name, group = "date-changed", "meaning"

    def _change(self, draft: EnglishDraft) -> str:
        return draft.replace_case(CASES["date-changed"])


class UnitChanged(EnglishRule):
    """A unit or a currency is replaced by another one."""

    name, group = "unit-changed", "meaning"

    def _change(self, draft: EnglishDraft) -> str:
        return draft.change_unit()


class NameChanged(EnglishRule):
    """The name of a person, a place or a nation is replaced by another one."""

    name, group = "name-changed", "meaning"

    def _change(self, draft: EnglishDraft) -> str:
        return draft.replace_case(CASES["name-changed"])


class ModalityChanged(EnglishRule):
    """A modal verb or adverb is replaced by a stronger or weaker one, such as "must" by "may"."""

    name, group = "modality-changed", "meaning"

    def _change(self, draft: EnglishDraft) -> str:
        return draft.replace_case(CASES["modality-changed"])


class FunctionWordAdded(EnglishRule):
    """A function word is added."""

    name, group = "function-word-added", "addition"

    def _change(self, draft: EnglishDraft) -> str:
        return draft.add_function_word()


class ContentWordAdded(EnglishRule):
    """A content word of another text is added."""

    name, group = "content-word-added", "addition"

    def _change(self, draft: EnglishDraft) -> str:
        return draft.add_content_word()


class FunctionWordDropped(EnglishRule):
    """A function word is removed."""

    name, group = "function-word-dropped", "omission"
    min_words = 2

    def _change(self, draft: EnglishDraft) -> str:
        return draft.drop_case(CASES["function-word-dropped"])


class ContentWordDropped(EnglishRule):
    """A content word is removed."""

    name, group = "content-word-dropped", "omission"
    min_words = 2

    def _change(self, draft: EnglishDraft) -> str:
        return draft.drop_case(CASES["content-word-dropped"])


class VerbDropped(EnglishRule):
    """A main verb is removed."""

    name, group = "verb-dropped", "omission"
    min_words = 2

    def _change(self, draft: EnglishDraft) -> str:
        return draft.drop_case(CASES["verb-dropped"])


class HeadNounDropped(EnglishRule):
    """The last noun of a noun phrase is removed."""

    name, group = "head-noun-dropped", "omission"
    min_words = 2

    def _change(self, draft: EnglishDraft) -> str:
        return draft.drop_case(CASES["head-noun-dropped"])


class PronounGenderChanged(EnglishRule):
    """A pronoun or noun for a woman is replaced by one for a man, or vice versa."""

    name, group = "pronoun-gender-changed", "grammar"

    def _change(self, draft: EnglishDraft) -> str:
        return draft.replace_case(CASES["pronoun-gender-changed"])


class CaseChanged(EnglishRule):
    """A pronoun is put into another case, or the ending of a possessive is removed."""

    name, group = "case-changed", "grammar"

    def _change(self, draft: EnglishDraft) -> str:
        return draft.change_case()


class TenseChanged(EnglishRule):
    """A verb in the present tense is put into the past tense, or vice versa."""

    name, group = "tense-changed", "grammar"

    def _change(self, draft: EnglishDraft) -> str:
        return draft.replace_case(CASES["tense-changed"])


class AgreementChanged(EnglishRule):
    """A verb does not agree with its subject."""

    name, group = "agreement-changed", "grammar"

    def _change(self, draft: EnglishDraft) -> str:
        return draft.replace_case(CASES["agreement-changed"])


class VerbFormChanged(EnglishRule):
    """A verb is replaced by its base form or its -ing form."""

    name, group = "verb-form-changed", "grammar"

    def _change(self, draft: EnglishDraft) -> str:
        return draft.replace_case(CASES["verb-form-changed"])


class NounNumberChanged(EnglishRule):
    """A singular noun is put into the plural, or vice versa."""

    name, group = "noun-number-changed", "grammar"

    def _change(self, draft: EnglishDraft) -> str:
        return draft.replace_case(CASES["noun-number-changed"])


class DeterminerChanged(EnglishRule):
    """An article or a determiner is replaced by another one."""

    name, group = "determiner-changed", "grammar"

    def _change(self, draft: EnglishDraft) -> str:
        return draft.replace_case(CASES["determiner-changed"])


class PrepositionChanged(EnglishRule):
    """A preposition is replaced by another one."""

    name, group = "preposition-changed", "grammar"

    def _change(self, draft: EnglishDraft) -> str:
        return draft.replace_case(CASES["preposition-changed"])


class SpellingVariant(EnglishRule):
    """British spelling is replaced by American spelling, or vice versa."""

    name, group = "spelling-variant", "writing"
    kind = "harmless"

    def _change(self, draft: EnglishDraft) -> str:
        return draft.change_spelling()


class Contraction(EnglishRule):
    """Contractions are expanded, or vice versa: "don't" becomes "do not"."""

    name, group = "contraction", "writing"
    kind = "harmless"

    def _change(self, draft: EnglishDraft) -> str:
        return draft.change_contractions()
