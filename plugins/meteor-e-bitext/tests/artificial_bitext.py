"""A small artificial bitext, in which some words have several translations."""

from __future__ import annotations

import random
from pathlib import Path
from typing import NamedTuple

NOUNS = {"chat": ["cat", "tomcat"], "chien": ["dog", "hound"], "maison": ["house", "home"], "ville": ["town", "city"]}
VERBS = {"voit": ["sees", "spots"], "aime": ["likes", "loves"], "cherche": ["seeks", "wants"]}
ADJECTIVES = {"petit": ["small", "little"], "vieux": ["old", "aged"], "rouge": ["red", "crimson"]}
NAMES = [f"name{number}" for number in range(80)]


class SentencePair(NamedTuple):
    """A tokenized French-like sentence, its English-like translation, and the links between their word positions."""

    french: list[str]
    english: list[str]
    links: set[tuple[int, int]]


def generate_sentence_pairs(count: int, seed: int = 3) -> list[SentencePair]:
    """Return random sentence pairs.

    One adjective follows the noun in the French-like sentences, and precedes it in the English-like sentences.
    """
    rng = random.Random(seed)
    pairs = []
    for _ in range(count):
        pair = SentencePair([], [], set())
        _add_noun_phrase(pair, rng)
        verb = rng.choice(sorted(VERBS))
        _add_word(pair, verb, rng.choice(VERBS[verb]))
        _add_noun_phrase(pair, rng)
        name = rng.choice(NAMES)
        _add_word(pair, name, name)
        _add_word(pair, ".", ".")
        pairs.append(pair)
    return pairs


def _add_noun_phrase(pair: SentencePair, rng: random.Random) -> None:
    noun, adjective = rng.choice(sorted(NOUNS)), rng.choice(sorted(ADJECTIVES))
    i, j = len(pair.french), len(pair.english)
    pair.english.extend(["the", rng.choice(ADJECTIVES[adjective]), rng.choice(NOUNS[noun])])
    if adjective == "rouge":
        pair.french.extend(["le", noun, adjective])
        pair.links.update({(i, j), (i + 1, j + 2), (i + 2, j + 1)})
    else:
        pair.french.extend(["le", adjective, noun])
        pair.links.update({(i, j), (i + 1, j + 1), (i + 2, j + 2)})


def _add_word(pair: SentencePair, french_word: str, english_word: str) -> None:
    pair.links.add((len(pair.french), len(pair.english)))
    pair.french.append(french_word)
    pair.english.append(english_word)


def write_bitext(folder: Path, count: int = 400, seed: int = 3) -> tuple[Path, Path]:
    """Write the English-like and the French-like sentences, and return the paths of the files in this order."""
    pairs = generate_sentence_pairs(count, seed)
    english, french = folder / "text.en", folder / "text.fr"
    _write_sentences(english, [pair.english for pair in pairs])
    _write_sentences(french, [pair.french for pair in pairs])
    return english, french


def _write_sentences(path: Path, sentences: list[list[str]]) -> None:
    path.write_text("".join(" ".join(words) + "\n" for words in sentences), encoding="utf-8", newline="\n")


def write_alignment(path: Path, count: int = 400, seed: int = 3) -> Path:
    """Write the links to a Pharaoh file. In each pair, the position of the English-like word is first."""
    lines = [" ".join(f"{j}-{i}" for i, j in sorted(pair.links)) for pair in generate_sentence_pairs(count, seed)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    return path
