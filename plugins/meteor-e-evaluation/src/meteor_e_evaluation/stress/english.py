"""Perturbations of English, by tags, forms of words, and word lists."""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Callable, Iterable
from typing import Any

from meteor_e.api import Perturbation
from meteor_e.api.perturbations import PerturbationContext
from meteor_e_evaluation.stress import general
from meteor_e_evaluation.stress.general import Rule, another_text, some
from meteor_e_evaluation.stress.words import (
    AUXILIARIES,
    Words,
    bare,
    conjugated,
    is_negated,
    like,
    lists,
    pairs,
    tags,
    verb_base,
)

rule: Callable[..., Callable[[Rule], type[Perturbation]]] = functools.partial(general.rule, languages=("en",))

FUNCTION_TAGS = frozenset(["DT", "PDT", "IN", "TO", "CC", "MD", "PRP", "PRP$", "WDT", "WP", "WRB", "EX", "RP"])
FINITE = frozenset(("VBD", "VBZ", "VBP"))
PLAIN_NEGATIONS = frozenset(("not", "never", "no"))


def _listed(name: str, words: Words, rng: random.Random, places: Iterable[int] | None = None) -> str | None:
    """Replace one word by another of its row in a list."""
    known = pairs(name)
    found = [at for at in (range(len(words)) if places is None else places) if words.words[at].lower() in known]
    at = some(rng, found)
    return None if at is None else words.replaced({at: rng.choice(known[words.words[at].lower()])})


def _is_verb(words: Words, tag: tuple[str, ...], at: int) -> bool:
    return tag[at].startswith("VB") and words.words[at].lower() not in AUXILIARIES


def _negatable(words: Words, tag: tuple[str, ...]) -> list[tuple[int, str]]:
    """Return where a negation can stand, and what the word there is with it."""
    found: list[tuple[int, str]] = []
    for at, word in enumerate(words.words):
        lower = word.lower()
        after = words.words[at + 1].lower() if at + 1 < len(words) else ""
        if after in PLAIN_NEGATIONS or is_negated(word):
            continue
        if lower == "can":
            found.append((at, "cannot"))
        elif (
            tag[at] == "MD"
            or lower in ("am", "is", "are", "was", "were")
            or re.search(r"['’](?:m|ll|re)$", lower)
            or (lower in ("has", "have", "had", "do", "does", "did") and tag[at + 1 : at + 2] in (("VBN",), ("VB",)))
        ):
            found.append((at, f"{lower} not"))
        elif tag[at] in FINITE and lower not in AUXILIARIES and at:
            before = words.words[at - 1].lower()
            if before not in PLAIN_NEGATIONS | {"to"} and not is_negated(before):
                do = {"VBD": "did", "VBZ": "does", "VBP": "do"}[tag[at]]
                found.append((at, f"{do} not {verb_base(word)}"))
    if found or not len(words):
        return found
    if tag[0] in ("VB", "VBP") and words.words[0].lower() == verb_base(words.words[0]):
        return [(0, f"do not {words.words[0].lower()}")]
    wanted = next((kinds for kinds in (("VBG", "VBN"), ("JJ",)) if set(kinds) & set(tag)), ())
    return [(at, f"not {word.lower()}") for at, word in enumerate(words.words) if tag[at] in wanted]


def _negated(words: Words, rng: random.Random, avoid: range = range(0)) -> str | None:
    places = [each for each in _negatable(words, tags(str(words))) if each[0] not in avoid]
    if not places:
        return None
    at, text = rng.choice(places)
    kept = words.words[at]
    first = like(kept, text) if not text.startswith("not ") and at == 0 else text
    if kept.lower() == text.removeprefix("not ") and kept[:1].isupper():
        first = f"not {kept}"
    return words.joined(
        [*words.words[:at], kept + " not" if text == f"{kept.lower()} not" else first, *words.words[at + 1 :]]
    )


@rule("negation-added", "polarity")
def negation_added(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """A sentence says that something is not so."""
    changed = _negated(Words(text), rng)
    contracted = rng.random() < 0.3
    if changed is None or not contracted:
        return changed
    short = {long: short for short, long in _contracted() if short.endswith("n't")}
    return re.sub(r"\b(\w+) not\b", lambda found: short.get(found[0].lower(), found[0]), changed, count=1)


def _unnegated(words: Words, rng: random.Random) -> tuple[str, int] | None:
    """Return a text without one of its negations, and where that stood."""
    listed = pairs("negative", both_ways=False)
    places = [
        at
        for at, word in enumerate(words.words)
        if is_negated(word) or word.lower() == "not" or (word.lower() in listed and word.lower() != "nor")
    ]
    at = some(rng, places)
    if at is None:
        return None
    word, tag = words.words[at], tags(str(words))
    changed = list(words.words)
    if word.lower() in listed and word.lower() != "not":
        changed[at] = like(word, listed[word.lower()][0])
        for later in range(at + 1, len(words) if word.lower() == "neither" else at):
            if changed[later].lower() == "nor":
                changed[later] = "and"
        return words.joined(changed), at
    if word.lower() == "not":
        do, gone = at - 1, [at]
        auxiliary = words.words[do].lower() if at else ""
    else:
        do, gone = at, []
        auxiliary = bare(word)
        changed[at] = like(word, auxiliary)
    verb = next((place for place in range(at + 1, min(at + 4, len(words))) if tag[place] in ("VB", "VBP")), None)
    if auxiliary in ("do", "does", "did") and verb is not None and verb_base(words.words[verb]) == words.words[verb]:
        form = conjugated(words.words[verb], {"do": "VBP", "does": "VBZ", "did": "VBD"}[auxiliary])
        changed[verb] = like(words.words[do], form) if do == 0 else form
        gone.append(do)
    kept = Words(str(words))
    kept.words = changed
    return kept.without(gone), at


@rule("negation-dropped", "polarity")
def negation_dropped(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """A sentence no longer says that something is not so."""
    found = _unnegated(Words(text), rng)
    return None if found is None else found[0]


@rule("negation-moved", "polarity")
def negation_moved(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """Another part of the sentence is negated."""
    found = _unnegated(Words(text), rng)
    if found is None:
        return None
    return _negated(Words(found[0]), rng, range(max(0, found[1] - 2), found[1] + 3))


@rule("antonym", "meaning")
def antonym(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """A word is its opposite."""
    words = Words(text)
    tag = tags(text)
    open_class = [at for at in range(len(words)) if tag[at] not in FUNCTION_TAGS]
    return _listed("antonyms", words, rng, open_class) or _listed("antonyms", words, rng)


@rule("number-changed", "meaning")
def number_changed(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """A number in words is another one."""
    words = Words(text)
    return _listed("numerals", words, rng, [at for at, word in enumerate(words.words) if word.lower() != "second"])


@rule("date-changed", "meaning")
def date_changed(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """A month, a day of the week, a time of the day or a year is another one."""
    words = Words(text)
    known = pairs("dates")
    proper = {word for group in lists()["dates"][:2] for word in group.split()}
    found: dict[int, list[str]] = {}
    for at, word in enumerate(words.words):
        if re.fullmatch(r"1[5-9]\d\d|20\d\d", word):
            found[at] = [str(int(word) + shift) for shift in (-10, -3, -1, 1, 2, 5)]
        elif word in proper or (word.capitalize() not in proper and word.lower() in known):
            found[at] = known[word.lower()]
    at_place = some(rng, found)
    return None if at_place is None else words.replaced({at_place: rng.choice(found[at_place])})


@rule("unit-changed", "meaning")
def unit_changed(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """A unit or a currency is another one."""
    if re.search(r"[$€£]", text) and rng.random() < 0.8:
        return re.sub(r"[$€£]", lambda found: rng.choice([sign for sign in "$€£" if sign != found[0]]), text, count=1)
    words = Words(text)
    letters = {"m", "g", "t", "mm", "cm", "km", "mg", "kg"}
    after_number = [
        at
        for at, word in enumerate(words.words)
        if word.lower() not in letters or (at and words.words[at - 1][-1:].isdecimal())
    ]
    return _listed(
        "units", words, rng, [at for at in after_number if words.words[at].lower() not in ("second", "foot")]
    )


@rule("name-changed", "meaning")
def name_changed(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """A name is another one: of a person, a place, a people."""
    words, tag = Words(text), tags(text)
    known = pairs("names")
    dates = pairs("dates")
    listed = [at for at, word in enumerate(words.words) if word[:1].isupper() and word.lower() in known]
    others = [
        at
        for at, word in enumerate(words.words)
        if at and tag[at].startswith("NNP") and word[:1].isupper() and word[1:].islower() and word.lower() not in dates
    ]
    at_place = some(rng, listed) if listed else some(rng, others)
    if at_place is None:
        return None
    word = words.words[at_place]
    own, quote, ending = word.partition("'")
    spare = known.get(word.lower()) or [each for each in lists()["names"][5].split() if each != own]
    return words.replaced({at_place: rng.choice(spare) + quote + ending})


@rule("pronoun-gender-changed", "grammar")
def gender_changed(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """A woman is a man, or the other way round."""
    words, tag = Words(text), tags(text)
    lower = [word.lower() for word in words.words]
    known = pairs("gender")
    at = some(rng, (at for at, word in enumerate(lower) if word in known))
    if at is None:
        return None
    spare = known[lower[at]]
    if lower[at] == "her":
        follows = tag[at + 1 : at + 2]
        spare = ["his" if follows and follows[0][:2] in ("NN", "JJ", "VB", "CD", "RB") else "him"]
    return words.replaced({at: rng.choice(spare)})


@rule("case-changed", "grammar")
def case_changed(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """A pronoun has another case, or a possessive has lost its ending."""
    words = Words(text)
    known = pairs("cases")
    found: dict[int, str] = {}
    for at, word in enumerate(words.words):
        possessive = re.fullmatch(r"([^\W\d_]+)['’]s", word)
        if possessive and possessive[1].lower() not in (
            "it",
            "he",
            "she",
            "that",
            "there",
            "what",
            "who",
            "let",
            "here",
        ):
            found[at] = possessive[1]
        elif word.lower() in known and word != "US":
            found[at] = rng.choice(known[word.lower()])
    at_place = some(rng, found)
    if at_place is None:
        return None
    word = found[at_place]
    old = words.words[at_place]
    new = word if old == "I" and at_place else (like(old, word) if old != "I" else word.capitalize())
    return words.joined([*words.words[:at_place], new, *words.words[at_place + 1 :]])


@rule("tense-changed", "grammar")
def tense_changed(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """A verb in the present is in the past, or the other way round."""
    words, tag = Words(text), tags(text)
    found: dict[int, str] = {}
    for at, word in enumerate(words.words):
        lower = word.lower()
        before = words.words[at - 1].lower() if at else ""
        auxiliary = {"is": "was", "are": "were", "am": "was", "was": "is", "were": "are", "has": "had", "do": "did"}
        auxiliary |= {"had": "has", "have": "had", "does": "did", "did": "does", "will": "would", "would": "will"}
        if lower in auxiliary and before not in (
            "to",
            "will",
            "would",
            "can",
            "could",
            "may",
            "might",
            "must",
            "should",
        ):
            found[at] = auxiliary[lower]
            if before in ("we", "you", "they", "i") and found[at] in ("has", "does"):
                found[at] = {"has": "have", "does": "do"}[found[at]]
        elif tag[at] in ("VBZ", "VBP") and lower not in AUXILIARIES and at and "'" not in word:
            found[at] = conjugated(verb_base(lower), "VBD")
        elif tag[at] == "VBD" and lower not in AUXILIARIES:
            plural = before in ("we", "you", "they", "i", "who") or (at and tag[at - 1] in ("NNS", "NNPS"))
            found[at] = conjugated(verb_base(lower), "VBP" if plural else "VBZ")
    changes = {at: form for at, form in found.items() if form != words.words[at].lower()}
    at_place = some(rng, changes)
    return None if at_place is None else words.replaced({at_place: changes[at_place]})


@rule("agreement-changed", "grammar")
def agreement_changed(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """A verb does not agree with its subject."""
    words, tag = Words(text), tags(text)
    known = {"is": "are", "are": "is", "was": "were", "were": "was", "has": "have", "does": "do", "doesn't": "don't"}
    found: dict[int, str] = {}
    for at, word in enumerate(words.words):
        if word.lower() in known:
            found[at] = known[word.lower()]
        elif tag[at] in ("VBZ", "VBP") and _is_verb(words, tag, at) and at and "'" not in word:
            found[at] = conjugated(verb_base(word), "VBP" if tag[at] == "VBZ" else "VBZ")
    at_place = some(rng, found)
    return None if at_place is None else words.replaced({at_place: found[at_place]})


@rule("verb-form-changed", "grammar")
def verb_form_changed(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """A verb is a bare base, or its form in -ing."""
    words, tag = Words(text), tags(text)
    places = [at for at in range(len(words)) if _is_verb(words, tag, at) and (at or tag[at] != "VBG")]
    at = some(rng, places)
    if at is None:
        return None
    base = verb_base(words.words[at])
    spare = [form for form in (base, conjugated(base, "VBG")) if form != words.words[at].lower()]
    return words.replaced({at: rng.choice(spare)})


@rule("noun-number-changed", "grammar")
def noun_number_changed(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """A noun in the singular is in the plural, or the other way round."""
    from textblob.en.inflect import pluralize, singularize
    from wordfreq import zipf_frequency

    words, tag = Words(text), tags(text)
    found: dict[int, str] = {}
    for at, word in enumerate(words.words):
        if tag[at] in ("NN", "NNS") and word.isalpha() and len(word) > 2:
            other = (pluralize if tag[at] == "NN" else singularize)(word.lower())
            if other != word.lower() and zipf_frequency(other, "en") > 2.5:
                found[at] = other
    at_place = some(rng, found)
    return None if at_place is None else words.replaced({at_place: found[at_place]})


@rule("determiner-changed", "grammar")
def determiner_changed(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """An article or another determiner is another one."""
    words = Words(text)
    known = pairs("determiners")
    at = some(rng, (at for at, word in enumerate(words.words) if word.lower() in known and at + 1 < len(words)))
    if at is None:
        return None
    new = rng.choice(known[words.words[at].lower()])
    if new in ("a", "an"):
        new = "an" if words.words[at + 1][:1].lower() in "aeiou" else "a"
    return words.replaced({at: new})


@rule("preposition-changed", "grammar")
def preposition_changed(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """A preposition is another one."""
    words, tag = Words(text), tags(text)
    known = lists()["prepositions"].split()
    places = [
        at
        for at, word in enumerate(words.words)
        if word.lower() in known and tag[at] in ("IN", "TO", "RP") and tag[at + 1 : at + 2] != ("VB",)
    ]
    at = some(rng, places)
    if at is None:
        return None
    return words.replaced({at: rng.choice([each for each in known if each != words.words[at].lower()])})


@rule("modality-changed", "meaning")
def modality_changed(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """What must be only may be, what can be must be, and the like."""
    return _listed("modals", Words(text), rng)


def _dropped(text: str, rng: random.Random, fits: Callable[[Words, Any, int], bool]) -> str | None:
    words, tag = Words(text), tags(text)
    at = some(rng, (at for at in range(len(words)) if fits(words, tag, at))) if len(words) > 1 else None
    return None if at is None else words.without([at])


@rule("function-word-dropped", "omission")
def function_word_dropped(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """An article, a preposition, a pronoun, an auxiliary or a conjunction is missing."""
    return _dropped(
        text, rng, lambda words, tag, at: tag[at] in FUNCTION_TAGS or words.words[at].lower() in AUXILIARIES
    )


@rule("content-word-dropped", "omission")
def content_word_dropped(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """A noun, an adjective, an adverb, a number or a full verb is missing."""
    return _dropped(
        text,
        rng,
        lambda words, tag, at: (
            (tag[at][:2] in ("NN", "JJ", "RB", "CD") and words.words[at].lower() not in PLAIN_NEGATIONS)
            or _is_verb(words, tag, at)
        ),
    )


@rule("verb-dropped", "omission")
def verb_dropped(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """A full verb is missing."""
    return _dropped(text, rng, _is_verb)


@rule("head-noun-dropped", "omission")
def head_noun_dropped(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """The last noun of a group of words is missing."""

    def is_head(words: Words, tag: tuple[str, ...], at: int) -> bool:
        return at > 0 and tag[at].startswith("NN") and not "".join(tag[at + 1 : at + 2]).startswith("NN")

    return _dropped(text, rng, is_head)


@rule("function-word-added", "addition")
def function_word_added(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """There is an article, a preposition or another small word too many."""
    words = Words(text)
    at = some(rng, range(1, len(words)))
    if at is None:
        return None
    near = {words.words[at].lower(), words.words[at - 1].lower()}
    return words.inserted(at, rng.choice([each for each in lists()["frequent"].split() if each not in near]))


@rule("content-word-added", "addition")
def content_word_added(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """An adjective, an adverb or a noun of another text is added where it can stand."""
    other = another_text(rng, context)
    if other is None:
        return None
    words, tag = Words(text), tags(text)
    own = {word.lower() for word in words.words}
    spare = [
        (word.lower(), kind)
        for word, kind in zip(Words(other).words, tags(other), strict=True)
        if kind in ("JJ", "RB", "NN", "NNS") and word.lower() not in own and word.isalpha() and len(word) > 2
        if word.lower() not in ("not", "never")
    ]
    before = {"JJ": ("NN", "NNS"), "RB": ("JJ", "VBD", "VBZ", "VBN"), "NN": ("NN", "NNS"), "NNS": ("NN", "NNS")}
    found = [(at, word) for word, kind in spare for at in range(1, len(words)) if tag[at] in before[kind]]
    if not found:
        return None
    at, word = rng.choice(found)
    return words.inserted(at, word)


@rule("spelling-variant", "writing", kind="harmless")
def spelling_variant(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """All words with a British and an American spelling have the other one."""
    known = pairs("spellings")
    words = Words(text)
    return words.replaced({at: known[word.lower()][0] for at, word in enumerate(words.words) if word.lower() in known})


def _contracted() -> list[tuple[str, str]]:
    rows = (part.split("=") for part in lists()["contractions"].split(","))
    return [(short.strip(), long.strip()) for short, long in rows]


@rule("contraction", "writing", kind="harmless")
def contraction(text: str, rng: random.Random, context: PerturbationContext) -> str | None:
    """Short forms are written out, and long ones shortened: "do not" for "don't"."""
    shorts = {short.lower(): long for short, long in _contracted()}
    longs = {long.lower(): short for short, long in _contracted()}
    pattern = "|".join(sorted((*map(re.escape, longs), *map(re.escape, shorts)), key=len, reverse=True))

    def other(found: re.Match[str]) -> str:
        key = found[0].lower().replace("’", "'")
        new = longs.get(key) or shorts[key]
        return like(found[0], new) if not new.startswith("I") else new

    return re.sub(rf"\b(?:{pattern})\b", other, text.replace("’", "'"), flags=re.IGNORECASE)
