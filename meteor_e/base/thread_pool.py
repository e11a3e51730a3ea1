"""A thread pool that works with fewer threads than requested if the system limits the number of threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor


class ThreadPool(ThreadPoolExecutor):
    """A thread pool that works as long as at least one thread can be started.

    If a container limits the number of threads, ``ThreadPoolExecutor.submit`` raises RuntimeError, although the running
    threads could execute the task. This pool raises the error only if no thread is running.
    """

    def _adjust_thread_count(self) -> None:
        # ThreadPoolExecutor calls this method to start a thread after a task has been added to the queue.
        try:
            super()._adjust_thread_count()
        except RuntimeError:
            if not self._threads:
                raise
