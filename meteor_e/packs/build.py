"""Build a pack from plain files."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from meteor_e._version import __version__
from meteor_e.base.errors import ResourceError
from meteor_e.base.files import PathLike, decode_utf8, locked, put_folder, read_regular, sha256_of, workplace
from meteor_e.base.progress import Progress, silent
from meteor_e.packs.build_indexes import PathOrStream, build_paraphrase_index, build_synonym_index, refuse_huge
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
    """What goes into a pack; a None is left out."""

    function_words: bytes | None = None
    prefixes: bytes | None = None
    synonyms: PathOrStream | None = None
    exceptions: PathOrStream | None = None
    paraphrases: PathOrStream | None = None
    notices: tuple[tuple[str, bytes], ...] = ()
    """License texts and other small files: (file name, text)."""
    copies: tuple[tuple[str, PathLike], ...] = ()
    """Files that are put in as they are: (file name, where it is)."""
    licence: str = ""
    """What the manifest says about the license."""


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
    """Build a pack in the folder ``target`` from files in METEOR's formats, and open it.

    This is how a new language gets its resources. ``name`` defaults to the folder's name; a store finds the
    pack if it lies in the store's root under that name. ``function_words``: one word per line. ``prefixes``: see
    :func:`~meteor_e.packs.read_prefixes`. ``synonyms`` and ``exceptions``: see
    :func:`~meteor_e.packs.build_synonym_index`. ``paraphrases``: see
    :func:`~meteor_e.packs.build_paraphrase_index`. What is not given is not in the pack.
    ``sources`` is what the manifest says it was built from, where that is not these files.

    A pack that is already there is replaced when the new one is whole; a folder that is no pack is left
    alone.
    Raises :class:`~meteor_e.base.errors.ResourceError`.
    """
    files = [Path(path) for path in (function_words, prefixes, synonyms, exceptions, paraphrases) if path is not None]
    try:
        ingredients = Ingredients(
            function_words=read_regular(function_words, MAX_LIST) if function_words is not None else None,
            prefixes=read_regular(prefixes, MAX_LIST) if prefixes is not None else None,
            synonyms=synonyms,
            exceptions=exceptions,
            paraphrases=paraphrases,
            licence=licence,
        )
        if sources is None:
            for path in files:
                refuse_huge(path)
            sources = [SourceFile.of(path) for path in files]
    except OSError as error:
        raise ResourceError(f"cannot read {error.filename}: {error.strerror}") from error
    with pack_place(target, name, progress) as place:
        return place.build(ingredients, language, sources, version=version)


@dataclass(frozen=True)
class PackPlace:
    """The place of a pack that is being built; :func:`pack_place` gives one.

    Attributes:
        target: the pack's folder, which appears when the pack is whole.
        name: the pack's name.
        scratch: a folder to work in, on the same disk; gone at the end.
        progress: told how far it is.
    """

    target: Path
    name: str
    scratch: Path
    progress: Progress

    def build(
        self, ingredients: Ingredients, language: str, sources: Sequence[SourceFile], *, version: str = "1"
    ) -> Pack:
        """Write the pack, put it in its place and open it.

        Args:
            ingredients: what goes into it.
            language: its ISO code.
            sources: what it was built from.
            version: of its data.

        Raises:
            ResourceError: if it cannot be written, or the ingredients are malformed.
        """
        manifest = Manifest(
            name=self.name, language=language, version=version, sources=tuple(sources), licence=ingredients.licence
        )
        with self.finished(manifest) as (folder, contents):
            contents.update(_write_files(folder, ingredients, self.progress))
        return Pack(self.target)

    @contextlib.contextmanager
    def finished(self, manifest: Manifest) -> Iterator[tuple[Path, dict[str, int]]]:
        """Give a folder for the pack's files; afterwards write its manifest and put it in its place.

        Args:
            manifest: what is known of the pack before; name, files, contents and what built it are filled in.

        Yields:
            The folder, and the manifest's ``contents``, to be filled too.

        Raises:
            ResourceError: if it cannot be written, or what lies there is no pack.
        """
        built = self.scratch / "pack"
        contents = dict(manifest.contents)
        try:
            built.mkdir()
            yield built, contents
            files = {path.name: PackFile(path.stat().st_size, sha256_of(path)) for path in sorted(built.iterdir())}
            made_by = f"meteor_e {__version__}"
            manifest = replace(manifest, name=self.name, built_with=made_by, contents=contents, files=files)
            (built / FILE_NAME).write_text(manifest.to_json(), encoding="utf-8", newline="\n")
            Pack(built)
        except OSError as error:
            where = error.filename2 or error.filename or built
            raise ResourceError(f"cannot write {where}: {error.strerror}") from error
        _check_target(self.target)
        with contextlib.suppress(ResourceError):
            there = Pack(self.target)
            if there.manifest == manifest and not there.verify():
                return  # so that nobody who reads it is disturbed
        put_folder(built, self.target)


@contextlib.contextmanager
def pack_place(target: PathLike, name: str | None = None, progress: Progress = silent) -> Iterator[PackPlace]:
    """Hold a pack's folder against other processes while the pack is built; they wait.

    Args:
        target: the pack's folder. A pack that is there is replaced when the new one is whole.
        name: the pack's, by default the folder's.
        progress: told how far it is.

    Raises:
        ResourceError: if the folder is something else than a pack, or cannot be written.
    """
    target = Path(target).absolute()
    name = check_name(name or target.name)
    check_name(target.name)
    _check_target(target)  # not after hours
    with locked(target.parent, target.name, progress), workplace(target) as scratch:
        yield PackPlace(target, name, scratch, progress)


def _check_target(target: Path) -> None:
    """Raise :class:`ResourceError` if something else than a pack is in a pack's place."""
    if target.exists() and (target.is_symlink() or not (target / FILE_NAME).is_file()):
        raise ResourceError(f"{target} exists and is not a resource pack; move it away or choose another folder")


def _write_files(folder: Path, ingredients: Ingredients, progress: Progress) -> dict[str, int]:
    contents = {}
    if ingredients.function_words is not None:
        words = parse_function_words(decode_utf8(ingredients.function_words, "the function word list"))
        (folder / FUNCTION_WORDS).write_bytes(ingredients.function_words)
        contents["function_words"] = len(words)
    if ingredients.prefixes is not None:
        prefixes = parse_prefixes(decode_utf8(ingredients.prefixes, "the prefix list"))
        (folder / PREFIXES).write_bytes(ingredients.prefixes)
        contents["prefixes"] = len({*prefixes.always, *prefixes.numeric})
    if ingredients.synonyms is not None:
        contents["synonyms"] = build_synonym_index(
            ingredients.synonyms, ingredients.exceptions, folder / SYNONYMS, progress
        )
    if ingredients.paraphrases is not None:
        contents["paraphrases"] = build_paraphrase_index(ingredients.paraphrases, folder / PARAPHRASES, progress)
    for file_name, text in ingredients.notices:
        (folder / file_name).write_bytes(text)
    for file_name, path in ingredients.copies:
        shutil.copyfile(path, folder / file_name)
    return contents
