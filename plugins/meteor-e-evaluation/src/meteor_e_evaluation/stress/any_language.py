"""Perturbation rules of ``meteor-e stress`` that apply to texts of any language."""

from __future__ import annotations

from meteor_e_evaluation.stress.drafts import Draft
from meteor_e_evaluation.stress.rule import Rule

FINAL_PUNCTUATION_DROPPED = [{"\\s*[.!?。！？।؟…]+(?=[\"'”’)»]*\\s*$)": ""}]
"""Regular expressions and their replacements, as for :meth:`.Draft.rewrite`."""

FINAL_PUNCTUATION_CHANGED = [
    {"\\.(?=[\"'”’)»]*\\s*$)": "?"},
    {"[?!](?=[\"'”’)»]*\\s*$)": "."},
    {"。(?=[\"'”’)»]*\\s*$)": "？"},
    {"[？！](?=[\"'”’)»]*\\s*$)": "。"},
]
"""Regular expressions and their replacements: a full stop becomes a question mark, any other mark a full stop."""

QUOTES = [
    {"[‘’]": "'", "[“”]": '"'},
    {'(?<!\\w)"(?=\\w)': "“", '"': "”", "(?<!\\w)'(?=\\w)": "‘", "'": "’"},
]
"""Regular expressions and their replacements: curly quotation marks become straight, or straight ones curly."""


class DigitsChanged(Rule):
    """A digit of a number is replaced by another one."""

    name, group = "digits-changed", "meaning"

    def _change(self, draft: Draft) -> str:
        return draft.change_digit()


class WordsAdded(Rule):
    """Two to four consecutive words of another text are inserted."""

    name, group = "words-added", "addition"

    def _change(self, draft: Draft) -> str:
        return draft.insert_phrase()


class TextAdded(Rule):
    """Another text is appended."""

    name, group = "text-added", "addition"

    def _change(self, draft: Draft) -> str:
        return draft.fill_template("{text} {other}")


class WordDropped(Rule):
    """A word is removed."""

    name, group = "word-dropped", "omission"
    min_words = 2

    def _change(self, draft: Draft) -> str:
        return draft.drop_word()


class WordsDropped(Rule):
    """A random quarter of the words is removed."""

    name, group = "words-dropped", "omission"
    min_words = 4

    def _change(self, draft: Draft) -> str:
        return draft.drop_words()


class Truncated(Rule):
    """At least the last quarter of the words is removed."""

    name, group = "truncated", "omission"
    min_words = 3

    def _change(self, draft: Draft) -> str:
        return draft.truncate()


class WordRepeated(Rule):
    """A word is repeated."""

    name, group = "word-repeated", "repetition"

    def _change(self, draft: Draft) -> str:
        return draft.repeat_word()


class PhraseRepeated(Rule):
    """Two to four consecutive words are repeated."""

    name, group = "phrase-repeated", "repetition"

    def _change(self, draft: Draft) -> str:
        return draft.repeat_phrase()


class TextTwice(Rule):
    """The whole text is repeated."""

    name, group = "text-twice", "repetition"

    def _change(self, draft: Draft) -> str:
        return draft.fill_template("{text} {text}")


class SwappedNear(Rule):
    """Two adjacent words are swapped."""

    name, group = "swapped-near", "order"

    def _change(self, draft: Draft) -> str:
        return draft.swap_words(1, 1)


class SwappedFar(Rule):
    """Two words that are at least four words apart are swapped."""

    name, group = "swapped-far", "order"

    def _change(self, draft: Draft) -> str:
        return draft.swap_words(4, 1000)


class Shuffled(Rule):
    """All words are in random order."""

    name, group = "shuffled", "order"

    def _change(self, draft: Draft) -> str:
        return draft.shuffle()


class Misspelled(Rule):
    """A word is misspelled: two letters are swapped, or one is removed, doubled or replaced."""

    name, group = "misspelled", "spelling"

    def _change(self, draft: Draft) -> str:
        return draft.misspell_word()


class MisspelledOften(Rule):
    """A third of the words is misspelled."""

    name, group = "misspelled-often", "spelling"

    def _change(self, draft: Draft) -> str:
        return draft.misspell_words()


class LowerCased(Rule):
    """All capital letters are in lower case."""

    name, group = "lower-cased", "casing"

    def _change(self, draft: Draft) -> str:
        return draft.fill_template("{lower}")


class UpperCased(Rule):
    """All letters are capitals."""

    name, group = "upper-cased", "casing"

    def _change(self, draft: Draft) -> str:
        return draft.fill_template("{upper}")


class FinalPunctuationDropped(Rule):
    """The final punctuation mark is removed."""

    name, group = "final-punctuation-dropped", "punctuation"

    def _change(self, draft: Draft) -> str:
        return draft.rewrite(FINAL_PUNCTUATION_DROPPED)


class FinalPunctuationChanged(Rule):
    """The final punctuation mark is replaced by another one."""

    name, group = "final-punctuation-changed", "punctuation"

    def _change(self, draft: Draft) -> str:
        return draft.rewrite(FINAL_PUNCTUATION_CHANGED)


class PunctuationDropped(Rule):
    """All punctuation is removed."""

    name, group = "punctuation-dropped", "punctuation"

    def _change(self, draft: Draft) -> str:
        return draft.drop_punctuation()


class PunctuationAdded(Rule):
    """A comma, a full stop or a semicolon is inserted between two words."""

    name, group = "punctuation-added", "punctuation"

    def _change(self, draft: Draft) -> str:
        return draft.add_punctuation()


class Untranslated(Rule):
    """One or two words are replaced by words of another language."""

    name, group = "untranslated", "untranslated"
    min_words = 2

    def _change(self, draft: Draft) -> str:
        return draft.leave_untranslated()


class SourceCopied(Rule):
    """The source replaces the text."""

    name, group = "source-copied", "untranslated"

    def _change(self, draft: Draft) -> str:
        return draft.fill_template("{source}")


class ReferenceTwice(Rule):
    """The reference, twice, replaces the text."""

    name, group = "reference-twice", "degenerate"

    def _change(self, draft: Draft) -> str:
        return draft.fill_template("{reference} {reference}")


class OtherText(Rule):
    """The text is replaced by the text of another segment."""

    name, group = "other-text", "degenerate"

    def _change(self, draft: Draft) -> str:
        return draft.fill_template("{other}")


class Empty(Rule):
    """The text is empty."""

    name, group = "empty", "degenerate"

    def _change(self, draft: Draft) -> str:
        return draft.fill_template("")


class FrequentWordsOnly(Rule):
    """Frequent words replace the text."""

    name, group = "frequent-words-only", "degenerate"
    min_words = 2

    def _change(self, draft: Draft) -> str:
        return draft.replace_by_frequent_words()


class OneWordOnly(Rule):
    """The text is replaced by repetitions of one of its words."""

    name, group = "one-word-only", "degenerate"
    min_words = 2

    def _change(self, draft: Draft) -> str:
        return draft.replace_by_one_word()


class Quotes(Rule):
    """Curly quotation marks are replaced by straight ones, or vice versa."""

    name, group = "quotes", "writing"
    kind = "harmless"

    def _change(self, draft: Draft) -> str:
        return draft.rewrite(QUOTES)


class UnicodeForm(Rule):
    """Accented letters or hyphens are encoded by other Unicode characters."""

    name, group = "unicode-form", "writing"
    kind = "harmless"

    def _change(self, draft: Draft) -> str:
        return draft.change_unicode_form()


class Spaces(Rule):
    """A space is doubled, another becomes a no-break space, and one is appended."""

    name, group = "spaces", "writing"
    kind = "harmless"

    def _change(self, draft: Draft) -> str:
        return draft.change_spaces()
