"""Model files that hold the SHA-256 of their own bytes, so that one flipped bit is found."""

from __future__ import annotations

import hashlib
import re

from meteor_e.base.errors import InputError

KEY = "sha256"
"""Key of the metadata of a safetensors file."""
OPEN = "0" * 64
"""Value of the key before the file is sealed."""
_FIELD = re.compile(rb'"sha256":"([0-9a-f]{64})"')


def sealed(content: bytes) -> bytes:
    """Return a file's content with its checksum in the place of :data:`OPEN`."""
    head, field, tail = content.partition(f'"{KEY}":"{OPEN}"'.encode())
    assert field
    return b"".join((head, f'"{KEY}":"{hashlib.sha256(content).hexdigest()}"'.encode(), tail))


def check_seal(content: bytes, name: str) -> None:
    """Compare a file's content with the checksum in it.

    Args:
        content: of the file.
        name: what to call the file.

    Raises:
        InputError: if the content has changed since it was sealed, or was never sealed.
    """
    found = _FIELD.search(content)
    if found is None:
        raise InputError(f"{name}: not a model file of meteor-e: it has no checksum; train the model again")
    opened = b"".join((content[: found.start(1)], OPEN.encode(), content[found.end(1) :]))
    if hashlib.sha256(opened).hexdigest().encode() != found[1]:
        raise InputError(f"{name}: damaged: its SHA-256 is not the one in the file; get the file again")
