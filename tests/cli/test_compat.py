"""Tests of ``meteor-e compat``, which has the command line and the output of the Java program METEOR 1.5."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import math
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from compat_cases import RECORD_FILE, Case, make_cases, run_java, take_output_files, write_inputs

from meteor_e.cli.program import main
from meteor_e.java.options import FLAG_OPTIONS, VALUE_OPTIONS, VECTOR_KEYS, JavaConfiguration, UsageError, parse
from meteor_e.java.scorer import make_chain_entries
from meteor_e.packs.build import build_pack

CASES = make_cases()
RECORD = json.loads(RECORD_FILE.read_text(encoding="utf-8"))
SHARED = Path(os.environ.get("METEOR_E_SHARED", Path(__file__).parents[3] / "shared"))
GOLDEN = SHARED / "golden"
GOLDEN_COMMANDS = sorted((GOLDEN / "meteor-1.5").glob("*.cmd"))
JAR = os.environ.get("METEOR_E_JAR", "")

needs_java = [
    pytest.mark.java,
    pytest.mark.skipif(not (JAR and shutil.which("java")), reason="java or METEOR_E_JAR is missing"),
]


class Result:
    """The exit code and the output of a command."""

    def __init__(self, code: int, stdout: bytes, stderr: bytes) -> None:
        self.code = code
        self.stdout = stdout.decode("utf-8")
        self.stderr = stderr.decode("utf-8")


def run_compat(*arguments: str, stdin: bytes = b"") -> Result:
    """Run ``meteor-e compat`` in this process, with standard streams like those of a separate process."""
    streams = [io.TextIOWrapper(io.BytesIO(data), encoding="ascii", write_through=True) for data in (stdin, b"", b"")]
    original_streams = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = streams
    try:
        with pytest.raises(SystemExit) as system_exit:
            main(["compat", *arguments])
        for stream in streams[1:]:
            stream.flush()
    finally:
        sys.stdin, sys.stdout, sys.stderr = original_streams
    code = system_exit.value.code
    assert isinstance(code, int)
    return Result(code, *(stream.buffer.getvalue() for stream in streams[1:]))


@pytest.fixture(scope="module")
def small_packs(tmp_path_factory):
    """Build small packs without prefixes for all languages that need a pack, and return their folder."""
    root = tmp_path_factory.mktemp("packs")
    for language in ("en", "fr", "de", "es", "ru", "cs"):
        words = root / f"{language}.words"
        words.write_text("the\n" if language == "en" else "das\nle\n", encoding="utf-8")
        build_pack(root / "packs" / language, language=language, function_words=words)
    return root / "packs"


@pytest.fixture
def folder(small_packs, tmp_path, monkeypatch):
    """Change to a folder with the inputs of the cases, and return it."""
    monkeypatch.setenv("METEOR_E_PACKS", str(small_packs))
    monkeypatch.setenv("METEOR_E_CACHE", str(small_packs.parent / "cache"))
    monkeypatch.setenv("METEOR_E_OFFLINE", "1")
    write_inputs(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


# -- comparison with the recorded output of Java ---------------------------------------------------------------


def test_record_contains_all_cases():
    assert [case.command for case in CASES] == list(RECORD)


def test_cases_use_all_options_of_java():
    words = {word for case in CASES for word in case.arguments}
    assert {*VALUE_OPTIONS, *FLAG_OPTIONS} - {*VECTOR_KEYS, "-embTh", "-lemmas"} <= words


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.command)
def test_compat_writes_the_same_bytes_as_java(case: Case, folder):
    expected = RECORD[case.command]
    result = run_compat(*case.arguments, stdin=case.stdin)
    assert result.stdout == expected["stdout"]
    assert take_output_files(folder) == expected["files"]
    assert result.code == 0
    # Java does not print this warning.
    additional_warning = "Warning: all weights are 0"
    lines = [line for line in result.stderr.split("\n") if not line.startswith(additional_warning)]
    assert lines == expected["stderr"].split("\n")


@pytest.mark.parametrize("case", [pytest.param(case, marks=needs_java, id=case.command) for case in CASES])
def test_record_equals_the_output_of_java(case: Case, folder):
    assert run_java(JAR, case, folder) == RECORD[case.command]


@pytest.mark.parametrize("language", ["en", "fr", "de", "da", "xx"])
def test_compat_uses_english_function_words_by_default(language, folder):
    # Java does the same: java -jar meteor-1.5.jar text text -l fr -m exact -ssOut
    # Only the options -s and -new select other function words.
    (folder / "text").write_text("the cat\nle chat\ndas la\n", encoding="utf-8")
    result = run_compat("text", "text", "-l", language, "-m", "exact", "-ssOut")
    scores = [line.split()[2] for line in result.stdout.split("\n")[:-1]]
    assert scores == ["1.0", "0.0", "0.0"]


# -- golden outputs --------------------------------------------------------------------------------------------


def assert_close(actual: str, expected: str, tolerance: float = 1e-9) -> None:
    """Check that two texts are equal, except that numbers may differ by the tolerance."""
    actual_lines, expected_lines = actual.split("\n"), expected.split("\n")
    assert len(actual_lines) == len(expected_lines)
    for line_number, (actual_line, expected_line) in enumerate(zip(actual_lines, expected_lines, strict=True), 1):
        if actual_line == expected_line:
            continue
        actual_words, expected_words = actual_line.split(), expected_line.split()
        assert len(actual_words) == len(expected_words), f"line {line_number} has a different number of words"
        for word, expected_word in zip(actual_words, expected_words, strict=True):
            assert word == expected_word or math.isclose(
                float(word), float(expected_word), rel_tol=0, abs_tol=tolerance
            ), f"line {line_number}: {word} instead of {expected_word}"


@pytest.mark.shared
@pytest.mark.skipif(not (GOLDEN / "stdio").is_dir(), reason=f"no protocols in {SHARED} (METEOR_E_SHARED)")
@pytest.mark.parametrize("mode", ["-stdio", "-mira"])
@pytest.mark.parametrize(("program", "options"), [("release", []), ("coco", ["-coco"])])
def test_compat_reproduces_the_protocols_of_both_jars(mode, program, options, packs):
    requests = (GOLDEN / "stdio" / "requests.txt").read_bytes()
    result = run_compat("-", "-", mode, "-l", "en", "-norm", *options, stdin=requests)
    assert (result.code, result.stderr) == (0, "")
    assert result.stdout == (GOLDEN / "stdio" / f"{mode[1:]}.{program}.out").read_text(encoding="utf-8")


@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.skipif(not GOLDEN_COMMANDS, reason=f"no golden outputs in {SHARED} (METEOR_E_SHARED)")
@pytest.mark.parametrize("command", GOLDEN_COMMANDS, ids=lambda path: path.stem)
def test_compat_reproduces_golden_outputs(command: Path, packs, tmp_path, monkeypatch):
    arguments = shlex.split(command.read_text(encoding="utf-8"))[1:]
    monkeypatch.chdir(GOLDEN)
    # The keys are the parts of the file names after the name of the command.
    golden_files = {path.name[len(command.stem) + 1 :]: path for path in command.parent.glob(f"{command.stem}.*")}

    result = run_compat(*arguments, "-vOut", "-writeAlignments", "-f", str(tmp_path / "out"))
    assert (result.code, result.stderr) == (0, "")
    head, system = result.stdout.split("\nSystem level statistics:\n")
    lines = head.split("\n")
    eval_id_line = next(line for line in lines if line.startswith("Eval ID:"))
    assert eval_id_line == golden_files["id.txt"].read_text().rstrip("\n")
    scores = "".join(line.split("\t", 1)[1] + "\n" for line in lines if line.startswith("Segment "))
    assert_close(scores, golden_files["vout.tsv"].read_text())
    assert_close(f"System level statistics:\n{system}".strip(), golden_files["system.txt"].read_text().strip())
    if "align.out" in golden_files:
        assert_close((tmp_path / "out-align.out").read_text("utf-8"), golden_files["align.out"].read_text("utf-8"))

    result = run_compat(*arguments, "-ssOut")
    assert (result.code, result.stderr) == (0, "")
    assert result.stdout == golden_files["ss.txt"].read_text()


# -- intentional differences from Java -------------------------------------------------------------------------

ERRORS = [
    # command, exit code, part of the message
    ("", 2, "a test file and a reference file are needed"),
    ("hyp.txt", 2, "a test file and a reference file are needed"),
    ("hyp.txt ref.txt -foo", 2, 'unknown option "-foo"'),
    ("hyp.txt ref.txt -vout", 2, "did you mean '-vOut'?"),
    ("hyp.txt ref.txt ref.txt", 2, 'unknown option "ref.txt"'),
    ("-m exact hyp.txt ref.txt", 2, 'unknown option "hyp.txt"'),
    ("hyp.txt ref.txt -e 1", 2, 'unknown option "-e"'),
    ("hyp.txt ref.txt -l", 2, "option -l needs a value"),
    ("hyp.txt ref.txt -l ja", 2, "unknown language (ja)"),
    ("hyp.txt ref.txt -l ''", 2, "unknown language ()"),
    ("hyp.txt ref.txt -l ar-bw-red", 2, "is not supported"),
    ("hyp.txt ref.txt -t foo", 2, "unknown task (foo)"),
    ("hyp.txt ref.txt -m 'exact foo'", 2, "unknown module (foo)"),
    ("hyp.txt ref.txt -m ''", 2, "-m: the list is empty"),
    ("hyp.txt ref.txt -m exact -w 1,0", 2, "-w: not a number: '1,0'"),
    ("hyp.txt ref.txt -w '1 1 1 1 1'", 2, "-w has 5 weights, but there are 4 modules"),
    ("hyp.txt ref.txt -m exact -p '.5 1 .5'", 2, "-p needs alpha, beta, gamma and delta"),
    ("hyp.txt ref.txt -m exact -p '.5 1 .5 a'", 2, "-p: not a number: 'a'"),
    ("hyp.txt ref.txt -m exact -s function.words -p '.5 1 .5 NaN'", 2, "delta"),
    ("hyp.txt ref.txt -m exact -s function.words -p '.5 NaN .5 .5'", 2, "beta"),
    ("hyp.txt ref.txt -m exact -x 0", 2, "-x is 0"),
    ("hyp.txt ref.txt -m exact -x 5.0", 2, "-x: not a whole number of 32 bits: '5.0'"),
    ("hyp.txt ref.txt -m exact -x 99999999999", 2, "-x: not a whole number"),
    ("hyp.txt ref.txt -m exact -s function.words -r two", 2, "-r: not a whole number"),
    ("hyp.txt ref.txt -l da -norm", 2, "no normalizer for language (danish)"),
    ("hyp.txt ref.txt -l cz -m stem -s function.words", 2, "language 'cs' has no stemmer"),
    ("missing.txt ref.txt -m exact -s function.words", 1, "cannot read missing.txt: No such file or directory"),
    ("hyp.txt . -m exact -s function.words", 1, "cannot read .: Is a directory"),
    ("- - -m exact -s function.words", 2, "add -stdio"),
    ("short.txt ref.txt -m exact -s function.words", 1, "test and reference not same length"),
    ("hyp.txt ref.txt -m exact -s function.words -r 2", 1, "for 2 references per segment"),
    ("empty.txt empty.txt -m exact -s function.words", 1, "empty.txt is empty"),
    ("hyp.txt ref.txt -m exact -s function.words -writeAlignments -f no/folder", 1, "cannot write no/folder-align.out"),
    ("hyp.txt ref.txt -m exact -s missing", 3, "cannot read the word list missing"),
    ("hyp.txt ref.txt -m 'exact paraphrase' -s function.words -a missing", 3, "missing"),
    ("hyp.txt ref.txt -m 'exact paraphrase' -s function.words", 3, "no paraphrases are installed"),
    ("hyp.txt ref.txt -m 'exact synonym' -s function.words -d missing", 3, "missing"),
    ("hyp.txt ref.txt -new missing", 3, "missing/function.words"),
    ("hyp.txt ref.sgm -sgml -m exact -s function.words", 1, "hyp.txt has no tstset or refset"),
    ("test.sgm ref-2.sgm -sgml -m exact -s function.words", 1, "set 'zz' of ref-2.sgm is not in test.sgm"),
    ("test.sgm ref.sgm -sgml -m exact -s function.words -f no/folder", 1, "cannot write no/folder-sys.scr"),
]


@pytest.mark.parametrize(
    ("command", "code", "message"), ERRORS, ids=[command or "no arguments" for command, _, _ in ERRORS]
)
def test_compat_reports_errors_in_one_line(command, code, message, folder):
    result = run_compat(*shlex.split(command))
    assert result.code == code
    lines = [line for line in result.stderr.rstrip("\n").split("\n") if not line.startswith("Warning: ")]
    assert len(lines) == 1
    assert message in lines[0]
    assert take_output_files(folder) == {}


def test_compat_creates_the_alignment_file_of_empty_input_like_java(folder):
    result = run_compat(*shlex.split("empty.txt empty.txt -m exact -s function.words -writeAlignments"))
    assert (result.code, take_output_files(folder)) == (1, {"meteor-align.out": ""})


SGML_ERRORS = [
    # text to replace in a valid document, replacement, part of the message
    ('<tstset setid="news-1">', "<tstset>", "Set ID (setid) required in line: <tstset>"),
    ('docid="weather" sysid="sysB"', 'sysid="sysB"', 'Doc ID (docid) required in line: <doc sysid="sysB">'),
    ('docid="weather" sysid="sysB"', 'docid="weather"', "System ID (sysid or refid) must be specified"),
    ('<doc docid="weather" sysid="sysB">\n', "", "segment outside of documents"),
    ('<tstset setid="news-1">\n', "", "document outside of tstset and refset"),
    ("</seg>", "", "segment '1' is not closed"),
    ('docid="weather"', 'docid="other"', "has no segment in common with ref.sgm"),
]


@pytest.mark.parametrize(("old", "new", "message"), SGML_ERRORS, ids=[message for _, _, message in SGML_ERRORS])
def test_compat_rejects_sgml_that_crashes_java(old, new, message, folder):
    text = '<tstset setid="news-1">\n<doc docid="weather" sysid="sysB">\n<seg id="1">rain</seg>\n</doc>\n</tstset>\n'
    assert old in text
    (folder / "bad.sgm").write_text(text.replace(old, new), encoding="utf-8")
    result = run_compat("bad.sgm", "ref.sgm", "-sgml", "-m", "exact", "-s", "function.words")
    assert result.code == 1
    assert message in result.stderr
    assert take_output_files(folder) == {}


STATISTICS = " ".join(["3 4 1 1 2 2", *["0"] * 14, "1 2 2"])


@pytest.mark.parametrize(
    ("request_line", "answer"),
    [
        ("EVAL ||| 1 2 3", "Error: 23 statistics expected, found 3"),
        ("EVAL ||| ||| " + STATISTICS, "Error: 23 statistics expected, found 0"),
        ("EVAL ||| " + STATISTICS.replace("3", "x", 1), "Error: not a number in the statistics: 'x'"),
        ("EVAL ||| " + STATISTICS.replace("3", "1_0", 1), "Error: not a number in the statistics: '1_0'"),
        ("EVAL ||| " + STATISTICS.replace("3", "nan", 1), "Error: not a number in the statistics: 'nan'"),
        (
            "SCORE ||| " + "a " * 10_100 + "||| " + "a " * 10_001,
            "Error: a segment of 10001 words and its reference of 10100",
        ),
    ],
)
def test_stdio_session_continues_after_invalid_requests(request_line, answer, folder):
    stdin = f"{request_line}\nEVAL ||| {STATISTICS}\n".encode()
    result = run_compat("-", "-", "-stdio", "-l", "xx", "-m", "exact", "-s", "function.words", stdin=stdin)
    assert result.code == 0
    error, score = result.stdout.rstrip("\n").split("\n")
    assert error.startswith(answer)
    assert float(score) > 0


@pytest.mark.parametrize("last_statistics", ["-4 4", "1e308 1e308", "-1e308 1e308", "0 0", "NaN NaN"])
def test_stdio_scores_impossible_statistics_from_0_to_1(last_statistics, folder):
    stdin = f"EVAL ||| 3 4 1 1 2 2 {'0 ' * 14}1e300 {last_statistics} ||| {STATISTICS}\n".encode()
    result = run_compat("-", "-", "-stdio", "-coco", "-l", "xx", "-m", "exact", "-s", "function.words", stdin=stdin)
    scores = [float(line) for line in result.stdout.rstrip("\n").split("\n")]
    assert len(scores) == 3
    assert all(0 <= score <= 1 for score in scores)


def test_stdio_penalizes_more_matches_than_words(folder):
    # The Java program printed the expected numbers. A single chunk escapes the penalty only if the number of
    # matches equals the number of words.
    stdin = f"EVAL ||| 3 3 1 1 4 4 {'0 ' * 14}1 3 3 ||| 3 3 1 1 2 2 1 1 {'0 ' * 12}1 3 3\n".encode()
    result = run_compat("-", "-", "-stdio", "-coco", "-l", "xx", "-m", "exact", "-s", "function.words", stdin=stdin)
    assert result.stdout.split() == ["1.1328551953404098", "1.0", "1.1001955340150036"]


def test_stdio_prints_infinity_if_a_power_overflows(folder):
    # The Java program printed the expected numbers.
    stdin = f"EVAL ||| 5 10 4 6 5 5 9 2 {'0 ' * 12}9 2 1 ||| 1 1 4 4 5 5 {'0 ' * 14}9 2 1\n".encode()
    options = ("-l", "xx", "-m", "exact", "-w", "1", "-s", "function.words", "-p", "1 1e308 1e-300 2.6")
    result = run_compat("-", "-", "-stdio", "-coco", *options, stdin=stdin)
    assert result.stdout.split()[:2] == ["0.0", "Infinity"]


def test_parse_accepts_repeated_options_in_any_order():
    options = parse(["h", "r", "-q", "-l", "fr", "-norm", "-l", "de", "-mira"])
    assert (options.language, options.quiet, options.normalize, options.stdio) == ("de", True, True, True)
    with pytest.raises(UsageError, match="needs a value"):
        parse(["h", "r", "-f"])


@pytest.mark.parametrize(
    ("table", "problem"),
    [("0.5\n\nphrase\n", "an empty phrase"), ("much\none\nphrase\n", "expected a probability, found 'much'")],
)
def test_compat_rejects_malformed_paraphrase_tables(table, problem, folder):
    """A misplaced line would shift all later entries. The Java program accepts such tables (see docs/compat.md)."""
    (folder / "table.gz").write_bytes(gzip.compress(table.encode()))
    result = run_compat("hyp.txt", "ref.txt", "-s", "function.words", "-m", "paraphrase", "-a", "table.gz", "-q")
    assert result.code == 3
    assert problem in result.stderr


# -- in a separate process -------------------------------------------------------------------------------------


@contextlib.contextmanager
def start_stdio_session(*arguments: str):
    """Start a stdio session in a separate process, yield the process, and kill it at the end."""
    command = [sys.executable, "-m", "meteor_e", "compat", "-", "-", "-stdio", *arguments]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            with contextlib.suppress(BrokenPipeError):
                stream.close()


def test_stdio_flushes_each_answer_immediately(folder):
    with start_stdio_session("-l", "da", "-s", "function.words") as process:
        for _ in range(3):
            process.stdin.write(b"SCORE ||| the old harbour ||| an old harbour\n")
            process.stdin.flush()
            statistics = process.stdout.readline()
            assert statistics.startswith(b"3.0 3.0 ")
            process.stdin.write(b"EVAL ||| " + statistics)
            process.stdin.flush()
            assert float(process.stdout.readline()) > 0
        # A carriage return also ends a line. Like Java, the program does not wait for a line feed after it.
        process.stdin.write(b"SCORE ||| a ||| a\r")
        process.stdin.flush()
        assert process.stdout.readline().startswith(b"1.0 1.0 ")
        process.stdin.close()
        assert process.wait(10) == 0


def test_stdio_session_ends_quietly_if_its_output_is_closed(folder):
    with start_stdio_session("-l", "da", "-s", "function.words") as process:
        process.stdout.close()
        process.stdin.write(b"SCORE ||| a ||| a\n")
        process.stdin.flush()
        assert process.wait(10) == 1
        assert process.stderr.read() == b""


def make_configuration(*arguments):
    """Return the configuration that results from options of the Java program."""
    return JavaConfiguration.from_options(parse(["h", "r", *arguments]))


def test_options_of_meteor_1_5_do_not_use_embeddings():
    configuration = make_configuration("-m", "exact synonym", "-d", "synsets")
    assert configuration.threshold is None
    assert configuration.slots == 4
    matchers, lemmatizer = make_chain_entries(configuration)
    synonym_matcher = matchers[configuration.modules.index("synonym")]
    assert synonym_matcher == {"use": "synonym"}
    assert lemmatizer is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-embTh", "x"], "-embTh: not a number"),
        (["-embTh", "1.5"], "-embTh is '1.5'; it must be a number between 0 and 1"),
        (["-embTh", ""], "-embTh is"),
        (["-embTh", ".8 .9"], "-embTh is"),
        (["-embLema", "x"], "unknown option \"-embLema\" \\(did you mean '-embLemma'"),
        (["-emb", "x", "-embLemma", "y"], "-embLemma names a second file of vectors"),
        (["-m", "exact embedings"], "unknown module"),
    ],
)
def test_configuration_rejects_invalid_embedding_options(arguments, message):
    with pytest.raises(UsageError, match=message):
        make_configuration(*arguments)
