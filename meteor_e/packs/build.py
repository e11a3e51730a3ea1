"""Build resource packs from plain files."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from meteor_e._version import __version__
from meteor_e.base.errors import ResourceError
from meteor_e.base.files import PathLike, decode_utf8, os_errors_as, read_regular, sha256_of
from meteor_e.base.folders import replace_folder, working_folder
from meteor_e.base.locks import lock_folder
from meteor_e.base.progress import Progress, silent
from meteor_e.packs.build_indexes import build_paraphrase_index, build_synonym_index
from meteor_e.packs.entries import PathOrStream, check_table_size
from meteor_e.packs.pack import (
    FILE_NAME,
    FUNCTION_WORDS,
    MAX_LIST,
    PARAPHRASES,
    PREFIXES,
    SYNONYMS,
    Manifest,
    Pack,
    PackFile,
    SourceFile,
    check_name,
    parse_function_words,
    parse_prefixes,
)


class Ingredients(NamedTuple):
    """The resources from which a new pack is built. Resources that are ``None`` are left out."""

    function_words: bytes | None = None
    prefixes: bytes | None = None
    synonyms: PathOrStream | None = None
    exceptions: PathOrStream | None = None
    paraphrases: PathOrStream | None = None
    notices: tuple[tuple[str, bytes], ...] = ()
    """The names and contents of small files, such as license texts."""
    copies: tuple[tuple[str, PathLike], ...] = ()
    """The names and source paths of files to copy unchanged."""
    licence: str = ""
    """The license statement of the manifest."""


def build_pack(
    target: PathLike,
    *,
    language: str,
    name: str | None = None,
    version: str = "1",
    licence: str = "",
    function_words: PathLike | None = None,
    prefixes: PathLike | None = None,
    synonyms: PathLike | None = None,
    exceptions: PathLike | None = None,
    paraphrases: PathLike | None = None,
    sources: Sequence[SourceFile] | None = None,
    progress: Progress = silent,
) -> Pack:
    """Build a pack from files in METEOR's formats, and open it.

    Args:
        target: the folder of the pack. A store finds packs in its root folder. If the folder already contains a pack,
            the pack is replaced when the new pack is complete. Other folders are never overwritten.
        language: the ISO code of the language.
        name: the name of the pack; by default the name of the folder.
        version: the version of the data.
        licence: the license of the data.
        function_words: a file with one function word per line.
        prefixes: a file of nonbreaking prefixes; see :func:`~meteor_e.packs.pack.parse_prefixes`.
        synonyms, exceptions: synonym files; see :func:`~meteor_e.packs.build_indexes.build_synonym_index`.
        paraphrases: a paraphrase table; see :func:`~meteor_e.packs.build_indexes.build_paraphrase_index`.
        sources: the sources that the manifest names; by default these files.
        progress: a callback that receives the progress.

    Raises:
        ResourceError: if a file cannot be read or is malformed, or the pack cannot be written.
    """
    try:
        ingredients = Ingredients(
            function_words=_read_optional(function_words),
            prefixes=_read_optional(prefixes),
            synonyms=synonyms,
            exceptions=exceptions,
            paraphrases=paraphrases,
            licence=licence,
        )
        if sources is None:
            sources = _identify_sources([function_words, prefixes, synonyms, exceptions, paraphrases])
    except OSError as error:
        raise ResourceError(f"cannot read {error.filename}: {error.strerror}") from error
    with open_builder(target, name, progress) as builder:
        return builder.build(ingredients, language, sources, version=version)


def _read_optional(path: PathLike | None) -> bytes | None:
    """Return the content of a word list, or ``None`` if there is no path."""
    return None if path is None else read_regular(path, MAX_LIST)


def _identify_sources(files: Sequence[PathLike | None]) -> list[SourceFile]:
    """Return the names and hashes of the files from which a pack is built. Files that are ``None`` are ignored."""
    paths = [Path(file) for file in files if file is not None]
    # All sizes are checked first, because hashing takes time.
    for path in paths:
        check_table_size(path)
    return [SourceFile.from_path(path) for path in paths]


@dataclass(frozen=True)
class PackBuilder:
    """Build a pack in a temporary folder. Call :func:`open_builder` to create an instance.

    Attributes:
        target: the folder of the pack, which is created or replaced when the pack is complete.
        name: the name of the pack.
        temporary_folder: a temporary folder on the same disk.
        was_installed_meanwhile: whether another process installed the pack while this process waited for the lock.
        progress: a callback that receives the progress.
    """

    target: Path
    name: str
    temporary_folder: Path
    was_installed_meanwhile: bool
    progress: Progress

    def build(
        self, ingredients: Ingredients, language: str, sources: Sequence[SourceFile], *, version: str = "1"
    ) -> Pack:
        """Write the pack, move it to its target folder, and open it.

        Args:
            ingredients: the content of the pack.
            language: the ISO code of the language.
            sources: the files that the pack is built from.
            version: the version of the data.

        Raises:
            ResourceError: if the pack cannot be written, the ingredients are malformed, or the target exists and is
                not a pack.
        """
        folder = self.temporary_folder / "pack"
        manifest = Manifest(
            name=self.name,
            language=language,
            version=version,
            sources=tuple(sources),
            licence=ingredients.licence,
            built_with=f"meteor_e {__version__}",
        )
        with os_errors_as(ResourceError, f"cannot write {self.target}"):
            _write_pack(folder, manifest, ingredients, self.progress)
        new_manifest = Pack(folder).manifest  # Opening the pack checks its files.
        _check_target(self.target)
        # An identical pack is not replaced, because another process may be reading it.
        if not self._has_identical_pack(new_manifest):
            replace_folder(folder, self.target)
        return Pack(self.target)

    def _has_identical_pack(self, manifest: Manifest) -> bool:
        """Return whether the target folder already contains an intact copy of this pack."""
        try:
            existing_pack = Pack(self.target)
        except ResourceError:
            return False
        return existing_pack.manifest == manifest and not existing_pack.verify()


@contextlib.contextmanager
def open_builder(target: PathLike, name: str | None = None, progress: Progress = silent) -> Iterator[PackBuilder]:
    """Lock the folder of a pack, so that other processes cannot change it, and yield a builder for the pack.

    Args:
        target: the folder of the pack. An existing pack is replaced when the new pack is complete.
        name: the name of the pack; by default the name of the folder.
        progress: a callback that receives the progress.

    Raises:
        ResourceError: if the folder exists and is not a pack, or cannot be written.
    """
    target = Path(target).absolute()
    name = check_name(name or target.name)
    check_name(target.name)
    # The target is checked now and after the build, because the build may take hours.
    _check_target(target)
    previous_stamp = _read_manifest_stamp(target)
    with lock_folder(target.parent, target.name, progress), working_folder(target) as temporary_folder:
        was_installed_meanwhile = _read_manifest_stamp(target) != previous_stamp
        yield PackBuilder(target, name, temporary_folder, was_installed_meanwhile, progress)


def _check_target(target: Path) -> None:
    """Raise a :class:`ResourceError` if the target exists and is not a pack."""
    if target.exists() and (target.is_symlink() or not (target / FILE_NAME).is_file()):
        raise ResourceError(f"{target} exists and is not a resource pack; move it away or choose another folder")


def _read_manifest_stamp(target: Path) -> tuple[int, int] | None:
    """Return the inode number and modification time of a pack's manifest, or None if there is no manifest.

    Both numbers change when the pack is installed again.
    """
    try:
        status = (target / FILE_NAME).stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns


def _write_pack(folder: Path, manifest: Manifest, ingredients: Ingredients, progress: Progress) -> None:
    """Write all files of a pack.

    Args:
        folder: the new folder of the pack.
        manifest: the manifest without the fields that describe the content and the files.
        ingredients: the content of the pack.
        progress: a callback that receives the progress.
    """
    folder.mkdir()
    contents = _write_resources(folder, ingredients, progress)
    _write_other_files(folder, ingredients)
    complete_manifest = replace(manifest, contents=contents, files=_describe_files(folder))
    (folder / FILE_NAME).write_text(complete_manifest.to_json(), encoding="utf-8", newline="\n")


def _describe_files(folder: Path) -> dict[str, PackFile]:
    """Return the size and the hash of each file in a folder."""
    return {path.name: PackFile(path.stat().st_size, sha256_of(path)) for path in sorted(folder.iterdir())}


def _write_resources(folder: Path, ingredients: Ingredients, progress: Progress) -> dict[str, int]:
    """Write the word lists and the indexes of a pack. Return the number of items of each resource for the manifest."""
    contents = {}
    if ingredients.function_words is not None:
        contents["function_words"] = _count_function_words(ingredients.function_words)
        (folder / FUNCTION_WORDS).write_bytes(ingredients.function_words)
    if ingredients.prefixes is not None:
        contents["prefixes"] = _count_prefixes(ingredients.prefixes)
        (folder / PREFIXES).write_bytes(ingredients.prefixes)
    if ingredients.synonyms is not None:
        contents["synonyms"] = build_synonym_index(
            ingredients.synonyms, ingredients.exceptions, folder / SYNONYMS, progress
        )
    if ingredients.paraphrases is not None:
        contents["paraphrases"] = build_paraphrase_index(ingredients.paraphrases, folder / PARAPHRASES, progress)
    return contents


def _count_function_words(content: bytes) -> int:
    """Return the number of words in a function word list. Raise a ResourceError if it is not valid UTF-8."""
    return len(parse_function_words(decode_utf8(content, "the function word list")))


def _count_prefixes(content: bytes) -> int:
    """Return the number of prefixes in a prefix list. Raise a ResourceError if it is not valid UTF-8."""
    prefixes = parse_prefixes(decode_utf8(content, "the prefix list"))
    return len({*prefixes.always, *prefixes.numeric})


def _write_other_files(folder: Path, ingredients: Ingredients) -> None:
    """Write the files of a pack that are not resources, such as license texts."""
    for file_name, text in ingredients.notices:
        (folder / file_name).write_bytes(text)
    for file_name, path in ingredients.copies:
        shutil.copyfile(path, folder / file_name)
