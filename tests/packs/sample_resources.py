"""Small resources in the formats of METEOR, and archives with the layout of METEOR's distributions."""

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
PARAPHRASES = (
    ("in the end", "at last"),
    ("in the end", "finally"),
    ("in", "inside"),
    ("finally", "at last"),
    ("in the end", "at last"),
    ("größer als", "über"),
)
LICENCE_TEXT = b"The licence of a word net.\n"


def make_table(entries: Iterable[tuple[str, str]]) -> bytes:
    """Return a paraphrase table with the same probability for all entries."""
    return "".join(f"0.25\n{phrase}\n{paraphrase}\n" for phrase, paraphrase in entries).encode()


def make_member(name: str) -> zipfile.ZipInfo:
    """Return an archive member with a fixed date, so that archives with equal contents have equal bytes."""
    info = zipfile.ZipInfo(name)
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def make_jar() -> bytes:
    """Return a jar that has the members of METEOR's jar, with small contents."""
    members = {
        "synonym/english.synsets": SYNSETS.encode(),
        "synonym/english.exceptions": EXCEPTIONS.encode(),
        "synonym/COPYING.WORDNET": LICENCE_TEXT,
    }
    for language in ("english", "french", "german", "spanish", "russian", "czech"):
        members[f"function/{language}.words"] = FUNCTION_WORDS.encode()
        members[f"nonbreaking/{language}.prefixes"] = PREFIXES.encode()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(make_member(name), data)
    return buffer.getvalue()


def write_wheel(path: Path, tables: Iterable[str] = ("en",), **extra: bytes) -> Path:
    """Write a wheel like that of pycocoevalcap, and return its path.

    ``tables`` contains the languages that have a paraphrase table, and ``extra`` additional members by name.
    """
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(make_member("pycocoevalcap/meteor/meteor-1.5.jar"), make_jar())
        for code in tables:
            name = f"pycocoevalcap/meteor/data/paraphrase-{code}.gz"
            archive.writestr(make_member(name), gzip.compress(make_table(PARAPHRASES), mtime=0))
        for name, data in extra.items():
            archive.writestr(make_member(name), data)
    return path


def write_tarball(path: Path, tables: Iterable[str] = ("en", "cz"), extra: Iterable[tarfile.TarInfo] = ()) -> Path:
    """Write a tarball like that of METEOR 1.5, and return its path.

    ``tables`` contains the languages that have a paraphrase table, and ``extra`` additional members without content.
    """
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:

        def add(name: str, data: bytes) -> None:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))

        for info in extra:
            archive.addfile(info)
        add("meteor-1.5/README", b"read me\n")
        for code in tables:
            add(f"meteor-1.5/data/paraphrase-{code}.gz", gzip.compress(make_table(PARAPHRASES), mtime=0))
        add("meteor-1.5/meteor-1.5.jar", make_jar())
    path.write_bytes(gzip.compress(buffer.getvalue(), mtime=0))
    return path


def flip_bit(path: Path, offset: int, bit: int = 0) -> None:
    """Invert one bit of the byte at an offset in a file."""
    data = bytearray(path.read_bytes())
    data[offset] ^= 1 << bit
    path.write_bytes(data)
