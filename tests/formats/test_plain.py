"""Tests for plain text files with one segment per line."""

from __future__ import annotations

import bz2
import gc
import gzip
import io
import lzma
import random

import pytest

from meteor_e.base.errors import ConfigError, InputError
from meteor_e.formats.plain import read_segments


@pytest.fixture
def write_segments(tmp_path):
    """Return a function that writes bytes into a file and returns its path."""

    def write(data: bytes):
        path = tmp_path / "segments.txt"
        path.write_bytes(data)
        return path

    return write


@pytest.mark.parametrize(
    ("data", "segments"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"one\ntwo\n", ["one", "two"]),
        (b"one\r\ntwo", ["one", "two"]),
        (b"\n\none\n\n", ["", "", "one", ""]),
        (b"\xef\xbb\xbfone\n\xef\xbb\xbftwo\n", ["one", "\ufefftwo"]),
        ("a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\0h\ri\r\r\n".encode(), ["a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\0h\ri\r"]),
        ("größer 東京 😀\n".encode(), ["größer 東京 😀"]),
    ],
)
def test_read_segments_splits_lines_only_at_newlines(write_segments, data, segments):
    assert list(read_segments(write_segments(data))) == segments
    for compress in (gzip.compress, bz2.compress, lzma.compress):
        assert list(read_segments(write_segments(compress(data)))) == segments


def test_read_segments_reads_gzip_from_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(b"one\ntwo\n"))))
    assert list(read_segments("-")) == ["one", "two"]


def test_read_segments_accepts_text_encodings(write_segments):
    assert list(read_segments(write_segments("größer\r\n\n".encode("latin-1")), encoding="latin-1")) == ["größer", ""]
    assert list(read_segments(write_segments("größer\r\nb\u2028\n".encode("utf-16")), encoding="utf-16")) == [
        "größer",
        "b\u2028",
    ]
    with pytest.raises(ConfigError, match="unknown encoding 'latin-99'"):
        list(read_segments(write_segments(b""), encoding="latin-99"))
    with pytest.raises(ConfigError, match="unknown encoding 'base64'"):
        list(read_segments(write_segments(b""), encoding="base64"))


def test_read_segments_locates_invalid_bytes(write_segments):
    lines = read_segments(write_segments(b"one\ntwo\nthr\xe9e\nfour\n"))
    assert [next(lines), next(lines)] == ["one", "two"]
    with pytest.raises(
        InputError, match=r"segments\.txt, line 3: not valid UTF-8 \(byte 4: invalid continuation byte\)"
    ):
        next(lines)
    with pytest.raises(InputError, match=r"line 1: not valid UTF-8 \(byte 7:"):
        list(read_segments(write_segments(b"\xef\xbb\xbfthr\xe9e\n")))
    with pytest.raises(InputError, match="line 2: not valid UTF-16"):
        list(read_segments(write_segments("one\n".encode("utf-16-le") + b"\x00\xd8\x00"), encoding="utf-16-le"))


def test_read_segments_explains_unreadable_files(tmp_path, write_segments):
    with pytest.raises(InputError, match=r"cannot read .*missing: No such file or directory"):
        list(read_segments(tmp_path / "missing"))
    with pytest.raises(InputError, match="Is a directory"):
        list(read_segments(tmp_path))
    with pytest.raises(InputError, match="null byte"):
        list(read_segments("a\0b"))
    compressed = gzip.compress(b"one\n" * 100_000)
    for data, message in (
        (compressed[:-20], "ended before the end-of-stream marker"),
        (compressed[:50] + b"\xff" * 50 + compressed[100:], "cannot read"),
        (compressed[:3] + b"\xff" + compressed[4:], "cannot read"),
        (bz2.compress(b"one\n" * 100_000)[:-4], "ended before the end-of-stream marker"),
        (bz2.compress(b"one\n")[:12] + b"\xff" * 20, "cannot read"),
        (lzma.compress(b"one\n" * 100_000)[:-20], "ended before the end-of-stream marker"),
        (lzma.compress(b"one\n")[:-12] + b"\xff" * 12, "cannot read"),
        (b"\x28\xb5\x2f\xfd\x04\x00", "it is compressed with Zstandard; decompress it first"),
    ):
        with pytest.raises(InputError, match=message):
            list(read_segments(write_segments(data)))


def test_read_segments_accepts_text_like_a_bzip2_header(write_segments):
    assert list(read_segments(write_segments(b"BZh9 is no magic number\n"))) == ["BZh9 is no magic number"]


def test_read_segments_can_be_closed_early(write_segments, recwarn):
    lines = read_segments(write_segments("one\ntwo\n".encode("utf-16")), encoding="utf-16")
    assert next(lines) == "one"
    lines.close()
    gc.collect()
    assert not recwarn.list


def test_read_segments_reads_lazily(monkeypatch):
    data = b"one\n" * 200_000 + b"\xff\n"
    stream = io.BufferedReader(io.BytesIO(data))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(stream))
    assert next(read_segments("-")) == "one"
    assert stream.raw.tell() < len(data) / 2


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le"])
@pytest.mark.parametrize("text", ["one\ntwo\n", "one", "два слова\n"])
def test_read_segments_recognizes_utf_16_without_a_bom(write_segments, encoding, text):
    path = write_segments(text.encode(encoding))
    with pytest.raises(InputError, match=r"UTF-16 and not UTF-8.*--encoding utf-16-le"):
        list(read_segments(path))
    assert list(read_segments(path, encoding=encoding)) == text.splitlines()


@pytest.mark.parametrize("text", ["a\0b\nc\n", "a\n\0\nb\nc\n", "a\n" * 70_000 + "\0\n"])
def test_read_segments_accepts_nul_characters(write_segments, text):
    assert list(read_segments(write_segments(text.encode()))) == text.split("\n")[:-1]


def test_read_segments_keeps_errors_of_the_caller(write_segments):
    def fail_while_reading():
        for _ in read_segments(write_segments(b"one\n")):
            raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        fail_while_reading()


class SmallBlockStream(io.BytesIO):
    """A stream that returns at most five bytes per read, like a slow pipe."""

    def readinto(self, buffer):
        block = super().read(1 + self.tell() % 5)
        buffer[: len(block)] = block
        return len(block)


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "shift_jis"])
def test_read_segments_is_independent_of_block_size(encoding, monkeypatch):
    rng = random.Random(encoding)
    for _ in range(500):
        data = b"".join(rng.choices([b"a", b"\r", b"\n", b"\r\n", b"\xc3\xa9", b"\xe2\x82\xac", b"\x01"], k=30))
        data += rng.choice([b"", b"", b"\xe2\x82\n\nb", b"\x81"])
        expected = []
        for line_number, line in enumerate(data.split(b"\n"), 1):
            try:
                text = line.decode(encoding)
            except UnicodeDecodeError:
                expected.append(f"line {line_number}: not valid")
                break
            is_last = line_number > data.count(b"\n")
            if not is_last:
                expected.append(text.removesuffix("\r"))
            elif text:
                expected.append(text)
        for stream in (SmallBlockStream(data), io.BytesIO(data)):
            lines = []
            monkeypatch.setattr("sys.stdin", io.TextIOWrapper(stream))
            try:
                lines.extend(read_segments("-", encoding=encoding))
            except InputError as error:
                problem = str(error).removeprefix("standard input, ").partition(" valid")[0]
                lines.append(f"{problem} valid")
            assert lines == expected, data


def test_read_segments_rejects_binary_files(tmp_path):
    file = tmp_path / "program"
    file.write_bytes(b"\x7fELF\x02\0\n\0\x01\x03\0\n\0" * 50)
    with pytest.raises(InputError, match="program, line 1: NUL characters; this is not text"):
        list(read_segments(file))
