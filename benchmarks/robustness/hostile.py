"""Count what files and settings of bad intent do to every reader.

    python benchmarks/robustness/hostile.py [--seed 1] [--mutations 40]

For each reader there is a small file that works. Each case replaces it by something else: what is no regular file,
what never ends, what is damaged, and mutations of the file at random. Every case runs the command line in a process
of its own with 4 GiB of memory and 30 seconds. Counted are tracebacks, deaths by a signal, hangs, errors of more than
one line, exits of 0 where the input is surely wrong, and outputs that a failed command left behind. All should be 0;
the exit code says whether they are.
"""

from __future__ import annotations

import argparse
import gzip
import lzma
import os
import random
import resource
import shutil
import signal
import socket
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

SECONDS = 30
MEMORY = 4 << 30
ONCE = ("compat", "compat SGML", "rankings CSV", "rankings XML", "score file", "model")
"""Readers that take a pipe, and wait for what it says; the other ones refuse it."""

Maker = Callable[[Path], None]


class Reader(NamedTuple):
    """A reader: the file that is replaced, the others, and the command that reads it."""

    file: str
    arguments: tuple[str, ...]
    files: dict[str, bytes]
    output: str | None = None


HYPOTHESIS = b"the cat sat on the mat\na dog barked\n"
SGML = (
    b'<tstset setid="s" srclang="cs" trglang="en"><doc docid="d" sysid="x">\n<seg id="1">the cat</seg>\n'
    b'<seg id="2">a dog</seg>\n</doc></tstset>\n'
)
REFERENCE_SGML = SGML.replace(b"tstset", b"refset").replace(b"sysid", b"refid")
XML = (
    b'<?xml version="1.0" encoding="utf-8"?>\n<dataset id="d"><doc id="1">'
    b'<src lang="cs"><p><seg id="1">x</seg></p></src>'
    b'<ref lang="en" translator="A"><p><seg id="1">the cat</seg></p></ref>'
    b'<hyp system="s" lang="en"><p><seg id="1">a cat</seg></p></hyp></doc></dataset>\n'
)
JSON_LINES = b'{"hypothesis": "the cat", "reference": ["a cat"], "n": 1, "x": {"y": [1.5, null]}}\n' * 3
CHAIN = (
    b"language: other\nmatchers: [{use: exact, weight: 1.0}, {use: stem, weight: 0.6, stemmer: english}]\nbeam: 40\n"
)
LEMMAS = b"cat\tN\tcat\nsat\tV\tsit\n"
LANGUAGE = (
    b"code: tlh\nname: Klingon\nnormalization: lower\nmatchers: [exact]\ndefault_task: rank\n"
    b"tasks: {rank: {alpha: 0.5, beta: 1.0, gamma: 0.5, delta: 0.5, weights: {exact: 1.0}}}\n"
)
TABLE = b"0.5\nthe cat\na cat\n0.25\ndog\nhound\n"
INDEX = (
    b"name: T\npairs: [cs-en]\nreferences: ref\noutputs: out.{system}\n"
    b"judgements:\n  - {file: ranks.csv, format: ranking-csv}\n"
)
RANKS = (
    b"srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Number,system1Id,system2Number,system2Id,"
    b"system3Number,system3Id,system4Number,system4Id,system5Number,system5Id,"
    b"system1rank,system2rank,system3rank,system4rank,system5rank\n"
    b"Czech,English,1,doc,1,judge,1,a,2,b,3,,4,,5,,1,2,-1,-1,-1\n"
    b"Czech,English,2,doc,2,judge,1,a,2,b,3,,4,,5,,2,1,-1,-1,-1\n"
)
RANKING_XML = (
    b'<appraise><ranking-result><ranking-item id="1" src-id="1" user="u" source-language="ces" target-language="eng">'
    b'<translation system="a" rank="1"/><translation system="b" rank="2"/></ranking-item></ranking-result></appraise>\n'
)
SCORES = b"m\tcs-en\tt\ta\t1\t0.5\nm\tcs-en\tt\ta\t2\t0.5\nm\tcs-en\tt\tb\t1\t0.25\nm\tcs-en\tt\tb\t2\t0.75\n"


def readers(folder: Path) -> dict[str, Reader]:
    """Return every reader with a file of its own; ``folder`` is to make some of them in."""
    plain = {"hyp": HYPOTHESIS, "ref": HYPOTHESIS}
    task = {
        "index.yaml": INDEX,
        "ranks.csv": RANKS,
        "ref": HYPOTHESIS,
        "out.a": HYPOTHESIS,
        "out.b": HYPOTHESIS[::-1][1:] + b"\n",
    }
    evaluate = ("evaluate", "index.yaml", "-M", "bleu", "-s", "tau-strict", "--no-cache", "-o", "out.txt")
    lemmas = b"language: other\nmatchers: [exact, lemma]\nlemmatizer: {use: lookup, file: lemmas}\n"
    found = {
        "plain text": Reader("hyp", ("score", "hyp", "ref", "-l", "other", "-o", "out.json"), plain, "out.json"),
        "compat": Reader("hyp", ("compat", "hyp", "ref", "-l", "other"), plain),
        "SGML": Reader("hyp", ("score", "hyp", "ref", "-l", "other"), {"hyp": SGML, "ref": REFERENCE_SGML}),
        "compat SGML": Reader(
            "hyp", ("compat", "hyp", "ref", "-l", "other", "-sgml"), {"hyp": SGML, "ref": REFERENCE_SGML}
        ),
        "WMT XML": Reader("hyp", ("score", "hyp", "-l", "other"), {"hyp": XML}),
        "JSON Lines": Reader(
            "a.jsonl", ("score", "a.jsonl", "-l", "other", "-o", "out.jsonl"), {"a.jsonl": JSON_LINES}, "out.jsonl"
        ),
        "chain": Reader("chain.yaml", ("score", "hyp", "ref", "-c", "./chain.yaml"), {**plain, "chain.yaml": CHAIN}),
        "config check": Reader("chain.yaml", ("config", "check", "./chain.yaml"), {"chain.yaml": CHAIN}),
        "language": Reader("lang.yaml", ("score", "hyp", "ref", "-l", "./lang.yaml"), {**plain, "lang.yaml": LANGUAGE}),
        "lemmas": Reader(
            "lemmas", ("score", "hyp", "ref", "-c", "./chain.yaml"), {**plain, "chain.yaml": lemmas, "lemmas": LEMMAS}
        ),
        "paraphrase table": Reader(
            "table",
            ("compat", "hyp", "ref", "-l", "other", "-m", "exact paraphrase", "-a", "table"),
            {**plain, "table": TABLE},
        ),
        "index": Reader("index.yaml", evaluate, task, "out.txt"),
        "rankings CSV": Reader("ranks.csv", evaluate, task, "out.txt"),
        "rankings XML": Reader(
            "ranks.xml",
            evaluate,
            {
                **task,
                "index.yaml": INDEX.replace(b"ranks.csv, format: ranking-csv", b"ranks.xml, format: ranking-xml"),
                "ranks.xml": RANKING_XML,
            },
            "out.txt",
        ),
        "score file": Reader(
            "mine.seg.scr",
            (*evaluate[:2], "-M", "scores:mine.seg.scr", *evaluate[4:]),
            {**task, "mine.seg.scr": SCORES},
            "out.txt",
        ),
    }
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.table({"hypothesis": ["the cat"] * 9, "reference": ["a cat"] * 9}), folder / "seed.parquet")
        data = (folder / "seed.parquet").read_bytes()
        found["Parquet"] = Reader(
            "a.parquet", ("score", "a.parquet", "-l", "other", "-o", "out.parquet"), {"a.parquet": data}, "out.parquet"
        )
    except ImportError:
        pass
    from meteor_e.packs import build_pack

    for name, content in (("words", b"the\na\n"), ("prefixes", b"Mr\n"), ("table", TABLE)):
        (folder / name).write_bytes(content)
    build_pack(
        folder / "tlh",
        language="tlh",
        function_words=folder / "words",
        prefixes=folder / "prefixes",
        paraphrases=folder / "table",
    )
    build_pack(folder / "en", language="en", function_words=folder / "words", prefixes=folder / "prefixes")
    pack = {
        f"tlh/{path.name}": path.read_bytes()
        for path in (folder / "tlh").iterdir()
        if path.is_file() and path.name != ".checked.json"
    }
    score = ("score", "hyp", "ref", "-l", "other", "-m", "exact,paraphrase", "--pack", "./tlh")
    found["manifest"] = Reader("tlh/manifest.json", score, {**plain, **pack})
    found["pack index"] = Reader("tlh/paraphrases.idx", score, {**plain, **pack})
    try:
        import meteor_e_learned

        model = next(Path(meteor_e_learned.__file__).parent.rglob("*.safetensors"), None)
        if model is not None:
            found["model"] = Reader(
                "m.safetensors", ("model", "show", "m.safetensors"), {"m.safetensors": model.read_bytes()}
            )
    except ImportError:
        pass
    return found


def special() -> Iterator[tuple[str, Maker]]:
    """Yield what is no regular file, or never ends: every reader must say so."""
    yield "missing", lambda path: None
    yield "folder", lambda path: path.mkdir()
    yield "loop", lambda path: path.symlink_to(path.name)
    yield "/dev/zero", lambda path: path.symlink_to("/dev/zero")
    yield "pipe", lambda path: os.mkfifo(path)
    yield "socket", _socket
    yield "8 TiB of holes", lambda path: _holes(path, 1 << 43)


def wrong(content: bytes) -> Iterator[tuple[str, Maker]]:
    """Yield contents that no reader can take for what it wants."""
    for name, data in (
        ("NUL", bytes(1000)),
        ("noise", random.Random(1).randbytes(5000)),
        ("gzip cut", gzip.compress(content * 50)[:-9]),
        ("gzip of noise", b"\x1f\x8b\x08\0" + random.Random(2).randbytes(300)),
        ("xz cut", lzma.compress(content * 50)[:-9]),
        ("Zstandard", b"\x28\xb5\x2f\xfd" + bytes(50)),
        ("not UTF-8", b"\xff\xfe\xfd" + content),
    ):
        yield name, lambda path, data=data: path.write_bytes(data)  # type: ignore[misc]


def damaged(content: bytes, count: int, rng: random.Random) -> Iterator[tuple[str, Maker]]:
    """Yield contents that may or may not pass, as long as what goes wrong is told in one line."""
    cases = [
        b"", b"\n", b"\xef\xbb\xbf", b"[" * 100_000, b"{" * 100_000, b"<a>" * 50_000, b'"' * 9999, b"&a " * 999,
        b"-" * 5000, b"\t" * 5000, b"," * 5000, content * 300, content.replace(b"\n", b"\r"),
        content.replace(b"\n", b""),
        content[: len(content) // 2], gzip.compress(content), gzip.compress(bytes(20 << 20)),
        b"a: &a [x]\n" + b"b: [*a, *a, *a]\n" * 500,
    ]  # fmt: skip
    inserts = [
        b"99999999999999999999", b"-1", b"1e999", b"NaN", b"Infinity", b"-0", b"null", b"\0", b"\x0b", b"\xed\xa0\x80",
        b"\xf4\x90\x80\x80", "\u2028\u0130\U0001f600".encode(), b"]", b"}", b"<", b"&lt;", b'"', b"'", b"\\u0000",
        b"\\ud800", b"%s", b"../../../etc/passwd", b"!!python/object/apply:os.system [id]", b"<!ENTITY a 'b'>",
        b"x" * 100_000, b"1" * 6000, b": ", b"\n\n",
    ]  # fmt: skip
    for number, data in enumerate(cases):
        yield f"damage {number}", lambda path, data=data: path.write_bytes(data)  # type: ignore[misc]
    for number in range(count):
        data = bytearray(content)
        for _ in range(rng.choice((1, 1, 2, 4))):
            at, kind = rng.randrange(len(data) + 1), rng.randrange(5)
            if kind == 0:
                data[at:at] = rng.choice(inserts)
            elif kind == 1 and at < len(data):
                data[at] ^= 1 << rng.randrange(8)
            elif kind == 2:
                del data[at : at + rng.randrange(1, 20)]
            elif kind == 3:
                data[at:] = b""
            else:
                lines = bytes(data).split(b"\n")
                rng.shuffle(lines)
                data = bytearray(b"\n".join(lines))
            data = data or bytearray(b" ")
        yield f"mutation {number}", lambda path, data=bytes(data): path.write_bytes(data)  # type: ignore[misc]


def _socket(path: Path) -> None:
    folder = Path.cwd()
    os.chdir(path.parent)  # the address may be a hundred bytes long
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path.name)
    finally:
        os.chdir(folder)


def _holes(path: Path, size: int) -> None:
    with path.open("wb") as stream:
        stream.truncate(size)


def run(arguments: tuple[str, ...], folder: Path) -> tuple[int, str, float]:
    """Run the command line in a process of its own; return the exit code, what it said, and the seconds."""
    begun = time.monotonic()
    child = os.fork()
    if not child:
        try:
            os.chdir(folder)
            for number, name in ((1, "stdout"), (2, "stderr")):
                os.dup2(os.open(f".{name}", os.O_CREAT | os.O_WRONLY), number)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            from meteor_e.cli import main

            main(list(arguments))
        except SystemExit as stop:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(stop.code if isinstance(stop.code, int) else 1)
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(99)
    while time.monotonic() - begun < SECONDS:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            said = (folder / ".stderr").read_text(errors="replace")
            return os.waitstatus_to_exitcode(status), said, time.monotonic() - begun
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return -1000, "", SECONDS


def judge(name: str, surely: bool, code: int, said: str, folder: Path, output: str | None) -> str | None:
    """Return what is wrong with how a case ended."""
    if code == -1000:
        return "hang"
    if code < 0:
        return f"signal {-code}"
    if "Traceback" in said or code == 99:
        return "traceback"
    if code == 0:
        return "exit 0" if surely else None
    if output and (folder / output).exists():
        return "left behind"
    if len([line for line in said.splitlines() if "arning: " not in line[:20]]) > 1:
        return "more than a line"
    return None


def count(mutations: int, seed: int, only: str | None = None) -> tuple[list[tuple[str, int, int, Counter[str]]], float]:
    """Run all cases; return for each reader its cases, errors and what was wrong; and the seconds of the slowest."""

    import meteor_e.cli.compat
    import meteor_e.cli.config
    import meteor_e.cli.score
    import meteor_e.meteor  # noqa: F401

    rows, slowest = [], 0.0
    with tempfile.TemporaryDirectory() as scratch:
        os.environ.update(METEOR_E_CACHE=f"{scratch}/cache", METEOR_E_PACKS=f"{scratch}/seeds", METEOR_E_OFFLINE="1")
        (Path(scratch) / "seeds").mkdir()
        for reader, (file, arguments, files, output) in readers(Path(scratch) / "seeds").items():
            if only not in (None, reader):
                continue
            rng = random.Random(f"{seed} {reader}")
            cases = [(*case, False) for case in [("as it is", lambda path, data=files[file]: path.write_bytes(data))]]
            cases += [
                (*case, case[0] != "folder" or file.endswith("yaml"))
                for case in special()
                if case[0] != "pipe" or reader not in ONCE
            ]
            cases += [(*case, reader not in ("compat", "compat SGML")) for case in wrong(files[file])]
            cases += [(*case, False) for case in damaged(files[file], mutations, rng)]
            errors, problems = 0, Counter[str]()
            for case, make, surely in cases:
                folder = Path(scratch) / "case"
                folder.mkdir()
                for name, content in files.items():
                    (folder / name).parent.mkdir(exist_ok=True)
                    if name != file:
                        (folder / name).write_bytes(content)
                make(folder / file)
                code, said, seconds = run(arguments, folder)
                slowest = max(slowest, seconds)
                errors += code != 0
                problem = judge(case, surely, code, said, folder, output)
                if case == "as it is" and code:
                    problem = "does not work"
                if problem:
                    problems[problem] += 1
                    print(f"{reader}, {case}: {problem}: {said.strip()[-300:]}", file=sys.stderr)
                shutil.rmtree(folder)
            rows.append((reader, len(cases), errors, problems))
            print(f"{reader:18} {len(cases):6} {errors:6}  {dict(problems) or ''}", flush=True)
    return rows, slowest


def main() -> None:
    """Count, and print a table in Markdown."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--mutations", type=int, default=40, help="mutations at random for each reader")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--reader", help="only this one")
    chosen = options.parse_args()
    rows, slowest = count(chosen.mutations, chosen.seed, chosen.reader)
    total = sum((problems for *_, problems in rows), Counter[str]())
    print(f"\n{sum(row[1] for row in rows)} cases, {sum(row[2] for row in rows)} errors of one line; "
          f"wrong: {dict(total) or 0}; the slowest took {slowest:.1f} s")  # fmt: skip
    sys.exit(bool(total))


if __name__ == "__main__":
    main()
