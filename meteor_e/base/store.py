"""Where meteor_e keeps what it makes: the cache, and the folders of data."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder(name: str = "") -> Path:
    """Return a folder of what can be made again: ``name`` in ``METEOR_E_CACHE``, else in the user's cache folder."""
    named = os.environ.get("METEOR_E_CACHE")
    if named:
        return Path(named).absolute() / name
    import platformdirs

    return Path(platformdirs.user_cache_dir("meteor_e", appauthor=False)) / name


def data_folder(name: str) -> Path:
    """Return a folder of what the user installs.

    The environment variable ``METEOR_E_NAME`` names it; else it is ``name`` in the user's data folder for meteor_e.
    """
    named = os.environ.get(f"METEOR_E_{name.upper()}")
    if named:
        return Path(named).absolute()
    import platformdirs

    return Path(platformdirs.user_data_dir("meteor_e", appauthor=False)) / name
