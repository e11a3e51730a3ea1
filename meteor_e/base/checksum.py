"""Checksums of model files. Each file contains a SHA-256 of its own content, so that damage can be detected."""

from __future__ import annotations

import hashlib
import re

from meteor_e.base.errors import InputError

KEY = "sha256"
"""The key of the checksum in the JSON metadata of a file. It must be the first key."""
PLACEHOLDER = "0" * 64
"""The value of the key before the checksum is inserted. The checksum is computed from the content with this value."""
_FIELD = re.compile(rb'"sha256\\?": ?\\?"(?P<checksum>[0-9a-f]{64})')  # JSON inside JSON contains backslashes.


def insert_checksum(content: bytes) -> bytes:
    """Replace :data:`PLACEHOLDER` in the content of a file by the checksum, and return the new content."""
    field = _FIELD.search(content)
    assert field is not None
    assert field["checksum"] == PLACEHOLDER.encode()
    return _replace_checksum(content, field, _compute_checksum(content))


def verify_checksum(content: bytes, name: str) -> None:
    """Check that the content of a file matches the checksum that is stored in the file.

    Args:
        content: the content of the file.
        name: the name of the file in errors.

    Raises:
        InputError: if the file does not contain a checksum, or its content has changed.
    """
    field = _FIELD.search(content)
    if field is None:
        raise InputError(f"{name}: not a model file of meteor-e, because it has no checksum; train the model again")
    original_content = _replace_checksum(content, field, PLACEHOLDER.encode())
    if _compute_checksum(original_content) != field["checksum"]:
        raise InputError(f"{name}: damaged: its SHA-256 is not the one in the file; get the file again")


def _compute_checksum(content: bytes) -> bytes:
    """Return the hexadecimal SHA-256 of a byte string."""
    return hashlib.sha256(content).hexdigest().encode()


def _replace_checksum(content: bytes, field: re.Match[bytes], checksum: bytes) -> bytes:
    """Replace the checksum in the content of a file, and return the new content."""
    return content[: field.start("checksum")] + checksum + content[field.end("checksum") :]
