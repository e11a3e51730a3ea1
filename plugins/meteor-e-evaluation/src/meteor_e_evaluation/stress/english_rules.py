"""Perturbation rules of ``meteor-e stress`` that apply to English texts only."""

from __future__ import annotations

import re

from meteor_e_evaluation.stress.cases import CASES, drop_by_case, replace_by_case
from meteor_e_evaluation.stress.drafts import Draft, copy_case, fold_word, split_words
from meteor_e_evaluation.stress.grammar import tag_words
from meteor_e_evaluation.stress.negation import drop_negation, negate_verb
from meteor_e_evaluation.stress.rule import EnglishRule
from meteor_e_evaluation.stress.word_lists import (
    FREQUENT_ENGLISH_WORDS,
    WORD_LISTS,
    replacements_by_word,
    words_in,
)

CONTRACTED_NEGATIONS = 0.3
"""Proportion of added negations that are contracted, such as "isn't" instead of "is not"."""

CURRENCY_SIGNS = "$€£"

CHANGED_CURRENCIES = 0.8
"""Probability that a currency sign is changed in a text that may also contain units."""

MODIFIED_TAGS = {
    "JJ": ("NN", "NNS"),
    "RB": ("JJ", "VBD", "VBZ", "VBN"),
    "NN": ("NN", "NNS"),
    "NNS": ("NN", "NNS"),
}
"""For each tag of a word that can be added, the tags of the words that it can modify."""


class ReplacementRule(EnglishRule):
    """Base class of rules that replace a word. The file ``cases.yaml`` defines the replacements."""

    def _change(self, draft: Draft) -> str:
        return replace_by_case(draft, CASES[self.name])


class OmissionRule(EnglishRule):
    """Base class of rules that remove a word. The file ``cases.yaml`` defines which words may be removed."""

    group = "omission"
    min_words = 2

    def _change(self, draft: Draft) -> str:
        return drop_by_case(draft, CASES[self.name])


class NegationAdded(EnglishRule):
    """A verb is negated."""

    name, group = "negation-added", "polarity"

    def _change(self, draft: Draft) -> str:
        text = negate_verb(draft)
        if draft.rng.random() >= CONTRACTED_NEGATIONS:
            return text
        contractions = {long: short for short, long in WORD_LISTS["contractions"].items() if short.endswith("n't")}
        return re.sub(r"\b(\w+) not\b", lambda match: contractions.get(match[0].lower(), match[0]), text, count=1)


class NegationDropped(EnglishRule):
    """A negation is removed."""

    name, group = "negation-dropped", "polarity"

    def _change(self, draft: Draft) -> str:
        text, _ = drop_negation(draft)
        return text


class NegationMoved(EnglishRule):
    """Another part of the sentence is negated."""

    name, group = "negation-moved", "polarity"

    def _change(self, draft: Draft) -> str:
        text, index = drop_negation(draft)
        # The new negation is at least three words away from the negation that was removed.
        return negate_verb(draft.with_text(text), excluded_indices=range(index - 2, index + 3))


class Antonym(ReplacementRule):
    """A word is replaced by its opposite."""

    name, group = "antonym", "meaning"


class NumberChanged(ReplacementRule):
    """A number word is replaced by another one."""

    name, group = "number-changed", "meaning"


class DateChanged(ReplacementRule):
    """A month, a day, a time or a year is replaced by another one."""

    name, group = "date-changed", "meaning"


class UnitChanged(EnglishRule):
    """A unit or a currency is replaced by another one."""

    name, group = "unit-changed", "meaning"

    def _change(self, draft: Draft) -> str:
        has_currency_sign = any(sign in draft.text for sign in CURRENCY_SIGNS)
        if has_currency_sign and draft.rng.random() < CHANGED_CURRENCIES:
            return self._change_currency(draft)
        return replace_by_case(draft, WORD_LISTS["changed units"])

    @staticmethod
    def _change_currency(draft: Draft) -> str:
        """Replace the first currency sign with a different currency sign."""
        position = min(draft.text.index(sign) for sign in CURRENCY_SIGNS if sign in draft.text)
        new_sign = draft.choose(sign for sign in CURRENCY_SIGNS if sign != draft.text[position])
        return draft.text[:position] + new_sign + draft.text[position + 1 :]


class NameChanged(ReplacementRule):
    """The name of a person, a place or a nation is replaced by another one."""

    name, group = "name-changed", "meaning"


class ModalityChanged(ReplacementRule):
    """A modal verb or adverb is replaced by a stronger or weaker one, such as "must" by "may"."""

    name, group = "modality-changed", "meaning"


class FunctionWordAdded(EnglishRule):
    """A function word is added."""

    name, group = "function-word-added", "addition"

    def _change(self, draft: Draft) -> str:
        index = draft.choose(range(1, len(draft)))
        neighbors = draft.lower[index - 1 : index + 1]
        function_word = draft.choose(word for word in FREQUENT_ENGLISH_WORDS if word not in neighbors)
        return draft.insert_before(index, function_word)


class ContentWordAdded(EnglishRule):
    """A content word from another text is inserted before a word that it can modify."""

    name, group = "content-word-added", "addition"

    def _change(self, draft: Draft) -> str:
        similar_text = draft.choose_similar_text()
        _, similar_words = split_words(similar_text)
        excluded_words = {*draft.lower, "not", "never"}
        insertions = []
        for similar_word, tag in zip(similar_words, tag_words(similar_text), strict=True):
            word = fold_word(similar_word)
            if word.isalpha() and len(word) > 2 and word not in excluded_words:
                insertions += [(index, word) for index in self._find_modified_words(draft, tag)]
        index, word = draft.choose(insertions)
        return draft.insert_before(index, word)

    @staticmethod
    def _find_modified_words(draft: Draft, tag: str) -> list[int]:
        """Return the indices of words that an inserted word with the given tag can modify.

        The first word of the text is excluded.
        """
        modified_tags = MODIFIED_TAGS.get(tag, ())
        tags = tag_words(draft.text)
        return [index for index in range(1, len(tags)) if tags[index] in modified_tags]


class FunctionWordDropped(OmissionRule):
    """A function word is removed."""

    name = "function-word-dropped"


class ContentWordDropped(OmissionRule):
    """A content word is removed."""

    name = "content-word-dropped"


class VerbDropped(OmissionRule):
    """A main verb is removed."""

    name = "verb-dropped"


class HeadNounDropped(OmissionRule):
    """The last noun of a noun phrase is removed."""

    name = "head-noun-dropped"


class PronounGenderChanged(ReplacementRule):
    """A pronoun or noun for a woman is replaced by one for a man, or vice versa."""

    name, group = "pronoun-gender-changed", "grammar"


class CaseChanged(EnglishRule):
    """The case of a pronoun is changed, as from "he" to "him", or a possessive ending is removed."""

    name, group = "case-changed", "grammar"

    def _change(self, draft: Draft) -> str:
        replacements = self._find_replacements(draft)
        index = draft.choose(replacements)
        if index == 0 and draft.words[0] == "I":
            return draft.replace_words({0: "Me"})
        return draft.replace_words({index: replacements[index]})

    @staticmethod
    def _find_replacements(draft: Draft) -> dict[int, str]:
        """Return replacements for possessives and pronouns, with word indices as keys."""
        pronoun_cases = replacements_by_word("cases")
        replacements: dict[int, str] = {}
        for index, word in enumerate(draft.words):
            owner = re.sub("['’]s$", "", word)
            # In words such as "it's", the ending stands for "is" or "has".
            is_possessive = owner != word and owner.isalpha() and owner.lower() not in words_in("shortened")
            if is_possessive:
                replacements[index] = owner
            elif word.lower() in pronoun_cases and word != "US":
                replacements[index] = draft.choose(pronoun_cases[word.lower()])
        return replacements


class TenseChanged(ReplacementRule):
    """A verb in the present tense is put into the past tense, or vice versa."""

    name, group = "tense-changed", "grammar"


class AgreementChanged(ReplacementRule):
    """A verb does not agree with its subject."""

    name, group = "agreement-changed", "grammar"


class VerbFormChanged(ReplacementRule):
    """A verb is replaced by its base form or its -ing form."""

    name, group = "verb-form-changed", "grammar"


class NounNumberChanged(ReplacementRule):
    """A singular noun is put into the plural, or vice versa."""

    name, group = "noun-number-changed", "grammar"


class DeterminerChanged(ReplacementRule):
    """An article or a determiner is replaced by another one."""

    name, group = "determiner-changed", "grammar"


class PrepositionChanged(ReplacementRule):
    """A preposition is replaced by another one."""

    name, group = "preposition-changed", "grammar"


class SpellingVariant(EnglishRule):
    """British spelling is replaced by American spelling, or vice versa."""

    name, group = "spelling-variant", "writing"
    kind = "harmless"

    def _change(self, draft: Draft) -> str:
        variants = replacements_by_word("spellings")
        return draft.replace_words(
            {index: variants[word][0] for index, word in enumerate(draft.lower) if word in variants}
        )


class Contraction(EnglishRule):
    """Contractions such as "don't" are expanded, and full forms such as "do not" are contracted."""

    name, group = "contraction", "writing"
    kind = "harmless"

    def _change(self, draft: Draft) -> str:
        replacements = {short.lower(): long for short, long in WORD_LISTS["contractions"].items()}
        replacements |= {long.lower(): short for short, long in WORD_LISTS["contractions"].items()}
        # Longer forms come first, because regular expressions try alternatives from left to right.
        forms = sorted(replacements, key=len, reverse=True)
        pattern = "|".join(re.escape(form) for form in forms)
        return re.sub(
            rf"\b(?:{pattern})\b",
            lambda match: copy_case(match[0], replacements[match[0].lower()]),
            draft.text.replace("’", "'"),
            flags=re.IGNORECASE,
        )
