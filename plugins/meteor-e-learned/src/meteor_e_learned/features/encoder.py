"""How alike a sentence encoder holds a text and its reference for."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ComponentOptions, ConfigError, Feature, FeatureBatch, Meta
from meteor_e.base.extras import require
from meteor_e.base.memory import Memory
from meteor_e_learned.features.references import mean_over_references, segment_pairs

Floats = NDArray[np.float64]
Vectors = tuple[NDArray[np.float32], NDArray[np.float32]]

KEPT = 16_384
"""Sentences whose vectors are kept in memory: the references of a test set, with which each system is compared."""
LONGEST = 256
"""Pieces of words of a sentence that are encoded."""


class EncoderFeature(Feature):
    """The cosine of two sentences' mean vectors, and the difference of those of an inner layer, number by number.

    The vectors of the inner layer are scaled to length 1. Weights of their difference learn in which ways systems put
    things otherwise than people: inner layers hold wording and grammar rather than meaning. A sentence is encoded
    alone, without padding, so its numbers do not depend on its neighbors; each distinct sentence once, several at
    once by threads. Against several references, the mean over them.

    Raises:
        ConfigError: if the encoder has no such layer.
        PluginError: if meteor-e-vectors or ONNX Runtime is not installed.
        ResourceError: if the encoder is not installed.
    """

    name: ClassVar[str] = "encoder"
    requires: ClassVar[tuple[str, ...]] = ("onnxruntime", "tokenizers", "an encoder")
    tolerance: ClassVar[float] = 1e-3
    """By how much numbers may differ between processors, which add up in another order."""

    class Options(ComponentOptions):
        """What a recipe may say."""

        encoder: Annotated[str, Meta(description="An installed encoder.")] = "minilm"
        layer: Annotated[int, Meta(ge=1, description="The layer, from 1, whose difference is taken.")] = 4

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._memory: Memory[str, Vectors] = Memory(KEPT)
        self._load()

    def _load(self) -> None:
        name, layer = self.options.encoder, self.options.layer
        encoders = require(
            "meteor_e_vectors.contextual.encoder", f"feature {self.name!r}", "encoder", "meteor-e-vectors"
        )
        store = import_module("meteor_e_vectors.contextual.store")
        folder = store.encoder_folder(name)
        files = store.read_encoder(folder)
        layers = files.description.layers
        if layer > len(layers):
            raise ConfigError(f"encoder {name!r} has no layer {layer}; it has {len(layers)}, from 1")
        self._digest = f"{files.description.network.sha256[:8]}{files.description.tokenizer.sha256[:4]}"
        self._tensors = [layers[-1], layers[layer - 1]]
        self._session = encoders.make_session(files, self._tensors, folder)
        self._inputs = [given.name for given in self._session.get_inputs()]
        self._tokenizer = encoders.make_tokenizer(files.tokenizer, folder)
        self._tokenizer.enable_truncation(min(LONGEST, files.description.pieces))
        self._threads = os.cpu_count() or 1
        self._size = len(self._encode("")[1])

    def __getstate__(self) -> dict[str, Any]:
        return {"options": self.options}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["options"])  # type: ignore[misc]

    @property
    def columns(self) -> tuple[str, ...]:
        """The cosine, then the differences."""
        return ("cosine", *(f"difference-{number}" for number in range(1, self._size + 1)))

    @property
    def dimension(self) -> int:
        """As many as there are columns."""
        return 1 + self._size

    def compute(self, batch: FeatureBatch) -> Floats:
        """Encode, and compare."""
        left, right = segment_pairs(batch)
        known = self._encoded([*left, *right])
        rows = np.empty((len(left), self.dimension))
        for row, one, other in zip(rows, left, right, strict=True):
            (whole, inner), (their_whole, their_inner) = known[one], known[other]
            lengths = float(np.linalg.norm(whole) * np.linalg.norm(their_whole))
            row[0] = float(whole @ their_whole) / lengths if lengths > 0 else 0.0
            row[1:] = inner - their_inner
        return mean_over_references(rows, batch)

    def _encoded(self, texts: Sequence[str]) -> dict[str, Vectors]:
        """Return the vectors of each distinct text."""
        known = {text: found for text in texts if (found := self._memory.get(text)) is not None}
        # Long ones first, so that no thread is left with one at the end.
        missing = sorted({*texts}.difference(known), key=lambda text: (-len(text), text))
        with ThreadPoolExecutor(self._threads) as pool:
            for text, found in zip(missing, pool.map(self._encode, missing), strict=True):
                known[text] = self._memory[text] = found
        return known

    def _encode(self, text: str) -> Vectors:
        found = self._tokenizer.encode(text)
        ids = np.array([found.ids], np.int64)
        given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        states = self._session.run(self._tensors, {name: given[name] for name in self._inputs})
        # The pieces that open and close a sentence do not count.
        own = [place for place, special in enumerate(found.special_tokens_mask) if not special]
        means: list[NDArray[np.float32]] = [
            np.asarray(each[0], np.float32)[own].mean(axis=0) if own else np.zeros(each.shape[2], np.float32)
            for each in states
        ]
        whole, inner = means
        length = np.linalg.norm(inner)
        return whole, (inner / length).astype(np.float32) if length > 0 else inner

    def describe(self) -> str:
        """Return the digest of encoder and tokenizer, the layer, and the versions of what runs them."""
        from importlib.metadata import version

        return f"{self.definition()}|onnxruntime-{version('onnxruntime')}|tokenizers-{version('tokenizers')}"

    def definition(self) -> str:
        """Return the digest of encoder and tokenizer, and the layer."""
        return f"@{self._digest}:layer-{self.options.layer}"
