"""Training word vectors with gensim, CBOW and skip-gram, on text that is split as METEOR splits it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np

from meteor_e import InputError, Meteor
from meteor_e.base.progress import Progress, silent
from meteor_e.formats.plain import read_segments

if TYPE_CHECKING:
    from numpy.typing import NDArray

EPOCHS = MIN_COUNT = 5
"""How often the text is read; rarer words get no vector."""


def train(
    corpus: Path, progress: Progress = silent, *, model: str, dimension: int, window: int, threads: int
) -> tuple[list[str], NDArray[np.float32], NDArray[np.int64], dict[str, Any]]:
    """Train vectors on a corpus as :func:`write_corpus` writes it.

    The corpus is read from disk; memory grows with the vocabulary only.

    Args:
        corpus: one sentence per line.
        progress: told that it began.
        model: ``cbow`` or ``skip-gram``.
        dimension: numbers of a vector.
        window: words of context, on each side.
        threads: how many train. One thread gives the same vectors from the same text each time; several do not.

    Returns:
        Words (the most frequent first), their vectors, how often each occurs, and what the vector file says of it.

    Raises:
        InputError: if no word occurs often enough.
    """
    import gensim
    from gensim.models.word2vec import Word2Vec

    progress("training", 0, None)
    made = Word2Vec(vector_size=dimension, window=window, sg=int(model == "skip-gram"), workers=threads)
    made.build_vocab(corpus_file=str(corpus))
    if not len(made.wv):
        raise InputError(f"no word occurs {MIN_COUNT} times; train on more text")
    made.train(
        corpus_file=str(corpus),
        total_examples=made.corpus_count,
        total_words=made.corpus_total_words,
        epochs=EPOCHS,
    )
    words = list(made.wv.index_to_key)
    counts = np.array([made.wv.get_vecattr(word, "count") for word in words], dtype=np.int64)
    settings = {"model": model, "dimension": dimension, "window": window, "threads": threads}
    described = {"gensim": gensim.__version__, **settings, "deterministic": threads == 1}
    return words, np.asarray(made.wv.vectors, dtype=np.float32), counts, described


def write_corpus(output: TextIO, meteor: Meteor, texts: Sequence[str], progress: Progress = silent) -> tuple[int, int]:
    """Write the corpus that vectors are trained on: words separated by spaces.

    Args:
        output: gets one sentence per line.
        meteor: splits and lowercases the words.
        texts: files, one sentence per line, plain or packed with gzip, bzip2 or xz.
        progress: told the number of sentences done.

    Returns:
        The number of sentences read, and of words written.

    Raises:
        InputError: if a file cannot be read or is not UTF-8, or there are no words.
    """
    sentences = words = 0
    for path in texts:
        for line in read_segments(path):
            # A trainer splits at any white space.
            units = [token.form for token in meteor.tokenize(line) if len(token.form.split()) == 1]
            if units:
                output.write(" ".join(units) + "\n")
            sentences += 1
            words += len(units)
            progress("splitting words", sentences, None)
    if not words:
        raise InputError(f"there are no words in {', '.join(texts)}")
    return sentences, words
