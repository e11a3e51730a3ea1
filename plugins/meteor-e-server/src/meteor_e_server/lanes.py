"""Lanes: a thread per metric, which works on what requests bring, in turn.

Small requests that wait together are scored in one call of the native core. Of a large request some segments at a time
are, so that others need not wait for its end.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from meteor_e.api import ConfigError, InputError, MeteorError
from meteor_e_server.messages import Segment
from meteor_e_server.work import Work

TOGETHER = 512
"""Segments that are scored in one call."""


class LaneClosedError(Exception):
    """The lane ended meanwhile; a new one is to be asked for."""


class Job:
    """The segments of a request, and what becomes of them.

    Args:
        segments: at least one.

    Attributes:
        done: gets what was found, or the error.
        dropped: nobody waits any more.
    """

    def __init__(self, segments: Sequence[Segment]) -> None:
        self.segments = segments
        self.loop = asyncio.get_running_loop()
        self.done: asyncio.Future[tuple[Work, list[Any], Any]] = self.loop.create_future()
        self.dropped = False
        self.found: list[Any] = []
        self.statistics: list[Any] = []
        self.failure: BaseException | None = None

    def settle(self, work: Work | None) -> None:
        """Answer, in the thread of the event loop."""
        if self.done.done():
            return
        if self.failure is not None or work is None:
            self.done.set_exception(self.failure or RuntimeError("the work was not done"))
        else:
            rows = self.statistics
            self.done.set_result((work, self.found, None if rows[0] is None else np.concatenate(rows)))


class Lane:
    """A thread that works for one metric.

    Args:
        name: of the thread.
        make: makes what is done, in the thread, when the first job comes.
        lost: called when it cannot be made.
    """

    def __init__(self, name: str, make: Callable[[], Work], lost: Callable[[Lane], None]) -> None:
        self._make = make
        self._work: Work | None = None
        self._lost = lost
        self._jobs: deque[Job] = deque()
        self._current: list[Job] = []
        self._stop: list[bool] = []
        self._closed = False
        self._wake = threading.Condition()
        # A daemon: what is made or scored when a second signal comes is not waited for.
        self._thread = threading.Thread(target=self._run, name=f"meteor_e {name}", daemon=True)
        self._thread.start()

    def submit(self, segments: Sequence[Segment]) -> Job:
        """Let segments wait for their turn."""
        job = Job(segments)
        with self._wake:
            if self._closed:
                raise LaneClosedError
            self._jobs.append(job)
            self._wake.notify()
        return job

    def drop(self, job: Job) -> None:
        """Let a job go; what is under way for nobody stops."""
        with self._wake:
            job.dropped = True
            if self._current and all(each.dropped for each in self._current):
                self._stop.append(True)

    def close(self) -> None:
        """Let the thread end when nothing waits."""
        with self._wake:
            self._closed = True
            self._wake.notify()

    def _run(self) -> None:
        while True:
            with self._wake:
                while not self._jobs and not self._closed:
                    self._wake.wait()
                if not self._jobs:
                    return
            try:
                self._work = work = self._work or self._make()
            except BaseException as error:
                self._fail(error)
                return
            self._turn(work)

    def _fail(self, error: BaseException) -> None:
        """Answer all jobs with an error: the work could not be made."""
        self._lost(self)
        with self._wake:
            self._closed = True
            jobs, self._jobs = list(self._jobs), deque()
        for job in jobs:
            job.failure = error
        _settle(jobs, None)

    def _turn(self, work: Work) -> None:
        """Work on the jobs that come first."""
        taken: list[tuple[Job, Sequence[Segment]]] = []
        with self._wake:
            count = 0
            while self._jobs and count < TOGETHER:
                job = self._jobs.popleft()
                if job.dropped:
                    continue
                begun = len(job.found)
                part = job.segments[begun : begun + TOGETHER - count] if work.shared else job.segments
                taken.append((job, part))
                count += len(part)
                if not work.shared:
                    break
            self._current, self._stop = [job for job, _ in taken], []
        if not taken:
            return
        self._work_on(work, taken)
        if len(taken) > 1 and any(job.failure is not None for job, _ in taken):
            self._one_by_one(work, taken)
        with self._wake:
            self._current = []
            finished = []
            for job, _ in taken:
                if job.failure is not None or len(job.found) == len(job.segments):
                    finished.append(job)
                else:
                    # The rest comes after the others.
                    self._jobs.append(job)
        _settle(finished, work)

    def _work_on(self, work: Work, taken: Sequence[tuple[Job, Sequence[Segment]]]) -> None:
        """Give jobs what is found for them, or the failure."""
        try:
            found, statistics = work([segment for _, part in taken for segment in part], self._stop)
        except BaseException as error:
            # KeyboardInterrupt, too, is how the core says that it was stopped.
            for job, _ in taken:
                job.failure = error
            return
        start = 0
        for job, part in taken:
            end = start + len(part)
            job.found += found[start:end]
            job.statistics.append(None if statistics is None else statistics[start:end])
            start = end

    def _one_by_one(self, work: Work, taken: Sequence[tuple[Job, Sequence[Segment]]]) -> None:
        """Work on each job by itself, so that one that fails is no other's failure."""
        for job, part in taken:
            with self._wake:
                self._current, self._stop = [job], []
            if not job.dropped:
                job.failure = None
                self._work_on(work, [(job, part)])


def _settle(jobs: Sequence[Job], work: Work | None) -> None:
    """Answer jobs in the threads of their event loops."""
    for job in jobs:
        # A closed loop: the server was made to end at once.
        with contextlib.suppress(RuntimeError):
            job.loop.call_soon_threadsafe(job.settle, work)


def describe(error: BaseException) -> tuple[int, str]:
    """Return the status and the message for an error of a job."""
    if isinstance(error, InputError | ConfigError):
        return 422, str(error)
    if isinstance(error, MeteorError):
        return 500, str(error)
    if isinstance(error, MemoryError):
        return 500, "out of memory; send fewer segments at a time"
    tell(error)
    return 500, f"the metric failed: {type(error).__name__}"


def tell(error: BaseException) -> None:
    """Print a line on standard error about what should not happen."""
    what = " ".join(f"{type(error).__name__}: {error}".split())
    print(f"meteor-e serve: {what}", file=sys.stderr, flush=True)
