from __future__ import annotations

import gzip
import io

import pytest

from meteor_e.base.errors import InputError
from meteor_e.formats.documents import Collection, SegmentKey, pair_collections
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


def collection(name: str, **roles: dict[str, dict[str, str]]) -> Collection:
    """Build a collection; segments are called DOCUMENT/SEGMENT."""
    found = Collection(name)
    for role, texts in roles.items():
        for system, segments in texts.items():
            for where, text in segments.items():
                found.add(role, system, key(where), text)  # type: ignore[arg-type]
    return found


def key(where: str) -> SegmentKey:
    return SegmentKey("set", *where.split("/"))


def test_systems_meet_their_references():
    systems = collection(
        "sys.sgm",
        hypothesis={
            "blue": {"b/1": "blue b1", "a/1": "blue a1", "a/3": "no reference"},
            "green": {"a/1": "green a1", "a/2": "green a2"},
        },
    )
    references = [
        collection("ref.sgm", reference={"A": {"a/1": "A a1", "a/2": "A a2", "b/1": "A b1", "c/1": "A c1"}}),
        collection("more.sgm", reference={"B": {"a/2": "B a2"}}),
    ]
    blue, green = pair_collections(systems, references)
    assert blue.name == "blue"
    # In the order of the references.
    assert blue.keys == [key("a/1"), key("a/2"), key("b/1"), key("c/1")]
    assert blue.hypotheses == ["blue a1", None, "blue b1", None]
    assert blue.references == [["A a1"], ["A a2", "B a2"], ["A b1"], ["A c1"]]
    assert blue.unreferenced == [key("a/3")]
    assert green == ("green", blue.keys, ["green a1", "green a2", None, None], blue.references, [])


def test_nothing_to_pair():
    systems = collection("sys.sgm", hypothesis={"blue": {"a/1": "x"}})
    references = collection("ref.sgm", reference={"A": {"b/1": "y"}})
    with pytest.raises(InputError, match=r"ref\.sgm holds no hypotheses; it holds a reference"):
        pair_collections(references, [references])
    with pytest.raises(InputError, match=r"sys\.sgm holds no references; it holds a hypothesis"):
        pair_collections(systems, [systems, systems])
    with pytest.raises(InputError, match=r"'blue' and the references have no segment in common .*\[set\]\[a\]\[1\]"):
        pair_collections(systems, [references])


def test_a_segment_is_there_once():
    with pytest.raises(InputError, match=r"sys\.sgm: segment \[set\]\[a\]\[1\] of source 'x' is there twice"):
        collection("sys.sgm", source={"x": {"a/1": "x"}}).add("source", "x", key("a/1"), "y")


def test_keys_read_well():
    assert str(SegmentKey("", "doc", "3")) == "[doc][3]"
