"""Time, memory and size of packs from Europarl, and what their paraphrases do to Kendall's τ on WMT12.

    python benchmarks/papers/europarl_packs.py build fr europarl.fr europarl.en en packs    # a pack in packs/fr-bitext
    python benchmarks/papers/europarl_packs.py build en europarl.en europarl.fr fr packs
    python benchmarks/papers/europarl_packs.py tau en packs        # cs-en, de-en, es-en, fr-en
    python benchmarks/papers/europarl_packs.py tau fr packs        # en-fr
    python benchmarks/papers/europarl_packs.py sample              # both for French and English, in seconds

``build`` runs ``meteor-e pack build`` from nothing, on two threads or as many as ``--threads`` says, and prints the
seconds of each stage and of all, processor time, the highest resident memory of the process (it starts no others; files
that it maps count), entries and bytes. ``tau`` compares METEOR with its own table, if it has one, with the
pack's table in its place and all else as it is, and with none; and the pack as it comes, with and without its
paraphrases. METEOR's pack of the language must be installed; METEOR_E_SHARED names the folder of the data.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

from command import sample_folder
from sample_data import shared_data

from meteor_e.base.progress import silent
from meteor_e.packs.build import open_builder
from meteor_e.packs.build_indexes import build_paraphrase_index
from meteor_e.packs.pack import PARAPHRASES, TABLE_FILE, Pack
from meteor_e.packs.store import PackStore

HERE = Path(__file__).parents[1]
PAIRS = {"en": ("cs-en", "de-en", "es-en", "fr-en"), "fr": ("en-fr",)}


def build(language: str, text: str, translation: str, pivot: str, packs: Path, threads: int) -> None:
    """Build a pack and print what it took."""
    target = packs / f"{language}-bitext"
    for left in (target, packs / f".work-{target.name}"):
        if left.exists():
            raise SystemExit(f"{left} is there from an earlier run; name another folder, so that nothing is reused")
    command = [sys.executable, "-m", "meteor_e", "pack", "build", "-l", language, "--bitext", text, translation]
    command += ["--pivot-language", pivot, "-o", str(target), "--threads", str(threads)]
    begin = time.monotonic()
    subprocess.run(command, check=True)
    seconds = time.monotonic() - begin
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    files = Pack(target).manifest.files
    size = sum(file.size for file in files.values())
    print(f"{seconds:.0f} s, {used.ru_utime + used.ru_stime:.0f} s of processor time")
    print(f"{used.ru_maxrss / 1024:.0f} MiB of memory at most, {size / 1e6:.0f} MB on disk")
    print("\n".join(f"  {name}: {file.size / 1e6:.1f} MB" for name, file in sorted(files.items())))
    print(f"{Pack(target).manifest.contents}")


def swap(pack: Pack, target: Path, paraphrases: Path) -> Pack:
    """Build a pack that is like another one except for its paraphrases."""
    with open_builder(target) as builder:
        manifest = replace(pack.manifest, version=f"{pack.manifest.version} with paraphrases from bitext")
        with builder.stage(manifest) as (folder, contents):
            for name in pack.manifest.files:
                if name not in (PARAPHRASES, TABLE_FILE):
                    shutil.copyfile(pack.path / name, folder / name)
            contents["paraphrases"] = build_paraphrase_index(paraphrases, folder / PARAPHRASES, silent)
    return Pack(builder.target)


def tau(language: str, packs: Path, significance: bool) -> None:
    """Print Kendall's τ with and without the paraphrases of a pack, and what differences are more than chance."""
    own = PackStore().get(language)
    made = packs / f"{language}-bitext"
    swapped = swap(own, packs / f"{language}-swapped", made / TABLE_FILE)
    words = "own" if language == "en" else "en"
    others = "exact, stem, synonym" if language == "en" else "exact, stem"
    chains = {
        "none": f"language: {language}\nmatchers: [{others}]\n",
        "ours": f"language: {language}\npack: {swapped.path}\nfunction_words: {words}\n",
        "pack": f"language: {language}\npack: {made.absolute()}\nmatchers: [exact, stem, paraphrase]\n",
        "pack-none": f"language: {language}\npack: {made.absolute()}\nmatchers: [exact, stem]\n",
    }
    command = [sys.executable, "-m", "meteor_e", "evaluate", str(HERE / "wmt12.yaml")]
    command += [word for pair in PAIRS[language] for word in ("--pair", pair)]
    if own.paraphrases is not None:
        command += ["-M", "METEOR=meteor"]
    for name, chain in chains.items():
        (packs / f"{name}-{language}.yaml").write_text(chain, encoding="utf-8")
        command += ["-M", f"{name}={packs / f'{name}-{language}.yaml'}"]
    if significance:
        command.append("--significance")
    subprocess.run(command, check=True)


def main() -> None:
    """Run a command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    builder = commands.add_parser("build")
    for name in ("language", "text", "translation", "pivot"):
        builder.add_argument(name)
    builder.add_argument("packs", type=Path, help="a folder that has no pack of the language yet")
    builder.add_argument("--threads", type=int, default=2)
    measure = commands.add_parser("tau")
    measure.add_argument("language", choices=sorted(PAIRS))
    measure.add_argument("packs", type=Path)
    measure.add_argument("--significance", action="store_true", help="one-sided permutation tests of each difference")
    commands.add_parser("sample")
    arguments = vars(parser.parse_args())
    {"build": build, "tau": tau, "sample": run_sample}[arguments.pop("command")](**arguments)


def run_sample() -> None:
    """Build a pack from a few hundred sentences, and measure its τ on the first segments."""
    with sample_folder(True) as folder:
        assert folder is not None
        texts = [str(shared_data() / "europarl" / f"europarl.fr-en.{language}.xz") for language in ("en", "fr")]
        build("en", texts[0], texts[1], "fr", folder, 1)
        tau("en", folder, significance=False)


if __name__ == "__main__":
    main()
