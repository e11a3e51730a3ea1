"""Compare the output of the commands on real data with recorded output.

A change of the code must not change scores or signatures.

The file ``outputs/NAME.txt`` contains the output of a command. For a long output, it contains the first lines and the
SHA-256 of the complete output. For an output that contains texts of third parties, it contains only the SHA-256. The
command ``METEOR_E_WRITE_GOLDEN=1 pytest tests/golden`` writes the files.
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
MAX_LINES = 60
"""Maximum number of lines of an output that is recorded completely."""
SYSTEMS = ("uedin-wmt12", "dfki-berlin", "jhu-hiero", "uk-dan-moses")
THREE_SYSTEMS = "system-a system-b system-c reference"
COMMANDS = {
    "score": "score system-a system-b system-c system-d reference --significance",
    "score-bootstrap": "score system-a system-b reference -M meteor -M chrf --significance bootstrap --samples 200",
    "score-json": f"score {THREE_SYSTEMS} -M meteor -M bleu -M chrf -f json",
    "score-tsv-segments": f"score {THREE_SYSTEMS} -M meteor -M bleu -M chrf -f tsv --segments --digits 17",
    "score-csv": f"score {THREE_SYSTEMS} -M meteor -M bleu -f csv --segments --digits 17",
    "score-alignments": f"score {THREE_SYSTEMS} -M meteor -M chrf -f json --segments --alignments",
    "score-markdown": f"score {THREE_SYSTEMS} -M meteor -M bleu -M chrf -f markdown --significance",
    "score-latex": f"score {THREE_SYSTEMS} -M meteor -M bleu -M chrf -f latex",
    "score-wmt": f"score {THREE_SYSTEMS} -M meteor -M chrf -f wmt --wmt-names de-en newstest2012 refA",
    "score-german": "score german german-reference -l de -M meteor -M any -M chrf --digits 16",
    "score-chain": f"score {THREE_SYSTEMS} -m exact,stem=0.6,synonym=0.8 -t adq --digits 16",
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
"""The commands by the names of their output files. Their input files are those that the fixture ``folder`` writes."""
THIRD_PARTY_OUTPUTS = {"score-alignments", "align", "align-java", "mbr", "mbr-pruning", "mbr-aggregation", "stress-wmt"}
"""Outputs that contain texts of third parties."""


@pytest.fixture(scope="module")
def folder(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write input files with data of WMT12 and with image captions, and return their folder.

    The commands refer to the files by relative paths, so that the output does not depend on the machine.
    """
    folder = tmp_path_factory.mktemp("golden")
    data = shared / "data"

    def read_lines(path: str, count: int) -> list[str]:
        return (data / "wmt12" / path).read_text("utf-8").split("\n")[:count]

    def write(name: str, texts: list[str]) -> None:
        (folder / name).write_text("".join(text + "\n" for text in texts), "utf-8")

    reference = read_lines("references/newstest2012-ref.en", 400)
    write("reference", reference)
    for name, system in zip("abcd", SYSTEMS, strict=True):
        write(f"system-{name}", read_lines(f"system-outputs/de-en/newstest2012.de-en.{system}", 400))
    write("german-reference", read_lines("references/newstest2012-ref.de", 400))
    write("german", read_lines("system-outputs/en-de/newstest2012.en-de.uedin-wmt12", 400))
    systems = [(folder / f"system-{name}").read_text("utf-8").splitlines() for name in "abcd"]
    write("candidates-5", [text for texts in list(zip(*systems, reference, strict=True))[:100] for text in texts])
    caption_lines = gzip.decompress((data / "captions" / "composite-30k.jsonl.gz").read_bytes()).decode().splitlines()
    captions = [row for row in map(json.loads, caption_lines) if len(row["references"]) >= 4]
    write("candidates", [row["candidate"] for row in captions])
    write("captions", [text for row in captions for text in row["references"][:4]])
    with (folder / "table.csv").open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([("hypothesis", "reference"), *zip(systems[0], reference, strict=True)])
    return folder


def run_command(arguments: str, folder: Path) -> str:
    """Run a command, and return its standard output without the path of the index and the version of meteor_e."""
    index = str(Path(__file__).parents[2] / "benchmarks" / "wmt12.yaml")
    argument_list = [index if word == "INDEX" else word for word in arguments.split()]
    result = subprocess.run(
        [sys.executable, "-m", "meteor_e", *argument_list], cwd=folder, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    text = result.stdout.replace(index, "INDEX")
    return re.sub(r"meteor_e:\d+\.\d+\.\d+", "meteor_e:VERSION", text)


def shorten(name: str, text: str) -> str:
    """Return the part of an output that is recorded, or only its SHA-256."""
    lines = text.splitlines()
    digest = hashlib.sha256(text.encode()).hexdigest()
    if name in THIRD_PARTY_OUTPUTS:
        return f"{len(lines)} lines, SHA-256 {digest}\n"
    if len(lines) <= MAX_LINES and len(text) < 20_000:
        return text
    first_lines = [line[:400] for line in lines[:20]]
    return "\n".join([*first_lines, f"… {len(lines)} lines, SHA-256 {digest}", ""])


def check_output(name: str, text: str) -> None:
    """Compare an output with the recorded output, after writing the record if METEOR_E_WRITE_GOLDEN is set."""
    file = OUTPUTS / f"{name}.txt"
    if os.environ.get("METEOR_E_WRITE_GOLDEN"):
        OUTPUTS.mkdir(exist_ok=True)
        file.write_text(shorten(name, text), "utf-8")
    assert shorten(name, text) == file.read_text("utf-8")


@pytest.mark.parametrize("name", COMMANDS)
def test_command_writes_the_recorded_output(name, folder, packs):
    check_output(name, run_command(COMMANDS[name], folder))


def test_report_contains_the_recorded_data(folder, packs):
    run_command(f"report {THREE_SYSTEMS} -M meteor -M chrf -o report.html --significance none", folder)
    page = (folder / "report.html").read_text("utf-8")
    encoded_data = re.search(r'<script type="application/gzip" id="data">(.*?)</script>', page, re.DOTALL).group(1)
    data = json.loads(gzip.decompress(base64.b64decode(encoded_data)))
    # The recorded output contains the former names of two keys.
    former_names = {"contributions": "shares", "fragmentationPenalty": "fragmentation_penalty"}
    keys = ("name", "contributions", "precision", "recall", "fragmentationPenalty", "scores", "matches")
    systems = [{former_names.get(key, key): system[key] for key in keys} for system in data["systems"]]
    labels = [metric["label"] for metric in data["metrics"]]
    check_output("report", json.dumps({"metrics": labels, "systems": systems}))
