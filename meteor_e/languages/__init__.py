"""Languages: what METEOR knows of each, read from YAML files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from meteor_e.base.lazy import lazy_names

if TYPE_CHECKING:
    from meteor_e.languages.files import own_tasks

__all__ = ["own_tasks"]

__getattr__, __dir__ = lazy_names(__name__, {"files": ["own_tasks"]})
