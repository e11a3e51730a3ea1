"""Where encoders are, and what is known of one: a folder with the network, its tokenizer and a description.

The description, ``encoder.json``, names both files with their digests. They are checked whenever they are read.
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
"""Bytes of a network, at most."""
MAX_TOKENIZER = 64 << 20
"""Bytes of a tokenizer, at most."""
MAX_DESCRIPTION = 1 << 20

_Digest = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
_Name = Annotated[str, msgspec.Meta(min_length=1, max_length=1000)]


class FileDescription(msgspec.Struct, forbid_unknown_fields=True):
    """A file of an encoder, by SHA-256."""

    sha256: _Digest


class Description(msgspec.Struct, forbid_unknown_fields=True):
    """What ``encoder.json`` says.

    Attributes:
        network, tokenizer: the two files.
        layers: tensors of the network that hold a row per piece, from the first layer to the last.
        pieces: pieces of a word that the network takes at once, those that open and close a sentence among them.
        languages: codes of the languages it was trained on; empty if it is for any.
        source: where it comes from, in words.
    """

    network: FileDescription
    tokenizer: FileDescription
    layers: Annotated[list[_Name], msgspec.Meta(min_length=1, max_length=1000)]
    pieces: Annotated[int, msgspec.Meta(ge=4, le=8192)]
    languages: list[_Name]
    source: str = ""


class EncoderFiles(NamedTuple):
    """An encoder, read and verified, but not made yet."""

    description: Description
    network: bytes
    tokenizer: str


def encoders_folder() -> Path:
    """Return the folder of installed encoders: ``METEOR_E_ENCODERS``, else the user's data folder for meteor_e."""
    return data_folder("encoders")


def check_encoder_name(name: str) -> str:
    """Return a name; ConfigError if it is none."""
    if not re.fullmatch(r"[A-Za-z0-9][\w.-]{0,99}", name, re.ASCII):
        raise ConfigError(f"{name!r} is not a name of an encoder: letters, digits, '.', '_' and '-'")
    return name


def encoder_folder(encoder: str) -> Path:
    """Return the folder of an encoder, given by its name or its path.

    Raises:
        ResourceError: if it is not installed; it says how to get it.
    """
    if os.sep in encoder or "/" in encoder:
        folder, how = Path(encoder), "make one with `meteor-e encoder add`"
    else:
        folder = encoders_folder() / check_encoder_name(encoder)
        how = (
            "install it with `meteor-e encoder install minilm`"
            if encoder == "minilm"
            else (f"make it with `meteor-e encoder add {encoder}`")
        )
    if not (folder / DESCRIPTION).is_file():
        raise ResourceError(f"there is no encoder {encoder!r} (looked for {folder}); {how}")
    return folder


def read_bounded(path: Path, limit: int) -> bytes:
    """Return the bytes of a regular file; ResourceError if it cannot be read, or has more than ``limit``."""
    with os_errors_as(ResourceError, f"cannot read {path}"):
        return read_regular(path, limit)


def read_description(folder: Path) -> Description:
    """Read what describes an encoder; ResourceError if it cannot be read."""
    path = folder / DESCRIPTION
    try:
        return msgspec.json.decode(read_bounded(path, MAX_DESCRIPTION), type=Description)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ResourceError(f"{path} describes no encoder: {error}") from error


def read_encoder(folder: Path) -> EncoderFiles:
    """Read an encoder's files, and check their digests.

    Raises:
        ResourceError: if one cannot be read, is too large, or is not what the description says.
    """
    description = read_description(folder)
    contents = []
    for name, limit, expected in (
        (NETWORK, MAX_NETWORK, description.network),
        (TOKENIZER, MAX_TOKENIZER, description.tokenizer),
    ):
        content = read_bounded(folder / name, limit)
        if hashlib.sha256(content).hexdigest() != expected.sha256:
            raise ResourceError(
                f"{folder / name} is damaged: its SHA-256 is not that of {DESCRIPTION}; install it again"
            )
        contents.append(content)
    return EncoderFiles(description, contents[0], decode_utf8(contents[1], str(folder / TOKENIZER)))


def write_encoder(folder: Path, files: EncoderFiles) -> None:
    """Write the three files into a folder that is there."""
    described = json.dumps(msgspec.to_builtins(files.description), ensure_ascii=False, indent=2)
    with os_errors_as(ResourceError, f"cannot write {folder}"):
        (folder / NETWORK).write_bytes(files.network)
        (folder / TOKENIZER).write_bytes(files.tokenizer.encode())
        (folder / DESCRIPTION).write_text(described + "\n", encoding="utf-8")
