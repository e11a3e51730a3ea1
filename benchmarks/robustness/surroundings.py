"""Test the command line in unusual environments and with unusual values, names and markup.

    python benchmarks/robustness/surroundings.py [--only KIND]

While ``hostile.py`` damages files, this script changes the environment of commands:

- ``streams``: standard streams that are closed or full, and devices as inputs and outputs.
- ``environment``: invalid values of environment variables, missing folders, locales, and options of Python.
- ``limits``: few open files, little memory, no threads, and no space on the disk.
- ``names``: unusual names of files, languages, chains and metrics.
- ``options``: values that an option must not accept.
- ``YAML``, ``JSON``, ``markup`` and ``packed``: files that a parser accepts, but that are meaningless or dangerous.

Each case runs in a new process with at most 4 GiB of memory and 60 seconds. The script counts tracebacks, processes
that a signal kills or that hang, error messages that are not one line, exit codes of 0 for invalid input, and output
files of failed commands. The exit code is 0 if no such problem occurs.
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import lzma
import os
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

SECONDS = 60
MEMORY = 4 << 30
SCORE = ("score", "hyp", "ref", "-l", "other")
TABLE = ("compat", "hyp", "ref", "-l", "other", "-m", "exact paraphrase", "-a", "table")
PLAIN = {"hyp": b"the cat sat\na dog barked\n", "ref": b"the cat sat\na dog ran\n", "table": b"0.5\nthe cat\na cat\n"}
CHAIN = "language: other\nmatchers: [exact]\n"
XML = (
    '<?xml version="1.0" encoding="utf-8"?>\n<dataset id="d"><doc id="1"><ref lang="en" translator="A"><p>'
    '<seg id="1">the cat</seg></p></ref><hyp system="s" lang="en"><p><seg id="1">a cat</seg></p></hyp></doc>'
    "</dataset>\n"
)
SGML = (
    '<tstset setid="s" srclang="cs" trglang="en"><doc docid="d" sysid="x">\n<seg id="1">the cat</seg>\n'
    '<seg id="2">a dog</seg>\n</doc></tstset>\n'
)
NUMBERS = ("-1", ".inf", ".nan", "1e309", '"1"', "true", "[1]", "{a: 1}", "2026-01-01", "!!binary aGk=", "!foo 5")


class Case(NamedTuple):
    """A command with its files, environment variables and resource limits, and whether it must fail."""

    kind: str
    arguments: tuple[str | bytes, ...] = SCORE
    files: Mapping[str, str | bytes] = {}
    fails: bool = False
    environment: Mapping[str, str] = {}
    limits: tuple[tuple[int, int], ...] = ()
    shell: str = ""
    flags: tuple[str, ...] = ()
    silent: bool = False


def streams() -> Iterator[Case]:
    """Yield commands whose standard streams are closed or full, or whose inputs and outputs are devices."""
    for command, closed in (("score - ref", "<&-"), ("compat - - -stdio", "<&-"), ("score hyp ref", ">&-")):
        yield Case("streams", shell=f"{command} -l other {closed}", fails=True)
    for command in ("score hyp ref -l other", "compat hyp ref -l other", "--help", "--version", "plugins"):
        for stream in (">/dev/full", ">&-"):
            yield Case("streams", shell=f"{command} {stream}", fails=True)
    yield Case("streams", shell="score hyp ref -l other -o out.json <&- >&- 2>&-", silent=True)
    for stream in ("2>&-", "2>/dev/full"):
        yield Case("streams", shell=f"score nothing ref -l other {stream}", fails=True, silent=True)
        yield Case("streams", shell=f"score hyp ref -l other {stream}", silent=True)
    for output in ("/dev/full", ".", "no/where", "x" * 300, "/proc/self/mem", "hyp/x"):
        yield Case("streams", (*SCORE, "-o", output), fails=True)
    for path in ("/proc/self/mem", "/dev/full", "/dev/zero", "/dev/urandom", "/dev/tty", "/dev/fd/77", "/proc/1/mem"):
        for command in ("score", "compat"):
            yield Case("streams", (command, path, "ref", "-l", "other"), fails=True)


def environment() -> Iterator[Case]:
    """Yield commands with invalid environment variables or an incomplete environment."""
    for value in ("garbage", "-1", "9" * 20, "", "\n", "/dev/null", "/proc/1/root"):
        for name in ("PACKS", "CACHE", "PURE", "OFFLINE", "THREADS", "JAR", "ENCODERS"):
            yield Case("environment", environment={f"METEOR_E_{name}": value})
        yield Case("environment", TABLE, environment={"METEOR_E_CACHE": value})
        yield Case("environment", ("score", "hyp", "ref"), environment={"METEOR_E_PACKS": value})
    for name, value in (
        ("HOME", "/proc/nowhere"), ("HOME", "/dev/null"), ("TMPDIR", "/nonexistent"), ("PYTHONIOENCODING", "ascii"),
        ("PYTHONWARNINGS", "error"), ("LC_ALL", "C"), ("LC_ALL", "xx_YY.nope"),
    ):  # fmt: skip
        yield Case("environment", (*SCORE, "--name", "日本"), environment={name: value})
        yield Case("environment", ("score", "日本", "ref"), environment={name: value}, fails=True)
    yield Case("environment", shell="score /proc/self/cwd/hyp ref -l other")
    for flags in (
        ("-OO",),
        ("-X", "dev"),
        ("-bb",),
        ("-W", "error"),
        ("-X", "utf8=0"),
        ("-X", "int_max_str_digits=640"),
    ):
        yield Case("environment", flags=flags)
        yield Case("environment", ("score", "hyp", "ref", "-l", "xx"), flags=flags, fails=True)


def limits() -> Iterator[Case]:
    """Yield commands with few open files, little memory, no space on the disk, or no threads."""
    for count in (6, 8, 10, 16):
        yield Case("limits", limits=((resource.RLIMIT_NOFILE, count),))
    for megabytes in (100, 150, 200, 300, 500):
        yield Case("limits", (*SCORE, "--threads", "2"), limits=((resource.RLIMIT_AS, megabytes << 20),))
    yield Case("limits", (*SCORE, "--threads", "8"), limits=((resource.RLIMIT_NPROC, 1),))
    for arguments in (
        (*SCORE, "-o", "out.json"), (*SCORE, "-o", "out.jsonl"),
        ("compat", "hyp", "ref", "-l", "other", "-writeAlignments"),
    ):  # fmt: skip
        yield Case("limits", arguments, limits=((resource.RLIMIT_FSIZE, 10),), fails=True)


def names() -> Iterator[Case]:
    """Yield commands with unusual names of files, languages, chains and metrics."""
    odd = ("", "a\nb", b"\xff\xfe", "x" * 300, "\x1b[31m", "\u202e", "../..", "/", "-", "%s{}", "=1+1", "a b", "\ud7ff")
    for name in odd:
        yield Case("names", ("score", name, "ref", "-l", "other"), fails=name != "-")
        for option in ("-l", "-c", "-M", "-m", "-t", "--set", "--encoding", "--format-in"):
            yield Case("names", (*SCORE, option, name), fails=True)
        yield Case("names", (*SCORE, "--name", name, "-f", "csv"))
    for encoding in ("base64", "rot13", "undefined", "utf-16", "punycode", "hex", "mbcs"):
        yield Case("names", (*SCORE, "--encoding", encoding), fails=True)


def options() -> Iterator[Case]:
    """Yield commands with invalid values of options."""
    for option in ("--threads", "--digits", "--samples", "--seed", "--significance"):
        for value in ("", "-1", "9" * 20, "1e5", "NaN", "=", "alpha=nan"):
            large = value == "9" * 20 and option in ("--threads", "--samples", "--seed")
            yield Case("options", (*SCORE, option, value), fails=not large)
    for option in ("-t", "-p", "-m", "-w", "-r", "-x", "-s", "-l", "-new", "-lemmas", "-embTh"):
        for value in ("", "-1", "9" * 20, "1 2 3 4 5 6 7", "nan nan nan nan", "x y", "-norm"):
            yield Case("options", ("compat", "hyp", "ref", "-l", "other", "-m", "exact", option, value))


def yaml() -> Iterator[Case]:
    """Yield chain files with unusual YAML numbers, anchors and tags, and with ambiguous YAML values."""
    texts = [f"{CHAIN}{key}: {value}\n" for key in ("beam", "parameters", "pack", "task") for value in NUMBERS]
    for name in ("alpha", "beta", "gamma", "delta"):
        texts += [f"{CHAIN}parameters: {{{name}: {value}}}\n" for value in NUMBERS]
    texts += [f"language: other\nmatchers: [{{use: exact, weight: {value}}}]\n" for value in NUMBERS]
    bomb = "".join(
        f"- &{new} [{', '.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
    )
    texts += [
        "", "~\n", "[1, 2]\n", "hello\n", f"{CHAIN}---\n{CHAIN}", "&a [*a]\n", "&a {language: other, matchers: [*a]}\n",
        "&a\nlanguage: other\n<<: *a\n", f"{CHAIN}beam: 5\nbeam: 7\n", "language: other\nmatchers: []\n",
        "!!python/object/apply:os.system [id]\n", f"matchers: {'[' * 5000}{']' * 5000}\n", f"{'x' * 100_000}: 1\n",
        f"language: other\nmatchers:\n- &a [x, x]\n{bomb}", 'language: "ot\\0her"\nmatchers: [exact]\n',
        f'{CHAIN}pack: "\\ud800"\n', f"{CHAIN}pack: ../../../etc\n", f"{CHAIN}# {'x' * (2 << 20)}\n",
        f"{CHAIN}beem: 4\n",
        "language: other\nmatchers: [lemma]\nlemmatizer: {use: lookup, file: /dev/zero}\n", f"{CHAIN}# \x07\n",
        "language: ./c.yaml\nmatchers: [exact]\n", "language:\tother\nmatchers:\n\t- exact\n",
    ]  # fmt: skip
    for text in texts:
        yield Case("YAML", ("score", "hyp", "ref", "-c", "./c.yaml"), {"c.yaml": text}, fails=True)


def json() -> Iterator[Case]:
    """Yield JSON rows with values of wrong types, huge numbers, or too much nesting."""
    start = '{"hypothesis": "a", "reference": "a", "n": '
    for hypothesis in ("null", "5", "true", '["a"]', '{"a": 1}', '"\\ud800"'):
        row = f'{{"hypothesis": {hypothesis}, "reference": "a"}}\n'
        yield Case("JSON", ("score", "a.jsonl", "-l", "other"), {"a.jsonl": row}, fails=True)
    for reference in ("[]", "[null]", '[["a"]]', "5"):
        row = f'{{"hypothesis": "a", "reference": {reference}}}\n'
        yield Case("JSON", ("score", "a.jsonl", "-l", "other"), {"a.jsonl": row}, fails=True)
    for value in ("1e99999", "9" * 5000, "NaN", "[" * 900 + "]" * 900, "[" * 100_000, '"\\ud800"', "1, 1", "\0"):
        for output in ("out.jsonl", "out.parquet"):
            yield Case("JSON", ("score", "a.jsonl", "-l", "other", "-o", output), {"a.jsonl": f"{start}{value}}}\n"})


def markup() -> Iterator[Case]:
    """Yield XML and SGML files with dangerous entities, declarations, encodings and nesting."""
    entities = "".join(f'<!ENTITY {new} "{f"&{old};" * 10}">' for old, new in zip("abcdefgh", "bcdefghi", strict=True))
    for old, new in (
        ("<dataset", f'<!DOCTYPE l [<!ENTITY a "aaaaaaaaaa">{entities}]><dataset'),
        ("<dataset", '<!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/passwd">]><dataset'),
        ("utf-8", "utf-7"), ("utf-8", "klingon"), ("utf-8", "base64"), ("utf-8", "utf-16"), ("utf-8", "idna"),
        ("<p><seg", "<p>" * 100_000 + "<seg"), ("the cat", "&#xD800;"), ("the cat", "a\0b"), ("the cat", "&nope;"),
    ):  # fmt: skip
        yield Case("markup", ("score", "h", "-l", "other"), {"h": XML.replace(old, new, 1)}, fails=True)
    reference = SGML.replace("tstset", "refset").replace("sysid", "refid")
    for old, new in (
        ("the cat", '<seg id="9">the cat</seg>'), (' id="1"', ""), ('id="2"', 'id="1"'), ("</seg>", ""), (SGML[7:], ""),
        ('<doc docid="d" sysid="x">', ""),
    ):  # fmt: skip
        files = {"h": SGML.replace(old, new), "r": reference}
        yield Case("markup", ("score", "h", "r", "-l", "other"), files, fails=True)
        yield Case("markup", ("compat", "h", "r", "-l", "other", "-sgml"), files)


def packed() -> Iterator[Case]:
    """Yield compressed files that are truncated, compressed twice, or in another format than their name says."""
    text = PLAIN["hyp"]
    for data in (
        gzip.compress(text) + b"junk", gzip.compress(gzip.compress(text)), gzip.compress(text)[:-8] + bytes(8),
        b"\x1f\x8b",
        bz2.compress(text)[:-3], lzma.compress(text)[:-3], b"\x04\x22\x4d\x18" + bytes(30), b"PK\x03\x04" + bytes(30),
        b"7z\xbc\xaf\x27\x1c" + bytes(30), b"\x1f\x9d" + bytes(20), b"\x28\xb5\x2f\xfd" + bytes(20),
        gzip.compress(b"a" * (200 << 20), 1),
    ):  # fmt: skip
        yield Case("packed", files={"hyp": data}, fails=True)
    for name in ("a.parquet", "a.arrow", "a.jsonl", "a.csv"):
        for data in (b"PAR1" + b"x" * 100 + b"PAR1", b"PAR1", b"ARROW1\0\0" + b"x" * 50):
            yield Case("packed", ("score", name, "-l", "other"), {name: data}, fails=True)


def problem(case: Case, folder: Path) -> str:
    """Run a command in a folder, and return the problem, such as a traceback, with the error message."""
    for name, content in {**PLAIN, **case.files}.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    program = [sys.executable, *case.flags, "-m", "meteor_e"]
    command: list[Any] = [*program, *case.arguments]
    if case.shell:
        command = ["sh", "-c", f"{shlex.join(program)} {case.shell}"]

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        for resource_type, maximum in case.limits:
            resource.setrlimit(resource_type, (maximum, maximum))

    variables = {
        **os.environ,
        "METEOR_E_OFFLINE": "1",
        "METEOR_E_CACHE": str(folder.parent / "cache"),
        **case.environment,
    }
    process = subprocess.Popen(
        command, cwd=folder, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=limit, start_new_session=True,
    )  # fmt: skip
    try:
        message = process.communicate(timeout=SECONDS)[1].decode(errors="replace")
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return "hang"
    code = process.returncode
    lines = [line for line in message.splitlines() if "arning: " not in line[:20] and "installing it" not in line]
    verdicts = {
        "signal": code < 0 or code >= 128,
        "traceback": any(word in message for word in ("Traceback", "Exception ignored", "Fatal Python")),
        "exit 0": code == 0 and case.fails,
        "not one line": code != 0 and len(lines) != (0 if case.silent else 1),
        "left behind": code != 0 and any(folder.glob("out*")),
    }
    verdict = next((name for name, holds in verdicts.items() if holds), "")
    return f"{verdict}: {message.strip()[-300:]}" if verdict else ""


def main() -> None:
    """Run all cases, and print a line for each kind of case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", metavar="KIND", help="only this kind; may be repeated")
    only = parser.parse_args().only
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    with tempfile.TemporaryDirectory() as scratch:
        for kind in (streams, environment, limits, names, options, yaml, json, markup, packed):
            for case in kind():
                if only and case.kind not in only:
                    break
                folder = Path(scratch) / "case"
                folder.mkdir()
                wrong = problem(case, folder)
                shutil.rmtree(folder)
                counts[case.kind].update(cases=1, **({wrong.partition(":")[0]: 1} if wrong else {}))
                if wrong:
                    print(f"{case.kind}: {str(case)[:300]}: {wrong}", file=sys.stderr, flush=True)
            for name in [name for name in counts if name.lower() == kind.__name__]:
                print(f"{name:12} {dict(counts[name])}", flush=True)
    total = sum(counts.values(), Counter[str]())
    cases = total.pop("cases", 0)
    print(f"{cases} cases; wrong: {dict(total) or 0}")
    sys.exit(bool(total) or not cases)


if __name__ == "__main__":
    main()
