from __future__ import annotations

import random

import pytest

from meteor_e.api.languages import Normalization
from meteor_e.engine.tokenizer import Tokenizer
from meteor_e.text.normalization import Normalizer


def test_words_have_the_same_numbers_with_any_number_of_threads():
    chance = random.Random(5)
    lines = [" ".join(f"w{chance.randrange(20_000)}" for _ in range(12)) for _ in range(6_000)]
    normalizer = Normalizer(Normalization.LOWER)
    one, four = (Tokenizer(normalizer, threads=threads) for threads in (1, 4))
    for begin in (0, 3_000):
        batch = lines[begin : begin + 3_000]
        numbers = one(batch)
        assert four(batch) == numbers
        words = one.words
        assert [[words[number] for number in row] for row in numbers] == [line.split() for line in batch]
    first_seen = list(dict.fromkeys(" ".join(lines).split()))
    assert one.words == four.words == first_seen


@pytest.mark.parametrize("mode", [Normalization.FULL, Normalization.LOWER])
def test_token_ids_equal_those_of_python(mode, monkeypatch):
    normalizer = Normalizer(mode)
    lines = ["A dog's  \u00abhouse\u00bb, 3.5 kg.", "", "caf\u00e9 \U0001f642\u0301 A dog", "&amp; \x00 a\u2028b"]
    native = Tokenizer(normalizer)
    numbers = native(lines)
    monkeypatch.setattr("meteor_e.engine.tokenizer.native_module", lambda: None)
    pure = Tokenizer(normalizer)
    assert pure(lines) == numbers
    assert pure.words == native.words
