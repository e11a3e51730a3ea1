"""Base words by the affixes of a hunspell dictionary: what a word is without its prefix and its suffix.

A dictionary is never expanded to its forms, which are many millions for Hebrew, Czech or Ukrainian: a word is taken
apart, and its parts are looked up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from meteor_e.api import ResourceError
from meteor_e.packs.build import Ingredients
from meteor_e.text.normalization import lowercase
from meteor_e_languages.thesauri import encoding

AFFIX_FILE, WORD_FILE = "dictionary.aff", "dictionary.dic"
"""The files of a pack that is made from a dictionary, in UTF-8."""


def ingredients(found: Mapping[str, bytes], scratch: Path) -> tuple[Ingredients, str]:
    """Take the larger dictionary of those found, in UTF-8.

    Args:
        found: contents of files by name.
        scratch: where the two files are put.

    Raises:
        ResourceError: if there is none, or it has no affixes.
    """
    pairs = [
        (name, name[:-4] + ".dic") for name in sorted(found) if name.endswith(".aff") and name[:-4] + ".dic" in found
    ]
    if not pairs:
        raise ResourceError("there is no dictionary of two files, .aff and .dic")
    affixes, words = (found[name] for name in max(pairs, key=lambda pair: len(found[pair[1]])))
    match = re.search(rb"^(?:\xef\xbb\xbf)?SET[ \t]+(\S+)", affixes, re.M)
    kind = encoding(match[1] if match else b"iso8859-1", "the affix file")
    texts = affixes.decode(kind, "replace"), words.decode(kind, "replace")
    dictionary = Dictionary(*texts)
    if not dictionary.rules:
        raise ResourceError("the dictionary has no affixes, so that each of its words is its own base word")
    for name, text in zip((AFFIX_FILE, WORD_FILE), texts, strict=True):
        (scratch / name).write_text(text, encoding="utf-8", newline="\n")
    copies = tuple((name, scratch / name) for name in (AFFIX_FILE, WORD_FILE))
    return Ingredients(copies=copies), f"{dictionary.size:,} base words, {dictionary.rules:,} affixes"


class _Rule(NamedTuple):
    """One affix: what is taken off a base word, what is put on, and on which words."""

    flag: str
    cross: bool
    strip: str
    add: str
    fits: re.Pattern[str]

    def suffixed(self, base: str) -> str | None:
        """Return the base with the suffix, ``None`` where it does not fit."""
        if not (base.endswith(self.strip) and self.fits.search(base)):
            return None
        return base[: len(base) - len(self.strip)] + self.add

    def prefixed(self, base: str) -> str | None:
        """Return the base with the prefix, ``None`` where it does not fit."""
        if not (base.startswith(self.strip) and self.fits.match(base)):
            return None
        return self.add + base[len(self.strip) :]


class _Form(NamedTuple):
    """A word that a line of the dictionary makes."""

    line: int
    text: str
    cross: bool
    """Whether a prefix may come before it as well."""


_Table = dict[str, dict[str, list[_Rule]]]
"""Rules by what they put on and what they take off, in lower case."""


class Dictionary:
    """The base words of a hunspell dictionary, and its affixes, one prefix and one suffix at most on a word.

    Args:
        affixes: the file ``.aff``.
        words: the file ``.dic``.

    Attributes:
        size: how many base words it has.
        rules: how many affixes.
    """

    def __init__(self, affixes: str, words: str) -> None:
        self._mode = (re.findall(r"^FLAG[ \t]+(\S+)", affixes, re.M) or ["char"])[0].lower()
        self._aliases: list[str] = []
        self._suffixes: _Table = {}
        self._prefixes: _Table = {}
        self.rules = 0
        cross: dict[tuple[str, str], bool] = {}
        for line in affixes.splitlines():
            parts = line.split()
            if parts[:1] == ["AF"] and len(parts) > 1:
                self._aliases.append(parts[1])
            elif len(parts) >= 4 and parts[0] in ("SFX", "PFX"):
                key = (parts[0], parts[1])
                if key in cross:
                    self._add(parts, cross[key])
                else:
                    cross[key] = parts[2] == "Y"
        self._words: list[str] = []
        self._flags: list[str] = []
        self._lines: dict[str, list[int]] = {}
        for line in words.splitlines()[1:]:
            base, _, flags = line.partition("\t")[0].partition("/")
            if base := base.strip():
                self._lines.setdefault(lowercase(base), []).append(len(self._words))
                self._words.append(base)
                self._flags.append(flags.partition(" ")[0].strip())
        self.size = len(self._words)

    def _add(self, parts: list[str], cross: bool) -> None:
        kind, flag, strip, add = parts[:4]
        strip, add = "" if strip == "0" else strip, add.partition("/")[0]
        add = "" if add == "0" else add
        # Conditions are characters, dots and classes of characters; anything else stands for itself.
        pieces = re.findall(r"\[\^?[^\]]+\]|.", parts[4] if len(parts) > 4 else ".")
        condition = "".join(
            piece if piece == "." else _characters(piece) if len(piece) > 1 else re.escape(piece) for piece in pieces
        )
        rule = _Rule(flag, cross, strip, add, re.compile(f"(?:{condition})$" if kind == "SFX" else condition))
        table = self._suffixes if kind == "SFX" else self._prefixes
        table.setdefault(lowercase(add), {}).setdefault(lowercase(strip), []).append(rule)
        self.rules += 1

    def _flags_of(self, line: int) -> Iterable[str]:
        text = self._flags[line]
        if self._aliases and text.isdigit() and int(text) < len(self._aliases):
            text = self._aliases[int(text)]  # the first line of aliases is their number
        if self._mode == "long":
            return [text[at : at + 2] for at in range(0, len(text), 2)]
        return text.split(",") if self._mode == "num" else text

    def base(self, word: str) -> str | None:
        """Return the base word of a word in lower case: the first line's that makes it; ``None`` if none does."""
        lines = [form.line for form in self._suffixed(word)]
        for before, cuts in _cuts(self._prefixes, word, prefix=True):
            for strip, rules in cuts.items():
                for form in self._suffixed(strip + before):
                    plain = form.text == self._words[form.line]
                    flags = self._flags_of(form.line)
                    lines += [
                        form.line
                        for rule in rules
                        if rule.flag in flags
                        and (plain or (rule.cross and form.cross))
                        and lowercase(rule.prefixed(form.text) or "") == word
                    ]
        return lowercase(self._words[min(lines)]) if lines else None

    def _suffixed(self, word: str) -> Iterator[_Form]:
        """Yield the base words that a word is, and those of which it is a form with a suffix."""
        for line in self._lines.get(word, ()):
            yield _Form(line, self._words[line], True)
        for rest, cuts in _cuts(self._suffixes, word, prefix=False):
            for strip, rules in cuts.items():
                for line in self._lines.get(rest + strip, ()):
                    flags = self._flags_of(line)
                    for rule in rules:
                        form = rule.suffixed(self._words[line]) if rule.flag in flags else None
                        if form is not None and lowercase(form) == word:
                            yield _Form(line, form, rule.cross)


def _characters(text: str) -> str:
    """Return a class of characters, ``[abc]`` or ``[^abc]``, as a regular expression."""
    negated = text.startswith("[^")
    return f"[{'^' * negated}{re.escape(text[1 + negated : -1])}]"


def _cuts(table: _Table, word: str, *, prefix: bool) -> Iterator[tuple[str, Any]]:
    """Yield the rest of a word and the rules of each affix that it can have."""
    for size in range(len(word) + 1):
        affix, rest = (word[:size], word[size:]) if prefix else (word[len(word) - size :], word[: len(word) - size])
        if affix in table:
            yield rest, table[affix]
