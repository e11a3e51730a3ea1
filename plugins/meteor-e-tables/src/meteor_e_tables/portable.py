"""A metric as it travels: to other processes, on this machine or another, where it is made anew from its chain."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from meteor_e import __version__
from meteor_e.api import ConfigError, ResourceError
from meteor_e.chains.chain import OWN_FUNCTION_WORDS
from meteor_e.packs.manifest import LANGUAGE_FILE

if TYPE_CHECKING:
    from meteor_e import Meteor
    from meteor_e.packs.pack import Pack

_KEPT = 4
"""Metrics that a process keeps."""

_metrics: dict[PortableMetric, Meteor] = {}
_lock = threading.Lock()


class PackNeeded(NamedTuple):
    """A pack that a chain needs.

    Attributes:
        name, digest: of the pack; equal digests, equal scores.
        origin: the folder where it was.
    """

    name: str
    digest: str
    origin: str

    def find(self) -> Pack | None:
        """Return the pack if it is on this machine: in the store, shipped, or in the folder it came from."""
        from meteor_e.packs.pack import Pack
        from meteor_e.packs.store import PackStore

        try:
            pack = PackStore().find(self.name)
            if pack is not None and pack.digest == self.digest:
                return pack
        except ResourceError:
            # A damaged pack in the store is no reason to do without a whole one.
            pass
        for folder in (shipped_folder(self), Path(self.origin)):
            try:
                pack = Pack.open(folder)
                if pack.digest == self.digest:
                    return pack
            except ResourceError:
                continue
        return None


def shipped_folder(pack: PackNeeded) -> Path:
    """Return where a pack that was shipped to this machine lies: in the cache, by its digest."""
    from meteor_e.base.folders import cache_folder

    return cache_folder("shipped-packs") / f"{pack.name}-{pack.digest}"


@dataclass(frozen=True)
class PortableMetric:
    """What a process needs to make a metric, without the resources themselves.

    Attributes:
        version: of meteor_e.
        chain: the chain with all defaults spelled out, as JSON.
        packs: the packs that it needs, by the chain's key that names them.
        signature: that the metric must have.
        matchers: names of the chain's matchers.
    """

    version: str
    chain: str
    packs: tuple[tuple[str, PackNeeded], ...]
    signature: str
    matchers: tuple[str, ...]

    @classmethod
    def of(cls, meteor: Meteor) -> PortableMetric:
        """Describe a metric.

        Raises:
            ConfigError: if it was made with objects (resources, matchers) that no chain describes.
        """
        chain = meteor.chain.effective()
        resources = meteor.resources
        own_words = resources.own_function_words is not None and meteor.chain.function_words is None
        if own_words or resources.own_synonyms is not None or resources.own_paraphrases is not None:
            raise ConfigError(
                "a metric with resources that were given as objects cannot be sent to other processes; "
                "put them into a pack (see docs/packs.md) and name it with pack="
            )
        from meteor_e.packs.store import named_pack

        packs = []
        for key in ("pack", "function_words"):
            name = chain.get(key)
            if name is not None and name != OWN_FUNCTION_WORDS:
                pack = resources.pack if key == "pack" and resources.pack is not None else named_pack(name)
                packs.append((key, PackNeeded(pack.name, pack.digest, str(pack.path))))
        try:
            spelled = json.dumps(chain, sort_keys=True)
        except TypeError as error:
            raise ConfigError(f"a chain with such options cannot be sent to other processes: {error}") from error
        portable = cls(__version__, spelled, tuple(packs), meteor.signature, meteor.matcher_names)
        for matcher, made in zip(meteor.matchers, portable.meteor().matchers, strict=True):
            if type(matcher) is not type(made):
                raise ConfigError(
                    f"matcher {matcher.name!r} was replaced by an object, so the metric cannot be sent to other "
                    "processes; register it as a plugin and name it in the chain"
                )
        return portable

    def meteor(self) -> Meteor:
        """Return the metric; it is made once a process, and scores what the original scores.

        Raises:
            ConfigError: if this process has another version of meteor_e, or would make another metric.
            ResourceError: if a pack is not on this machine.
        """
        with _lock:
            meteor = _metrics.pop(self, None)
            if meteor is None:
                meteor = self._make()
                while len(_metrics) >= _KEPT:
                    # The one that was used longest ago comes first.
                    del _metrics[next(iter(_metrics))]
            _metrics[self] = meteor
            return meteor

    def _make(self) -> Meteor:
        from meteor_e import Meteor

        if self.version != __version__:
            raise ConfigError(
                f"this process has meteor_e {__version__}, and the metric comes from {self.version}; "
                "install the same version everywhere"
            )
        chain: dict[str, Any] = json.loads(self.chain)
        for key, needed in self.packs:
            pack = needed.find()
            if pack is None:
                raise ResourceError(
                    f"the resource pack {needed.name!r} (digest {needed.digest}) is not on this machine; "
                    f"install it there with `meteor-e pack install {needed.name}`, or let it be shipped "
                    "(meteor_e_tables.distributed.prepare)"
                )
            if key == "pack" and chain["language"] == str(Path(needed.origin) / LANGUAGE_FILE):
                chain["language"] = str(pack.path / LANGUAGE_FILE)
            chain[key] = str(pack.path)
        meteor = Meteor.from_config(chain, offline=True, threads=1)
        if meteor.signature != self.signature:
            raise ConfigError(
                f"this process would score with {meteor.signature}, and not with {self.signature}; "
                "install the same plugins and packs everywhere"
            )
        return meteor
