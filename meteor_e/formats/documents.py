"""Texts of a test set: hypotheses and references by document and segment, as SGML and WMT XML files hold them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from meteor_e.base.errors import InputError, near_miss

Role = Literal["hypothesis", "reference", "source"]


class SegmentKey(NamedTuple):
    """Where a segment stands: test set, document in it, segment of the document. Any may be empty."""

    collection: str
    document: str
    segment: str

    def __str__(self) -> str:
        return "[" + "][".join(part for part in self if part) + "]"


Texts = dict[SegmentKey, str]


@dataclass
class Collection:
    """The content of an SGML or XML file.

    Attributes:
        name: what to call the file in messages.
        texts: per role, per system (or reference, or source) name, the segments in file order.
    """

    name: str
    texts: dict[Role, dict[str, Texts]] = field(
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

    def segments(self, role: Role, name: str | None = None) -> list[str]:
        """Return the segments of one system or reference in file order.

        Args:
            role: what to look for.
            name: the system's or reference's name; may be left out where there is only one.

        Raises:
            InputError: if there is none of this name, or none or several and no name is given.
        """
        named = self.texts[role]
        if name is None:
            if len(named) != 1:
                names = ", ".join(named) or "none"
                raise InputError(f"{self.name}: one {role} is needed, it has {len(named)} ({names})")
            (name,) = named
        if name not in named:
            raise InputError(f"{self.name}: no {role} {name!r}{near_miss(name, named)}; it has: {', '.join(named)}")
        return list(named[name].values())


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
    systems = hypotheses.texts["hypothesis"]
    if not systems:
        raise InputError(f"{hypotheses.name} holds no hypotheses (no tstset or hyp element)")
    named = [texts for collection in references for texts in collection.texts["reference"].values()]
    if not named:
        names = ", ".join(collection.name for collection in references)
        raise InputError(f"{names}: no references (no refset or ref element)")
    referenced: dict[SegmentKey, list[str]] = {}
    for texts in named:
        for key, text in texts.items():
            referenced.setdefault(key, []).append(text)
    return [_pair(name, texts, referenced, hypotheses.name) for name, texts in systems.items()]


def _pair(name: str, texts: Texts, referenced: Mapping[SegmentKey, list[str]], file_name: str) -> PairedSystem:
    if not any(key in texts for key in referenced):
        example = next(iter(texts), "none")
        raise InputError(
            f"{file_name}: system {name!r} and the references have no segment in common "
            f"(first segments: {example} and {next(iter(referenced), 'none')})"
        )
    return PairedSystem(
        name,
        [*referenced],
        [texts.get(key) for key in referenced],
        [*referenced.values()],
        [key for key in texts if key not in referenced],
    )
