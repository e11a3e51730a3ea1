"""The native tokenizer and the Python tokenizer agree on random text that needs all rules."""

from __future__ import annotations

import random
import sys

import pytest
from random_chains import engines

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


PREFIXES = NonbreakingPrefixes(frozenset(["Mr", "U.S", "etc"]), frozenset(["No", "pp"]))


def assert_same_words(normalizer, texts, times=1):
    tokenizer = Tokenizer(normalizer)
    for _ in range(times):
        rows = tokenizer(texts)
        words = tokenizer.words
        for text, row in zip(texts, rows, strict=True):
            assert [words[number] for number in row] == split_words(normalizer(text)), ascii(text)


@pytest.mark.parametrize("mode", list(Normalization))
@pytest.mark.parametrize("apostrophes", ["english", "french", "apart"])
def test_engines_return_the_same_words(mode, apostrophes):
    numbers = random.Random(f"{mode}{apostrophes}")
    texts = ["".join(numbers.choices(PIECES, k=numbers.randrange(25))) for _ in range(4000)]
    assert_same_words(Normalizer(mode, apostrophes, PREFIXES), texts)


@pytest.mark.parametrize("mode", list(Normalization))
@pytest.mark.parametrize("apostrophes", ["english", "french", "apart"])
def test_tokens_that_were_met_before(mode, apostrophes):
    # What a token becomes is remembered; what stands beside it still counts.
    numbers = random.Random(f"{mode}{apostrophes}")
    pieces = [piece for piece in PIECES if max(piece) < "\u0100"]
    tokens = ["".join(numbers.choices(pieces, k=numbers.randrange(1, 5))) for _ in range(400)]
    tokens += ["x" * size + end for size in (7, 8, 14, 15, 16, 40) for end in ("", ".", "...", ",")]
    texts = [
        "".join(numbers.choice([" ", "  ", "\t", "\n"]) + numbers.choice(tokens) for _ in range(8)) for _ in range(1500)
    ]
    texts += [" ".join(numbers.choices(tokens, k=200))]
    assert_same_words(Normalizer(mode, apostrophes, PREFIXES), texts, times=2)


def test_more_tokens_than_are_remembered():
    tokenizer = Tokenizer(Normalizer(Normalization.LOWER))
    texts = [" ".join(f"w{number}" for number in range(start, start + 1000)) for start in range(0, 150_000, 1000)]
    once = tokenizer(texts)
    assert tokenizer(texts) == once == tokenizer(texts)
    assert tokenizer.words == " ".join(texts).split()


def test_lower_case_of_every_character():
    # Halves of characters are not text; beyond U+20000 no character has another case.
    codes = [code for code in (*range(0x20000), *range(0x20000, sys.maxunicode, 61)) if not 0xD800 <= code < 0xE000]
    texts = [" ".join(map(chr, codes[start : start + 4096])) for start in range(0, len(codes), 4096)]
    assert_same_words(Normalizer(Normalization.LOWER), texts)


def test_long_line_is_normalized():
    text = "Don't, U.S. " * 30_000
    native, python = engines([ExactMatcher()])
    (segment,) = native.segments([text], ["no"])
    assert segment.statistics == python.score(text, "no").statistics
