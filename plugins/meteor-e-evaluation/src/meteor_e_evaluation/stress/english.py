"""English: tags of words, their other forms, and the rules that need them."""

from __future__ import annotations

import functools
import re
import warnings
from collections.abc import Sequence
from typing import Any

from meteor_e_evaluation.stress.drafts import LISTS, Draft, alternatives, like, rows, words_of


@functools.lru_cache(maxsize=4096)
def tags(text: str) -> tuple[str, ...]:
    """Return the Penn Treebank's tag of each English word of a text; ``NT`` for words with "n't"."""
    from textblob.en import tag

    words, tokens, places = Draft(text), list[str](), list[int]()
    for gap, word in zip(words.gaps, [*words.words, ""], strict=True):
        tokens += [sign for sign in gap if not sign.isspace()]
        places.append(len(tokens))
        tokens += [re.sub(r"(?<=\w)['’]\w*$", "", word)] if word else []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # TextBlob leaves its lexicon's file open.
        found = tag(" ".join(tokens), tokenize=False)
        if len(found) != len(tokens):
            found = [(tag(token, tokenize=False) or [(token, "NN")])[0] for token in tokens]
    named = [found[place][1] for place in places[:-1]]
    return tuple(_corrected(words.lower, named, at) for at in range(len(words)))


def _corrected(words: list[str], named: list[str], at: int) -> str:
    """Return a tag; words of closed classes and verbs after auxiliaries have the tag that their place gives."""
    word, tag = words[at], named[at]
    if word.endswith("n't"):
        return "NT"
    before = words[at - 1] if at else ""
    if before in ("not", "never") and at > 1:
        before = words[at - 2]
    before = positive(before)
    if tag in ("NN", "JJ") and (before == "to" or before in words_of("do", "modal verbs")):
        return "VB" if verb_base(word) == word and zipf(conjugated(word, "VBG")) > 2.5 else tag
    if tag == "VBD" and before in words_of("have", "be"):
        return "VBN"
    return "VBD" if tag == "VBN" and before in words_of("subjects") else tag


def positive(word: str) -> str:
    """Return an auxiliary without "n't"."""
    return str(LISTS["auxiliaries with n't"].get(word, word.removesuffix("n't")))


def zipf(word: str) -> float:
    """Return how frequent an English word is: the logarithm to base 10 of its count in a billion words."""
    from wordfreq import zipf_frequency

    return float(zipf_frequency(word, "en"))


def conjugated(base: str, tag: str) -> str:
    """Return a verb's form of a tag of the Penn Treebank: VBD, VBZ or VBG; the base for any other."""
    if base == "be":
        return str(LISTS["forms of be"].get(tag, base))
    past = {base: past for base, past, _ in rows("verbs")} if tag == "VBD" else {}
    patterns = LISTS["forms"].get(tag, ())
    regular = (re.sub(pattern, form, base, count=1) for pattern, form in patterns if re.search(pattern, base))
    return past.get(base) or next(regular, base)


@functools.lru_cache(maxsize=4096)
def verb_base(form: str) -> str:
    """Return the base of a verb's form: the one that gives the form and is frequent."""
    form = form.lower()
    irregular = {each: base for base, *forms in rows("verbs") for each in forms}
    irregular |= {base: base for base, *_ in rows("verbs")} | dict.fromkeys(words_of("be"), "be")
    if form in irregular:
        return irregular[form]
    found = [re.sub(pattern, base, form) for pattern, base in LISTS["bases"] if re.search(pattern, form)] or [form]
    fitting = [each for each in found if form in (each, *(conjugated(each, tag) for tag in ("VBD", "VBG", "VBZ")))]
    best = max(fitting or found, key=zipf)
    return best if zipf(best) > 1.5 else max(found, key=zipf)


@functools.lru_cache(maxsize=256)
def _pattern(text: str) -> re.Pattern[str]:
    """Return a pattern with the words of the lists that it names in braces; ``!`` before it is for "not"."""
    filled = re.sub(r"\{([a-z ]+)\}", lambda name: "|".join(map(re.escape, words_of(name[1]))), text)
    return re.compile(f"(?!({filled[1:]})$).*" if filled.startswith("!") else filled)


class Forms(dict[str, str]):
    """Forms of an English word, by name: as it is written (``form``), what follows an apostrophe in it (``ending``),
    a verb's of a tag, a noun's number (NN, NNS), a year some years later (``+1``).
    """

    def __missing__(self, name: str) -> str:
        word = self["form"].lower()
        if name[0] in "+-":
            return str(int(word) + int(name))
        if name not in ("NN", "NNS"):
            return conjugated(verb_base(word), name)
        from textblob.en.inflect import pluralize, singularize

        other = str((pluralize if name == "NNS" else singularize)(word))
        return other if zipf(other) > 2.5 else word


class EnglishDraft(Draft):
    """An English text that a rule changes."""

    def choices(self, stages: Sequence[Sequence[Any]]) -> dict[int, list[str]]:
        """Return for each word that may be changed, by its place, what may take its place.

        The first stage that finds a word counts; in it, the first case that fits a word.
        """
        for cases in stages:
            found = {at: self._others(at, cases) for at in range(len(self))}
            if any(found.values()):
                return {at: others for at, others in found.items() if others}
        return {}

    def _others(self, at: int, cases: Sequence[Any]) -> list[str]:
        """Return what may take a word's place, by the first case that fits it."""
        words, named, word = ("", *self.lower, ""), ("", *tags(self.text), ""), self.lower[at]
        seen = {"word": word, "form": self.words[at], "before": words[at], "after": words[at + 2]}
        seen |= {"tag": named[at + 1], "tag before": named[at], "tag after": named[at + 2]}
        for case in cases:
            others = alternatives(case["list"]).get(word) if "list" in case else case.get("by", [""])
            if others is not None and all(_pattern(case[key]).fullmatch(seen[key]) for key in seen if key in case):
                forms = Forms(form=self.words[at], ending="".join(self.words[at].partition("'")[1:]))
                made = [other.format_map(forms) for other in others]
                return [other for other in made if other.lower() != word]
        return []

    def replace(self, stages: Sequence[Sequence[Any]]) -> str:
        """Replace one of the words that cases find."""
        found = self.choices(stages)
        at = self.pick(found)
        return self.replaced({at: self.pick(found[at])})

    def drop(self, stages: Sequence[Sequence[Any]]) -> str:
        """Drop one of the words that cases find."""
        return self.without([self.pick(self.choices(stages))])

    def _negated(self, avoid: range = range(0)) -> str:
        """Negate something, but not there."""
        found = self.choices(LISTS["negatable"])
        at = self.pick(at for at in found if at not in avoid)
        (text,), word = found[at], self.words[at]
        return self.put({at: text if at or word in text else like(word, text)})

    def negation_added(self) -> str:
        """Negate a verb, in one text of three by a short form."""
        changed = self._negated()
        if self.rng.random() >= 0.3:
            return changed
        short = {long: short for short, long in LISTS["contractions"].items() if short.endswith("n't")}
        return re.sub(r"\b(\w+) not\b", lambda found: short.get(found[0].lower(), found[0]), changed, count=1)

    def _unnegated(self) -> tuple[str, int]:
        """Return a text without one of its negations, and where that stood."""
        negative = dict(rows("negative"))
        negations, named = {*negative, "not"} - {"nor"}, tags(self.text)
        at = self.pick(at for at, word in enumerate(self.lower) if word in negations or named[at] == "NT")
        word, changes = self.lower[at], {}
        if word in negative:
            changes[at] = like(self.words[at], negative[word])
            if word == "neither":
                changes |= {later: "and" for later in range(at, len(self)) if self.lower[later] == "nor"}
            return self.put(changes), at
        do, gone = (at - 1, [at]) if word == "not" else (at, [])
        auxiliary = positive(self.lower[do]) if do >= 0 else ""
        if do == at:
            changes[at] = like(self.words[at], auxiliary)
        verb = next((place for place in range(at + 1, min(at + 4, len(self))) if named[place] in ("VB", "VBP")), at)
        form = {"do": "VBP", "does": "VBZ", "did": "VBD"}.get(auxiliary)
        if form and verb > at and verb_base(self.words[verb]) == self.words[verb]:
            new = conjugated(self.words[verb], form)
            changes[verb] = like(self.words[0], new) if do == 0 else new
            gone.append(do)
        return Draft(self.put(changes)).without(gone), at

    def negation_dropped(self) -> str:
        """Drop a negation."""
        return self._unnegated()[0]

    def negation_moved(self) -> str:
        """Drop a negation, and negate something three words away or farther."""
        text, at = self._unnegated()
        return EnglishDraft(text, self.rng, self.context)._negated(range(max(0, at - 2), at + 3))

    def unit_changed(self) -> str:
        """Replace a sign of a currency, or a unit."""
        if re.search(r"[$€£]", self.text) and self.rng.random() < 0.8:
            return re.sub(r"[$€£]", lambda found: self.pick("$€£".replace(found[0], "")), self.text, count=1)
        return self.replace(LISTS["changed units"])

    def case_changed(self) -> str:
        """Give a pronoun another case, or drop the ending of a possessive."""
        known, found = alternatives("cases"), {}
        for at, word in enumerate(self.words):
            owner, *ending = re.split("['’](?=s$)", word)
            if ending and owner.isalpha() and owner.lower() not in words_of("shortened"):
                found[at] = owner
            elif word.lower() in known and word != "US":
                found[at] = self.pick(known[word.lower()])
        at = self.pick(found)
        return self.replaced({at: "Me" if at == 0 and self.words[0] == "I" else found[at]})

    def function_word_added(self) -> str:
        """Add an article, a preposition or another frequent word."""
        at = self.pick(range(1, len(self)))
        near = self.lower[at - 1 : at + 1]
        return self.inserted(at, self.pick(each for each in rows("frequent")[0] if each not in near))

    def content_word_added(self) -> str:
        """Add an adjective, an adverb or a noun of another text where grammar allows it."""
        other = self.pick(self.near_texts())
        before = {"JJ": ("NN", "NNS"), "RB": ("JJ", "VBD", "VBZ", "VBN"), "NN": ("NN", "NNS"), "NNS": ("NN", "NNS")}
        at, word = self.pick(
            (at, word)
            for word, kind in zip(Draft(other).lower, tags(other), strict=True)
            if kind in before and word.isalpha() and len(word) > 2 and word not in (*self.lower, "not", "never")
            for at, tag in enumerate(tags(self.text))
            if at and tag in before[kind]
        )
        return self.inserted(at, word)

    def spelling_variant(self) -> str:
        """Spell all words in the British way that are spelled in the American one, and the other way round."""
        known = alternatives("spellings")
        return self.replaced({at: known[word][0] for at, word in enumerate(self.lower) if word in known})

    def contraction(self) -> str:
        """Write all short forms out, and shorten long ones."""
        others = {short.lower(): long for short, long in LISTS["contractions"].items()}
        others |= {long.lower(): short for short, long in LISTS["contractions"].items()}
        pattern = "|".join(map(re.escape, sorted(others, key=len, reverse=True)))
        text = self.text.replace("’", "'")
        return re.sub(rf"\b(?:{pattern})\b", lambda at: like(at[0], others[at[0].lower()]), text, flags=re.IGNORECASE)
