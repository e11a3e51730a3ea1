"""Test meteor_e in long sessions of ``compat -stdio``, in threads, after forks, and with various locales.

    METEOR_E_JAR=…/meteor-1.5.jar python benchmarks/robustness/sessions.py HYPOTHESES REFERENCES \
        [--sessions 20] [--requests 500] [--seed 1]

- ``stdio`` sends random requests to ``compat`` and to the Java program: SCORE with one to four references, EVAL and
  SING with statistics from earlier responses, and invalid or empty lines. Requests that crash the Java program go to
  ``compat`` only, which must respond with one line ``Error:`` and continue.
- ``threads`` uses a ``Meteor`` in sixteen threads at once, and compares the results with those of one thread.
- ``fork`` forks processes after a ``Meteor`` was used, and while other threads use it.
- ``locales`` runs commands with several locales and encodings, and compares their output with that for C.UTF-8. It
  needs ``localedef``.

The script prints a line per test. It exits with 1 if a result differs or a process hangs.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from meteor_e import Meteor
from meteor_e.formats.plain import read_segments

SECONDS = 120
FATAL = ("EVAL ||| 1 2 3", "EVAL ||| x" + " 0" * 22, "SING ||| ", "EVAL ||| " + "1.5.5 " * 23)
"""Requests that crash the Java program."""
WRONG = ("", " ", "SCORE", "SCORE ||| ", "SCORE ||| a", "|||", "||||||", "EVAL", "SING", "nonsense", "scor ||| a ||| b")
"""Requests to which both programs respond with an error."""
CHARACTERS = "\x00\x0b\x1c\x1f\x85\xa0\u0130\u2028\u2c2f\ufeff\U0001f600|&\t"
CHAINS = (
    "-l en",
    "-l en -norm",
    "-l other",
    "-l fr -m exact@stem -w 1@0.5 -norm",
    "-l ru -m exact@stem -w 0.7@0.2 -lower",
    "-l cz -m exact -w 1 -ch",
    "-l de -m exact@stem -w 1@0.4 -x 3 -p 0.5@1@0.5@0.5",
)
"""Options of the sessions. ``@`` stands for a space within a value."""


class Session:
    """A running program that responds to requests line by line."""

    def __init__(self, command: Sequence[str]) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
        )
        self.errors = b""
        threading.Thread(target=self._read_errors, daemon=True).start()

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        self.errors = self.process.stderr.read()

    def request(self, line: str, line_count: int = 1) -> list[str]:
        """Send a request, and return the lines of the response."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        timer = threading.Timer(SECONDS, self.process.kill)
        timer.start()
        self.process.stdin.write(line.encode() + b"\n")
        response = [self.process.stdout.readline().decode().rstrip("\n") for _ in range(line_count)]
        timer.cancel()
        return response

    def end(self) -> int:
        """Close the input, and return the exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(SECONDS)


def are_nearly_equal(line: str, java_line: str) -> bool:
    """Return whether two lines are equal, or contain numbers that differ only in the last bits."""
    if line == java_line:
        return True
    try:
        return abs(float(line) - float(java_line)) <= 2e-16
    except ValueError:
        return False


class Request(NamedTuple):
    """A request of a session.

    Attributes:
        line: the request.
        line_count: number of lines of the response.
        is_fatal: whether the request crashes the Java program.
    """

    line: str
    line_count: int = 1
    is_fatal: bool = False


def draw_segment(texts: list[str], rng: random.Random) -> str:
    """Return a random text. Some texts are shuffled or shortened, or contain an unusual character."""
    words = rng.choice(texts).split()
    if rng.random() < 0.2:
        rng.shuffle(words)
    text = " ".join(words[: rng.randint(1, 60)])
    if rng.random() < 0.1:
        position = rng.randint(0, len(text))
        text = text[:position] + rng.choice(CHARACTERS) + text[position:]
    return text.replace("|||", " ")


def draw_request(texts: list[str], statistics: list[str], rng: random.Random) -> Request:
    """Return a random request.

    Args:
        texts: texts for SCORE.
        statistics: earlier responses to SCORE.
        rng: random number generator.
    """
    kind = rng.random()
    if kind < 0.5 or not statistics:
        hypothesis = draw_segment(texts, rng)
        references = []
        for _ in range(rng.choice((1, 1, 1, 2, 4))):
            is_unrelated = rng.random() < 0.3
            references.append(draw_segment(texts, rng) if is_unrelated else hypothesis[rng.randint(0, 9) :] + " x")
        command = rng.choice(("SCORE", "SCORE", "score"))
        return Request(" ||| ".join((command, *references, hypothesis)))
    if kind < 0.8:
        chosen = rng.choices(statistics, k=rng.choice((1, 1, 2, 5)))
        return Request(" ||| ".join(("EVAL", *chosen)), len(chosen) + 1)
    if kind < 0.85:
        return Request(f"SING ||| {rng.choice(statistics)}")
    if kind < 0.95:
        return Request(rng.choice(WRONG))
    return Request(rng.choice(FATAL), is_fatal=True)


def stdio(texts: list[str], session_count: int, request_count: int, seed: int) -> Counter[str]:
    """Send the same requests to ``compat`` and to the Java program, and compare the responses."""
    counts = Counter[str](sessions=session_count)
    for number in range(session_count):
        rng = random.Random(f"{seed} {number}")
        options = [word.replace("@", " ") for word in CHAINS[number % len(CHAINS)].split()]
        java = Session(["java", "-Xmx2G", "-XX:+UseSerialGC", "-Dfile.encoding=UTF-8", "-jar",
                        os.environ["METEOR_E_JAR"], "-", "-", *options, "-stdio"])  # fmt: skip
        compat = Session([sys.executable, "-m", "meteor_e", "compat", "-", "-", *options, "-stdio", "-coco"])
        statistics: list[str] = []
        for _ in range(request_count):
            request = draw_request(texts, statistics, rng)
            response = compat.request(request.line, request.line_count)
            counts["requests"] += 1
            if request.is_fatal:
                counts["fatal to Java"] += 1
                if not response[0].startswith("Error: "):
                    counts["wrong"] += 1
                    print(f"{options} {request.line!r}: {response}", file=sys.stderr)
                continue
            java_response = java.request(request.line, request.line_count)
            if request.line.lower().startswith("score") and java_response[0][:1].isdigit():
                statistics.append(java_response[0])
            if response == java_response:
                continue
            if all(map(are_nearly_equal, response, java_response)):
                counts["last bit"] += 1
            else:
                counts["wrong"] += 1
                print(f"{options} {request.line!r}:\n  ours {response}\n  Java {java_response}", file=sys.stderr)
        java.end()
        if compat.end() or b"Traceback" in compat.errors:
            counts["wrong"] += 1
            print(f"{options}: {compat.process.returncode}: {compat.errors.decode()[-500:]}", file=sys.stderr)
    return counts


def score_pairs(meteor: Meteor, pairs: list[tuple[str, str]]) -> list[object]:
    """Return the scores and statistics of pairs."""
    hypotheses = [hypothesis for hypothesis, _ in pairs]
    references = [reference for _, reference in pairs]
    return [(segment.score, segment.statistics) for segment in meteor.segments(hypotheses, references)]


def threads(pairs: list[tuple[str, str]], tasks: int, seed: int) -> Counter[str]:
    """Use a Meteor in sixteen threads."""
    counts = Counter[str]()
    rng = random.Random(seed)
    for settings in ({"threads": 1}, {"threads": 2}, {"threads": 4}):
        meteor = Meteor("en", **settings)  # type: ignore[arg-type]
        expected = score_pairs(Meteor("en", threads=1), pairs)
        spans = [sorted(rng.sample(range(len(pairs) + 1), 2)) for _ in range(tasks)]

        def score_span(span: list[int], meteor: Meteor = meteor) -> list[object]:
            start, end = span
            if end - start >= 20:
                return score_pairs(meteor, pairs[start:end])
            # Short spans also test scoring segment by segment.
            segments = [meteor.score(*pair) for pair in pairs[start:end]]
            return [(segment.score, segment.statistics) for segment in segments]

        with ThreadPoolExecutor(16) as pool:
            for (start, end), result in zip(spans, pool.map(score_span, spans), strict=True):
                counts["calls"] += 1
                counts["segments"] += end - start
                counts["wrong"] += result != expected[start:end]
    return counts


_SHARED: Meteor | None = None


def _score_in_child(pairs: list[tuple[str, str]]) -> list[object]:
    assert _SHARED is not None
    return score_pairs(_SHARED, pairs)


def fork(pairs: list[tuple[str, str]], rounds: int) -> Counter[str]:
    """Fork processes after a ``Meteor`` was used. In every second round, threads use it during the fork."""
    global _SHARED
    counts = Counter[str]()
    _SHARED = Meteor("en", threads=2)
    expected = score_pairs(_SHARED, pairs)
    context = multiprocessing.get_context("fork")
    for number in range(rounds):
        stop = threading.Event()
        shared = _SHARED

        def score_until_stop(stop: threading.Event = stop, shared: Meteor = shared) -> None:
            while not stop.is_set():
                score_pairs(shared, pairs[:100])

        thread_count = 4 if number % 2 else 0
        workers = [threading.Thread(target=score_until_stop, daemon=True) for _ in range(thread_count)]
        for worker in workers:
            worker.start()
        with context.Pool(4) as pool:
            try:
                results = pool.map_async(_score_in_child, [pairs] * 4, chunksize=1).get(SECONDS)
                counts["wrong"] += sum(result != expected for result in results)
            except multiprocessing.TimeoutError:
                counts["hangs"] += 1
            counts["processes"] += 4
        stop.set()
        for worker in workers:
            worker.join()
    return counts


LOCALES = ("C", "POSIX", "C.UTF-8", "de_DE", "de_DE.UTF-8", "tr_TR", "tr_TR.UTF-8", "xx_XX.none")
CHARSETS = {"de_DE": "ISO-8859-1", "tr_TR": "ISO-8859-9"}
ENCODINGS: tuple[dict[str, str], ...] = (
    {}, {"PYTHONUTF8": "0"}, {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    {"PYTHONUTF8": "0", "PYTHONIOENCODING": "latin-1"}, {"PYTHONUTF8": "1"},
)  # fmt: skip
COMMANDS = (
    "compat hyp ref -l en -norm",
    "compat hyp ref -l other -ssOut",
    "compat hyp ref -l fr -m exact -w 1 -norm -writeAlignments -f out",
    "score hyp ref",
    "score hyp ref --format json --segments",
    "score hyp ref -l other -M bleu -M chrf --format tsv",
    "score table.jsonl -l other",
    "mbr nbest -l other",
    "align hyp ref",
    "config check chain.yaml",
)
IN_PROCESS = """
import locale, sys
locale.setlocale(locale.LC_ALL, "")
from meteor_e.cli.program import main
main(sys.argv[1:])
"""


def locales(pairs: list[tuple[str, str]]) -> Counter[str]:
    """Run commands with several locales, and compare their output with the output for the locale C.UTF-8."""
    counts = Counter[str]()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_input_files(folder, pairs[:20])
        compile_locales(folder / "locales")
        for command in COMMANDS:
            expected = run_command(folder, command, {"LC_ALL": "C.UTF-8"})
            assert expected.returncode == 0, expected
            environments = [{"LC_ALL": locale, **encoding} for locale in LOCALES for encoding in ENCODINGS]
            environments += [{"LC_ALL": locale, "PYTHONUTF8": "1", "SETLOCALE": "1"} for locale in ("de_DE", "tr_TR")]
            for environment in environments:
                if "PYTHONIOENCODING" in environment and environment["LC_ALL"] != "C":
                    continue
                process = run_command(folder, command, environment)
                counts["runs"] += 1
                if (process.returncode, process.stdout) != (expected.returncode, expected.stdout):
                    counts["wrong"] += 1
                    error = process.stderr.decode(errors="replace")[-300:]
                    print(f"{environment} {command}: {process.returncode} {error}\n  {process.stdout[:200]!r}\n"
                          f"  {expected.stdout[:200]!r}", file=sys.stderr)  # fmt: skip
    return counts


def write_input_files(folder: Path, pairs: list[tuple[str, str]]) -> None:
    """Write the files that the commands read. They contain letters whose case depends on the locale."""
    special_pair = ("Straße İstanbul ıI ﬁ Σίσυφος 1.234,5", "STRASSE istanbul Iı fi ΣΊΣΥΦΟΣ 1,234.5")
    pairs = [special_pair, *pairs]
    (folder / "hyp").write_text("".join(f"{hypothesis}\n" for hypothesis, _ in pairs), encoding="utf-8")
    (folder / "ref").write_text("".join(f"{reference}\n" for _, reference in pairs), encoding="utf-8")
    (folder / "table.jsonl").write_text('{"hypothesis": "é ı", "reference": "É ı", "score": 0.5}\n', "utf-8")
    (folder / "nbest").write_text("0 ||| é ı ||| x=0.5\n0 ||| É ı ||| x=0.5\n", encoding="utf-8")
    (folder / "chain.yaml").write_text("language: other\nmatchers: [{use: exact, weight: 0.5}]\n# é\n", "utf-8")


def compile_locales(folder: Path) -> None:
    """Compile German locales, which have decimal commas, and Turkish locales, which have an i without a dot."""
    for name in LOCALES:
        source, _, charset = name.partition(".")
        if source in CHARSETS:
            path = folder / name.replace("UTF-8", "utf8")
            path.parent.mkdir(exist_ok=True)
            subprocess.run(["localedef", "-i", source, "-f", charset or CHARSETS[source], path], check=True)


def run_command(folder: Path, command: str, environment: dict[str, str]) -> subprocess.CompletedProcess[bytes]:
    """Run a command in a folder. With the variable SETLOCALE, the program calls ``locale.setlocale`` first."""
    prefixes = ("LC_", "LANG", "PYTHON")
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(prefixes)}
    program = ["-c", IN_PROCESS] if "SETLOCALE" in environment else ["-m", "meteor_e"]
    return subprocess.run(
        [sys.executable, *program, *command.split()],
        env=inherited | {"LOCPATH": str(folder / "locales")} | environment,
        capture_output=True,
        cwd=folder,
        timeout=SECONDS,
    )


def main() -> None:
    """Run the tests, and print a line per test."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hypotheses", type=Path)
    parser.add_argument("references", type=Path)
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--requests", type=int, default=500, help="requests per session")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=["stdio", "threads", "fork", "locales"])
    arguments = parser.parse_args()
    pairs = list(zip(read_segments(arguments.hypotheses), read_segments(arguments.references), strict=True))
    texts = [text for pair in pairs for text in pair]
    tests: dict[str, Callable[[], Counter[str]]] = {
        "stdio": lambda: stdio(texts, arguments.sessions, arguments.requests, arguments.seed),
        "threads": lambda: threads(pairs[:1000], 100, arguments.seed),
        "fork": lambda: fork(pairs[:500], 20),
        "locales": lambda: locales(pairs),
    }
    failures = 0
    for name, run_test in tests.items():
        if arguments.only in (None, name):
            counts = run_test()
            failures += counts["wrong"] + counts["hangs"]
            summary = ", ".join(f"{count:,} {unit}" for unit, count in counts.items())
            print(f"{name:8} {summary}; wrong {counts['wrong']}, hangs {counts['hangs']}", flush=True)
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
