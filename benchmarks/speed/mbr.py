"""Times ``Meteor.pairwise_batches`` against the same pairs scored as segments, and compares the digits.

Four kinds of candidates, made with a seed from the systems' translations of a source (all systems translate the same
text):

- ``systems``: the translations as they are, those that are equal too.
- ``mutations``: the translations, then changed ones: words dropped, exchanged for other systems' words, swapped.
- ``nbest``: one translation with up to eight places where another system's words may stand instead, in the order in
  which a decoder enumerates such choices: neighbors share long prefixes and suffixes.
- ``noise``: one translation, in which words are exchanged for any words, dropped and swapped.

    python benchmarks/speed/mbr.py SYSTEM... [--sources 10] [--candidates 100] [--threads 1] [--kind nbest]

With ``--methods``, it times the methods of ``meteor-e mbr`` instead, and says how often they choose a candidate whose
exact expected score is the best.
"""

from __future__ import annotations

import argparse
import difflib
import itertools
import random
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from meteor_e import Meteor
from meteor_e.mbr.decisions import choices
from meteor_e.mbr.methods import Aggregation, Method, Pruning


def mutated(words: list[str], others: list[str], random_: random.Random) -> list[str]:
    """Return a variant of a translation."""
    words = [word if random_.random() > 0.1 else random_.choice(others) for word in words]
    words = [word for word in words if random_.random() > 0.05]
    if len(words) > 2 and random_.random() < 0.5:
        at = random_.randrange(len(words) - 1)
        words[at], words[at + 1] = words[at + 1], words[at]
    return words


def systems(texts: list[str], count: int, random_: random.Random, vocabulary: list[str]) -> list[str]:
    """Return translations as they are."""
    return texts[:count]


def mutations(texts: list[str], count: int, random_: random.Random, vocabulary: list[str]) -> list[str]:
    """Return translations, then changed ones."""
    others = [word for text in texts for word in text.split()]
    found = texts[:count]
    while len(found) < count:
        found.append(" ".join(mutated(random_.choice(texts).split(), others, random_)))
    return found


def nbest(texts: list[str], count: int, random_: random.Random, vocabulary: list[str]) -> list[str]:
    """Return combinations of what systems say in the same places."""
    base = texts[0].split()
    places: dict[tuple[int, int], list[list[str]]] = {}
    for text in texts[1:]:
        other = text.split()
        for tag, i, j, k, m in difflib.SequenceMatcher(None, base, other, autojunk=False).get_opcodes():
            if tag != "equal" and j - i <= 3 and m - k <= 3 and other[k:m] not in places.setdefault((i, j), []):
                places[i, j].append(other[k:m])
    free: list[tuple[int, int]] = []
    for place in sorted(places, key=lambda place: (-len(places[place]), place)):
        if all(place[1] < i or j < place[0] for i, j in free):
            free.append(place)
    free = sorted(free[:8])
    options = [[base[i:j], *places[i, j][:3]] for i, j in free]
    cost = [[at * random_.random() for at in range(len(option))] for option in options]
    combinations = itertools.product(*(range(len(option)) for option in options))
    best = sorted(combinations, key=lambda taken: sum(row[at] for row, at in zip(cost, taken, strict=True)))[:count]
    found = []
    for taken in best:
        words, end = [], 0
        for (i, j), option, at in zip(free, options, taken, strict=True):
            words += [*base[end:i], *option[at]]
            end = j
        found.append(" ".join([*words, *base[end:]]))
    return found


def noise(texts: list[str], count: int, random_: random.Random, vocabulary: list[str]) -> list[str]:
    """Return variants of one translation."""
    return [" ".join(mutated(texts[0].split(), vocabulary, random_)) for _ in range(count)]


KINDS: dict[str, Callable[[list[str], int, random.Random, list[str]], list[str]]] = {
    "systems": systems,
    "mutations": mutations,
    "nbest": nbest,
    "noise": noise,
}


METHODS: dict[str, Method] = {
    "pruning": Pruning(),
    "aggregation": Aggregation(),
    "aggregation alone": Aggregation(top=0),
}


def time_methods(kind: str, meteor: Meteor, sources: list[list[str]], names: list[str]) -> None:
    """Print what each method costs, and in how many sources its choice is as good as the exact one."""
    metric = meteor
    spent: dict[str, list[float]] = {}
    right: dict[str, int] = dict.fromkeys(names, 0)
    distinct = [len(set(source)) for source in sources]
    for source in sources:
        start = time.process_time()
        (exact,) = choices(metric, [source])
        spent.setdefault("exact", []).append(time.process_time() - start)
        for name in names:
            start = time.process_time()
            (choice,) = choices(metric, [source], method=METHODS[name])
            spent.setdefault(name, []).append(time.process_time() - start)
            right[name] += bool(exact.scores[choice.candidate_index] == exact.expected)
    words = np.mean([len(text.split()) for source in sources for text in source])
    print(f"{kind}: {len(sources)} sources, {np.mean(distinct):.0f} distinct candidates of {words:.0f} words")
    for name, seconds in spent.items():
        share = "" if name == "exact" else f", as good as the exact choice {right[name]}"
        print(f"  {name}: {1000 * np.mean(seconds):.0f} ms (median {1000 * np.median(seconds):.0f}){share}", flush=True)


def main() -> None:
    """Print processor seconds of both ways, twice in turns."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("systems", type=Path, nargs="+", help="translations of the same text")
    parser.add_argument("--sources", type=int, default=10)
    parser.add_argument("--candidates", type=int, default=100)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--language", default="en")
    parser.add_argument("--kind", choices=list(KINDS), action="append")
    parser.add_argument("--methods", nargs="*", choices=list(METHODS), help="time methods of meteor-e mbr, or all")
    parser.add_argument("--words", type=int, nargs=2, default=(9, 1000), metavar="N", help="of the first translation")
    options = parser.parse_args()
    columns = [path.read_text(encoding="utf-8").splitlines() for path in options.systems]
    least, most = options.words
    rows = [list(row) for row in zip(*columns, strict=True) if least <= len(row[0].split()) <= most]
    vocabulary = sorted({word for row in rows[:500] for word in row[0].split()})
    meteor = Meteor(options.language, threads=options.threads)
    for kind in options.kind or KINDS:
        random_ = random.Random(1)
        step = max(1, len(rows) // options.sources)
        sources = [KINDS[kind](row, options.candidates, random_, vocabulary) for row in rows[::step][: options.sources]]
        if options.methods is not None:
            time_methods(kind, meteor, sources, options.methods or list(METHODS))
            continue
        left = [text for each in sources for text, _ in itertools.product(each, each)]
        right = [text for each in sources for _, text in itertools.product(each, each)]
        list(meteor.pairwise_batches(sources[:1]))
        for _ in range(2):
            start, wall = time.process_time(), time.perf_counter()
            scores = [segment.score for segment in meteor.segments(left, right)]
            segments, segments_wall = time.process_time() - start, time.perf_counter() - wall
            start, wall = time.process_time(), time.perf_counter()
            matrices = list(meteor.pairwise_batches(sources))
            pairs, pairs_wall = time.process_time() - start, time.perf_counter() - wall
            same = np.array_equal(np.concatenate([matrix.ravel() for matrix in matrices]), np.array(scores))
            words = np.mean([len(text.split()) for each in sources for text in each])
            print(
                f"{kind}: {len(left)} pairs of {words:.0f} words: as segments {segments:.2f} s ({segments_wall:.2f} s "
                f"wall), pairwise {pairs:.2f} s ({pairs_wall:.2f} s wall), {segments / pairs:.1f} times; "
                f"same digits: {same}",
                flush=True,
            )


if __name__ == "__main__":
    main()
