"""A wordnet of the Open Multilingual Wordnet as a pack's synonyms."""

from __future__ import annotations

import gzip
import re
import zipfile
import zlib
from pathlib import Path

from meteor_e.api import ResourceError
from meteor_e.packs.build import Ingredients

_LICENCES = {"wordnet": "WordNet license"}


def wordnet(path: Path, code: str, scratch: Path) -> tuple[Ingredients, int]:
    """Turn a wordnet into METEOR's synsets; phrases are left out.

    Args:
        path: a zip file with ``wn-data-CODE.tab``, or such a table, plain or gzipped.
        code: the language's code in names of tables.
        scratch: where the synsets are put.

    Returns:
        The pack's ingredients, and how many words have synonyms.

    Raises:
        ResourceError: if the file cannot be read, or holds no synonyms of the language.
    """
    text = _table(path, code).decode("utf-8", "replace")
    header = text.partition("\n")[0].split("\t")
    licence = header[3].strip() if header[0].startswith("#") and len(header) > 3 else "unknown"
    groups: dict[str, set[str]] = {}
    for fields in (line.split("\t") for line in text.splitlines()):
        if len(fields) > 2 and fields[1].rpartition(":")[2] == "lemma":
            groups.setdefault(fields[0], set()).add(fields[-1].strip().lower())
    synsets: dict[str, list[int]] = {}
    number = 0
    for group in groups.values():
        members = sorted(word for word in group if word and not re.search(r"[\s()_]", word))
        number += len(members) > 1
        for member in members if len(members) > 1 else ():
            synsets.setdefault(member, []).append(number)
    if not synsets:
        raise ResourceError(f"{path}: the wordnet has no synonyms")
    target = scratch / "synsets.txt"
    with target.open("w", encoding="utf-8", newline="\n") as stream:
        stream.writelines(f"{word}\n{' '.join(map(str, ids))}\n" for word, ids in sorted(synsets.items()))
    return Ingredients(synonyms=target, licence=_LICENCES.get(licence.lower(), licence)), len(synsets)


def _table(path: Path, code: str) -> bytes:
    """Return the table of a language, unpacked."""
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                wanted = [name for name in archive.namelist() if name.endswith(f"/wn-data-{code}.tab")]
                if not wanted:
                    raise ResourceError(f"{path} has no file wn-data-{code}.tab")
                return archive.read(wanted[0])
        content = path.read_bytes()
        return gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise ResourceError(f"cannot read {path}: {error}") from error
