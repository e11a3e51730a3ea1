from __future__ import annotations

import contextlib
import time

import pytest

from meteor_e.base.errors import InputError
from meteor_e.formats.documents import SegmentKey
from meteor_e.formats.markup import read_sgml
from meteor_e.java.sgml import read_java_sgml

SET = """\
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


def read(text: str):
    return read_sgml(text.split("\n"), "file.sgm")


def test_test_set_is_read():
    collection = read(SET)
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


def test_roles_and_names_of_the_set():
    text = '<{0} setid="s" {1}="name"><doc docid="d"><seg id="1">a</seg></doc></{0}>'
    for element, attribute, role in (
        ("refset", "refid", "reference"),
        ("tstset", "sysid", "hypothesis"),
        ("srcset", "x", "source"),
    ):
        name = "" if role == "source" else "name"
        assert read(text.format(element, attribute)).texts[role] == {name: {SegmentKey("s", "d", "1"): "a"}}


def test_everything_may_stand_on_one_line():
    assert read(SET.replace("\n", " ")).texts == read(SET).texts


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
def test_mistakes_are_located(old, new, message):
    assert old in SET
    with pytest.raises(InputError, match=rf"file\.sgm.*{message}"):
        read(SET.replace(old, new))


@pytest.mark.parametrize("text", ["", "no tags\n", '<tstset setid="s"></tstset>'])
def test_files_without_segments(text):
    with pytest.raises(InputError, match="no segments"):
        read(text)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('setid="news"', 'setid="news" note="a>b <doc> </seg>"'),
        ('setid="news" srclang="any"', "srclang='say \"any\"' SETID=news"),
        ('docid="harbour"', "genre='<seg id=\"1\">' docid=harbour"),
        ('<seg id="1">a', '<seg note="a > b" id = "1" >a'),
    ],
)
def test_attributes_of_the_files_own(old, new):
    assert old in SET
    assert read(SET.replace(old, new)).texts == read(SET).texts


@pytest.mark.parametrize(
    "tag",
    ['<seg id="1>', '<seg note=it\'s id="1">', '<seg id="1"2">', '<seg id="1" note="a" note="b">', '<seg id="1" x>'],
)
def test_attributes_that_cannot_be_told_apart(tag):
    with pytest.raises(InputError, match=r"line \d+: (cannot read the attributes of this <seg>|<seg> has an attr)"):
        read(SET.replace('<seg id="1">a', f"{tag}don't > a"))


HOSTILE = [
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


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("reader", [read_sgml, read_java_sgml])
def test_hostile_input_takes_linear_time(text, reader):
    start = time.process_time()
    with contextlib.suppress(InputError):
        reader([text], "file.sgm")
    assert time.process_time() - start < 30


def java(text: str):
    return read_java_sgml(text.split("\n"), "file.sgm")


JAVA = '<tstset setid="s" sysid="x">\n<doc docid="d">\n{}\n</doc>\n'
JAVA_READS = [
    ("<seg id=1>a</seg>", {"1": "a"}),
    ("x <SEGID = 1 >a</seg>", {"1": "a"}),
    ("<seg id='1'>a</seg>", {"'1'": "a"}),
    ("<seg id=1 2 >a</seg>", {"1 2": "a"}),
    ("<seg id= >a</seg>", {" ": "a"}),
    ('<seg id="1>a</seg>', {"1": "a"}),
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


@pytest.mark.parametrize(("text", "segments"), JAVA_READS)
def test_segments_are_those_of_the_java_program(text, segments):
    assert java(JAVA.format(text)) == {"s": {"x": {"d": segments}}}


@pytest.mark.parametrize("text", ['<seg id="1">a\x85b</seg>', '</seg> <seg id="1">a', '<seg id="1"> \x85 </seg>'])
def test_segments_that_java_cannot_read(text):
    with pytest.raises(InputError, match="Couldn't read segment from line"):
        java(JAVA.format(text))


def test_java_keeps_a_system_in_the_set_that_named_it():
    segment = '<seg id="1">a</seg>'
    text = (
        f'<tstset setid="s"><doc docid="d" sysid="x">\n{segment}\n<tstset setid="t">\n<doc docid="e">\n{segment}\n'
        f'<doc docid="f" sysid="y">\n{segment}'
    )
    assert java(text) == {"s": {"x": {"d": {"1": "a"}, "e": {"1": "a"}}}, "t": {"y": {"f": {"1": "a"}}}}


def test_javas_reading():
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
    assert java(text) == {
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
