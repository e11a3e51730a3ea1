"""Test commands with damaged caches, packs, vector files and models, and check the scores of JSON output.

    python benchmarks/robustness/damaged.py [--flips 200] [--seed 1] [--case NAME]

Each command runs once with intact files, and then with a flipped bit at a random position of a random file. It must
either return the same result, or print one line with an error message and exit with a code from 1 to 3. Then the script
recomputes the corpus scores of ``score -f json`` from the statistics of the segments. The exit code is 1 if a test
fails.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from kills import prepare, read_output, read_stderr, start, wait


class Case(NamedTuple):
    """A command, and the files in which bits are flipped.

    Attributes:
        arguments: arguments of ``meteor-e``.
        output: file that the command writes.
        damaged: file or folder that is damaged.
        preparation: arguments of commands that create the file or folder.
    """

    arguments: tuple[str, ...]
    output: str
    damaged: str
    preparation: tuple[tuple[str, ...], ...] = ()


SCORE = ("score", "hyp", "ref", "-f", "json", "--segments", "-o", "out.json")
TRAIN = ("train", "judged/recipe.yaml", "-q", "-o")
CASES = {
    "pack": Case((*SCORE, "-l", "en"), "out.json", "own/en", (("pack", "install", "en", "--from", "meteor-1.5.jar"),)),
    "index of a table": Case(
        (
            "compat",
            "hyp",
            "ref",
            "-l",
            "other",
            "-m",
            "exact paraphrase",
            "-a",
            "table",
            "-writeAlignments",
            "-f",
            "own",
        ),
        "own-align.out",
        "cache",
    ),
    "features": Case((*TRAIN, "m.safetensors"), "m.safetensors", "cache"),
    "scores": Case(("evaluate", "judged/ranked.yaml", "-M", "chrf", "-f", "json", "-o", "e.json"), "e.json", "cache"),
    "model": Case((*SCORE, "-M", "model:m.safetensors"), "out.json", "m.safetensors", ((*TRAIN, "m.safetensors"),)),
    "vectors": Case(
        (*SCORE, "-l", "other", "--chain", "chain.yaml"),
        "out.json",
        "v.vectors",
        (("vectors", "convert", "v.txt", "-o", "v.vectors"),),
    ),
}


def write_inputs(folder: Path, rng: random.Random) -> None:
    """Write the files that the commands read."""
    prepare(folder)
    words: set[str] = set()
    for name in ("hyp", "ref"):
        lines = (folder / name).read_text().splitlines()[:60]
        (folder / name).write_text("\n".join(lines) + "\n")
        words.update(*map(str.split, lines))
    rows = (f"{word} {' '.join(f'{rng.gauss(0, 1):.4f}' for _ in range(10))}\n" for word in sorted(words))
    (folder / "v.txt").write_text("".join(rows))
    (folder / "chain.yaml").write_text("matchers: [{use: exact}, {use: vector, file: v.vectors, threshold: 0.7}]\n")


def run(case: Case, folder: Path) -> tuple[int | None, dict[str, bytes]]:
    """Run the command of a test case, and return its exit code and output."""
    (folder / case.output).unlink(missing_ok=True)
    code = wait(start(case.arguments, folder))
    return code, read_output(folder, case.output)


def damage(name: str, folder: Path, flips: int, rng: random.Random) -> Counter[str]:
    """Run a command with flipped bits in its files, and count correct results, errors and failures."""
    case, counts = CASES[name], Counter[str]()
    for arguments in case.preparation:
        if wait(start(arguments, folder)):
            raise SystemExit(f"{name}: {read_stderr(folder)}")
    if name == "pack":
        shutil.rmtree(folder / case.damaged)
        shutil.copytree(folder / "packs" / "en", folder / case.damaged)
    code, expected = run(case, folder)
    if code:
        raise SystemExit(f"{name}: {read_stderr(folder)}")
    intact_files = read_files(folder / case.damaged)
    for _ in range(flips):
        file = rng.choice(list(intact_files))
        data = bytearray(intact_files[file])
        position = rng.randrange(len(data))
        data[position] ^= 1 << rng.randrange(8)
        file.write_bytes(data)
        code, output = run(case, folder)
        messages = read_stderr(folder).strip().splitlines()
        if code == 0 and output == expected:
            counts["right"] += 1
        elif code in (1, 2, 3) and len(messages) == 1 and not output:
            counts["error"] += 1
        else:
            counts["WRONG"] += 1
            print(f"{name}: {file.relative_to(folder)} at {position}: exit {code}: {messages[-1:]}", file=sys.stderr)
        restore_files(intact_files)
    return counts


def read_files(path: Path) -> dict[Path, bytes]:
    """Return the contents of a file, or of all files of a folder. Empty files and locks are left out."""
    contents = {}
    for file in [path, *sorted(path.rglob("*"))]:
        if file.is_file() and not file.name.endswith(".lock"):
            contents[file] = file.read_bytes()
    return {file: data for file, data in contents.items() if data}


def restore_files(contents: dict[Path, bytes]) -> None:
    """Restore the original files, because bits were flipped and because a command may have replaced files."""
    for file, data in contents.items():
        if not file.exists() or file.read_bytes() != data:
            file.write_bytes(data)


FIELDS = ("hypothesis_content", "reference_content", "hypothesis_function", "reference_function")


def compute_meteor(details: dict[str, Any], parameters: dict[str, float]) -> float:
    """Compute METEOR from statistics by the formulas in section 2 of its paper."""
    sums, delta = details["statistics"], parameters["delta"]

    def share_of_matches(text: str) -> float:
        function_words = sums[f"{text}_function_words"]
        length = delta * (sums[f"{text}_length"] - function_words) + (1 - delta) * function_words
        matched = 0.0
        for matcher in details["matchers"]:
            weighted_matches = delta * matcher[f"{text}_content"] + (1 - delta) * matcher[f"{text}_function"]
            matched += matcher["weight"] * weighted_matches
        return matched / length if length else 0.0

    precision, recall = share_of_matches("hypothesis"), share_of_matches("reference")
    if not precision or not recall:
        return 0.0
    mean = 1 / ((1 - parameters["alpha"]) / precision + parameters["alpha"] / recall)
    matched = (sums["hypothesis_matched"] + sums["reference_matched"]) / 2
    fragmentation = 0.0 if sums["chunks"] == 1 and matched == sums["hypothesis_length"] else sums["chunks"] / matched
    return float(mean * (1 - parameters["gamma"] * fragmentation ** parameters["beta"]))


def check_json_scores(folder: Path) -> Counter[str]:
    """Compare the corpus and segment scores in JSON output with scores that are computed from the statistics."""
    wait(start((*SCORE, "-l", "en"), folder))
    system = json.loads((folder / "out.json").read_text())["systems"][0]
    corpus = system["scores"]["METEOR"]
    segments = [segment["scores"]["METEOR"] for segment in system["segments"]]
    parameters = dict(zip(("alpha", "beta", "gamma", "delta"), (0.85, 0.2, 0.6, 0.75), strict=True))
    total = json.loads(json.dumps(segments[0]["details"]))
    for segment in segments[1:]:
        for key, value in segment["details"]["statistics"].items():
            total["statistics"][key] += value
        for matcher_total, matcher in zip(total["matchers"], segment["details"]["matchers"], strict=True):
            for field in FIELDS:
                matcher_total[field] += matcher[field]
    pairs = [(corpus["score"], compute_meteor(total, parameters))]
    pairs += [(segment["score"], compute_meteor(segment["details"], parameters)) for segment in segments]
    return Counter("right" if abs(score - expected) < 1e-12 else "WRONG" for score, expected in pairs)


def main() -> None:
    """Run all cases, and print a line per case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--flips", type=int, default=200, help="number of flipped bits per case")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", action="append", choices=list(CASES), help="only this case; may be repeated")
    options = parser.parse_args()
    os.environ["METEOR_E_OFFLINE"] = "1"
    import meteor_e_learned.training  # noqa: F401
    import meteor_e_vectors.matcher  # noqa: F401

    import meteor_e.cli.compat
    import meteor_e.cli.score  # noqa: F401

    rng = random.Random(options.seed)
    failure_count = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_inputs(folder, rng)
        for name in options.case or CASES:
            counts = damage(name, folder, options.flips, rng)
            failure_count += counts["WRONG"]
            print(f"{name:18} {options.flips} flips: {dict(counts)}", flush=True)
        counts = check_json_scores(folder)
        failure_count += counts["WRONG"]
        print(f"{'scores of JSON':18} {dict(counts)}")
    sys.exit(bool(failure_count))


if __name__ == "__main__":
    main()
