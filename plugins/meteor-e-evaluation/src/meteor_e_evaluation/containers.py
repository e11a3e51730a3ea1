"""Texts of a test set from a file of any form: plain, SGML or WMT XML."""

from __future__ import annotations

from meteor_e.api import InputError
from meteor_e.toolkit import PathLike, Role, open_input


def read_all_texts(path: PathLike, role: Role) -> dict[str, list[str]]:
    """Read all texts of a role (``hypothesis``, ``reference``, ``source``) in a file.

    Args:
        path: the file. Plain text holds one text, which is called ``""``.
        role: what to read from SGML and XML.

    Raises:
        InputError: if the file is malformed or has none.
    """
    with open_input(path) as file:
        if file.format == "plain":
            return {"": list(file.segments())}
        collection = file.collection()
        names = collection.texts[role]
        if not names:
            raise InputError(f"{file.name}: holds no {role}")
        # Segments missing in a system must not shift the others, so lengths are compared by the caller.
        return {name: collection.segments(role, name) for name in names}


def read_texts(path: PathLike, role: Role) -> list[str]:
    """Read the one text of a role in a file.

    Raises:
        InputError: if the file is malformed, or has none or several.
    """
    texts = read_all_texts(path, role)
    if len(texts) != 1:
        raise InputError(f"{path}: one {role} is needed, it has {len(texts)} ({', '.join(texts)})")
    (text,) = texts.values()
    return text
