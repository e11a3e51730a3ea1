"""Test how meteor_e reacts to malicious or damaged files in every file format that it reads.

    python benchmarks/robustness/hostile.py [--seed 1] [--mutations 40]

The script has a small valid file for each reader. Each case replaces this file by a special file such as a folder or a
pipe, by an endless or damaged file, or by a random mutation of the file. A case runs the command line in a new process
with at most 4 GiB of memory and 30 seconds. The script counts tracebacks, processes that a signal kills or that hang,
error messages of more than one line, exit codes of 0 for invalid input, and output files of failed commands. The exit
code is 0 if no such problem occurs.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import lzma
import os
import random
import re
import resource
import runpy
import shutil
import signal
import socket
import struct
import subprocess
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
ROOT = Path(__file__).resolve().parents[2]
JUDGED = ROOT / "examples" / "judged"
ONCE = (
    "compat", "compat SGML", "rankings CSV", "rankings XML", "score file", "model", "assessments", "n-best list",
    "n-best JSON", "idf text", "vectors text", "vectors binary", "vectors GloVe", "bitext", "word alignment",
    "phrase table", "function words", "Turtle dump",
)  # fmt: skip
"""Readers that may take a pipe, and wait for what it says; the other ones refuse it."""

LENIENT = ("compat", "compat SGML", "idf text", "function words")
"""Readers to which any text is a text."""

STAGE = re.compile(r"\w+: [0-9.]+ s")
"""The message that ``pack build`` prints after each stage."""

OPTIONAL = ("synset exceptions",)
"""Files that may be missing."""

Maker = Callable[[Path], None]


class Reader(NamedTuple):
    """A file to replace, a command that reads the file, and the other files of the command."""

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
    b"judgments:\n  - {file: ranks.csv, format: ranking-csv}\n"
)
RANKS = (
    b"srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Number,system1Id,system2Number,system2Id,"
    b"system3Number,system3Id,system4Number,system4Id,system5Number,system5Id,"
    b"system1rank,system2rank,system3rank,system4rank,system5rank\n"
    b"Czech,English,1,doc,1,judge,1,a,2,b,3,,4,,5,,1,2,-1,-1,-1\n"
    b"Czech,English,2,doc,2,judge,1,a,2,b,3,,4,,5,,2,1,-1,-1,-1\n"
)
COCO_RESULTS = b'[{"image_id": 1, "caption": "the cat sat"}, {"image_id": 2, "caption": "a dog"}]\n'
COCO_CAPTIONS = (
    b'{"images": [{"id": 1}, {"id": 2}], "annotations": [{"image_id": 1, "id": 1, "caption": "a cat sat"},\n'
    b'{"image_id": 2, "id": 2, "caption": "the dog"}, {"image_id": 2, "id": 3, "caption": "one dog"}]}\n'
)
CSV = b'hypothesis,reference,n\n"the ""cat""",a cat,1\na dog,the dog,2\n'
NBEST = b"0 ||| the cat ||| f=0.5 ||| -1\n0 ||| a cat ||| f=0.25 ||| -2\n1 ||| dogs ||| f=1 ||| -3\n"
NBEST_JSON = b'["the cat", "a cat"]\n{"candidates": ["x", "y z"]}\n'
WORD2VEC = b"3 2\nthe 0.5 1\ncat 0.25 -1\ndog 1 0\n"
WORD2VEC_BINARY = b"2 2\nthe " + struct.pack("<2f", 0.5, 1) + b"\ncat " + struct.pack("<2f", 0.25, -1) + b"\n"
SYNSETS = b"big\n1 2\nlarge\n1\n"
TURTLE = (
    b"@prefix dbnary: <http://kaiko.getalp.org/dbnary#> .\n@prefix lime: <http://www.w3.org/ns/lemon/lime#> .\n"
    b"@prefix fra: <http://kaiko.getalp.org/dbnary/fra/> .\n@prefix ontolex: <http://www.w3.org/ns/lemon/ontolex#> .\n"
    b"@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
    b'fra:chat__1 a ontolex:LexicalEntry ; rdfs:label "chat"@fr ; lime:language "fr" ; dbnary:synonym fra:matou .\n'
    b"fra:matou a dbnary:Page ; dbnary:describes fra:matou__1 .\n"
    b'fra:matou__1 lime:language "fr" ; ontolex:canonicalForm [ ontolex:writtenRep "matou"@fr ] .\n'
)
ASSESSMENTS = b"SYS SID RAW.SCR Z.SCR N\na 1 84 0.5 1\na 2 10 -0.5 1\nb 1 20 0.25 1\nb 2 50 0.75 1\n"
SCORES = b"m\tcs-en\tt\ta\t1\t0.5\nm\tcs-en\tt\ta\t2\t0.5\nm\tcs-en\tt\tb\t1\t0.25\nm\tcs-en\tt\tb\t2\t0.75\n"


def readers(folder: Path) -> dict[str, Reader]:
    """Return a valid file and a command for every file format. Some files are created in ``folder``."""
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
    file_readers = {
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
        "score file": Reader(
            "mine.seg.scr",
            (*evaluate[:2], "-M", "scores:mine.seg.scr", *evaluate[4:]),
            {**task, "mine.seg.scr": SCORES},
            "out.txt",
        ),
    }
    file_readers |= more_texts(plain, task, evaluate) | resources(folder, plain)
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.table({"hypothesis": ["the cat"] * 9, "reference": ["a cat"] * 9}), folder / "seed.parquet")
        data = (folder / "seed.parquet").read_bytes()
        file_readers["Parquet"] = Reader(
            "a.parquet", ("score", "a.parquet", "-l", "other", "-o", "out.parquet"), {"a.parquet": data}, "out.parquet"
        )
    except ImportError:
        pass
    from meteor_e.packs.build import build_pack

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
    score = ("score", "hyp", "ref", "-l", "other", "-m", "exact,paraphrase", "--set", "pack=./tlh")
    file_readers["manifest"] = Reader("tlh/manifest.json", score, {**plain, **pack})
    file_readers["pack index"] = Reader("tlh/paraphrases.idx", score, {**plain, **pack})
    return file_readers


def more_texts(plain: dict[str, bytes], task: dict[str, bytes], evaluate: tuple[str, ...]) -> dict[str, Reader]:
    """Return valid files of texts, candidates and judgments, with the commands that read them."""
    coco = {"results.json": COCO_RESULTS, "captions.json": COCO_CAPTIONS}
    captions = ("score", "results.json", "captions.json", "-l", "other", "-o", "out.json")
    tsv = CSV.replace(b",", b"\t")
    choose = ("-l", "other", "-o", "out.txt")
    idf = ("score", "hyp", "ref", "-l", "other", "--set", "idf=texts", "--set", "delta=0.5", "-o", "out.txt")
    file_readers = {
        "COCO results": Reader("results.json", captions, coco, "out.json"),
        "COCO captions": Reader("captions.json", captions, coco, "out.json"),
        "CSV": Reader("a.csv", ("score", "a.csv", "-l", "other", "-o", "out.jsonl"), {"a.csv": CSV}, "out.jsonl"),
        "TSV": Reader("a.tsv", ("score", "a.tsv", "-l", "other", "-o", "out.jsonl"), {"a.tsv": tsv}, "out.jsonl"),
        "n-best list": Reader("n", ("mbr", "n", *choose), {"n": NBEST}, "out.txt"),
        "n-best JSON": Reader("n", ("mbr", "n", "--format-in", "jsonl", *choose), {"n": NBEST_JSON}, "out.txt"),
        "idf text": Reader("texts", idf, {**plain, "texts": HYPOTHESIS}, "out.txt"),
    }
    if importlib.util.find_spec("meteor_e_evaluation"):
        index = INDEX.replace(b"ranks.csv, format: ranking-csv", b"da, format: da-segments, score: Z.SCR")
        measured = tuple(option.replace("tau-strict", "pearson") for option in evaluate)
        file_readers["assessments"] = Reader(
            "da", measured, {**task, "index.yaml": index, "da": ASSESSMENTS}, "out.txt"
        )
    return file_readers


def resources(folder: Path, plain: dict[str, bytes]) -> dict[str, Reader]:
    """Return valid files of METEOR's resources and of installed plugins, with the commands that read them."""
    score = ("score", "hyp", "ref", "-c", "./chain.yaml")
    java = ("compat", "hyp", "ref", "-l", "en", "-m", "exact synonym", "-w", "1 0.5", "-s", "words", "-d", "synonyms")
    synonyms = {"synonyms/english.synsets": SYNSETS, "synonyms/english.exceptions": b"mice\nmouse\n", "words": b"the\n"}
    new = ("compat", "hyp", "ref", "-new", "files")
    files = {"files/function.words": b"the\n", "files/paraphrase.gz": gzip.compress(TABLE)}
    file_readers = {
        "synsets": Reader("synonyms/english.synsets", java, {**plain, **synonyms}),
        "synset exceptions": Reader("synonyms/english.exceptions", java, {**plain, **synonyms}),
        "function words": Reader("words", java, {**plain, **synonyms}),
        "paraphrase.gz": Reader("files/paraphrase.gz", new, {**plain, **files}),
    }
    if importlib.util.find_spec("meteor_e_vectors"):
        for name, form, data in (
            ("text", "word2vec-text", WORD2VEC), ("binary", "word2vec-binary", WORD2VEC_BINARY),
            ("GloVe", "glove", WORD2VEC.partition(b"\n")[2]),
        ):  # fmt: skip
            convert = ("vectors", "convert", "v", "--format-in", form, "-o", "out.vectors")
            file_readers[f"vectors {name}"] = Reader("v", convert, {"v": data}, "out.vectors")
        (folder / "v").write_bytes(WORD2VEC)
        command("vectors", "convert", str(folder / "v"), "-o", str(folder / "v.vectors"))
        chain = b"language: other\nmatchers: [exact, {use: vector, file: v.vectors, threshold: 0.7, weight: 0.5}]\n"
        packed = {**plain, "chain.yaml": chain, "v.vectors": (folder / "v.vectors").read_bytes()}
        file_readers["vector file"] = Reader("v.vectors", score, packed)
    if importlib.util.find_spec("meteor_e_bitext"):
        draw = random.Random(1)
        sentences = [[f"w{draw.randrange(30)}" for _ in range(6)] for _ in range(60)]
        bitext = {
            "a": "".join(" ".join(words) + "\n" for words in sentences).encode(),
            "b": "".join(" ".join(f"t{word}" for word in words) + "\n" for words in sentences).encode(),
            "links": b"0-0 1-1 2-2 3-3 4-4 5-5\n" * 60,
            "phrases": b"".join(
                b"w%d w%d ||| tw%d tw%d ||| 0.5 0.5 0.5 0.5 ||| 0-0 1-1 ||| 3 3 3\n" % ((i, i + 1) * 2)
                for i in range(29)
            ),
        }
        build = ("pack", "build", "-l", "other", "--bitext", "a", "b", "--tokenization", "whitespace",
                 "--pivot-language", "other", "-o", "out")  # fmt: skip
        file_readers["bitext"] = Reader("a", build, bitext, "out")
        file_readers["word alignment"] = Reader("links", (*build, "--alignment", "links"), bitext, "out")
        file_readers["phrase table"] = Reader("phrases", (*build, "--phrase-table", "phrases"), bitext, "out")
    if importlib.util.find_spec("meteor_e_languages"):
        extract = ("dbnary", "extract", "-l", "fr")
        file_readers["DBnary synsets"] = Reader("s", (*extract, "--synsets", "s", "--name", "hostile"), {"s": SYNSETS})
        dump = (*extract, "--restart", "--dump", "s.ttl", "--write-synsets", "out")
        file_readers["Turtle dump"] = Reader("s.ttl", dump, {"s.ttl": TURTLE}, "out")
    if importlib.util.find_spec("meteor_e_learned"):
        judged = {
            str(path.relative_to(JUDGED)): path.read_bytes() for path in sorted(JUDGED.rglob("*")) if path.is_file()
        }
        train = ("train", "recipe.yaml", "--no-cache", "-o", "out.safetensors")
        file_readers["recipe"] = Reader("recipe.yaml", train, judged, "out.safetensors")
        command("train", str(JUDGED / "recipe.yaml"), "--no-cache", "-o", str(folder / "m.safetensors"))
        trained = {**plain, "m.safetensors": (folder / "m.safetensors").read_bytes()}
        score = ("score", "hyp", "ref", "-M", "m.safetensors", "-o", "out.txt")
        file_readers["model"] = Reader("m.safetensors", score, trained, "out.txt")
    if importlib.util.find_spec("meteor_e_vectors") and importlib.util.find_spec("onnx"):
        tests = runpy.run_path(str(ROOT / "plugins" / "meteor-e-vectors" / "tests" / "tiny_encoder.py"))
        tests["write_network"](folder / "model.onnx")
        tests["write_tokenizer"](folder / "tokenizer.json")
        encoder = {name: (folder / name).read_bytes() for name in ("model.onnx", "tokenizer.json")}
        add = ("encoder", "add", "hostile", "model.onnx", "tokenizer.json", "--pieces", "12")
        file_readers["network"] = Reader("model.onnx", add, encoder)
        file_readers["tokenizer"] = Reader("tokenizer.json", add, encoder)
    return file_readers


def command(*arguments: str) -> None:
    """Run a command of meteor_e without output, and raise an error if it fails."""
    subprocess.run([sys.executable, "-m", "meteor_e", *arguments], check=True, capture_output=True)


def special() -> Iterator[tuple[str, Maker]]:
    """Yield special files, such as folders, pipes and endless files. Every reader must report an error."""
    yield "missing", lambda path: None
    yield "folder", lambda path: path.mkdir()
    yield "loop", lambda path: path.symlink_to(path.name)
    yield "/dev/zero", lambda path: path.symlink_to("/dev/zero")
    yield "pipe", lambda path: os.mkfifo(path)
    yield "socket", _socket
    yield "8 TiB of holes", lambda path: _holes(path, 1 << 43)


def wrong(content: bytes) -> Iterator[tuple[str, Maker]]:
    """Yield file contents that are invalid in every format."""
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


def make_damage(content: bytes, count: int, rng: random.Random) -> Iterator[tuple[str, Maker]]:
    """Yield damaged file contents. A reader may accept them, or print an error message of one line."""
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
            position, kind = rng.randrange(len(data) + 1), rng.randrange(5)
            if kind == 0:
                data[position:position] = rng.choice(inserts)
            elif kind == 1 and position < len(data):
                data[position] ^= 1 << rng.randrange(8)
            elif kind == 2:
                del data[position : position + rng.randrange(1, 20)]
            elif kind == 3:
                data[position:] = b""
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
    """Run the command line in a new process, and return the exit code, the standard error, and the seconds."""
    begun = time.monotonic()
    child = os.fork()
    if not child:
        try:
            os.chdir(folder)
            for number, name in ((1, "stdout"), (2, "stderr")):
                os.dup2(os.open(f".{name}", os.O_CREAT | os.O_WRONLY), number)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            from meteor_e.cli.program import main

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
            message = (folder / ".stderr").read_text(errors="replace")
            return os.waitstatus_to_exitcode(status), message, time.monotonic() - begun
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return -1000, "", SECONDS


def judge(name: str, surely: bool, code: int, message: str, folder: Path, output: str | None) -> str | None:
    """Return the problem that a case has shown, such as a traceback, or ``None``."""
    if code == -1000:
        return "hang"
    if code < 0:
        return f"signal {-code}"
    if "Traceback" in message or code == 99:
        return "traceback"
    if code == 0:
        return "exit 0" if surely else None
    if output and (folder / output).exists():
        return "left behind"
    if len([line for line in message.splitlines() if "arning: " not in line[:20] and not STAGE.fullmatch(line)]) > 1:
        return "more than a line"
    return None


def count(
    mutations: int, seed: int, only: list[str] | None = None
) -> tuple[list[tuple[str, int, int, Counter[str]]], float]:
    """Run all cases. Return the counts of each reader, and the time of the slowest case in seconds."""

    import meteor_e.cli.compat
    import meteor_e.cli.config
    import meteor_e.cli.score
    import meteor_e.meteor  # noqa: F401

    rows, slowest = [], 0.0
    with tempfile.TemporaryDirectory() as scratch:
        os.environ.update(METEOR_E_CACHE=f"{scratch}/cache", METEOR_E_PACKS=f"{scratch}/seeds", METEOR_E_OFFLINE="1")
        os.environ["METEOR_E_ENCODERS"] = f"{scratch}/encoders"
        (Path(scratch) / "seeds").mkdir()
        for reader, (file, arguments, files, output) in readers(Path(scratch) / "seeds").items():
            if only and reader not in only:
                continue
            rng = random.Random(f"{seed} {reader}")
            cases = [(*case, False) for case in [("as it is", lambda path, data=files[file]: path.write_bytes(data))]]
            cases += [
                (*case, case[0] != ("missing" if reader in OPTIONAL else "folder") or file.endswith("yaml"))
                for case in special()
                if case[0] != "pipe" or reader not in ONCE
            ]
            cases += [(*case, reader not in LENIENT) for case in wrong(files[file])]
            cases += [(*case, False) for case in make_damage(files[file], mutations, rng)]
            errors, problems = 0, Counter[str]()
            for case, make, surely in cases:
                folder = Path(scratch) / "case"
                folder.mkdir()
                for name, content in files.items():
                    (folder / name).parent.mkdir(exist_ok=True)
                    if name != file:
                        (folder / name).write_bytes(content)
                make(folder / file)
                code, message, seconds = run(arguments, folder)
                slowest = max(slowest, seconds)
                errors += code != 0
                problem = judge(case, surely, code, message, folder, output)
                if case == "as it is" and code:
                    problem = "does not work"
                if problem:
                    problems[problem] += 1
                    print(f"{reader}, {case}: {problem}: {message.strip()[-300:]}", file=sys.stderr)
                shutil.rmtree(folder)
            rows.append((reader, len(cases), errors, problems))
            print(f"{reader:18} {len(cases):6} {errors:6}  {dict(problems) or ''}", flush=True)
    return rows, slowest


def main() -> None:
    """Run all cases, and print a Markdown table of the problems."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--mutations", type=int, default=40, help="number of random mutations per reader")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--reader", action="append", help="only this reader; may be repeated")
    chosen = options.parse_args()
    rows, slowest = count(chosen.mutations, chosen.seed, chosen.reader)
    total = sum((problems for *_, problems in rows), Counter[str]())
    print(f"\n{sum(row[1] for row in rows)} cases, {sum(row[2] for row in rows)} errors of one line; "
          f"wrong: {dict(total) or 0}; the slowest took {slowest:.1f} s")  # fmt: skip
    sys.exit(bool(total))


if __name__ == "__main__":
    main()
