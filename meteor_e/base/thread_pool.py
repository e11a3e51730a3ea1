"""A thread pool that works with fewer threads than requested if the system does not start more."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor


class ThreadPool(ThreadPoolExecutor):
    """A thread pool that requires at least one thread.

    Containers limit the number of threads. ``ThreadPoolExecutor.submit`` raises RuntimeError as soon as a thread
    cannot be started, although the running threads could execute the task. This pool raises the error only if no
    thread is running.
    """

    def _adjust_thread_count(self) -> None:
        # ThreadPoolExecutor calls this method to start a thread after a task has been added to the queue.
        try:
            super()._adjust_thread_count()
        except RuntimeError:
            if not self._threads:
                raise
