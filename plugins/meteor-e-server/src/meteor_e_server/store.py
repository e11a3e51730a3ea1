"""The metrics of a server: those that are loaded at its start, and a bounded number of others that it allows."""

from __future__ import annotations

import dataclasses
import threading
from collections import OrderedDict
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from meteor_e.api import ConfigError, MeteorError, Metric, ResourceError
from meteor_e.base.errors import near_miss
from meteor_e.base.extras import comes_with_plugin
from meteor_e.cli.options import MeteorMaker
from meteor_e.metrics.chain_metric import ChainMetric
from meteor_e_server.lanes import Lane
from meteor_e_server.messages import RequestError
from meteor_e_server.work import MeteorWork, MetricWork, SpansWork, Work


class Key(NamedTuple):
    """What a lane does: ``score``, ``align`` or ``spans``, with a metric, in a language."""

    task: str
    metric: str
    language: str


class Store:
    """Metrics by name and language, each with its lane.

    Args:
        maker: makes metrics as the options of the command line say.
        loaded: metrics to load now, as ``-M`` takes them.
        allowed: metrics to load when a request names them.
        languages: codes of further languages that requests may name.
        keep: how many metrics that were loaded on demand are kept.

    Raises:
        MeteorError: for a metric that cannot be made.
    """

    def __init__(
        self,
        maker: MeteorMaker,
        loaded: Sequence[str] = ("meteor",),
        allowed: Sequence[str] = (),
        languages: Sequence[str] = (),
        keep: int = 4,
    ) -> None:
        self._maker, self._keep = maker, keep
        self._specs = {_name(text): text for text in (*loaded, *allowed)}
        if len(self._specs) < len(loaded) + len(allowed):
            raise ConfigError("two metrics have one name; tell them apart by LABEL=METRIC")
        self.loaded, self.allowed = [_name(text) for text in loaded], [_name(text) for text in allowed]
        self._pinned = {name: self._metric(self._specs[name], "") for name in self.loaded}
        chains = [metric.current for metric in self._pinned.values() if isinstance(metric, ChainMetric)]
        own = maker.language or (chains[0].chain.language.code if chains else "en")
        self.languages = list(dict.fromkeys([own, *languages]))
        # What is wrong with a metric is said before the first request, and its signature takes no request.
        self.works = {name: self._work(Key("score", name, own)) for name in self.loaded}
        for name in self.allowed:
            self._check(self._specs[name])
        self.spans: str | None = None
        try:
            self._spans: Work | None = self._work(Key("spans", "", own))
        except MeteorError as error:
            self._spans, self.spans = None, str(error)
        self._lanes: OrderedDict[Key, Lane] = OrderedDict()
        self._lock = threading.Lock()

    def lane(self, task: str, metric: str | None, language: str | None) -> Lane:
        """Return the lane for a task.

        Raises:
            RequestError: for a metric or language that the server does not allow.
        """
        code = language or self.languages[0]
        if code not in self.languages:
            raise RequestError(404, f"the server has no language {code!r}; it has {', '.join(self.languages)}")
        name = metric or self.loaded[0]
        if task == "spans":
            name = ""
            if self.spans is not None:
                raise RequestError(501, f"the server has no spans: {self.spans}")
        elif name not in self._specs:
            raise RequestError(
                404, f"the server has no metric {name!r}{near_miss(name, self._specs)}; it has {', '.join(self._specs)}"
            )
        key = Key(task, name, code)
        with self._lock:
            if key not in self._lanes:
                self._lanes[key] = Lane(" ".join(filter(None, key)), partial(self._work, key), self._lost)
            self._lanes.move_to_end(key)
            others = [other for other in self._lanes if not self._stays(other)]
            for other in others[: max(0, len(others) - self._keep)]:
                self._lanes.pop(other).close()
            return self._lanes[key]

    def close(self) -> None:
        """Let all threads end when their work is done."""
        with self._lock:
            for lane in self._lanes.values():
                lane.close()

    def _stays(self, key: Key) -> bool:
        return key.language == self.languages[0] and key.metric not in self.allowed

    def _lost(self, lane: Lane) -> None:
        """Forget a lane whose metric could not be made, so that the next request tries again."""
        with self._lock:
            for key in [key for key, other in self._lanes.items() if other is lane]:
                del self._lanes[key]

    def _metric(self, text: str, language: str) -> Metric:
        """Make a metric for a language; ``""`` is that of the command line."""
        maker = self._maker
        if language:
            maker = dataclasses.replace(maker, given={**maker.given, "language": language})
        found = maker.metrics([text])
        if len(found) > 1:
            raise ConfigError(f"{text!r} stands for several metrics: {', '.join(metric.label for metric in found)}")
        return found[0]

    def _check(self, text: str) -> None:
        """Make an allowed metric once, in the first language that it is for, and drop it.

        Raises:
            MeteorError: what is wrong with it in the server's own language, if it cannot be made for any.
        """
        errors = []
        for language in ("", *self.languages[1:]):
            try:
                self._metric(text, language)
            except MeteorError as error:
                errors.append(error)
            else:
                return
        raise errors[0]

    def _work(self, key: Key) -> Work:
        """Make what a lane does."""
        own = key.language == self.languages[0]
        if own and key.task == "score" and key.metric in getattr(self, "works", ()):
            return self.works[key.metric]
        if key.task == "spans":
            return self._marking(key.language, own)
        spec = self._specs[key.metric]
        metric = self._pinned.get(key.metric) if own else None
        metric = metric or self._metric(spec, "" if own else key.language)
        if isinstance(metric, ChainMetric):
            return MeteorWork(metric, alignments=key.task == "align")
        if key.task == "align":
            raise ConfigError(f"metric {key.metric!r} does not align words; name one of METEOR's")
        return MetricWork(metric, key.language)

    def _marking(self, language: str, own: bool) -> Work:
        if own and getattr(self, "_spans", None) is not None:
            assert self._spans is not None
            return self._spans
        try:
            import meteor_e_learned  # noqa: F401
        except ImportError:
            raise ResourceError(comes_with_plugin("/spans", "meteor-e-learned")) from None
        metric = self._metric("meteor", "" if own else language)
        assert isinstance(metric, ChainMetric)
        return SpansWork(language, metric.current)


def _name(text: str) -> str:
    """Return what requests call a metric: its label, else what ``-M`` was given."""
    label, separator, _ = text.partition("=")
    return label if separator and not set(label) & set(":/,") else text
