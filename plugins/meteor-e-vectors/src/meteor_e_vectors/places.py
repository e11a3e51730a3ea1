"""Where vectors are: the folder with one file per language, and the cache of converted ones."""

from __future__ import annotations

import os
import re
from pathlib import Path

from meteor_e import ConfigError, MatcherContext, ResourceError
from meteor_e.base.folders import data_folder
from meteor_e_vectors.vector_file import SUFFIX, VectorFile, is_vector_file, open_vectors


def vectors_folder() -> Path:
    """Return the folder of installed vectors: ``METEOR_E_VECTORS``, else the user's data folder for meteor_e."""
    return data_folder("vectors")


def installed_path(language: str) -> Path:
    """Return where the vectors of a language are, or would be.

    Raises:
        ConfigError: if the language is no code, but a path.
    """
    if not re.fullmatch(r"[\w-]+", language):
        raise ConfigError(f"{language!r} is not a code of a language, such as 'fr'; name a file with -o")
    return vectors_folder() / f"{language}{SUFFIX}"


def find_vectors(language: str) -> Path:
    """Return the installed vectors of a language.

    Raises:
        ResourceError: if there are none; it says how to get some.
    """
    path = installed_path(language)
    if not path.is_file():
        raise ResourceError(
            f"there are no vectors for language {language!r} (looked for {path}); train some with `meteor-e "
            f"vectors train TEXT -l {language}`, convert others with `meteor-e vectors convert FILE -l {language}`, or "
            "name a file as the matcher's option `file` (`--set vector.file=FILE`)"
        )
    return path


def check_language(vectors: VectorFile, matcher: str, context: MatcherContext) -> None:
    """Raise ConfigError if vectors are known to be of another language than a matcher's chain.

    A vector file says its language. One that was converted from fastText's published vectors has it in the name of its
    source: ``cc.fr.300.bin``, ``wiki.fr.vec``.
    """
    stated = vectors.metadata.get("language")
    source = str(vectors.metadata.get("source", ""))
    published = re.match(r"(?:cc|wiki)\.([a-z]{2,3})\.", source)
    if stated is not None:
        context.check_language([str(stated)], f"matcher {matcher!r}: the vectors {vectors.path.name} are")
    elif published is not None:
        context.check_language([published[1]], f"matcher {matcher!r}: the vectors {source} are", claimed=True)


def usable_vectors(file: str | os.PathLike[str]) -> VectorFile:
    """Open vectors of any format; those of another program are converted once and kept in the cache.

    Raises:
        ResourceError: if the file cannot be read, or is of no known format.
        InputError: if there is a mistake in it.
    """
    if is_vector_file(file):
        return open_vectors(file)
    from meteor_e_vectors.cache import converted

    return converted(Path(file))
