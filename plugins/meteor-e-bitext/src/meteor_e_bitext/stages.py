"""Run a long computation in stages. After an interruption, the stored results of completed stages are reused."""

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
"""A function that is called at the end of a stage.

Its arguments are the name of the stage, its duration in seconds, and whether an earlier result was reused.
"""


def ignore_stage(name: str, seconds: float, reused: bool) -> None:
    """Do not report the end of a stage."""


class Stages:
    """Run the stages of a computation, and store the result of each stage in a separate folder.

    A stage is skipped if its folder already contains a result with the same key. The key is a hash of the stage's
    options and of the keys of all required earlier stages. The options of the first stage contain digests of the input
    files.

    Args:
        folder: the folder of all results. It is created if it does not exist.
        report: called at the end of each stage.

    Raises:
        ResourceError: if the folder cannot be created.
    """

    def __init__(self, folder: Path, report: StageReport) -> None:
        self.folder = folder
        self._report = report
        self._keys: dict[str, str] = {}
        with self._write_errors():
            folder.mkdir(parents=True, exist_ok=True)

    def run(
        self,
        name: str,
        options: Mapping[str, Any],
        write_result: Callable[[Path], object],
        dependencies: tuple[str, ...] = (),
    ) -> Path:
        """Run a stage unless its result already exists.

        Args:
            name: the name of the stage and of its folder.
            options: all values on which the result depends, except for the results of earlier stages.
            write_result: a function that computes the result and writes it into the folder that is passed to it.
            dependencies: the names of the stages whose results the stage uses.

        Returns:
            The folder that contains the result.

        Raises:
            ResourceError: if the folder cannot be written.
            ConfigError: if the folder exists, but does not contain the result of a stage.
        """
        dependency_keys = [self._keys[stage] for stage in dependencies]
        description = {"stage": name, "options": options, "after": dependency_keys}
        key = hashlib.sha256(json.dumps(description, sort_keys=True).encode()).hexdigest()
        self._keys[name] = key
        target = self.folder / name
        has_result = _read_state(target).get("key") == key
        seconds = 0.0 if has_result else self._compute(target, write_result, {"key": key, **description})
        self._report(name, seconds, has_result)
        return target

    def _compute(self, target: Path, write_result: Callable[[Path], object], state: Mapping[str, Any]) -> float:
        """Compute the result of a stage, write its state, and return the duration of the computation in seconds."""
        _check_replaceable(target)
        start = time.monotonic()
        with self._write_errors(), self._create_result_folder(target) as result_folder:
            write_result(result_folder)
            seconds = time.monotonic() - start
            state_text = json.dumps({**state, "seconds": round(seconds, 1)}) + "\n"
            (result_folder / _STATE).write_text(state_text, encoding="utf-8", newline="\n")
        return seconds

    @contextlib.contextmanager
    def _create_result_folder(self, target: Path) -> Iterator[Path]:
        """Create a temporary folder, and rename it to the target at the end of the ``with`` block.

        An existing target is removed first. If an error occurs in the block, the temporary folder is removed.
        """
        temporary_folder = target.with_name(f"{target.name}.building")
        shutil.rmtree(target, ignore_errors=True)
        shutil.rmtree(temporary_folder, ignore_errors=True)
        temporary_folder.mkdir()
        try:
            yield temporary_folder
            temporary_folder.rename(target)
        finally:
            # After an error, the temporary folder still exists.
            shutil.rmtree(temporary_folder, ignore_errors=True)
            self._remove_folder_if_empty()

    def remove(self) -> None:
        """Remove all results. The folder of the results is also removed, unless it contains other files."""
        for state_file in self.folder.glob(f"*/{_STATE}"):
            stage_folder = state_file.parent
            if _read_state(stage_folder).get("stage") == stage_folder.name:
                shutil.rmtree(stage_folder, ignore_errors=True)
        self._remove_folder_if_empty()

    def _remove_folder_if_empty(self) -> None:
        """Remove the folder of all results if it is empty."""
        with contextlib.suppress(OSError):
            self.folder.rmdir()

    @contextlib.contextmanager
    def _write_errors(self) -> Iterator[None]:
        """Convert an :class:`OSError` that is raised in the block to a :class:`ResourceError`."""
        try:
            yield
        except OSError as error:
            # If the disk is full, NumPy raises an OSError that reports only the number of written items.
            reason = error.strerror or f"is the disk full? ({error})"
            raise ResourceError(f"cannot write {error.filename or self.folder}: {reason}") from error


def _read_state(folder: Path) -> dict[str, Any]:
    """Return the state of a stage, or an empty dictionary if the folder does not contain a valid state file."""
    try:
        state = json.loads((folder / _STATE).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return state if isinstance(state, dict) else {}


def _check_replaceable(target: Path) -> None:
    """Raise a :class:`ConfigError` if a folder exists but does not contain the intermediate results of a build."""
    if target.exists() and not (target / _STATE).is_file():
        raise ConfigError(
            f"{target} does not contain intermediate results; choose another folder for intermediate results"
        )
