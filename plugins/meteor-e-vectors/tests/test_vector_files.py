"""Tests of writing and reading vector files."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from meteor_e_vectors import open_vectors, write_vectors

from meteor_e import InputError, ResourceError

WORDS = ["the", "été", "a\u2028b", "𝔸", "x y"]
ROWS = np.arange(15, dtype=np.float32).reshape(5, 3)


@pytest.fixture
def file(tmp_path):
    """Write a vector file, and return its path."""
    path = tmp_path / "some.vectors"
    write_vectors(path, WORDS, ROWS, counts=np.array([9, 7, 5, 2**40, 1]), metadata={"key": "lemma", "seed": 3})
    return path


def test_open_vectors_reads_written_file(file):
    vectors = open_vectors(file)
    assert list(vectors) == WORDS == vectors.words
    assert np.array_equal(np.stack(list(vectors.values())), ROWS)
    assert vectors["été"].tolist() == [3, 4, 5]
    assert vectors["été"].dtype == np.float32
    assert "été" in vectors
    assert "Été" not in vectors
    assert 3 not in vectors
    assert (len(vectors), vectors.dimension, vectors.key) == (5, 3, "lemma")
    assert vectors.counts.tolist() == [9, 7, 5, 2**32 - 1, 1]
    assert vectors.metadata["seed"] == 3
    assert vectors.lookup(["𝔸", "?"]).tolist() == [[9, 10, 11], [0, 0, 0]]
    assert pickle.loads(pickle.dumps(vectors)).digest == vectors.digest
    with pytest.raises(KeyError):
        vectors["nothing"]
    with pytest.raises(ValueError, match="read-only"):
        vectors["été"][0] = 1


def test_digest_depends_on_words_and_vectors_only(tmp_path):
    digests = set()
    for index, (words, rows, metadata) in enumerate(
        [(WORDS, ROWS, {}), (WORDS, ROWS, {"seed": 1}), (WORDS[::-1], ROWS, {}), (WORDS, ROWS + 1, {})]
    ):
        path = tmp_path / f"{index}.vectors"
        write_vectors(path, words, rows, metadata=metadata)
        digests.add(open_vectors(path).digest)
    assert len(digests) == 3


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda data: data[:40], "ends inside its header"),
        (lambda data: data[:-1], "has .* bytes instead of"),
        (lambda data: data[:8] + b"\x02" + data[9:], "format version 2"),
        (lambda data: data[:33] + b"\xff" + data[34:], "checksum of its header"),
        (lambda data: data.replace(b'"digest"', b'"digits"'), "its metadata cannot be read"),
        (lambda data: data.replace(b'{"digest"', b'["digest"'), "its metadata cannot be read"),
    ],
)
def test_open_vectors_rejects_damaged_files(file, damage, message):
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(ResourceError, match=message):
        open_vectors(file)


def test_open_vectors_detects_a_flipped_bit(file):
    """A flipped bit is an error, unless it is in the padding between sections, which is not part of the content."""
    content, expected, rejection_count = file.read_bytes(), list(open_vectors(file).rows.ravel()), 0
    for offset in range(len(content)):
        file.write_bytes(content[:offset] + bytes([content[offset] ^ 4]) + content[offset + 1 :])
        try:
            vectors = open_vectors(file)
        except ResourceError:
            rejection_count += 1
        else:
            assert (vectors.words, list(vectors.rows.ravel()), vectors.key) == (WORDS, expected, "lemma")
    assert rejection_count > len(content) // 2


@pytest.mark.parametrize(
    ("words", "rows", "message"),
    [
        (["a"], np.zeros((2, 2), np.float32), "1 words and vectors of shape"),
        ([], np.zeros((0, 2), np.float32), "each word needs a vector"),
        (["a", "a"], np.zeros((2, 2), np.float32), "1 of the 2 words are repeated"),
        (["a", "b"], np.array([[1, 2], [np.nan, 1]], np.float32), "the vector of 'b' is not finite"),
    ],
)
def test_write_vectors_rejects_unsuitable_words_and_rows(tmp_path, words, rows, message):
    with pytest.raises(InputError, match=message):
        write_vectors(tmp_path / "x.vectors", words, rows)
    assert list(tmp_path.iterdir()) == []
