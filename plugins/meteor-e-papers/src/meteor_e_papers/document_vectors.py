"""Vectors of documents as USAAR makes them: skip-gram vectors of words and phrases joined to one (Vela and Tan, 2015).

A phrase is a word of the vocabulary that holds an underscore between its words, ``prime_minister``, as gensim's
``Phrases`` writes it, and as in other published vectors; so any file of word vectors serves, with phrases or without.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from meteor_e.api import InputError
from meteor_e.base.files import whole_file
from meteor_e.formats.plain import read_segments
from meteor_e_papers.features.document_cosine import DELIMITER
from meteor_e_papers.splitting import split


class _Sentences:
    """The sentences of some files, as often as they are asked for."""

    def __init__(self, files: Sequence[str | os.PathLike[str]], limit: int | None) -> None:
        self._files = files
        self._limit = limit

    def __iter__(self) -> Iterator[list[str]]:
        for file in self._files:
            for segment in islice(read_segments(file), self._limit):
                words = split(segment)
                if words:
                    yield words


class _Joined:
    def __init__(self, sentences: Iterable[list[str]], phrases: Callable[[list[str]], list[str]]) -> None:
        self._sentences = sentences
        self._phrases = phrases

    def __iter__(self) -> Iterator[list[str]]:
        for words in self._sentences:
            yield self._phrases(words)


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
    """Train skip-gram vectors with phrases joined, and write them in word2vec's binary form.

    One thread trains, so that the same text and settings give the same vectors. The defaults are the paper's.

    Args:
        files: one sentence per line; gzip and xz are read, too.
        output: the file.
        dimension: numbers a vector.
        window: words that count as context, on each side.
        epochs: how often the text is read.
        min_count: rarer words and phrases get no vector.
        phrase_threshold: the higher, the fewer phrases (Mikolov et al., 2013, eq. 6).
        limit: sentences of each file; by default all.
        seed: of all that is drawn.
        language: of the texts; phrases of English may have words such as "of" in their middle.
        tell: told what is being done.

    Returns:
        How many words and phrases have vectors.

    Raises:
        InputError: if a file cannot be read, if no word is frequent enough, or if the output cannot be written.
    """
    from gensim.models.callbacks import CallbackAny2Vec
    from gensim.models.phrases import ENGLISH_CONNECTOR_WORDS, Phrases
    from gensim.models.word2vec import Word2Vec

    say = tell or (lambda message: None)

    class Epochs(CallbackAny2Vec):  # type: ignore[misc]
        done = 0

        def on_epoch_end(self, model: object) -> None:
            self.done += 1
            say(f"epoch {self.done} of {epochs}")

    logger = logging.getLogger("gensim")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        sentences = _Sentences(files, limit)
        say("phrases")
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
        text = _Joined(sentences, phrases.__getitem__)
        say("vocabulary")
        model.build_vocab(text)
        if not len(model.wv):
            raise InputError(f"no word occurs {min_count} times; lower min_count, or train on more text")
        model.train(text, total_examples=model.corpus_count, epochs=epochs, callbacks=[Epochs()])
    finally:
        logger.setLevel(level)
    try:
        with whole_file(Path(output)) as scratch:
            model.wv.save_word2vec_format(str(scratch), binary=True)
    except OSError as error:
        raise InputError(f"cannot write {output}: {error.strerror or error}") from error
    return len(model.wv)
