"""Protect the imports of some libraries from Ctrl-C.

Some libraries cannot be imported again after their import was interrupted: NumPy raises ImportError for the rest of
the process. meteor_e imports such libraries when they are first needed, possibly long after ``import meteor_e``. A
finder at the front of ``sys.meta_path`` therefore defers SIGINT until the import of such a library is complete.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # Type checkers treat this name like typing.TYPE_CHECKING, which would have to be imported.
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

LIBRARIES = frozenset({"numpy", "onnxruntime", "pandas", "pyarrow", "scipy", "sklearn", "torch"})
"""Top-level packages with extension modules that do not survive an interrupted import."""

REDELIVERY_DELAY = 0.05
"""Seconds after which a deferred SIGINT is raised again.

The import machinery removes a module whose loader raises, so the signal must not arrive before it has returned."""


class ShieldedFinder:
    """A meta path finder that defers SIGINT while certain libraries are imported.

    To locate a library, this finder calls the other finders in ``sys.meta_path``.
    """

    @classmethod
    def find_spec(
        cls, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return a module spec whose loader defers SIGINT, for a library whose import must not be interrupted.

        For all other modules, return ``None``.
        """
        if name not in LIBRARIES:
            return None
        specs = (finder.find_spec(name, path, target) for finder in sys.meta_path if finder is not cls)
        spec = next((spec for spec in specs if spec is not None), None)
        if spec is not None and spec.loader is not None:
            spec.loader = ShieldedLoader(spec.loader)  # type: ignore[assignment]
        return spec


class ShieldedLoader:
    """A module loader that defers SIGINT while it calls the original loader."""

    def __init__(self, loader: Any) -> None:
        self.loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Create the module with the original loader."""
        spec.loader = self.loader
        module: ModuleType | None = self.loader.create_module(spec)
        spec.loader = self  # type: ignore[assignment]
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Set the original loader as the module's ``__loader__``, and execute the module while SIGINT is deferred."""
        spec: Any = module.__spec__
        spec.loader = module.__loader__ = self.loader
        run_uninterrupted(lambda: self.loader.exec_module(module))


def run_uninterrupted(function: Callable[[], object]) -> None:
    """Call a function, and defer any SIGINT until the function has returned.

    SIGINT interrupts only the main thread, and only if the signal handler is a Python function. In all other cases,
    ``function`` is called without a change of the signal handler.
    """
    import signal
    import threading

    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        function()
        return
    deferred_signals: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: deferred_signals.append(number))
    try:
        function()
    finally:
        signal.signal(signal.SIGINT, handler)
        if deferred_signals:
            threading.Timer(REDELIVERY_DELAY, _interrupt_main_thread).start()


def _interrupt_main_thread() -> None:
    """Send SIGINT to the main thread."""
    import signal
    import threading

    if hasattr(signal, "pthread_kill"):
        # Unlike raise_signal(), pthread_kill() also interrupts a system call of the main thread.
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        signal.raise_signal(signal.SIGINT)


def shield_imports() -> None:
    """Install the finder, once per process."""
    if ShieldedFinder not in sys.meta_path:
        sys.meta_path.insert(0, ShieldedFinder)
