"""The texts of SGML, WMT XML and COCO files: hypotheses, references and sources by document and segment."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from meteor_e.api.segments import SegmentId
from meteor_e.base.errors import InputError

Role = Literal["hypothesis", "reference", "source"]


class SegmentKey(NamedTuple):
    """The key of a segment: its test set, its document and its id in the document. All three can be empty."""

    collection: str
    document: str
    segment: SegmentId

    def __str__(self) -> str:
        return "[" + "][".join(str(part) for part in self if part != "") + "]"


def segment_ids(keys: Iterable[SegmentKey]) -> dict[SegmentKey, SegmentId]:
    """Return the segment ids for output: ``DOCUMENT/SEGMENT`` in markup, the image id in COCO's files.

    If there are several test sets, the ids begin with the name of the test set.
    """
    keys = list(keys)
    has_several_sets = len({key.collection for key in keys}) > 1
    ids: dict[SegmentKey, SegmentId] = {}
    for key in keys:
        prefixes = [key.collection] if has_several_sets else []
        if key.document:
            prefixes.append(key.document)
        ids[key] = "/".join([*prefixes, str(key.segment)]) if prefixes else key.segment
    return ids


@dataclass
class TextCollection:
    """The texts of a file.

    Attributes:
        name: the name of the file in messages.
        texts: the segments in file order, by role and by name of the system, reference or source.
    """

    name: str
    texts: dict[Role, dict[str, dict[SegmentKey, str]]] = field(
        default_factory=lambda: {"hypothesis": {}, "reference": {}, "source": {}}
    )

    def add(self, role: Role, name: str, key: SegmentKey, text: str) -> None:
        """Add a segment.

        Raises:
            InputError: if the collection already has a text for this role, name and key.
        """
        texts = self.texts[role].setdefault(name, {})
        if key in texts:
            raise InputError(f"{self.name}: segment {key} of {role} {name!r} occurs twice")
        texts[key] = text

    def texts_of(self, role: Role) -> dict[str, dict[SegmentKey, str]]:
        """Return the texts of a role, by name of the system, reference or source.

        Raises:
            InputError: if there are no texts of this role.
        """
        if not self.texts[role]:
            contents = " and ".join(f"a {name}" for name, texts in self.texts.items() if texts)
            raise InputError(f"{self.name} holds no {role} texts; it holds {contents}")
        return self.texts[role]
