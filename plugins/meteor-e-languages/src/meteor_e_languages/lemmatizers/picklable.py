"""A base class for lemmatizers that hold unpicklable objects, such as a process, a model or a lock."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from meteor_e import Lemmatizer


class PicklableLemmatizer(Lemmatizer):
    """A lemmatizer that omits certain attributes when it is pickled, and recreates them when it is unpickled.

    Class attributes:
        unpicklable: the names of the attributes that pickling omits. The method :meth:`_start` sets these attributes.
    """

    unpicklable: ClassVar[tuple[str, ...]]

    @abstractmethod
    def _start(self) -> None:
        """Set the attributes that are not pickled. ``__init__`` must call this method at the end."""

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in self.unpicklable}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._start()
