"""Read and write encoder folders. Each folder contains a network, a tokenizer and a description.

The description file ``encoder.json`` contains the digests of the network and the tokenizer. The digests are verified
whenever the files are read.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec

from meteor_e import ConfigError, ResourceError
from meteor_e.base.files import decode_utf8, os_errors_as, read_regular
from meteor_e.base.folders import data_folder

NETWORK, TOKENIZER, DESCRIPTION = "model.onnx", "tokenizer.json", "encoder.json"
MAX_NETWORK = 1 << 30
"""Maximum number of bytes of a network."""
MAX_TOKENIZER = 64 << 20
"""Maximum number of bytes of a tokenizer."""
MAX_DESCRIPTION = 1 << 20
"""Maximum number of bytes of a description."""

_Digest = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$", extra={"form": "64 hexadecimal digits"})]
_Name = Annotated[str, msgspec.Meta(min_length=1, max_length=1000)]


class FileDescription(msgspec.Struct, forbid_unknown_fields=True):
    """The digest of a file of an encoder."""

    sha256: _Digest


class Description(msgspec.Struct, forbid_unknown_fields=True):
    """The content of ``encoder.json``.

    Attributes:
        network, tokenizer: the digests of the two files.
        layers: the tensors of the network with a row per word piece, from the first layer to the last.
        pieces: the number of word pieces that the network takes at once, including those that open and close a
            sentence.
        languages: the codes of the languages that the encoder is for; empty if it is for all languages.
        source: the origin of the encoder, in words.
    """

    network: FileDescription
    tokenizer: FileDescription
    layers: Annotated[list[_Name], msgspec.Meta(min_length=1, max_length=1000)]
    pieces: Annotated[int, msgspec.Meta(ge=4, le=8192)]
    languages: list[_Name]
    source: str = ""

    @property
    def digest(self) -> str:
        """The first characters of the digests of both files. Signatures use them to identify the encoder."""
        return f"{self.network.sha256[:8]}{self.tokenizer.sha256[:4]}"


class EncoderFiles(NamedTuple):
    """The content of an encoder's files. The description contains the digests of the network and the tokenizer."""

    description: Description
    network: bytes
    tokenizer: str


def encoders_folder() -> Path:
    """Return the folder of installed encoders. The environment variable ``METEOR_E_ENCODERS`` overrides the default."""
    return data_folder("encoders")


def check_encoder_name(name: str) -> str:
    """Check the name of an encoder, and return it. Raise ConfigError if the name is not valid."""
    if not re.fullmatch(r"[A-Za-z0-9][\w.-]{0,99}", name, re.ASCII):
        raise ConfigError(f"{name!r} is not a name of an encoder; a name consists of letters, digits, '.', '_' and '-'")
    return name


def encoder_folder(encoder: str) -> Path:
    """Return the folder of an encoder.

    Args:
        encoder: the name of an installed encoder, or the path of a folder.

    Raises:
        ResourceError: if the encoder is not installed. The message says how to get it.
    """
    is_path = os.sep in encoder or "/" in encoder
    folder = Path(encoder) if is_path else encoders_folder() / check_encoder_name(encoder)
    if (folder / DESCRIPTION).is_file():
        return folder
    if is_path:
        advice = "create one with `meteor-e encoder add`"
    elif encoder == "minilm":
        advice = "install it with `meteor-e encoder install minilm`"
    else:
        advice = f"create it with `meteor-e encoder add {encoder}`"
    raise ResourceError(f"there is no encoder {encoder!r} (looked for {folder}); {advice}")


def read_bounded(path: Path, limit: int) -> bytes:
    """Return the content of a file. Raise ResourceError if the file cannot be read or is too large."""
    with os_errors_as(ResourceError, f"cannot read {path}"):
        return read_regular(path, limit)


def read_description(folder: Path) -> Description:
    """Read the description of an encoder. Raise ResourceError if the description cannot be read."""
    path = folder / DESCRIPTION
    try:
        return msgspec.json.decode(read_bounded(path, MAX_DESCRIPTION), type=Description)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ResourceError(f"{path} is not the description of an encoder: {error}") from error


def read_encoder(folder: Path) -> EncoderFiles:
    """Read the files of an encoder, and verify their digests.

    Raises:
        ResourceError: if a file cannot be read, is too large, or does not have the digest in the description.
    """
    description = read_description(folder)
    network = _read_verified(folder / NETWORK, MAX_NETWORK, description.network)
    tokenizer = _read_verified(folder / TOKENIZER, MAX_TOKENIZER, description.tokenizer)
    return EncoderFiles(description, network, decode_utf8(tokenizer, str(folder / TOKENIZER)))


def _read_verified(path: Path, limit: int, expected: FileDescription) -> bytes:
    """Return the content of a file. Raise ResourceError if the digest of the file is wrong."""
    content = read_bounded(path, limit)
    if hashlib.sha256(content).hexdigest() != expected.sha256:
        raise ResourceError(
            f"{path} is damaged: its SHA-256 is not the one in {DESCRIPTION}; install the encoder again"
        )
    return content


def write_encoder(folder: Path, files: EncoderFiles) -> None:
    """Write the three files of an encoder into an existing folder."""
    description = json.dumps(msgspec.to_builtins(files.description), ensure_ascii=False, indent=2)
    with os_errors_as(ResourceError, f"cannot write {folder}"):
        (folder / NETWORK).write_bytes(files.network)
        (folder / TOKENIZER).write_bytes(files.tokenizer.encode())
        (folder / DESCRIPTION).write_text(description + "\n", encoding="utf-8")
