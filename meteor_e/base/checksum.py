"""Model files that hold the SHA-256 of their own bytes, so that one flipped bit is found."""

from __future__ import annotations

import hashlib
import re

from meteor_e.base.errors import InputError

KEY = "sha256"
"""Key of the checksum, first in the JSON of the file's metadata."""
OPEN = "0" * 64
"""Value of the key before the file is sealed."""
_FIELD = re.compile(rb'"sha256\\?": ?\\?"([0-9a-f]{64})')  # JSON within JSON has backslashes


def sealed(content: bytes) -> bytes:
    """Return a file's content with its checksum instead of :data:`OPEN`."""
    found = _FIELD.search(content)
    assert found is not None
    assert found[1] == OPEN.encode()
    return b"".join((content[: found.start(1)], hashlib.sha256(content).hexdigest().encode(), content[found.end(1) :]))


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
