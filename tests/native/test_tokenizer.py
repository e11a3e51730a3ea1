"""Test that the tokenizer numbers words in the order in which they first occur."""

from __future__ import annotations

import random

import pytest

from meteor_e.api.languages import Normalization
from meteor_e.engine.tokenizer import Tokenizer
from meteor_e.text.normalization import Normalizer


def test_tokenizer_ids_do_not_depend_on_threads():
    rng = random.Random(5)
    lines = [" ".join(f"w{rng.randrange(20_000)}" for _ in range(12)) for _ in range(6_000)]
    normalizer = Normalizer(Normalization.LOWER)
    single = Tokenizer(normalizer, threads=1)
    parallel = Tokenizer(normalizer, threads=4)
    for start in (0, 3_000):
        batch = lines[start : start + 3_000]
        id_rows = single(batch)
        assert parallel(batch) == id_rows
        words = single.words
        assert [[words[id] for id in ids] for ids in id_rows] == [line.split() for line in batch]
    distinct_words = list(dict.fromkeys(" ".join(lines).split()))
    assert single.words == parallel.words == distinct_words


@pytest.mark.parametrize("mode", [Normalization.FULL, Normalization.LOWER])
def test_tokenizer_returns_the_same_ids_in_both_engines(mode, monkeypatch):
    normalizer = Normalizer(mode)
    lines = ["A dog's  \u00abhouse\u00bb, 3.5 kg.", "", "caf\u00e9 \U0001f642\u0301 A dog", "&amp; \x00 a\u2028b"]
    native = Tokenizer(normalizer)
    id_rows = native(lines)
    monkeypatch.setattr("meteor_e.engine.tokenizer.native_module", lambda: None)
    python = Tokenizer(normalizer)
    assert python(lines) == id_rows
    assert python.words == native.words
