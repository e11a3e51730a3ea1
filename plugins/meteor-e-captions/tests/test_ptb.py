"""Compare the PTB tokenizer with the output of the Java program in ``ptb_tokens.json``.

The output was recorded with ``java -cp stanford-corenlp-3.4.1.jar edu.stanford.nlp.process.PTBTokenizer
-preserveLines`` (the jar of pycocoevalcap 1.2, OpenJDK 17). All ``lines`` were tokenized together, and each of
``whole texts`` was tokenized separately.
"""

from __future__ import annotations

import json
import random
import subprocess
import time
from pathlib import Path

import pytest
from meteor_e_captions import plugin
from meteor_e_captions.ptb import PUNCTUATION, Tokenizer
from meteor_e_captions.segmenter import PTBSegmenter

from meteor_e.testing import check_component, check_plugin

RECORDED = json.loads(Path(__file__).with_name("ptb_tokens.json").read_text(encoding="utf-8"))


def test_plugin_passes_the_conformance_checks():
    check_plugin(plugin)


def test_segmenter_passes_the_conformance_checks():
    check_component(PTBSegmenter)


def test_segmenter_returns_caption_tokens():
    assert PTBSegmenter().segment("A man's\ndog, at U.S. \u2026") == ["a", "man", "'s", "dog", "at", "u.s."]
    assert PTBSegmenter().segment("") == [] == PTBSegmenter().segment(" .")


def test_tokenizer_equals_the_output_for_lines():
    lines = [line for line, _ in RECORDED["lines"]]
    tokens = [tokens for _, tokens in RECORDED["lines"]]
    assert Tokenizer().tokenize(lines) == tokens


@pytest.mark.parametrize(("text", "tokens"), RECORDED["whole texts"])
def test_tokenizer_equals_the_output_at_the_end_of_a_text(text, tokens):
    assert Tokenizer().tokenize([text]) == [tokens]


def test_tokenizer_adds_a_period_before_an_upper_case_line():
    assert Tokenizer().tokenize(["a man at Foo Inc.", "Two dogs"]) == ["a man at Foo Inc. .", "Two dogs"]
    assert Tokenizer().tokenize(["a man at Foo Inc.", "two dogs"]) == ["a man at Foo Inc.", "two dogs"]


def test_tokenizer_removes_case_and_punctuation():
    tokenizer = Tokenizer(lowercase=True, drop=PUNCTUATION)
    # pycocoevalcap does not remove brackets, because it searches for upper-case names in lower-case tokens.
    assert tokenizer.tokenize(['A man (OLD) says "hi".', "x"]) == ["a man -lrb- old -rrb- says hi", "x"]


def test_tokenizer_supports_supplementary_characters():
    assert Tokenizer().tokenize(["a\U0001f600b \U0001f600", "http://\U00010000 x"]) == ["a b", "http://\U00010000 x"]


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "<a ",
        '<a b="',
        "<!a ",
        "Inc. <!a ",
        "a@.",
        "a,",
        "1a.",
        "%.",
        "http://",
        "www.1;",
        "&lt;a",
        "1,",
        ". ",
        "é\u0301",
    ],
)
def test_tokenizer_time_grows_linearly(unit):
    def measure_seconds(size: int) -> float:
        """Return the time for a text of a number of characters."""
        start = time.process_time()
        Tokenizer().tokenize([unit * (size // len(unit))])
        return time.process_time() - start

    measure_seconds(1000)  # warm up
    # The text is 16 times as long. Quadratic time would be 256 times as long.
    assert measure_seconds(32_000) < 60 * measure_seconds(2_000) + 0.2


TEXT_PIECES = [
    *"abcxyzABCXYZ0123456789.,:;!?'\"`-_/\\()[]{}<>@#$%&*+=~^| \t",
    *("n't", "'s", "Inc.", "U.S.", "no.", "http://", ".com", "&amp;", "é", "É", "’", "“", "…", "–", "½", "€", "\u00ad"),
    *("\u00a0", "😀", "中", "٠", "\u0301", ":)", "<b>", "The ", "555-1234"),
]


@pytest.mark.java
def test_tokenizer_equals_the_java_program_on_random_texts(java):
    jar = java.jar.parents[1] / "tokenizer" / "stanford-corenlp-3.4.1.jar"
    if not jar.is_file():
        pytest.skip(f"there is no {jar}")
    rng = random.Random(5)
    lines = ["".join(rng.choices(TEXT_PIECES, k=rng.randint(1, 15))) for _ in range(3000)]
    process = subprocess.run(
        ["java", "-cp", str(jar), "edu.stanford.nlp.process.PTBTokenizer", "-preserveLines"],
        input="\n".join(lines).encode(),
        capture_output=True,
        check=True,
    )
    assert Tokenizer().tokenize(lines) == process.stdout.decode().split("\n")


class UncachedTokenizer(Tokenizer):
    """Apply the rules to all tokens in their contexts instead of using caches."""

    def _tokenize_piece(self, piece):
        return None


def test_tokenizer_with_caches_equals_the_rules():
    pieces_text = (
        "555 - 1234 (212) 555-1234 . ... &apos; &apos;s ' n't U.S. Mr. 1 1/2 3 % a Ab The <b> <!x @ $ '80s : -) ; -- ? "
        '5" &lt; no. art. 50-year ^ &apos;90s 1,000 +44 20 \u00e9 \u2019 \u00bd cannot gonna. (he) '
        "'The 'the' 'I l'Inc. l'Union. dogs, dogs. dogs: (\u00c9t\u00e9) &quot; &quot;a &amp; "
        "&gt; .. 5. ( ) 12: '90 ' \u00a0 \u00a0. \u00a0x "
        "( no nos. Gonna? etc! etc. \u0130 a\u0130. ,"
    )
    pieces = pieces_text.split(" ")
    rng = random.Random(1)
    lines = [" ".join(rng.choice([*pieces, ""]) for _ in range(rng.randrange(1, 12))) for _ in range(2000)]
    uncached = UncachedTokenizer(lowercase=True)
    assert Tokenizer(lowercase=True).tokenize(lines) == uncached.tokenize(lines)
    assert not uncached._pieces
