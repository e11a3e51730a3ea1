"""Training word vectors with gensim: CBOW and skip-gram."""

from __future__ import annotations

import logging
import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from meteor_e import ConfigError, InputError
from meteor_e.base.progress import Progress, silent
from meteor_e_vectors.corpus import OTHER

if TYPE_CHECKING:
    from numpy.typing import NDArray

LARGEST_DIMENSION = 10_000
"""Numbers of a vector at most."""


@dataclass(frozen=True)
class TrainingSettings:
    """How vectors are trained; the defaults are those of METEOR-E (CBOW, 50 dimensions, window 5).

    Attributes:
        model: ``cbow`` or ``skip-gram``.
        dimension: numbers of a vector.
        window: words that count as context, on each side.
        epochs: how often the corpus is read.
        min_count: rarer units get no vector.
        negative: noise words a unit (negative sampling).
        sample: frequency above which frequent units are thinned out.
        rate: learning rate at the start.
        seed: of the first vectors, the noise and the thinning out.
        threads: how many train. With one, the same corpus and settings give the same vectors; with more, threads
            overtake each other, and each run gives others.
    """

    model: str = "cbow"
    dimension: int = 50
    window: int = 5
    epochs: int = 5
    min_count: int = 5
    negative: int = 5
    sample: float = 1e-3
    rate: float = 0.025
    seed: int = 1
    threads: int = 1

    def __post_init__(self) -> None:
        if self.model not in ("cbow", "skip-gram"):
            raise ConfigError(f"there is no model {self.model!r}; there are cbow and skip-gram")
        for name in ("dimension", "window", "epochs", "min_count", "negative", "threads"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} is {getattr(self, name)}; it must be 1 or more")
        if self.dimension > LARGEST_DIMENSION:
            raise ConfigError(f"dimension is {self.dimension}; it must be {LARGEST_DIMENSION} or less")
        if not 0 < self.rate < math.inf:
            raise ConfigError(f"rate is {self.rate}; it must be above 0, such as 0.025")
        if not 0 <= self.sample <= 1:
            raise ConfigError(f"sample is {self.sample}; it must be between 0 (thin out nothing) and 1, such as 0.001")
        if not 0 <= self.seed < 1 << 32:
            raise ConfigError(f"seed is {self.seed}; it must be a whole number from 0 to {(1 << 32) - 1}")

    def describe(self) -> dict[str, Any]:
        """Return what is written into the vector file."""
        return {**asdict(self), "deterministic": self.threads == 1}


def train(
    corpus: Path,
    settings: TrainingSettings,
    progress: Progress = silent,
    *,
    repeats: int = 1,
) -> tuple[list[str], NDArray[np.float32], NDArray[np.int64], dict[str, Any]]:
    """Train vectors on a corpus as :func:`~meteor_e_vectors.corpus.write_corpus` writes it.

    The corpus is read from disk, once an epoch; memory grows with the vocabulary only.

    Args:
        corpus: one sentence per line.
        settings: model and numbers.
        progress: told the number of epochs done and of all.
        repeats: how often the corpus has each word of the text, so that ``min_count`` and the counts are the text's.

    Returns:
        Words (the most frequent first, without those of a second side), their vectors, how often each occurs,
        and what is worth writing down.

    Raises:
        InputError: if no word occurs often enough.
    """
    import gensim
    from gensim.models.callbacks import CallbackAny2Vec
    from gensim.models.word2vec import Word2Vec

    class Epochs(CallbackAny2Vec):  # type: ignore[misc]
        done = 0

        def on_epoch_end(self, model: Any) -> None:
            self.done += 1
            progress("training", self.done, settings.epochs)

    logger = logging.getLogger("gensim")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        model = Word2Vec(
            vector_size=settings.dimension,
            window=settings.window,
            sg=int(settings.model == "skip-gram"),
            epochs=settings.epochs,
            min_count=settings.min_count * repeats,
            negative=settings.negative,
            sample=settings.sample,
            alpha=settings.rate,
            min_alpha=min(1e-4, settings.rate),
            seed=settings.seed,
            workers=settings.threads,
        )
        model.build_vocab(corpus_file=str(corpus))
        if not len(model.wv):
            raise InputError(f"no word occurs {settings.min_count} times; lower --min-count, or train on more text")
        model.train(
            corpus_file=str(corpus),
            total_examples=model.corpus_count,
            total_words=model.corpus_total_words,
            epochs=settings.epochs,
            callbacks=[Epochs()],
        )
    finally:
        logger.setLevel(level)
    kept = [number for number, word in enumerate(model.wv.index_to_key) if not word.startswith(OTHER)]
    if not kept:
        raise InputError(f"no word of the first side occurs {settings.min_count} times; train on more text")
    rows = np.asarray(model.wv.vectors, dtype=np.float32)[kept]
    counts = np.array([model.wv.get_vecattr(model.wv.index_to_key[number], "count") for number in kept], dtype=np.int64)
    counts //= repeats
    words = [model.wv.index_to_key[number] for number in kept]
    return words, rows, counts, {"gensim": gensim.__version__, **settings.describe()}
