"""Changes of English texts that need tags, inflected forms, or word lists."""

from __future__ import annotations

import functools
import re
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from meteor_e_evaluation.stress.drafts import Draft, copy_case
from meteor_e_evaluation.stress.word_lists import (
    FREQUENT_ENGLISH_WORDS,
    WORD_LISTS,
    replacements_by_word,
    word_groups,
    words_in,
)

Case = Mapping[str, Any]
"""Conditions on a word, and its replacements; ``cases.yaml`` describes the keys."""

NEGATED_AUXILIARY = "NT"
"""Tag of a word with "n't"."""

MIN_FORM_FREQUENCY = 2.5
MIN_BASE_FREQUENCY = 1.5
CURRENCY_SIGNS = "$€£"


@functools.lru_cache(maxsize=4096)
def tag_words(text: str) -> tuple[str, ...]:
    """Return the Penn Treebank tag of each word of an English text; ``NT`` for words with "n't"."""
    from textblob.en import tag

    draft = Draft(text)
    tokens: list[str] = []
    token_indices: list[int] = []
    for gap, word in zip(draft.gaps, [*draft.words, ""], strict=True):
        tokens += [sign for sign in gap if not sign.isspace()]
        token_indices.append(len(tokens))
        tokens += [re.sub(r"(?<=\w)['’]\w*$", "", word)] if word else []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # TextBlob does not close the file of its lexicon.
        tagged = tag(" ".join(tokens), tokenize=False)
        if len(tagged) != len(tokens):
            tagged = [(tag(token, tokenize=False) or [(token, "NN")])[0] for token in tokens]
    tags = [tagged[index][1] for index in token_indices[:-1]]
    return tuple(_correct_tag(draft.lower, tags, index) for index in range(len(draft)))


def _correct_tag(words: Sequence[str], tags: Sequence[str], index: int) -> str:
    """Return the tag of a word, corrected for negated auxiliaries and for verbs after auxiliaries and subjects."""
    word, tag = words[index], tags[index]
    if word.endswith("n't"):
        return NEGATED_AUXILIARY
    previous = words[index - 1] if index else ""
    if previous in ("not", "never") and index > 1:
        previous = words[index - 2]
    previous = remove_negation(previous)
    if tag in ("NN", "JJ") and (previous == "to" or previous in words_in("do", "modal verbs")):
        is_base = verb_base(word) == word and word_frequency(conjugate(word, "VBG")) > MIN_FORM_FREQUENCY
        return "VB" if is_base else tag
    if tag == "VBD" and previous in words_in("have", "be"):
        return "VBN"
    return "VBD" if tag == "VBN" and previous in words_in("subjects") else tag


def remove_negation(word: str) -> str:
    """Return an auxiliary without "n't"."""
    return str(WORD_LISTS["auxiliaries with n't"].get(word, word.removesuffix("n't")))


def word_frequency(word: str) -> float:
    """Return the Zipf frequency of an English word: the decimal logarithm of its count per billion words."""
    from wordfreq import zipf_frequency

    return float(zipf_frequency(word, "en"))


def conjugate(base: str, tag: str) -> str:
    """Return the form of a verb with a Penn Treebank tag: VBD, VBZ or VBG; the base for any other tag."""
    if base == "be":
        return str(WORD_LISTS["forms of be"].get(tag, base))
    if tag == "VBD":
        irregular = {base: past for base, past, _ in word_groups("verbs")}
        if irregular.get(base):
            return irregular[base]
    for pattern, form in WORD_LISTS["forms"].get(tag, ()):
        if re.search(pattern, base):
            return re.sub(pattern, form, base, count=1)
    return base


@functools.lru_cache(maxsize=4096)
def verb_base(form: str) -> str:
    """Return the base of a verb form: the most frequent base with this form."""
    form = form.lower()
    bases_of_irregular = _irregular_bases()
    if form in bases_of_irregular:
        return bases_of_irregular[form]
    candidates = [re.sub(pattern, base, form) for pattern, base in WORD_LISTS["bases"] if re.search(pattern, form)]
    candidates = candidates or [form]
    with_this_form = [
        base for base in candidates if form in (base, *(conjugate(base, tag) for tag in ("VBD", "VBG", "VBZ")))
    ]
    best = max(with_this_form or candidates, key=word_frequency)
    return best if word_frequency(best) > MIN_BASE_FREQUENCY else max(candidates, key=word_frequency)


@functools.lru_cache(maxsize=1)
def _irregular_bases() -> dict[str, str]:
    """Return the bases of irregular verbs by form."""
    bases = {form: base for base, *forms in word_groups("verbs") for form in forms}
    bases |= {base: base for base, *_ in word_groups("verbs")}
    return bases | dict.fromkeys(words_in("be"), "be")


@functools.lru_cache(maxsize=256)
def _compile_condition(condition: str) -> re.Pattern[str]:
    """Return the regular expression of a case's condition: ``{name}`` is a word list, ``!`` at the start means not."""
    pattern = re.sub(r"\{([a-z ]+)\}", lambda match: "|".join(map(re.escape, words_in(match[1]))), condition)
    return re.compile(f"(?!({pattern[1:]})$).*" if pattern.startswith("!") else pattern)


def _fits(case: Case, properties: Mapping[str, str]) -> bool:
    """Return whether all conditions of a case match the properties of a word."""
    for name, value in properties.items():
        if name in case and not _compile_condition(case[name]).fullmatch(value):
            return False
    return True


class WordForms(dict[str, str]):
    """Forms of an English word by name, for the replacements of a case.

    ``form`` is the word as it is written, and ``ending`` the part from its apostrophe on. A verb tag gives the verb's
    form, ``NN`` and ``NNS`` give the noun's number, and ``+1`` or ``-3`` give a year some years later or earlier.
    """

    def __missing__(self, name: str) -> str:
        word = self["form"].lower()
        if name[0] in "+-":
            return str(int(word) + int(name))
        if name not in ("NN", "NNS"):
            return conjugate(verb_base(word), name)
        from textblob.en.inflect import pluralize, singularize

        form = str((pluralize if name == "NNS" else singularize)(word))
        return form if word_frequency(form) > MIN_FORM_FREQUENCY else word


class EnglishDraft(Draft):
    """An English text that a rule changes."""

    def find_replacements(self, stages: Sequence[Sequence[Case]]) -> dict[int, list[str]]:
        """Return the possible replacements of words, by index.

        The first stage with a replacement for any word is used. In a stage, the first case that fits a word is used.
        """
        for cases in stages:
            replacements = {index: self._find_word_replacements(index, cases) for index in range(len(self))}
            if any(replacements.values()):
                return {index: words for index, words in replacements.items() if words}
        return {}

    def _find_word_replacements(self, index: int, cases: Sequence[Case]) -> list[str]:
        """Return the possible replacements of a word by the first case that fits it."""
        word = self.lower[index]
        properties = self._describe_word(index)
        for case in cases:
            templates = replacements_by_word(case["list"]).get(word) if "list" in case else case.get("by", [""])
            if templates is None or not _fits(case, properties):
                continue
            forms = WordForms(form=self.words[index], ending="".join(self.words[index].partition("'")[1:]))
            replacements = [template.format_map(forms) for template in templates]
            return [replacement for replacement in replacements if replacement.lower() != word]
        return []

    def _describe_word(self, index: int) -> dict[str, str]:
        """Return the properties of a word that a case can have conditions on."""
        # One empty word before and after the text, so that every word has neighbors.
        words, tags = ("", *self.lower, ""), ("", *tag_words(self.text), "")
        return {
            "word": self.lower[index],
            "form": self.words[index],
            "before": words[index],
            "after": words[index + 2],
            "tag": tags[index + 1],
            "tag before": tags[index],
            "tag after": tags[index + 2],
        }

    def replace_case(self, stages: Sequence[Sequence[Case]]) -> str:
        """Replace one of the words that cases fit."""
        replacements = self.find_replacements(stages)
        index = self.choose(replacements)
        return self.replace_words({index: self.choose(replacements[index])})

    def drop_case(self, stages: Sequence[Sequence[Case]]) -> str:
        """Drop one of the words that cases fit."""
        return self.remove_words([self.choose(self.find_replacements(stages))])

    def _negate(self, excluded: range = range(0)) -> str:
        """Negate a verb whose index is not excluded."""
        replacements = self.find_replacements(WORD_LISTS["negatable"])
        index = self.choose(index for index in replacements if index not in excluded)
        (replacement,), word = replacements[index], self.words[index]
        keeps_word = bool(index) or word in replacement
        return self.put_words({index: replacement if keeps_word else copy_case(word, replacement)})

    def add_negation(self) -> str:
        """Negate a verb; three of ten times with a short form."""
        changed = self._negate()
        if self.rng.random() >= 0.3:
            return changed
        contractions = {long: short for short, long in WORD_LISTS["contractions"].items() if short.endswith("n't")}
        return re.sub(r"\b(\w+) not\b", lambda match: contractions.get(match[0].lower(), match[0]), changed, count=1)

    def _remove_negation(self) -> tuple[str, int]:
        """Return the text without one of its negations, and the index of the negation."""
        positive_words = dict(word_groups("negative"))
        negations, tags = {*positive_words, "not"} - {"nor"}, tag_words(self.text)
        index = self.choose(
            index for index, word in enumerate(self.lower) if word in negations or tags[index] == NEGATED_AUXILIARY
        )
        word = self.lower[index]
        if word in positive_words:
            return self._replace_negative_word(index, positive_words[word]), index
        return self._remove_not(index, tags), index

    def _replace_negative_word(self, index: int, positive_word: str) -> str:
        """Replace a negative word, such as "nobody", and "nor" after "neither"."""
        changes = {index: copy_case(self.words[index], positive_word)}
        if self.lower[index] == "neither":
            changes |= {later: "and" for later in range(index, len(self)) if self.lower[later] == "nor"}
        return self.put_words(changes)

    def _remove_not(self, index: int, tags: Sequence[str]) -> str:
        """Remove "not" or "n't"; a form of "do" is removed with it, and the verb is conjugated."""
        changes: dict[int, str] = {}
        auxiliary_index, removed = (index - 1, [index]) if self.lower[index] == "not" else (index, [])
        auxiliary = remove_negation(self.lower[auxiliary_index]) if auxiliary_index >= 0 else ""
        if auxiliary_index == index:
            changes[index] = copy_case(self.words[index], auxiliary)
        next_words = range(index + 1, min(index + 4, len(self)))
        verb = next((position for position in next_words if tags[position] in ("VB", "VBP")), index)
        verb_tag = {"do": "VBP", "does": "VBZ", "did": "VBD"}.get(auxiliary)
        if verb_tag and verb > index and verb_base(self.words[verb]) == self.words[verb]:
            form = conjugate(self.words[verb], verb_tag)
            changes[verb] = copy_case(self.words[0], form) if auxiliary_index == 0 else form
            removed.append(auxiliary_index)
        return Draft(self.put_words(changes)).remove_words(removed)

    def drop_negation(self) -> str:
        """Drop a negation."""
        return self._remove_negation()[0]

    def move_negation(self) -> str:
        """Drop a negation, and negate a verb at least three words away."""
        text, index = self._remove_negation()
        return EnglishDraft(text, self.rng, self.context)._negate(range(max(0, index - 2), index + 3))

    def change_unit(self) -> str:
        """Replace a currency sign or a unit."""
        if re.search(f"[{CURRENCY_SIGNS}]", self.text) and self.rng.random() < 0.8:
            return re.sub(
                f"[{CURRENCY_SIGNS}]",
                lambda match: self.choose(CURRENCY_SIGNS.replace(match[0], "")),
                self.text,
                count=1,
            )
        return self.replace_case(WORD_LISTS["changed units"])

    def change_case(self) -> str:
        """Give a pronoun another case, or drop the ending of a possessive."""
        cases, replacements = replacements_by_word("cases"), {}
        for index, word in enumerate(self.words):
            owner, *ending = re.split("['’](?=s$)", word)
            if ending and owner.isalpha() and owner.lower() not in words_in("shortened"):
                replacements[index] = owner
            elif word.lower() in cases and word != "US":
                replacements[index] = self.choose(cases[word.lower()])
        index = self.choose(replacements)
        is_first_person_subject = index == 0 and self.words[0] == "I"
        return self.replace_words({index: "Me" if is_first_person_subject else replacements[index]})

    def add_function_word(self) -> str:
        """Add an article, a preposition or another frequent word."""
        index = self.choose(range(1, len(self)))
        neighbors = self.lower[index - 1 : index + 1]
        return self.insert_before(index, self.choose(word for word in FREQUENT_ENGLISH_WORDS if word not in neighbors))

    def add_content_word(self) -> str:
        """Add an adjective, an adverb or a noun of a similar text before a word that it can modify."""
        similar_text = self.choose(self.similar_texts())
        modified_tags = {
            "JJ": ("NN", "NNS"),
            "RB": ("JJ", "VBD", "VBZ", "VBN"),
            "NN": ("NN", "NNS"),
            "NNS": ("NN", "NNS"),
        }
        index, word = self.choose(
            (index, word)
            for word, word_tag in zip(Draft(similar_text).lower, tag_words(similar_text), strict=True)
            if word_tag in modified_tags
            and word.isalpha()
            and len(word) > 2
            and word not in (*self.lower, "not", "never")
            for index, tag in enumerate(tag_words(self.text))
            if index and tag in modified_tags[word_tag]
        )
        return self.insert_before(index, word)

    def change_spelling(self) -> str:
        """Spell all words that have another spelling in British or American English in this other way."""
        variants = replacements_by_word("spellings")
        return self.replace_words(
            {index: variants[word][0] for index, word in enumerate(self.lower) if word in variants}
        )

    def change_contractions(self) -> str:
        """Write all short forms out, and shorten all long forms."""
        replacements = {short.lower(): long for short, long in WORD_LISTS["contractions"].items()}
        replacements |= {long.lower(): short for short, long in WORD_LISTS["contractions"].items()}
        pattern = "|".join(map(re.escape, sorted(replacements, key=len, reverse=True)))
        text = self.text.replace("’", "'")
        return re.sub(
            rf"\b(?:{pattern})\b",
            lambda match: copy_case(match[0], replacements[match[0].lower()]),
            text,
            flags=re.IGNORECASE,
        )
