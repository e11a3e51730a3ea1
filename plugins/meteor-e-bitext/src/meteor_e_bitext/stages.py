"""Long work in stages, each of which is done once: what an interrupted run has finished, the next one takes up."""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from meteor_e.api import ConfigError, ResourceError

_STATE = "state.json"


class Stages:
    """A folder with one folder per stage, which appears under its name when the stage is finished.

    Each stage has a key: a hash of its options and of the keys of the stages before it, the first of which has
    the hashes of the input. A stage that is there with the right key is not done again.

    Args:
        folder: where the stages lie; made if need be.
        done: told of each stage, how many seconds it took, and whether it was there already.
    """

    def __init__(self, folder: Path, done: Callable[[str, float, bool], None] | None = None) -> None:
        self.folder = folder
        self._done = done or (lambda stage, seconds, reused: None)
        self._keys: dict[str, str] = {}
        with self._writing():
            folder.mkdir(parents=True, exist_ok=True)

    def run(
        self,
        name: str,
        options: Mapping[str, Any],
        work: Callable[[Path], object],
        after: tuple[str, ...] = (),
    ) -> Path:
        """Return the folder of a stage, after ``work``, called with the folder to fill, if it is not there yet.

        Args:
            name: of the stage, and of its folder.
            options: everything that its result depends on, except for earlier stages.
            work: does it.
            after: the stages whose results it uses.

        Raises:
            ResourceError: if the folder cannot be written.
            ConfigError: if something else has the stage's name there.
        """
        described = {"stage": name, "options": options, "after": [self._keys[stage] for stage in after]}
        key = hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()
        self._keys[name] = key
        target = self.folder / name
        if _state(target).get("key") == key:
            self._done(name, 0.0, True)
            return target
        if target.exists() and not (target / _STATE).is_file():
            raise ConfigError(f"{target} is none of ours; choose another folder for intermediate results")
        building = self.folder / f"{name}.building"
        begin = time.monotonic()
        with self._writing():
            shutil.rmtree(target, ignore_errors=True)
            shutil.rmtree(building, ignore_errors=True)
            building.mkdir()
            try:
                work(building)
                seconds = time.monotonic() - begin
                (building / _STATE).write_text(
                    json.dumps({"key": key, "seconds": round(seconds, 1), **described}) + "\n",
                    encoding="utf-8",
                    newline="\n",
                )
                building.rename(target)
            except BaseException:
                # What a stage leaves half done is of no use, nor is a folder without a stage.
                shutil.rmtree(building, ignore_errors=True)
                with contextlib.suppress(OSError):
                    self.folder.rmdir()
                raise
        self._done(name, seconds, False)
        return target

    def remove(self) -> None:
        """Remove the stages, and their folder, if nothing else is in it: it may be a user's."""
        for found in self.folder.glob(f"*/{_STATE}"):
            if _state(found.parent).get("stage") == found.parent.name:
                shutil.rmtree(found.parent, ignore_errors=True)
        with contextlib.suppress(OSError):
            self.folder.rmdir()

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            # numpy says only how many items it wrote.
            reason = error.strerror or f"is the disk full? ({error})"
            raise ResourceError(f"cannot write {error.filename or self.folder}: {reason}") from error


def _state(folder: Path) -> dict[str, Any]:
    """Return what a stage's folder says of itself; nothing if it is none."""
    try:
        found = json.loads((folder / _STATE).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
