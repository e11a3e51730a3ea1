"""Compare ``Meteor.pairwise_batches`` with scoring the same pairs one by one, in time and in scores.

The script creates candidate translations from the outputs of several systems, with a fixed random seed. There are four
kinds of candidates:

- ``systems``: the translations, including equal ones.
- ``mutations``: the translations, and mutations of them. Words are deleted, exchanged, or replaced by words of other
  systems.
- ``nbest``: a translation with up to eight spans that can be replaced by the words of other systems. As in the output
  of a decoder, consecutive candidates have long prefixes and suffixes in common.
- ``noise``: mutations of a translation with any words.

    python benchmarks/speed/mbr.py SYSTEM... [--sources 10] [--candidates 100] [--threads 1] [--kind nbest]

With ``--methods``, the script measures the methods of ``meteor-e mbr`` instead, and counts how often they select a
candidate with the best exact expected score.
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


def mutate(words: list[str], replacements: list[str], rng: random.Random) -> list[str]:
    """Return a translation with some words replaced or deleted, and possibly two neighboring words exchanged."""
    words = [word if rng.random() > 0.1 else rng.choice(replacements) for word in words]
    words = [word for word in words if rng.random() > 0.05]
    if len(words) > 2 and rng.random() < 0.5:
        index = rng.randrange(len(words) - 1)
        words[index], words[index + 1] = words[index + 1], words[index]
    return words


def systems(texts: list[str], count: int, rng: random.Random, vocabulary: list[str]) -> list[str]:
    """Return the translations of the systems."""
    return texts[:count]


def mutations(texts: list[str], count: int, rng: random.Random, vocabulary: list[str]) -> list[str]:
    """Return the translations of the systems, followed by mutated translations."""
    system_words = [word for text in texts for word in text.split()]
    candidates = texts[:count]
    while len(candidates) < count:
        candidates.append(" ".join(mutate(rng.choice(texts).split(), system_words, rng)))
    return candidates


Span = tuple[int, int]
"""Start and end of a part of a translation, in words."""


def find_alternatives(texts: list[str]) -> dict[Span, list[list[str]]]:
    """Return short spans of the first translation, each with the words that other translations have instead."""
    base = texts[0].split()
    alternatives: dict[Span, list[list[str]]] = {}
    for text in texts[1:]:
        other_words = text.split()
        for tag, i, j, k, m in difflib.SequenceMatcher(None, base, other_words, autojunk=False).get_opcodes():
            if tag != "equal" and j - i <= 3 and m - k <= 3:
                span_alternatives = alternatives.setdefault((i, j), [])
                if other_words[k:m] not in span_alternatives:
                    span_alternatives.append(other_words[k:m])
    return alternatives


def select_spans(alternatives: dict[Span, list[list[str]]]) -> list[Span]:
    """Select up to eight spans that do not touch each other. Spans with many alternatives are preferred."""
    selected: list[Span] = []
    for start, end in sorted(alternatives, key=lambda span: (-len(alternatives[span]), span)):
        if all(end < other_start or other_end < start for other_start, other_end in selected):
            selected.append((start, end))
    return sorted(selected[:8])


def nbest(texts: list[str], count: int, rng: random.Random, vocabulary: list[str]) -> list[str]:
    """Return variants of the first translation that combine alternative spans, in the order of random costs."""
    base = texts[0].split()
    alternatives = find_alternatives(texts)
    spans = select_spans(alternatives)
    options = [[base[i:j], *alternatives[i, j][:3]] for i, j in spans]
    costs = [[index * rng.random() for index in range(len(span_options))] for span_options in options]

    def sum_costs(combination: tuple[int, ...]) -> float:
        return sum(span_costs[index] for span_costs, index in zip(costs, combination, strict=True))

    combinations = itertools.product(*(range(len(span_options)) for span_options in options))
    candidates = []
    for combination in sorted(combinations, key=sum_costs)[:count]:
        words: list[str] = []
        end = 0
        for (i, j), span_options, index in zip(spans, options, combination, strict=True):
            words += [*base[end:i], *span_options[index]]
            end = j
        candidates.append(" ".join([*words, *base[end:]]))
    return candidates


def noise(texts: list[str], count: int, rng: random.Random, vocabulary: list[str]) -> list[str]:
    """Return mutated copies of the first translation. Replaced words become random words of the vocabulary."""
    return [" ".join(mutate(texts[0].split(), vocabulary, rng)) for _ in range(count)]


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
    """Print the time of each MBR method, and how often its choice is as good as the exact choice."""
    seconds_by_method: dict[str, list[float]] = {}
    optimal_counts: dict[str, int] = dict.fromkeys(names, 0)
    distinct_counts = [len(set(source)) for source in sources]
    for source in sources:
        start = time.process_time()
        (exact,) = choices(meteor, [source])
        seconds_by_method.setdefault("exact", []).append(time.process_time() - start)
        for name in names:
            start = time.process_time()
            (choice,) = choices(meteor, [source], method=METHODS[name])
            seconds_by_method.setdefault(name, []).append(time.process_time() - start)
            optimal_counts[name] += bool(exact.scores[choice.candidate_index] == exact.expected)
    print(
        f"{kind}: {len(sources)} sources, {np.mean(distinct_counts):.0f} distinct candidates of "
        f"{mean_words(sources):.0f} words"
    )
    for name, seconds in seconds_by_method.items():
        quality = "" if name == "exact" else f", as good as the exact choice {optimal_counts[name]}"
        milliseconds, median = 1000 * np.mean(seconds), 1000 * np.median(seconds)
        print(f"  {name}: {milliseconds:.0f} ms (median {median:.0f}){quality}", flush=True)


def mean_words(sources: list[list[str]]) -> float:
    """Return the mean number of words per candidate."""
    return float(np.mean([len(text.split()) for source in sources for text in source]))


def time_pairs(kind: str, meteor: Meteor, sources: list[list[str]]) -> None:
    """Print the times of scoring all pairs with ``segments`` and with ``pairwise_batches``, in two rounds."""
    pairs = [pair for source in sources for pair in itertools.product(source, source)]
    hypotheses, references = [hypothesis for hypothesis, _ in pairs], [reference for _, reference in pairs]
    list(meteor.pairwise_batches(sources[:1]))
    for _ in range(2):
        start, start_wall = time.process_time(), time.perf_counter()
        scores = [segment.score for segment in meteor.segments(hypotheses, references)]
        segment_seconds, segment_wall = time.process_time() - start, time.perf_counter() - start_wall
        start, start_wall = time.process_time(), time.perf_counter()
        matrices = list(meteor.pairwise_batches(sources))
        pair_seconds, pair_wall = time.process_time() - start, time.perf_counter() - start_wall
        is_equal = np.array_equal(np.concatenate([matrix.ravel() for matrix in matrices]), np.array(scores))
        print(
            f"{kind}: {len(pairs)} pairs of {mean_words(sources):.0f} words: as segments {segment_seconds:.2f} s "
            f"({segment_wall:.2f} s wall), pairwise {pair_seconds:.2f} s ({pair_wall:.2f} s wall), "
            f"{segment_seconds / pair_seconds:.1f} times; same digits: {is_equal}",
            flush=True,
        )


def main() -> None:
    """Create the candidates, and print the times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("systems", type=Path, nargs="+", help="translations of the same text")
    parser.add_argument("--sources", type=int, default=10)
    parser.add_argument("--candidates", type=int, default=100)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--language", default="en")
    parser.add_argument("--kind", choices=list(KINDS), action="append")
    parser.add_argument(
        "--methods", nargs="*", choices=list(METHODS), help="measure these methods of meteor-e mbr, or all methods"
    )
    parser.add_argument("--words", type=int, nargs=2, default=(9, 1000), metavar="N", help="range of its words")
    options = parser.parse_args()
    columns = [path.read_text(encoding="utf-8").splitlines() for path in options.systems]
    min_words, max_words = options.words
    rows = [list(row) for row in zip(*columns, strict=True) if min_words <= len(row[0].split()) <= max_words]
    vocabulary = sorted({word for row in rows[:500] for word in row[0].split()})
    meteor = Meteor(options.language, threads=options.threads)
    step = max(1, len(rows) // options.sources)
    for kind in options.kind or KINDS:
        rng = random.Random(1)
        sources = [KINDS[kind](row, options.candidates, rng, vocabulary) for row in rows[::step][: options.sources]]
        if options.methods is None:
            time_pairs(kind, meteor, sources)
        else:
            time_methods(kind, meteor, sources, options.methods or list(METHODS))


if __name__ == "__main__":
    main()
