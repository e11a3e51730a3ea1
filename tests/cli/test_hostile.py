"""Tests of hostile files and settings.

The program must print an error of one line and no score. It must not hang, and its memory must be bounded.
``benchmarks/robustness/hostile.py`` runs many more such cases and counts their results.
"""

from __future__ import annotations

import gzip
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")


@pytest.fixture
def texts(cli):
    """Write a hypothesis file and a reference file, and return their names."""
    (cli.folder / "hyp").write_text("a b\n")
    (cli.folder / "ref").write_text("a b\n")
    return "hyp", "ref"


def make_special_file(kind, path):
    """Create a named pipe, a link to a device, or a socket."""
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(path))


@needs_pipes
@pytest.mark.parametrize("kind", ["pipe", "device", "socket"])
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("chain.yaml", ["-c", "chain.yaml"]),
        ("language.yaml", ["-l", "./language.yaml"]),
        ("lemmas", ["-c", "chain-with-lemmas.yaml"]),
        ("lemmas.gz", ["-c", "chain-with-packed-lemmas.yaml"]),
        ("pack/manifest.json", ["-c", "chain-with-pack.yaml"]),
    ],
)
def test_score_rejects_special_files(cli, texts, kind, name, arguments):
    for chain, lemmas in (("chain-with-lemmas.yaml", "lemmas"), ("chain-with-packed-lemmas.yaml", "lemmas.gz")):
        (cli.folder / chain).write_text(
            f"language: other\nmatchers: [exact, lemma]\nlemmatizer: {{use: lookup, file: {lemmas}}}\n"
        )
    (cli.folder / "chain-with-pack.yaml").write_text("language: other\npack: ./pack\n")
    (cli.folder / name).parent.mkdir(exist_ok=True)
    make_special_file(kind, cli.folder / name)
    process = cli.start("score", *texts, *arguments)
    out, err = process.communicate()
    assert process.returncode in (1, 2, 3)
    assert out == b""
    (line,) = err.decode().splitlines()
    assert f"not a regular file but a {kind}" in line


@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
@pytest.mark.parametrize(
    ("redirections", "command", "code", "message"),
    [
        ("0<&-", "score - ref", 1, "meteor-e: cannot read standard input: Bad file descriptor\n"),
        ("0<&-", "compat - - -stdio", 1, "meteor-e: cannot read standard input: Bad file descriptor\n"),
        ("1>&-", "score hyp ref", 1, "meteor-e: standard output: Bad file descriptor\n"),
        ("1>&-", "compat hyp ref", 1, "meteor-e: standard output: Bad file descriptor\n"),
        ("2>&-", "score hyp nothing", 1, ""),
        ("2>&-", "score hyp ref -o out.json", 0, ""),
        ("0<&- 1>&- 2>&-", "score hyp ref -o out.json", 0, ""),
    ],
)
def test_program_reports_closed_standard_streams(cli, texts, redirections, command, code, message):
    shell_command = ["sh", "-c", f'"$0" -m meteor_e {command} -l other {redirections}', sys.executable]
    process = subprocess.run(shell_command, cwd=cli.folder, env=cli.environment, capture_output=True, text=True)
    assert (process.returncode, process.stderr, process.stdout) == (code, message, "")
    assert (cli.folder / "out.json").exists() == (code == 0)


@pytest.mark.skipif(not Path("/dev/urandom").exists(), reason="needs /dev/urandom")
def test_program_rejects_an_endless_device(cli, texts):
    for command in ("compat", "score"):
        result = cli(command, "/dev/urandom", "ref", "-l", "other")
        assert (result.code, result.err) == (1, "meteor-e: cannot read /dev/urandom: not a regular file but a device\n")


@needs_pipes
@pytest.mark.parametrize(
    "arguments",
    [
        ["pack", "install", "en", "--from", "pipe"],
        ["config", "check", "pipe"],
    ],
)
def test_commands_do_not_wait_for_a_pipe(cli, texts, arguments):
    os.mkfifo(cli.folder / "pipe")
    process = cli.start(*arguments)
    try:
        out, err = process.communicate()
    finally:
        process.kill()
    assert process.returncode in (1, 2, 3)
    assert b"Traceback" not in err
    assert b"not a regular file but a pipe" in out + err or b"is a pipe" in err


@pytest.mark.parametrize("compressed", [False, True])
def test_score_reads_texts_from_pipes(cli, texts, compressed):
    """Shells pass a pipe for the argument ``<(command)``."""
    for name in ("hyp", "ref"):
        os.mkfifo(cli.folder / f"{name}-pipe")
    process = cli.start("score", "hyp-pipe", "ref-pipe", "-l", "other", "--segments", "--name", "hyp")
    for name in ("hyp", "ref"):
        data = (cli.folder / name).read_bytes()
        (cli.folder / f"{name}-pipe").write_bytes(gzip.compress(data) if compressed else data)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")
    assert out.decode() == cli("score", "hyp", "ref", "-l", "other", "--segments").out


@pytest.mark.parametrize(
    ("chain", "message"),
    [
        (r'pack: "a\0/b"', "cannot be a path"),
        (r'pack: "a\0b"', "not a name for a pack"),
        (r'function_words: "a\0/b"', "cannot be a path"),
        (r'language: "a\0/b.yaml"', "cannot be a path"),
        (r'lemmatizer: {use: lookup, file: "a\0b"}', "cannot be a path"),
        (r'language: "\ud800/b.yaml"', "cannot be a path"),
        ("pack: " + "a/" * 3000, "File name too long"),
    ],
)
def test_score_rejects_impossible_paths(cli, texts, chain, message):
    language = "" if "language" in chain else "language: other\n"
    (cli.folder / "chain.yaml").write_text(f"{language}{chain}\n")
    result = cli("score", *texts, "-c", "chain.yaml")
    assert result.code
    assert result.out == ""
    assert message in result.err or "is not YAML" in result.err


@pytest.mark.parametrize("compressed", [False, True])
def test_score_limits_the_size_of_a_lemma_table(cli, texts, compressed):
    """The table contains only null bytes and therefore no line breaks. The uncompressed table is a sparse file."""
    name = "lemmas.gz" if compressed else "lemmas"
    if compressed:
        with gzip.open(cli.folder / name, "wb", 1) as stream:
            for _ in range(300):
                stream.write(bytes(1 << 20))
    else:
        with (cli.folder / name).open("wb") as stream:
            stream.truncate(1 << 35)
    (cli.folder / "chain.yaml").write_text(
        f"language: other\nmatchers: [exact, lemma]\nlemmatizer: {{use: lookup, file: {name}}}\n"
    )
    line = cli.failing(3, "score", *texts, "-c", "chain.yaml")
    assert "256 MiB" in line


def test_score_limits_the_length_of_a_line(cli, texts):
    with (cli.folder / "endless").open("wb") as stream:
        stream.truncate(1 << 35)
    line = cli.failing(1, "score", "endless", "ref", "-l", "other")
    assert line == "meteor-e: endless, line 1: longer than 64 MiB; this is not text with one segment per line"
