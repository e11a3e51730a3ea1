"""Texts of a test set: hypotheses and references by document and segment, as SGML, WMT XML and COCO files hold them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from meteor_e.api.segments import SegmentId
from meteor_e.base.errors import InputError

Role = Literal["hypothesis", "reference", "source"]


class SegmentKey(NamedTuple):
    """The position of a segment: test set, document of the test set, segment of the document. Any may be empty."""

    collection: str
    document: str
    segment: SegmentId

    def __str__(self) -> str:
        return "[" + "][".join(str(part) for part in self if part != "") + "]"


def segment_ids(keys: Iterable[SegmentKey]) -> dict[SegmentKey, SegmentId]:
    """Return the ids by which users know segments: ``DOCUMENT/SEGMENT`` in markup, the image id in COCO's files.

    The name of the test set precedes them if there are several test sets.
    """
    keys = list(keys)
    has_several_sets = len({key.collection for key in keys}) > 1
    ids: dict[SegmentKey, SegmentId] = {}
    for key in keys:
        parts = [key.collection] if has_several_sets else []
        parts += [key.document] if key.document else []
        ids[key] = "/".join([*parts, str(key.segment)]) if parts else key.segment
    return ids


@dataclass
class Collection:
    """The content of a file.

    Attributes:
        name: what to call the file in messages.
        texts: per role, per system (or reference, or source) name, the segments in file order.
    """

    name: str
    texts: dict[Role, dict[str, dict[SegmentKey, str]]] = field(
        default_factory=lambda: {"hypothesis": {}, "reference": {}, "source": {}}
    )

    def add(self, role: Role, name: str, key: SegmentKey, text: str) -> None:
        """Add a segment.

        Raises:
            InputError: if it is there already.
        """
        texts = self.texts[role].setdefault(name, {})
        if key in texts:
            raise InputError(f"{self.name}: segment {key} of {role} {name!r} is there twice")
        texts[key] = text

    def of(self, role: Role) -> dict[str, dict[SegmentKey, str]]:
        """Return the texts of a role, by system or reference.

        Raises:
            InputError: if there are none.
        """
        if not self.texts[role]:
            held = " and ".join(f"a {other}" for other, texts in self.texts.items() if texts)
            raise InputError(f"{self.name} holds no {role} texts; it holds {held}")
        return self.texts[role]
