"""Checkpoints: the state of a training on disk, written now and then, and when it is interrupted."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from meteor_e.api import ConfigError, InputError
from meteor_e.base.atomic import atomic_file
from meteor_e_learned.log import TrainingLog
from meteor_e_learned.models.state import TrainingState

CHECKPOINT_EVERY = 10.0
"""Seconds between two checkpoints."""


class Checkpoints:
    """Writes the state of a training now and then, and when it is interrupted.

    Args:
        path: the file.
        identity: of recipe and features.
        log: how far it is written is kept, too, so that a resumed training goes on from there.
    """

    def __init__(self, path: Path, identity: str, log: TrainingLog) -> None:
        self._path, self._identity, self._log = path, identity, log
        self._last: tuple[TrainingState, int] | None = None
        self._written = time.monotonic()

    def __call__(self, state: TrainingState) -> None:
        """Write a state, if the last one that was written is old enough."""
        self._last = state, len(self._log.lines)
        if time.monotonic() - self._written >= CHECKPOINT_EVERY:
            _write_checkpoint(self._path, self._identity, *self._last)
            self._written = time.monotonic()

    @contextlib.contextmanager
    def written_when_interrupted(self) -> Iterator[None]:
        """Write the last state if what is within is interrupted (and not if it fails)."""
        try:
            yield
        except Exception:
            raise
        except BaseException:
            if self._last is not None:
                _write_checkpoint(self._path, self._identity, *self._last)
            raise


def _write_checkpoint(path: Path, identity: str, state: TrainingState, logged: int) -> None:
    values = asdict(state)
    numbers: dict[str, Any] = {name: np.asarray(value) for name, value in values.items() if name != "order"}
    numbers |= {"identity": np.array(identity), "order": np.array(json.dumps(state.order))}
    numbers["logged"] = np.array(logged)
    try:
        with atomic_file(path) as scratch, scratch.open("xb") as stream:
            np.savez(stream, **numbers)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error


def read_checkpoint(path: Path, identity: str) -> tuple[TrainingState, int] | None:
    """Return the state of an interrupted training of the same recipe, and how many lines its log had."""
    import zipfile

    with contextlib.suppress(FileNotFoundError):
        try:
            with np.load(path, allow_pickle=False) as content:
                if str(content["identity"]) != identity:
                    raise ConfigError(
                        f"{path} is of another recipe, other features or another seed; "
                        "delete it, or train without --resume"
                    )
                state = TrainingState(
                    int(content["phase"]),
                    int(content["epoch"]),
                    content["theta"],
                    content["squares"],
                    content["best_theta"],
                    content["best_tau"],
                    content["best_epoch"],
                    json.loads(str(content["order"])),
                )
                return state, int(content["logged"])
        except FileNotFoundError:
            raise
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            raise InputError(f"{path}: not a checkpoint: {error}; delete it") from error
    return None
