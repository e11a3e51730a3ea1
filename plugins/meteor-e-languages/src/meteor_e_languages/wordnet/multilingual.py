"""Read files of the Open Multilingual WordNet, whose lines are ``offset-pos⇥lang:lemma⇥word``.

The synsets are those of WordNet 3.0.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from meteor_e import ConfigError, InputError
from meteor_e.base.files import decode_utf8
from meteor_e_languages.wordnet.relations import Synset
from meteor_e_languages.wordnet.sources import CODES, Tab

_SYNSET = re.compile(r"(\d{8})-([nvars])")


def read_tab(tab: Tab, content: bytes, parts: Collection[str], language: str) -> dict[Synset, list[str]]:
    """Return the lowercased words of each synset. The parts of a word are joined by ``_``.

    Args:
        tab: the file, for error messages.
        content: the bytes of the file.
        parts: the parts of speech to read, one letter each (n v a r).
        language: the code of the expected language.

    Raises:
        InputError: if a line is malformed, with the line number.
        ConfigError: if the words are of another language.
    """
    expected_code = CODES.get(language)
    synsets: dict[Synset, list[str]] = {}
    text = decode_utf8(content, str(tab), kind=InputError)
    for number, line in enumerate(re.split(r"\r\n|\n|\r", text), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split("\t")
        synset_match = _SYNSET.fullmatch(fields[0])
        if len(fields) < 3 or synset_match is None:
            raise InputError(
                f"{tab}:{number}: a line must contain a synset (00001740-n), lang:lemma, and a word, joined by tabs"
            )
        code, _, attribute = fields[1].rpartition(":")
        if attribute.partition(":")[0] != "lemma":
            continue
        if code and expected_code and code != expected_code:
            raise ConfigError(
                f"{tab}:{number}: a word of the language {code!r}, but the language of the chain is {expected_code!r}"
            )
        part = "a" if synset_match[2] == "s" else synset_match[2]
        word = "_".join(fields[-1].lower().split())
        if part in parts and word:
            words = synsets.setdefault(f"{part}{synset_match[1]}", [])
            if word not in words:
                words.append(word)
    return synsets
