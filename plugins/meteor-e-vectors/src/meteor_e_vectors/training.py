"""Training word vectors with gensim: CBOW and skip-gram."""

from __future__ import annotations

import logging
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from meteor_e import InputError
from meteor_e.base.progress import Progress, silent

if TYPE_CHECKING:
    from numpy.typing import NDArray

EPOCHS = MIN_COUNT = 5
"""How often the text is read; rarer words get no vector."""


@dataclass(frozen=True)
class TrainingSettings:
    """How vectors are trained; the defaults are METEOR-E's. All else is gensim's default.

    Attributes:
        model: ``cbow`` or ``skip-gram``.
        dimension: numbers of a vector.
        window: words of context, on each side.
        threads: how many train. One thread gives the same vectors from the same text each time; several do not.
    """

    model: str = "cbow"
    dimension: int = 50
    window: int = 5
    threads: int = 1


def train(
    corpus: Path, settings: TrainingSettings, progress: Progress = silent
) -> tuple[list[str], NDArray[np.float32], NDArray[np.int64], dict[str, Any]]:
    """Train vectors on a corpus as :func:`~meteor_e_vectors.corpus.write_corpus` writes it.

    The corpus is read from disk; memory grows with the vocabulary only.

    Args:
        corpus: one sentence per line.
        settings: model and numbers.
        progress: told the number of epochs done and of all.

    Returns:
        Words (the most frequent first), their vectors, how often each occurs, and what the vector file says of it.

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
            progress("training", self.done, EPOCHS)

    logger = logging.getLogger("gensim")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        model = Word2Vec(
            vector_size=settings.dimension,
            window=settings.window,
            sg=int(settings.model == "skip-gram"),
            workers=settings.threads,
        )
        model.build_vocab(corpus_file=str(corpus))
        if not len(model.wv):
            raise InputError(f"no word occurs {MIN_COUNT} times; train on more text")
        model.train(
            corpus_file=str(corpus),
            total_examples=model.corpus_count,
            total_words=model.corpus_total_words,
            epochs=EPOCHS,
            callbacks=[Epochs()],
        )
    finally:
        logger.setLevel(level)
    words = list(model.wv.index_to_key)
    counts = np.array([model.wv.get_vecattr(word, "count") for word in words], dtype=np.int64)
    described = {"gensim": gensim.__version__, **asdict(settings), "deterministic": settings.threads == 1}
    return words, np.asarray(model.wv.vectors, dtype=np.float32), counts, described
