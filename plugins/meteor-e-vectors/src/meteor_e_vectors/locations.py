"""Find installed vectors, and open vector files in any supported format."""

from __future__ import annotations

import os
import re
from pathlib import Path

from meteor_e import ConfigError, MatcherContext, ResourceError
from meteor_e.base.folders import data_folder
from meteor_e_vectors.vector_file import SUFFIX, VectorFile, is_vector_file, open_vectors


def vectors_folder() -> Path:
    """Return the folder of installed vectors. The environment variable ``METEOR_E_VECTORS`` overrides the default."""
    return data_folder("vectors")


def vectors_path(language: str) -> Path:
    """Return the path at which the vectors of a language are installed.

    Raises:
        ConfigError: if the language is not a code.
    """
    if not re.fullmatch(r"[\w-]+", language):
        raise ConfigError(f"{language!r} is not a language code such as 'fr'; use -o to name a file")
    return vectors_folder() / f"{language}{SUFFIX}"


def find_vectors(language: str) -> Path:
    """Return the path of the installed vectors of a language.

    Raises:
        ResourceError: if there are none. The message says how to get vectors.
    """
    path = vectors_path(language)
    if not path.is_file():
        raise ResourceError(
            f"there are no vectors for language {language!r} (looked for {path}); train some with `meteor-e "
            f"vectors train TEXT -l {language}`, convert others with `meteor-e vectors convert FILE -l {language}`, or "
            "name a file with the matcher's option `file` (`--set vector.file=FILE`)"
        )
    return path


def check_language(vectors: VectorFile, matcher: str, context: MatcherContext) -> None:
    """Raise ConfigError if the known language of the vectors differs from the language of the matcher chain.

    The metadata of a vector file can name the language. For the published fastText vectors, the language is taken from
    the name of the original file, such as ``cc.fr.300.bin`` or ``wiki.fr.vec``.
    """
    language = vectors.metadata.get("language")
    source = str(vectors.metadata.get("source", ""))
    source_match = re.match(r"(?:cc|wiki)\.([a-z]{2,3})\.", source)
    if language is not None:
        context.check_language([str(language)], f"matcher {matcher!r}: the vectors {vectors.path.name} are")
    elif source_match is not None:
        context.check_language([source_match[1]], f"matcher {matcher!r}: the vectors {source} are", is_stated=True)


def open_any_vectors(file: str | os.PathLike[str]) -> VectorFile:
    """Open vectors of any supported format. Vectors of other programs are converted once and then cached.

    Raises:
        ResourceError: if the file cannot be read.
        InputError: if the format is unknown, or the file is malformed.
    """
    if is_vector_file(file):
        return open_vectors(file)
    from meteor_e_vectors.cache import open_converted

    return open_converted(Path(file))
