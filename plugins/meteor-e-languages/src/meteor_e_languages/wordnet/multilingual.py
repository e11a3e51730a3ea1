"""Read files of the Open Multilingual WordNet. The format of a line is ``offset-pos⇥lang:lemma⇥word``.

The synsets are those of WordNet 3.0.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from meteor_e import ConfigError, InputError
from meteor_e.base.files import decode_utf8
from meteor_e_languages.wordnet.relations import Synset
from meteor_e_languages.wordnet.sources import CODES, Tab

_SYNSET = re.compile(r"(\d{8})-([nvars])")


class _Row(NamedTuple):
    """A line of a file.

    Attributes:
        location: the file and the line number, for error messages.
        offset: the offset of the synset, eight digits.
        part_of_speech: the letter of the part of speech (n v a r). Satellite adjectives are adjectives.
        kind: the second column, such as ``fra:lemma``.
        word: the last column.
    """

    location: str
    offset: str
    part_of_speech: str
    kind: str
    word: str


def read_tab(tab: Tab, parts: Collection[str], language: str) -> dict[Synset, list[str]]:
    """Return the lowercased words of each synset. The parts of a multiword expression are joined by ``_``.

    Args:
        tab: the file.
        parts: the parts of speech to read, one letter each (n v a r).
        language: the code of the expected language.

    Raises:
        InputError: if a line is malformed, with the line number.
        ConfigError: if the words are of another language.
    """
    words_by_synset: dict[Synset, list[str]] = {}
    text = decode_utf8(tab.content, str(tab), kind=InputError)
    for row in _parse_rows(tab, text):
        code, _, attribute = row.kind.rpartition(":")
        if attribute != "lemma":
            continue
        _check_language(code, language, row.location)
        word = "_".join(row.word.lower().split())
        if row.part_of_speech in parts and word:
            synset_words = words_by_synset.setdefault(row.part_of_speech + row.offset, [])
            if word not in synset_words:
                synset_words.append(word)
    return words_by_synset


def _parse_rows(tab: Tab, text: str) -> Iterator[_Row]:
    """Yield the rows of a file without empty lines and comments. Raise InputError if a line is malformed."""
    for line_number, line in enumerate(re.split(r"\r\n|\n|\r", text), 1):
        if not line.strip() or line.startswith("#"):
            continue
        location = f"{tab}:{line_number}"
        columns = line.split("\t")
        synset_match = _SYNSET.fullmatch(columns[0])
        if len(columns) < 3 or synset_match is None:
            raise InputError(
                f"{location}: a line must contain a synset (00001740-n), lang:lemma, and a word, joined by tabs"
            )
        offset, letter = synset_match.groups()
        part_of_speech = "a" if letter == "s" else letter  # Satellite adjectives are treated as adjectives.
        yield _Row(location, offset, part_of_speech, kind=columns[1], word=columns[-1])


def _check_language(code: str, language: str, location: str) -> None:
    """Raise ConfigError if a word does not have the expected language code."""
    expected_code = CODES.get(language)
    if code and expected_code and code != expected_code:
        raise ConfigError(
            f"{location}: a word of the language {code!r}, but the language of the chain is {expected_code!r}"
        )
