from __future__ import annotations

import gzip
import io

import pytest

from meteor_e.base.errors import InputError
from meteor_e.formats.inputs import read_collection, text_format
from meteor_e.formats.plain import read_segments

SGML = '<refset setid="s" refid="r">\n<doc docid="d">\n<seg id="1">one</seg>\n</doc>\n</refset>\n'
XML = '<dataset id="s"><doc id="d"><ref translator="r"><seg id="1">one</seg></ref></doc></dataset>\n'

FORMATS = [
    ("", "plain"),
    ("one\ntwo\n", "plain"),
    ("<seg> is a tag\n", "plain"),
    ("<\n", "plain"),
    ("I said <dataset> is XML\n", "plain"),
    (SGML, "sgml"),
    ("\n  " + SGML.upper(), "sgml"),
    ("\ufeff<!DOCTYPE mteval SYSTEM 'x.dtd'>\n<!-- a comment -->\n<mteval>\n" + SGML + "</mteval>", "sgml"),
    ("<srcset setid='s'>", "sgml"),
    (XML, "wmt-xml"),
    ("<?xml version='1.0'?>\n<!-- a comment -->\n" + XML, "wmt-xml"),
    ("<?xml version='1.0'?>\n<!DOCTYPE dataset>\n" + XML, "wmt-xml"),
]


@pytest.mark.parametrize(("text", "form"), FORMATS)
def test_the_content_tells_the_format(text, form, tmp_path):
    path = tmp_path / "input"
    for data in (text.encode(), gzip.compress(text.encode())):
        path.write_bytes(data)
        assert text_format(path) == form


@pytest.mark.parametrize("text", [SGML, XML])
def test_collections(text, tmp_path):
    path = tmp_path / "input"
    path.write_text(text)
    found = read_collection(path, text_format(path))
    assert found.name == str(path)
    assert {name: list(texts.values()) for name, texts in found.texts["reference"].items()} == {"r": ["one"]}


def test_segments_lose_nothing_to_the_look_ahead(monkeypatch):
    data = b"".join(b"segment %d\n" % number for number in range(20_000))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(data))))
    assert text_format("-") == "plain"
    assert list(read_segments("-")) == data.decode().split("\n")[:-1]


def test_encoding(tmp_path):
    path = tmp_path / "input"
    path.write_bytes(SGML.replace("one", "größer").encode("latin-1"))
    (texts,) = read_collection(path, "sgml", encoding="latin-1").texts["reference"].values()
    assert [*texts.values()] == ["größer"]
    with pytest.raises(InputError, match="line 3: not valid UTF-8"):
        read_collection(path, "sgml")


def test_damaged_input(tmp_path):
    path = tmp_path / "input"
    path.write_bytes(gzip.compress(XML.encode() * 100)[:-9])
    with pytest.raises(InputError, match=r"cannot read .*breaks off|junk after document"):
        read_collection(path, "wmt-xml")
