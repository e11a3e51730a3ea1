"""Test that the native tokenizer and the Python tokenizer agree on random text that needs all rules."""

from __future__ import annotations

import random
import sys

import pytest
from random_chains import make_engines

from meteor_e.api.languages import NonbreakingPrefixes, Normalization
from meteor_e.api.tokens import split_words
from meteor_e.engine.native import native_module
from meteor_e.engine.tokenizer import Tokenizer
from meteor_e.matchers.modules import ExactMatcher
from meteor_e.text.normalization import Normalizer

pytestmark = pytest.mark.skipif(native_module() is None, reason="the extension is not built, or METEOR_E_PURE is set")

PIECES = [
    *"abcXYZ019 .,'`-–‘’“”\"!?;|\t\n\r\f\v\x00\x01\x1c\x7f\xa0 　ßſÀÿŽžќЯꙀꚖꚘᴀᵿƀⅧ𝔘😀ΣσςİıK",
    *["...", "....", "''", "--", "DOTMULTI", "DOT", "D.OTMULTI.", "U.S.", "U.S", "Mr.", "No.", "No. 7", "3,000", "a,b"],
    *["l'eau", "don't", "1990's", "'s", "x-y", "e.g.,", ".-", "–-", "« »", "etc.", ". . .", "\r\n", "Ⅷ."],
]
"""Pieces of text that exercise the rules of the normalization."""

PREFIXES = NonbreakingPrefixes(frozenset(["Mr", "U.S", "etc"]), frozenset(["No", "pp"]))


def assert_tokenizer_equals_normalizer(normalizer, texts, times=1):
    """Assert that the native tokenizer returns the words of the Python normalizer, each time it reads the texts."""
    tokenizer = Tokenizer(normalizer)
    for _ in range(times):
        id_rows = tokenizer(texts)
        words = tokenizer.words
        for text, ids in zip(texts, id_rows, strict=True):
            assert [words[id] for id in ids] == split_words(normalizer(text)), ascii(text)


@pytest.mark.parametrize("mode", list(Normalization))
@pytest.mark.parametrize("apostrophes", ["english", "french", "apart"])
def test_tokenizer_equals_python_on_random_text(mode, apostrophes):
    rng = random.Random(f"{mode}{apostrophes}")
    texts = ["".join(rng.choices(PIECES, k=rng.randrange(25))) for _ in range(4000)]
    assert_tokenizer_equals_normalizer(Normalizer(mode, apostrophes, PREFIXES), texts)


@pytest.mark.parametrize("mode", list(Normalization))
@pytest.mark.parametrize("apostrophes", ["english", "french", "apart"])
def test_tokenizer_equals_python_on_cached_tokens(mode, apostrophes):
    """The tokenizer caches the words of a token, but the neighbors of the token still matter."""
    rng = random.Random(f"{mode}{apostrophes}")
    pieces = [piece for piece in PIECES if max(piece) < "\u0100"]
    tokens = ["".join(rng.choices(pieces, k=rng.randrange(1, 5))) for _ in range(400)]
    tokens += ["x" * size + end for size in (7, 8, 14, 15, 16, 40) for end in ("", ".", "...", ",")]
    spaces = [" ", "  ", "\t", "\n"]
    texts = ["".join(rng.choice(spaces) + rng.choice(tokens) for _ in range(8)) for _ in range(1500)]
    texts.append(" ".join(rng.choices(tokens, k=200)))
    assert_tokenizer_equals_normalizer(Normalizer(mode, apostrophes, PREFIXES), texts, times=2)


def test_tokenizer_handles_more_tokens_than_its_cache_holds():
    tokenizer = Tokenizer(Normalizer(Normalization.LOWER))
    texts = [" ".join(f"w{number}" for number in range(start, start + 1000)) for start in range(0, 150_000, 1000)]
    id_rows = tokenizer(texts)
    assert tokenizer(texts) == id_rows == tokenizer(texts)
    assert tokenizer.words == " ".join(texts).split()


def test_tokenizer_lowercases_every_character_as_python_does():
    # Surrogates are not valid text. Characters from U+20000 do not have upper and lower case, so a sample is enough.
    codes = [code for code in (*range(0x20000), *range(0x20000, sys.maxunicode, 61)) if not 0xD800 <= code < 0xE000]
    texts = [" ".join(map(chr, codes[start : start + 4096])) for start in range(0, len(codes), 4096)]
    assert_tokenizer_equals_normalizer(Normalizer(Normalization.LOWER), texts)


def test_tokenizer_normalizes_long_lines():
    text = "Don't, U.S. " * 30_000
    native, python = make_engines([ExactMatcher()])
    (segment,) = native.segments([text], ["no"])
    assert segment.statistics == python.score(text, "no").statistics
