"""Flip bits in caches, packs, vector files and models; recompute the corpus scores of JSON.

    python benchmarks/robustness/damaged.py [--flips 200] [--seed 1] [--case NAME]

A command runs once, then again for every flipped bit: at a random place of a random file that it reads. It must give
the result of the whole files, or one line that says what is damaged, and an exit code of 1 to 3. Then the corpus scores
that ``score -f json`` writes are computed again from the sum of the statistics of its segments. The exit code is 1 if
anything is wrong.
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

from kills import content, prepare, said, start, wait


class Case(NamedTuple):
    """A command, the file that it writes, what it reads that is to be damaged, and what made that."""

    arguments: tuple[str, ...]
    made: str
    read: str
    before: tuple[tuple[str, ...], ...] = ()


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


def inputs(folder: Path, rng: random.Random) -> None:
    """Write what the commands read."""
    prepare(folder)
    words = set()
    for name in ("hyp", "ref"):
        lines = (folder / name).read_text().splitlines()[:60]
        (folder / name).write_text("\n".join(lines) + "\n")
        words.update(*map(str.split, lines))
    rows = (f"{word} {' '.join(f'{rng.gauss(0, 1):.4f}' for _ in range(10))}\n" for word in sorted(words))
    (folder / "v.txt").write_text("".join(rows))
    (folder / "chain.yaml").write_text("matchers: [{use: exact}, {use: vector, file: v.vectors, threshold: 0.7}]\n")


def run(case: Case, folder: Path) -> tuple[int | None, dict[str, bytes]]:
    """Return the exit code of a case's command, and what it wrote."""
    (folder / case.made).unlink(missing_ok=True)
    code = wait(start(case.arguments, folder))
    return code, content(folder, case.made)


def damage(name: str, folder: Path, flips: int, rng: random.Random) -> Counter[str]:
    """Count what becomes of flipped bits."""
    case, counts = CASES[name], Counter[str]()
    for arguments in case.before:
        if wait(start(arguments, folder)):
            raise SystemExit(f"{name}: {said(folder)}")
    if name == "pack":
        shutil.rmtree(folder / case.read)
        shutil.copytree(folder / "packs" / "en", folder / case.read)
    code, expected = run(case, folder)
    if code:
        raise SystemExit(f"{name}: {said(folder)}")
    read = folder / case.read
    whole = {file: file.read_bytes() for file in [read, *sorted(read.rglob("*"))] if file.is_file()}
    whole = {file: data for file, data in whole.items() if data and not file.name.endswith(".lock")}
    for _ in range(flips):
        file = rng.choice(list(whole))
        data = bytearray(whole[file])
        at = rng.randrange(len(data))
        data[at] ^= 1 << rng.randrange(8)
        file.write_bytes(data)
        code, found = run(case, folder)
        told = said(folder).strip().splitlines()
        if code == 0 and found == expected:
            counts["right"] += 1
        elif code in (1, 2, 3) and len(told) == 1 and not found:
            counts["error"] += 1
        else:
            counts["WRONG"] += 1
            print(f"{name}: {file.relative_to(folder)} at {at}: exit {code}: {told[-1:]}", file=sys.stderr)
        for path, content_ in whole.items():  # a run may have made a damaged cache again
            if not path.exists() or path.read_bytes() != content_:
                path.write_bytes(content_)
    return counts


FIELDS = ("hypothesis_content", "reference_content", "hypothesis_function", "reference_function")


def recomputed(details: dict[str, Any], parameters: dict[str, float]) -> float:
    """Return METEOR of summed statistics, by section 2 of its paper."""
    sums, delta = details["statistics"], parameters["delta"]

    def share(side: str) -> float:
        function = sums[f"{side}_function_words"]
        length = delta * (sums[f"{side}_length"] - function) + (1 - delta) * function
        matched = sum(
            one["weight"] * (delta * one[f"{side}_content"] + (1 - delta) * one[f"{side}_function"])
            for one in details["matchers"]
        )
        return matched / length if length else 0.0

    precision, recall = share("hypothesis"), share("reference")
    if not precision or not recall:
        return 0.0
    mean = 1 / ((1 - parameters["alpha"]) / precision + parameters["alpha"] / recall)
    matched = (sums["hypothesis_matched"] + sums["reference_matched"]) / 2
    fragmentation = 0.0 if sums["chunks"] == 1 and matched == sums["hypothesis_length"] else sums["chunks"] / matched
    return float(mean * (1 - parameters["gamma"] * fragmentation ** parameters["beta"]))


def json_scores(folder: Path) -> Counter[str]:
    """Compare the corpus scores of JSON, and those of its segments, with what their statistics give."""
    wait(start((*SCORE, "-l", "en"), folder))
    system = json.loads((folder / "out.json").read_text())["systems"][0]
    whole = system["scores"]["METEOR"]
    segments = [segment["scores"]["METEOR"] for segment in system["segments"]]
    parameters = dict(zip(("alpha", "beta", "gamma", "delta"), (0.85, 0.2, 0.6, 0.75), strict=True))
    summed = json.loads(json.dumps(segments[0]["details"]))
    for segment in segments[1:]:
        for key, value in segment["details"]["statistics"].items():
            summed["statistics"][key] += value
        for one, other in zip(summed["matchers"], segment["details"]["matchers"], strict=True):
            for field in FIELDS:
                one[field] += other[field]
    pairs = [(whole["score"], recomputed(summed, parameters))]
    pairs += [(segment["score"], recomputed(segment["details"], parameters)) for segment in segments]
    return Counter("right" if abs(one - other) < 1e-12 else "WRONG" for one, other in pairs)


def main() -> None:
    """Count, and print a table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--flips", type=int, default=200, help="of each case")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--case", action="append", choices=list(CASES), help="only this one; may be repeated")
    chosen = options.parse_args()
    os.environ["METEOR_E_OFFLINE"] = "1"
    import meteor_e_learned.training  # noqa: F401
    import meteor_e_vectors.matcher  # noqa: F401

    import meteor_e.cli.compat
    import meteor_e.cli.score  # noqa: F401

    rng = random.Random(chosen.seed)
    wrong = 0
    with tempfile.TemporaryDirectory() as temporary:
        inputs(Path(temporary), rng)
        for name in chosen.case or CASES:
            counts = damage(name, Path(temporary), chosen.flips, rng)
            wrong += counts["WRONG"]
            print(f"{name:18} {chosen.flips} flips: {dict(counts)}", flush=True)
        counts = json_scores(Path(temporary))
        wrong += counts["WRONG"]
        print(f"{'scores of JSON':18} {dict(counts)}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
