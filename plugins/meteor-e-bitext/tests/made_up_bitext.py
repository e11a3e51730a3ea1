"""A small artificial bitext, in which some words have several translations."""

from __future__ import annotations

import random
from pathlib import Path

NOUNS = {"chat": ["cat", "tomcat"], "chien": ["dog", "hound"], "maison": ["house", "home"], "ville": ["town", "city"]}
VERBS = {"voit": ["sees", "spots"], "aime": ["likes", "loves"], "cherche": ["seeks", "wants"]}
ADJECTIVES = {"petit": ["small", "little"], "vieux": ["old", "aged"], "rouge": ["red", "crimson"]}
NAMES = [f"name{number}" for number in range(80)]


def sentences(count: int, seed: int = 3) -> list[tuple[list[str], list[str], set[tuple[int, int]]]]:
    """Return French-like sentences, their English-like translations, and the links between their words.

    One adjective follows the noun in the French-like sentences, and precedes it in the English-like sentences.
    """
    chance = random.Random(seed)
    made = []
    for _ in range(count):
        first: list[str] = []
        second: list[str] = []
        links = set()

        def noun_phrase(first=first, second=second, links=links):
            noun, adjective = chance.choice(sorted(NOUNS)), chance.choice(sorted(ADJECTIVES))
            i, j = len(first), len(second)
            second.extend(["the", chance.choice(ADJECTIVES[adjective]), chance.choice(NOUNS[noun])])
            if adjective == "rouge":
                first.extend(["le", noun, adjective])
                links.update({(i, j), (i + 1, j + 2), (i + 2, j + 1)})
            else:
                first.extend(["le", adjective, noun])
                links.update({(i, j), (i + 1, j + 1), (i + 2, j + 2)})

        def word(left, right, first=first, second=second, links=links):
            links.add((len(first), len(second)))
            first.append(left)
            second.append(right)

        noun_phrase()
        verb = chance.choice(sorted(VERBS))
        word(verb, chance.choice(VERBS[verb]))
        noun_phrase()
        name = chance.choice(NAMES)
        word(name, name)
        word(".", ".")
        made.append((first, second, links))
    return made


def write_bitext(folder: Path, count: int = 400, seed: int = 3) -> tuple[Path, Path]:
    """Write the English-like and the French-like sentences, and return the paths of the files."""
    made = sentences(count, seed)
    paths = folder / "text.en", folder / "text.fr"
    for path, side in zip(paths, (1, 0), strict=True):
        path.write_text("".join(" ".join(row[side]) + "\n" for row in made), encoding="utf-8", newline="\n")
    return paths


def write_alignment(path: Path, count: int = 400, seed: int = 3) -> Path:
    """Write the links to a Pharaoh file. The position of the English-like word is first."""
    lines = [" ".join(f"{j}-{i}" for i, j in sorted(row[2])) for row in sentences(count, seed)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    return path
