"""Words of a language and how often they come: those of wordfreq, or of a text."""

from __future__ import annotations

import functools
import unicodedata
from collections import Counter
from importlib import metadata

from meteor_e.api import InputError, Language, ResourceError
from meteor_e.formats.plain import read_segments

LONGEST = 200
"""Characters of a word that are looked at."""

_MOST_WORDS = 2_000_000
_RARE = 1e-6
_SHARED_LISTS = {"bs": "sh", "hr": "sh", "no": "nb", "tl": "fil"}
"""Languages whose words wordfreq lists under another code."""


def frequency_lists() -> dict[str, str]:
    """Return the codes of languages that wordfreq knows, with its own code for each.

    Raises:
        ResourceError: if it is not installed.
    """
    try:
        import wordfreq
    except ImportError as error:
        raise ResourceError(
            "frequent words need the library wordfreq; run: pip install 'meteor-e-languages[wordfreq]'"
        ) from error
    lists: dict[str, str] = wordfreq.available_languages("best")
    shared = {code: name for code, name in _SHARED_LISTS.items() if name in lists}
    return {code: code for code in lists if code not in shared.values()} | shared


def word_counts(what: str, language: Language, text: str | None) -> tuple[dict[str, int], str]:
    """Return words in lower case with their counts, and what the signature says of their source.

    Args:
        what: who asks, for errors.
        language: whose words; wordfreq's are those that come once in a million words or more.
        text: a file, whose words are counted instead.

    Raises:
        InputError: if the file cannot be read, or has too many distinct words.
        ResourceError: if there is no text, and wordfreq is not installed or does not know the language.
    """
    if text is not None:
        return _counts_of(text), ""
    lists = frequency_lists()
    if language.code not in lists:
        raise ResourceError(
            f"{what} needs words, and wordfreq has none for {language.code!r}; give a text with the option text"
        )
    import wordfreq

    shares: dict[str, float] = wordfreq.get_frequency_dict(lists[language.code], "best")
    counts = {word[:LONGEST]: round(share / _RARE) for word, share in sorted(shares.items()) if share >= _RARE}
    return counts, f"wordfreq={metadata.version('wordfreq')}"


def _counts_of(path: str) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for segment in read_segments(path):
        lowered = segment.lower()
        gaps = {ord(char): " " for char in set(lowered) if not _in_word(char)}
        counts.update(word[:LONGEST] for word in lowered.translate(gaps).split())
        if len(counts) > _MOST_WORDS:
            raise InputError(f"{path}: more than {_MOST_WORDS:,} distinct words; take a part of the text")
    return dict(sorted(counts.items()))


@functools.lru_cache(1 << 16)
def _in_word(char: str) -> bool:
    return char.isalnum() or unicodedata.category(char).startswith("M")
