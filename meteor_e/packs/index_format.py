"""Read and write index files, which consist of a header and of sections that are mapped into memory.

``docs/index-format.md`` documents the format byte by byte. The C++ core maps the same files into memory. Even large
files are opened at once, because only the header is checked.
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
N_PARAMETERS = 8
"""The number of parameters in a header. Unused parameters are 0."""

_FIXED = struct.Struct(f"<8sIIQII{N_PARAMETERS}I")
"""The fields of :class:`Header`."""
_SECTION = struct.Struct("<QQ")
"""The fields of :class:`_Section`."""
_BLOCK_SIZE = 1 << 16
"""The size in bytes of the blocks in which sections are written. Linux maps a file in blocks of the written size.

With small blocks, a process that looks up one sentence in the English table maps 7 MB instead of 60 MB."""


class Layout(NamedTuple):
    """The file layout of a kind of index."""

    magic: bytes
    """The first eight bytes of the file."""
    sections: tuple[tuple[str, int], ...]
    """The name and the element size in bytes of each section, in file order, beginning with ``WORD_SECTIONS``."""

    @property
    def header_size(self) -> int:
        """The size in bytes of the header, which contains the fixed fields and the section table."""
        return _FIXED.size + _SECTION.size * len(self.sections)


class Header(NamedTuple):
    """The fixed fields of a header, in file order."""

    magic: bytes
    version: int
    byte_order: int
    file_size: int
    checksum: int
    """The CRC-32 of the header, including the section table. It is computed as if the checksum were 0."""
    n_sections: int
    parameters: tuple[int, ...]

    @classmethod
    def unpack(cls, data: memoryview) -> Header:
        """Read the fields at the beginning of a file."""
        fields = _FIXED.unpack_from(data)
        return cls._make([*fields[:-N_PARAMETERS], fields[-N_PARAMETERS:]])

    def pack(self) -> bytes:
        """Return the fields in the binary form in which they are stored."""
        *other_fields, parameters = self
        return _FIXED.pack(*other_fields, *parameters)

    def compute_checksum(self, section_table: bytes | memoryview) -> int:
        """Return the checksum that the header should contain."""
        return zlib.crc32(self._replace(checksum=0).pack() + section_table)


class _Section(NamedTuple):
    """The position of a section in a file, in bytes."""

    start: int
    size: int

    @property
    def end(self) -> int:
        """The position after the last byte of the section."""
        return self.start + self.size


def map_file(path: Path) -> memoryview:
    """Map a file into memory. Raise a :class:`ResourceError` if the file cannot be read."""
    try:
        with open_regular(path) as file:
            return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ResourceError(f"cannot open the index {path}: {reason}") from error


def read_header(path: Path, data: memoryview, layout: Layout) -> Header:
    """Read and check the header of an index file.

    Args:
        path: the path of the file, for errors.
        data: the content of the file.
        layout: the expected layout.

    Raises:
        ResourceError: if the file has a different layout, or has a damaged header.
    """
    if bytes(data[: len(layout.magic)]) != layout.magic:
        raise_damaged(path, f"it does not begin with {layout.magic.decode('ascii')!r}, like such an index")
    if len(data) < layout.header_size:
        raise_damaged(path, "it ends inside its header")
    header = Header.unpack(data)
    if header.byte_order != BYTE_ORDER_MARK or sys.byteorder != "little":
        raise_damaged(path, "its byte order is not the byte order of this machine")
    if header.version != FORMAT_VERSION:
        raise_damaged(path, f"it has format version {header.version}; this release reads version {FORMAT_VERSION}")
    if header.file_size != len(data):
        raise_damaged(path, f"it has {len(data)} bytes instead of {header.file_size}")
    section_table = data[_FIXED.size : layout.header_size]
    if header.checksum != header.compute_checksum(section_table):
        raise_damaged(path, "the checksum of its header is wrong")
    return header


def map_sections(path: Path, data: memoryview, layout: Layout) -> dict[str, memoryview]:
    """Return a memory view of each section of a file. Each view contains 32-bit integers or single bytes.

    Args:
        path: the path of the file, for errors.
        data: the content of the file, whose header is valid.
        layout: the layout of the file.
    """
    views = {}
    previous_end = layout.header_size
    section_table = data[_FIXED.size : layout.header_size]
    for (name, item_size), fields in zip(layout.sections, _SECTION.iter_unpack(section_table), strict=True):
        section = _Section(*fields)
        is_aligned = section.start % ALIGNMENT == 0 and section.size % item_size == 0
        is_inside_file = previous_end <= section.start and section.end <= len(data)
        if not is_aligned or not is_inside_file:
            raise_damaged(path, f"its section {name!r} is misaligned, or exceeds the file")
        view = data[section.start : section.end]
        views[name] = view.cast("I") if item_size % 4 == 0 else view
        previous_end = section.end
    return views


def raise_damaged(path: Path, problem: str) -> NoReturn:
    """Raise the :class:`ResourceError` for a damaged index."""
    raise ResourceError(
        f"cannot use the index {path}: {problem}; "
        "create it again by installing its pack or converting its source; if it is in the cache, delete it"
    )


def write_index(
    target: Path, layout: Layout, parameters: Sequence[int], sections: Iterable[bytes | memoryview]
) -> None:
    """Write an index.

    Args:
        target: the path of the index. It is written in place, so readers must not use this path until it is complete.
        layout: the layout of the index.
        parameters: the parameters of the index.
        sections: the sections, in the order of the layout and in the byte order of the machine.
    """
    views = [memoryview(section).cast("B") for section in sections]
    if len(views) != len(layout.sections) or len(parameters) > N_PARAMETERS:
        raise ValueError("sections or parameters do not fit the layout")
    if sys.byteorder != "little":
        raise ResourceError("indexes need a machine whose byte order is little-endian")
    section_table = _place_sections(layout, views)
    with target.open("wb") as output:
        output.write(_make_header(layout, parameters, section_table))
        for section, view in zip(section_table, views, strict=True):
            padding = bytes(section.start - output.tell())
            output.write(padding)
            for start in range(0, len(view), _BLOCK_SIZE):
                output.write(view[start : start + _BLOCK_SIZE])
        output.flush()
        os.fsync(output.fileno())


def _place_sections(layout: Layout, views: Iterable[memoryview]) -> list[_Section]:
    """Return the offset and size of each section. Sections follow the header and start at aligned offsets."""
    sections = []
    previous_end = layout.header_size
    for view in views:
        padding = -previous_end % ALIGNMENT
        section = _Section(previous_end + padding, len(view))
        sections.append(section)
        previous_end = section.end
    return sections


def _make_header(layout: Layout, parameters: Sequence[int], sections: Sequence[_Section]) -> bytes:
    """Return the header of an index file, including the section table."""
    section_table = b"".join(_SECTION.pack(*section) for section in sections)
    unused_parameters = [0] * (N_PARAMETERS - len(parameters))
    header = Header(
        magic=layout.magic,
        version=FORMAT_VERSION,
        byte_order=BYTE_ORDER_MARK,
        file_size=sections[-1].end,
        checksum=0,
        n_sections=len(sections),
        parameters=(*parameters, *unused_parameters),
    )
    complete_header = header._replace(checksum=header.compute_checksum(section_table))
    return complete_header.pack() + section_table
