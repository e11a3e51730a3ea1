"""Small resources in METEOR's formats, and archives with the layout of METEOR's."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

SYNSETS = "big\n00000007 8\ngo\n00000009\nhuge\n7\nlarge\n8\nwalk\n00000009 00000010\n"
EXCEPTIONS = "go\ngone went\nwend\nwent\n"
FUNCTION_WORDS = "a\nthe\nof\n"
PREFIXES = "# titles\nMr\nProf \n\nNo #NUMERIC_ONLY# \npp #NUMERIC_ONLY#\r\n"
TABLE = (
    ("in the end", "at last"),
    ("in the end", "finally"),
    ("in", "inside"),
    ("finally", "at last"),
    ("in the end", "at last"),
    ("größer als", "über"),
)
LICENCE_TEXT = b"The licence of a word net.\n"


def table_text(entries: Iterable[tuple[str, str]]) -> bytes:
    return "".join(f"0.25\n{left}\n{right}\n" for left, right in entries).encode()


def member(name: str) -> zipfile.ZipInfo:
    """Return a member with a fixed date, so that equal archives have equal bytes."""
    info = zipfile.ZipInfo(name)
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def jar_bytes(**extra: bytes) -> bytes:
    """Return a jar with the members of METEOR's jar and small contents."""
    members = {
        "synonym/english.synsets": SYNSETS.encode(),
        "synonym/english.exceptions": EXCEPTIONS.encode(),
        "synonym/COPYING.WORDNET": LICENCE_TEXT,
    }
    for language in ("english", "french", "german", "spanish", "russian", "czech"):
        members[f"function/{language}.words"] = FUNCTION_WORDS.encode()
        members[f"nonbreaking/{language}.prefixes"] = PREFIXES.encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in {**members, **extra}.items():
            archive.writestr(member(name), data)
    return out.getvalue()


def write_wheel(path: Path, tables: Iterable[str] = ("en",), **extra: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(member("pycocoevalcap/meteor/meteor-1.5.jar"), jar_bytes())
        for code in tables:
            name = f"pycocoevalcap/meteor/data/paraphrase-{code}.gz"
            archive.writestr(member(name), gzip.compress(table_text(TABLE), mtime=0))
        for name, data in extra.items():
            archive.writestr(member(name), data)
    return path


def write_tarball(path: Path, tables: Iterable[str] = ("en", "cz"), extra: Iterable[tarfile.TarInfo] = ()) -> Path:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:

        def add(name: str, data: bytes) -> None:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))

        for info in extra:
            archive.addfile(info)
        add("meteor-1.5/README", b"read me\n")
        for code in tables:
            add(f"meteor-1.5/data/paraphrase-{code}.gz", gzip.compress(table_text(TABLE), mtime=0))
        add("meteor-1.5/meteor-1.5.jar", jar_bytes())
    path.write_bytes(gzip.compress(out.getvalue(), mtime=0))
    return path


def flip(path: Path, at: int, bit: int = 0) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1 << bit
    path.write_bytes(data)
