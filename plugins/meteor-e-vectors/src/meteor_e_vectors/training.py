"""Training word vectors with gensim, CBOW and skip-gram, on text that is split as METEOR splits it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np

from meteor_e import InputError, Meteor
from meteor_e.base.progress import Progress, silent
from meteor_e.formats.plain import read_segments
from meteor_e_vectors.keys import key_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


def train(
    corpus: Path,
    progress: Progress = silent,
    *,
    model: str,
    dimension: int,
    window: int,
    threads: int,
    epochs: int = 5,
    min_count: int = 5,
    seed: int = 1,
) -> tuple[list[str], NDArray[np.float32], NDArray[np.int64], dict[str, Any]]:
    """Train vectors on a corpus as :func:`write_corpus` writes it.

    The corpus is read from disk; memory grows with the vocabulary only.

    Args:
        corpus: one sentence per line.
        progress: told that it began.
        model: ``cbow`` or ``skip-gram``.
        dimension: size of a vector.
        window: number of context words on each side.
        threads: number of threads. One thread gives the same vectors from the same text each time; several do not.
        epochs: number of passes over the corpus.
        min_count: words that occur less often do not get a vector.
        seed: seed of the first weights and of the sampling.

    Returns:
        Words (the most frequent first), their vectors, how often each occurs, and what the vector file says of it.

    Raises:
        InputError: if no word occurs often enough.
    """
    import gensim
    from gensim.models.word2vec import Word2Vec

    progress("training", 0, None)
    made = Word2Vec(
        vector_size=dimension,
        window=window,
        sg=int(model == "skip-gram"),
        workers=threads,
        min_count=min_count,
        seed=seed,
    )
    made.build_vocab(corpus_file=str(corpus))
    if not len(made.wv):
        raise InputError(f"no word occurs {min_count} times; train on more text, or lower the minimum count")
    made.train(
        corpus_file=str(corpus),
        total_examples=made.corpus_count,
        total_words=made.corpus_total_words,
        epochs=epochs,
    )
    words = list(made.wv.index_to_key)
    counts = np.array([made.wv.get_vecattr(word, "count") for word in words], dtype=np.int64)
    settings = {
        "model": model,
        "dimension": dimension,
        "window": window,
        "epochs": epochs,
        "min_count": min_count,
        "seed": seed,
        "threads": threads,
    }
    described = {"gensim": gensim.__version__, **settings, "deterministic": threads == 1}
    return words, np.asarray(made.wv.vectors, dtype=np.float32), counts, described


def write_corpus(
    output: TextIO, meteor: Meteor, texts: Sequence[str], progress: Progress = silent, *, key: str = "word"
) -> tuple[int, int]:
    """Write the corpus that vectors are trained on: words, or keys of words, separated by spaces.

    Args:
        output: gets one sentence per line.
        meteor: splits and lowercases the words.
        texts: files, one sentence per line, plain or packed with gzip, bzip2 or xz.
        progress: told the number of sentences done.
        key: what gets a vector; all keys but ``word`` need a lemmatizer in ``meteor``.

    Returns:
        The number of sentences read, and of words written.

    Raises:
        InputError: if a file cannot be read or is not UTF-8, or there are no words.
    """
    sentences = words = 0
    for path in texts:
        for line in read_segments(path):
            # A trainer splits at any white space.
            units = [unit for token in meteor.tokenize(line) if len((unit := key_of(token, key)).split()) == 1]
            if units:
                output.write(" ".join(units) + "\n")
            sentences += 1
            words += len(units)
            progress("splitting words", sentences, None)
    if not words:
        raise InputError(f"there are no words in {', '.join(texts)}")
    return sentences, words
