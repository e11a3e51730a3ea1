"""Files of the Open Multilingual WordNet: ``offset-pos⇥lang:lemma⇥word``, the synsets being WordNet 3.0's."""

from __future__ import annotations

import re
from collections.abc import Collection

from meteor_e import ConfigError, InputError
from meteor_e.base.files import decode_utf8
from meteor_e_languages.wordnet.relations import Synset
from meteor_e_languages.wordnet.sources import CODES, Tab

_SYNSET = re.compile(r"(\d{8})-([nvars])")


def read_tab(tab: Tab, content: bytes, parts: Collection[str], language: str) -> dict[Synset, list[str]]:
    """Return the words of each synset, in lower case, with ``_`` between their parts.

    Args:
        tab: the file, for messages.
        content: its bytes.
        parts: parts of speech, one letter each (n v a r).
        language: code of the language that the words should be of.

    Raises:
        InputError: for a line that does not fit the format, with its number.
        ConfigError: if the words are of another language.
    """
    wanted = CODES.get(language)
    synsets: dict[Synset, list[str]] = {}
    text = decode_utf8(content, str(tab), kind=InputError)
    for number, line in enumerate(re.split(r"\r\n|\n|\r", text), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split("\t")
        place = _SYNSET.fullmatch(fields[0])
        if len(fields) < 3 or place is None:
            raise InputError(f"{tab}:{number}: a line is a synset (00001740-n), lang:lemma, and a word, joined by tabs")
        code, _, attribute = fields[1].rpartition(":")
        if attribute.partition(":")[0] != "lemma":
            continue
        if code and wanted and code != wanted:
            raise ConfigError(f"{tab}:{number}: a word of the language {code!r}, but the chain's is {wanted!r}")
        part = "a" if place[2] == "s" else place[2]
        word = "_".join(fields[-1].lower().split())
        if part in parts and word:
            words = synsets.setdefault(f"{part}{place[1]}", [])
            if word not in words:
                words.append(word)
    return synsets
