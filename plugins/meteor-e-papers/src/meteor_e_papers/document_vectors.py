"""Trains vectors of words and phrases, from which document vectors are computed (Vela and Tan, 2015).

The vectors are trained by the skip-gram algorithm. The words of a phrase are separated by underscores, as in
``prime_minister``. gensim's ``Phrases`` and the authors of published word vectors use the same format. Therefore, any
file of word vectors can be used, with or without phrases.
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from meteor_e.api import InputError
from meteor_e.base.atomic import atomic_file
from meteor_e.formats.plain import read_segments
from meteor_e_papers.features.document_cosine import DELIMITER
from meteor_e_papers.splitting import split


class Sentences:
    """The sentences of text files as lists of words. Each iteration reads the files again.

    Args:
        files: texts with one sentence per line.
        limit: the maximum number of sentences of each file, or None for all sentences.
    """

    def __init__(self, files: Sequence[str | os.PathLike[str]], limit: int | None) -> None:
        self._files = files
        self._limit = limit

    def __iter__(self) -> Iterator[list[str]]:
        for file in self._files:
            for segment in islice(read_segments(file), self._limit):
                words = split(segment)
                if words:
                    yield words


class SentencesWithPhrases:
    """Sentences in which the words of phrases such as ``prime_minister`` are joined.

    Args:
        sentences: the sentences as lists of words.
        join_phrases: a function that joins the phrases of a sentence.
    """

    def __init__(self, sentences: Iterable[list[str]], join_phrases: Callable[[list[str]], list[str]]) -> None:
        self._sentences = sentences
        self._join_phrases = join_phrases

    def __iter__(self) -> Iterator[list[str]]:
        return map(self._join_phrases, self._sentences)


@contextlib.contextmanager
def quiet_gensim() -> Iterator[None]:
    """Limit the log messages of gensim to errors within a ``with`` block."""
    logger = logging.getLogger("gensim")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


@dataclass(frozen=True)
class SkipGramOptions:
    """Options of the training. The default values are those of the paper.

    Attributes:
        dimension: the number of values in a vector.
        window: the number of context words on each side.
        epochs: the number of passes over the texts.
        min_count: the minimum number of occurrences of a word or phrase that gets a vector.
        phrase_threshold: the minimum score of a phrase (Mikolov et al., 2013, equation 6).
        limit: the maximum number of sentences of each file; by default, all sentences are used.
        seed: the seed of the random number generator.
        language: the language of the texts; English phrases may contain words such as "of" between other words.
    """

    dimension: int = 400
    window: int = 5
    epochs: int = 100
    min_count: int = 5
    phrase_threshold: float = 10.0
    limit: int | None = None
    seed: int = 1
    language: str = "en"


def train_document_vectors(
    files: Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    options: SkipGramOptions,
    tell: Callable[[str], object],
) -> int:
    """Train skip-gram vectors of words and phrases, and write them in word2vec's binary format.

    The training uses a single thread, so that it is reproducible.

    Args:
        files: texts with one sentence per line; they may be compressed.
        output: the path of the vector file to write.
        options: the options of the training.
        tell: a function that is called with a description of each step.

    Returns:
        The number of words and phrases in the vector file.

    Raises:
        InputError: if a file cannot be read, if no word is frequent enough, or if the output cannot be written.
    """
    with quiet_gensim():
        sentences = Sentences(files, options.limit)
        tell("phrases")
        join_phrases = _find_phrases(sentences, options)
        vectors = _train_skip_gram(SentencesWithPhrases(sentences, join_phrases), options, tell)
    _write_vectors(vectors, output)
    return len(vectors)


def _train_skip_gram(sentences: SentencesWithPhrases, options: SkipGramOptions, tell: Callable[[str], object]) -> Any:
    """Train a skip-gram model, and return its vectors as gensim's ``KeyedVectors``.

    Raises:
        InputError: if no word is frequent enough.
    """
    from gensim.models.word2vec import Word2Vec

    model = Word2Vec(
        vector_size=options.dimension,
        window=options.window,
        sg=1,
        epochs=options.epochs,
        min_count=options.min_count,
        seed=options.seed,
        workers=1,
    )
    tell("vocabulary")
    model.build_vocab(sentences)
    if not len(model.wv):
        raise InputError(f"no word occurs {options.min_count} times; lower the minimum count, or train on more text")
    model.train(
        sentences,
        total_examples=model.corpus_count,
        epochs=options.epochs,
        callbacks=[_make_epoch_callback(options.epochs, tell)],
    )
    return model.wv


def _write_vectors(vectors: Any, output: str | os.PathLike[str]) -> None:
    """Write the word vectors of a gensim model in word2vec's binary format.

    Raises:
        InputError: if the file cannot be written.
    """
    try:
        with atomic_file(Path(output)) as temporary_path:
            vectors.save_word2vec_format(str(temporary_path), binary=True)
    except OSError as error:
        raise InputError(f"cannot write {output}: {error.strerror or error}") from error


def _find_phrases(sentences: Sentences, options: SkipGramOptions) -> Callable[[list[str]], list[str]]:
    """Find frequent phrases in a corpus, and return a function that joins the words of these phrases."""
    from gensim.models.phrases import ENGLISH_CONNECTOR_WORDS, Phrases

    phrases = Phrases(
        sentences,
        min_count=options.min_count,
        threshold=options.phrase_threshold,
        delimiter=DELIMITER,
        connector_words=ENGLISH_CONNECTOR_WORDS if options.language == "en" else frozenset(),
    )
    join_phrases: Callable[[list[str]], list[str]] = phrases.freeze().__getitem__
    return join_phrases


def _make_epoch_callback(n_epochs: int, tell: Callable[[str], object]) -> Any:
    """Create a gensim callback that reports each finished epoch to a function."""
    from gensim.models.callbacks import CallbackAny2Vec

    class EpochCallback(CallbackAny2Vec):  # type: ignore[misc]
        epoch = 0

        def on_epoch_end(self, model: object) -> None:
            self.epoch += 1
            tell(f"epoch {self.epoch} of {n_epochs}")

    return EpochCallback()
