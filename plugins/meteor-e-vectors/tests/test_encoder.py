"""Sentence encoders: word pieces, layers, long sentences, and independence of the batch."""

from __future__ import annotations

import pickle
import random

import numpy as np
import pytest
from meteor_e_vectors.contextual import open_encoder
from meteor_e_vectors.contextual.store import NETWORK, TOKENIZER
from tiny_encoder import WORDS

from meteor_e import ConfigError, ResourceError


def sentences(count: int, longest: int = 30) -> list[list[str]]:
    numbers = random.Random(3)
    words = [word for word in WORDS if not word.startswith("#")] + ["cats", "plays", "xyzzy", "\x07", "Cat"]
    return [numbers.choices(words, k=numbers.randint(1, longest)) for _ in range(count)]


def test_encoder_returns_a_row_per_word(tiny):
    encoder = open_encoder("tiny")
    (rows,) = encoder.encode([["the", "cats", "xyzzy", "play", "\x07"]])
    assert rows.shape == (5, 3)
    assert rows.dtype == np.float32
    # "xyzzy" is unknown, and the tokenizer removes control characters.
    assert np.linalg.norm(rows, axis=1).tolist() == pytest.approx([1, 1, 0, 1, 0])


def test_word_vector_is_the_mean_of_its_pieces(tiny):
    encoder = open_encoder("tiny", layer=1)
    (rows,) = encoder.encode([["cats"]])
    ids = np.array([[1, 3 + WORDS.index("cat"), 3 + WORDS.index("##s"), 2]])
    (hidden,) = encoder._session.run(["layer_1"], {"input_ids": ids})
    mean = hidden[0, 1:3].astype(float).mean(axis=0)
    assert rows[0] == pytest.approx(mean / np.linalg.norm(mean), abs=1e-6)


def test_layers_have_different_vectors(tiny):
    first, last = (open_encoder("tiny", layer).encode([["the", "cat"]])[0] for layer in (1, 2))
    assert not np.allclose(first, last)
    assert np.array_equal(open_encoder("tiny").encode([["the", "cat"]])[0], last)
    for layer in (0, 3):
        with pytest.raises(ConfigError, match=r"has no layer \d; it has 2"):
            open_encoder("tiny", layer)


@pytest.mark.parametrize("threads", ["1", "3"])
def test_rows_do_not_depend_on_the_batch(tiny, threads, monkeypatch):
    monkeypatch.setenv("METEOR_E_THREADS", threads)
    encoder = open_encoder("tiny")
    sentence_list = sentences(200)
    expected = [encoder.encode([sentence])[0] for sentence in sentence_list]
    order = random.Random(1).sample(range(len(sentence_list)), len(sentence_list))
    for size in (2, 7, 200):
        for start in range(0, len(order), size):
            part = order[start : start + size]
            for number, rows in zip(part, encoder.encode([sentence_list[number] for number in part]), strict=True):
                assert rows.tobytes() == expected[number].tobytes()
    copy = pickle.loads(pickle.dumps(encoder))
    assert all(np.array_equal(a, b) for a, b in zip(copy.encode(sentence_list), expected, strict=True))


def test_long_sentence_is_divided_between_words(tiny):
    """The network takes 12 pieces at once, and two of them open and close a sentence."""
    encoder = open_encoder("tiny")
    words = ["cats"] * 7 + ["the"]
    (rows,) = encoder.encode([words])
    parts = encoder.encode([words[:5], words[5:]])
    assert np.array_equal(rows, np.concatenate(parts))
    (word_rows,) = encoder.encode([["play" + "s" * 50, "cat"]])
    assert word_rows.shape == (2, 3)


@pytest.mark.parametrize("name", [NETWORK, TOKENIZER])
@pytest.mark.parametrize("change", [lambda content: content[:-1], lambda content: content + b" "])
def test_damaged_files_are_refused(tiny, name, change):
    file = tiny / name
    file.write_bytes(change(file.read_bytes()))
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
def test_missing_encoders_are_reported(tiny, name, error, message):
    (tiny / NETWORK).unlink()
    with pytest.raises(error, match=message):
        open_encoder(name)
