"""Compute match keys from the synsets and relations of a wordnet. Words that share a key match.

Each synset is a key of all its words. Each pair of related synsets is another key, which the words of both synsets
share. A derivation is a key that only two words share. Therefore, a word matches its hypernym, but two words with the
same hypernym do not match.
"""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from meteor_e.base.progress import Progress, silent
from meteor_e.packs.build_indexes import build_synonym_index
from meteor_e.packs.entries import Stream

SYNONYMS = "synonyms"
HYPERNYMS = "hypernyms"
RELATIONS = (SYNONYMS, HYPERNYMS, "similar", "also", "entailments", "causes", "verb-groups", "derivations")
"""The relations by which two words can match."""

PARTS_OF_SPEECH = {"noun": "n", "verb": "v", "adjective": "a", "adverb": "r"}
"""The letters of the parts of speech."""

Synset = str
"""The identifier of a synset: part of speech and offset, such as ``n00001740``."""


@dataclass
class Lexicon:
    """The synsets and relations of a wordnet.

    Attributes:
        synsets: the lowercased words of each synset. The parts of a word are joined by ``_``.
        links: pairs of related synsets.
        word_links: pairs of related entries; see :func:`entry`.
        exceptions: the base forms of irregular forms, by entry.
        shared: whether the words of a synset match each other.
    """

    synsets: dict[Synset, list[str]] = field(default_factory=dict)
    links: list[tuple[Synset, Synset]] = field(default_factory=list)
    word_links: list[tuple[str, str]] = field(default_factory=list)
    exceptions: dict[str, list[str]] = field(default_factory=dict)
    shared: bool = True


def entry(part: str, word: str) -> str:
    """Return the index entry of a word: the letter of the part of speech, a colon, and the word."""
    return f"{part}:{word}"


def assign_keys(lexicon: Lexicon) -> dict[str, list[int]]:
    """Return the match keys of each index entry. Words match if their entries share a key.

    Keys are consecutive integers. Each synset has a key, followed by each pair of related synsets or words.
    """
    entries_by_synset = {
        synset: [entry(synset[0], word) for word in words]  # The first letter of a synset is its part of speech.
        for synset, words in sorted(lexicon.synsets.items())
    }
    entry_groups = list(entries_by_synset.values()) if lexicon.shared else []
    entry_groups += _relate_entries(lexicon, entries_by_synset)
    all_entries = itertools.chain.from_iterable(entries_by_synset.values())
    keys_by_entry: dict[str, list[int]] = {index_entry: [] for index_entry in all_entries}
    for key, group in enumerate(entry_groups, 1):
        for index_entry in group:
            keys_by_entry[index_entry].append(key)
    return keys_by_entry


def _relate_entries(lexicon: Lexicon, entries_by_synset: Mapping[Synset, list[str]]) -> Iterator[list[str]]:
    """Yield the index entries that each relation connects. Relations of unknown synsets or words are ignored."""
    for first_synset, second_synset in sorted(set(lexicon.links)):
        if first_synset in entries_by_synset and second_synset in entries_by_synset:
            yield entries_by_synset[first_synset] + entries_by_synset[second_synset]
    known_entries = set(itertools.chain.from_iterable(entries_by_synset.values()))
    for first_entry, second_entry in sorted(set(lexicon.word_links)):
        if first_entry in known_entries and second_entry in known_entries:
            yield [first_entry, second_entry]


def find_ancestors(parents: Mapping[Synset, Sequence[Synset]], max_distance: int) -> Iterator[tuple[Synset, Synset]]:
    """Yield (synset, ancestor) pairs. Ancestors are parents, grandparents, and so on.

    Args:
        parents: the parents of each synset.
        max_distance: largest number of steps from a synset to its ancestor.
    """
    for synset in parents:
        visited = {synset}
        generation = [synset]
        for _ in range(max_distance):
            next_generation = dict.fromkeys(parent for child in generation for parent in parents.get(child, ()))
            generation = [ancestor for ancestor in next_generation if ancestor not in visited]
            visited.update(generation)
            for ancestor in generation:
                yield synset, ancestor


def write_index(lexicon: Lexicon, target: Path, progress: Progress = silent) -> int:
    """Write the synonym index of a lexicon, and return the number of entries in the index.

    Args:
        lexicon: the synsets and relations.
        target: the path of the index.
        progress: called with the progress.
    """
    keys_by_entry = dict(sorted(assign_keys(lexicon).items()))
    forms_by_base: dict[str, list[str]] = {}
    for form, bases in sorted(lexicon.exceptions.items()):
        part_of_speech = form[0]
        for base in bases:
            forms_by_base.setdefault(entry(part_of_speech, base), []).append(form)
    return build_synonym_index(_make_stream(keys_by_entry), _make_stream(forms_by_base), target, progress)


def _make_stream(lists_by_name: Mapping[str, Sequence[int | str]]) -> Stream:
    """Return lists in METEOR's text format: each name is followed by a line with its values."""
    lines = []
    for name, values in lists_by_name.items():
        lines.append(f"{name}\n{' '.join(map(str, values))}\n")
    return Stream(io.BytesIO("".join(lines).encode()), "the wordnet")
