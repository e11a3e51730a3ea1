"""A text as a list of words with the gaps between them; English tags, forms of verbs and nouns."""

from __future__ import annotations

import functools
import re
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from meteor_e.base.yamlfile import parse_yaml

_UNSPACED = r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]{1,2}"
"""Scripts that are written without spaces: two letters count as a word there."""
_MARKS = r"\u0300-\u036f\u0900-\u0dff"
_WORD = re.compile(rf"({_UNSPACED}|[\w{_MARKS}]+(?:[.,:]\d+)*(?:['’][^\W\d_]+)?(?:-[\w{_MARKS}]+)*)")


class Words:
    """A text that can be changed word by word, while everything between the words stays.

    Attributes:
        words: the words.
        gaps: what stands before, between and after them: one more than there are words.
    """

    def __init__(self, text: str) -> None:
        parts = _WORD.split(text)
        self.gaps, self.words = parts[0::2], parts[1::2]

    def __len__(self) -> int:
        return len(self.words)

    def __str__(self) -> str:
        return self.joined(self.words)

    def joined(self, words: Sequence[str]) -> str:
        """Return the text with other words in the places of these."""
        return "".join(gap + word for gap, word in zip(self.gaps, [*words, ""], strict=True))

    def replaced(self, changes: Mapping[int, str]) -> str:
        """Return the text with some words replaced; capitals at the start of a word are kept."""
        return self.joined([like(word, changes[at]) if at in changes else word for at, word in enumerate(self.words)])

    def inserted(self, at: int, text: str) -> str:
        """Return the text with another before word ``at``."""
        word = self.words[at]
        if at == 0 and word[:1].isupper() and word != "I" and word[1:] == word[1:].lower():
            return self.joined([f"{like(word, text)}{self._space}{word[0].lower()}{word[1:]}", *self.words[1:]])
        return self.joined([*self.words[:at], f"{text}{self._space}{word}", *self.words[at + 1 :]])

    @property
    def _space(self) -> str:
        return "" if len(self) > 1 and not any(map(str.isspace, self.gaps[1:-1])) else " "

    def without(self, places: Sequence[int]) -> str:
        """Return the text without some words, and without the spaces that they leave."""
        gone = set(places)
        text, pending = self.gaps[0], ""
        raised = bool(self.words) and 0 in gone and self.words[0][:1].isupper()
        for at, word in enumerate(self.words):
            after = self.gaps[at + 1]
            if at not in gone:
                text, pending, raised = text + pending + (word[:1].upper() + word[1:] if raised else word), "", False
                text += after
                continue
            # One of the spaces around the word goes with it; punctuation moves to the word before.
            text = text.rstrip() + after if after.strip() or not text.strip() else text.rstrip() + " " * bool(after)
            text = text.lstrip() if not text.strip() else text
        return text

    def span(self, first: int, last: int) -> str:
        """Return the words from ``first`` to ``last`` as they stand, with what is between them."""
        inner = zip(self.gaps[first + 1 : last + 1], self.words[first + 1 : last + 1], strict=True)
        return self.words[first] + "".join(gap + word for gap, word in inner)


def like(model: str, word: str) -> str:
    """Return a word with the capitals of another: of its first letter, or of all."""
    if len(model) > 1 and model.isupper() and model.isalpha():
        return word.upper()
    return word[:1].upper() + word[1:] if model[:1].isupper() and model != "I" else word


@functools.lru_cache(maxsize=1)
def lists() -> dict[str, Any]:
    """Return the English word lists."""
    file = files("meteor_e_evaluation.stress") / "english.yaml"
    found: dict[str, Any] = parse_yaml(file.read_bytes(), "english.yaml").data
    return found


@functools.lru_cache(maxsize=32)
def pairs(name: str, *, both_ways: bool = True) -> dict[str, list[str]]:
    """Return what a list says each word may be replaced by."""
    raw = lists()[name]
    rows = [part.split("=") if "=" in part else part.split() for part in raw.split(",")] if isinstance(raw, str) else []
    rows = rows or [group.split() for group in raw]
    found: dict[str, list[str]] = {}
    for row in rows:
        row = [word.strip() for word in row]
        for at, word in enumerate(row):
            if both_ways or at == 0:
                found.setdefault(word.lower(), []).extend(other for other in row if other != word)
    return found


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
    for at, gap in enumerate(words.gaps):
        tokens += [sign for sign in gap if not sign.isspace()]
        if at < len(words):
            places.append(len(tokens))
            tokens.append(re.sub(r"(?<=\w)['’]\w*$", "", words.words[at]) or "x")
    found = _tagger()(" ".join(tokens), tokenize=False)
    if len(found) != len(tokens):
        found = [(_tagger()(token, tokenize=False) or [(token, "NN")])[0] for token in tokens]
    named = [found[place][1] for place in places]
    return tuple(
        "NT" if is_negated(word) else _corrected(words.words, named, at) for at, word in enumerate(words.words)
    )


def _corrected(words: list[str], named: list[str], at: int) -> str:
    """Return a tag; words of closed classes and verbs after auxiliaries have the tag that their place gives."""
    word, tag = words[at].lower(), named[at]
    before = words[at - 1].lower() if at else ""
    if before in ("not", "never") and at > 1:
        before = words[at - 2].lower()
    if is_negated(before):
        before = bare(before)
    if tag in ("NN", "JJ") and before in _BEFORE_BASES and verb_base(word) == word and _zipf(gerund(word)) > 2.5:
        return "VB"
    if tag == "VBD" and before in _HAVE | _BE:
        return "VBN"
    if tag == "VBN" and before in _SUBJECTS:
        return "VBD"
    return tag


_BE = frozenset(["be", "am", "is", "are", "was", "were", "been", "being"])
_HAVE = frozenset(["have", "has", "had", "having"])
_DO = frozenset(["do", "does", "did"])
_MODALS = frozenset(["will", "would", "can", "could", "may", "might", "must", "shall", "should"])
_SUBJECTS = frozenset(["i", "you", "he", "she", "it", "we", "they", "who"])
_BEFORE_BASES = _DO | _MODALS | {"to"}
AUXILIARIES = _BE | _HAVE | _DO | _MODALS


def is_negated(word: str) -> bool:
    """Return whether a word ends in "n't"."""
    return word.lower().replace("’", "'").endswith("n't")


def bare(word: str) -> str:
    """Return the auxiliary of a form in "n't"."""
    return {"won't": "will", "can't": "can", "shan't": "shall"}.get(word.lower().replace("’", "'"), word.lower()[:-3])


def _zipf(word: str) -> float:
    from wordfreq import zipf_frequency

    return float(zipf_frequency(word, "en"))


@functools.lru_cache(maxsize=1)
def _irregular() -> tuple[dict[str, tuple[str, str]], dict[str, str]]:
    rows = [row.split() for row in lists()["verbs"].split(",")]
    forms = {form: base for base, past, participle in rows for form in (past, participle)}
    return {base: (past, participle) for base, past, participle in rows}, {**forms, **{row[0]: row[0] for row in rows}}


def _doubled(base: str) -> str:
    short = re.fullmatch(r"[^aeiou]*(?:qu)?[aeiou][^aeiouwxy]", base)
    return base + base[-1] if short else base


def past(base: str) -> str:
    """Return the past of a verb."""
    irregular = _irregular()[0].get(base)
    if irregular:
        return irregular[0]
    if base.endswith("e"):
        return base + "d"
    return re.sub(r"(?<=[^aeiou])y$", "i", _doubled(base)) + "ed"


def participle(base: str) -> str:
    """Return the past participle of a verb."""
    irregular = _irregular()[0].get(base)
    return irregular[1] if irregular else past(base)


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
    if form in _BE:
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
    fitting = [each for each in found if form in (past(each), gerund(each), third(each), each)]
    return max(fitting or found, key=_zipf) if max(map(_zipf, fitting or found)) > 1.5 else max(found, key=_zipf)


def conjugated(base: str, tag: str) -> str:
    """Return a verb's form of a tag of the Penn Treebank."""
    if base == "be":
        return {"VBZ": "is", "VBP": "are", "VBD": "was", "VBN": "been", "VBG": "being"}.get(tag, base)
    makers = {"VBD": past, "VBN": participle, "VBG": gerund, "VBZ": third}
    return makers[tag](base) if tag in makers else base


@functools.lru_cache(maxsize=64)
def _known_words(language: str, count: int) -> tuple[str, ...]:
    from wordfreq import available_languages, top_n_list

    return tuple(top_n_list(language, count)) if language in available_languages() else ()


def foreign_words(language: str) -> list[str]:
    """Return words of another language that this one does not have: of German; of English for German and others."""
    other = "de" if language == "en" else "en"
    own = frozenset(_known_words(language, 20_000))
    return [word for word in _known_words(other, 3000)[200:] if len(word) > 4 and word.isalpha() and word not in own]


def frequent_words(language: str, texts: Sequence[str], count: int = 40) -> list[str]:
    """Return the most frequent words of a language; of the texts, where its frequencies are not known."""
    if language == "en":
        return list(lists()["frequent"].split())
    known = [word for word in _known_words(language, count) if word.isalpha()]
    if known:
        return known
    counts = Counter(word.lower() for text in texts for word in Words(text).words)
    return [word for word, _ in counts.most_common(count)]
