"""Tests of the readers that convert vectors of other programs."""

from __future__ import annotations

import gzip
import lzma
import struct

import numpy as np
import pytest
from meteor_e_vectors import open_vectors
from meteor_e_vectors.cache import convert_vectors, open_converted
from meteor_e_vectors.locations import open_any_vectors
from meteor_e_vectors.readers import detect_format

from meteor_e import InputError, ResourceError

WORDS = ["the", "été", "house"]
ROWS = np.array([[1, 2, 3, 4], [-1, 0.5, 1e-8, 7], [0, 0, 0.25, 1]], np.float32)
TEXT = "".join(f"{word} {' '.join(map(str, row))}\n" for word, row in zip(WORDS, ROWS.tolist(), strict=True))


def encode_word2vec_binary(words=WORDS, rows=ROWS):
    """Return vectors in the binary format of word2vec."""
    body = b"".join(word.encode() + b" " + row.tobytes() + b"\n" for word, row in zip(words, rows, strict=True))
    return f"{len(words)} {rows.shape[1]}\n".encode() + body


# The header announces three million words, but the file ends after the first word.
TRUNCATED_FASTTEXT = (
    struct.pack("<14i", 793712314, 12, 300, 5, 5, 1, 5, 1, 1, 2, 2_000_000, 3, 6, 100)
    + struct.pack("<diiiqq", 1e-4, 3_000_000, 3_000_000, 0, 10_000, -1)
    + b"abc\0"
)

SOURCES = {
    "word2vec-text": f"3 4\n{TEXT}".encode(),
    "word2vec-text, Windows": f"3 4\n{TEXT}".replace("\n", " \r\n").encode(),
    "word2vec-text, gzip": gzip.compress(f"3 4\n{TEXT}".encode(), mtime=0),
    "word2vec-text, xz": lzma.compress(f"3 4\n{TEXT}".encode()),
    "word2vec-binary": encode_word2vec_binary(),
    "glove": TEXT.encode(),
    "glove, with a mark": b"\xef\xbb\xbf" + TEXT.encode(),
}


@pytest.mark.parametrize("name", SOURCES)
def test_convert_reads_text_and_binary_formats(tmp_path, name):
    source, target = tmp_path / "source", tmp_path / "target.vectors"
    source.write_bytes(SOURCES[name])
    assert detect_format(source) == name.partition(",")[0]
    converted = convert_vectors(source, target, key="lemma")
    assert (converted.format, converted.duplicate_count) == (name.partition(",")[0], 0)
    vectors = open_vectors(target)
    assert list(vectors) == WORDS
    assert np.array_equal(vectors.rows, ROWS)
    assert (vectors.key, vectors.metadata["source format"]) == ("lemma", converted.format)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["source", "target.vectors"]


def test_convert_accepts_spaces_in_words_and_skips_duplicates(tmp_path):
    source, target = tmp_path / "source", tmp_path / "target.vectors"
    source.write_text("3 4\n. . . 1 2 3 4\nthe 1 1 1 1\nthe 2 2 2 2\n")
    assert convert_vectors(source, target).duplicate_count == 1
    vectors = open_vectors(target)
    assert list(vectors) == [". . .", "the"]
    assert vectors["the"].tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"3 4\nthe 1 2 3 4\nhouse 1 2 x 4\n", r"source:3: a line must contain a word and 4 numbers"),
        (b"3 4\nthe 1 2 3 4\nhouse 1 2 3\n", r"source:3: a line must contain a word and 4 numbers"),
        (b"3 4\nthe 1 2 3 4\nhouse 1 2 3 inf\n", r"source:3: a number is not finite"),
        (b"2 2\nthe 1_0 2\na 1 2\n", r"source:2: a line must contain a word and 2 numbers"),
        (b"3 4\nthe 1 2 3 4\n", "announces 3 words and has 1"),
        (b"2 4\nthe 1 2 3 4 5\nhouse 1 2 3 4\n", r"source:2: a line must contain a word and 4 numbers"),
        ("2 4\nété 1 2 3 4\nhouse 1 2 3 4\n".encode("latin-1"), "1 of 2 words are not UTF-8; convert the file"),
        (b"the house stands\n", "has an unknown format"),
        (b"", "has an unknown format"),
        (b"\x00\x01\x02", "has an unknown format"),
        (TRUNCATED_FASTTEXT, "announces 3000000 words of 300 dimensions, for which it is too small"),
        (b"1000000 300\n" + b"\xff\0" * 20, "for which it is too small"),
        (encode_word2vec_binary()[:-8], "unexpected end of input"),
        ((793712314).to_bytes(4, "little") + b"\x0c\0\0\0" + b"\xff" * 100, "cannot read .* as a fastText model"),
        (b"\x80\x04pickle", "is in gensim's own format; save the vectors with gensim's save_word2vec_format"),
    ],
)
def test_convert_rejects_malformed_files(tmp_path, content, message):
    (tmp_path / "source").write_bytes(content)
    with pytest.raises(InputError, match=message):
        convert_vectors(tmp_path / "source", tmp_path / "target")
    assert [path.name for path in tmp_path.iterdir()] == ["source"]


def test_readers_report_missing_and_damaged_files(tmp_path):
    with pytest.raises(ResourceError, match="No such file"):
        open_any_vectors(tmp_path / "nothing")
    (tmp_path / "damaged.gz").write_bytes(gzip.compress(SOURCES["glove"])[:-9])
    with pytest.raises(ResourceError, match="cannot read the vectors"):
        convert_vectors(tmp_path / "damaged.gz", tmp_path / "target")


def test_open_any_vectors_converts_a_file_once(tmp_path):
    source = tmp_path / "source.txt"
    source.write_bytes(SOURCES["glove"])
    vectors = open_any_vectors(source)
    assert np.array_equal(vectors["été"], ROWS[1])
    assert open_converted(source).path == vectors.path
    source.write_bytes(SOURCES["glove"].replace(b"house", b"home"))
    assert "home" in open_any_vectors(source)


def test_fasttext_has_vectors_for_unknown_words(tmp_path):
    from gensim.models import FastText
    from gensim.models.fasttext import save_facebook_model

    sentences = [["the", "house", "stands"], ["the", "home", "stands"], ["a", "dog", "barks"]] * 20
    model = FastText(sentences, vector_size=8, min_count=1, workers=1, seed=1, epochs=1, bucket=500, min_n=3, max_n=5)
    source = tmp_path / "fasttext.bin"
    save_facebook_model(model, str(source))
    assert convert_vectors(source, tmp_path / "target").format == "fasttext"
    vectors = open_vectors(tmp_path / "target")
    for word in ("house", "houses", "barking"):
        assert vectors.lookup([word])[0] == pytest.approx(model.wv[word], abs=1e-6)
    assert "houses" not in vectors
    # A word without n-grams has a vector of zeros.
    assert vectors.lookup([""]).tolist() == [[0.0] * 8]
