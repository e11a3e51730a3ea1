"""Tests for number formats, lines, hash tables and alignments that match those of the Java program."""

from __future__ import annotations

import io
import math
import os
import random
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meteor_e.java.alignments import format_alignment
from meteor_e.java.formats import (
    hash_map_order,
    hashtable_order,
    java_double,
    java_lines,
    parse_java_double,
    parse_java_int,
)
from meteor_e.scoring.alignment import AlignedMatch, Alignment
from meteor_e.text.identity import java_hash

JAR = os.environ.get("METEOR_E_JAR", "")

# Output of OpenJDK 17's Double.toString.
DOUBLE_CASES = [
    (0.0, "0.0"),
    (-0.0, "-0.0"),
    (1.0, "1.0"),
    (-1.5, "-1.5"),
    (0.1, "0.1"),
    (0.001, "0.001"),
    (0.002, "0.002"),
    (0.0009999, "9.999E-4"),
    (0.0001, "1.0E-4"),
    (0.00012, "1.2E-4"),
    (1e-5, "1.0E-5"),
    (1234567.0, "1234567.0"),
    (9999999.0, "9999999.0"),
    (9999999.5, "9999999.5"),
    (1e7, "1.0E7"),
    (12345678.9, "1.23456789E7"),
    (-1e22, "-1.0E22"),
    (0.27920953319435216, "0.27920953319435216"),
    (1.7976931348623157e308, "1.7976931348623157E308"),
    (2.2250738585072014e-308, "2.2250738585072014E-308"),
    (5e-324, "4.9E-324"),
    (math.nan, "NaN"),
    (math.inf, "Infinity"),
    (-math.inf, "-Infinity"),
]


@pytest.mark.parametrize(("value", "text"), DOUBLE_CASES)
def test_java_double_prints_like_java(value, text):
    assert java_double(value) == text


@given(st.floats())
def test_parse_java_double_inverts_java_double(value):
    number = parse_java_double(java_double(value))
    assert number == value or (math.isnan(number) and math.isnan(value))


@pytest.mark.java
@pytest.mark.skipif(not (JAR and shutil.which("java")), reason="java or METEOR_E_JAR is missing")
def test_java_double_equals_the_java_program():
    rng = random.Random(7)
    values = [rng.random() for _ in range(5000)]
    values += [rng.randrange(1, 300) / rng.randrange(1, 300) for _ in range(3000)]
    values += [rng.random() ** 6 for _ in range(2000)]
    for start in range(0, len(values), 2500):
        batch = values[start : start + 2500]
        # The Java program prints its parameters before it fails because the files do not exist.
        command = ["java", "-jar", JAR, "no", "file", "-m", "exact", "-p", " ".join(map(repr, batch))]
        output = subprocess.run(command, capture_output=True).stdout.decode()
        line = next(line for line in output.split("\n") if line.startswith("Parameters:"))
        assert line.split()[1:] == [java_double(value) for value in batch]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1.0),
        (" .5\t", 0.5),
        ("3.", 3.0),
        ("+1e-3", 1e-3),
        ("-1E5f", -1e5),
        ("1d", 1.0),
        ("2D", 2.0),
        ("0x1p3", 8.0),
        ("-0x.8P1d", -1.0),
        ("0x1p99999", math.inf),
        ("Infinity", math.inf),
        ("-Infinity", -math.inf),
        ("1e999", math.inf),
    ],
)
def test_parse_java_double_accepts_java_syntax(text, value):
    assert parse_java_double(text) == value


@pytest.mark.parametrize("text", ["", " ", "a", "1,5", "1_0", "nan", "inf", "infinity", "1e", "e5", "0x1", "1 2", "١"])
def test_parse_java_double_rejects_invalid_numbers(text):
    with pytest.raises(ValueError, match="not a number"):
        parse_java_double(text)


def test_parse_java_int_accepts_java_syntax():
    assert [parse_java_int(text) for text in ("5", "+5", "-5", "007")] == [5, 5, -5, 7]


@pytest.mark.parametrize("text", ["", "5.0", "2147483648", "-2147483649", " 5", "1_0", "9" * 100])
def test_parse_java_int_rejects_invalid_numbers(text):
    with pytest.raises(ValueError, match="not a whole number"):
        parse_java_int(text)


# Lines that OpenJDK 17's BufferedReader returns for these bytes with the encoding UTF-8.
LINE_CASES = [
    (b"", []),
    (b"\n", [""]),
    (b"a", ["a"]),
    (b"a\nb\rc\r\nd", ["a", "b", "c", "d"]),
    (b"a\r\r\n\n", ["a", "", ""]),
    (b"\xef\xbb\xbfa", ["\ufeffa"]),
    ("a\u2028b\x85c\x0bd\x0ce\x1cf\0g".encode(), ["a\u2028b\x85c\x0bd\x0ce\x1cf\0g"]),
    (b"\xe9", ["\ufffd"]),
    (b"a\xc3", ["a\ufffd"]),
    (b"\xed\xa0\x80x", ["\ufffdx"]),
    (b"\xed\xa0x", ["\ufffdx"]),
    (b"\xed\xbf\xbf\xed\xa0\x80", ["\ufffd\ufffd"]),
    (b"\xf0\x9f\x98x", ["\ufffdx"]),
    (b"\xf0\x9f\x98\x80", ["\U0001f600"]),
    (b"\xc0\xaf", ["\ufffd\ufffd"]),
    (b"\xe0\x80\x80", ["\ufffd\ufffd\ufffd"]),
    (b"\xf5\x80\xff", ["\ufffd\ufffd\ufffd"]),
]


@pytest.mark.parametrize(("data", "lines"), LINE_CASES)
def test_java_lines_decodes_and_splits_like_java(data, lines):
    assert list(java_lines(io.BytesIO(data))) == lines


class SmallBlockStream:
    """A stream whose reads return blocks of the given sizes, from the last size to the first, and then single bytes."""

    def __init__(self, data: bytes, sizes: list[int]) -> None:
        self.data = data
        self.sizes = sizes

    def read1(self, size: int = -1, /) -> bytes:
        size = self.sizes.pop() if self.sizes else 1
        block, self.data = self.data[:size], self.data[size:]
        return block


@given(
    st.lists(
        st.sampled_from(
            [b"\r", b"\n", b"\r\n", b"a", b"\xc3\xa9", b"\xe2\x80\xa8", b"\xf0\x9f\x98\x80", b"\xed\xa0\x80", b"\xff"]
        )
    ),
    st.lists(st.integers(1, 4)),
)
def test_java_lines_is_independent_of_block_sizes(parts, sizes):
    data = b"".join(parts)
    assert list(java_lines(SmallBlockStream(data, sizes))) == list(java_lines(io.BytesIO(data)))


def test_java_lines_returns_a_line_as_soon_as_it_ends():
    stream = SmallBlockStream(b"one\rtwo", [3, 4])
    lines = java_lines(stream)
    assert next(lines) == "one"
    assert stream.data == b"two"


def test_java_hash_equals_string_hash_code():
    # Expected values: java.lang.String.hashCode as an unsigned number.
    texts = ["", "meteor", "größer", "\U0001f600 x", "the old harbour"]
    assert [java_hash(text) for text in texts] == [0, 3217409452, 3061630081, 1703757051, 938825627]


# The order of the keys in java.util.Hashtable and HashMap of OpenJDK 17 after put("sys-" + 7 * i) for i = 0 … 29.
# Each number stands for the key "sys-" + number.
HASHTABLE = """203 98 35 189 126 63 154 91 182 49 77 14 168 105 42 196 133 70 161 28 119 56 147 7 84 21 175 112 140 0"""
HASH_MAP = """154 133 70 112 91 98 119 28 49 196 175 189 168 21 147 42 126 203 63 105 84 14 35 7 56 77 182 161 0 140"""


@pytest.mark.parametrize(("order", "expected"), [(hashtable_order, HASHTABLE), (hash_map_order, HASH_MAP)])
def test_hash_table_orders_equal_those_of_java(order, expected):
    keys = [f"sys-{7 * number}" for number in range(30)]
    assert order([*keys, "sys-0"]) == [f"sys-{number}" for number in expected.split()]


@given(st.lists(st.text(max_size=3)))
def test_hash_table_orders_contain_each_key_once(keys):
    assert sorted(hashtable_order(keys)) == sorted(hash_map_order(keys)) == sorted(set(keys))


ALIGNMENT = Alignment(
    ("a", "big", "boat"),
    ("the", "boat"),
    (AlignedMatch(0, 1, 0, 2, 3, 1.0), AlignedMatch(1, 1, 2, 1, 0, 0.25)),
    ("exact", "stem", "synonym", "paraphrase"),
    1,
)
ALIGNMENT_TEXT = """\
a big boat
the boat
Line2Start:Length	Line1Start:Length	Module		Score
0:1			0:2			3		1.0
1:1			2:1			0		0.25

"""


@pytest.mark.parametrize(
    ("number", "scores", "header"),
    [
        (None, (), "Alignment"),
        (7, (), "Alignment 7"),
        (7, (1.0, 0.5, math.nan, 1e-5), "Alignment\t7\t1.0\t0.5\tNaN\t1.0E-5"),
        ("set\tsystem\tdocument\t1", (1.0, 0.5, 0.0, 0.1), "Alignment\tset\tsystem\tdocument\t1\t1.0\t0.5\t0.0\t0.1"),
    ],
)
def test_format_alignment_prints_like_java(number, scores, header):
    assert format_alignment(ALIGNMENT, number, scores) == f"{header}\n{ALIGNMENT_TEXT}"
