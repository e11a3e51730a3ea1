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
        word_links: pairs of related entries; see :func:`make_entry`.
        exceptions: the base forms of irregular forms, by entry.
        shared: whether the words of a synset match each other.
    """

    synsets: dict[Synset, list[str]] = field(default_factory=dict)
    links: list[tuple[Synset, Synset]] = field(default_factory=list)
    word_links: list[tuple[str, str]] = field(default_factory=list)
    exceptions: dict[str, list[str]] = field(default_factory=dict)
    shared: bool = True


def make_entry(part: str, word: str) -> str:
    """Return the index entry of a word: the letter of the part of speech, a colon, and the word."""
    return f"{part}:{word}"


def assign_keys(lexicon: Lexicon) -> dict[str, list[int]]:
    """Return the match keys of each index entry. Words match if their entries share a key.

    Keys are consecutive integers, in the order of the groups that share a key; see :func:`_group_entries`.
    """
    entries_by_synset: dict[Synset, list[str]] = {}
    for synset, words in sorted(lexicon.synsets.items()):
        part_of_speech = synset[0]
        entries_by_synset[synset] = [make_entry(part_of_speech, word) for word in words]
    all_entries = itertools.chain.from_iterable(entries_by_synset.values())
    keys_by_entry: dict[str, list[int]] = {entry: [] for entry in all_entries}
    for key, entries in enumerate(_group_entries(lexicon, entries_by_synset), 1):
        for entry in entries:
            keys_by_entry[entry].append(key)
    return keys_by_entry


def _group_entries(lexicon: Lexicon, entries_by_synset: Mapping[Synset, list[str]]) -> Iterator[list[str]]:
    """Yield groups of index entries. All entries of a group match each other.

    A group contains the words of a synset, the words of two related synsets, or two related words.

    Relations of unknown synsets or words are ignored.
    """
    if lexicon.shared:
        yield from entries_by_synset.values()
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
    for entry, base_forms in sorted(lexicon.exceptions.items()):
        part_of_speech = entry[0]
        for base_form in base_forms:
            forms_by_base.setdefault(make_entry(part_of_speech, base_form), []).append(entry)
    return build_synonym_index(_make_stream(keys_by_entry), _make_stream(forms_by_base), target, progress)


def _make_stream(lists_by_name: Mapping[str, Sequence[int | str]]) -> Stream:
    """Return lists in METEOR's text format: each name is followed by a line with its values."""
    lines = []
    for name, values in lists_by_name.items():
        lines.append(f"{name}\n{' '.join(map(str, values))}\n")
    return Stream(io.BytesIO("".join(lines).encode()), "the wordnet")
