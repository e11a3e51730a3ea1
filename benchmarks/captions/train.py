"""Training of ``caption-light`` and ``caption-context``, from captions and from captions that people rated.

    python benchmarks/captions/train.py captions.jsonl.gz rated.jsonl.gz FOLDER

Lines of the first file are ``{"captions": ["…", …]}``, one image each; of the second
``{"candidate": "…", "references": ["…", …], "rating": 4}``. scikit-learn, scipy and the encoder minilm are needed.
FOLDER is the plugin's ``ready``, for the same bytes as there.

1. The detector of broken captions: a logistic regression on people's captions and on the same with an error.
2. The metrics: weights of features that are divided by their spread, within the bounds of the metric's recipe
   (:data:`RECIPES`). A pairwise logistic loss asks that the better one of two captions has the higher score. What is
   better is known from four sources: ratings; a caption of the image, of a near image, of a farther one, and of any
   image; a caption and the same with a contradiction; a caption and the same with an error.
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
from meteor_e_captions.broken import REPETITIONS, BrokenDetector, repetitions
from meteor_e_captions.features import Encoding, context_features, light_features
from meteor_e_captions.lexicon import COLORS, FUNCTION_WORDS, NUMBERS, OPPOSITES, CaptionLexicon, split, word_class
from meteor_e_captions.model import CaptionModel
from safetensors.numpy import save

from meteor_e import Meteor
from meteor_e.base.atomic import atomic_file
from meteor_e.base.checksum import KEY, OPEN, sealed

SEED = 7
RECIPES: dict[str, dict[str, tuple[float, float]]] = {
    "caption-light": {
        **dict.fromkeys(
            (
                "meteor", "fragmentation", "precision", "recall", "best recall", "told", "best cosine",
                "object precision", "action precision", "number precision", "color precision", "opposites", "negation",
            ),
            (0.0, 10.0),
        ),
        # Errors made by hand would give it more than people's ratings support.
        "whole": (0.0, 1.5),
    },
    # Chosen by hand, the same on all data: weights that were fitted to captions of similar images agreed less with
    # people's ratings than the cosine alone, and the other way round.
    "caption-context": {
        "encoder cosine": (1.0, 1.0), "best encoder cosine": (0.3, 0.3), "best cosine": (0.1, 0.1),
        "recall": (0.1, 0.1), "opposites": (0.1, 0.1), "color precision": (0.06, 0.06),
        "number precision": (0.03, 0.03), "negation": (0.03, 0.03), "whole": (1.5, 1.5),
    },
}  # fmt: skip
"""The features of each metric, divided by their spread, and the least and the largest weight of each."""

Floats = np.ndarray[Any, np.dtype[np.float64]]


ERRORS = ("cut", "tail", "repeated", "conjunction", "verb", "swapped", "noun")


_CONJUNCTIONS = ("and", "while", "as", "with", "but", "or", "then")
_DETERMINERS = frozenset(str.split("a an the his her their its this that these those some my your our"))
_CAN_END = frozenset(
    str.split(
        "up down out off around there him her it them together himself herself one another others behind by along on "
        "over through across outside inside something someone themselves about near below above nearby each too then"
    )
)
_TAILS = ("and a", "and", "with a", "in the", "while a", "as a", "and the", "of a", "in a", "on the", "and then",
          "then a", "with", "is", "a")  # fmt: skip


def _function(word: str) -> bool:
    return word in FUNCTION_WORDS


def break_caption(words: list[str], rng: Random) -> tuple[str, list[str]] | None:
    """Return the kind of an error and a caption's words with it; ``None`` if the caption has no place for it."""
    kind = rng.choice(("cut", "cut", "tail", "repeated", "repeated", "conjunction", "verb", "swapped", "noun"))
    if len(words) < 5:
        return None
    broken = _MAKERS[kind](list(words), rng)
    return None if broken is None or broken == words else (kind, broken)


def _cut(words: list[str], rng: Random) -> list[str] | None:
    ends = [
        end
        for end in range(3, len(words))
        if (_function(words[end - 1]) and words[end - 1] not in _CAN_END)
        or (words[end - 1] in COLORS and not _function(words[end]))
    ]
    return words[: rng.choice(ends)] if ends else None


def _tail(words: list[str], rng: Random) -> list[str] | None:
    return words + rng.choice(_TAILS).split()


def _repeated(words: list[str], rng: Random) -> list[str] | None:
    way, size = rng.randrange(4), len(words)
    if way == 0:  # a clause again
        length = rng.randint(3, min(8, size))
        start = rng.randint(0, size - length)
        clause = words[start : start + length]
        joined = [rng.choice(("and", "while", "then", "as"))] if rng.random() < 0.7 else []
        return words + joined + clause if sum(not _function(word) for word in clause) > 1 else None
    if way == 1:  # some words twice
        length = rng.randint(1, 4)
        end = rng.randint(0, size - length) + length
        return words[:end] + words[end - length :]
    if way == 2:  # everything twice
        return [*words, "and", *words]
    length = rng.randint(1, 3)
    starts = [
        at for at in range(size - length + 1) if not _function(words[at]) and not _function(words[at + length - 1])
    ]
    if not starts:
        return None
    start = rng.choice(starts)
    return [*words[: start + length], "and", *words[start:]]


def _without_conjunction(words: list[str], rng: Random) -> list[str] | None:
    places = [at for at in range(2, len(words) - 2) if words[at] in _CONJUNCTIONS]
    if not places:
        return None
    at = rng.choice(places)
    return words[:at] + words[at + 1 :]


def _without_verb(words: list[str], rng: Random) -> list[str] | None:
    def participle(at: int) -> bool:
        return words[at].endswith("ing") and len(words[at]) > 5

    places = [at for at in range(1, len(words) - 1) if words[at] in ("is", "are") or participle(at)]
    if not places:
        return None
    at = rng.choice(places)
    if words[at] in ("is", "are") and participle(at + 1):
        return words[:at] + words[at + 2 :] if len(words) > at + 3 else None
    start = at - 1 if words[at - 1] in ("is", "are") and rng.random() < 0.6 else at
    return words[:start] + words[at + 1 :]


def _swapped(words: list[str], rng: Random) -> list[str] | None:
    if rng.random() < 0.5:
        one = rng.randrange(len(words) - 1)
        other = one + 1
    else:
        one, other = rng.sample(range(len(words)), 2)
    words[one], words[other] = words[other], words[one]
    return words


def _without_noun(words: list[str], rng: Random) -> list[str] | None:
    places = [
        at
        for at in range(1, len(words) - 1)
        if words[at - 1] in _DETERMINERS
        and not _function(words[at])
        and _function(words[at + 1])
        and words[at + 1] not in _DETERMINERS
    ]
    if not places:
        return None
    at = rng.choice(places)
    return words[:at] + words[at + 1 :]


_MAKERS = dict(
    zip(
        ERRORS,
        (_cut, _tail, _repeated, _without_conjunction, _without_verb, _swapped, _without_noun),
        strict=True,
    )
)


def contradict(words: list[str], rng: Random) -> list[str] | None:
    """Return a caption with an opposite, another number or another color; ``None`` if it has no word for it."""
    places = [
        at for at, word in enumerate(words) if word in OPPOSITES or word in COLORS or (1 < NUMBERS.get(word, 0) < 100)
    ]
    if not places:
        return None
    at = rng.choice(places)
    word = words[at]
    if word in COLORS:
        others: tuple[str, ...] = ("red", "blue", "green", "yellow", "black", "white", "brown")
    else:
        others = OPPOSITES.get(word) or ("two", "three", "four", "five")
    return [*words[:at], rng.choice([other for other in others if other != word]), *words[at + 1 :]]


class Segments(NamedTuple):
    """Captions with references; the higher the grade, the better."""

    hypotheses: list[str]
    references: list[list[str]]
    grades: Floats


def read(path: str) -> list[dict[str, Any]]:
    """Read a file of JSON lines, plain or gzip."""
    opener: Any = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def write(folder: Path, name: str, arrays: dict[str, Any], names: dict[str, Any]) -> None:
    """Write numbers and names of a model."""
    content = sealed(save(arrays, {"names": json.dumps({KEY: OPEN, **names})}))
    with atomic_file(folder / f"{name}.safetensors") as path:
        Path(path).write_bytes(content)


def neighbors(words: Sequence[str]) -> set[str]:
    """Return the pairs and triples of classes of a caption, with ``^`` before its first and ``$`` after its last."""
    classes = ["^", *map(word_class, words), "$"]
    found = {f"{one} {other}" for one, other in pairwise(classes)}
    found.update(map(" ".join, zip(classes, classes[1:], classes[2:], strict=False)))
    return found


def train_detector(
    lexicon: CaptionLexicon, folder: Path, images: Sequence[Sequence[str]], most: int = 60_000
) -> BrokenDetector:
    """Train and write the detector, and say how many captions it takes for broken; one of ten images is left out."""
    from scipy.sparse import csr_matrix, hstack
    from sklearn.linear_model import LogisticRegression

    rng = random.Random(SEED)
    kept, held = images[: len(images) * 9 // 10], images[len(images) * 9 // 10 :]

    def examples(captions: Sequence[str]) -> tuple[list[list[str]], list[str]]:
        texts, kinds = [], []
        for caption in captions:
            words = split(caption)
            if not 3 <= len(words) <= 30:
                continue
            texts.append(words)
            kinds.append("")
            broken = break_caption(words, rng)
            if broken is not None:
                kinds.append(broken[0])
                texts.append(broken[1])
        return texts, kinds

    texts, kinds = examples([caption for captions in kept for caption in captions[:3]][:most])
    counts = Counter(each for words in texts for each in neighbors(words))
    known = {each: number for number, each in enumerate(sorted(each for each in counts if counts[each] >= 20))}

    def matrix(texts: Sequence[Sequence[str]]) -> Any:
        cells = [(row, known[each]) for row, words in enumerate(texts) for each in neighbors(words) if each in known]
        rows, columns = np.array(cells).T
        numbered = lexicon.encode([" ".join(words) for words in texts])
        indicators = csr_matrix((np.ones(len(cells)), (rows, columns)), shape=(len(texts), len(known)))
        return hstack([indicators, csr_matrix(repetitions(lexicon.columns, numbered))]).tocsr()

    model = LogisticRegression(C=0.1, max_iter=500).fit(matrix(texts), [bool(kind) for kind in kinds])
    weights = np.round(model.coef_[0], 3)
    telling = {each: float(weights[number]) for each, number in known.items() if abs(weights[number]) >= 0.02}
    repeated, intercept = weights[-len(REPETITIONS) :].tolist(), float(np.round(model.intercept_[0], 3))
    numbers = {"weights": list(telling.values()), "repeated": repeated, "intercept": [intercept]}
    arrays = {key: np.array(value, np.float32) for key, value in numbers.items()}
    write(folder, "broken", arrays, {"neighbors": list(telling)})
    detector = BrokenDetector(telling, repeated, intercept)
    texts, kinds = examples([caption for captions in held for caption in captions[:2]])
    logits = detector.logits(lexicon, lexicon.encode([" ".join(words) for words in texts]))
    for kind in sorted(set(kinds)):
        share = np.mean([logit > 1.5 for logit, each in zip(logits.tolist(), kinds, strict=True) if each == kind])
        sys.stderr.write(f"taken for broken, {kind or 'people'}: {share:.3f}\n")
    return detector


def graded(images: Sequence[Sequence[str]], count: int, encoding: Encoding) -> Segments:
    """Return captions of an image (3), of near ones (2), of farther ones (1) and of any (0), with four references."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    rng = random.Random(SEED)
    known = encoding([text for each in images for text in each])
    means = np.array([np.mean([known[text].astype(np.float32) for text in each], axis=0) for each in images])
    spaces = [
        TfidfVectorizer(sublinear_tf=True, stop_words="english").fit_transform(" ".join(each) for each in images),
        means / np.linalg.norm(means, axis=1, keepdims=True),
    ]
    found = Segments([], [], np.empty(0))
    grades = []
    for number in rng.sample(range(len(images)), count):
        captions = rng.sample(list(images[number]), len(images[number]))
        picked = [(3, captions[0])]
        for space in spaces:
            near = space @ space[number].T
            near = near.toarray()[:, 0] if hasattr(near, "toarray") else near
            order = [int(at) for at in np.argsort(-near)[:41] if at != number]
            picked += [(2, rng.choice(images[rng.choice(order[:5])])), (1, rng.choice(images[rng.choice(order[20:])]))]
        picked.append((0, rng.choice(images[rng.choice([at for at in range(len(images)) if at != number])])))
        for grade, caption in picked:
            found.hypotheses.append(caption)
            found.references.append(captions[1:])
            grades.append(float(grade))
    return found._replace(grades=np.array(grades))


def spoilt(images: Sequence[Sequence[str]], count: int, way: str) -> Segments:
    """Return captions (1) each followed by the same with a contradiction or an error (0)."""
    rng = random.Random(SEED)
    found = Segments([], [], np.empty(0))
    for captions in images[:count]:
        words = split(captions[0])
        broken = break_caption(words, rng) if way == "error" else ("", contradict(words, rng))
        if broken is None or broken[1] is None:
            continue
        found.hypotheses.extend([" ".join(words), " ".join(broken[1])])
        found.references.extend([list(captions[1:])] * 2)
    return found._replace(grades=np.tile([1.0, 0.0], len(found.hypotheses) // 2))


def differences(values: Floats, grades: Floats, *, neighbors_only: bool, count: int = 20_000) -> Floats:
    """Return features of better captions minus those of worse ones: of drawn pairs, or of each two neighbors."""
    if neighbors_only:
        result: Floats = values[::2] - values[1::2]
        return result
    draw = np.random.default_rng(SEED)
    one, other = draw.integers(len(grades), size=(2, 4 * count))
    different = np.flatnonzero(grades[one] != grades[other])[:count]
    one, other = one[different], other[different]
    sign = np.sign(grades[one] - grades[other])[:, None]
    result = (values[one] - values[other]) * sign
    return result


def fit(tasks: Sequence[tuple[float, Floats]], bounds: Sequence[tuple[float, float]], penalty: float = 0.003) -> Floats:
    """Return weights within bounds with the least mean pairwise logistic loss, tasks weighted."""
    from scipy.optimize import minimize

    def loss(weights: Floats) -> tuple[float, Floats]:
        total, slope = penalty * float(weights @ weights), 2 * penalty * weights
        for share, pairs in tasks:
            margin = pairs @ weights
            total += share * float(np.logaddexp(0, -margin).mean())
            slope = slope - share * (pairs / (1 + np.exp(margin))[:, None]).mean(axis=0)
        return total, slope

    start = np.full(len(bounds), 0.1).clip(*np.transpose(bounds))
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds)
    result: Floats = found.x
    return result


SHARES = {"rated": 0.15, "graded": 1.0, "contradiction": 0.3, "error": 0.3}
"""How much each source counts. Ratings of Composite tell people's captions from weak systems' of 2014 above all."""


def train(features: dict[str, tuple[dict[str, Floats], Floats]], name: str) -> CaptionModel:
    """Make a metric.

    Args:
        features: for each source of :data:`SHARES` the features by name, and the grades.
        name: of the metric.
    """
    bounds = RECIPES[name]
    used = tuple(bounds)
    values = {source: np.stack([columns[each] for each in used], axis=1) for source, (columns, _) in features.items()}
    spread = np.sqrt((values["rated"].var(axis=0) + values["graded"].var(axis=0)) / 2)
    spread[used.index("whole")] = 1.0
    tasks = [
        (SHARES[source], differences(each / spread, features[source][1], neighbors_only=source in SOURCES_OF_TWO))
        for source, each in values.items()
    ]
    weights = fit(tasks, list(bounds.values())) / spread
    # 1 is the mean of people's captions of the image, 0 of captions of any image.
    grades = features["graded"][1]
    scores = values["graded"] @ weights
    low, high = float(scores[grades == 0].mean()), float(scores[grades == 3].mean())
    weights = np.round(weights / (high - low), 5)
    return CaptionModel(name, used, weights, float(np.round(-low / (high - low), 5)))


SOURCES_OF_TWO = ("contradiction", "error")


def main(captions: str, rated: str, folder: str) -> None:
    """Train the detector and both metrics, and write them."""
    from meteor_e_vectors.contextual import open_encoder

    Path(folder).mkdir(parents=True, exist_ok=True)
    meteor = Meteor("en", normalization="full")
    lexicon, encoding = CaptionLexicon(meteor), Encoding(open_encoder("minilm"), remember=40_000)
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
        "graded": graded(images[:3000], 1500, encoding),
        "contradiction": spoilt(images[4000:], 1500, "contradiction"),
        "error": spoilt(images[6000:], 1500, "error"),
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
    parser.add_argument("rated", help="captions that people rated, rated.jsonl.gz")
    parser.add_argument("folder", help="folder that the models are written into")
    main(**vars(parser.parse_args()))
