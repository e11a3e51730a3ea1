"""gensim's own files (``.model``, ``.kv``), read without running what they ask for.

They are pickles, and loading a pickle as gensim does runs whatever code its author put there. Here only numpy's
arrays are made; every other name in the file becomes an inert object that keeps what it is given. So a hostile
file can waste memory, but runs nothing.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from meteor_e import InputError, ResourceError
from meteor_e_vectors.source import Source
from meteor_e_vectors.subwords import Subwords
from meteor_e_vectors.vector_file import reason

if TYPE_CHECKING:
    from numpy.typing import NDArray


class _Inert:
    """Stands for an object of any class: keeps its state, and does nothing."""

    def __new__(cls, *_: Any, **__: Any) -> _Inert:
        return super().__new__(cls)

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __setstate__(self, state: Any) -> None:
        if isinstance(state, tuple) and len(state) == 2:
            for part in state:
                self.__setstate__(part)
        elif isinstance(state, dict):
            self.__dict__.update({name: value for name, value in state.items() if isinstance(name, str)})

    def __setitem__(self, key: Any, value: Any) -> None:
        pass

    def append(self, value: Any) -> None:
        """Take an item of what was a list."""

    def extend(self, values: Any) -> None:
        """Take items of what was a list."""


def _array(kind: Any, shape: Any, code: Any) -> Any:
    """Make an empty array, whose state comes after it; of arrays only."""
    if kind is not np.ndarray:
        raise pickle.UnpicklingError("an array of a class of its own")
    return np.ndarray.__new__(np.ndarray, shape, code)


def _buffer(buffer: Any, kind: Any, shape: Any, order: Any) -> Any:
    return np.frombuffer(buffer, dtype=kind).reshape(shape, order=order)


def _scalar(kind: Any, value: Any = None) -> Any:
    return np.frombuffer(value, dtype=kind)[0] if isinstance(value, bytes) else None


_NUMPY = {
    ("multiarray", "_reconstruct"): _array,
    ("multiarray", "scalar"): _scalar,
    ("numeric", "_frombuffer"): _buffer,
}


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        parts = module.split(".")
        if module == "numpy" and name in ("ndarray", "dtype"):
            return getattr(np, name)
        if len(parts) == 3 and parts[0] == "numpy" and parts[1] in ("core", "_core"):
            return _NUMPY.get((parts[2], name), _Inert)
        return _Inert

    def persistent_load(self, pid: Any) -> Any:
        return _Inert()


def read_gensim(path: Path) -> Source:
    """Read word vectors out of a file that gensim's ``save`` wrote; large arrays lie beside it (``.npy``).

    Raises:
        ResourceError: if a file is missing or cannot be read.
        InputError: if there are no word vectors in it.
    """
    try:
        with path.open("rb") as file:
            model = _Unpickler(file).load()
    except OSError as error:
        raise ResourceError(f"cannot read the vectors {path}: {reason(error)}") from error
    except MemoryError as error:
        raise InputError(f"cannot read {path}: it asks for more memory than there is") from error
    except Exception as error:
        # A damaged pickle fails in any way there is.
        raise InputError(f"cannot read {path} as a file of gensim: {error or type(error).__name__}") from error
    holder, prefix = model, str(path)
    if hasattr(getattr(model, "wv", None), "__dict__"):
        holder, prefix = model.wv, f"{path}.wv"
    words = getattr(holder, "index_to_key", None) or getattr(holder, "index2word", None)
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise _no_vectors(path)
    subwords = _subwords(holder, prefix, path)
    rows = _attribute(holder, "vectors", prefix)
    if rows is None and subwords is not None:
        # gensim leaves out what it can work out again.
        own = _attribute(holder, "vectors_vocab", prefix)
        rows = None if own is None else _composed(words, _matrix(own, path), subwords)
    if rows is None:
        raise _no_vectors(path)
    rows = _matrix(rows, path)
    if len(rows) < len(words):
        raise InputError(f"{path} has {len(words)} words and {len(rows)} vectors")
    expandos = getattr(holder, "expandos", None)
    counts = expandos.get("count") if isinstance(expandos, dict) else None
    if not isinstance(counts, np.ndarray) or counts.dtype.kind not in "iu" or counts.shape != (len(words),):
        counts = None
    return Source("gensim", list(words), rows[: len(words)], counts, subwords)


def _no_vectors(path: Path) -> InputError:
    return InputError(f"there are no word vectors in {path}; it should be a model or vectors saved by gensim")


def _subwords(holder: Any, prefix: str, path: Path) -> Subwords | None:
    pieces = _attribute(holder, "vectors_ngrams", prefix)
    if pieces is None:
        return None
    shortest, longest = getattr(holder, "min_n", None), getattr(holder, "max_n", None)
    if not (isinstance(shortest, int) and isinstance(longest, int) and 0 < shortest <= longest < 100):
        raise InputError(f"{path} does not say how long its subwords are")
    return Subwords(_matrix(pieces, path), shortest, longest)


def _composed(words: Sequence[str], own: NDArray[np.float32], subwords: Subwords) -> NDArray[np.float32]:
    """Return the means of the words' own vectors and those of their subwords, as fastText does."""
    rows = np.array(own[: len(words)], dtype=np.float32)
    for row, word in zip(rows, words, strict=False):
        buckets = subwords.buckets(word)
        for bucket in buckets:
            row += subwords.rows[bucket]
        row /= len(buckets) + 1
    return rows


def _attribute(holder: Any, name: str, prefix: str) -> Any:
    """Return an array of an object: its own, or from the file beside it."""
    value = getattr(holder, name, None)
    apart = getattr(holder, "__numpys", None)
    if value is None and isinstance(apart, list) and name in apart:
        file = Path(f"{prefix}.{name}.npy")
        try:
            value = np.load(file, mmap_mode="r", allow_pickle=False)
        except OSError as error:
            raise ResourceError(f"cannot read {file}, which belongs to it: {reason(error)}") from error
        except (ValueError, EOFError) as error:
            raise InputError(f"cannot read {file}: {error}") from error
    return value


def _matrix(rows: Any, path: Path) -> Any:
    if not isinstance(rows, np.ndarray) or rows.ndim != 2 or rows.dtype.kind != "f":
        raise InputError(f"the vectors of {path} are no matrix of numbers")
    return rows.astype(np.float32) if rows.dtype != np.float32 else rows
