"""Where and how a command writes: ``-o`` and ``-f``."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

from meteor_e.base.files import atomic_writer

if TYPE_CHECKING:
    from meteor_e.api.formats import OutputFormat


@contextlib.contextmanager
def destination(path: str | None) -> Iterator[TextIO]:
    """Open standard output, or a file that is written whole or not at all.

    Standard output is UTF-8 whatever the locale says, so that the same input gives the same bytes.
    """
    if path is not None and path != "-":
        with atomic_writer(path) as stream:
            yield stream
        return
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace", newline="\n")
    yield sys.stdout
    sys.stdout.flush()


def output_format(name: str) -> OutputFormat:
    """Return a format by its name.

    Raises:
        ConfigError: if there is none.
        PluginError: for a format of a plugin that is broken.
    """
    from meteor_e.base.errors import ConfigError, PluginError, near_miss
    from meteor_e.plugins.registry import plugin_registry

    try:
        found: OutputFormat = plugin_registry().get("output format", name).make()
    except PluginError:
        known = plugin_registry().names("output format")
        if name in known:
            raise
        raise ConfigError(
            f"--format: there is no format {name!r}{near_miss(name, known)}; the formats: {', '.join(known)}"
        ) from None
    return found
