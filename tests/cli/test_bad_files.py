"""Tests of the one-line errors for invalid files and settings.

In these cases, former versions returned scores, did not terminate, or printed passwords.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

SEGMENT = '<seg id="{}">the cat</seg>'
DOCUMENT = '<doc id="d"><ref lang="en"><p>{}</p></ref><hyp system="s"><p>{}</p></hyp></doc>'


@pytest.fixture(autouse=True)
def texts(cli):
    """Write a hypothesis file and a reference file with the same content."""
    for name in ("hyp", "ref"):
        cli.file(name, "the cat sat\na dog\n")


def write_wmt_xml(cli, reference_ids, hypothesis_ids):
    """Write an XML file whose references and hypotheses have the given segment ids, and return its name."""
    references = "".join(SEGMENT.format(id) for id in reference_ids)
    hypotheses = "".join(SEGMENT.format(id) for id in hypothesis_ids)
    return cli.file("x.xml", f'<dataset id="x">{DOCUMENT.format(references, hypotheses)}</dataset>')


@pytest.mark.parametrize(
    ("start", "message"),
    [
        (b'<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a "b">]><dataset id="x">', "defines entities"),
        (b'<!DOCTYPE d [<!ENTITY a "b">]>\n<refset setid="s" refid="r">', "defines entities"),
        (b'<?xml version="1.0"?><tmx><tu>the cat</tu></tmx>', "not in the format of WMT or NIST"),
    ],
)
def test_score_does_not_read_unsupported_xml_as_text(cli, start, message):
    cli.file("x", start + b"\nthe cat sat\n")
    assert message in cli.failing_in_process(1, "score", "x", "ref", "-l", "other")
    assert message in cli.failing_in_process(1, "score", "hyp", "x", "-l", "other")


def test_sgml_reader_rejects_entity_definitions(cli):
    cli.file("x", '<refset setid="s" refid="r">\n<!ENTITY a "b"><doc docid="d"><seg id="1">&a;</seg></doc></refset>')
    line = cli.failing_in_process(1, "score", "hyp", "x", "-l", "other")
    assert line == "meteor-e: x, line 2: entity definitions are not supported; replace the entities by their texts"


def test_on_missing_handles_segments_that_are_missing(cli):
    arguments = ("score", write_wmt_xml(cli, [1, 2], [1]), "-l", "other", "-q")
    assert "lacks 1 of 2 segments (the first is [x][d][2]); --on-missing skip" in cli.failing_in_process(1, *arguments)
    assert cli.run_in_process(*arguments, "--on-missing", "skip").out == "1.0\n"
    assert float(cli.run_in_process(*arguments, "--on-missing", "empty").out) < 0.9
    # The option "empty" cannot supply a missing reference.
    write_wmt_xml(cli, [1], [1, 2])
    for action in ("stop", "empty"):
        line = cli.failing_in_process(1, *arguments, "--on-missing", action)
        assert "has 1 segment that no reference has (the first is [x][d][2]); --on-missing skip leaves them out" in line
    assert cli.run_in_process(*arguments, "--on-missing", "skip").out == "1.0\n"


@pytest.mark.skipif(not Path("/proc/kmsg").exists(), reason="needs /proc")
def test_score_rejects_virtual_files_of_the_kernel(cli):
    for path in ("/proc/kmsg", "/proc/self/status"):
        line = cli.failing_in_process(1, "score", "hyp", "ref", "-l", "other", "--set", f"idf={path}")
        assert line == f"meteor-e: cannot read {path}: not a regular file but a virtual file of the kernel"
        line = cli.failing_in_process(1, "score", "/proc/self/status", "ref", "-l", "other")
    assert "a virtual file of the kernel" in line


@pytest.mark.parametrize("key", ["name", "licence", "version"])
def test_pack_list_marks_a_manifest_with_a_surrogate_as_damaged(cli, key):
    # One value of an otherwise valid manifest contains a lone surrogate.
    manifest = dict.fromkeys(("name", "language", "version", "licence", "built_with"), "xx")
    manifest |= {"format": 1, "sources": [], "contents": {}, "files": {}, key: "x\ud800"}
    folder = cli.folder / "packs" / "xx"
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text(json.dumps(manifest))
    environment = {"METEOR_E_PACKS": str(folder.parent)}
    result = cli.run_in_process("pack", "list", env=environment)
    assert (result.code, result.err) == (0, "")
    assert "damaged" in result.out


@pytest.mark.parametrize(
    ("arguments", "message"),
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
def test_score_rejects_invalid_settings(cli, arguments, message):
    assert message in cli.failing_in_process(2, "score", "hyp", "ref", "-l", "en", *arguments)


@pytest.mark.parametrize(
    "url",
    [
        "http://me:secret@localhost:9/x.tgz",
        "http://me:s@ecret@localhost:9/x",
        "http://me:secret@[bad/x",
        "ftp://me:secret@x/y",
    ],
)
def test_pack_install_does_not_print_passwords(cli, url):
    line = cli.failing_in_process(3, "pack", "install", "en", "--from", url, env={"METEOR_E_OFFLINE": "0"})
    assert "ecret" not in line
    assert "://me:***@" in line


@pytest.mark.parametrize("option", ["-c", "-M"])
def test_score_names_the_missing_plugin_of_a_chain(cli, option):
    line = cli("score", "hyp", "ref", option, "contextual", env={"METEOR_E_PLUGINS": "none"}).err
    assert "comes with the plugin meteor-e-vectors, which is not installed: in a clone of meteor_e, run: pip" in line


@pytest.mark.parametrize("command", ["mbr nbest --confidence nan --method pruning"])
def test_mbr_rejects_numbers_that_are_not_finite(cli, command):
    cli.file("nbest", "0 ||| a\n0 ||| b\n")
    assert "is not a finite number" in cli.failing_in_process(2, *command.split())


def test_errors_escape_and_shorten_names(cli):
    assert "cannot read no\\x1b[2J" in cli.failing_in_process(1, "score", "no\x1b[2J", "ref")
    assert len(cli.failing_in_process(2, "score", "hyp", "ref", "-l", "e" * 100_000)) < 2000


def test_json_lines_reader_rejects_a_repeated_key(cli):
    pytest.importorskip("meteor_e_tables")
    cli.file(
        "d.jsonl", '{"hypothesis": "a", "reference": "b"}\n{"hypothesis": "a", "reference": "b", "hypothesis": "c"}\n'
    )
    assert "d.jsonl, line 2: an object has the key 'hypothesis' twice" in cli.failing_in_process(1, "score", "d.jsonl")
