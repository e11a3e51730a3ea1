"""Texts of a test set: hypotheses and references by document and segment, as SGML, WMT XML and COCO files hold them."""

from __future__ import annotations

from collections.abc import Sequence
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


class PairedSystem(NamedTuple):
    """A system's segments beside their references, in the references' order.

    Attributes:
        name: the system.
        keys: the segments that a reference has.
        hypotheses: one text per segment; ``None`` where the system has none.
        references: one list per segment, of the references that have it.
        unreferenced: segments of the system that no reference has; they are not among ``keys``.
    """

    name: str
    keys: list[SegmentKey]
    hypotheses: list[str | None]
    references: list[list[str]]
    unreferenced: list[SegmentKey]


def pair_collections(hypotheses: Collection, references: Sequence[Collection]) -> list[PairedSystem]:
    """Put every system of a file beside the references of other files (or of the same file).

    Raises:
        InputError: if there are no systems or no references, or a system and the references have no segment in
            common.
    """
    found = []
    referenced: dict[SegmentKey, list[str]] = {}
    for collection in references:
        if not collection.texts["reference"]:
            raise InputError(f"{collection.name} holds no references; it holds {_roles(collection)}")
        for texts in collection.texts["reference"].values():
            for key, text in texts.items():
                referenced.setdefault(key, []).append(text)
    if not hypotheses.texts["hypothesis"]:
        raise InputError(f"{hypotheses.name} holds no hypotheses; it holds {_roles(hypotheses)}")
    for name, texts in hypotheses.texts["hypothesis"].items():
        if not any(key in texts for key in referenced):
            raise InputError(
                f"{hypotheses.name}: system {name!r} and the references have no segment in common "
                f"(first segments: {next(iter(texts))} and {next(iter(referenced))})"
            )
        extra = [key for key in texts if key not in referenced]
        found.append(
            PairedSystem(name, [*referenced], [texts.get(key) for key in referenced], [*referenced.values()], extra)
        )
    return found


def _roles(collection: Collection) -> str:
    return " and ".join(f"a {role}" for role, texts in collection.texts.items() if texts)
