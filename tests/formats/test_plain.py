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
def write(tmp_path):
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
def test_segments(write, data, segments):
    assert list(read_segments(write(data))) == segments
    for pack in (gzip.compress, bz2.compress, lzma.compress):
        assert list(read_segments(write(pack(data)))) == segments


def test_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(b"one\ntwo\n"))))
    assert list(read_segments("-")) == ["one", "two"]


def test_files_can_have_other_encodings(write):
    assert list(read_segments(write("größer\r\n\n".encode("latin-1")), encoding="latin-1")) == ["größer", ""]
    assert list(read_segments(write("größer\r\nb\u2028\n".encode("utf-16")), encoding="utf-16")) == [
        "größer",
        "b\u2028",
    ]
    with pytest.raises(ConfigError, match="unknown encoding 'latin-99'"):
        list(read_segments(write(b""), encoding="latin-99"))
    with pytest.raises(ConfigError, match="unknown encoding 'base64'"):
        list(read_segments(write(b""), encoding="base64"))


def test_invalid_text_is_located(write):
    lines = read_segments(write(b"one\ntwo\nthr\xe9e\nfour\n"))
    assert [next(lines), next(lines)] == ["one", "two"]
    with pytest.raises(
        InputError, match=r"segments\.txt, line 3: not valid UTF-8 \(byte 4: invalid continuation byte\)"
    ):
        next(lines)
    with pytest.raises(InputError, match="line 2: not valid UTF-16"):
        list(read_segments(write("one\n".encode("utf-16-le") + b"\x00\xd8\x00"), encoding="utf-16-le"))


def test_files_that_cannot_be_read(tmp_path, write):
    with pytest.raises(InputError, match=r"cannot read .*missing: No such file or directory"):
        list(read_segments(tmp_path / "missing"))
    with pytest.raises(InputError, match="Is a directory"):
        list(read_segments(tmp_path))
    with pytest.raises(InputError, match="null byte"):
        list(read_segments("a\0b"))
    whole = gzip.compress(b"one\n" * 100_000)
    for damaged, message in (
        (whole[:-20], "ended before the end-of-stream marker"),
        (whole[:50] + b"\xff" * 50 + whole[100:], "cannot read"),
        (whole[:3] + b"\xff" + whole[4:], "cannot read"),
        (bz2.compress(b"one\n" * 100_000)[:-4], "ended before the end-of-stream marker"),
        (bz2.compress(b"one\n")[:12] + b"\xff" * 20, "cannot read"),
        (lzma.compress(b"one\n" * 100_000)[:-20], "ended before the end-of-stream marker"),
        (lzma.compress(b"one\n")[:-12] + b"\xff" * 12, "cannot read"),
        (b"\x28\xb5\x2f\xfd\x04\x00", "it is compressed with Zstandard; decompress it first"),
    ):
        with pytest.raises(InputError, match=message):
            list(read_segments(write(damaged)))


def test_segment_can_start_like_a_bzip2_file(write):
    assert list(read_segments(write(b"BZh9 is no magic number\n"))) == ["BZh9 is no magic number"]


def test_reading_may_end_before_the_file_does(write, recwarn):
    lines = read_segments(write("one\ntwo\n".encode("utf-16")), encoding="utf-16")
    assert next(lines) == "one"
    lines.close()
    gc.collect()
    assert not recwarn.list


def test_segments_are_read_as_they_are_asked_for(monkeypatch):
    data = b"one\n" * 200_000 + b"\xff\n"
    stream = io.BufferedReader(io.BytesIO(data))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(stream))
    assert next(read_segments("-")) == "one"
    assert stream.raw.tell() < len(data) / 2


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le"])
@pytest.mark.parametrize("text", ["one\ntwo\n", "one", "два слова\n"])
def test_utf_16_without_a_mark_is_no_utf_8(write, encoding, text):
    path = write(text.encode(encoding))
    with pytest.raises(InputError, match=r"UTF-16 and not UTF-8.*--encoding utf-16-le"):
        list(read_segments(path))
    assert list(read_segments(path, encoding=encoding)) == text.splitlines()


@pytest.mark.parametrize("text", ["a\0b\nc\n", "a\n\0\nb\nc\n", "a\n" * 70_000 + "\0\n"])
def test_nul_alone_is_a_character(write, text):
    assert list(read_segments(write(text.encode()))) == text.split("\n")[:-1]


def test_error_of_the_reader_is_not_changed(write):
    def broken():
        for _ in read_segments(write(b"one\n")):
            raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        broken()


class Pieces(io.BytesIO):
    """A stream that returns a few bytes at a time, like a pipe."""

    def readinto(self, buffer):
        piece = super().read(1 + self.tell() % 5)
        buffer[: len(piece)] = piece
        return len(piece)


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "shift_jis"])
def test_block_size_does_not_change_the_lines(encoding, monkeypatch):
    chance = random.Random(encoding)
    for _ in range(500):
        data = b"".join(chance.choices([b"a", b"\r", b"\n", b"\r\n", b"\xc3\xa9", b"\xe2\x82\xac", b"\x01"], k=30))
        data += chance.choice([b"", b"", b"\xe2\x82\n\nb", b"\x81"])
        expected, found = [], []
        for number, line in enumerate(data.split(b"\n"), 1):
            try:
                text = line.decode(encoding)
            except UnicodeDecodeError:
                expected.append(f"line {number}: not valid")
                break
            last = number > data.count(b"\n")
            expected += [] if last and not text else [text if last else text.removesuffix("\r")]
        for stream in (Pieces(data), io.BytesIO(data)):
            found = []
            monkeypatch.setattr("sys.stdin", io.TextIOWrapper(stream))
            try:
                found.extend(read_segments("-", encoding=encoding))
            except InputError as error:
                found.append(str(error).removeprefix("standard input, ").partition(" valid")[0] + " valid")
            assert found == expected, data


def test_binary_file_is_not_text(tmp_path):
    file = tmp_path / "program"
    file.write_bytes(b"\x7fELF\x02\0\n\0\x01\x03\0\n\0" * 50)
    with pytest.raises(InputError, match="program, line 1: NUL characters; this is not text"):
        list(read_segments(file))
