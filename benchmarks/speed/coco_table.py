"""Compare the caption metrics of meteor_e with pycocoevalcap in scores, processor time and memory.

    python benchmarks/speed/coco_table.py DATA/captions/flickr30k-captions.jsonl.gz --images 40504

The script creates files in the format of COCO from captions of Flickr30k. The references are the original captions.
The results are captions of the same image or of another image, with some words deleted. Each program scores these
files in a new process. The script also runs pycocoevalcap with the classes of meteor_e instead of its own classes that
start Java. METEOR and its tokenizer are also measured without the other metrics. The script needs Java and
pycocoevalcap. It does not compute SPICE.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

THEIRS = """
import contextlib, io, json, sys
from pycocotools.coco import COCO
from pycocoevalcap import eval as package
class NoSpice:
    def compute_score(self, gts, res): return 0.0, [{"All": {"f": 0.0}} for _ in gts]
    def method(self): return "SPICE"
package.Spice = NoSpice
if sys.argv[3] == "ours":
    from meteor_e_captions import coco
    package.Meteor, package.PTBTokenizer = coco.Meteor, coco.PTBTokenizer
if sys.argv[4] == "METEOR":
    class Nothing(NoSpice):
        def __init__(self, number=0): self.number = number
        def compute_score(self, gts, res, **_):
            found = 0.0, [0.0] * len(gts)
            return zip(*[found] * self.number) if self.number else found
    package.Bleu = package.Rouge = package.Cider = Nothing
with contextlib.redirect_stdout(io.StringIO()):
    truth = COCO(sys.argv[2])
    evaluation = package.COCOEvalCap(truth, truth.loadRes(sys.argv[1]))
    evaluation.params["image_id"] = evaluation.cocoRes.getImgIds()
    evaluation.evaluate()
print(json.dumps(evaluation.eval))
"""
NAMES = {"Bleu_1": "BLEU-1", "Bleu_2": "BLEU-2", "Bleu_3": "BLEU-3", "Bleu_4": "BLEU-4", "METEOR": "METEOR",
         "ROUGE_L": "ROUGE-L", "CIDEr": "CIDEr"}  # fmt: skip


def write_files(source: str, images: int, folder: Path) -> tuple[Path, Path]:
    """Write a results file and an annotations file in the format of COCO, and return their paths."""
    with gzip.open(source, "rt", encoding="utf-8") as lines:
        captions = [json.loads(line)["captions"] for line in lines]
    rng = random.Random(1)
    annotations, results = [], []
    for image in range(images):
        image_captions = captions[image % len(captions)]
        annotations += [
            {"image_id": image, "id": 10 * image + number, "caption": text}
            for number, text in enumerate(image_captions)
        ]
        words = rng.choice(image_captions if rng.random() < 0.7 else rng.choice(captions)).split()
        remaining_words = [word for word in words if rng.random() < 0.8] or words
        results.append({"image_id": image, "caption": " ".join(remaining_words)})
    paths = folder / "results.json", folder / "annotations.json"
    image_list = [{"id": image} for image in range(images)]
    paths[0].write_text(json.dumps(results))
    paths[1].write_text(json.dumps({"images": image_list, "annotations": annotations, "type": "captions", "info": {}}))
    return paths


def measure(command: list[str]) -> tuple[str, float, float, float]:
    """Run a command, and return its output, processor seconds, wall-clock seconds, and peak memory in MiB."""
    start_usage, clock = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    output = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"{command[:4]} failed")
    end_usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = end_usage.ru_utime + end_usage.ru_stime - start_usage.ru_utime - start_usage.ru_stime
    return output, spent, time.perf_counter() - clock, usage.ru_maxrss / 1024


def main() -> None:
    """Measure both programs, and compare their scores."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("captions")
    parser.add_argument("--images", type=int, default=40_504)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        results, annotations = map(str, write_files(options.captions, options.images, Path(name)))
        ours = [sys.executable, "-m", "meteor_e", "score", results, annotations, "--format-in", "coco"]
        print("| program | processor s | clock s | MiB |\n|---|---|---|---|")
        texts, spent = [], []
        bridge = [sys.executable, "-c", THEIRS, results, annotations]
        for label, command in (
            ("meteor_e, the table", [*ours, "-M", "coco", "-f", "json"]),
            ("meteor_e, with caption-light", [*ours, "-M", "coco", "-M", "caption-light", "-f", "json"]),
            ("pycocoevalcap, without SPICE", [*bridge, "theirs", "all"]),
            ("pycocoevalcap with our classes", [*bridge, "ours", "all"]),
            ("pycocoevalcap, METEOR alone", [*bridge, "theirs", "METEOR"]),
            ("pycocoevalcap with our classes, METEOR alone", [*bridge, "ours", "METEOR"]),
        ):
            text, seconds, clock, memory = measure(command)
            texts.append(text)
            spent.append(seconds)
            print(f"| {label} | {seconds:.1f} | {clock:.1f} | {memory:.0f} |", flush=True)
        print(f"\npycocoevalcap needs {spent[2] / spent[0]:.1f} times the processor time of the table.")
        theirs = json.loads(texts[2].splitlines()[-1])
        for text in texts[3:]:
            if json.loads(text.splitlines()[-1])["METEOR"] != theirs["METEOR"]:
                sys.exit("METEOR of our classes is another")
        print(json.dumps(json.loads(texts[0]), indent=1)[:3000])
        for key, label in NAMES.items():
            print(f"{label}: pycocoevalcap {theirs[key]!r}")


if __name__ == "__main__":
    main()
