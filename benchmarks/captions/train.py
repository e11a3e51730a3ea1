"""Train the metrics ``caption-light`` and ``caption-context`` on captions and on ratings of captions.

    python benchmarks/captions/train.py captions.jsonl.gz rated.jsonl.gz FOLDER

The first file has a line ``{"captions": ["…", …]}`` for each image. The second file has a line
``{"candidate": "…", "references": ["…", …], "rating": 4}`` for each rated caption. The script needs scikit-learn, scipy
and the encoder minilm. With the folder ``ready`` of the plugin as FOLDER, it writes the same bytes again.

1. The detector of broken captions is a logistic regression. It learns from captions that people wrote and from copies
   of them with an error.
2. The metrics are weighted sums of standardized features. The weights lie within the limits of the metric's recipe
   (:data:`RECIPES`). They minimize a pairwise logistic loss: the better of two captions should have the higher score.
   Pairs come from four sources: ratings; captions of the same image, of a similar image, of a less similar image and of
   any image; captions and copies with a contradiction; and captions and copies with an error.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
from meteor_e_captions.broken import REPETITIONS, BrokenDetector, count_repetitions
from meteor_e_captions.context_features import CachedEncoder, context_features
from meteor_e_captions.features import light_features
from meteor_e_captions.lexicon import COLORS, FUNCTION_WORDS, NUMBERS, OPPOSITES, CaptionLexicon, split, word_class
from meteor_e_captions.model import CaptionModel
from safetensors.numpy import save

from meteor_e import Meteor
from meteor_e.base.atomic import atomic_file
from meteor_e.base.checksum import KEY, PLACEHOLDER, insert_checksum

SEED = 7
RECIPES: dict[str, dict[str, tuple[float, float]]] = {
    "caption-light": {
        **dict.fromkeys(
            (
                "meteor", "fragmentation", "precision", "recall", "best recall", "shared words", "best cosine",
                "object precision", "action precision", "number precision", "color precision", "opposites", "negation",
            ),
            (0.0, 10.0),
        ),
        # The limit is low, because artificial errors would lead to a larger weight than human ratings justify.
        "completeness": (0.0, 1.5),
    },
    # These weights were chosen manually.
    # Weights that were fitted to captions of similar images agreed less with human ratings than the cosine alone.
    # Weights that were fitted to human ratings were worse for captions of similar images.
    "caption-context": {
        "encoder cosine": (1.0, 1.0), "best encoder cosine": (0.3, 0.3), "best cosine": (0.1, 0.1),
        "recall": (0.1, 0.1), "opposites": (0.1, 0.1), "color precision": (0.06, 0.06),
        "number precision": (0.03, 0.03), "negation": (0.03, 0.03), "completeness": (1.5, 1.5),
    },
}  # fmt: skip
"""The standardized features of each metric, with the minimum and the maximum of their weights."""

Floats = np.ndarray[Any, np.dtype[np.float64]]


ERRORS = ("cut", "tail", "repeated", "conjunction", "verb", "swapped", "noun")


_CONJUNCTIONS = ("and", "while", "as", "with", "but", "or", "then")
_DETERMINERS = frozenset(str.split("a an the his her their its this that these those some my your our"))
_POSSIBLE_LAST_WORDS = frozenset(
    str.split(
        "up down out off around there him her it them together himself herself one another others behind by along on "
        "over through across outside inside something someone themselves about near below above nearby each too then"
    )
)
"""Function words that can be the last word of a caption."""
_TAILS = ("and a", "and", "with a", "in the", "while a", "as a", "and the", "of a", "in a", "on the", "and then",
          "then a", "with", "is", "a")  # fmt: skip


def break_caption(words: list[str], rng: Random) -> tuple[str, list[str]] | None:
    """Put a random error into a caption.

    Returns:
        The kind of the error and the changed words; ``None`` if the error is not possible in this caption.
    """
    kind = rng.choice(("cut", "cut", "tail", "repeated", "repeated", "conjunction", "verb", "swapped", "noun"))
    if len(words) < 5:
        return None
    broken = _MAKERS[kind](list(words), rng)
    return None if broken is None or broken == words else (kind, broken)


def _is_function_word(word: str) -> bool:
    return word in FUNCTION_WORDS


def _cut(words: list[str], rng: Random) -> list[str] | None:
    """Cut a caption after a word that cannot be its last word."""
    ends = []
    for end in range(3, len(words)):
        last_word, next_word = words[end - 1], words[end]
        is_incomplete_phrase = _is_function_word(last_word) and last_word not in _POSSIBLE_LAST_WORDS
        lacks_noun = last_word in COLORS and not _is_function_word(next_word)
        if is_incomplete_phrase or lacks_noun:
            ends.append(end)
    return words[: rng.choice(ends)] if ends else None


def _append_tail(words: list[str], rng: Random) -> list[str] | None:
    """Append words with which a caption cannot end."""
    return words + rng.choice(_TAILS).split()


def _repeat(words: list[str], rng: Random) -> list[str] | None:
    """Repeat a random part of a caption, such as a clause, a few words, or the whole caption."""
    kind = rng.randrange(4)
    if kind == 0:
        return _repeat_clause(words, rng)
    if kind == 1:
        length = rng.randint(1, 4)
        end = rng.randint(0, len(words) - length) + length
        return words[:end] + words[end - length :]
    if kind == 2:
        return [*words, "and", *words]
    return _repeat_phrase(words, rng)


def _repeat_clause(words: list[str], rng: Random) -> list[str] | None:
    """Append a part of a caption with several content words, possibly after a conjunction."""
    length = rng.randint(3, min(8, len(words)))
    start = rng.randint(0, len(words) - length)
    clause = words[start : start + length]
    conjunction = [rng.choice(("and", "while", "then", "as"))] if rng.random() < 0.7 else []
    content_word_count = sum(not _is_function_word(word) for word in clause)
    return words + conjunction + clause if content_word_count > 1 else None


def _repeat_phrase(words: list[str], rng: Random) -> list[str] | None:
    """Repeat a phrase of a caption, and continue with the words that follow the phrase."""
    length = rng.randint(1, 3)
    starts = []
    for start in range(len(words) - length + 1):
        if not _is_function_word(words[start]) and not _is_function_word(words[start + length - 1]):
            starts.append(start)
    if not starts:
        return None
    start = rng.choice(starts)
    return [*words[: start + length], "and", *words[start:]]


def _remove_conjunction(words: list[str], rng: Random) -> list[str] | None:
    positions = [position for position in range(2, len(words) - 2) if words[position] in _CONJUNCTIONS]
    return _remove_word(words, positions, rng)


def _remove_word(words: list[str], positions: list[int], rng: Random) -> list[str] | None:
    """Choose one of the positions at random, and remove its word. Return ``None`` without positions."""
    if not positions:
        return None
    position = rng.choice(positions)
    return words[:position] + words[position + 1 :]


def _remove_verb(words: list[str], rng: Random) -> list[str] | None:
    """Remove *is* or *are*, a participle, or both."""

    def is_copula(position: int) -> bool:
        return words[position] in ("is", "are")

    def is_participle(position: int) -> bool:
        return words[position].endswith("ing") and len(words[position]) > 5

    positions = [position for position in range(1, len(words) - 1) if is_copula(position) or is_participle(position)]
    if not positions:
        return None
    position = rng.choice(positions)
    if is_copula(position) and is_participle(position + 1):
        return words[:position] + words[position + 2 :] if len(words) > position + 3 else None
    start = position - 1 if is_copula(position - 1) and rng.random() < 0.6 else position
    return words[:start] + words[position + 1 :]


def _swap(words: list[str], rng: Random) -> list[str] | None:
    """Exchange two neighboring words or any two words."""
    if rng.random() < 0.5:
        first = rng.randrange(len(words) - 1)
        second = first + 1
    else:
        first, second = rng.sample(range(len(words)), 2)
    words[first], words[second] = words[second], words[first]
    return words


def _remove_noun(words: list[str], rng: Random) -> list[str] | None:
    """Remove a word between a determiner and a function word."""
    positions = []
    for position in range(1, len(words) - 1):
        next_word = words[position + 1]
        has_neighbors = words[position - 1] in _DETERMINERS and _is_function_word(next_word)
        if has_neighbors and next_word not in _DETERMINERS and not _is_function_word(words[position]):
            positions.append(position)
    return _remove_word(words, positions, rng)


_MAKERS = dict(
    zip(ERRORS, (_cut, _append_tail, _repeat, _remove_conjunction, _remove_verb, _swap, _remove_noun), strict=True)
)


def contradict(words: list[str], rng: Random) -> list[str] | None:
    """Replace a number, a color or a word with an opposite. Return ``None`` if the caption has no such word."""
    positions = []
    for position, word in enumerate(words):
        if word in OPPOSITES or word in COLORS or 1 < NUMBERS.get(word, 0) < 100:
            positions.append(position)
    if not positions:
        return None
    position = rng.choice(positions)
    word = words[position]
    if word in COLORS:
        replacements: tuple[str, ...] = ("red", "blue", "green", "yellow", "black", "white", "brown")
    else:
        replacements = OPPOSITES.get(word) or ("two", "three", "four", "five")
    replacement = rng.choice([candidate for candidate in replacements if candidate != word])
    return [*words[:position], replacement, *words[position + 1 :]]


class Segments(NamedTuple):
    """Captions with their references and grades. A higher grade is better."""

    hypotheses: list[str]
    references: list[list[str]]
    grades: Floats


def read(path: str) -> list[dict[str, Any]]:
    """Read a JSON Lines file, which may be compressed with gzip."""
    open_text: Any = gzip.open if path.endswith(".gz") else open
    with open_text(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def write(folder: Path, name: str, arrays: dict[str, Any], names: dict[str, Any]) -> None:
    """Write the arrays and the names of a model to a file."""
    content = insert_checksum(save(arrays, {"names": json.dumps({KEY: PLACEHOLDER, **names})}))
    with atomic_file(folder / f"{name}.safetensors") as path:
        Path(path).write_bytes(content)


def neighbors(words: Sequence[str]) -> set[str]:
    """Return the bigrams and trigrams of word classes in a caption. ``^`` is its start, and ``$`` is its end."""
    classes = ["^", *map(word_class, words), "$"]
    bigrams = set(map(" ".join, pairwise(classes)))
    trigrams = set(map(" ".join, zip(classes, classes[1:], classes[2:], strict=False)))
    return bigrams | trigrams


def train_detector(
    lexicon: CaptionLexicon, folder: Path, images: Sequence[Sequence[str]], max_captions: int = 60_000
) -> BrokenDetector:
    """Train and write the detector of broken captions, and print how well it classifies held-out captions.

    The last 10% of the images are held out.
    """
    from sklearn.linear_model import LogisticRegression

    rng = random.Random(SEED)
    training_count = len(images) * 9 // 10
    training_captions = [caption for captions in images[:training_count] for caption in captions[:3]]
    texts, kinds = make_examples(training_captions[:max_captions], rng)
    counts = Counter(ngram for words in texts for ngram in neighbors(words))
    frequent_ngrams = sorted(ngram for ngram, count in counts.items() if count >= 20)
    column_of_ngram = {ngram: column for column, ngram in enumerate(frequent_ngrams)}
    features = detector_features(lexicon, texts, column_of_ngram)
    model = LogisticRegression(C=0.1, max_iter=500).fit(features, [bool(kind) for kind in kinds])
    weights = np.round(model.coef_[0], 3)
    ngram_weights = {
        ngram: float(weights[column]) for ngram, column in column_of_ngram.items() if abs(weights[column]) >= 0.02
    }
    repetition_weights = weights[-len(REPETITIONS) :].tolist()
    intercept = float(np.round(model.intercept_[0], 3))
    numbers = {"weights": list(ngram_weights.values()), "repeated": repetition_weights, "intercept": [intercept]}
    arrays = {key: np.array(value, np.float32) for key, value in numbers.items()}
    write(folder, "broken", arrays, {"neighbors": list(ngram_weights)})
    detector = BrokenDetector(ngram_weights, repetition_weights, intercept)
    held_out_captions = [caption for captions in images[training_count:] for caption in captions[:2]]
    report_detector(detector, lexicon, *make_examples(held_out_captions, rng))
    return detector


def make_examples(captions: Sequence[str], rng: Random) -> tuple[list[list[str]], list[str]]:
    """Return captions and broken copies as lists of words, and the kind of error of each broken copy."""
    texts, kinds = [], []
    for caption in captions:
        words = split(caption)
        if not 3 <= len(words) <= 30:
            continue
        texts.append(words)
        kinds.append("")
        broken = break_caption(words, rng)
        if broken is not None:
            kind, broken_words = broken
            texts.append(broken_words)
            kinds.append(kind)
    return texts, kinds


def detector_features(lexicon: CaptionLexicon, texts: Sequence[Sequence[str]], column_of_ngram: dict[str, int]) -> Any:
    """Return the features of the detector, n-grams and repetitions, as a sparse matrix."""
    from scipy.sparse import csr_matrix, hstack

    cells = []
    for row, words in enumerate(texts):
        cells += [(row, column_of_ngram[ngram]) for ngram in neighbors(words) if ngram in column_of_ngram]
    rows, columns = np.array(cells).T
    indicators = csr_matrix((np.ones(len(cells)), (rows, columns)), shape=(len(texts), len(column_of_ngram)))
    encoded = lexicon.encode([" ".join(words) for words in texts])
    return hstack([indicators, csr_matrix(count_repetitions(lexicon, encoded))]).tocsr()


def report_detector(
    detector: BrokenDetector, lexicon: CaptionLexicon, texts: Sequence[Sequence[str]], kinds: Sequence[str]
) -> None:
    """Print for each kind of error how many captions the detector classifies as broken."""
    logits = detector.logits(lexicon, lexicon.encode([" ".join(words) for words in texts]))
    for kind in sorted(set(kinds)):
        is_kind = np.array([text_kind == kind for text_kind in kinds])
        fraction = np.mean(logits[is_kind] > 1.5)
        sys.stderr.write(f"classified as broken, {kind or 'people'}: {fraction:.3f}\n")


def make_graded_segments(images: Sequence[Sequence[str]], count: int, encoding: CachedEncoder) -> Segments:
    """Return captions that have the other captions of an image as references.

    The grade of a caption depends on the image that it belongs to: 3 for the same image, 2 for a similar image, 1 for a
    less similar image, and 0 for any other image.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    rng = random.Random(SEED)
    vectors = encoding([caption for captions in images for caption in captions])
    means = np.array(
        [np.mean([vectors[caption].astype(np.float32) for caption in captions], axis=0) for captions in images]
    )
    spaces = [
        TfidfVectorizer(sublinear_tf=True, stop_words="english").fit_transform(map(" ".join, images)),
        means / np.linalg.norm(means, axis=1, keepdims=True),
    ]
    segments = Segments([], [], np.empty(0))
    grades = []
    for image in rng.sample(range(len(images)), count):
        captions = rng.sample(list(images[image]), len(images[image]))
        candidates = [(3, captions[0])]
        for space in spaces:
            similarities = space @ space[image].T
            if hasattr(similarities, "toarray"):
                similarities = similarities.toarray()[:, 0]
            similar_images = [
                int(other_image) for other_image in np.argsort(-similarities)[:41] if other_image != image
            ]
            candidates.append((2, rng.choice(images[rng.choice(similar_images[:5])])))
            candidates.append((1, rng.choice(images[rng.choice(similar_images[20:])])))
        other_images = [other_image for other_image in range(len(images)) if other_image != image]
        candidates.append((0, rng.choice(images[rng.choice(other_images)])))
        for grade, caption in candidates:
            segments.hypotheses.append(caption)
            segments.references.append(captions[1:])
            grades.append(float(grade))
    return segments._replace(grades=np.array(grades))


def make_spoiled_segments(images: Sequence[Sequence[str]], count: int, change: str) -> Segments:
    """Return captions with grade 1. Each is followed by a copy with an error and grade 0.

    Args:
        images: captions of the images.
        count: number of images.
        change: the change of the copy, ``contradiction`` or ``error``.
    """
    rng = random.Random(SEED)
    segments = Segments([], [], np.empty(0))
    for captions in images[:count]:
        words = split(captions[0])
        if change == "error":
            broken = break_caption(words, rng)
            changed_words = None if broken is None else broken[1]
        else:
            changed_words = contradict(words, rng)
        if changed_words is not None:
            segments.hypotheses.extend([" ".join(words), " ".join(changed_words)])
            segments.references.extend([list(captions[1:])] * 2)
    return segments._replace(grades=np.tile([1.0, 0.0], len(segments.hypotheses) // 2))


def differences(values: Floats, grades: Floats, *, neighbors_only: bool, count: int = 20_000) -> Floats:
    """Return the differences between the features of better captions and the features of worse captions.

    Args:
        values: features of the captions, ``(captions, features)``.
        grades: grades of the captions.
        neighbors_only: compare each even row with the next row, which is worse. By default, compare random pairs.
        count: maximum number of random pairs.
    """
    if neighbors_only:
        result: Floats = values[::2] - values[1::2]
        return result
    rng = np.random.default_rng(SEED)
    first, second = rng.integers(len(grades), size=(2, 4 * count))
    different = np.flatnonzero(grades[first] != grades[second])[:count]
    first, second = first[different], second[different]
    sign = np.sign(grades[first] - grades[second])[:, None]
    result = (values[first] - values[second]) * sign
    return result


def fit(tasks: Sequence[tuple[float, Floats]], bounds: Sequence[tuple[float, float]], penalty: float = 0.003) -> Floats:
    """Minimize the regularized pairwise logistic loss, and return the weights, which stay within bounds.

    Args:
        tasks: for each task its weight and the differences of features.
        bounds: minimum and maximum of each weight.
        penalty: factor of the sum of the squared weights.
    """
    from scipy.optimize import minimize

    def loss(weights: Floats) -> tuple[float, Floats]:
        total, gradient = penalty * float(weights @ weights), 2 * penalty * weights
        for task_weight, pairs in tasks:
            margins = pairs @ weights
            total += task_weight * float(np.logaddexp(0, -margins).mean())
            gradient = gradient - task_weight * (pairs / (1 + np.exp(margins))[:, None]).mean(axis=0)
        return total, gradient

    start = np.full(len(bounds), 0.1).clip(*np.transpose(bounds))
    minimum = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds)
    weights: Floats = minimum.x
    return weights


SOURCE_WEIGHTS = {"rated": 0.15, "graded": 1.0, "contradiction": 0.3, "error": 0.3}
"""Weights of the sources. Ratings count little, because most of them (Composite) compare captions by people with those
of weak systems of 2014."""

SOURCES_OF_PAIRS = ("contradiction", "error")
"""Sources in which each caption is compared with the next one only."""


def train(features: dict[str, tuple[dict[str, Floats], Floats]], name: str) -> CaptionModel:
    """Train a metric.

    Args:
        features: for each source of :data:`SOURCE_WEIGHTS`, the features by name, and the grades.
        name: name of the metric.
    """
    bounds = RECIPES[name]
    used = tuple(bounds)
    values = {
        source: np.stack([columns[feature] for feature in used], axis=1) for source, (columns, _) in features.items()
    }
    deviations = np.sqrt((values["rated"].var(axis=0) + values["graded"].var(axis=0)) / 2)
    deviations[used.index("completeness")] = 1.0
    tasks = []
    for source, source_values in values.items():
        source_grades = features[source][1]
        pairs = differences(source_values / deviations, source_grades, neighbors_only=source in SOURCES_OF_PAIRS)
        tasks.append((SOURCE_WEIGHTS[source], pairs))
    weights = fit(tasks, list(bounds.values())) / deviations
    # Scores are scaled so that their mean is 1 for captions of the same image and 0 for captions of a random image.
    grades = features["graded"][1]
    scores = values["graded"] @ weights
    low, high = float(scores[grades == 0].mean()), float(scores[grades == 3].mean())
    weights = np.round(weights / (high - low), 5)
    return CaptionModel(name, used, weights, float(np.round(-low / (high - low), 5)))


def main(captions: str, rated: str, folder: str) -> None:
    """Train the detector and both metrics, and write them to a folder."""
    from meteor_e_vectors.contextual import open_encoder

    Path(folder).mkdir(parents=True, exist_ok=True)
    meteor = Meteor("en", normalization="full")
    lexicon, encoding = CaptionLexicon(meteor), CachedEncoder(open_encoder("minilm"), cache_size=40_000)
    images = [entry["captions"] for entry in read(captions)]
    random.Random(SEED).shuffle(images)
    detector = train_detector(lexicon, Path(folder), images)
    entries = read(rated)
    sources = {
        "rated": Segments(
            [entry["candidate"] for entry in entries],
            [entry["references"] for entry in entries],
            np.array([entry["rating"] for entry in entries], float),
        ),
        "graded": make_graded_segments(images[:3000], 1500, encoding),
        "contradiction": make_spoiled_segments(images[4000:], 1500, "contradiction"),
        "error": make_spoiled_segments(images[6000:], 1500, "error"),
    }
    features = {}
    for source, segments in sources.items():
        columns = light_features(meteor, lexicon, detector, segments.hypotheses, segments.references)
        columns |= context_features(encoding, segments.hypotheses, segments.references)
        features[source] = columns, segments.grades
    for name in RECIPES:
        model = train(features, name)
        arrays = {"weights": np.array(model.weights, np.float64), "intercept": np.array([model.intercept])}
        write(Path(folder), name, arrays, {"features": list(model.features)})
        sys.stderr.write(f"{name}: {dict(zip(model.features, model.weights.tolist(), strict=True))}\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("captions", help="captions of images, captions.jsonl.gz")
    parser.add_argument("rated", help="rated captions, rated.jsonl.gz")
    parser.add_argument("folder", help="folder to which the models are written")
    main(**vars(parser.parse_args()))
