"""Read METEOR's data from its jar, from its tarball, or from the wheel pycocoevalcap."""

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
from typing import IO, NamedTuple

from meteor_e.api.languages import METEOR_CODES
from meteor_e.base.errors import ResourceError
from meteor_e.base.files import open_regular
from meteor_e.packs.build import Ingredients, PackBuilder
from meteor_e.packs.download import read_limited, read_member
from meteor_e.packs.entries import Stream
from meteor_e.packs.pack import LANGUAGES, Pack, SourceFile

LICENCE = "METEOR 1.5 data: GNU LGPL, Carnegie Mellon University (https://www.cs.cmu.edu/~alavie/METEOR/)."
WORDNET_LICENCE = " English synonyms: WordNet 3.0, Princeton University; see COPYING.WORDNET."

MAX_JAR = 256 << 20
MAX_MEMBER = 64 << 20
"""The maximum sizes in bytes of the jar, and of a word list or synonym file in the jar."""

_JAR_MEMBER = "function/english.words"
_JAR = re.compile(r"(?P<folder>(?:.*/)?)meteor-(?P<version>[0-9]+(?:\.[0-9]+)*)\.jar")

# The modules zipfile and tarfile raise these exceptions for damaged archives.
_ARCHIVE_ERRORS = (
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


class _File(NamedTuple):
    """A file in a folder or in an archive."""

    size: int
    """The size in bytes."""
    open: Callable[[], IO[bytes]]


_Files = dict[str, _File]
"""Files by their names."""


class MeteorData(NamedTuple):
    """The contents of a METEOR release: the open jar file of the program, and the data files in the jar's folder."""

    jar: zipfile.ZipFile
    name: str
    version: str
    """The version of METEOR, from the name of the jar."""
    sources: tuple[SourceFile, ...]
    files: _Files
    """The files next to the jar."""


def build_meteor_pack(builder: PackBuilder, path: Path, language: str) -> Pack:
    """Build the pack of a language from a wheel, tarball or jar with METEOR's data.

    Args:
        builder: the builder of the pack.
        path: the path of the wheel, tarball or jar.
        language: the ISO code of the language.
    """
    with open_meteor(path) as data, open_ingredients(data, language) as ingredients:
        return builder.build(ingredients, language, data.sources, version=data.version)


@contextlib.contextmanager
def open_meteor(path: Path) -> Iterator[MeteorData]:
    """Open a wheel, tarball or jar with METEOR's data. The files in the archive are read without extracting them.

    Raises:
        ResourceError: if the file is not a wheel, tarball or jar of METEOR, or is damaged. Damage may not be noticed
            before a member is read in the ``with`` block.
    """
    with _archive_errors(path), contextlib.ExitStack() as stack:
        yield _open_archive(path, stack)


def _open_archive(path: Path, stack: contextlib.ExitStack) -> MeteorData:
    """Open a wheel, tarball or jar with METEOR's data.

    Args:
        path: the path of the archive.
        stack: the exit stack that closes the archive.
    """
    # This call raises an error if the file is a pipe, because zipfile would wait forever for data from the pipe.
    open_regular(path).close()
    if zipfile.is_zipfile(path):
        wheel_or_jar = stack.enter_context(zipfile.ZipFile(path))
        if _JAR_MEMBER in wheel_or_jar.namelist():
            return _open_separate_jar(wheel_or_jar, path)
        return _open_inner_jar(_list_zip_members(wheel_or_jar), path)
    if tarfile.is_tarfile(path):
        tarball = stack.enter_context(tarfile.open(path))  # noqa: SIM115 (the stack closes the archive)
        return _open_inner_jar(_list_tar_members(tarball, path), path)
    raise _make_source_error(path)


def _make_source_error(path: Path) -> ResourceError:
    """Return the error for a file that does not contain METEOR's data."""
    return ResourceError(
        f"{path} is not a source of METEOR's data: give the wheel pycocoevalcap 1.2, the tarball "
        "meteor-1.5.tar.gz, or the file meteor-1.5.jar next to its data folder"
    )


@contextlib.contextmanager
def _archive_errors(path: Path) -> Iterator[None]:
    """Raise ResourceError if an archive cannot be read or is damaged."""
    try:
        yield
    except _ARCHIVE_ERRORS as error:
        raise ResourceError(f"{path} is damaged or cut short: {error}") from error
    except OSError as error:
        # The modules zipfile and gzip raise an OSError without an error number for damaged data.
        reason = error.strerror or str(error)
        raise ResourceError(f"cannot read {error.filename or path}: {reason}") from error


def _open_separate_jar(jar: zipfile.ZipFile, path: Path) -> MeteorData:
    """Open METEOR's data in a jar file and in the folder ``data`` next to the jar."""
    match = _JAR.fullmatch(path.name)
    version = match["version"] if match else "unknown"
    data_files = path.parent.glob("data/*.gz")
    files = {f"data/{file.name}": _File(file.stat().st_size, partial(open_regular, file)) for file in data_files}
    return MeteorData(jar, path.name, version, (SourceFile.from_path(path),), files)


def _open_inner_jar(files: _Files, path: Path) -> MeteorData:
    """Open METEOR's data in a jar that is itself part of a wheel or tarball.

    Args:
        files: the members of the wheel or tarball.
        path: the path of the wheel or tarball.
    """
    jar_match = next((match for match in map(_JAR.fullmatch, files) if match), None)
    if jar_match is None:
        raise _make_source_error(path)
    jar_name = jar_match[0]
    content = read_limited(files[jar_name].open(), MAX_JAR, f"{path.name}: {jar_name}")
    # The names of the data files are relative to the folder of the jar, as if the archive was extracted.
    folder = jar_match["folder"]
    data_files = {name.removeprefix(folder): file for name, file in files.items() if name.startswith(folder)}
    return MeteorData(
        jar=zipfile.ZipFile(io.BytesIO(content)),
        name=path.name,
        version=jar_match["version"],
        sources=(SourceFile.from_path(path),),
        files=data_files,
    )


def _list_zip_members(archive: zipfile.ZipFile) -> _Files:
    """Return the files of a zip archive."""
    return {info.filename: _File(info.file_size, partial(archive.open, info)) for info in archive.infolist()}


def _list_tar_members(archive: tarfile.TarFile, path: Path) -> _Files:
    """Return the regular files of a tarball.

    Raises:
        ResourceError: if the jar or a compressed data file is not a regular file, or the tarball is truncated.
    """
    files = {}
    for info in archive:
        if info.isfile():
            files[info.name] = _File(info.size, partial(tarfile.ExFileObject, archive, info))
        elif info.name.endswith((".jar", ".gz")):
            raise ResourceError(f"{path.name}: {info.name} is not a plain file")
    _check_tar_end(archive, path)
    return files


def _check_tar_end(archive: tarfile.TarFile, path: Path) -> None:
    """Raise a ResourceError if a tarball is truncated. The module tarfile does not detect this."""
    # A complete tarball ends with two blocks of zeros, and the iteration over its members only reads the first block.
    last_block = archive.fileobj.read(tarfile.BLOCKSIZE) if archive.fileobj is not None else b""
    if last_block != bytes(tarfile.BLOCKSIZE):
        raise ResourceError(f"{path} is damaged or cut short: the archive has no end")


@contextlib.contextmanager
def open_ingredients(data: MeteorData, language: str) -> Iterator[Ingredients]:
    """Yield METEOR's data for a language. The paraphrase table is closed at the end of the ``with`` block.

    Args:
        data: the data of METEOR.
        language: the ISO code of the language.
    """
    english_name = LANGUAGES[language]
    with contextlib.ExitStack() as stack:
        ingredients = Ingredients(
            function_words=_read_member(data, f"function/{english_name}.words"),
            prefixes=_read_member(data, f"nonbreaking/{english_name}.prefixes"),
            paraphrases=_open_paraphrases(data, language, stack),
            licence=LICENCE,
        )
        yield _add_wordnet(ingredients, data) if language == "en" else ingredients


def _open_paraphrases(data: MeteorData, language: str, stack: contextlib.ExitStack) -> Stream | None:
    """Open the paraphrase table of a language, and return ``None`` if there is no table."""
    name = f"data/paraphrase-{METEOR_CODES.get(language, language)}.gz"
    if name not in data.files:
        return None
    table = data.files[name]
    return Stream(stack.enter_context(table.open()), f"{name} of {data.name}", table.size)


def _add_wordnet(ingredients: Ingredients, data: MeteorData) -> Ingredients:
    """Add the synonyms of the English WordNet."""
    return ingredients._replace(
        synonyms=_open_synonym_file(data, "english.synsets"),
        exceptions=_open_synonym_file(data, "english.exceptions"),
        notices=(("COPYING.WORDNET", _read_member(data, "synonym/COPYING.WORDNET")),),
        licence=LICENCE + WORDNET_LICENCE,
    )


def _open_synonym_file(data: MeteorData, name: str) -> Stream:
    """Open a synonym file from METEOR's jar as a stream."""
    return Stream(io.BytesIO(_read_member(data, f"synonym/{name}")), f"{name} of {data.name}")


def _read_member(data: MeteorData, name: str) -> bytes:
    """Return the content of a file in the jar."""
    try:
        return read_member(data.jar, name, MAX_MEMBER, data.name)
    except KeyError:
        raise ResourceError(f"{data.name} has no {name}; is it the jar of METEOR 1.5?") from None
