"""An installed resource pack."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from meteor_e.api.languages import NonbreakingPrefixes
from meteor_e.base.errors import ResourceError
from meteor_e.base.files import sha256_of, whole_file
from meteor_e.packs import manifest as manifests
from meteor_e.packs.languages import how_to_install
from meteor_e.packs.manifest import Manifest
from meteor_e.packs.paraphrases import ParaphraseIndex
from meteor_e.packs.synonyms import SynonymIndex
from meteor_e.packs.wordlists import read_function_words, read_prefixes

CHECKED = ".checked.json"
"""Size and modification time of each file when its hash was last known to be right."""

_Index = TypeVar("_Index", ParaphraseIndex, SynonymIndex)


class Pack:
    """The resources of a language, in a folder; opened when they are first asked for.

    Each file is checked when it is opened: its size always, its hash when the file has changed since the
    hash was last checked. A damaged one raises :class:`ResourceError`, which names it. Packs pickle by path
    and may be shared by threads.
    """

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.path = path
        self.manifest = manifest

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Pack:
        """Open the pack in a folder by its manifest; ResourceError if there is none or it is damaged."""
        folder = Path(path).absolute()
        return cls(folder, Manifest.read(folder))

    @property
    def name(self) -> str:
        """The pack's name, by which it is installed."""
        return self.manifest.name

    @property
    def language(self) -> str:
        """ISO code of its language."""
        return self.manifest.language

    @property
    def version(self) -> str:
        """Version of its data."""
        return self.manifest.version

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits over the data files, for signatures: equal digests, equal scores."""
        return self.manifest.digest

    @property
    def summary(self) -> str:
        """How many function words, prefixes, synonyms and paraphrases it holds, in words."""
        counts = {key: self.manifest.contents.get(key) for key in manifests.CONTENTS}
        return ", ".join(
            f"{'no' if count is None else f'{count:,}'} {key.replace('_', ' ')}" for key, count in counts.items()
        )

    @cached_property
    def function_words(self) -> frozenset[str]:
        """The function words; empty where the pack has no list."""
        path = self._file(manifests.FUNCTION_WORDS)
        with self._named():
            return read_function_words(path) if path else frozenset()

    @cached_property
    def nonbreaking_prefixes(self) -> NonbreakingPrefixes:
        """The prefixes after which normalization keeps a dot; empty where the pack has no list."""
        path = self._file(manifests.PREFIXES)
        with self._named():
            return read_prefixes(path) if path else NonbreakingPrefixes(frozenset(), frozenset())

    @cached_property
    def synonyms(self) -> SynonymIndex | None:
        """The synonym dictionary, memory-mapped, or None."""
        return self._index(manifests.SYNONYMS, SynonymIndex)

    @cached_property
    def paraphrases(self) -> ParaphraseIndex | None:
        """The paraphrase table, memory-mapped, or None."""
        return self._index(manifests.PARAPHRASES, ParaphraseIndex)

    def check(self) -> None:
        """Check all files as opening them does; :class:`ResourceError` names the first damaged one."""
        for name in self.manifest.files:
            self._file(name)

    def verify(self) -> list[str]:
        """Hash every file anew and open the indexes; return what is wrong, an empty list if nothing is."""
        problems = []
        for name in self.manifest.files:
            problem = self._problem(name, trust=False)
            if problem:
                problems.append(problem)
        if not problems:
            for name, kind in ((manifests.SYNONYMS, SynonymIndex), (manifests.PARAPHRASES, ParaphraseIndex)):
                if name in self.manifest.files:
                    try:
                        kind.open(self.path / name)
                    except ResourceError as error:
                        problems.append(str(error))
        return problems

    def _index(self, name: str, kind: type[_Index]) -> _Index | None:
        path = self._file(name)
        if path is None:
            return None
        with self._named():
            return kind.open(path)

    @contextlib.contextmanager
    def _named(self) -> Iterator[None]:
        """Let what goes wrong with a file say whose it is, and whether the pack was replaced meanwhile."""
        try:
            yield
        except ResourceError as error:
            raise self._damaged(str(error)) from None

    def _file(self, name: str) -> Path | None:
        """Return the path of a file that is there and whole, None where the pack has no such file."""
        if name not in self.manifest.files:
            return None
        problem = self._problem(name, trust=True)
        if problem:
            raise self._damaged(problem)
        return self.path / name

    def _damaged(self, problem: str) -> ResourceError:
        with contextlib.suppress(ResourceError):
            if Manifest.read(self.path) != self.manifest:
                return ResourceError(f"pack {self.name!r} in {self.path} was replaced while it was in use; start again")
        advice = how_to_install(self.name, again=True)
        return ResourceError(f"pack {self.name!r} in {self.path} is damaged: {problem}; {advice}")

    def _problem(self, name: str, trust: bool) -> str | None:
        """Return what is wrong with a file; with ``trust``, one that has not changed is not hashed again."""
        path, expected = self.path / name, self.manifest.files[name]
        try:
            status = path.stat()
            if status.st_size != expected.size:
                return f"{name} holds {status.st_size} bytes and should hold {expected.size}"
            if trust and _unchanged(status, self._checked().get(name)):
                return None
            if sha256_of(path) != expected.sha256:
                return f"the SHA-256 of {name} is not the manifest's"
        except FileNotFoundError:
            return f"{name} is missing"
        except OSError as error:
            return f"{name} cannot be read: {error.strerror}"
        self._remember(name, status)
        return None

    def _checked(self) -> dict[str, object]:
        try:
            checked = json.loads((self.path / CHECKED).read_bytes())
        except (OSError, ValueError, RecursionError):
            return {}
        return checked if isinstance(checked, dict) else {}

    def _remember(self, name: str, status: os.stat_result) -> None:
        """Note that a file was whole; a pack that cannot be written to is hashed again next time."""
        with contextlib.suppress(OSError):
            noted = json.dumps({**self._checked(), name: _stamp(status)})
            with whole_file(self.path / CHECKED) as scratch:
                scratch.write_text(noted + "\n", encoding="utf-8")

    def __repr__(self) -> str:
        return f"Pack({self.name!r}, digest={self.digest!r}, path={str(self.path)!r})"

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return Pack.open, (self.path,)


def _stamp(status: os.stat_result) -> list[int]:
    return [status.st_size, status.st_mtime_ns]


def _unchanged(status: os.stat_result, stamp: object) -> bool:
    if stamp == _stamp(status):
        return True
    # Archives and container images keep whole seconds only.
    second = 10**9
    return status.st_mtime_ns % second == 0 and (
        isinstance(stamp, list)
        and len(stamp) == 2
        and isinstance(stamp[1], int)
        and stamp[1] // second * second == status.st_mtime_ns
    )
