"""Texts of a test set: hypotheses and references by document and segment, as SGML, WMT XML and COCO files hold them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from meteor_e.base.errors import InputError

Role = Literal["hypothesis", "reference", "source"]


class SegmentKey(NamedTuple):
    """Where a segment stands: test set, document in it, segment of the document. Any may be empty."""

    collection: str
    document: str
    segment: str

    def __str__(self) -> str:
        return "[" + "][".join(part for part in self if part) + "]"


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
