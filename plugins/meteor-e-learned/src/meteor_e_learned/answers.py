"""Answers of language models that people judged correct or not, as examples to learn from."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO

import msgspec
import numpy as np

from meteor_e.api import Examples, FeatureBatch, InputError
from meteor_e.base.files import open_regular
from meteor_e.base.progress import Progress, silent
from meteor_e_learned.extraction import FeatureSet
from meteor_e_learned.feature_store import FeatureStore
from meteor_e_learned.features.short_texts import fold, split_terms

_GZIP_MAGIC = b"\x1f\x8b"


class JudgedAnswer(msgspec.Struct, frozen=True):
    """An answer and its judgment: a line of a JSON Lines file. Other fields of the line are ignored.

    Attributes:
        question: the question.
        references: the acceptable answers, at least one.
        answer: the answer.
        correct: whether people judged it correct.
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
    """Read judged answers from a JSON Lines file, which may be compressed by gzip.

    Raises:
        InputError: for a file that cannot be read, or a line that is not a judged answer; it names the line.
    """
    answers = []
    decoder = msgspec.json.Decoder(JudgedAnswer)
    number = 0
    try:
        with open_regular(path) as file:
            for number, line in enumerate(_decompressed(file), 1):
                answer = decoder.decode(line)
                if not answer.references:
                    raise InputError(f"{path}:{number}: 'references' is empty; give at least one acceptable answer")
                answers.append(answer)
    except msgspec.DecodeError as error:
        raise InputError(f"{path}:{number}: not a judged answer: {error}") from error
    except (OSError, EOFError) as error:
        raise InputError(f"cannot read {path}: {error}") from error
    if not answers:
        raise InputError(f"{path} is empty; it should have one judged answer per line")
    return answers


def _decompressed(file: BinaryIO) -> Iterable[bytes]:
    is_compressed = file.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
    file.seek(0)
    return gzip.GzipFile(fileobj=file) if is_compressed else file


def central_references(references: Sequence[str], count: int) -> list[str]:
    """Return the references that resemble the others most; all if there are no more than ``count``.

    The resemblance of two references is the Jaccard index of their character trigrams. Lists of acceptable answers
    often hold misspellings and distant aliases; the central references are those that a person would write down.
    """
    distinct = list(dict.fromkeys(references))
    if len(distinct) <= count:
        return distinct
    trigrams = [frozenset(_trigrams(reference)) for reference in distinct]
    resemblance = [sum(len(a & b) / len(a | b) for b in trigrams) for a in trigrams]
    ranks = sorted(range(len(distinct)), key=lambda index: -resemblance[index])
    return [distinct[index] for index in ranks[:count]]


def _trigrams(reference: str) -> Iterator[str]:
    joined = "".join(term.form for term in split_terms(fold(reference)))
    return (joined[index : index + 3] for index in range(max(1, len(joined) - 2)))


def answer_examples(
    answers: Sequence[JudgedAnswer],
    title: str,
    features: FeatureSet,
    store: FeatureStore,
    *,
    references: int | None = None,
    jobs: int = 1,
    progress: Progress = silent,
) -> Examples:
    """Extract the features of judged answers.

    Args:
        answers: the answers.
        title: what to call them.
        features: the features.
        store: where rows are kept.
        references: keep only so many central references of each question; by default all.
        jobs: number of processes.
        progress: told about the features.
    """
    lists = [
        answer.references if references is None else central_references(answer.references, references)
        for answer in answers
    ]
    batch = FeatureBatch(
        [answer.answer for answer in answers],
        lists,
        [answer.question for answer in answers],
        [answer.system for answer in answers],
        [str(answer.id) for answer in answers],
    )
    rows = features.extract(batch, store, jobs=jobs, progress=progress)
    empty = np.array([], np.int64)
    return Examples(
        title=(title,),
        features=rows,
        vectors=np.empty((len(rows), 0)),
        reference_vectors=np.empty((len(rows), 0)),
        better=empty,
        worse=empty,
        part=empty,
        group=empty,
        weight=np.array([]),
        scores=np.array([answer.correct for answer in answers], float),
        hypothesis_part=np.zeros(len(rows), np.int64),
        hypotheses=tuple(batch.hypotheses),
        references=tuple(map(tuple, lists)),
    )
