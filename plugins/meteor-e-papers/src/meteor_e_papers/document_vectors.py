"""Vectors of words and phrases for USAAR's document vectors: skip-grams (Vela and Tan, 2015).

A phrase is a word of the vocabulary that contains an underscore, such as ``prime_minister``. gensim's ``Phrases``
writes phrases like this, and so do other published vectors. So any file of word vectors can be used, with or without
phrases.
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from meteor_e.api import InputError
from meteor_e.base.atomic import atomic_file
from meteor_e.formats.plain import read_segments
from meteor_e_papers.features.document_cosine import DELIMITER
from meteor_e_papers.splitting import split


class Sentences:
    """The sentences of some files, as lists of words; they are read again each time they are iterated over."""

    def __init__(self, files: Sequence[str | os.PathLike[str]], limit: int | None) -> None:
        self._files = files
        self._limit = limit

    def __iter__(self) -> Iterator[list[str]]:
        for file in self._files:
            for segment in islice(read_segments(file), self._limit):
                if words := split(segment):
                    yield words


class SentencesWithPhrases:
    """Sentences whose phrases are joined."""

    def __init__(self, sentences: Iterable[list[str]], join_phrases: Callable[[list[str]], list[str]]) -> None:
        self._sentences = sentences
        self._join_phrases = join_phrases

    def __iter__(self) -> Iterator[list[str]]:
        return map(self._join_phrases, self._sentences)


@contextlib.contextmanager
def quiet_gensim() -> Iterator[None]:
    """Let gensim log errors only."""
    logger = logging.getLogger("gensim")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def train_document_vectors(
    files: Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    *,
    dimension: int = 400,
    window: int = 5,
    epochs: int = 100,
    min_count: int = 5,
    phrase_threshold: float = 10.0,
    limit: int | None = None,
    seed: int = 1,
    language: str = "en",
    tell: Callable[[str], object] | None = None,
) -> int:
    """Train skip-gram vectors of words and phrases, and write them in word2vec's binary format.

    One thread trains, so that the same texts and settings give the same vectors. The defaults are the paper's.

    Args:
        files: texts with one sentence per line; they may be compressed.
        output: the vector file.
        dimension: size of a vector.
        window: number of context words on each side.
        epochs: number of passes over the texts.
        min_count: words and phrases that occur less often do not get a vector.
        phrase_threshold: higher values give fewer phrases (Mikolov et al., 2013, equation 6).
        limit: number of sentences of each file; by default all.
        seed: seed of the training.
        language: of the texts; phrases of English may have words such as "of" in their middle.
        tell: called with a description of each step.

    Returns:
        The number of words and phrases that have a vector.

    Raises:
        InputError: if a file cannot be read, if no word is frequent enough, or if the output cannot be written.
    """
    from gensim.models.callbacks import CallbackAny2Vec
    from gensim.models.phrases import ENGLISH_CONNECTOR_WORDS, Phrases
    from gensim.models.word2vec import Word2Vec

    report = tell or (lambda message: None)

    class ReportEpochs(CallbackAny2Vec):  # type: ignore[misc]
        epoch = 0

        def on_epoch_end(self, model: object) -> None:
            self.epoch += 1
            report(f"epoch {self.epoch} of {epochs}")

    with quiet_gensim():
        sentences = Sentences(files, limit)
        report("phrases")
        phrases = Phrases(
            sentences,
            min_count=min_count,
            threshold=phrase_threshold,
            delimiter=DELIMITER,
            connector_words=ENGLISH_CONNECTOR_WORDS if language == "en" else frozenset(),
        ).freeze()
        model = Word2Vec(
            vector_size=dimension, window=window, sg=1, epochs=epochs, min_count=min_count, seed=seed, workers=1
        )
        text = SentencesWithPhrases(sentences, phrases.__getitem__)
        report("vocabulary")
        model.build_vocab(text)
        if not len(model.wv):
            raise InputError(f"no word occurs {min_count} times; lower the minimum count, or train on more text")
        model.train(text, total_examples=model.corpus_count, epochs=epochs, callbacks=[ReportEpochs()])
    try:
        with atomic_file(Path(output)) as scratch:
            model.wv.save_word2vec_format(str(scratch), binary=True)
    except OSError as error:
        raise InputError(f"cannot write {output}: {error.strerror or error}") from error
    return len(model.wv)
