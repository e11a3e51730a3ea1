"""Similarity of a text and its reference to a sentence encoder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ComponentOptions, ConfigError, Feature, FeatureBatch, Meta
from meteor_e.base.array_cache import Floats
from meteor_e.base.extras import require
from meteor_e.base.memory import Memory
from meteor_e.base.thread_pool import ThreadPool
from meteor_e_learned.features.references import mean_over_references, segment_pairs

Vectors = tuple[NDArray[np.float32], NDArray[np.float32]]

KEPT = 16_384
"""Sentences whose vectors are kept in memory: the references of a test set, with which each system is compared."""
LONGEST = 256
"""Pieces of words of a sentence that are encoded."""
TOGETHER = 8
"""Sentences of equal length that are computed together."""


class EncoderFeature(Feature):
    """The cosine of two sentences' mean vectors, and the difference of those of an inner layer, number by number.

    The vectors of the inner layer are scaled to length 1. Weights of their difference learn in which ways systems put
    things otherwise than people: inner layers hold wording and grammar rather than meaning. Sentences are never
    padded. Those of as many pieces are computed together if the network then gives the same numbers to the last bit,
    which is tried once; so numbers do not depend on a sentence's neighbors. Each distinct sentence is encoded once,
    several at once by threads. Against several references, the mean over them.

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
        """Options in a recipe."""

        encoder: Annotated[str, Meta(description="An installed encoder.")] = "minilm"
        layer: Annotated[int, Meta(ge=1, description="Number of the layer, from 1, whose vectors are subtracted.")] = 4

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
        one, other = self._tokenizer.encode("A dog."), self._tokenizer.encode("The cat.")
        apart = [*self._encode([one]), *self._encode([other])]
        same = len(one.ids) == len(other.ids) and _equal(self._encode([one, other]), apart)
        self._together = TOGETHER if same else 1
        self._size = len(apart[0][1])

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
        """Number of columns."""
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
        missing = sorted({*texts}.difference(known))
        by_length: dict[int, list[tuple[str, Any]]] = {}
        for text, pieces in zip(missing, self._tokenizer.encode_batch(missing), strict=True):
            by_length.setdefault(len(pieces.ids), []).append((text, pieces))
        # Long ones first, so that no thread is left with some at the end.
        groups = [
            same[start : start + self._together]
            for _, same in sorted(by_length.items(), reverse=True)
            for start in range(0, len(same), self._together)
        ]
        with ThreadPool(self._threads) as pool:
            for group, vectors in zip(
                groups, pool.map(lambda each: self._encode([p for _, p in each]), groups), strict=True
            ):
                for (text, _), found in zip(group, vectors, strict=True):
                    known[text] = self._memory[text] = found
        return known

    def _encode(self, texts: Sequence[Any]) -> list[Vectors]:
        """Return the vectors of texts of as many pieces, which the tokenizer has made."""
        ids = np.array([text.ids for text in texts], np.int64)
        given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        states = self._session.run(self._tensors, {name: given[name] for name in self._inputs})
        found = []
        for place, text in enumerate(texts):
            # The pieces that open and close a sentence do not count.
            own = [at for at, special in enumerate(text.special_tokens_mask) if not special]
            whole, inner = (
                np.asarray(each[place], np.float32)[own].mean(axis=0) if own else np.zeros(each.shape[2], np.float32)
                for each in states
            )
            length = np.linalg.norm(inner)
            found.append((whole, (inner / length).astype(np.float32) if length > 0 else inner))
        return found

    def describe(self) -> str:
        """Return the digest of encoder and tokenizer, the layer, and the versions of what runs them."""
        from importlib.metadata import version

        return f"{self.definition()}|onnxruntime-{version('onnxruntime')}|tokenizers-{version('tokenizers')}"

    def definition(self) -> str:
        """Return the digest of encoder and tokenizer, and the layer."""
        return f"@{self._digest}:layer-{self.options.layer}"


def _equal(one: Sequence[Vectors], other: Sequence[Vectors]) -> bool:
    return all(
        np.array_equal(a, b) for left, right in zip(one, other, strict=True) for a, b in zip(left, right, strict=True)
    )
