"""English: tags of words, and forms of verbs."""

from __future__ import annotations

import functools
import re
import warnings
from typing import Any

from meteor_e_evaluation.stress.words import Words, rows


@functools.lru_cache(maxsize=32)
def words_of(*names: str) -> frozenset[str]:
    """Return all words of some lists."""
    return frozenset(word for name in names for row in rows(name) for word in row)


def is_auxiliary(word: str) -> bool:
    """Return whether a word is a form of "be", "have" or "do", or a modal verb."""
    return word.lower() in words_of("be", "have", "do", "modal verbs")


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
        return "VB" if verb_base(word) == word and zipf(gerund(word)) > 2.5 else tag
    if tag == "VBD" and before in words_of("have", "be"):
        return "VBN"
    return "VBD" if tag == "VBN" and before in words_of("subjects") else tag


def is_negated(word: str) -> bool:
    """Return whether a word ends in "n't"."""
    return word.lower().replace("’", "'").endswith("n't")


def bare(word: str) -> str:
    """Return the auxiliary of a form in "n't"."""
    return {"won't": "will", "can't": "can", "shan't": "shall"}.get(word.lower().replace("’", "'"), word.lower()[:-3])


def zipf(word: str) -> float:
    """Return how frequent an English word is: the logarithm to base 10 of its count in a billion words."""
    from wordfreq import zipf_frequency

    return float(zipf_frequency(word, "en"))


@functools.lru_cache(maxsize=1)
def _irregular() -> tuple[dict[str, list[str]], dict[str, str]]:
    """Return past and participle of irregular verbs, and the base of each form."""
    verbs = rows("verbs")
    bases = {form: base for base, *forms in verbs for form in forms}
    return {base: forms for base, *forms in verbs}, {**bases, **{base: base for base, *_ in verbs}}


def _doubled(base: str) -> str:
    short = re.fullmatch(r"[^aeiou]*(?:qu)?[aeiou][^aeiouwxy]", base)
    return base + base[-1] if short else base


def past(base: str) -> str:
    """Return the regular past of a verb."""
    return base + "d" if base.endswith("e") else re.sub(r"(?<=[^aeiou])y$", "i", _doubled(base)) + "ed"


def gerund(base: str) -> str:
    """Return the form in -ing."""
    if base.endswith("ie"):
        return base[:-2] + "ying"
    return (base[:-1] if re.search(r"[^eoy]e$", base) else _doubled(base)) + "ing"


def third(base: str) -> str:
    """Return the third person of the present."""
    if base == "have":
        return "has"
    if re.search(r"(?:s|x|z|ch|sh|o)$", base):
        return base + "es"
    return re.sub(r"(?<=[^aeiou])y$", "ie", base) + "s"


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
    fitting = [each for each in found if form in (conjugated(each, "VBD"), gerund(each), third(each), each)]
    best = max(fitting or found, key=zipf)
    return best if zipf(best) > 1.5 else max(found, key=zipf)


def conjugated(base: str, tag: str) -> str:
    """Return a verb's form of a tag of the Penn Treebank: VBD, VBZ, VBP or VBG."""
    if base == "be":
        return {"VBZ": "is", "VBP": "are", "VBD": "was", "VBG": "being"}.get(tag, base)
    if tag == "VBD" and base in _irregular()[0]:
        return _irregular()[0][base][0]
    makers = {"VBD": past, "VBG": gerund, "VBZ": third}
    return makers[tag](base) if tag in makers else base
