from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from meteor_e_captions.java_shim import TOKENIZER, JavaCall, java_shim

CORENLP = "/a b/stanford-corenlp-3.4.1.jar"
STDIO = ("-", "-", "-stdio", "-l", "en", "-norm")
pytestmark = pytest.mark.skipif(os.name == "nt", reason="the program called java is a shell script")


@pytest.mark.parametrize(
    ("line", "program", "arguments"),
    [
        # pycocoevalcap 1.2, nlg-eval, GEM-metrics
        (["-jar", "-Xmx2G", "meteor-1.5.jar", *STDIO], "meteor", STDIO),
        # aac-metrics 0.6
        (
            ["-Duser.country=US", "-Duser.language=en", "-jar", "-Xmx2G", "/c/meteor/meteor-1.5.jar", *STDIO],
            "meteor",
            STDIO,
        ),
        (["-Xmx2G", "-jar", "meteor-1.5.jar", "a", "b", "-version"], "meteor", ("a", "b", "-version")),
        (["-Xmx2G", "-cp", "x:/a b/meteor-1.5.jar", "Meteor", "a", "b"], "meteor", ("a", "b")),
        (["-classpath", "meteor-1.5.jar", "-Xmx1G", "Meteor", "-"], "meteor", ("-",)),
        (["--class-path=meteor-1.5.jar", "Meteor"], "meteor", ()),
        (["--add-opens", "java.base/java.lang=ALL-UNNAMED", "-jar", "meteor-1.5.jar", "x"], "meteor", ("x",)),
        # pycocoevalcap's and aac-metrics' tokenizer
        (
            ["-cp", CORENLP, TOKENIZER, "-preserveLines", "-lowerCase", "f"],
            "tokenizer",
            ("-preserveLines", "-lowerCase", "f"),
        ),
        (["-Xmx1G", "-cp", CORENLP, TOKENIZER], "tokenizer", ()),
        # Everything else
        (["-version"], None, ()),
        (["--version"], None, ()),
        (["-version", "-jar", "meteor-1.5.jar"], None, ()),
        ([], None, ()),
        (["-jar"], None, ()),
        (["-jar", "-Xmx8G", "spice-1.0.jar", "in", "-out", "meteor-1.5.jar"], None, None),
        (["-jar", "meteor-1.4.jar", "a", "b"], None, None),
        (["-cp", "meteor-1.5.jar", "Trainer", "a"], None, None),
        (["-cp", "other.jar", "Meteor"], None, None),
        (["-cp", "meteor-1.5.jar"], None, ()),
        (["Meteor"], None, None),
        (["-cp", "stanford-corenlp-4.5.0.jar", TOKENIZER], None, None),
        (["-cp", CORENLP, TOKENIZER, "-options", "americanize=true", "f"], None, None),
        (["-cp", CORENLP, "edu.stanford.nlp.pipeline.StanfordCoreNLP"], None, None),
        (["@arguments"], None, ()),
        (["-m", "some.module/Main"], None, ()),
    ],
)
def test_whose_call_it_is(line, program, arguments, monkeypatch):
    monkeypatch.delenv("CLASSPATH", raising=False)
    call = JavaCall.parse(line)
    assert call.program == program
    if arguments is not None:
        assert call.arguments == arguments


def test_class_path_of_the_environment(monkeypatch):
    monkeypatch.setenv("CLASSPATH", "lib/meteor-1.5.jar")
    assert JavaCall.parse(["Meteor", "a", "b"]).program == "meteor"


@pytest.fixture
def folder(tmp_path) -> Path:
    """A folder with a shim, and with blanks and quotes in its name."""
    folder = tmp_path / 'it\'s a $HOME "folder"'
    done = CliRunner().invoke(java_shim, [str(folder)])
    assert (done.exit_code, done.output) == (0, f"{folder / 'java'}\n")
    return folder


def run(folders, *arguments, text="", **environment):
    path = os.pathsep.join(map(str, folders))
    return subprocess.run(
        ["/bin/sh", "-c", 'exec java "$@"', "sh", *arguments],
        input=text,
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": path, **environment},
    )


@pytest.fixture
def real(tmp_path) -> Path:
    """A folder with another java, which prints its arguments."""
    folder = tmp_path / "real"
    folder.mkdir()
    java = folder / "java"
    java.write_text('#!/bin/sh\nfor argument in "$@"; do printf "<%s>" "$argument"; done\nexit 7\n')
    java.chmod(0o755)
    return folder


def test_tokenizer_of_standard_input_and_of_files(folder, tmp_path):
    file = tmp_path / "a file"
    file.write_bytes("A man's dog (old).\r\nÉtude\n".encode())
    line = ["-cp", CORENLP, TOKENIZER, "-preserveLines", "-lowerCase"]
    done = run([folder], *line, text="Don't!")
    assert (done.returncode, done.stdout, done.stderr) == (0, "do n't !", "")
    assert run([folder], *line, str(file)).stdout == "a man 's dog -lrb- old -rrb- .\nétude\n"
    assert run([folder], "-cp", CORENLP, TOKENIZER, text="Don't!\nx").stdout == "Do\nn't\n!\nx\n"
    missing = run([folder], *line, str(tmp_path / "none"))
    assert missing.returncode == 1
    assert missing.stderr.count("\n") == 1


def test_the_tokenizer_does_not_take_all_memory(folder, tmp_path):
    holes = tmp_path / "holes"
    with holes.open("wb") as stream:
        stream.truncate(1 << 43)
    done = run([folder], "-cp", CORENLP, TOKENIZER, str(holes))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "more than 256 MiB" in done.stderr


def test_meteor_answers_over_pipes(folder, packs):
    # Whatever environment calls it: other modules of Python, another working folder.
    done = run(
        [folder],
        "-jar",
        "-Xmx2G",
        "meteor-1.5.jar",
        *STDIO,
        text="SCORE ||| a cat sat ||| the cat sat\n",
        PYTHONPATH="/none",
        PYTHONHOME="/none",
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.split()) == 23


def test_other_calls_go_to_the_next_java(folder, real, tmp_path):
    second = tmp_path / "second"
    assert CliRunner().invoke(java_shim, [str(second)]).exit_code == 0
    done = run([folder, second, folder, real], "-jar", "a b.jar", "", "it's", "*")
    assert (done.returncode, done.stdout) == (7, "<-jar><a b.jar><><it's><*>")
    assert run([folder, real], "-version").stdout == "<-version>"


def test_without_another_java_one_line_and_exit_code_1(folder, tmp_path):
    done = run([folder, tmp_path / "none", folder], "-version")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert "no other java" in done.stderr


def test_a_version_for_programs_that_ask_for_one(tmp_path, real):
    folder = tmp_path / "versioned"
    done = CliRunner().invoke(java_shim, [str(folder), "--java-version", "1.8.0"])
    assert done.exit_code == 0
    # aac-metrics 0.6 reads the third word of what java prints, without its quotes, and wants 8 to 13.
    done = run([folder], "-version")
    assert (done.returncode, done.stdout, done.stderr.splitlines()[0]) == (0, "", 'openjdk version "1.8.0"')
    assert run([folder, real], "-jar", "spice-1.0.jar").stdout == "<-jar><spice-1.0.jar>"
    assert run([folder, real], "-version", "x").stdout == "<-version><x>"
    for version in ("", "1.8'; x", "eight", "8\n"):
        assert CliRunner().invoke(java_shim, [str(tmp_path / "none"), "--java-version", version]).exit_code != 0
    assert not (tmp_path / "none").exists()


def test_an_interpreter_that_is_gone_is_said_in_a_line(folder, real):
    java = folder / "java"
    java.write_text(java.read_text().replace(sys.executable, "/none/python"))
    done = run([folder, real], "-jar", "meteor-1.5.jar")
    assert done.returncode == 1
    assert "java-shim again" in done.stderr


def test_it_replaces_itself_and_nothing_else(folder, tmp_path):
    assert CliRunner().invoke(java_shim, [str(folder)]).exit_code == 0
    other = tmp_path / "other"
    other.mkdir()
    (other / "java").write_text("#!/bin/sh\n")
    done = CliRunner().invoke(java_shim, [str(other)])
    assert done.exit_code != 0
    assert (other / "java").read_text() == "#!/bin/sh\n"
