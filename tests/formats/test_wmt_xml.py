"""Tests for the XML format of WMT."""

from __future__ import annotations

import io
import re

import pytest

from meteor_e.base.errors import InputError
from meteor_e.formats.documents import SegmentKey
from meteor_e.formats.markup import read_wmt_xml

DATA = """\
<?xml version='1.0' encoding='utf-8'?>
<dataset id="newstest">
  <collection id="general">
    <doc origlang="en" id="weather" testsuite="none">
      <src lang="en"><p>
        <seg id="1">Regen &amp; Schnee</seg>
        <seg id="2">der
          Wind</seg></p>
      </src>
      <ref lang="de" translator="A"><seg id="1">rain &lt; snow</seg><p><seg id="2">the <b>wind</b></seg></p></ref>
      <ref lang="de"><seg id="1">rain</seg><seg id="2"/></ref>
      <hyp system="blue" language="de"><seg id="1">größer</seg></hyp>
    </doc>
  </collection>
</dataset>
"""


def read_collection(text: str | bytes):
    """Return the collection of an XML document."""
    data = text if isinstance(text, bytes) else text.encode()
    return read_wmt_xml(io.BytesIO(data), "file.xml")


def make_key(segment: str) -> SegmentKey:
    """Return the key of a segment in DATA."""
    return SegmentKey("newstest", "weather", segment)


def test_read_wmt_xml_reads_a_data_set():
    assert read_collection(DATA).texts == {
        "source": {"en": {make_key("1"): "Regen & Schnee", make_key("2"): "der Wind"}},
        "reference": {
            "A": {make_key("1"): "rain < snow", make_key("2"): "the wind"},
            "ref": {make_key("1"): "rain", make_key("2"): ""},
        },
        "hypothesis": {"blue": {make_key("1"): "größer"}},
    }


def test_read_wmt_xml_uses_the_declared_encoding():
    assert read_collection(DATA.replace("utf-8", "latin-1").encode("latin-1")).texts == read_collection(DATA).texts
    assert read_collection(DATA.replace("encoding='utf-8'", "").encode("utf-16")).texts == read_collection(DATA).texts


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("seg", "SEG"),
        (" id=", " ID="),
        ("<hyp system", "<Hyp SYSTEM"),
        ("<dataset ", '<dataset xmlns="http://example.org" '),
    ],
)
def test_read_wmt_xml_ignores_case_and_namespaces(old, new):
    text = DATA.replace(old, new)
    if "Hyp" in new:
        text = text.replace("</hyp", "</Hyp")
    assert read_collection(text).texts == read_collection(DATA).texts


def test_read_wmt_xml_ignores_prefixes():
    prefixed = re.sub("<(/?)([a-z])", r"<\1w:\2", DATA).replace(
        "<w:dataset ", '<w:dataset xmlns:w="http://example.org" '
    )
    assert read_collection(prefixed).texts == read_collection(DATA).texts


@pytest.mark.parametrize("start", ["<hyp a='", "<!-- ", "<"])
def test_read_wmt_xml_rejects_long_tags_early(start):
    stream = io.BytesIO(DATA.replace("<hyp", start + "x" * (64 << 20) + "<hyp").encode())
    with pytest.raises(InputError, match=r"line 12: a tag or comment of more than 1 MiB"):
        read_wmt_xml(stream, "file.xml")
    assert stream.tell() < 4 << 20


@pytest.mark.parametrize("encoding", ["klingon", "utf-7", "base64", "shift_jis"])
def test_read_wmt_xml_rejects_unsupported_encodings(encoding):
    with pytest.raises(InputError, match=r"file\.xml: its encoding cannot be read \(.*\); convert it to UTF-8"):
        read_collection(DATA.replace("utf-8", encoding))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (' id="weather"', "", "line 4: <doc> has no id"),
        ('<seg id="2">der', "<seg>der", "line 7: <seg> has no id"),
        ('<doc origlang="en" id="weather" testsuite="none">', "<dic>", "line 5: <src> outside of <doc>"),
        ("<b>wind</b>", '<seg id="3">wind</seg>', "line 10: this <seg> is not closed"),
        ("<hyp", '<seg id="9"/><hyp', "line 12: <seg> outside of <src>, <ref> and <hyp>"),
        ("</p>\n", "</q>\n", "line 8: mismatched tag"),
        ("</dataset>", "", "no element found"),
        ('id="2"/>', 'id="1"/>', r"segment \[newstest\]\[weather\]\[1\] of reference 'ref' occurs twice"),
    ],
)
def test_read_wmt_xml_locates_errors(old, new, message):
    assert old in DATA
    with pytest.raises(InputError, match=rf"file\.xml.*{message}"):
        read_collection(DATA.replace(old, new))


@pytest.mark.parametrize(
    "declaration",
    [
        '<!DOCTYPE dataset SYSTEM "file:///etc/passwd">',
        "<!DOCTYPE dataset [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;'>]>",
        "<!DOCTYPE dataset [<!ENTITY secret SYSTEM 'file:///etc/passwd'>]>",
    ],
)
def test_read_wmt_xml_rejects_doctype_declarations(declaration):
    with pytest.raises(InputError, match="line 2: document type declarations are not allowed"):
        read_collection(DATA.replace("?>\n", f"?>\n{declaration}", 1))


@pytest.mark.parametrize("text", ["<dataset/>", '<dataset><doc id="d"><src/></doc></dataset>'])
def test_read_wmt_xml_rejects_files_without_segments(text):
    with pytest.raises(InputError, match="no segments"):
        read_collection(text)


def test_read_wmt_xml_rejects_invalid_bytes():
    with pytest.raises(InputError, match=r"file\.xml, line 1[12]: not well-formed"):
        read_collection(DATA.encode("latin-1"))
