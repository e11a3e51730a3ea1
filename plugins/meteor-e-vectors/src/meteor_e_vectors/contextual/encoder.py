"""A sentence encoder: words in, a row of numbers per word out.

**Rows do not depend on what else is encoded.** Sentences are never padded. Those of equal length are computed together
if the network then gives the same rows to the last bit, which is tried once. One thread computes a batch; several
batches are computed at once, each by a thread of its own. Equal sentences are computed once.
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakValueDictionary

import numpy as np

from meteor_e import ConfigError, ResourceError
from meteor_e.api.matchers import SentenceMemory
from meteor_e.base.extras import require
from meteor_e.base.thread_pool import ThreadPool
from meteor_e_vectors.contextual.store import (
    DESCRIPTION,
    NETWORK,
    TOKENIZER,
    EncoderFiles,
    encoder_folder,
    read_encoder,
)

if TYPE_CHECKING:
    import onnxruntime
    import tokenizers
    from numpy.typing import NDArray
else:
    onnxruntime, tokenizers = (
        require(library, "a sentence encoder", "encoder", "meteor-e-vectors")
        for library in ("onnxruntime", "tokenizers")
    )


Found = TypeVar("Found")
BATCH = 16
"""Sentences of equal length that are computed together."""
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
"""What a network may ask for."""


class Encoder:
    """An open encoder. Threads may share it; it is pickled as its folder.

    Args:
        folder: with the three files of :mod:`meteor_e_vectors.contextual.store`.
        layer: whose rows it gives, from 1; by default the last.

    Attributes:
        description: what ``encoder.json`` says.
        layer: the layer, from 1.
        digest: of the network and the tokenizer.
        memory: what matchers remember of it.

    Raises:
        ConfigError: if there is no such layer.
        ResourceError: if the files are missing, damaged, or hold no encoder.
    """

    def __init__(self, folder: Path, layer: int | None = None) -> None:
        self.folder = Path(folder).absolute()
        files = read_encoder(self.folder)
        self.description = files.description
        layers = files.description.layers
        self.layer = len(layers) if layer is None else layer
        if not 1 <= self.layer <= len(layers):
            raise ConfigError(f"encoder {self.folder.name!r} has no layer {layer}; it has {len(layers)}, from 1")
        self.digest = f"{files.description.network.sha256[:8]}{files.description.tokenizer.sha256[:4]}"
        self._tensor = layers[self.layer - 1]
        self._session = make_session(files, [self._tensor], self.folder / NETWORK)
        self._inputs = [given.name for given in self._session.get_inputs()]
        self._tokenizer = make_tokenizer(files.tokenizer, self.folder / TOKENIZER)
        self._unknown = _unknown_piece(files.tokenizer, self._tokenizer)
        empty = self._tokenizer.encode([], is_pretokenized=True).ids
        one = self._tokenizer.encode(["a"], is_pretokenized=True)
        words = [place for place, word in enumerate(one.word_ids) if word is not None]
        self._opening = one.ids[: words[0]] if words else empty
        self._closing = one.ids[words[-1] + 1 :] if words else []
        self._room = files.description.pieces - len(self._opening) - len(self._closing)
        if self._room < 1:
            raise ResourceError(f"{self.folder} takes {files.description.pieces} pieces, which is none of a word")
        self._pool: tuple[int, ThreadPool] | None = None
        self._lock = threading.Lock()
        self.memory = SentenceMemory()

    def __reduce__(self) -> tuple[object, tuple[str, int]]:
        return open_encoder, (str(self.folder), self.layer)

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[NDArray[np.float32]]:
        """Return the rows of each sentence, a row of length 1 per word, the mean of its pieces.

        A word of which the tokenizer knows no piece has a row of zeros. A sentence of more pieces than the network
        takes is cut before a word, and its parts are encoded by themselves; of a word with too many, the rest is
        left out.
        """
        return self._each(
            sentences,
            lambda parts, states: np.stack(self._rows(parts, states)) if parts else np.zeros((0, 1), np.float32),
        )

    def vectors(self, sentences: Sequence[Sequence[str]]) -> list[NDArray[np.float32]]:
        """Return the vector of each sentence as a whole, of length 1.

        It is the mean of the rows of all pieces, those that open and close a sentence among them. Sentence encoders are
        trained to have such vectors compared by their cosine.
        """
        return self._each(sentences, lambda _, states: _unit(np.concatenate(states).astype(np.float64)), empty=[[]])

    def _each(
        self, sentences: Sequence[Sequence[str]], made: Callable[[Any, Any], Found], empty: Sequence[Any] = ()
    ) -> list[Found]:
        """Return what is made of the parts of each sentence and the network's rows of them; of equal ones once."""
        cut = {
            sentence: list(self._parts(self._pieces(sentence))) or list(empty)
            for sentence in dict.fromkeys(map(tuple, sentences))
        }
        states = iter(self._states([part for parts in cut.values() for part in parts]))
        found = {sentence: made(parts, [next(states) for _ in parts]) for sentence, parts in cut.items()}
        return [found[tuple(sentence)] for sentence in sentences]

    def _states(self, parts: Sequence[list[list[int]]]) -> list[NDArray[np.float32]]:
        """Return the network's rows of each part; parts of equal length are computed together, the longest first."""
        by_length: dict[int, list[int]] = {}
        for number, part in enumerate(parts):
            by_length.setdefault(sum(map(len, part)), []).append(number)
        size = BATCH if len(by_length) < len(parts) and self._batches else 1
        groups = [
            same[start : start + size]
            for _, same in sorted(by_length.items(), reverse=True)
            for start in range(0, len(same), size)
        ]
        run = self._workers().map if len(groups) > 1 and _threads() > 1 else map
        found: dict[int, NDArray[np.float32]] = {}
        for group, states in zip(
            groups, run(lambda group: self._hidden([parts[n] for n in group]), groups), strict=True
        ):
            found.update(zip(group, states, strict=True))
        return [found[number] for number in range(len(parts))]

    @functools.cached_property
    def _batches(self) -> bool:
        """Whether rows are the same, to the last bit, alone and together; not so where numbers of 8 bits are scaled."""
        size = self._tokenizer.get_vocab_size()
        probes = [[[(7 * word + number) % size] for word in range(min(5, self._room))] for number in range(1, 4)]
        together = self._hidden(probes)
        return all(np.array_equal(self._hidden([one])[0], own) for one, own in zip(probes, together, strict=True))

    def _pieces(self, sentence: Sequence[str]) -> list[list[int]]:
        encoding = self._tokenizer.encode(
            [_whole(word) for word in sentence], is_pretokenized=True, add_special_tokens=False
        )
        pieces: list[list[int]] = [[] for _ in sentence]
        for number, word in zip(encoding.ids, encoding.word_ids, strict=True):
            if word is not None and len(pieces[word]) < self._room:
                pieces[word].append(number)
        return pieces

    def _parts(self, pieces: Sequence[list[int]]) -> Iterator[list[list[int]]]:
        """Cut a sentence where the network has room for no further word."""
        part: list[list[int]] = []
        size = 0
        for word in pieces:
            if part and size + len(word) > self._room:
                yield part
                part, size = [], 0
            part.append(word)
            size += len(word)
        if part:
            yield part

    def _hidden(self, parts: Sequence[list[list[int]]]) -> NDArray[np.float32]:
        """Return the network's rows of parts of equal length, ``(parts, pieces, dimension)``."""
        ids = np.array(
            [[*self._opening, *(number for word in part for number in word), *self._closing] for part in parts],
            np.int64,
        )
        given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        hidden: NDArray[np.float32]
        (hidden,) = self._session.run([self._tensor], {name: given[name] for name in self._inputs})
        if hidden.ndim != 3 or hidden.shape[:2] != ids.shape:
            raise ResourceError(
                f"{self.folder / NETWORK}: {self._tensor!r} has the shape {hidden.shape} for {ids.shape[1]} pieces; "
                "an encoder gives a row per piece"
            )
        return hidden

    def _rows(
        self, parts: Sequence[list[list[int]]], states: Sequence[NDArray[np.float32]]
    ) -> list[NDArray[np.float32]]:
        """Return the row of each word of a sentence's parts."""
        rows = []
        for part, hidden in zip(parts, states, strict=True):
            start = len(self._opening)
            for word in part:
                own = hidden[start : start + len(word)].astype(np.float64)
                start += len(word)
                known = any(number != self._unknown for number in word)
                rows.append(_unit(own if known else np.zeros((1, hidden.shape[1]))))
        return rows

    def _workers(self) -> ThreadPool:
        with self._lock:
            # The threads of a pool do not live on in a process that was forked.
            if self._pool is None or self._pool[0] != os.getpid():
                self._pool = os.getpid(), ThreadPool(_threads(), thread_name_prefix="encoder")
            return self._pool[1]


def _unit(rows: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the mean of rows, of length 1."""
    mean = rows.mean(axis=0)
    length = float(np.sqrt((mean * mean).sum()))
    row: NDArray[np.float32] = (mean / length if length else mean).astype(np.float32)
    return row


def _whole(word: str) -> str:
    """Return a word with U+FFFD for halves of characters, which the tokenizer does not take."""
    return word.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _threads() -> int:
    given = os.environ.get("METEOR_E_THREADS", "")
    if given.isdecimal() and int(given):
        return int(given)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def make_session(files: EncoderFiles, tensors: Sequence[str], path: Path) -> onnxruntime.InferenceSession:
    """Start a network that gives some of its tensors.

    Raises:
        ResourceError: if it is no network, lacks a tensor, or asks for something else than pieces of words.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.use_deterministic_compute = True
    options.log_severity_level = 4
    try:
        session = _start(files.network, options)
        absent = [name for name in tensors if name not in {given.name for given in session.get_outputs()}]
        if absent:
            session = _start(files.network + with_outputs(absent), options)
    except Exception as error:  # onnxruntime raises its own kinds, which share no base.
        reason = " ".join(str(error).split())[:300]
        raise ResourceError(f"{path} is not a network that can be run: {reason}") from error
    unknown = [given.name for given in session.get_inputs() if given.name not in INPUTS]
    if unknown or "input_ids" not in {given.name for given in session.get_inputs()}:
        asked = ", ".join(given.name for given in session.get_inputs()) or "nothing"
        raise ResourceError(f"{path} asks for {asked}; a sentence encoder asks for {', '.join(INPUTS)}")
    return session


def _start(network: bytes, options: Any) -> onnxruntime.InferenceSession:
    return onnxruntime.InferenceSession(network, options, providers=["CPUExecutionProvider"])


def with_outputs(names: Sequence[str]) -> bytes:
    """Return what makes tensors of a network its outputs, appended to the network's bytes.

    ONNX files are Protocol Buffers: what is put behind a message is merged with it, lists are joined. In onnx.proto,
    ModelProto.graph is field 7, GraphProto.output 12, ValueInfoProto.name 1.
    """
    graph = b"".join(_field(12, _field(1, name.encode())) for name in names)
    return _field(7, graph)


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*encoded, value])


def make_tokenizer(text: str, path: Path) -> tokenizers.Tokenizer:
    """Read a tokenizer, without the padding and cutting that it may ask for.

    Raises:
        ResourceError: if it is none.
    """
    try:
        tokenizer = tokenizers.Tokenizer.from_str(text)
        tokenizer.no_padding()
        tokenizer.no_truncation()
    except Exception as error:  # The library raises plain Exceptions.
        raise ResourceError(f"{path} is not a tokenizer: {' '.join(str(error).split())[:300]}") from error
    return tokenizer


def _unknown_piece(text: str, tokenizer: tokenizers.Tokenizer) -> int | None:
    """Return the number of the piece that stands for what the tokenizer does not know, if it has one."""
    import json

    model = json.loads(text)["model"]
    name = model.get("unk_token") if isinstance(model, dict) else None
    return tokenizer.token_to_id(name) if isinstance(name, str) else None


def open_encoder(encoder: str, layer: int | None = None) -> Encoder:
    """Open an encoder; one that is open in this process is shared.

    Args:
        encoder: the name of an installed one, or the path of a folder.
        layer: whose rows it gives, from 1; by default the last.

    Raises:
        ConfigError: if there is no such layer.
        ResourceError: if it is missing or damaged.
    """
    folder = encoder_folder(encoder)
    try:
        states = [(folder / name).stat() for name in (NETWORK, TOKENIZER, DESCRIPTION)]
    except OSError as error:
        raise ResourceError(f"there is no file {error.filename}; install the encoder again") from error
    state = str(folder.absolute()), *((state.st_mtime_ns, state.st_size, state.st_ino) for state in states)
    found = _open.get((state, layer))
    if found is None:
        made = Encoder(folder, layer)
        # The last layer has a number, too.
        found = _open[state, layer] = _open.setdefault((state, made.layer), made)
    return found


_open: WeakValueDictionary[Hashable, Encoder] = WeakValueDictionary()
