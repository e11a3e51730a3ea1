"""Train word vectors with gensim on text that is tokenized as for scoring."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from meteor_e import InputError, Meteor
from meteor_e.base.progress import Progress, silent
from meteor_e.formats.plain import read_segments
from meteor_e_vectors.keys import make_lookup_key

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from meteor_e_vectors.options import VectorOptions


class TrainedVectors(NamedTuple):
    """Store the result of a training.

    Attributes:
        words: the words, most frequent first.
        rows: the vector of each word, ``(words, dimension)``.
        counts: the frequency of each word.
        metadata: the options of the training, for the vector file.
    """

    words: list[str]
    rows: NDArray[np.float32]
    counts: NDArray[np.int64]
    metadata: dict[str, Any]


def train_vectors(corpus: Path, options: VectorOptions, progress: Progress = silent) -> TrainedVectors:
    """Train word vectors on a corpus that :func:`write_corpus` has written.

    The corpus is streamed from disk, so memory grows only with the vocabulary.

    Args:
        corpus: a text file with one sentence per line.
        options: the options of the training, such as the model and the number of dimensions.
        progress: called at the start of the training.

    Raises:
        InputError: if no word is frequent enough.
    """
    import gensim
    from gensim.models.word2vec import Word2Vec

    progress("training", 0, None)
    word2vec = Word2Vec(
        vector_size=options.dimension,
        window=options.window,
        sg=int(options.model == "skip-gram"),
        workers=options.threads,
        min_count=options.min_count,
        seed=options.seed,
    )
    word2vec.build_vocab(corpus_file=str(corpus))
    vectors = word2vec.wv
    if not len(vectors):
        raise InputError(f"no word occurs {options.min_count} times; train on more text, or lower the minimum count")
    word2vec.train(
        corpus_file=str(corpus),
        total_examples=word2vec.corpus_count,
        total_words=word2vec.corpus_total_words,
        epochs=options.epochs,
    )
    words = list(vectors.index_to_key)
    counts = [vectors.get_vecattr(word, "count") for word in words]
    # The training is deterministic with one thread only.
    metadata = {"gensim": gensim.__version__, **vars(options), "deterministic": options.threads == 1}
    return TrainedVectors(
        words=words,
        rows=np.asarray(vectors.vectors, dtype=np.float32),
        counts=np.array(counts, dtype=np.int64),
        metadata=metadata,
    )


class CorpusSize(NamedTuple):
    """Store the size of a training corpus.

    Attributes:
        sentences: the number of sentences that were read.
        words: the number of words that were written.
    """

    sentences: int
    words: int


def write_corpus(
    corpus: Path, meteor: Meteor, texts: Sequence[str], key_type: str, progress: Progress = silent
) -> CorpusSize:
    """Write a training corpus with one sentence per line. Each word is replaced by the key of its vector.

    Args:
        corpus: the path of the corpus.
        meteor: tokenizes the text.
        texts: paths of text files with one sentence per line, plain or compressed with gzip, bzip2 or xz.
        key_type: one of :data:`~meteor_e_vectors.keys.KEYS`. All key types except ``word`` need a lemmatizer.
        progress: called with the number of sentences.

    Raises:
        InputError: if a file cannot be read or is not UTF-8, or there are no words.
    """
    sentence_count = word_count = 0
    with corpus.open("w", encoding="utf-8", newline="\n") as corpus_file:
        for sentence in chain.from_iterable(map(read_segments, texts)):
            keys = [make_lookup_key(token, key_type) for token in meteor.tokenize(sentence)]
            # Keys with white space are skipped, because gensim would split them.
            words = [key for key in keys if len(key.split()) == 1]
            if words:
                corpus_file.write(" ".join(words) + "\n")
            sentence_count += 1
            word_count += len(words)
            progress("splitting words", sentence_count, None)
    if not word_count:
        raise InputError(f"there are no words in {', '.join(texts)}")
    return CorpusSize(sentence_count, word_count)
