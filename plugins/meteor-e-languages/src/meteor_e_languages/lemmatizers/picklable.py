"""Pickling of lemmatizers that hold a program, a model or a lock, which other processes cannot take over."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from meteor_e import Lemmatizer


class PicklableLemmatizer(Lemmatizer):
    """A lemmatizer that is pickled without what cannot be, and makes that anew when it is unpickled.

    Class attributes:
        unpicklable: names of the attributes that are not pickled; :meth:`_start` sets them.
    """

    unpicklable: ClassVar[tuple[str, ...]]

    @abstractmethod
    def _start(self) -> None:
        """Set what is not pickled; ``__init__`` calls it at its end."""

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in self.unpicklable}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._start()
