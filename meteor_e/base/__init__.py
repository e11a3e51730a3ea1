"""What everything else stands on: errors, YAML, files, folders, caches, progress. It knows nothing of METEOR.

Plugins find here what they need to read and write as meteor_e does: whole files or none, errors with file and
line, arrays kept between runs, progress on a terminal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from meteor_e.base.lazy import lazy_names

if TYPE_CHECKING:
    from meteor_e.base.array_cache import ArrayCache, digest
    from meteor_e.base.arraytypes import Cells, Floats, Integers
    from meteor_e.base.extras import require
    from meteor_e.base.files import (
        PathLike,
        atomic_binary_writer,
        atomic_writer,
        compression,
        input_name,
        open_binary,
        open_regular,
        reading,
        spell_size,
        whole_file,
    )
    from meteor_e.base.folders import locked, put_folder, sha256_of, workplace
    from meteor_e.base.lazy import lazy_names
    from meteor_e.base.memory import Memory
    from meteor_e.base.processes import worked_on
    from meteor_e.base.progress import Progress, silent, terminal_progress
    from meteor_e.base.store import cache_folder, data_folder
    from meteor_e.base.validation import find_problems
    from meteor_e.base.yamlfile import (
        Document,
        Problem,
        dump_yaml,
        is_folder,
        is_path,
        parse_yaml,
        plain_value,
        raise_problems,
        read_yaml,
    )

__all__ = [
    "ArrayCache",
    "Cells",
    "Document",
    "Floats",
    "Integers",
    "Memory",
    "PathLike",
    "Problem",
    "Progress",
    "atomic_binary_writer",
    "atomic_writer",
    "cache_folder",
    "compression",
    "data_folder",
    "digest",
    "dump_yaml",
    "find_problems",
    "input_name",
    "is_folder",
    "is_path",
    "lazy_names",
    "locked",
    "open_binary",
    "open_regular",
    "parse_yaml",
    "plain_value",
    "put_folder",
    "raise_problems",
    "read_yaml",
    "reading",
    "require",
    "sha256_of",
    "silent",
    "spell_size",
    "terminal_progress",
    "whole_file",
    "worked_on",
    "workplace",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "array_cache": ["ArrayCache", "digest"],
        "arraytypes": ["Cells", "Floats", "Integers"],
        "extras": ["require"],
        "files": [
            "PathLike",
            "atomic_binary_writer",
            "atomic_writer",
            "compression",
            "input_name",
            "open_binary",
            "open_regular",
            "reading",
            "spell_size",
            "whole_file",
        ],
        "folders": ["locked", "put_folder", "sha256_of", "workplace"],
        "lazy": ["lazy_names"],
        "memory": ["Memory"],
        "processes": ["worked_on"],
        "progress": ["Progress", "silent", "terminal_progress"],
        "store": ["cache_folder", "data_folder"],
        "validation": ["find_problems"],
        "yamlfile": [
            "Document",
            "Problem",
            "dump_yaml",
            "is_folder",
            "is_path",
            "parse_yaml",
            "plain_value",
            "raise_problems",
            "read_yaml",
        ],
    },
)
