"""Reads answers of language models that people have judged, and converts the answers to training examples."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import BinaryIO

import msgspec
import numpy as np

from meteor_e.api import Examples, FeatureBatch, InputError
from meteor_e.base.arithmetic import add_in_order
from meteor_e.base.files import open_regular
from meteor_e_learned.examples import Comparisons, make_examples
from meteor_e_learned.extraction import FeatureSet
from meteor_e_learned.features.answer_texts import split_trigrams
from meteor_e_learned.features.short_texts import fold, split_forms
from meteor_e_learned.inputs import InputExtractor

_GZIP_MAGIC = b"\x1f\x8b"


class JudgedAnswer(msgspec.Struct, frozen=True):
    """An answer of a language model, with a person's judgment of whether the answer is correct.

    Each line of a JSON Lines file contains one answer as a JSON object. Additional fields of the object are ignored.

    Attributes:
        question: the question.
        references: the acceptable answers, at least one.
        answer: the answer.
        correct: whether a human judged the answer correct.
        system: the name of the system that answered.
        id: the question's identifier.
    """

    question: str
    references: list[str]
    answer: str
    correct: bool
    system: str = ""
    id: int | str = ""


def load_answers(path: str | os.PathLike[str]) -> list[JudgedAnswer]:
    """Read judged answers from a plain or gzip-compressed JSON Lines file.

    Raises:
        InputError: if the file cannot be read, or if a line is not a judged answer. The message names the line.
    """
    decoder = msgspec.json.Decoder(JudgedAnswer)
    answers = []
    try:
        with open_regular(path) as file:
            for line_number, line in enumerate(_decompress(file), 1):
                answers.append(_parse_answer(decoder, line, f"{path}:{line_number}"))
    except (OSError, EOFError) as error:
        raise InputError(f"cannot read {path}: {error}") from error
    if not answers:
        raise InputError(f"{path} is empty; it should have one judged answer per line")
    return answers


def _parse_answer(decoder: msgspec.json.Decoder[JudgedAnswer], line: bytes, location: str) -> JudgedAnswer:
    """Return the judged answer of a line.

    Args:
        decoder: the decoder of judged answers.
        line: the line.
        location: the file and the number of the line, for error messages.

    Raises:
        InputError: if the line is not a judged answer, or if the answer does not have references.
    """
    try:
        answer = decoder.decode(line)
    except msgspec.DecodeError as error:
        raise InputError(f"{location}: not a judged answer: {error}") from error
    if not answer.references:
        raise InputError(f"{location}: 'references' is empty; give at least one acceptable answer")
    return answer


def _decompress(file: BinaryIO) -> Iterable[bytes]:
    """Return an iterable over the lines of a plain or gzip-compressed file."""
    is_compressed = file.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
    file.seek(0)
    return gzip.GzipFile(fileobj=file) if is_compressed else file


def central_references(references: Sequence[str], count: int) -> list[str]:
    """Return the ``count`` distinct references with the highest average similarity to all distinct references.

    The similarity of two references is the Jaccard index of their character trigrams. The selection avoids misspellings
    and unusual aliases, which resemble only a few other references.
    """
    distinct_references = list(dict.fromkeys(references))
    if len(distinct_references) <= count:
        return distinct_references
    trigram_sets = [_split_trigrams(reference) for reference in distinct_references]
    similarities = {}
    for reference, trigrams in zip(distinct_references, trigram_sets, strict=True):
        similarities[reference] = add_in_order(_jaccard_index(trigrams, trigram_set) for trigram_set in trigram_sets)
    return sorted(distinct_references, key=similarities.__getitem__, reverse=True)[:count]


def _jaccard_index(first: set[str], second: set[str]) -> float:
    """Return the size of the intersection of two sets divided by the size of their union."""
    return len(first & second) / len(first | second)


def _split_trigrams(reference: str) -> set[str]:
    """Return the set of character trigrams of a reference. Spaces are ignored."""
    return split_trigrams("".join(split_forms(fold(reference))))


def answer_examples(
    answers: Sequence[JudgedAnswer], title: str, extractor: InputExtractor, *, max_references: int | None = None
) -> Examples:
    """Extract the features of judged answers, and return the answers as training examples.

    Args:
        answers: the answers.
        title: the title of the examples.
        extractor: extracts the features of the answers. Its vectors are not used.
        max_references: the number of central references to use per question. By default, all references are used.
    """
    batch = FeatureBatch(
        hypotheses=[answer.answer for answer in answers],
        references=[_select_references(answer, max_references) for answer in answers],
        sources=[answer.question for answer in answers],
        systems=[answer.system for answer in answers],
        segments=[str(answer.id) for answer in answers],
    )
    inputs = replace(extractor, vectors=FeatureSet([])).extract(batch)
    scores = np.array([answer.correct for answer in answers], float)
    return make_examples([title], batch, inputs, scores, Comparisons())


def _select_references(answer: JudgedAnswer, count: int | None) -> list[str]:
    """Return up to ``count`` typical references of an answer, or all references if ``count`` is None."""
    return answer.references if count is None else central_references(answer.references, count)
