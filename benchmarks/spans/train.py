"""Train the models of error spans on WMT24's error annotations (ESA), and say how well they agree with raters.

usage: python benchmarks/spans/train.py DATA [--cache DIR] [--write]

DATA is laid out as mt-metrics-eval does: references/, system-outputs/, documents/, and human-errors/LP.esa.tsv. The
table has for each language pair the character F1 of unmatched words, of a model that has not seen the pair, of one
that has seen the other half of its documents, and of one rater against another. --write writes the models that come
with the plugin.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
from meteor_e_evaluation.stress import PerturbationContext, perturbations
from meteor_e_learned.spans.evaluation import Rating, agreement, counts, read_ratings
from meteor_e_learned.spans.features import COLUMNS
from meteor_e_learned.spans.find import describe, runs_of, word_information
from meteor_e_learned.spans.model import OMISSION_COLUMNS, Linear, SpanModel
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from meteor_e import Meteor

PAIRS = ("cs-uk", "en-cs", "en-es", "en-hi", "en-is", "en-ja", "en-ru", "en-uk", "en-zh")
SEED = 1
ERRORS = (
    "polarity",
    "meaning",
    "addition",
    "repetition",
    "order",
    "grammar",
    "spelling",
    "punctuation",
    "untranslated",
)
"""Groups of errors that are made in clean outputs; those of omission leave nothing to mark."""
SYNTHETIC = 1000
"""Outputs of a pair in which an error is made."""
UNSEEN = ("other",)
"""Numbers without a weight: matches by synonym, of which these languages have none, and English has many."""
ENGLISH = 0.335
"""The shift for English, of which there are no ratings: with it a seventh of WMT21's outputs is marked, a little more
than the tenth that experts mark (marking everything has a character F1 of .183 against them)."""
MADE = 0.02
"""What a pair's made errors weigh beside its real ones."""
MOST = 4500
"""Outputs of a pair; drawn where there are more."""
STRENGTH = 1e-3
"""Of the penalty of squared weights, per rating, for numbers of variance 1."""
Floats = NDArray[np.float64]


@dataclass
class Data:
    """The words of a pair's outputs and how often they are marked, in characters."""

    numbers: Floats
    marked: Floats
    major: Floats
    rated: Floats
    gold: float
    document: NDArray[np.int64]
    sizes: Floats
    runs: Floats
    missed: Floats
    humans: float


def read(folder: Path, pair: str, lists: bool) -> Data:
    """Align a pair's outputs and collect what raters marked."""
    language = pair.split("-")[1]
    ratings = read_ratings(str(folder / f"human-errors/{pair}.esa.tsv"))
    omitted = _omissions(folder / f"human-errors/{pair}.esa.tsv")
    systems = {row.system for row in ratings}
    texts = {name: (folder / f"system-outputs/{pair}/{name}.txt").read_text("utf-8").split("\n") for name in systems}
    references = (folder / f"references/{pair}.refA.txt").read_text("utf-8").split("\n")
    documents = (folder / f"documents/{pair}.docs").read_text("utf-8").split("\n")
    outputs = sorted({(row.line, row.system) for row in ratings})
    if len(outputs) > MOST:
        chosen = np.random.default_rng(SEED).choice(len(outputs), MOST, replace=False)
        outputs = [outputs[at] for at in sorted(chosen)]
    of_output: dict[tuple[int, str], list[Rating]] = {key: [] for key in outputs}
    for row in ratings:
        if (row.line, row.system) in of_output:
            of_output[row.line, row.system].append(row)
    meteor, information = Meteor(language), word_information(language) if lists else None
    number: dict[str, int] = {}
    parts: dict[str, list[Floats]] = {
        name: [] for name in ("numbers", "marked", "major", "rated", "sizes", "runs", "missed")
    }
    owner: list[NDArray[np.int64]] = []
    gold, pairs = 0.0, []
    for at in range(0, len(outputs), 256):
        batch = [(texts[system][line - 1], [references[line - 1]]) for line, system in outputs[at : at + 256]]
        described = describe(meteor, batch, information)
        parts["numbers"].append(described.words.numbers())
        runs = runs_of(described.words, information)
        parts["runs"].append(runs.numbers)
        for place, (key, (text, _)) in enumerate(zip(outputs[at : at + 256], batch, strict=True)):
            own = of_output[key]
            offsets = np.array(described.offsets[place], np.int64).reshape(-1, 2)
            marks = np.zeros((2, len(text) + 1))
            for row in own:
                for start, end, severity in row.spans:
                    marks[0, start:end] += 1
                    marks[1, start:end] += severity == "major"
            summed = np.concatenate([np.zeros((2, 1)), np.cumsum(marks, axis=1)], axis=1)
            inside = summed[:, offsets[:, 1]] - summed[:, offsets[:, 0]]
            sizes = (offsets[:, 1] - offsets[:, 0]).astype(float)
            for name, values in (
                ("marked", inside[0]), ("major", inside[1]), ("rated", sizes * len(own)), ("sizes", sizes)
            ):  # fmt: skip
                parts[name].append(values)
            gold += float(marks[0].sum())
            owner.append(np.full(len(offsets), number.setdefault(documents[key[0] - 1], len(number))))
            of_runs = slice(runs.of_pair[place], runs.of_pair[place + 1])
            missed = np.zeros(of_runs.stop - of_runs.start)
            if len(missed):
                # People say that something is missing, not what: the longest run is taken.
                missed[np.argmax(runs.numbers[of_runs, 1])] = np.mean(
                    [omitted.get((key[1], key[0], row.rater), 0) for row in own]
                )
            parts["missed"].append(missed)
            raters = list({row.rater: row for row in own}.values())
            if len(raters) > 1:
                pairs += [
                    counts(text, one.spans, two.spans) for one, two in ((raters[0], raters[1]), (raters[1], raters[0]))
                ]
    humans = agreement(np.array(pairs)).f1 if pairs else float("nan")
    joined = {name: np.concatenate(values) for name, values in parts.items()}
    return Data(**joined, gold=gold, document=np.concatenate(owner), humans=humans)


def synthesize(folder: Path, pair: str, lists: bool) -> Data:
    """Make errors in outputs that raters found clean, or, for ``en-en``, in texts beside themselves."""
    language = pair.split("-")[1]
    if pair == "en-en":
        texts = list(dict.fromkeys((folder / "sources/en-cs.txt").read_text("utf-8").split("\n")))
        clean = [(text, text) for text in texts if len(text.split()) > 5]
    else:
        ratings = read_ratings(str(folder / f"human-errors/{pair}.esa.tsv"))
        marked = {(row.system, row.line) for row in ratings if row.spans}
        outputs = sorted({(row.line, row.system) for row in ratings if (row.system, row.line) not in marked})
        references = (folder / f"references/{pair}.refA.txt").read_text("utf-8").split("\n")
        files = {
            name: (folder / f"system-outputs/{pair}/{name}.txt").read_text("utf-8").split("\n")
            for name in {system for _, system in outputs}
        }
        clean = [(files[system][line - 1], references[line - 1]) for line, system in outputs]
    draw = random.Random(SEED)
    rules = [each for each in perturbations(language) if each.kind == "error" and each.group in ERRORS]
    if len(clean) > SYNTHETIC:
        clean = draw.sample(clean, SYNTHETIC)
    changed = []
    for at, (text, reference) in enumerate(clean):
        context = PerturbationContext(language, [text for text, _ in clean], at, None, reference)
        made = draw.choice(rules).apply(text, draw, context)
        if made and made != text:
            changed.append((text, made, reference))
    meteor, information = Meteor(language), word_information(language) if lists else None
    parts: list[tuple[Floats, Floats, Floats]] = []
    for at in range(0, len(changed), 256):
        described = describe(
            meteor, [(made, [reference]) for _, made, reference in changed[at : at + 256]], information
        )
        sizes, wrong = [], []
        for (text, made, _), places in zip(changed[at : at + 256], described.offsets, strict=True):
            marks = np.zeros(len(made) + 1)
            for step in Levenshtein.opcodes(text, made):
                marks[step.dest_start : step.dest_end] = 1
            for start, end in places:
                sizes.append(float(end - start))
                wrong.append(float(end - start) if marks[start:end].any() else 0.0)
        parts.append((described.words.numbers(), np.array(wrong), np.array(sizes)))
    numbers, wrong_, sizes_ = (np.concatenate(each) for each in zip(*parts, strict=True))
    nothing = np.zeros(0)
    return Data(
        numbers, wrong_, nothing, sizes_, float(wrong_.sum()), np.zeros(0, np.int64), sizes_, nothing, nothing, 0.0
    )


def _omissions(file: Path) -> dict[tuple[str, int, str], float]:
    lines = [line.split("\t") for line in file.read_text("utf-8").splitlines()[1:]]
    return {
        (system, int(line), rater): float(any(error[0] == "missing" for error in json.loads(errors)))
        for system, line, rater, _, errors in lines
    }


def fit(numbers: Floats, yes: Floats, no: Floats) -> tuple[Floats, float]:
    """Return weights and intercept of a logistic regression, by Newton's method.

    Args:
        numbers: ``(rows, columns)``.
        yes: how much each row speaks for 1.
        no: how much it speaks for 0.
    """
    mean, scale = numbers.mean(axis=0), numbers.std(axis=0)
    # A column that does not vary has no weight.
    scale = np.where(scale > 1e-9, scale, np.inf)
    table = np.hstack([(numbers - mean) / scale, np.ones((len(numbers), 1))])
    both = yes + no
    penalty = np.full(table.shape[1], STRENGTH * both.sum())
    penalty[-1] = 0
    weights = np.zeros(table.shape[1])
    weights[-1] = np.log(yes.sum() / no.sum())

    def loss(candidate: Floats) -> tuple[float, Floats]:
        logits = table @ candidate
        return float((both * np.logaddexp(0, logits) - yes * logits).sum() + (penalty * candidate**2).sum() / 2), logits

    value, logits = loss(weights)
    for _ in range(50):
        shares = 1 / (1 + np.exp(-logits))
        slope = table.T @ (both * shares - yes) + penalty * weights
        bend = (table * (both * shares * (1 - shares))[:, None]).T @ table + np.diag(penalty + 1e-9 * both.sum())
        step = np.linalg.solve(bend, slope)
        size = 1.0
        while (found := loss(weights - size * step))[0] > value and size > 1e-3:
            size /= 2
        gain, weights, (value, logits) = value - found[0], weights - size * step, found
        if gain < 1e-7 * abs(value):
            break
    plain = weights[:-1] / scale
    return plain, float(weights[-1] - plain @ mean)


def train(
    data: list[Data], made: list[Data], columns: NDArray[np.int64], *, most: int = 40_000, major: bool = False
) -> tuple[Floats, float]:
    """Fit the probability that a word is marked, or that a marked one is a major error; each pair weighs the same.

    Args:
        data: of pairs.
        made: with errors that were made.
        columns: the numbers that are used.
        most: words of each that are drawn.
        major: fit the severity.
    """
    draw = np.random.default_rng(SEED)
    numbers, yes, no = [], [], []
    for each, weight in [*((each, 1.0) for each in data), *((each, MADE) for each in made)]:
        known = np.flatnonzero((each.marked if major else each.rated) > 0)
        rows = draw.choice(known, min(most, len(known)), replace=False)
        of, total = (each.major, each.marked) if major else (each.marked, each.rated)
        scale = weight * most / total[rows].sum()
        numbers.append(each.numbers[rows][:, columns])
        yes.append(of[rows] * scale)
        no.append((total[rows] - of[rows]) * scale)
    return fit(np.concatenate(numbers), np.concatenate(yes), np.concatenate(no))


def f1(data: Data, logits: Floats, threshold: float, shown: NDArray[np.bool_] | None = None) -> float:
    """Return the F1 of marking words; ``shown`` leaves words out."""
    chosen = logits >= threshold
    everywhere = np.ones(len(logits), bool) if shown is None else shown
    share = 1.0 if shown is None else data.marked[everywhere].sum() / max(1e-9, data.marked.sum())
    chosen = chosen & everywhere
    return float(2 * data.marked[chosen].sum() / max(1e-9, data.rated[chosen].sum() + data.gold * share))


def difference(
    data: list[Data], chosen: list[NDArray[np.bool_]], others: list[NDArray[np.bool_]]
) -> tuple[list[tuple[float, float, float]], tuple[float, float, float]]:
    """Return by how much the F1 of marked words is above that of others, with 95 % bootstrap intervals over documents.

    Args:
        data: of pairs.
        chosen: words of each that are marked.
        others: words that are compared with them.

    Returns:
        The difference, low and high of each pair, and of the mean over pairs.
    """
    draw = np.random.default_rng(SEED)
    values, drawn = [], []
    for each, one, other in zip(data, chosen, others, strict=True):
        size = int(each.document.max()) + 1
        gold = np.bincount(each.document, each.marked, size) * (each.gold / max(1e-9, each.marked.sum()))
        counts = np.array([draw.multinomial(size, np.full(size, 1 / size)) for _ in range(SAMPLES)])
        counts = np.vstack([np.ones((1, size)), counts])
        scores = []
        for marks in (one, other):
            right, total = (np.bincount(each.document, side * marks, size) for side in (each.marked, each.rated))
            scores.append(2 * (counts @ right) / np.maximum(1e-9, counts @ (total + gold)))
        values.append(scores[0][0] - scores[1][0])
        drawn.append((scores[0] - scores[1])[1:])
    ends = [np.quantile(each, [0.025, 0.975]) for each in [*drawn, np.mean(drawn, axis=0)]]
    found = [(float(value), *map(float, end)) for value, end in zip([*values, np.mean(values)], ends, strict=True)]
    return found[:-1], found[-1]


SAMPLES = 1000
"""Of the bootstrap."""
GRID = np.log(np.arange(0.03, 0.4, 0.005) / (1 - np.arange(0.03, 0.4, 0.005)))


def shift_of(data: Data, logits: Floats, threshold: float, shown: NDArray[np.bool_]) -> float:
    """Return what makes the threshold the best one for a language, from the words that are shown."""
    scores = [f1(data, logits, at, shown) for at in GRID]
    return float(threshold - GRID[int(np.argmax(scores))])


def logits_of(data: Data, columns: NDArray[np.int64], found: tuple[Floats, float]) -> Floats:
    """Return the logits of all words."""
    result: Floats = data.numbers[:, columns] @ found[0] + found[1]
    return result


def model(name: str, data: dict[str, Data], made: dict[str, Data], lists: bool, source: str) -> SpanModel:
    """Measure by folds, print the table, and train on everything."""
    left_out_columns = () if lists else tuple(name for name in COLUMNS if "information" in name)
    columns = np.array([at for at, name in enumerate(COLUMNS) if name not in (*left_out_columns, *UNSEEN)])
    print(f"\n{name}: character F1 against each rater")
    print("pair     unmatched  unseen pair  unseen documents  best  humans")
    left_out = {
        pair: logits_of(
            data[pair],
            columns,
            train(
                [each for other, each in data.items() if other != pair],
                [each for other, each in made.items() if other != pair],
                columns,
            ),
        )
        for pair in data
    }
    curve = np.array([[f1(data[pair], left_out[pair], at) for at in GRID] for pair in data])
    unmatched = np.array([f1(data[pair], data[pair].numbers[:, 0], 0.5) for pair in data])
    # How far each threshold is above unmatched words, as a ratio. Gains beyond a quarter count no more: a language of
    # which nothing is known should be above unmatched words before another is far above them.
    gain = np.minimum(curve / unmatched[:, None], 1.25)
    for at in range(2, len(GRID), 6):
        print(
            f"at {1 / (1 + np.exp(-GRID[at])):.3f}: " + " ".join(f"{value:.2f}" for value in curve[:, at] / unmatched)
        )
    # The threshold for a pair is chosen on the others.
    rows, apart, known = [], [], []
    for at, pair in enumerate(data):
        each, others = data[pair], np.delete(gain, at, axis=0)
        threshold = float(GRID[int(others.mean(axis=0).argmax())])
        half = each.document % 2 == 0
        logits = left_out[pair]
        seen = [f1(each, logits + shift_of(each, logits, threshold, ~part), threshold, part) for part in (half, ~half)]
        apart.append(logits >= threshold)
        moved = [shift_of(each, logits, threshold, ~part) * part for part in (half, ~half)]
        known.append(logits + sum(moved) >= threshold)
        rows.append([unmatched[at], f1(each, logits, threshold), float(np.mean(seen)), curve[at].max(), each.humans])
        print(f"{pair:8} " + "  ".join(f"{value:9.4f}" for value in rows[-1]), flush=True)
    print("mean     " + "  ".join(f"{value:9.4f}" for value in np.nanmean(rows, axis=0)), flush=True)
    plain = [each.numbers[:, 0] > 0.5 for each in data.values()]
    for title, chosen in (("unseen pair", apart), ("unseen documents", known)):
        each_pair, mean = difference(list(data.values()), chosen, plain)
        print(f"{title}, above unmatched words:")
        for pair, (value, low, high) in [*zip(data, each_pair, strict=True), ("mean", mean)]:
            print(f"{pair:8} {value:+.4f} [{low:+.4f}, {high:+.4f}]", flush=True)
    threshold = float(GRID[int(gain.mean(axis=0).argmax())])
    error = train(list(data.values()), list(made.values()), columns)
    shifts = {}
    for pair, each in data.items():
        shift = shift_of(each, left_out[pair], threshold, np.ones(len(each.rated), bool))
        shifts.setdefault(pair.split("-")[1], []).append(shift)
    severe = train(list(data.values()), [], columns, major=True)
    use = [0, 1, 3, 4, 5] if not lists else [0, 1, 2, 3, 4, 5]
    runs = np.concatenate([each.runs for each in data.values()])[:, use]
    missed = np.concatenate([each.missed for each in data.values()])
    omission = fit(runs, missed, 1 - missed)
    share = 1 / (1 + np.exp(-(runs @ omission[0] + omission[1])))
    order = np.argsort(-share)
    right = 2 * np.cumsum(missed[order]) / (np.arange(1, len(order) + 1) + missed.sum())
    return SpanModel(
        name=name,
        error=linear(error, [COLUMNS[at] for at in columns]),
        major=linear(severe, [COLUMNS[at] for at in columns]),
        omission=linear(omission, [OMISSION_COLUMNS[at] for at in use]),
        threshold=round(float(1 / (1 + np.exp(-threshold))), 4),
        omission_threshold=round(float(share[order[int(right.argmax())]]), 4),
        lists=lists,
        shifts={code: round(float(np.mean(each)), 3) for code, each in sorted((shifts | {"en": [ENGLISH]}).items())},
        training={
            "data": "WMT24 human evaluation, ESA error spans, nine language pairs",
            "seed": str(SEED),
            "command": source,
            "character F1, unmatched words": f"{np.mean(unmatched):.4f}",
            "character F1, unseen pairs": f"{np.mean([row[1] for row in rows]):.4f}",
            "character F1, unseen documents": f"{np.mean([row[2] for row in rows]):.4f}",
        },
    )


def linear(found: tuple[Floats, float], names: list[str]) -> Linear:
    """Name the weights."""
    weights = {name: float(f"{weight:.6g}") for name, weight in zip(names, found[0], strict=True) if weight}
    return Linear(float(f"{found[1]:.6g}"), weights)


def held(cache: Path | None, name: str, make: Callable[..., Data], *arguments: object) -> Data:
    """Return data from the cache, or make and keep it."""
    file = None if cache is None else cache / f"{name}.npz"
    if file is not None and file.is_file():
        with np.load(file) as kept:
            return Data(**{key: kept[key] if kept[key].ndim else kept[key].item() for key in kept.files})
    found = make(*arguments)
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        np.savez(file, **vars(found))
    return found


def main() -> None:
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    for name, lists in (("any", False), ("listed", True)):
        data = {pair: held(arguments.cache, f"{pair}-{name}", read, arguments.data, pair, lists) for pair in PAIRS}
        made = {
            pair: held(arguments.cache, f"{pair}-{name}-made", synthesize, arguments.data, pair, lists)
            for pair in (*PAIRS, *(("en-en",) if lists else ()))
        }
        found = model(name, data, made, lists, "python benchmarks/spans/train.py DATA --write")
        print(f"threshold {found.threshold}, omissions {found.omission_threshold}, shifts {found.shifts}")
        if arguments.write:
            target = Path("plugins/meteor-e-learned/src/meteor_e_learned/spans") / f"{name}.json"
            target.write_bytes(msgspec.json.format(msgspec.json.encode(found, order="deterministic"), indent=1) + b"\n")


if __name__ == "__main__":
    main()
