"""Tests of ``meteor-e score``: output, input, errors, and behavior in unusual environments."""

from __future__ import annotations

import gzip
import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from meteor_e import Meteor

HYPOTHESES = "in the end the big ship left\nmany people run\n"
REFERENCES = "at last the vessel leaves\na lot of people hurry\n"


@pytest.fixture
def files(cli):
    """Write a hypothesis file and a reference file, and return their names."""
    return cli.file("hyp", HYPOTHESES), cli.file("ref", REFERENCES)


@pytest.fixture
def corpus_score(own_packs):
    """Return the corpus score that the Python interface computes for the same texts."""
    return Meteor("en").corpus(HYPOTHESES.splitlines(), REFERENCES.splitlines(), segments=True)


class TestOutput:
    def test_score_prints_a_table(self, cli, files, corpus_score):
        result = cli("score", *files)
        header, row, _, signature = result.out.splitlines()
        assert header.split() == ["system", "METEOR", "precision", "recall", "F1", "Fmean", "penalty", "segments"]
        assert row.split()[:2] == ["hyp", f"{corpus_score.score:.4f}"]
        assert signature == corpus_score.signature
        assert result.err == ""

    def test_quiet_option_prints_only_the_score(self, cli, files, corpus_score):
        assert cli("score", *files, "-q").out == f"{corpus_score.score!r}\n"

    def test_digits_option_sets_the_number_of_decimals(self, cli, files, corpus_score):
        assert f"  {corpus_score.score:.12f}  " in cli("score", *files, "--digits", "12").out

    def test_percent_option_multiplies_meteor_by_100(self, cli, files, corpus_score):
        output = cli("score", *files, "--percent", "-M", "meteor", "-M", "chrf", "--significance", "--segments").out
        chrf_score = cli("score", *files, "-M", "chrf").out.splitlines()[1].split()[1]
        row = next(line.split() for line in output.splitlines() if line.startswith("hyp  "))
        assert row[1:3] == [f"{100 * corpus_score.score:.2f}", chrf_score]
        assert f"METEOR {100 * corpus_score.segments[0].score:.2f}," in output

    @pytest.mark.parametrize("output_format", ["json", "jsonl", "tsv", "csv"])
    def test_percent_option_rejects_machine_readable_formats(self, cli, files, output_format):
        assert "--percent" in cli.failing(2, "score", *files, "--percent", "-f", output_format)

    def test_worst_option_lists_the_lowest_scores_with_alignments(self, cli, files, corpus_score):
        index = min(range(2), key=lambda i: corpus_score.segments[i].score)
        segment = corpus_score.segments[index]
        output = cli("score", *files, "--worst", "1").out
        assert output.startswith(f"segment {index + 1}: {segment.score:.4f}\n  hypothesis ")
        # The word occurs before the text and in the heading of the matches.
        assert output.count("hypothesis ") == 2
        hypothesis_words, reference_words = segment.alignment.unmatched_words()
        assert f"  unmatched in the hypothesis: {' '.join(hypothesis_words) or 'none'}\n" in output
        assert f"  unmatched in the reference: {' '.join(reference_words) or 'none'}\n" in output
        assert f"  precision {segment.precision:.4f}, recall " in output
        # No second segment follows between the first line and the table of systems.
        lines_before_table = output.partition("\n")[2].partition("system")[0]
        assert "segment " not in lines_before_table.replace("  ", "")

    def test_worst_option_lists_the_highest_error_rates(self, cli, files):
        rows = cli("score", *files, "-M", "ter", "-f", "tsv", "--segments").out.splitlines()[1:3]
        rates = [float(row.split("\t")[2]) for row in rows]
        output = cli("score", *files, "-M", "ter", "--worst", "1").out
        assert output.startswith(f"segment {rates.index(max(rates)) + 1}: {max(rates):.2f}")

    def test_tsv_contains_all_digits(self, cli, files, corpus_score):
        rows = [line.split("\t") for line in cli("score", *files, "--format=tsv", "--segments").out.splitlines()]
        assert rows[0][:4] == ["system", "segment", "METEOR", "METEOR precision"]
        assert [row[1] for row in rows[1:]] == ["1", "2", "all"]
        assert [float(row[2]) for row in rows[1:]] == [*(s.score for s in corpus_score.segments), corpus_score.score]

    def test_json_contains_scores_parts_and_details(self, cli, files, corpus_score):
        document = json.loads(cli("score", *files, "--format=json", "--segments").out)
        metric = document["metrics"]["METEOR"]
        assert (metric["signature"], metric["engine"]) == (corpus_score.signature, Meteor("en").engine)
        (system,) = document["systems"]
        system_score = system["scores"]["METEOR"]
        assert system_score["score"] == corpus_score.score
        assert system_score["parts"]["recall"] == corpus_score.recall
        assert system_score["details"]["statistics"]["chunks"] == corpus_score.statistics.chunks
        segments = [segment["scores"]["METEOR"] for segment in system["segments"]]
        assert [segment["score"] for segment in segments] == [s.score for s in corpus_score.segments]
        assert segments[0]["details"]["matchers"] == corpus_score.segments[0].to_dict()["matchers"]
        assert "alignment" not in segments[0]["details"]
        document = json.loads(cli("score", *files, "--format=json", "--alignments").out)
        first_segment = document["systems"][0]["segments"][0]
        assert first_segment["scores"]["METEOR"]["details"]["alignment"]["matches"]

    def test_alignments_option_prints_segments_as_text(self, cli, files, corpus_score):
        out = cli("score", *files, "--alignments").out
        assert out.startswith(
            f"segment 1: {corpus_score.segments[0].score:.4f}\n  hypothesis  in the end the big ship left\n"
        )
        assert "paraphrase  1-3  in the end" in out

    def test_output_file_is_written_atomically(self, cli, files, corpus_score):
        assert cli("score", *files, "-q", "-o", "out").out == ""
        assert (cli.folder / "out").read_text() == f"{corpus_score.score!r}\n"
        cli.file("bad", b"a\n\xff\n")
        assert cli("score", "bad", "ref", "-q", "-o", "out").code == 1
        assert (cli.folder / "out").read_text() == f"{corpus_score.score!r}\n"
        assert sorted(path.name for path in cli.folder.iterdir() if path.name != "cache") == [
            "bad",
            "hyp",
            "out",
            "ref",
        ]


class TestInput:
    def test_score_accepts_several_systems_and_references(self, cli, files):
        cli.file("other", "nothing\nat all\n")
        rows = cli("score", "hyp", "other", "-r", "ref", "-r", "hyp", "--format=tsv").out.splitlines()[1:]
        assert rows[0].startswith("hyp\tall\t1.0\t")
        assert rows[1].startswith("other\tall\t")

    def test_score_reads_interleaved_references(self, cli, files):
        pairs = zip(REFERENCES.splitlines(), HYPOTHESES.splitlines(), strict=True)
        cli.file("both", "".join(f"{reference}\n{hypothesis}\n" for reference, hypothesis in pairs))
        assert cli("score", "hyp", "both", "--references-per-segment", "2", "-q").out == "1.0\n"

    @pytest.mark.parametrize(("paths", "text"), [(("-", "ref"), HYPOTHESES), (("hyp", "-"), REFERENCES)])
    def test_score_reads_standard_input(self, cli, files, corpus_score, paths, text):
        assert cli("score", *paths, "-q", text=text).out == f"{corpus_score.score!r}\n"

    @pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "latin-1", "cp1252"])
    def test_encoding_option_decodes_texts(self, cli, encoding):
        text = "caf\u00e9 d\u00e9j\u00e0\nna\u00efve\n"
        cli.file("hyp", text.encode(encoding))
        cli.file("ref", text.encode(encoding))
        assert cli("score", "hyp", "ref", "-q", "--encoding", encoding).out == "1.0\n"

    @pytest.mark.slow
    def test_score_accepts_a_line_of_50_mebibytes(self, cli):
        cli.file("hyp", ("word, " * (50 << 20 >> 2))[: 50 << 20] + "\n")
        cli.file("ref", "w1 w2 w3\n")
        assert cli("score", "hyp", "ref", "-q", "-l", "other").out == "0.0\n"


class TestInvalidFiles:
    @pytest.mark.parametrize(
        ("name", "content", "message"),
        [
            ("missing", None, "cannot read missing: No such file or directory"),
            ("folder", "FOLDER", "cannot read folder: Is a directory"),
            ("latin", b"caf\xe9\nx\n", "latin, line 1: not valid UTF-8"),
            (
                "broken",
                gzip.compress(b"a line\n" * 999, mtime=0)[:-20],
                "cannot read broken: Compressed file ended before the end-of-stream marker",
            ),
            ("damaged", gzip.compress(bytes(range(256)) * 99, mtime=0)[:50] + b"\xff" * 99, "cannot read damaged: "),
            ("long", "a\nb\nc\n", "must line up"),
            ("short", "a\n", "must line up"),
            ("wide", "a\nb\n".encode("utf-16"), "wide, line 1: not valid UTF-8"),
        ],
    )
    def test_score_rejects_unusable_files(self, cli, files, name, content, message):
        if content == "FOLDER":
            (cli.folder / name).mkdir()
        elif content is not None:
            cli.file(name, content)
        for arguments in ((name, "ref"), ("hyp", name)):
            assert message in cli.failing(1, "score", *arguments)

    def test_score_reports_a_file_without_read_permission(self, cli, files):
        (cli.folder / "hyp").chmod(0)
        if os.access(cli.folder / "hyp", os.R_OK):
            pytest.skip("this user can read all files")
        assert "Permission denied" in cli.failing(1, "score", *files)

    def test_score_rejects_empty_files(self, cli):
        cli.file("empty", b"")
        assert "empty is empty; there is nothing to score" in cli.failing(1, "score", "empty", "empty")
        assert cli.failing(1, "score", "-", "empty")
        cli.file("packed", gzip.compress(b""))
        assert "nothing to score" in cli.failing(1, "score", "packed", "packed")

    def test_score_rejects_invalid_standard_input(self, cli, files):
        for text in ("one line\n", "a\nb\nc\n"):
            assert "do not line up" in cli.failing(1, "score", "-", "ref", text=text)
        assert "for one file only" in cli.failing(1, "score", "-", "-", text="a\n")
        assert "not valid UTF-8" in cli.failing(1, "score", "-", "ref", text=b"a\n\xff\n")

    def test_score_rejects_a_partial_set_of_references(self, cli, files):
        assert "not a multiple of 3" in cli.failing(1, "score", *files, "--references-per-segment", "3")

    @pytest.mark.parametrize("path", ["nowhere/out", "folder", "hyp/out"])
    def test_output_option_rejects_unwritable_paths(self, cli, files, path):
        (cli.folder / "folder").mkdir()
        assert "cannot write" in cli.failing(1, "score", *files, "-o", path)

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
    def test_score_reports_a_full_disk(self, cli, files):
        assert "No space left" in cli.failing(1, "score", *files, "-o", "/dev/full")
        with Path("/dev/full").open("wb") as full_device:
            process = subprocess.run(
                [sys.executable, "-m", "meteor_e", "score", *files],
                cwd=cli.folder,
                env=cli.environment,
                stdout=full_device,
                stderr=subprocess.PIPE,
            )
        assert process.returncode == 1
        assert process.stderr.decode() == "meteor-e: standard output: No space left on device\n"


class TestUsage:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["score"], "a reference is missing"),
            (["score", "hyp"], "a reference is missing"),
            (["score", "-r", "ref"], "the hypotheses are missing"),
            (["score", "hyp", "ref", "--jsn"], "No such option"),
            (["score", "hyp", "ref", "-l", "xx"], "'xx'"),
            (["score", "hyp", "ref", "-l", ""], "''"),
            (["score", "hyp", "ref", "-t", "rnk"], "did you mean 'rank'"),
            (["score", "hyp", "ref", "--set", "beam=0"], "beam is 0"),
            (["score", "hyp", "ref", "--set", "beam=many"], "beam"),
            (["score", "hyp", "ref", "--references-per-segment", "0"], "--references-per-segment"),
            (["score", "hyp", "ref", "--set", "alpha"], "KEY=VALUE"),
            (["score", "hyp", "ref", "--set", "alfa=1"], "did you mean 'alpha'"),
            (["score", "hyp", "ref", "--set", "alpha=7"], "from 0 to 1"),
            (["score", "hyp", "ref", "--set", "language=de"], "-l, -t and -m set language"),
            (["score", "hyp", "ref", "--set", "alpha=.5", "--set", "alpha=.6"], "given twice"),
            (["score", "hyp", "ref", "-m", ""], "the list is empty"),
            (["score", "hyp", "ref", "-m", "exact=x"], "not a number"),
            (["score", "hyp", "ref", "-m", "exact=nan"], "weight"),
            (["score", "hyp", "ref", "-m", "exact=-1"], "weight"),
            (["score", "hyp", "ref", "-c", "no-such-chain"], "no-such-chain"),
            (["score", "--significance", "hyp", "ref"], "write the option after the files"),
            (["score", "hyp", "ref", "--format=json", "-q"], "--quiet does not go with --format"),
            (["score", "hyp", "ref", "-f", "jsn"], "did you mean 'json'"),
            (["score", "hyp", "ref", "-o", "./hyp"], "-o ./hyp is an input file, which would be overwritten"),
            (["mbr", "hyp", "-o", "hyp"], "is an input"),
            (["score", "hyp", "ref", "--encoding", "klingon"], "unknown encoding 'klingon'"),
            (["score", "hyp", "ref", "--encoding", "rot13"], "unknown encoding"),
            (["score", "hyp", "ref", "--set", "normalization=ful"], "did you mean 'full'"),
            (["score", "hyp", "ref", "--digits", "99"], "--digits"),
        ],
    )
    def test_program_rejects_invalid_options(self, cli, files, arguments, message):
        assert message in cli.failing(2, *arguments)

    def test_score_suggests_a_matcher_for_an_unknown_name(self, cli, files):
        assert "did you mean 'exact'" in cli.failing(3, "score", *files, "-m", "exat")

    def test_score_reports_a_missing_pack(self, cli, files):
        line = cli.failing(3, "score", *files, env={"METEOR_E_PACKS": str(cli.folder / "nothing")})
        assert "meteor-e pack install en" in line
        assert "offline" in cli.failing(3, "--offline", "score", *files, "--set", "pack=de")
        assert "nowhere" in cli.failing(3, "score", *files, "--set", "pack=./nowhere")


class TestEnvironment:
    @pytest.mark.parametrize(
        "environment",
        [
            {"LC_ALL": "C"},
            {"LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"},
            {"LC_ALL": "tr_TR.UTF-8"},
            {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"},
            {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        ],
    )
    def test_output_does_not_depend_on_the_locale(self, cli, environment):
        cli.file("hyp", "İSTANBUL ÉTÉ IĞDIR, 1.5\n")
        expected_output = cli("score", "hyp", "hyp", "--alignments").out
        assert cli("score", "hyp", "hyp", "--alignments", env=environment).out == expected_output

    def test_score_works_without_a_home_directory(self, cli, files, corpus_score):
        process = subprocess.run(
            [sys.executable, "-m", "meteor_e", "score", *files, "-q"],
            cwd=cli.folder,
            env={
                "METEOR_E_PACKS": cli.environment.get("METEOR_E_PACKS", os.environ["METEOR_E_PACKS"]),
                "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
            },
            capture_output=True,
        )
        assert (process.returncode, process.stdout.decode()) == (0, f"{corpus_score.score!r}\n")

    def test_score_works_with_a_read_only_pack_directory(self, cli, files, corpus_score, own_packs):
        original_mode = own_packs.stat().st_mode
        own_packs.chmod(stat.S_IRUSR | stat.S_IXUSR)
        try:
            assert cli("score", *files, "-q").out == f"{corpus_score.score!r}\n"
        finally:
            own_packs.chmod(original_mode)

    def test_score_ends_quietly_if_its_pipe_is_closed(self, cli):
        cli.file("hyp", "a b c d e f\n" * 20_000)
        process = cli.start("score", "hyp", "hyp", "--format=tsv", "--segments")
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith(b"system\t")
        process.stdout.close()
        assert process.stderr.read() == b""
        process.stderr.close()
        assert process.wait() == 1

    @pytest.mark.parametrize(
        ("signal_number", "code", "message"),
        [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")],
        ids=["ctrl-c", "terminated"],
    )
    def test_score_leaves_no_output_file_after_a_signal(self, cli, signal_number, code, message):
        # Standard input stays open, so that the program cannot finish before the signal arrives.
        cli.file("ref", "a b c\n" * 50_000)
        process = cli.start("score", "-", "ref", "--format=tsv", "--segments", "-o", "out", stdin=subprocess.PIPE)
        assert process.stdin is not None
        # The text is larger than the buffer of a pipe. When the call returns, the program has begun to read and score.
        process.stdin.write(b"a b c\n" * 40_000)
        process.stdin.flush()
        process.send_signal(signal_number)
        _, err = process.communicate()
        assert process.returncode == code
        # The program prints a line break first, because a terminal has printed ^C on the current line.
        assert err.decode().lstrip("\n") == f"meteor-e: {message}\n"
        assert not list(cli.folder.glob("*out*"))
