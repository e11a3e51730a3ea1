"""Tests for the SGML reader and for the reader that behaves like the Java program."""

from __future__ import annotations

import contextlib
import time

import pytest

from meteor_e.base.errors import InputError
from meteor_e.formats.documents import SegmentKey
from meteor_e.formats.markup import read_sgml
from meteor_e.java.sgml import read_java_sgml

TEST_SET = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE mteval SYSTEM "mteval.dtd">
<tstset setid="news" srclang="any" trglang="en">
<DOC DocID = "weather" sysid='blue'>
<hl><seg id="1"> rain &amp; snow </seg></hl>
<p><seg lang="en" id=2>the wind
is   strong</seg><seg id="3"></seg></p>
</DOC>
<!-- <seg id="9">not here</seg>
-->
<doc docid="harbour" sysid="green">
<seg id="1">a &lt;b&gt; boat &amp;lt; &eacute;</seg>
</doc>
</tstset>
"""


def read_collection(text: str):
    """Return the collection of an SGML text."""
    return read_sgml(text.split("\n"), "file.sgm")


def test_read_sgml_reads_a_test_set():
    collection = read_collection(TEST_SET)
    assert collection.texts == {
        "hypothesis": {
            "blue": {
                SegmentKey("news", "weather", "1"): "rain & snow",
                SegmentKey("news", "weather", "2"): "the wind is strong",
                SegmentKey("news", "weather", "3"): "",
            },
            "green": {SegmentKey("news", "harbour", "1"): "a <b> boat &lt; &eacute;"},
        },
        "reference": {},
        "source": {},
    }


def test_read_sgml_derives_the_role_from_the_element():
    text = '<{0} setid="s" {1}="name"><doc docid="d"><seg id="1">a</seg></doc></{0}>'
    for element, attribute, role in (
        ("refset", "refid", "reference"),
        ("tstset", "sysid", "hypothesis"),
        ("srcset", "x", "source"),
    ):
        name = "" if role == "source" else "name"
        assert read_collection(text.format(element, attribute)).texts[role] == {name: {SegmentKey("s", "d", "1"): "a"}}


def test_read_sgml_ignores_line_breaks():
    assert read_collection(TEST_SET.replace("\n", " ")).texts == read_collection(TEST_SET).texts


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (' setid="news"', "", "line 3: <tstset> has no setid"),
        ('DocID = "weather" ', "", "line 4: <doc> has no docid"),
        ("sysid='blue'", "", "line 4: neither <doc> nor its set has a sysid or refid"),
        (' id="1"> rain', "> rain", "line 5: <seg> has no id"),
        (" </seg></hl>", "</hl>", "line 5: this <seg> is not closed"),
        ("strong</seg>", "strong", "line 6: this <seg> is not closed"),
        ("</DOC>", "</seg></DOC>", "line 8: </seg> without <seg>"),
        ("<DOC DocID", "<DIC DocID", "line 5: <seg> outside of <doc>"),
        ("<tstset", "<testset", "line 4: <doc> outside of <tstset>, <refset> and <srcset>"),
        ('id="3"', 'id="1"', r"segment \[news\]\[weather\]\[1\] of hypothesis 'blue' occurs twice"),
        ("</seg>\n</doc>", "\n", "line 12: this <seg> is not closed"),
    ],
)
def test_read_sgml_locates_errors(old, new, message):
    assert old in TEST_SET
    with pytest.raises(InputError, match=rf"file\.sgm.*{message}"):
        read_collection(TEST_SET.replace(old, new))


@pytest.mark.parametrize("text", ["", "no tags\n", '<tstset setid="s"></tstset>'])
def test_read_sgml_rejects_files_without_segments(text):
    with pytest.raises(InputError, match="no segments"):
        read_collection(text)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('setid="news"', 'setid="news" note="a>b <doc> </seg>"'),
        ('setid="news" srclang="any"', "srclang='say \"any\"' SETID=news"),
        ('docid="harbour"', "genre='<seg id=\"1\">' docid=harbour"),
        ('<seg id="1">a', '<seg note="a > b" id = "1" >a'),
    ],
)
def test_read_sgml_accepts_other_attributes(old, new):
    assert old in TEST_SET
    assert read_collection(TEST_SET.replace(old, new)).texts == read_collection(TEST_SET).texts


@pytest.mark.parametrize(
    "tag",
    ['<seg id="1>', '<seg note=it\'s id="1">', '<seg id="1"2">', '<seg id="1" note="a" note="b">', '<seg id="1" x>'],
)
def test_read_sgml_rejects_ambiguous_attributes(tag):
    with pytest.raises(InputError, match=r"line \d+: (cannot read the attributes of this <seg>|<seg> has an attr)"):
        read_collection(TEST_SET.replace('<seg id="1">a', f"{tag}don't > a"))


HOSTILE_INPUTS = [
    '<tstset setid="s" sysid="x"><doc docid="d">' + "<seg id=" * 200_000 + "\x85</seg>",
    '<tstset setid="s" sysid="x"><doc docid="d"><seg id="1">' + "<seg>" * 200_000 + "\x85</seg>",
    '<tstset setid="s" sysid="x"><doc docid="d"><seg id=' + " " * 500_000 + '"x</seg>',
    '<tstset setid="s" sysid="x"><doc docid="d"><seg id="1">' + "<seg" * 200_000 + "</seg>",
    "<doc " * 200_000,
    "<!--" * 200_000,
    '<tstset setid="s">' + "<doc " + "a" * 500_000 + ">",
    '<tstset setid="s">' + "<doc " + "a =" * 200_000 + ">",
    '<tstset setid="s">' + '<doc docid="d" sysid="s">' + "<" * 500_000,
    "< " * 300_000,
    "<" + " " * 500_000,
]


@pytest.mark.parametrize("text", HOSTILE_INPUTS, ids=range(len(HOSTILE_INPUTS)))
@pytest.mark.parametrize("reader", [read_sgml, read_java_sgml])
def test_sgml_readers_take_linear_time(text, reader):
    start = time.process_time()
    with contextlib.suppress(InputError):
        reader([text], "file.sgm")
    assert time.process_time() - start < 30


def read_java(text: str):
    """Return the segments that the Java program reads, by set, system, document and id."""
    return read_java_sgml(text.split("\n"), "file.sgm")


JAVA_TEMPLATE = '<tstset setid="s" sysid="x">\n<doc docid="d">\n{}\n</doc>\n'
JAVA_CASES = [
    ("<seg id=1>a</seg>", {"1": "a"}),
    ("x <SEGID = 1 >a</seg>", {"1": "a"}),
    ("<seg id='1'>a</seg>", {"'1'": "a"}),
    ("<seg id=1 2 >a</seg>", {"1 2": "a"}),
    ("<seg id= >a</seg>", {" ": "a"}),
    ('<seg id="1>a</seg>', {"1": "a"}),
    ('<seg id="1 >a</seg>', {"1": "a"}),
    ('<seg id=1 ">a</seg>', {"1 ": "a"}),
    ('<seg id= ">a</seg>', {" ": "a"}),
    ('<seg id="a>b">c</seg>', {"a": 'b">c'}),
    ('<seg id="1"2">a</seg>', {}),
    ('<seg id="">a</seg>', {}),
    ('<seg\xa0id="1">a</seg>', {}),
    ('<\u017feg id="1">a</\u017feg>', {}),
    ('<seg id=<seg id="1">a</seg>', {"1": "a"}),
    ('<seg id="1" lang="x">a</seg> <seg id="2">b</seg>', {"2": 'a</seg> <seg id="2">b'}),
    ('<segment>x <seg id="1">a</seg>', {"1": 'x <seg id="1">a'}),
    ('<seg id="1">a</se\ng>', {"1": "a"}),
    ('<seg id="1">a\n< \n \n/seg \n > b', {"1": "a"}),
    ('<seg id="1">a</seg> \x85 </seg>', {"1": "a"}),
    ('<seg id="1">a\u2028<seg id="2">b</seg>', {"1": "b"}),
    ('<!-- <seg id="1">a</seg> -->', {"1": "a"}),
]


@pytest.mark.parametrize(("text", "segments"), JAVA_CASES)
def test_read_java_sgml_finds_the_segments_of_java(text, segments):
    assert read_java(JAVA_TEMPLATE.format(text)) == {"s": {"x": {"d": segments}}}


@pytest.mark.parametrize("text", ['<seg id="1">a\x85b</seg>', '</seg> <seg id="1">a', '<seg id="1"> \x85 </seg>'])
def test_read_java_sgml_rejects_unreadable_segments(text):
    with pytest.raises(InputError, match="Couldn't read segment from line"):
        read_java(JAVA_TEMPLATE.format(text))


def test_read_java_sgml_keeps_systems_in_their_first_set():
    segment = '<seg id="1">a</seg>'
    text = (
        f'<tstset setid="s"><doc docid="d" sysid="x">\n{segment}\n<tstset setid="t">\n<doc docid="e">\n{segment}\n'
        f'<doc docid="f" sysid="y">\n{segment}'
    )
    assert read_java(text) == {"s": {"x": {"d": {"1": "a"}, "e": {"1": "a"}}}, "t": {"y": {"f": {"1": "a"}}}}


def test_read_java_sgml_reads_a_complete_file():
    text = """\
<refset setid="s" refid="of the set">
<doc docid="d1"> <seg id="1">one &QUOT;1&quot;</seg> more
before <seg id="2">two
 lines </seg> behind
<seg id="3"> a <b>tag</b> <seg id="4"> b </seg> c </seg>
<seg id="5" lang="en"> not seen </seg>
<seg id="1"> the later counts </seg>
<doc sysid="own" docid="d2">
<seg id="x"></seg>
"""
    assert read_java(text) == {
        "s": {
            "of the set": {
                "d1": {
                    "1": " the later counts ",
                    "2": "two lines ",
                    "3": ' a <b>tag</b> <seg id="4"> b </seg> c ',
                }
            },
            "own": {"d2": {"x": ""}},
        }
    }
