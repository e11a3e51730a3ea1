"""Run long work in stages, and keep the result of each stage, so that an interrupted run can be continued."""

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

StageReport = Callable[[str, float, bool], None]
"""Called after a stage with its name, the seconds that it took, and whether an earlier result was reused."""


class Stages:
    """A folder with the results of stages, each in a folder of its own.

    A stage has a key, which is a hash of its options and of the keys of the stages that it depends on. The options of
    the first stage contain the digests of the input files. If the result of a stage exists with the same key, the
    stage does not run again.

    Args:
        folder: the folder, which is created if it does not exist.
        report: called after each stage.

    Raises:
        ResourceError: if the folder cannot be created.
    """

    def __init__(self, folder: Path, report: StageReport | None = None) -> None:
        self.folder = folder
        self._report = report
        self._keys: dict[str, str] = {}
        with self._write_errors():
            folder.mkdir(parents=True, exist_ok=True)

    def run(
        self,
        name: str,
        options: Mapping[str, Any],
        work: Callable[[Path], object],
        dependencies: tuple[str, ...] = (),
    ) -> Path:
        """Run a stage, unless its result exists already.

        Args:
            name: the name of the stage and of its folder.
            options: everything that the result depends on, except for earlier stages.
            work: computes the result and writes it into the folder that is its argument.
            dependencies: the names of the stages whose results the stage uses.

        Returns:
            The folder with the result.

        Raises:
            ResourceError: if the folder cannot be written.
            ConfigError: if the folder exists and does not contain the result of a stage.
        """
        description = {"stage": name, "options": options, "after": [self._keys[stage] for stage in dependencies]}
        key = hashlib.sha256(json.dumps(description, sort_keys=True).encode()).hexdigest()
        self._keys[name] = key
        target = self.folder / name
        if _read_state(target).get("key") == key:
            self._report_stage(name, 0.0, True)
            return target
        if target.exists() and not (target / _STATE).is_file():
            raise ConfigError(
                f"{target} does not contain intermediate results; choose another folder for intermediate results"
            )
        start = time.monotonic()
        with self._write_errors():
            self._compute(target, work, {"key": key, **description}, start)
        self._report_stage(name, time.monotonic() - start, False)
        return target

    def _compute(self, target: Path, work: Callable[[Path], object], state: dict[str, Any], start: float) -> None:
        """Run the work in a temporary folder, which becomes the target when the work is complete."""
        building = target.with_name(f"{target.name}.building")
        shutil.rmtree(target, ignore_errors=True)
        shutil.rmtree(building, ignore_errors=True)
        building.mkdir()
        try:
            work(building)
            state["seconds"] = round(time.monotonic() - start, 1)
            (building / _STATE).write_text(json.dumps(state) + "\n", encoding="utf-8", newline="\n")
            building.rename(target)
        except BaseException:
            # Remove the incomplete result, and the folder of the stages if it is empty.
            shutil.rmtree(building, ignore_errors=True)
            with contextlib.suppress(OSError):
                self.folder.rmdir()
            raise

    def remove(self) -> None:
        """Remove the results. The folder of the stages is removed if it does not contain the user's files."""
        for state_file in self.folder.glob(f"*/{_STATE}"):
            stage_folder = state_file.parent
            if _read_state(stage_folder).get("stage") == stage_folder.name:
                shutil.rmtree(stage_folder, ignore_errors=True)
        with contextlib.suppress(OSError):
            self.folder.rmdir()

    def _report_stage(self, name: str, seconds: float, reused: bool) -> None:
        if self._report is not None:
            self._report(name, seconds, reused)

    @contextlib.contextmanager
    def _write_errors(self) -> Iterator[None]:
        """Turn an :class:`OSError` of the block into a :class:`ResourceError`."""
        try:
            yield
        except OSError as error:
            # An error of NumPy contains only the number of items that were written.
            reason = error.strerror or f"is the disk full? ({error})"
            raise ResourceError(f"cannot write {error.filename or self.folder}: {reason}") from error


def _read_state(folder: Path) -> dict[str, Any]:
    """Return the state of the stage in a folder, or an empty dictionary if the folder has no valid state."""
    try:
        state = json.loads((folder / _STATE).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return state if isinstance(state, dict) else {}
