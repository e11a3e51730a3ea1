"""The container that all indexes share: a checked header and aligned sections, read through a memory map.

The layout is written down byte by byte in ``docs/index-format.md``; the native core maps the same files.
Opening costs a few pages whatever the size of the file: the header is checked, the sections are only sliced.
"""

from __future__ import annotations

import mmap
import os
import struct
import sys
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

from meteor_e.base.errors import ResourceError
from meteor_e.base.files import open_regular

FORMAT_VERSION = 1
BYTE_ORDER_MARK = 0x0A0B0C0D
ALIGNMENT = 64
PARAMETERS = 8

_FIXED = struct.Struct("<8sIIQII8I")  # magic, version, byte order, file size, CRC, sections, parameters
_SECTION = struct.Struct("<QQ")  # offset, size in bytes
_CRC_AT = 24
# Linux caches a file in pages as large as it was written, and maps them whole: written in one piece, the
# English table puts 60 MB into a process that looks up one sentence, written in small ones 7 MB.
_PIECE = 1 << 16


class Layout(NamedTuple):
    """What a kind of index consists of."""

    magic: bytes
    """Eight bytes."""
    sections: tuple[tuple[str, int], ...]
    """Name and element size (bytes) of each section, in file order."""


class IndexFile:
    """A mapped index: its parameters and a view of each section.

    The views keep the map alive; it is released with the last of them.
    """

    __slots__ = ("parameters", "path", "sections")

    def __init__(self, path: Path, parameters: tuple[int, ...], sections: dict[str, memoryview]) -> None:
        self.path = path
        self.parameters = parameters
        self.sections = sections

    @classmethod
    def open(cls, path: str | os.PathLike[str], layout: Layout) -> IndexFile:
        """Map the file and check its header; :class:`ResourceError` names the file and what is wrong."""
        path = Path(path)
        view = _mapped(path)
        if bytes(view[:8]) != layout.magic:
            damaged(path, f"it does not begin with {layout.magic.decode('ascii')!r}, so it is no such index")
        if len(view) < _FIXED.size:
            damaged(path, "it ends inside its header")
        _, version, order, size, crc, count, *parameters = _FIXED.unpack_from(view)
        if order != BYTE_ORDER_MARK or sys.byteorder != "little":
            damaged(path, "its byte order is not the one of this machine")
        if version != FORMAT_VERSION:
            damaged(path, f"it has format version {version}; this release reads version {FORMAT_VERSION}")
        if size != len(view):
            damaged(path, f"it holds {len(view)} bytes and should hold {size}")
        end = _FIXED.size + _SECTION.size * len(layout.sections)
        if count != len(layout.sections) or len(view) < end:
            damaged(path, "its section table does not fit")
        if crc != _header_crc(view[:end]):
            damaged(path, "the checksum of its header is wrong")
        sections: dict[str, memoryview] = {}
        for number, (name, item) in enumerate(layout.sections):
            start, length = _SECTION.unpack_from(view, _FIXED.size + _SECTION.size * number)
            if start % ALIGNMENT or start < end or start + length > size or length % item:
                damaged(path, f"its section {name!r} lies outside the file or is out of line")
            end = start + length
            sections[name] = view[start:end].cast("I") if item % 4 == 0 else view[start:end]
        return cls(path, tuple(parameters), sections)


def damaged(path: Path, problem: str) -> NoReturn:
    """Raise the :class:`ResourceError` for an index that cannot be what a builder wrote."""
    raise ResourceError(
        f"cannot use the index {path}: {problem}; "
        "make it again (install its pack, or convert its source), or delete it if it is a cached one"
    )


def write_index(
    target: Path, layout: Layout, parameters: Sequence[int], sections: Iterable[bytes | memoryview]
) -> None:
    """Write an index; the sections come in the layout's order, multi-byte items already little-endian.

    The file is written in place: give a path that nobody reads yet, and rename it when it is whole.
    """
    views = [memoryview(section).cast("B") for section in sections]
    if len(views) != len(layout.sections) or len(parameters) > PARAMETERS:
        raise ValueError("sections or parameters do not fit the layout")
    position = _FIXED.size + _SECTION.size * len(views)
    table, places = b"", []
    for view in views:
        position += -position % ALIGNMENT
        table += _SECTION.pack(position, len(view))
        places.append(position)
        position += len(view)
    padded = [*parameters, *[0] * (PARAMETERS - len(parameters))]
    fixed = _FIXED.pack(layout.magic, FORMAT_VERSION, BYTE_ORDER_MARK, position, 0, len(views), *padded)
    header = bytearray(fixed + table)
    struct.pack_into("<I", header, _CRC_AT, _header_crc(header))
    with target.open("wb") as out:
        out.write(header)
        for place, view in zip(places, views, strict=True):
            out.write(bytes(place - out.tell()))
            for start in range(0, len(view), _PIECE):
                out.write(view[start : start + _PIECE])
        out.flush()
        os.fsync(out.fileno())


def _header_crc(header: bytes | bytearray | memoryview) -> int:
    blank = bytearray(header)
    blank[_CRC_AT : _CRC_AT + 4] = bytes(4)
    return zlib.crc32(blank)


def _mapped(path: Path) -> memoryview:
    try:
        with open_regular(path) as file:
            if os.fstat(file.fileno()).st_size == 0:
                damaged(path, "it is empty")
            return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ResourceError(f"cannot open the index {path}: {reason}") from error
