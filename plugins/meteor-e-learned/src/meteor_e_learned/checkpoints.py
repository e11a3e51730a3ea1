"""Checkpoints on disk, from which an interrupted training run can be resumed."""

from __future__ import annotations

import contextlib
import json
import time
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from meteor_e.api import ConfigError, InputError
from meteor_e.base.atomic import atomic_file
from meteor_e_learned.log import TrainingLog
from meteor_e_learned.models.state import TrainingState

CHECKPOINT_INTERVAL = 10.0
"""Minimum number of seconds between two checkpoints."""


class Checkpoint(NamedTuple):
    """The state of a training run, and the number of lines in the training log.

    Attributes:
        state: the state of the training.
        log_length: the number of lines that the log had. A resumed training removes later lines of the log.
    """

    state: TrainingState
    log_length: int


class Checkpoints:
    """Saves the state of a training run at regular intervals, and when the run is interrupted.

    Args:
        path: the path of the checkpoint file.
        identity: a digest of the recipe and the features. A checkpoint cannot be read with another identity.
        log: the log of the training.
    """

    def __init__(self, path: Path, identity: str, log: TrainingLog) -> None:
        self._path, self._identity, self._log = path, identity, log
        self._latest: Checkpoint | None = None
        self._last_write_time = time.monotonic()

    def __call__(self, state: TrainingState) -> None:
        """Write the state to disk if the last checkpoint is at least :data:`CHECKPOINT_INTERVAL` seconds old."""
        self._latest = Checkpoint(state, len(self._log.lines))
        if time.monotonic() - self._last_write_time >= CHECKPOINT_INTERVAL:
            _write_checkpoint(self._path, self._identity, self._latest)
            self._last_write_time = time.monotonic()

    def delete(self) -> None:
        """Delete the checkpoint file if it exists."""
        self._path.unlink(missing_ok=True)

    @contextlib.contextmanager
    def save_on_interrupt(self) -> Iterator[None]:
        """Write a checkpoint if the body of the with statement is interrupted, for example by Ctrl-C.

        No checkpoint is written after an ordinary exception, because a resumed training run would fail again.
        """
        try:
            yield
        except Exception:
            raise
        except BaseException:
            if self._latest is not None:
                _write_checkpoint(self._path, self._identity, self._latest)
            raise


def _write_checkpoint(path: Path, identity: str, checkpoint: Checkpoint) -> None:
    """Write a checkpoint to a file in NumPy's ``.npz`` format.

    Raises:
        InputError: if the file cannot be written.
    """
    state = asdict(checkpoint.state)
    # The states of the random number generators are dictionaries, so they are stored as JSON.
    generator_states = json.dumps(state.pop("order"))
    arrays: dict[str, Any] = {name: np.asarray(value) for name, value in state.items()}
    arrays["identity"] = np.array(identity)
    arrays["order"] = np.array(generator_states)
    arrays["logged"] = np.array(checkpoint.log_length)
    try:
        with atomic_file(path) as scratch, scratch.open("xb") as stream:
            np.savez(stream, **arrays)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error


def read_checkpoint(path: Path, identity: str) -> Checkpoint | None:
    """Read the checkpoint of an interrupted training run. Return None if the file does not exist.

    Args:
        path: the path of the checkpoint file.
        identity: a digest of the recipe and the features.

    Raises:
        ConfigError: if the checkpoint has another identity.
        InputError: if the file is not a checkpoint.
    """
    try:
        with np.load(path, allow_pickle=False) as arrays:
            stored_identity = str(arrays["identity"])
            checkpoint = _make_checkpoint(arrays)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise InputError(f"{path}: not a checkpoint: {error}; delete it") from error
    if stored_identity != identity:
        raise ConfigError(
            f"{path} is of another recipe, other features or another seed; delete it, or train without --resume"
        )
    return checkpoint


def _make_checkpoint(arrays: Mapping[str, Any]) -> Checkpoint:
    """Restore a checkpoint from the arrays of a checkpoint file.

    Raises:
        KeyError, ValueError: if an array is missing or invalid.
    """
    state = TrainingState(
        phase=int(arrays["phase"]),
        epoch=int(arrays["epoch"]),
        theta=arrays["theta"],
        squares=arrays["squares"],
        best_theta=arrays["best_theta"],
        best_tau=arrays["best_tau"],
        best_epoch=arrays["best_epoch"],
        order=json.loads(str(arrays["order"])),
    )
    return Checkpoint(state, log_length=int(arrays["logged"]))
