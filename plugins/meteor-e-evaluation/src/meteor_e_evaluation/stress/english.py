"""Defines changes of English texts that need part-of-speech tags, inflected forms, or word lists."""

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
"""Conditions on a word, and the replacements of the word. The file ``cases.yaml`` describes the keys."""

NEGATED_AUXILIARY = "NT"
"""Tag of a word with "n't"."""

MIN_FORM_FREQUENCY = 2.5
MIN_BASE_FREQUENCY = 1.5
CURRENCY_SIGNS = "$€£"


@functools.lru_cache(maxsize=4096)
def tag_words(text: str) -> tuple[str, ...]:
    """Return the Penn Treebank tag of each word of an English text, or ``NT`` for words with "n't"."""
    draft = Draft(text)
    tokens: list[str] = []
    word_positions: list[int] = []
    for gap, word in zip(draft.gaps[:-1], draft.words, strict=True):
        tokens += _split_signs(gap)
        word_positions.append(len(tokens))
        tokens.append(re.sub(r"(?<=\w)['’]\w*$", "", word))
    tokens += _split_signs(draft.gaps[-1])
    token_tags = _tag_tokens(tokens)
    word_tags = [token_tags[position] for position in word_positions]
    return tuple(_correct_tag(draft.lower, word_tags, index) for index in range(len(draft)))


def _split_signs(gap: str) -> list[str]:
    return [sign for sign in gap if not sign.isspace()]


def _tag_tokens(tokens: Sequence[str]) -> list[str]:
    """Return the part-of-speech tags that TextBlob gives to the tokens of a text."""
    from textblob.en import tag

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # TextBlob does not close the file of its lexicon.
        tagged = tag(" ".join(tokens), tokenize=False)
        if len(tagged) != len(tokens):
            # TextBlob split or joined tokens, so its tags cannot be assigned to the words.
            tagged = [(tag(token, tokenize=False) or [(token, "NN")])[0] for token in tokens]
    return [token_tag for _, token_tag in tagged]


def _correct_tag(words: Sequence[str], tags: Sequence[str], index: int) -> str:
    """Return the tag of a word, with typical errors of the tagger corrected by the previous word.

    Args:
        words: words of the text in lower case.
        tags: tags of the words.
        index: index of the word.
    """
    word = words[index]
    tag = tags[index]
    if word.endswith("n't"):
        return NEGATED_AUXILIARY
    previous_word = _find_previous_word(words, index)
    follows_auxiliary = previous_word == "to" or previous_word in words_in("do", "modal verbs")
    if tag in ("NN", "JJ") and follows_auxiliary and _is_base_form(word):
        return "VB"
    if tag == "VBD" and previous_word in words_in("have", "be"):
        return "VBN"
    if tag == "VBN" and previous_word in words_in("subjects"):
        return "VBD"
    return tag


def _find_previous_word(words: Sequence[str], index: int) -> str:
    """Return the word before an index without its negation, or an empty string at the beginning of the text."""
    if index == 0:
        return ""
    previous_index = index - 1
    if words[previous_index] in ("not", "never") and previous_index > 0:
        previous_index -= 1
    return remove_negation(words[previous_index])


def _is_base_form(word: str) -> bool:
    """Return whether a word is the base form of a verb whose present participle is not rare."""
    return verb_base(word) == word and word_frequency(conjugate(word, "VBG")) > MIN_FORM_FREQUENCY


def remove_negation(word: str) -> str:
    """Return an auxiliary verb without the ending "n't"."""
    return str(WORD_LISTS["auxiliaries with n't"].get(word, word.removesuffix("n't")))


def word_frequency(word: str) -> float:
    """Return the Zipf frequency of an English word, the decimal logarithm of its frequency per billion words."""
    from wordfreq import zipf_frequency

    return float(zipf_frequency(word, "en"))


def conjugate(base: str, tag: str) -> str:
    """Return an inflected form of a verb.

    Args:
        base: base form of the verb.
        tag: Penn Treebank tag of the form. Tags other than VBD, VBZ and VBG result in the base form.
    """
    if base == "be":
        return str(WORD_LISTS["forms of be"].get(tag, base))
    if tag == "VBD":
        past_forms = {irregular_base: past for irregular_base, past, _ in word_groups("verbs")}
        if past_forms.get(base):
            return past_forms[base]
    for pattern, form in WORD_LISTS["forms"].get(tag, ()):
        if re.search(pattern, base):
            return re.sub(pattern, form, base, count=1)
    return base


@functools.lru_cache(maxsize=4096)
def verb_base(form: str) -> str:
    """Return the base form of an inflected verb, the most frequent one if several are possible."""
    form = form.lower()
    irregular_bases = _irregular_bases()
    if form in irregular_bases:
        return irregular_bases[form]
    candidates = [re.sub(pattern, base, form) for pattern, base in WORD_LISTS["bases"] if re.search(pattern, form)]
    candidates = candidates or [form]
    regular_candidates = [base for base in candidates if form in _verb_forms(base)]
    best = max(regular_candidates or candidates, key=word_frequency)
    if word_frequency(best) > MIN_BASE_FREQUENCY:
        return best
    return max(candidates, key=word_frequency)


def _verb_forms(base: str) -> list[str]:
    return [base, *(conjugate(base, tag) for tag in ("VBD", "VBG", "VBZ"))]


@functools.lru_cache(maxsize=1)
def _irregular_bases() -> dict[str, str]:
    """Return the base forms of irregular verbs by inflected form."""
    bases = {form: base for base, *forms in word_groups("verbs") for form in forms}
    bases |= {base: base for base, *_ in word_groups("verbs")}
    return bases | dict.fromkeys(words_in("be"), "be")


@functools.lru_cache(maxsize=256)
def _compile_condition(condition: str) -> re.Pattern[str]:
    """Return the regular expression of a condition in ``cases.yaml``.

    In a condition, ``{name}`` stands for any word of a word list, and ``!`` at the start negates the condition.
    """
    pattern = re.sub(r"\{([a-z ]+)\}", lambda match: "|".join(map(re.escape, words_in(match[1]))), condition)
    return re.compile(f"(?!({pattern[1:]})$).*" if pattern.startswith("!") else pattern)


def _fits(case: Case, properties: Mapping[str, str]) -> bool:
    """Return whether the properties of a word meet all conditions of a case."""
    for name, value in properties.items():
        if name in case and not _compile_condition(case[name]).fullmatch(value):
            return False
    return True


def _get_templates(case: Case, word: str) -> list[str] | None:
    """Return the templates of a case's replacements, or None if its word list does not contain the word."""
    if "list" in case:
        return replacements_by_word(case["list"]).get(word)
    templates: list[str] = case.get("by", [""])
    return templates


class WordForms(dict[str, str]):
    """Forms of an English word by name, which the replacements of a case can contain.

    The name ``form`` stands for the word itself, and ``ending`` for its last part, which begins with an apostrophe. The
    tag of a verb stands for the form of the verb, ``NN`` and ``NNS`` stand for the singular and the plural of a noun.
    ``+1`` stands for the next year, and ``-3`` for the year three years earlier.
    """

    def __missing__(self, name: str) -> str:
        word = self["form"].lower()
        if name[0] in "+-":
            return str(int(word) + int(name))
        if name not in ("NN", "NNS"):
            return conjugate(verb_base(word), name)
        from textblob.en.inflect import pluralize, singularize

        inflect = pluralize if name == "NNS" else singularize
        form = str(inflect(word))
        return form if word_frequency(form) > MIN_FORM_FREQUENCY else word


class EnglishDraft(Draft):
    """An English text with its words, and with methods that return changed texts."""

    def find_replacements(self, stages: Sequence[Sequence[Case]]) -> dict[int, list[str]]:
        """Return the possible replacements of each replaceable word, by the index of the word.

        Args:
            stages: lists of cases. The first stage that can replace any word is used. Within a stage, the first case
                whose conditions a word meets is used.
        """
        for cases in stages:
            replacements = {index: self._find_word_replacements(index, cases) for index in range(len(self))}
            nonempty_replacements = {index: words for index, words in replacements.items() if words}
            if nonempty_replacements:
                return nonempty_replacements
        return {}

    def _find_word_replacements(self, index: int, cases: Sequence[Case]) -> list[str]:
        """Return the replacements of a word by the first case whose conditions the word meets."""
        word = self.lower[index]
        properties = self._describe_word(index)
        for case in cases:
            templates = _get_templates(case, word)
            if templates is None or not _fits(case, properties):
                continue
            _, apostrophe, suffix = self.words[index].partition("'")
            forms = WordForms(form=self.words[index], ending=apostrophe + suffix)
            replacements = [template.format_map(forms) for template in templates]
            return [replacement for replacement in replacements if replacement.lower() != word]
        return []

    def _describe_word(self, index: int) -> dict[str, str]:
        """Return the properties of a word that the conditions of a case refer to."""
        # An empty word is added before and after the text, so that every word has neighbors.
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
        """Replace a random word that a case in the stages applies to."""
        replacements = self.find_replacements(stages)
        index = self.choose(replacements)
        return self.replace_words({index: self.choose(replacements[index])})

    def drop_case(self, stages: Sequence[Sequence[Case]]) -> str:
        """Drop a random word that a case in the stages applies to."""
        return self.remove_words([self.choose(self.find_replacements(stages))])

    def _negate(self, excluded: range = range(0)) -> str:
        """Negate a random verb whose index is not in a range of excluded indices."""
        replacements = self.find_replacements(WORD_LISTS["negatable"])
        index = self.choose(index for index in replacements if index not in excluded)
        (replacement,) = replacements[index]
        word = self.words[index]
        if index == 0 and word not in replacement:
            replacement = copy_case(word, replacement)
        return self.put_words({index: replacement})

    def add_negation(self) -> str:
        """Negate a random verb, with a contraction such as "isn't" in 30% of the cases."""
        changed = self._negate()
        if self.rng.random() >= 0.3:
            return changed
        contractions = {long: short for short, long in WORD_LISTS["contractions"].items() if short.endswith("n't")}
        return re.sub(r"\b(\w+) not\b", lambda match: contractions.get(match[0].lower(), match[0]), changed, count=1)

    def _remove_negation(self) -> tuple[str, int]:
        """Return the text without a random negation, and the index of the negation."""
        positive_words = dict(word_groups("negative"))
        negations = {*positive_words, "not"} - {"nor"}
        tags = tag_words(self.text)
        index = self.choose(
            index for index, word in enumerate(self.lower) if word in negations or tags[index] == NEGATED_AUXILIARY
        )
        word = self.lower[index]
        if word in positive_words:
            return self._replace_negative_word(index, positive_words[word]), index
        return self._remove_not(index, tags), index

    def _replace_negative_word(self, index: int, positive_word: str) -> str:
        """Replace a negative word, such as "nobody". After "neither", "nor" is also replaced by "and"."""
        changes = {index: copy_case(self.words[index], positive_word)}
        if self.lower[index] == "neither":
            changes |= {later: "and" for later in range(index, len(self)) if self.lower[later] == "nor"}
        return self.put_words(changes)

    def _remove_not(self, index: int, tags: Sequence[str]) -> str:
        """Remove "not" or "n't". A form of "do" is also removed, and the verb is conjugated accordingly."""
        is_contraction = self.lower[index] != "not"
        auxiliary_index = index if is_contraction else index - 1
        auxiliary = remove_negation(self.lower[auxiliary_index]) if auxiliary_index >= 0 else ""
        changed_words: dict[int, str] = {}
        removed_indices: list[int] = []
        if is_contraction:
            changed_words[index] = copy_case(self.words[index], auxiliary)
        else:
            removed_indices.append(index)
        verb_index = self._find_base_verb(index, tags)
        verb_tag = {"do": "VBP", "does": "VBZ", "did": "VBD"}.get(auxiliary)
        if verb_tag and verb_index is not None:
            verb = conjugate(self.words[verb_index], verb_tag)
            changed_words[verb_index] = copy_case(self.words[0], verb) if auxiliary_index == 0 else verb
            removed_indices.append(auxiliary_index)
        return Draft(self.put_words(changed_words)).remove_words(removed_indices)

    def _find_base_verb(self, index: int, tags: Sequence[str]) -> int | None:
        """Return the index of the verb after a negation, or None if no base form is among the next three words."""
        for verb_index in range(index + 1, min(index + 4, len(self))):
            if tags[verb_index] in ("VB", "VBP"):
                verb = self.words[verb_index]
                return verb_index if verb_base(verb) == verb else None
        return None

    def drop_negation(self) -> str:
        """Drop a random negation."""
        return self._remove_negation()[0]

    def move_negation(self) -> str:
        """Drop a random negation, and negate a verb at least three words away."""
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
        """Put a random pronoun into another case, or drop the ending of a random possessive."""
        cases = replacements_by_word("cases")
        replacements: dict[int, str] = {}
        for index, word in enumerate(self.words):
            owner = re.sub("['’]s$", "", word)
            if owner != word and owner.isalpha() and owner.lower() not in words_in("shortened"):
                replacements[index] = owner
            elif word.lower() in cases and word != "US":
                replacements[index] = self.choose(cases[word.lower()])
        index = self.choose(replacements)
        is_first_person_subject = index == 0 and self.words[0] == "I"
        return self.replace_words({index: "Me" if is_first_person_subject else replacements[index]})

    def add_function_word(self) -> str:
        """Insert a random frequent word, such as an article or a preposition."""
        index = self.choose(range(1, len(self)))
        neighbors = self.lower[index - 1 : index + 1]
        return self.insert_before(index, self.choose(word for word in FREQUENT_ENGLISH_WORDS if word not in neighbors))

    def add_content_word(self) -> str:
        """Insert an adjective, an adverb or a noun of a similar text before a word that it can modify."""
        similar_text = self.choose(self.similar_texts())
        modified_tags = {
            "JJ": ("NN", "NNS"),
            "RB": ("JJ", "VBD", "VBZ", "VBN"),
            "NN": ("NN", "NNS"),
            "NNS": ("NN", "NNS"),
        }
        excluded_words = {*self.lower, "not", "never"}
        tags = tag_words(self.text)
        insertions = []
        for word, word_tag in zip(Draft(similar_text).lower, tag_words(similar_text), strict=True):
            if word in excluded_words or not word.isalpha() or len(word) <= 2:
                continue
            for index, tag in enumerate(tags):
                if index > 0 and tag in modified_tags.get(word_tag, ()):
                    insertions.append((index, word))
        index, word = self.choose(insertions)
        return self.insert_before(index, word)

    def change_spelling(self) -> str:
        """Exchange the British and American spellings of all words whose spellings differ."""
        variants = replacements_by_word("spellings")
        return self.replace_words(
            {index: variants[word][0] for index, word in enumerate(self.lower) if word in variants}
        )

    def change_contractions(self) -> str:
        """Expand all contractions, and contract all expanded forms."""
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
