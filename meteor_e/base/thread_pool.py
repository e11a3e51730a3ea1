"""Thread pools that go on with the threads that the system grants."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor


class ThreadPool(ThreadPoolExecutor):
    """A pool that needs at least one thread and uses more if the system starts them.

    Containers limit the number of threads. ``ThreadPoolExecutor.submit`` raises RuntimeError as soon as a thread
    cannot be started, although the threads that run could take the task. This pool raises only if there are none.
    """

    def _adjust_thread_count(self) -> None:
        # The hook of ThreadPoolExecutor that starts a thread, once the task is in the queue.
        try:
            super()._adjust_thread_count()
        except RuntimeError:
            if not self._threads:
                raise
