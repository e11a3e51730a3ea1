"""Tests of sentence encoders: word pieces, layers, long sentences, and independence of the batch."""

from __future__ import annotations

import pickle
import random

import numpy as np
import pytest
from meteor_e_vectors.contextual import open_encoder
from meteor_e_vectors.contextual.store import NETWORK, TOKENIZER
from tiny_encoder import WORDS

from meteor_e import ConfigError, ResourceError


def random_sentences(count: int, max_length: int = 30) -> list[list[str]]:
    """Return random sentences, with words that the vocabulary contains, has to divide, or does not know."""
    generator = random.Random(3)
    words = [word for word in WORDS if not word.startswith("#")] + ["cats", "plays", "xyzzy", "\x07", "Cat"]
    return [generator.choices(words, k=generator.randint(1, max_length)) for _ in range(count)]


def test_encoder_returns_a_row_per_word(encoder_folder):
    encoder = open_encoder("tiny")
    (rows,) = encoder.encode([["the", "cats", "xyzzy", "play", "\x07"]])
    assert rows.shape == (5, 3)
    assert rows.dtype == np.float32
    # "xyzzy" is unknown, and the tokenizer removes control characters.
    assert np.linalg.norm(rows, axis=1).tolist() == pytest.approx([1, 1, 0, 1, 0])


def test_word_vector_is_the_mean_of_its_pieces(encoder_folder):
    encoder = open_encoder("tiny", layer=1)
    (rows,) = encoder.encode([["cats"]])
    ids = np.array([[1, 3 + WORDS.index("cat"), 3 + WORDS.index("##s"), 2]])
    (hidden,) = encoder._session.run(["layer_1"], {"input_ids": ids})
    mean = hidden[0, 1:3].astype(float).mean(axis=0)
    assert rows[0] == pytest.approx(mean / np.linalg.norm(mean), abs=1e-6)


def test_layers_have_different_vectors(encoder_folder):
    first, last = (open_encoder("tiny", layer).encode([["the", "cat"]])[0] for layer in (1, 2))
    assert not np.allclose(first, last)
    assert np.array_equal(open_encoder("tiny").encode([["the", "cat"]])[0], last)
    for layer in (0, 3):
        with pytest.raises(ConfigError, match=r"has no layer \d; it has 2"):
            open_encoder("tiny", layer)


@pytest.mark.parametrize("threads", ["1", "3"])
def test_encoder_rows_do_not_depend_on_the_batch(encoder_folder, threads, monkeypatch):
    monkeypatch.setenv("METEOR_E_THREADS", threads)
    encoder = open_encoder("tiny")
    sentences = random_sentences(200)
    expected = [encoder.encode([sentence])[0] for sentence in sentences]
    order = random.Random(1).sample(range(len(sentences)), len(sentences))
    for size in (2, 7, 200):
        for start in range(0, len(order), size):
            batch_indexes = order[start : start + size]
            for index, rows in zip(
                batch_indexes, encoder.encode([sentences[index] for index in batch_indexes]), strict=True
            ):
                assert rows.tobytes() == expected[index].tobytes()
    copy = pickle.loads(pickle.dumps(encoder))
    assert all(np.array_equal(a, b) for a, b in zip(copy.encode(sentences), expected, strict=True))


def test_encoder_divides_long_sentences_between_words(encoder_folder):
    """The network accepts 12 pieces, including one at the beginning and one at the end of the sentence."""
    encoder = open_encoder("tiny")
    words = ["cats"] * 7 + ["the"]
    (rows,) = encoder.encode([words])
    part_rows = encoder.encode([words[:5], words[5:]])
    assert np.array_equal(rows, np.concatenate(part_rows))
    (word_rows,) = encoder.encode([["play" + "s" * 50, "cat"]])
    assert word_rows.shape == (2, 3)


@pytest.mark.parametrize("name", [NETWORK, TOKENIZER])
@pytest.mark.parametrize("damage", [lambda content: content[:-1], lambda content: content + b" "])
def test_open_encoder_rejects_damaged_files(encoder_folder, name, damage):
    file = encoder_folder / name
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(ResourceError, match=f"{name} is damaged"):
        open_encoder("tiny")


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("tiny", ResourceError, "there is no file"),
        ("minilm", ResourceError, "meteor-e encoder install minilm"),
        ("other", ResourceError, "meteor-e encoder add other"),
        ("..", ConfigError, "is not a name of an encoder"),
    ],
)
def test_open_encoder_reports_missing_encoders(encoder_folder, name, error, message):
    (encoder_folder / NETWORK).unlink()
    with pytest.raises(error, match=message):
        open_encoder(name)
