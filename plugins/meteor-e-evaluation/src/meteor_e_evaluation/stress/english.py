"""English: tags of words, forms of verbs, and what the rules for English do. The table of rules is ``rules.yaml``."""

from __future__ import annotations

import functools
import re
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from meteor_e_evaluation.stress.general import Draft, Options, another_text, replacing
from meteor_e_evaluation.stress.words import Words, alternatives, like, lists, rows, words_of


def is_auxiliary(word: str) -> bool:
    """Return whether a word is a form of "be", "have" or "do", or a modal verb."""
    return word.lower() in words_of("be", "have", "do", "modal verbs")


_DO = {"VBD": "did", "VBZ": "does", "VBP": "do"}


@functools.lru_cache(maxsize=1)
def _tagger() -> Any:
    from textblob.en import tag

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # TextBlob leaves its lexicon's file open.
        tag("warm", tokenize=False)
    return tag


@functools.lru_cache(maxsize=4096)
def tags(text: str) -> tuple[str, ...]:
    """Return the Penn Treebank's tag of each English word of a text; ``NT`` for words with "n't"."""
    words = Words(text)
    tokens: list[str] = []
    places: list[int] = []
    for gap, word in zip(words.gaps, [*words.words, ""], strict=True):
        tokens += [sign for sign in gap if not sign.isspace()]
        places.append(len(tokens))
        tokens += [re.sub(r"(?<=\w)['’]\w*$", "", word)] if word else []
    found = _tagger()(" ".join(tokens), tokenize=False)
    if len(found) != len(tokens):
        found = [(_tagger()(token, tokenize=False) or [(token, "NN")])[0] for token in tokens]
    named = [found[place][1] for place in places[:-1]]
    return tuple(_corrected(words.lower, named, at) for at in range(len(words)))


def _corrected(words: list[str], named: list[str], at: int) -> str:
    """Return a tag; words of closed classes and verbs after auxiliaries have the tag that their place gives."""
    word, tag = words[at], named[at]
    if is_negated(word):
        return "NT"
    before = words[at - 1] if at else ""
    if before in ("not", "never") and at > 1:
        before = words[at - 2]
    if is_negated(before):
        before = bare(before)
    if tag in ("NN", "JJ") and (before == "to" or before in words_of("do", "modal verbs")):
        return "VB" if verb_base(word) == word and zipf(regular(word, "VBG")) > 2.5 else tag
    if tag == "VBD" and before in words_of("have", "be"):
        return "VBN"
    return "VBD" if tag == "VBN" and before in words_of("subjects") else tag


def is_negated(word: str) -> bool:
    """Return whether a word ends in "n't"."""
    return word.lower().replace("’", "'").endswith("n't")


def bare(word: str) -> str:
    """Return the auxiliary of a form in "n't"."""
    return str(lists()["auxiliaries with n't"].get(word.lower().replace("’", "'"), word.lower()[:-3]))


def zipf(word: str) -> float:
    """Return how frequent an English word is: the logarithm to base 10 of its count in a billion words."""
    from wordfreq import zipf_frequency

    return float(zipf_frequency(word, "en"))


@functools.lru_cache(maxsize=1)
def _irregular() -> tuple[dict[str, str], dict[str, str]]:
    """Return the past of irregular verbs, and the base of each form."""
    verbs = rows("verbs")
    bases = {form: base for base, *forms in verbs for form in forms}
    return {base: past for base, past, _ in verbs}, {**bases, **{base: base for base, *_ in verbs}}


def regular(base: str, tag: str) -> str:
    """Return a verb's regular form of a tag: VBD, VBZ or VBG."""
    pattern, form = next(row for row in lists()["forms"][tag] if re.search(row[0], base))
    return re.sub(pattern, form, base, count=1)


def conjugated(base: str, tag: str) -> str:
    """Return a verb's form of a tag of the Penn Treebank: VBD, VBZ, VBP or VBG."""
    if base == "be":
        return str(lists()["forms of be"].get(tag, base))
    if tag == "VBD" and base in _irregular()[0]:
        return _irregular()[0][base]
    return regular(base, tag) if tag in lists()["forms"] else base


@functools.lru_cache(maxsize=4096)
def verb_base(form: str) -> str:
    """Return the base of a verb's form: the one that gives the form and is frequent."""
    form = form.lower()
    if form in words_of("be"):
        return "be"
    forms = _irregular()[1]
    if form in forms:
        return forms[form]
    found = [form]
    for ending, cut in (("ing", 3), ("ied", 3), ("ed", 2), ("ies", 3), ("es", 2), ("s", 1)):
        if form.endswith(ending) and len(form) > cut + 1 and not form.endswith("ss"):
            stem = form[:-cut]
            found = [stem + "y"] if ending in ("ied", "ies") else [stem, stem + "e"]
            found += [stem[:-1]] if stem[-1:] == stem[-2:-1] else []
            found += [form[:-1]] if ending in ("ies", "es", "s") else []
            break
    fitting = [each for each in found if form in (each, *(conjugated(each, tag) for tag in ("VBD", "VBG", "VBZ")))]
    best = max(fitting or found, key=zipf)
    return best if zipf(best) > 1.5 else max(found, key=zipf)


def listed(name: str, but: Sequence[str] = ()) -> Callable[[Draft], Options]:
    """Return a function that finds the words of a list, with the others of their groups; some words are kept."""

    def find(draft: Draft) -> Options:
        known = alternatives(name)
        return {at: known[word] for at, word in enumerate(draft.lower) if word in known and word not in but}

    return find


def is_verb(draft: Draft, at: int) -> bool:
    """Return whether a word is a full verb."""
    return tags(draft.text)[at].startswith("VB") and not is_auxiliary(draft.lower[at])


def is_function_word(draft: Draft, at: int) -> bool:
    """Return whether a word is an article, a preposition, a pronoun, an auxiliary or a conjunction."""
    return tags(draft.text)[at] in words_of("function tags") or is_auxiliary(draft.lower[at])


def is_content_word(draft: Draft, at: int) -> bool:
    """Return whether a word is a noun, an adjective, an adverb, a number or a full verb."""
    named = tags(draft.text)[at][:2] in ("NN", "JJ", "RB", "CD")
    return (named and draft.lower[at] not in words_of("negations")) or is_verb(draft, at)


def is_head_noun(draft: Draft, at: int) -> bool:
    """Return whether a word is the last noun of a group of words."""
    tag = (*tags(draft.text), "")
    return at > 0 and tag[at].startswith("NN") and not tag[at + 1].startswith("NN")


def _negatable(draft: Draft) -> list[tuple[int, str]]:
    """Return where a negation can stand, and what the word there is with it."""
    found: list[tuple[int, str]] = []
    tag = (*tags(draft.text), "")
    for at, word in enumerate(draft.lower):
        before, after = "".join(draft.lower[at - 1 : at]), "".join(draft.lower[at + 1 : at + 2])
        if after in words_of("negations") or is_negated(word):
            continue
        if word == "can":
            found.append((at, "cannot"))
        elif (
            tag[at] == "MD"
            or word in ("am", "is", "are", "was", "were")
            or re.search(r"['’](?:m|ll|re)$", word)
            or (word in ("has", "have", "had", "do", "does", "did") and tag[at + 1] in ("VBN", "VB"))
        ):
            found.append((at, f"{word} not"))
        elif (
            tag[at] in _DO
            and at
            and not (is_auxiliary(word) or is_negated(before) or before in words_of("negations") | {"to"})
        ):
            found.append((at, f"{_DO[tag[at]]} not {verb_base(word)}"))
    if found or not len(draft):
        return found
    if tag[0] in ("VB", "VBP") and draft.lower[0] == verb_base(draft.lower[0]):
        return [(0, f"do not {draft.lower[0]}")]
    wanted = next((kinds for kinds in (("VBG", "VBN"), ("JJ",)) if set(kinds) & set(tag)), ())
    return [(at, f"not {word}") for at, word in enumerate(draft.lower) if tag[at] in wanted]


def _negated(draft: Draft, avoid: range = range(0)) -> str:
    at, text = draft.pick(each for each in _negatable(draft) if each[0] not in avoid)
    kept, lower = draft.words[at], draft.lower[at]
    if text == f"{lower} not":
        text = f"{kept} not"
    elif text == f"not {lower}":
        text = f"not {kept}" if kept[:1].isupper() else text
    elif at == 0:
        text = like(kept, text)
    return draft.put({at: text})


def negation_added(draft: Draft) -> str:
    """Negate a verb, in one text of three by a short form."""
    changed = _negated(draft)
    if draft.rng.random() >= 0.3:
        return changed
    short = {long: short for short, long in lists()["contractions"].items() if short.endswith("n't")}
    return re.sub(r"\b(\w+) not\b", lambda found: short.get(found[0].lower(), found[0]), changed, count=1)


def _unnegated(draft: Draft) -> tuple[str, int]:
    """Return a text without one of its negations, and where that stood."""
    negative = dict(rows("negative"))
    at = draft.pick(
        at
        for at, word in enumerate(draft.lower)
        if is_negated(word) or word == "not" or (word in negative and word != "nor")
    )
    word, tag, changed = draft.lower[at], tags(draft.text), Words(draft.text)
    if word in negative:
        changed.words[at] = like(draft.words[at], negative[word])
        for later in range(at + 1, len(draft) if word == "neither" else at):
            if draft.lower[later] == "nor":
                changed.words[later] = "and"
        return changed.joined(changed.words), at
    if word == "not":
        do, gone = at - 1, [at]
        auxiliary = draft.lower[do] if at else ""
    else:
        do, gone, auxiliary = at, [], bare(word)
        changed.words[at] = like(draft.words[at], auxiliary)
    verb = next((place for place in range(at + 1, min(at + 4, len(draft))) if tag[place] in ("VB", "VBP")), None)
    if auxiliary in _DO.values() and verb is not None and verb_base(draft.words[verb]) == draft.words[verb]:
        form = conjugated(draft.words[verb], {"do": "VBP", "does": "VBZ", "did": "VBD"}[auxiliary])
        changed.words[verb] = like(draft.words[do], form) if do == 0 else form
        gone.append(do)
    return changed.without(gone), at


def negation_dropped(draft: Draft) -> str:
    """Drop a negation."""
    return _unnegated(draft)[0]


def negation_moved(draft: Draft) -> str:
    """Drop a negation, and negate something three words away or farther."""
    text, at = _unnegated(draft)
    return _negated(Draft(text, draft.rng, draft.context), range(max(0, at - 2), at + 3))


def opposites(draft: Draft) -> Options:
    """Find words that have an opposite; those of closed classes only where there are no others."""
    found = listed("antonyms")(draft)
    return {at: found[at] for at in found if tags(draft.text)[at] not in words_of("function tags")} or found


def dates(draft: Draft) -> Options:
    """Find years, months, days of the week and times of the day."""
    known = alternatives("dates")
    proper = {word for row in rows("dates") for word in row if word[0].isupper()}
    found: dict[int, list[str]] = {}
    for at, word in enumerate(draft.words):
        if re.fullmatch(r"1[5-9]\d\d|20\d\d", word):
            found[at] = [str(int(word) + shift) for shift in (-10, -3, -1, 1, 2, 5)]
        elif word in proper or (word.capitalize() not in proper and word.lower() in known):
            found[at] = known[word.lower()]
    return found


def unit_changed(draft: Draft) -> str:
    """Replace a sign of a currency, or a unit; units of one or two letters after numbers only."""
    if re.search(r"[$€£]", draft.text) and draft.rng.random() < 0.8:
        return re.sub(r"[$€£]", lambda found: draft.pick("$€£".replace(found[0], "")), draft.text, count=1)

    def units(draft: Draft) -> Options:
        short = words_of("short units")
        found = listed("units", ("second", "foot"))(draft)
        after_number = {at + 1 for at, word in enumerate(draft.words) if word[-1].isdecimal()}
        return {at: found[at] for at in found if at in after_number or draft.lower[at] not in short}

    return replacing(units)(draft)


def name_changed(draft: Draft) -> str:
    """Replace a name of a list; where there is none, another word that is tagged as a name by a surname."""
    tag, known = tags(draft.text), alternatives("names")
    names = [at for at, word in enumerate(draft.words) if word[:1].isupper() and word.lower() in known]
    others = [
        at
        for at, word in enumerate(draft.words)
        if at and tag[at].startswith("NNP") and word[:1].isupper() and word[1:].islower()
        if word.lower() not in alternatives("dates")
    ]
    at = draft.pick(names or others)
    own, quote, ending = draft.words[at].partition("'")
    spare = known.get(draft.lower[at]) or [each for each in rows("names")[-1] if each != own]
    return draft.replaced({at: draft.pick(spare) + quote + ending})


def genders(draft: Draft) -> Options:
    """Find words for men and women."""
    tag = (*tags(draft.text), "")
    found = dict(listed("gender")(draft))
    for at in found:
        if draft.lower[at] == "her":
            found[at] = ["his" if tag[at + 1][:2] in ("NN", "JJ", "VB", "CD", "RB") else "him"]
    return found


def case_changed(draft: Draft) -> str:
    """Give a pronoun another case, or drop the ending of a possessive."""
    known = alternatives("cases")
    found: dict[int, str] = {}
    for at, word in enumerate(draft.words):
        possessive = re.fullmatch(r"([^\W\d_]+)['’]s", word)
        if possessive and possessive[1].lower() not in words_of("shortened"):
            found[at] = possessive[1]
        elif word.lower() in known and word != "US":
            found[at] = draft.pick(known[word.lower()])
    at = draft.pick(found)
    if draft.words[at] != "I":
        return draft.replaced({at: found[at]})
    return draft.put({at: found[at] if at else found[at].capitalize()})


def tenses(draft: Draft) -> Options:
    """Find verbs in the present and in the past."""
    tag = tags(draft.text)
    found: dict[int, str] = {}
    for at, word in enumerate(draft.lower):
        before = draft.lower[at - 1] if at else ""
        plural = before in ("i", "we", "you", "they")
        if word in lists()["tenses"] and before != "to" and before not in words_of("modal verbs") - {"shall"}:
            other = lists()["tenses"][word]
            found[at] = {"has": "have", "does": "do"}.get(other, other) if plural else other
        elif is_auxiliary(word):
            continue
        elif tag[at] in ("VBZ", "VBP") and at and "'" not in word:
            found[at] = conjugated(verb_base(word), "VBD")
        elif tag[at] == "VBD":
            plural = plural or before == "who" or (at > 0 and tag[at - 1] in ("NNS", "NNPS"))
            found[at] = conjugated(verb_base(word), "VBP" if plural else "VBZ")
    return {at: [form] for at, form in found.items() if form != draft.lower[at]}


def agreements(draft: Draft) -> Options:
    """Find verbs that agree with their subject."""
    tag = tags(draft.text)
    found: dict[int, list[str]] = {}
    for at, word in enumerate(draft.lower):
        if word in lists()["numbers"]:
            found[at] = [lists()["numbers"][word]]
        elif tag[at] in ("VBZ", "VBP") and is_verb(draft, at) and at and "'" not in word:
            found[at] = [conjugated(verb_base(word), "VBP" if tag[at] == "VBZ" else "VBZ")]
    return found


def verb_forms(draft: Draft) -> Options:
    """Find full verbs, with their base and the form in -ing."""
    found: dict[int, list[str]] = {}
    for at, word in enumerate(draft.lower):
        if is_verb(draft, at) and (at or tags(draft.text)[at] != "VBG"):
            base = verb_base(word)
            found[at] = [form for form in (base, conjugated(base, "VBG")) if form != word]
    return found


def noun_numbers(draft: Draft) -> Options:
    """Find nouns that have a known form in the other number."""
    from textblob.en.inflect import pluralize, singularize

    found: dict[int, list[str]] = {}
    for at, (word, tag) in enumerate(zip(draft.lower, tags(draft.text), strict=True)):
        if tag in ("NN", "NNS") and word.isalpha() and len(word) > 2:
            other = (pluralize if tag == "NN" else singularize)(word)
            if other != word and zipf(other) > 2.5:
                found[at] = [other]
    return found


def determiners(draft: Draft) -> Options:
    """Find determiners that a word follows, with others; "a" and "an" suit that word."""
    found = listed("determiners")(draft)
    article = {at: "an" if draft.lower[at + 1][0] in "aeiou" else "a" for at in found if at + 1 < len(draft)}
    return {at: [article[at] if new in ("a", "an") else new for new in found[at]] for at in article}


def prepositions(draft: Draft) -> Options:
    """Find prepositions, except the "to" of a verb."""
    tag = (*tags(draft.text), "")
    found = listed("prepositions")(draft)
    return {at: found[at] for at in found if tag[at] in ("IN", "TO", "RP") and tag[at + 1] != "VB"}


def function_word_added(draft: Draft) -> str:
    """Add an article, a preposition or another frequent word."""
    at = draft.pick(range(1, len(draft)))
    near = draft.lower[at - 1 : at + 1]
    return draft.inserted(at, draft.pick(each for each in rows("frequent")[0] if each not in near))


def content_word_added(draft: Draft) -> str:
    """Add an adjective, an adverb or a noun of another text where it can stand."""
    other = another_text(draft)
    before = {"JJ": ("NN", "NNS"), "RB": ("JJ", "VBD", "VBZ", "VBN"), "NN": ("NN", "NNS"), "NNS": ("NN", "NNS")}
    at, word = draft.pick(
        (at, word)
        for word, kind in zip(Words(other).lower, tags(other), strict=True)
        if kind in before and word.isalpha() and len(word) > 2 and word not in (*draft.lower, "not", "never")
        for at, tag in enumerate(tags(draft.text))
        if at and tag in before[kind]
    )
    return draft.inserted(at, word)


def spelling_variant(draft: Draft) -> str:
    """Spell all words in the British way that are spelled in the American one, and the other way round."""
    return draft.replaced({at: others[0] for at, others in listed("spellings")(draft).items()})


def contraction(draft: Draft) -> str:
    """Write all short forms out, and shorten long ones."""
    others = {short.lower(): long for short, long in lists()["contractions"].items()}
    others |= {long.lower(): short for short, long in lists()["contractions"].items()}
    pattern = "|".join(map(re.escape, sorted(others, key=len, reverse=True)))

    def other(found: re.Match[str]) -> str:
        new = others[found[0].lower()]
        return new if new.startswith("I") else like(found[0], new)

    return re.sub(rf"\b(?:{pattern})\b", other, draft.text.replace("’", "'"), flags=re.IGNORECASE)
