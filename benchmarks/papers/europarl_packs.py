"""Measure how long it takes to build a pack from Europarl, and how its paraphrases change Kendall's τ.

    python benchmarks/papers/europarl_packs.py build fr europarl.fr europarl.en en packs    # a pack in packs/fr-bitext
    python benchmarks/papers/europarl_packs.py build en europarl.en europarl.fr fr packs
    python benchmarks/papers/europarl_packs.py tau en packs        # cs-en, de-en, es-en, fr-en
    python benchmarks/papers/europarl_packs.py tau fr packs        # en-fr
    python benchmarks/papers/europarl_packs.py sample              # a test of both commands that takes seconds

``build`` runs ``meteor-e pack build``. It prints the elapsed time, the processor time, the peak memory of the process
including memory-mapped files, and the number of entries and bytes of the pack. ``tau`` compares several chains on
WMT12: METEOR with its own paraphrases, METEOR with the paraphrases of the new pack, METEOR without paraphrases, and the
new pack with and without its paraphrases. METEOR's pack of the language must be installed. ``METEOR_E_SHARED`` names
the folder of the data.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from pathlib import Path

from command import sample_folder
from sample_data import shared_data

from meteor_e.packs.build import Ingredients, open_builder
from meteor_e.packs.pack import PARAPHRASES, TABLE_FILE, Pack
from meteor_e.packs.store import PackStore

HERE = Path(__file__).parents[1]
PAIRS = {"en": ("cs-en", "de-en", "es-en", "fr-en"), "fr": ("en-fr",)}


def build(language: str, text: str, translation: str, pivot: str, packs: Path, threads: int) -> None:
    """Build a pack, and print the time and memory that the build needs.

    Args:
        language: the language of the pack.
        text: a text in this language.
        translation: the translation of the text.
        pivot: the language of the translation.
        packs: the folder of the new pack.
        threads: the number of threads.
    """
    target = packs / f"{language}-bitext"
    for folder in (target, packs / f".work-{target.name}"):
        if folder.exists():
            raise SystemExit(f"{folder} is there from an earlier run; name another folder, so that nothing is reused")
    command = [sys.executable, "-m", "meteor_e", "pack", "build", "-l", language, "--bitext", text, translation]
    command += ["--pivot-language", pivot, "-o", str(target), "--threads", str(threads)]
    start_time = time.monotonic()
    subprocess.run(command, check=True)
    seconds = time.monotonic() - start_time
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    manifest = Pack(target).manifest
    size = sum(file.size for file in manifest.files.values())
    print(f"{seconds:.0f} s, {usage.ru_utime + usage.ru_stime:.0f} s of processor time")
    print(f"{usage.ru_maxrss / 1024:.0f} MiB of memory at most, {size / 1e6:.0f} MB on disk")
    for name, file in sorted(manifest.files.items()):
        print(f"  {name}: {file.size / 1e6:.1f} MB")
    print(f"{manifest.contents}")


def replace_paraphrases(pack: Pack, target: Path, paraphrases: Path) -> Pack:
    """Copy a pack, and replace its paraphrase table."""
    copied_names = [name for name in pack.manifest.files if name not in (PARAPHRASES, TABLE_FILE)]
    ingredients = Ingredients(
        paraphrases=paraphrases,
        copies=tuple((name, pack.path / name) for name in copied_names),
        licence=pack.manifest.licence,
    )
    version = f"{pack.manifest.version} with paraphrases from bitext"
    with open_builder(target) as builder:
        return builder.build(ingredients, pack.language, pack.manifest.sources, version=version)


def tau(language: str, packs: Path, significance: bool) -> None:
    """Print Kendall's τ on WMT12 with and without the paraphrases of a new pack.

    Args:
        language: the language of the pack.
        packs: the folder of the new pack.
        significance: whether to test the differences for significance.
    """
    meteor_pack = PackStore().get(language)
    new_pack = packs / f"{language}-bitext"
    command = [sys.executable, "-m", "meteor_e", "evaluate", str(HERE / "wmt12.yaml")]
    for pair in PAIRS[language]:
        command += ["--pair", pair]
    if meteor_pack.paraphrases is not None:
        command += ["-M", "METEOR=meteor"]
    for name, chain in make_chains(language, meteor_pack, new_pack).items():
        path = packs / f"{name}-{language}.yaml"
        path.write_text(chain, encoding="utf-8")
        command += ["-M", f"{name}={path}"]
    if significance:
        command.append("--significance")
    subprocess.run(command, check=True)


def make_chains(language: str, meteor_pack: Pack, new_pack: Path) -> dict[str, str]:
    """Return the names of the compared chains, and each chain as a YAML text."""
    mixed_pack = replace_paraphrases(meteor_pack, new_pack.with_name(f"{language}-swapped"), new_pack / TABLE_FILE)
    function_words = "own" if language == "en" else "en"
    matchers = "exact, stem, synonym" if language == "en" else "exact, stem"
    return {
        "none": f"language: {language}\nmatchers: [{matchers}]\n",
        "ours": f"language: {language}\npack: {mixed_pack.path}\nfunction_words: {function_words}\n",
        "pack": f"language: {language}\npack: {new_pack.absolute()}\nmatchers: [exact, stem, paraphrase]\n",
        "pack-none": f"language: {language}\npack: {new_pack.absolute()}\nmatchers: [exact, stem]\n",
    }


def main() -> None:
    """Parse the command line, and run a command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    builder = commands.add_parser("build")
    for name in ("language", "text", "translation", "pivot"):
        builder.add_argument(name)
    builder.add_argument("packs", type=Path, help="folder that does not contain a pack of the language yet")
    builder.add_argument("--threads", type=int, default=2)
    measure = commands.add_parser("tau")
    measure.add_argument("language", choices=sorted(PAIRS))
    measure.add_argument("packs", type=Path)
    measure.add_argument("--significance", action="store_true", help="test each difference for significance")
    commands.add_parser("sample")
    arguments = vars(parser.parse_args())
    functions = {"build": build, "tau": tau, "sample": run_sample}
    function = functions[arguments.pop("command")]
    function(**arguments)


def run_sample() -> None:
    """Build a pack from a few hundred sentences, and measure Kendall's τ on the first segments of WMT12."""
    with sample_folder(True) as folder:
        assert folder is not None
        texts = [str(shared_data() / "europarl" / f"europarl.fr-en.{language}.xz") for language in ("en", "fr")]
        build("en", texts[0], texts[1], "fr", folder, 1)
        tau("en", folder, significance=False)


if __name__ == "__main__":
    main()
