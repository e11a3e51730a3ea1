"""Compute a vector for each word of a sentence with a sentence encoder.

The vectors of a sentence do not depend on the other sentences. For this purpose, sentences are never padded. A batch
contains sentences of equal length, and only if a test has shown that the network returns exactly the same vectors with
and without batches. Several batches can be computed at the same time, each in a separate thread. Repeated sentences are
computed only once.
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias
from weakref import WeakValueDictionary

import numpy as np

from meteor_e import ConfigError, ResourceError
from meteor_e.api.contextual_matchers import SentenceMemory
from meteor_e.base.extras import require
from meteor_e.base.thread_pool import ThreadPool
from meteor_e_vectors.contextual.store import (
    DESCRIPTION,
    NETWORK,
    TOKENIZER,
    encoder_folder,
    read_description,
    read_encoder,
)
from meteor_e_vectors.contextual.tokenizer import Part, PieceTokenizer, shorten_error

if TYPE_CHECKING:
    import onnxruntime
    from numpy.typing import NDArray
else:
    onnxruntime = require("onnxruntime", "a sentence encoder", "encoder", "meteor-e-vectors")

_States: TypeAlias = "NDArray[np.float32]"
"""The network's vectors for the word pieces of a part of a sentence, ``(pieces, dimension)``."""

BATCH = 16
"""Maximum number of sentences in a batch."""
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
"""The inputs that a network can have."""


class Encoder:
    """Compute a vector for each word of a sentence with a neural network.

    Several threads can use an encoder at the same time. A pickled encoder contains only its folder and its layer.

    Args:
        folder: a folder with the three files of :mod:`meteor_e_vectors.contextual.store`.
        layer: the layer of the network whose vectors are returned, from 1; by default the last layer.

    Attributes:
        description: the content of ``encoder.json``.
        layer: the layer, from 1.
        digest: the digest of the network and the tokenizer.
        memory: the vectors of recent sentences, which matchers cache.

    Raises:
        ConfigError: if the layer does not exist.
        ResourceError: if a file is missing or damaged, or the files are not an encoder.
    """

    def __init__(self, folder: Path, layer: int | None = None) -> None:
        self.folder = Path(folder).absolute()
        files = read_encoder(self.folder)
        self.description = files.description
        self.digest = files.description.digest
        output_names = files.description.layers
        self.layer = len(output_names) if layer is None else layer
        if not 1 <= self.layer <= len(output_names):
            raise ConfigError(f"encoder {self.folder.name!r} has no layer {layer}; it has {len(output_names)}, from 1")
        self._output_name = output_names[self.layer - 1]
        self._session = make_session(files.network, [self._output_name], self.folder / NETWORK)
        self._tokenizer = PieceTokenizer(files, self.folder)
        self._pool: tuple[int, ThreadPool] | None = None
        self._lock = threading.Lock()
        self.memory = SentenceMemory()

    def __reduce__(self) -> tuple[object, tuple[str, int]]:
        return open_encoder, (str(self.folder), self.layer)

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[NDArray[np.float32]]:
        """Return a matrix for each sentence. Each row is the vector of a word, scaled to unit length.

        The vector of a word is the mean of the vectors of its word pieces. If all pieces are unknown, the row contains
        zeros. A sentence that is too long for the network is split at word boundaries, and the parts are encoded
        separately. A word that is too long is truncated.
        """
        parts = {sentence: self._tokenizer.split(sentence) for sentence in map(tuple, sentences)}
        states = self._compute_states(parts)
        rows = {sentence: self._average_words(parts[sentence], states[sentence]) for sentence in parts}
        return [rows[tuple(sentence)] for sentence in sentences]

    def vectors(self, sentences: Sequence[Sequence[str]]) -> list[NDArray[np.float32]]:
        """Return a vector of unit length for each sentence.

        The vector of a sentence is the mean of the vectors of all word pieces, including the special pieces at both
        ends. Sentence encoders are trained so that the cosine of these vectors measures similarity.
        """
        # A sentence without words consists only of the special word pieces.
        parts = {sentence: self._tokenizer.split(sentence) or [[]] for sentence in map(tuple, sentences)}
        states = self._compute_states(parts)
        rows = {sentence: _average(np.concatenate(states[sentence]).astype(np.float64)) for sentence in parts}
        return [rows[tuple(sentence)] for sentence in sentences]

    def _compute_states(
        self, parts_by_sentence: Mapping[tuple[str, ...], list[Part]]
    ) -> dict[tuple[str, ...], list[_States]]:
        """Return the network's vectors for each part of each distinct sentence."""
        all_states = self._run_batches(list(chain.from_iterable(parts_by_sentence.values())))
        states_by_sentence = {}
        start = 0
        for sentence, parts in parts_by_sentence.items():
            end = start + len(parts)
            states_by_sentence[sentence] = all_states[start:end]
            start = end
        return states_by_sentence

    def _run_batches(self, parts: Sequence[Part]) -> list[_States]:
        """Run the network on parts of sentences, in batches, and return its vectors for each part."""
        batches = self._make_batches(parts)
        batches_of_parts = [[parts[index] for index in batch] for batch in batches]
        all_states: Iterable[_States]
        if len(batches) > 1 and _thread_count() > 1:
            all_states = self._thread_pool().map(self._run_network, batches_of_parts)
        else:
            all_states = map(self._run_network, batches_of_parts)
        states_by_index: dict[int, _States] = {}
        for batch, batch_states in zip(batches, all_states, strict=True):
            states_by_index.update(zip(batch, batch_states, strict=True))
        return [states_by_index[index] for index in range(len(parts))]

    def _make_batches(self, parts: Sequence[Part]) -> list[list[int]]:
        """Group sentence parts of equal length into batches. Return the indices of the parts in each batch.

        The batches with the longest parts come first.
        """
        indices_by_length: dict[int, list[int]] = {}
        for index, part in enumerate(parts):
            piece_count = sum(map(len, part))
            indices_by_length.setdefault(piece_count, []).append(index)
        batches = []
        for _, indices in sorted(indices_by_length.items(), reverse=True):
            # The property ``_can_batch`` runs the network to test batching. A single text does not need this test.
            batch_size = BATCH if len(indices) > 1 and self._can_batch else 1
            batches += [indices[start : start + batch_size] for start in range(0, len(indices), batch_size)]
        return batches

    @functools.cached_property
    def _can_batch(self) -> bool:
        """Return whether a sentence has the same vectors alone and in a batch.

        In networks with 8-bit weights, the vectors can differ, because values are scaled by the maximum of the batch.
        """
        # The test sentences contain arbitrary words, each of which consists of a single word piece.
        piece_count = min(5, self._tokenizer.max_pieces)
        piece_ids = np.add.outer([1, 2, 3], 7 * np.arange(piece_count)) % self._tokenizer.vocabulary_size
        sentences = [[[piece_id] for piece_id in sentence_ids] for sentence_ids in piece_ids.tolist()]
        separate_states = np.concatenate([self._run_network([sentence]) for sentence in sentences])
        return np.array_equal(separate_states, self._run_network(sentences))

    def _run_network(self, parts: Sequence[Part]) -> NDArray[np.float32]:
        """Run the network on sentence parts of equal length. Return an array ``(parts, pieces, dimension)``."""
        ids = np.array([self._tokenizer.add_special_ids(part) for part in parts], np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        used_inputs = {tensor.name: inputs[tensor.name] for tensor in self._session.get_inputs()}
        states: NDArray[np.float32] = self._session.run([self._output_name], used_inputs)[0]
        if states.ndim != 3 or states.shape[:2] != ids.shape:
            raise ResourceError(
                f"{self.folder / NETWORK}: {self._output_name!r} has the shape {states.shape} for "
                f"{ids.shape[1]} pieces; an encoder gives a row per piece"
            )
        return states

    def _average_words(self, parts: Sequence[Part], states: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
        """Average the vectors of the pieces of each word, and return an array ``(words, dimension)``.

        If all pieces of a word are unknown, its vector contains zeros.

        Args:
            parts: the parts of a sentence, as ids of word pieces.
            states: the vectors of the pieces of each part, including the special pieces at both ends.
        """
        word_vectors: list[NDArray[np.float32]] = []
        for part, part_states in zip(parts, states, strict=True):
            start = len(self._tokenizer.opening_ids)
            for word_ids in part:
                end = start + len(word_ids)
                word_vectors.append(self._average_word(word_ids, part_states[start:end]))
                start = end
        return np.stack(word_vectors) if word_vectors else np.zeros((0, 1), np.float32)

    def _average_word(self, word_ids: Sequence[int], states: NDArray[np.float32]) -> NDArray[np.float32]:
        """Average the vectors of the pieces of a word. If all pieces are unknown, return zeros."""
        is_known = any(piece_id != self._tokenizer.unknown_id for piece_id in word_ids)
        return _average(states.astype(np.float64)) if is_known else np.zeros(states.shape[1], np.float32)

    def _thread_pool(self) -> ThreadPool:
        """Return the thread pool of this process. A forked process needs a new pool, because threads are not copied."""
        with self._lock:
            if self._pool is None or self._pool[0] != os.getpid():
                self._pool = os.getpid(), ThreadPool(_thread_count(), thread_name_prefix="encoder")
            return self._pool[1]


def _average(rows: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the mean of the rows of a matrix, scaled to unit length."""
    mean = rows.mean(axis=0)
    length = float(np.sqrt((mean * mean).sum()))
    row: NDArray[np.float32] = (mean / length if length else mean).astype(np.float32)
    return row


def _thread_count() -> int:
    """Return the number of threads from ``METEOR_E_THREADS``, or the number of available processors by default."""
    setting = os.environ.get("METEOR_E_THREADS", "")
    if setting.isdecimal() and int(setting):
        return int(setting)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def make_session(network: bytes, tensors: Sequence[str], path: Path) -> onnxruntime.InferenceSession:
    """Load a network, and make sure that the given tensors are among its outputs.

    Args:
        network: the content of the network file.
        tensors: the names of the tensors.
        path: the path of the network, for error messages.

    Raises:
        ResourceError: if the file is not a network, does not have a tensor, or needs inputs other than word pieces.
    """
    try:
        session = _load_network(network, tensors)
    except Exception as error:  # The exceptions of onnxruntime do not have a common base class.
        raise ResourceError(f"{path} is not a network that can be run: {shorten_error(error)}") from error
    input_names = [tensor.name for tensor in session.get_inputs()]
    if "input_ids" not in input_names or not set(input_names) <= set(INPUTS):
        raise ResourceError(
            f"{path} needs the inputs {', '.join(input_names) or 'none'}; a sentence encoder needs {', '.join(INPUTS)}"
        )
    return session


def _load_network(network: bytes, tensors: Sequence[str]) -> onnxruntime.InferenceSession:
    """Load a network, and declare the given tensors as outputs if necessary."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.use_deterministic_compute = True
    options.log_severity_level = 4
    providers = ["CPUExecutionProvider"]
    session = onnxruntime.InferenceSession(network, options, providers=providers)
    output_names = {output.name for output in session.get_outputs()}
    missing_names = [name for name in tensors if name not in output_names]
    if not missing_names:
        return session
    # A network file can be extended by appending a Protocol Buffers message that declares further outputs.
    extended_network = network + encode_outputs(missing_names)
    return onnxruntime.InferenceSession(extended_network, options, providers=providers)


def encode_outputs(names: Sequence[str]) -> bytes:
    """Return bytes that, when appended to the file of a network, declare additional outputs of the network.

    ONNX files are Protocol Buffers. A message that is appended to another message is merged with it, and repeated
    fields are concatenated. In onnx.proto, ModelProto.graph is field 7, GraphProto.output is field 12, and
    ValueInfoProto.name is field 1.
    """
    graph = b"".join(_encode_field(12, _encode_field(1, name.encode())) for name in names)
    return _encode_field(7, graph)


def _encode_field(number: int, content: bytes) -> bytes:
    """Return a field of a Protocol Buffers message with its tag and length."""
    return _encode_varint(number << 3 | 2) + _encode_varint(len(content)) + content


def _encode_varint(value: int) -> bytes:
    """Return an integer in the variable-length encoding of Protocol Buffers."""
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*encoded, value])


def open_encoder(encoder: str, layer: int | None = None) -> Encoder:
    """Open an encoder. If the encoder is already open in this process, return the existing object.

    Args:
        encoder: the name of an installed encoder, or the path of a folder.
        layer: the layer of the network whose vectors are returned, from 1; by default the last layer.

    Raises:
        ConfigError: if the layer does not exist.
        ResourceError: if the encoder is missing or damaged.
    """
    folder = encoder_folder(encoder)
    versions = _read_versions(folder)
    # None means the last layer, so None and the number of the last layer must produce the same key.
    layer_number = len(read_description(folder).layers) if layer is None else layer
    key = (str(folder.absolute()), *versions, layer_number)
    existing_encoder = _open_encoders.get(key)
    if existing_encoder is not None:
        return existing_encoder
    # If another thread has opened the encoder in the meantime, its object is returned.
    return _open_encoders.setdefault(key, Encoder(folder, layer_number))


def _read_versions(folder: Path) -> list[tuple[int, int, int]]:
    """Return the modification time, the size and the inode of each file of an encoder.

    If the files have changed, the encoder must be opened again.
    """
    try:
        statuses = [(folder / name).stat() for name in (NETWORK, TOKENIZER, DESCRIPTION)]
    except OSError as error:
        raise ResourceError(f"there is no file {error.filename}; install the encoder again") from error
    return [(status.st_mtime_ns, status.st_size, status.st_ino) for status in statuses]


_open_encoders: WeakValueDictionary[Hashable, Encoder] = WeakValueDictionary()
"""The open encoders of this process, by folder, versions of the files, and layer."""
