from __future__ import annotations

import pytest


def test_words_of_files_line_by_line(cli):
    cli.file("one", "running  dogs\t ran\r\n\nStudies\n")
    cli.file("two", "studies")
    assert cli("stem", "-l", "en", "one", "two").out == "run dog ran\n\nStudi\nstudi\n"


def test_standard_input(cli):
    assert cli("stem", "-l", "fr", text="chanteuses continuellement\n").out == "chanteux continuel\n"


@pytest.mark.parametrize(
    ("code", "text", "stems"), [("pl", "koty siedzą", "kot siedz"), ("hi", "किताबें पढ़ते", "किताब पढ़")]
)
def test_languages_that_meteor_never_had(cli, code, text, stems):
    assert cli("stem", "-l", code, text=f"{text}\n").out == f"{stems}\n"


def test_a_file_of_output(cli):
    assert cli("stem", "-l", "en", "-o", "out", text="cats\n").out == ""
    assert (cli.folder / "out").read_text() == "cat\n"


@pytest.mark.parametrize(
    ("code", "arguments", "message"),
    [
        (2, [], "--language"),
        (2, ["-l", "xx"], "'xx'"),
        (2, ["-l", "cs"], "language 'cs' has no stemmer"),
        (1, ["-l", "en", "missing"], "cannot read missing: No such file or directory"),
    ],
)
def test_mistakes(cli, code, arguments, message):
    assert message in cli.failing(code, "stem", *arguments)


def test_invalid_utf8_names_the_line(cli):
    result = cli("stem", "-l", "en", text=b"good\n\xff\n")
    assert result.code == 1
    assert "standard input, line 2: not valid UTF-8" in result.err
