"""What lemmatizers share that hold a program, a model or a lock, which do not travel to other processes."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from meteor_e import Lemmatizer


class StartedLemmatizer(Lemmatizer):
    """A lemmatizer that is pickled without what it has started, and starts it anew where it arrives.

    Class attributes:
        started: names of the attributes that :meth:`_start` sets.
    """

    started: ClassVar[tuple[str, ...]]

    @abstractmethod
    def _start(self) -> None:
        """Set what is not pickled; ``__init__`` calls it at its end."""

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in self.started}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._start()
