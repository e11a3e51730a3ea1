"""Tests for format detection and for the alignment of segments across input files."""

from __future__ import annotations

import gzip
import io

import pytest

from meteor_e.api import Segment
from meteor_e.base.errors import InputError
from meteor_e.formats.documents import SegmentKey, TextCollection
from meteor_e.formats.inputs import detect_format, parquet_files, read_collection
from meteor_e.formats.plain import read_segments
from meteor_e.formats.systems import read_systems

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


@pytest.mark.parametrize(("text", "format_name"), FORMATS)
def test_detect_format_inspects_the_content(text, format_name, tmp_path):
    path = tmp_path / "input"
    for data in (text.encode(), gzip.compress(text.encode())):
        path.write_bytes(data)
        assert detect_format(str(path)) == format_name


@pytest.mark.parametrize("text", [SGML, XML])
def test_read_collection_reads_references(text, tmp_path):
    path = tmp_path / "input"
    path.write_text(text)
    collection = read_collection(path, detect_format(str(path)))
    assert collection.name == str(path)
    assert {name: list(texts.values()) for name, texts in collection.texts["reference"].items()} == {"r": ["one"]}


def test_detect_format_consumes_no_standard_input(monkeypatch):
    data = b"".join(b"segment %d\n" % number for number in range(20_000))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(data))))
    assert detect_format("-") == "plain"
    assert list(read_segments("-")) == data.decode().split("\n")[:-1]


def test_read_collection_applies_the_encoding(tmp_path):
    path = tmp_path / "input"
    path.write_bytes(SGML.replace("one", "größer").encode("latin-1"))
    (texts,) = read_collection(path, "sgml", encoding="latin-1").texts["reference"].values()
    assert [*texts.values()] == ["größer"]
    with pytest.raises(InputError, match="line 3: not valid UTF-8"):
        read_collection(path, "sgml")


def test_read_collection_rejects_damaged_gzip_files(tmp_path):
    path = tmp_path / "input"
    path.write_bytes(gzip.compress(XML.encode() * 100)[:-9])
    with pytest.raises(InputError, match=r"cannot read .*input: |junk after document"):
        read_collection(path, "wmt-xml")


def write_xml(path, **texts_by_element) -> str:
    """Write a WMT XML file and return its path.

    Each keyword argument names an element and its author, as in ``hyp_blue={"document/segment": "text"}``.
    """
    documents: dict[str, str] = {}
    for name, texts in texts_by_element.items():
        element_name, _, author = name.partition("_")
        for key, text in texts.items():
            document, _, segment = key.partition("/")
            attribute = "translator" if element_name == "ref" else "system"
            element = f'<{element_name} {attribute}="{author}"><seg id="{segment}">{text}</seg></{element_name}>'
            documents[document] = documents.get(document, "") + element
    inner = "".join(f'<doc id="{name}">{content}</doc>' for name, content in documents.items())
    path.write_text(f'<dataset id="set">{inner}</dataset>\n')
    return str(path)


BLUE = {"b/1": "blue b1", "a/1": "blue a1", "a/3": "no reference"}


def test_read_systems_aligns_segments_by_key(tmp_path):
    systems = write_xml(tmp_path / "sys.xml", hyp_blue=BLUE, hyp_green={"a/1": "green a1", "a/2": "green a2"})
    first = {"a/1": "A a1", "a/2": "A a2", "b/1": "A b1", "c/1": "A c1"}
    references = [write_xml(tmp_path / "ref.xml", ref_A=first), write_xml(tmp_path / "more.xml", ref_B={"a/2": "B a2"})]
    with pytest.raises(InputError, match=r"'blue' lacks 2 of 4 segments .the first is \[set\]\[a\]\[2\]"):
        read_systems([systems], references)
    write_xml(tmp_path / "sys.xml", hyp_blue={"b/1": "blue b1", "a/1": "blue a1"}, hyp_green={"a/2": "green a2"})
    with pytest.warns(UserWarning, match="they are scored as empty"):
        blue, green = read_systems([systems], references, on_missing="empty")
    assert (blue.name, green.name) == ("blue", "green")
    # The segments have the order of the first system. Its missing segments follow in the order of the references.
    assert list(blue.read()) == [
        Segment("b/1", "blue b1", ("A b1",)),
        Segment("a/1", "blue a1", ("A a1",)),
        Segment("a/2", "", ("A a2", "B a2")),
        Segment("c/1", "", ("A c1",)),
    ]
    assert [segment.id for segment in green.read()] == ["b/1", "a/1", "a/2", "c/1"]
    assert [segment.hypothesis for segment in green.read()] == ["", "", "green a2", ""]


def test_read_systems_rejects_files_that_do_not_match(tmp_path):
    systems = write_xml(tmp_path / "sys.xml", hyp_blue={"a/1": "x"})
    references = write_xml(tmp_path / "ref.xml", ref_A={"b/1": "y"})
    for files, message in (
        ([references, references], r"ref\.xml holds no hypothesis texts; it holds a reference"),
        ([systems, systems], r"sys\.xml holds no reference texts; it holds a hypothesis"),
        ([systems, references], r"'blue' and the references have no segment in common .*\[set\]\[a\]\[1\]"),
    ):
        with pytest.raises(InputError, match=message):
            read_systems(files)


def test_read_systems_aligns_plain_text_with_markup(tmp_path):
    (tmp_path / "plain").write_text("one\ntwo\n")
    references = write_xml(tmp_path / "ref.xml", ref_A={"a/1": "x", "a/2": "y"})
    (system,) = read_systems([str(tmp_path / "plain"), references])
    assert (system.name, list(system.read())) == (
        "plain",
        [Segment("a/1", "one", ("x",)), Segment("a/2", "two", ("y",))],
    )
    (tmp_path / "plain").write_text("one\n")
    with pytest.raises(InputError, match="must line up"):
        read_systems([str(tmp_path / "plain"), references])


def test_text_collection_rejects_repeated_segments():
    collection = TextCollection("sys.sgm")
    collection.add("source", "x", SegmentKey("set", "a", "1"), "x")
    with pytest.raises(InputError, match=r"sys\.sgm: segment \[set\]\[a\]\[1\] of source 'x' occurs twice"):
        collection.add("source", "x", SegmentKey("set", "a", "1"), "y")


def test_segment_key_text_omits_an_empty_set():
    assert str(SegmentKey("", "doc", "3")) == "[doc][3]"


def test_parquet_files_are_sorted_by_part_number(tmp_path):
    for name in ("part-10.parquet", "part-9.parquet", "_metadata.parquet", ".part-1.parquet", "part-1.txt"):
        (tmp_path / name).touch()
    assert [file.name for file in parquet_files(tmp_path)] == ["part-9.parquet", "part-10.parquet"]
    assert parquet_files(tmp_path / "part-1.txt") == [tmp_path / "part-1.txt"]


def test_segment_ids_name_the_set_if_there_are_two(tmp_path):
    (tmp_path / "ref.sgm").write_text(SGML + SGML.replace('setid="s"', 'setid="t"'))
    (tmp_path / "plain").write_text("one\ntwo\n")
    (system,) = read_systems([str(tmp_path / "plain"), str(tmp_path / "ref.sgm")])
    assert [segment.id for segment in system.read()] == ["s/d/1", "t/d/1"]


def test_read_systems_adds_the_sources(tmp_path):
    path = write_xml(tmp_path / "all.xml", src={"a/1": "eins", "a/2": "zwei"}, ref_A={"a/1": "one"}, hyp_B={"a/1": "1"})
    (system,) = read_systems([path])
    assert list(system.read()) == [Segment("a/1", "1", ("one",), "eins")]
