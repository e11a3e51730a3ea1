"""This module represents the texts of SGML, WMT XML and COCO files by document and segment."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from meteor_e.api.segments import SegmentId
from meteor_e.base.errors import InputError

Role = Literal["hypothesis", "reference", "source"]


class SegmentKey(NamedTuple):
    """Identify a segment by its test set, its document and its segment id. Each part can be empty."""

    collection: str
    document: str
    segment: SegmentId

    def __str__(self) -> str:
        return "[" + "][".join(str(part) for part in self if part != "") + "]"


def segment_ids(keys: Iterable[SegmentKey]) -> dict[SegmentKey, SegmentId]:
    """Return the segment id for each key, such as ``DOCUMENT/SEGMENT`` or a COCO image id.

    If the keys belong to several test sets, each id begins with the name of its test set.
    """
    keys = list(keys)
    has_several_sets = len({key.collection for key in keys}) > 1
    ids: dict[SegmentKey, SegmentId] = {}
    for key in keys:
        prefixes = [key.collection] if has_several_sets else []
        if key.document:
            prefixes.append(key.document)
        # An id without a prefix may be an integer.
        ids[key] = "/".join([*prefixes, str(key.segment)]) if prefixes else key.segment
    return ids


@dataclass
class TextCollection:
    """Store the hypotheses, references and sources of a file.

    Attributes:
        name: the name of the file for error messages.
        texts: the texts by role, by name of the system, reference or source, and by segment in file order.
    """

    name: str
    texts: dict[Role, dict[str, dict[SegmentKey, str]]] = field(
        default_factory=lambda: {"hypothesis": {}, "reference": {}, "source": {}}
    )

    def add(self, role: Role, name: str, key: SegmentKey, text: str) -> None:
        """Add the text of a segment.

        Args:
            role: the role of the text.
            name: the name of the system, reference or source.
            key: the key of the segment.
            text: the text.

        Raises:
            InputError: if the collection already contains a text with this role, name and key.
        """
        texts = self.texts[role].setdefault(name, {})
        if key in texts:
            raise InputError(f"{self.name}: segment {key} of {role} {name!r} occurs twice")
        texts[key] = text

    def texts_of(self, role: Role) -> dict[str, dict[SegmentKey, str]]:
        """Return all texts with a role, such as ``reference``.

        The keys of the outer dictionary are the names of systems, references or sources. The keys of the inner
        dictionaries are segments.

        Raises:
            InputError: if the collection does not contain texts with this role.
        """
        if not self.texts[role]:
            contents = " and ".join(f"a {name}" for name, texts in self.texts.items() if texts)
            raise InputError(f"{self.name} holds no {role} texts; it holds {contents}")
        return self.texts[role]
