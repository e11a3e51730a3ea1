"""From synsets and their relations to the keys of words.

Two words that share a synset share its number. A relation between two synsets (or, for derivations, between two
words) has a number of its own, which the words on both of its sides get: a word and its hypernym share it, but two
words with one hypernym share nothing.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from meteor_e.base.progress import Progress, silent
from meteor_e.packs.build_indexes import Stream, build_synonym_index

SYNONYMS = "synonyms"
HYPERNYMS = "hypernyms"
RELATIONS = (SYNONYMS, HYPERNYMS, "similar", "also", "entailments", "causes", "verb-groups", "derivations")
"""What can make two words match."""

PARTS_OF_SPEECH = {"noun": "n", "verb": "v", "adjective": "a", "adverb": "r"}

Synset = str
"""An address of a synset: part of speech and offset, such as ``n00001740``."""


@dataclass
class Lexicon:
    """Words and what they mean.

    Attributes:
        synsets: the words of each synset, in lower case, with ``_`` between their parts.
        links: pairs of synsets that make their words match.
        word_links: pairs of a part of speech and a word that match.
        exceptions: of each part of speech and irregular form, the base forms.
        shared: whether the words of a synset match each other.
    """

    synsets: dict[Synset, list[str]] = field(default_factory=dict)
    links: list[tuple[Synset, Synset]] = field(default_factory=list)
    word_links: list[tuple[str, str]] = field(default_factory=list)
    exceptions: dict[str, list[str]] = field(default_factory=dict)
    shared: bool = True


def entry(part: str, word: str) -> str:
    """Return what the index calls a word of a part of speech (one letter)."""
    return f"{part}:{word}"


def number_words(lexicon: Lexicon) -> dict[str, list[int]]:
    """Return the keys of each entry of a lexicon: its synsets' numbers, then its relations'."""
    numbers = {synset: number for number, synset in enumerate(sorted(lexicon.synsets), 1)}
    keys: dict[str, list[int]] = {}
    for synset, number in numbers.items():
        for word in lexicon.synsets[synset]:
            own = keys.setdefault(entry(synset[0], word), [])
            if lexicon.shared:
                own.append(number)
    number = len(numbers)
    for left, right in sorted(set(lexicon.links)):
        if left in numbers and right in numbers:
            number += 1
            for synset in (left, right):
                for word in lexicon.synsets[synset]:
                    keys[entry(synset[0], word)].append(number)
    for one, other in sorted(set(lexicon.word_links)):
        if one in keys and other in keys:
            number += 1
            keys[one].append(number)
            keys[other].append(number)
    return keys


def ancestors(parents: Mapping[Synset, Sequence[Synset]], depth: int) -> Iterable[tuple[Synset, Synset]]:
    """Yield each synset with each of its ancestors up to a depth."""
    for synset in parents:
        seen = {synset}
        level: list[Synset] = [synset]
        for _ in range(depth):
            level = [parent for child in level for parent in parents.get(child, ()) if parent not in seen]
            level = list(dict.fromkeys(level))
            seen.update(level)
            for parent in level:
                yield synset, parent


def write_index(lexicon: Lexicon, target: Path, progress: Progress = silent) -> int:
    """Write a lexicon as an index of synonyms; return its number of entries."""
    keys = number_words(lexicon)
    synsets = "".join(f"{name}\n{' '.join(map(str, numbers))}\n" for name, numbers in sorted(keys.items()))
    forms: dict[str, list[str]] = {}
    for form, bases in sorted(lexicon.exceptions.items()):
        for base in bases:
            forms.setdefault(entry(form[0], base), []).append(form)
    exceptions = "".join(f"{base}\n{' '.join(others)}\n" for base, others in forms.items())
    words, irregular = (Stream(io.BytesIO(text.encode()), "the wordnet") for text in (synsets, exceptions))
    return build_synonym_index(words, irregular, target, progress)
