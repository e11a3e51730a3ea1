"""Score every system of a data set with both engines, and compare statistics, scores and alignments bit for bit.

    python benchmarks/parity/engines_agree.py ../shared/data/wmt12 [--pair de-en] [--alignments]

It prints one line per system, and exits with 1 if anything differs.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from meteor_e import Meteor
from meteor_e.formats.plain import read_segments


def main() -> None:
    """Compare all systems into English."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder with references/ and system-outputs/")
    parser.add_argument("--pair", help="one language pair; by default all into English")
    parser.add_argument("--alignments", action="store_true", help="compare the alignments too")
    arguments = parser.parse_args()
    native, python = Meteor("en"), Meteor("en")
    if native.engine != "native":
        raise SystemExit("the native core is not there to be compared")
    python.engine = "python"
    segments = different = 0
    for folder in sorted((arguments.data / "system-outputs").glob(arguments.pair or "*-en")):
        pair = folder.name.replace("-", "")
        found = [path for path in (arguments.data / "references").glob("*.en") if pair in path.name]
        (reference,) = found or (arguments.data / "references").glob("*-ref.en")
        references = list(read_segments(reference))
        for system in sorted(folder.iterdir()):
            hypotheses = list(read_segments(system))
            wrong = 0
            pairs = zip(native.segments(hypotheses, references), python.segments(hypotheses, references), strict=True)
            for one, other in pairs:
                same = one.statistics == other.statistics and one.score == other.score
                wrong += not same or (arguments.alignments and one != other)
            print(f"{system.name}: {len(hypotheses)} segments, {wrong} differ", flush=True)
            segments += len(hypotheses)
            different += wrong
    print(f"{segments} segments, {different} differ")
    sys.exit(different > 0)


if __name__ == "__main__":
    main()
