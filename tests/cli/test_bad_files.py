"""Invalid files and settings are errors of one line. Former versions returned scores, blocked, or printed passwords."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

SEGMENT = '<seg id="{}">the cat</seg>'
DOCUMENT = '<doc id="d"><ref lang="en"><p>{}</p></ref><hyp system="s"><p>{}</p></hyp></doc>'


@pytest.fixture(autouse=True)
def texts(cli):
    for name in ("hyp", "ref"):
        cli.file(name, "the cat sat\na dog\n")


def xml(cli, references, hypotheses):
    sides = ["".join(SEGMENT.format(number) for number in side) for side in (references, hypotheses)]
    return cli.file("x.xml", f'<dataset id="x">{DOCUMENT.format(*sides)}</dataset>')


@pytest.mark.parametrize(
    ("start", "said"),
    [
        (b'<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a "b">]><dataset id="x">', "defines entities"),
        (b'<!DOCTYPE d [<!ENTITY a "b">]>\n<refset setid="s" refid="r">', "defines entities"),
        (b'<?xml version="1.0"?><tmx><tu>the cat</tu></tmx>', "not in the format of WMT or NIST"),
    ],
)
def test_xml_that_cannot_be_read_is_no_text(cli, start, said):
    cli.file("x", start + b"\nthe cat sat\n")
    assert said in cli.failing_here(1, "score", "x", "ref", "-l", "other")
    assert said in cli.failing_here(1, "score", "hyp", "x", "-l", "other")


def test_entities_in_sgml(cli):
    cli.file("x", '<refset setid="s" refid="r">\n<!ENTITY a "b"><doc docid="d"><seg id="1">&a;</seg></doc></refset>')
    line = cli.failing_here(1, "score", "hyp", "x", "-l", "other")
    assert line == "meteor-e: x, line 2: entity definitions are not supported; replace the entities by their texts"


def test_segments_that_one_side_lacks(cli):
    score = ("score", xml(cli, [1, 2], [1]), "-l", "other", "-q")
    assert "lacks 1 of 2 segments (the first is [x][d][2]); --on-missing skip" in cli.failing_here(1, *score)
    assert cli.here(*score, "--on-missing", "skip").out == "1.0\n"
    assert float(cli.here(*score, "--on-missing", "empty").out) < 0.9
    xml(cli, [1], [1, 2])
    for given in ("stop", "empty"):
        line = cli.failing_here(1, *score, "--on-missing", given)
        assert "has 1 segment that no reference has (the first is [x][d][2]); --on-missing skip leaves them out" in line
    assert cli.here(*score, "--on-missing", "skip").out == "1.0\n"


@pytest.mark.skipif(not Path("/proc/kmsg").exists(), reason="needs /proc")
def test_files_of_the_kernel(cli):
    for file in ("/proc/kmsg", "/proc/self/status"):
        line = cli.failing_here(1, "score", "hyp", "ref", "-l", "other", "--set", f"idf={file}")
        assert line == f"meteor-e: cannot read {file}: not a regular file but a virtual file of the kernel"
    assert "a virtual file of the kernel" in cli.failing_here(1, "score", "/proc/self/status", "ref", "-l", "other")


@pytest.mark.parametrize("key", ["name", "licence", "version"])
def test_half_a_character_in_a_manifest(cli, key):
    manifest = dict.fromkeys(("name", "language", "version", "licence", "built_with"), "xx")
    manifest |= {"format": 1, "sources": [], "contents": {}, "files": {}, key: "x\ud800"}
    folder = cli.folder / "packs" / "xx"
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text(json.dumps(manifest))
    packs = {"METEOR_E_PACKS": str(folder.parent)}
    result = cli.here("pack", "list", env=packs)
    assert (result.code, result.err) == (0, "")
    assert "damaged" in result.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--set", "alpha=٠.٥"], "must be a number from 0 to 1, not '٠.٥'"),
        (["--set", "alpha=0_0.5"], "must be a number from 0 to 1, not '0_0.5'"),
        (["-m", "exact=٠.٥"], "the weight of exact is '٠.٥', not a number"),
        (["-m", "exact,,stem"], "'exact,,stem': a matcher is missing before or after a comma"),
        (["--set", "stem.stemmer="], "'stem.stemmer=' is not of the form KEY=VALUE"),
        (
            ["-M", "comet"],
            "metric 'comet' needs a neural network, which meteor_e does not include; docs/explanation/which",
        ),
        (["-M", "bertscore:lang=en"], "needs a neural network"),
        (["-M", "COMET"], "needs a neural network"),
    ],
)
def test_settings(cli, arguments, said):
    assert said in cli.failing_here(2, "score", "hyp", "ref", "-l", "en", *arguments)


@pytest.mark.parametrize(
    "url",
    [
        "http://me:secret@localhost:9/x.tgz",
        "http://me:s@ecret@localhost:9/x",
        "http://me:secret@[bad/x",
        "ftp://me:secret@x/y",
    ],
)
def test_passwords_are_not_shown(cli, url):
    line = cli.failing_here(3, "pack", "install", "en", "--from", url, env={"METEOR_E_OFFLINE": "0"})
    assert "ecret" not in line
    assert "://me:***@" in line


@pytest.mark.parametrize("option", ["-c", "-M"])
def test_chain_of_a_missing_plugin_is_reported(cli, option):
    line = cli("score", "hyp", "ref", option, "contextual", env={"METEOR_E_PLUGINS": "none"}).err
    assert "comes with the plugin meteor-e-vectors, which is not installed: in a clone of meteor_e, run: pip" in line


@pytest.mark.parametrize("command", ["mbr nbest --confidence nan --method pruning"])
def test_numbers_that_are_not_finite(cli, command):
    cli.file("nbest", "0 ||| a\n0 ||| b\n")
    assert "is not a finite number" in cli.failing_here(2, *command.split())


def test_names_in_errors(cli):
    assert "cannot read no\\x1b[2J" in cli.failing_here(1, "score", "no\x1b[2J", "ref")
    assert len(cli.failing_here(2, "score", "hyp", "ref", "-l", "e" * 100_000)) < 2000


def test_repeated_field_is_refused(cli):
    pytest.importorskip("meteor_e_tables")
    cli.file(
        "d.jsonl", '{"hypothesis": "a", "reference": "b"}\n{"hypothesis": "a", "reference": "b", "hypothesis": "c"}\n'
    )
    assert "d.jsonl, line 2: an object has the key 'hypothesis' twice" in cli.failing_here(1, "score", "d.jsonl")
