"""Outputs of the commands on real data, kept from before a change of the code: the same digits, the same signatures.

``outputs/NAME.txt`` holds what a command wrote. Of a long output it holds the first lines and the SHA-256 of the whole;
of one that shows texts of others, the SHA-256 only. ``METEOR_E_WRITE_GOLDEN=1 pytest tests/golden`` writes the files.
"""

from __future__ import annotations

import base64
import csv
import gzip
import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.shared]

OUTPUTS = Path(__file__).parent / "outputs"
LONGEST = 60
"""Lines of an output that is kept whole."""
SYSTEMS = ("uedin-wmt12", "dfki-berlin", "jhu-hiero", "uk-dan-moses")
THREE = "system-a system-b system-c reference"
COMMANDS = {
    "score": "score system-a system-b system-c system-d reference --significance",
    "score-bootstrap": "score system-a system-b reference -M meteor -M chrf --significance bootstrap --samples 200",
    "score-json": f"score {THREE} -M meteor -M bleu -M chrf -f json",
    "score-tsv-segments": f"score {THREE} -M meteor -M bleu -M chrf -f tsv --segments --digits 17",
    "score-csv": f"score {THREE} -M meteor -M bleu -f csv --segments --digits 17",
    "score-alignments": f"score {THREE} -M meteor -M chrf -f json --segments --alignments",
    "score-markdown": f"score {THREE} -M meteor -M bleu -M chrf -f markdown --significance",
    "score-latex": f"score {THREE} -M meteor -M bleu -M chrf -f latex",
    "score-wmt": f"score {THREE} -M meteor -M chrf -f wmt --wmt-names de-en newstest2012 refA",
    "score-german": "score german german-reference -l de -M meteor -M any -M chrf --digits 16",
    "score-chain": f"score {THREE} -m exact,stem=0.6,synonym=0.8 -t adq --digits 16",
    "score-dask": "score table.csv --dask local:2 --digits 16",
    "score-captions": "score candidates captions --references-per-segment 4 -M meteor -M any --digits 16",
    "coco": "score candidates captions --references-per-segment 4 -M coco --digits 16",
    "compat": "compat system-a reference -l en -norm -vOut",
    "compat-statistics": "compat system-b reference -l en -norm -ssOut",
    "compat-captions": "compat candidates captions -l en -norm -r 4 -t hter -q",
    "align": "align system-a reference",
    "align-java": "align system-b reference --format java",
    "evaluate": "evaluate INDEX --pair de-en -M meteor -M bleu -M chrf --no-cache",
    "significance": "evaluate INDEX --pair cs-en -M meteor -M chrf --intervals 100 --significance -f tsv --no-cache",
    "mbr": "mbr candidates-5 --candidates 5 -f tsv",
    "mbr-pruning": "mbr candidates-5 --candidates 5 --method pruning -f jsonl -M chrf",
    "mbr-aggregation": "mbr candidates-5 --candidates 5 --method aggregation --top 2 -f jsonl",
    "tune": "tune INDEX --pair cs-en --starts 1 --trials 40 --samples 50 --no-cache",
    "stress": "stress -M meteor -M chrf -f tsv --no-cache",
    "stress-wmt": "stress system-a -r reference -M meteor --only polarity --only meaning --no-cache",
}
"""The commands by name, on the files that :func:`folder` makes."""
OF_OTHERS = {"score-alignments", "align", "align-java", "mbr", "mbr-pruning", "mbr-aggregation", "stress-wmt"}
"""Outputs that show texts which are not ours."""


@pytest.fixture(scope="module")
def folder(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with files of WMT12 and of captions, whose names do not depend on the machine."""
    made = tmp_path_factory.mktemp("golden")
    data = shared / "data"

    def lines(path: str, count: int) -> list[str]:
        return (data / "wmt12" / path).read_text("utf-8").split("\n")[:count]

    def write(name: str, texts: list[str]) -> None:
        (made / name).write_text("".join(text + "\n" for text in texts), "utf-8")

    reference = lines("references/newstest2012-ref.en", 400)
    write("reference", reference)
    for name, system in zip("abcd", SYSTEMS, strict=True):
        write(f"system-{name}", lines(f"system-outputs/de-en/newstest2012.de-en.{system}", 400))
    write("german-reference", lines("references/newstest2012-ref.de", 400))
    write("german", lines("system-outputs/en-de/newstest2012.en-de.uedin-wmt12", 400))
    systems = [(made / f"system-{name}").read_text("utf-8").splitlines() for name in "abcd"]
    write("candidates-5", [text for five in list(zip(*systems, reference, strict=True))[:100] for text in five])
    rated = gzip.decompress((data / "captions" / "composite-30k.jsonl.gz").read_bytes()).decode().splitlines()
    captions = [row for row in map(json.loads, rated) if len(row["references"]) >= 4]
    write("candidates", [row["candidate"] for row in captions])
    write("captions", [text for row in captions for text in row["references"][:4]])
    with (made / "table.csv").open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([("hypothesis", "reference"), *zip(systems[0], reference, strict=True)])
    return made


def run(arguments: str, folder: Path) -> str:
    """Run a command, and return its standard output without times and paths."""
    index = str(Path(__file__).parents[2] / "benchmarks" / "wmt12.yaml")
    words = [index if word == "INDEX" else word for word in arguments.split()]
    done = subprocess.run(
        [sys.executable, "-m", "meteor_e", *words], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    text = done.stdout.replace(index, "INDEX")
    return re.sub(r"meteor_e:\d+\.\d+\.\d+", "meteor_e:VERSION", text)


def kept(name: str, text: str) -> str:
    """Return the part of an output that is stored, or its SHA-256."""
    lines = text.splitlines()
    digest = hashlib.sha256(text.encode()).hexdigest()
    if name in OF_OTHERS:
        return f"{len(lines)} lines, SHA-256 {digest}\n"
    if len(lines) <= LONGEST and len(text) < 20_000:
        return text
    shown = [line[:400] for line in lines[:20]]
    return "\n".join([*shown, f"… {len(lines)} lines, SHA-256 {digest}", ""])


def check(name: str, text: str) -> None:
    file = OUTPUTS / f"{name}.txt"
    if os.environ.get("METEOR_E_WRITE_GOLDEN"):
        OUTPUTS.mkdir(exist_ok=True)
        file.write_text(kept(name, text), "utf-8")
    assert kept(name, text) == file.read_text("utf-8")


@pytest.mark.parametrize("name", COMMANDS)
def test_command_writes_what_it_wrote(name, folder, packs):
    check(name, run(COMMANDS[name], folder))


def test_report_holds_the_same_data(folder, packs):
    run(f"report {THREE} -M meteor -M chrf -o report.html --significance none", folder)
    page = (folder / "report.html").read_text("utf-8")
    packed = re.search(r'<script type="application/gzip" id="data">(.*?)</script>', page, re.DOTALL).group(1)
    data = json.loads(gzip.decompress(base64.b64decode(packed)))
    names = ("name", "shares", "precision", "recall", "fragmentation_penalty", "scores", "matches")
    systems = [{name: system[name] for name in names} for system in data["systems"]]
    labels = [metric["label"] for metric in data["metrics"]]
    check("report", json.dumps({"metrics": labels, "systems": systems}))
