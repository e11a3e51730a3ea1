"""Count long sessions and unusual surroundings: requests to ``compat -stdio``, threads, forks and locales.

    METEOR_E_JAR=…/meteor-1.5.jar python benchmarks/robustness/sessions.py HYPOTHESES REFERENCES \
        [--sessions 20] [--requests 500] [--seed 1]

``stdio``: sessions of random requests (SCORE with one to four references, EVAL and SING with statistics from earlier
answers, damaged and empty lines), line by line to ``compat`` and to the Java program. Requests that end the Java
program with a stack trace go to ``compat`` alone, which must answer with one line ``Error:`` and go on.
``threads``: one ``Meteor`` used from sixteen threads at once, against what one thread gets.
``fork``: processes forked after a ``Meteor`` was used, and while other threads use it.
``locales``: commands under locales and encodings, against the bytes under C.UTF-8 (needs ``localedef``).

It prints a line per kind, and exits with 1 if anything differs or hangs.
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

from meteor_e import Meteor
from meteor_e.formats.plain import read_segments

SECONDS = 120
FATAL = ("EVAL ||| 1 2 3", "EVAL ||| x" + " 0" * 22, "SING ||| ", "EVAL ||| " + "1.5.5 " * 23)
"""Requests at which the Java program ends."""
WRONG = ("", " ", "SCORE", "SCORE ||| ", "SCORE ||| a", "|||", "||||||", "EVAL", "SING", "nonsense", "scor ||| a ||| b")
"""Requests that both answer with an error."""
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
"""Options of the sessions; ``@`` is a blank in a value."""


class Session:
    """A program that answers line by line."""

    def __init__(self, command: Sequence[str]) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
        )
        self.errors = b""
        threading.Thread(target=self._read_errors, daemon=True).start()

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        self.errors = self.process.stderr.read()

    def ask(self, line: str, answers: int = 1) -> list[str]:
        """Send a request; return its answer's lines."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        watch = threading.Timer(SECONDS, self.process.kill)
        watch.start()
        self.process.stdin.write(line.encode() + b"\n")
        found = [self.process.stdout.readline().decode().rstrip("\n") for _ in range(answers)]
        watch.cancel()
        return found

    def end(self) -> int:
        """Close the input; return the exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(SECONDS)


def nearly_equal(one: str, other: str) -> bool:
    """Tell whether two answers differ in the last bits of ``pow`` only."""
    try:
        return abs(float(one) - float(other)) <= 2e-16
    except ValueError:
        return False


def stdio(texts: list[str], sessions: int, requests: int, seed: int) -> Counter[str]:
    """Compare sessions with the Java program's."""
    counts = Counter[str](sessions=sessions)
    for number in range(sessions):
        draw = random.Random(f"{seed} {number}")
        options = [word.replace("@", " ") for word in CHAINS[number % len(CHAINS)].split()]
        java = Session(["java", "-Xmx2G", "-XX:+UseSerialGC", "-Dfile.encoding=UTF-8", "-jar",
                        os.environ["METEOR_E_JAR"], "-", "-", *options, "-stdio"])  # fmt: skip
        ours = Session([sys.executable, "-m", "meteor_e", "compat", "-", "-", *options, "-stdio", "-coco"])
        known: list[str] = []

        def segment(draw: random.Random = draw) -> str:
            text = draw.choice(texts)
            words = text.split()
            draw.shuffle(words) if draw.random() < 0.2 else None
            text = " ".join(words[: draw.randint(1, 60)])
            if draw.random() < 0.1:
                at = draw.randint(0, len(text))
                text = text[:at] + draw.choice(CHARACTERS) + text[at:]
            return text.replace("|||", " ")

        for _ in range(requests):
            kind, answers, both = draw.random(), 1, True
            if kind < 0.5 or not known:
                hypothesis = segment()
                references = [segment() if draw.random() < 0.3 else hypothesis[draw.randint(0, 9) :] + " x"
                              for _ in range(draw.choice((1, 1, 1, 2, 4)))]  # fmt: skip
                name = draw.choice(("SCORE", "SCORE", "score"))
                line = " ||| ".join((name, *references, hypothesis))
            elif kind < 0.8:
                chosen = draw.choices(known, k=draw.choice((1, 1, 2, 5)))
                line, answers = " ||| ".join(("EVAL", *chosen)), len(chosen) + 1
            elif kind < 0.85:
                line = f"SING ||| {draw.choice(known)}"
            elif kind < 0.95:
                line = draw.choice(WRONG)
            else:
                line, both = draw.choice(FATAL), False
            mine = ours.ask(line, answers)
            counts["requests"] += 1
            if not both:
                counts["fatal to Java"] += 1
                if not mine[0].startswith("Error: "):
                    counts["wrong"] += 1
                    print(f"{options} {line!r}: {mine}", file=sys.stderr)
                continue
            theirs = java.ask(line, answers)
            if line.lower().startswith("score") and theirs[0][:1].isdigit():
                known.append(theirs[0])
            if mine != theirs:
                if all(one == two or nearly_equal(one, two) for one, two in zip(mine, theirs, strict=True)):
                    counts["last bit"] += 1
                else:
                    counts["wrong"] += 1
                    print(f"{options} {line!r}:\n  ours {mine}\n  Java {theirs}", file=sys.stderr)
        java.end()
        if ours.end() or b"Traceback" in ours.errors:
            counts["wrong"] += 1
            print(f"{options}: {ours.process.returncode}: {ours.errors.decode()[-500:]}", file=sys.stderr)
    return counts


def scores(meteor: Meteor, pairs: list[tuple[str, str]]) -> list[object]:
    """Return what a Meteor says of some pairs."""
    return [(one.score, one.statistics) for one in meteor.segments([h for h, _ in pairs], [r for _, r in pairs])]


def threads(pairs: list[tuple[str, str]], tasks: int, seed: int) -> Counter[str]:
    """Use a Meteor from sixteen threads."""
    counts = Counter[str]()
    draw = random.Random(seed)
    for settings in ({"threads": 1}, {"threads": 2}, {"threads": 4}):
        meteor = Meteor("en", **settings)  # type: ignore[arg-type]
        expected = scores(Meteor("en", threads=1), pairs)
        spans = [sorted(draw.sample(range(len(pairs) + 1), 2)) for _ in range(tasks)]

        def work(span: list[int], meteor: Meteor = meteor) -> list[object]:
            begin, end = span
            if end - begin < 20:  # one by one, too
                return [(one.score, one.statistics) for one in (meteor.score(*pair) for pair in pairs[begin:end])]
            return scores(meteor, pairs[begin:end])

        with ThreadPoolExecutor(16) as pool:
            for (begin, end), found in zip(spans, pool.map(work, spans), strict=True):
                counts["calls"] += 1
                counts["segments"] += end - begin
                counts["wrong"] += found != expected[begin:end]
    return counts


_SHARED: Meteor | None = None


def _forked(pairs: list[tuple[str, str]]) -> list[object]:
    assert _SHARED is not None
    return scores(_SHARED, pairs)


def fork(pairs: list[tuple[str, str]], rounds: int) -> Counter[str]:
    """Fork after use, and while threads use it."""
    global _SHARED
    counts = Counter[str]()
    _SHARED = Meteor("en", threads=2)
    expected = scores(_SHARED, pairs)
    context = multiprocessing.get_context("fork")
    for number in range(rounds):
        stop = threading.Event()
        shared = _SHARED

        def busy(stop: threading.Event = stop, shared: Meteor = shared) -> None:
            while not stop.is_set():
                scores(shared, pairs[:100])

        workers = [threading.Thread(target=busy, daemon=True) for _ in range(4 if number % 2 else 0)]
        for worker in workers:
            worker.start()
        with context.Pool(4) as pool:
            try:
                found = pool.map_async(_forked, [pairs] * 4, chunksize=1).get(SECONDS)
                counts["wrong"] += sum(one != expected for one in found)
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
    """Run commands under locales."""
    counts = Counter[str]()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        special = [("Straße İstanbul ıI ﬁ Σίσυφος 1.234,5", "STRASSE istanbul Iı fi ΣΊΣΥΦΟΣ 1,234.5")]
        chosen = [*special, *pairs[:20]]
        (folder / "hyp").write_text("".join(f"{one}\n" for one, _ in chosen), encoding="utf-8")
        (folder / "ref").write_text("".join(f"{two}\n" for _, two in chosen), encoding="utf-8")
        (folder / "table.jsonl").write_text('{"hypothesis": "é ı", "reference": "É ı", "score": 0.5}\n', "utf-8")
        (folder / "nbest").write_text("0 ||| é ı ||| x=0.5\n0 ||| É ı ||| x=0.5\n", encoding="utf-8")
        (folder / "chain.yaml").write_text("language: other\nmatchers: [{use: exact, weight: 0.5}]\n# é\n", "utf-8")

        def run(command: str, environment: dict[str, str]) -> tuple[int, bytes, bytes]:
            kept = {key: value for key, value in os.environ.items() if not key.startswith(("LC_", "LANG", "PYTHON"))}
            kept["LOCPATH"] = str(folder / "locales")
            start = [sys.executable, *(("-c", IN_PROCESS) if "SETLOCALE" in environment else ("-m", "meteor_e"))]
            done = subprocess.run([*start, *command.split()], env=kept | environment, capture_output=True,
                                  cwd=folder, timeout=SECONDS)  # fmt: skip
            return done.returncode, done.stdout, done.stderr

        for name in LOCALES:
            source, _, charset = name.partition(".")
            if "_" in source and source != "xx_XX":  # Germans write 0,5; Turks have an i without a dot
                made = folder / "locales" / name.replace("UTF-8", "utf8")
                made.parent.mkdir(exist_ok=True)
                subprocess.run(["localedef", "-i", source, "-f", charset or CHARSETS[source], made], check=True)
        for command in COMMANDS:
            expected = run(command, {"LC_ALL": "C.UTF-8"})
            assert expected[0] == 0, expected
            for name in LOCALES:
                for encoding in ENCODINGS:
                    if "PYTHONIOENCODING" in encoding and name != "C":
                        continue
                    found = run(command, {"LC_ALL": name, **encoding})
                    counts["runs"] += 1
                    if found[:2] != expected[:2]:
                        counts["wrong"] += 1
                        print(f"{name} {encoding} {command}: {found[0]} {found[2].decode(errors='replace')[-300:]}\n"
                              f"  {found[1][:200]!r}\n  {expected[1][:200]!r}", file=sys.stderr)  # fmt: skip
            for name in ("de_DE", "tr_TR"):
                found = run(command, {"LC_ALL": name, "PYTHONUTF8": "1", "SETLOCALE": "1"})
                counts["runs"] += 1
                if found[:2] != expected[:2]:
                    counts["wrong"] += 1
                    print(f"setlocale {name} {command}: {found}", file=sys.stderr)
    return counts


def main() -> None:
    """Count, and print a line per kind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hypotheses", type=Path)
    parser.add_argument("references", type=Path)
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--requests", type=int, default=500, help="in a session")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=["stdio", "threads", "fork", "locales"])
    arguments = parser.parse_args()
    pairs = list(zip(read_segments(arguments.hypotheses), read_segments(arguments.references), strict=True))
    texts = [text for pair in pairs for text in pair]
    kinds: dict[str, Callable[[], Counter[str]]] = {
        "stdio": lambda: stdio(texts, arguments.sessions, arguments.requests, arguments.seed),
        "threads": lambda: threads(pairs[:1000], 100, arguments.seed),
        "fork": lambda: fork(pairs[:500], 20),
        "locales": lambda: locales(pairs),
    }
    bad = 0
    for kind, count in kinds.items():
        if arguments.only in (None, kind):
            counts = count()
            bad += counts["wrong"] + counts["hangs"]
            print(f"{kind:8} {', '.join(f'{number:,} {what}' for what, number in counts.items())}; "
                  f"wrong {counts['wrong']}, hangs {counts['hangs']}", flush=True)  # fmt: skip
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
