"""Read the words and relations of Princeton WordNet with nltk."""

from __future__ import annotations

import io
import threading
import warnings
import zipfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import nltk.data  # type: ignore[import-untyped]
from nltk.corpus.reader.wordnet import WordNetCorpusReader  # type: ignore[import-untyped]

from meteor_e import ResourceError
from meteor_e.base.progress import Progress
from meteor_e_languages.wordnet.relations import HYPERNYMS, Lexicon, Synset, find_ancestors, make_entry
from meteor_e_languages.wordnet.sources import Princeton

_METHODS = {
    "similar": "similar_tos",
    "also": "also_sees",
    "entailments": "entailments",
    "causes": "causes",
    "verb-groups": "verb_groups",
}
"""The methods of nltk's synsets that return the related synsets."""
_nltk_lock = threading.Lock()
"""The lock of nltk's list of data folders, which is changed while WordNet is read."""


def read_wordnet(
    source: Princeton, parts: Collection[str], relations: Collection[str], depth: int, progress: Progress
) -> Lexicon:
    """Read the words and relations of WordNet.

    Args:
        source: the files.
        parts: the parts of speech to read, one letter each (n v a r).
        relations: names in :data:`~meteor_e_languages.wordnet.relations.RELATIONS`.
        depth: the maximum distance of hypernyms.
        progress: called with the progress.

    Raises:
        ResourceError: if the files are damaged or incomplete.
    """
    lexicon = Lexicon()
    hypernyms: dict[Synset, list[Synset]] = {}
    with _open_reader(source) as reader:
        for index, part in enumerate(parts):
            progress("reading WordNet", index, len(parts))
            synsets = list(reader.all_synsets(part))
            _add_synsets(lexicon, synsets, relations)
            if HYPERNYMS in relations:
                for synset in synsets:
                    hypernyms[_make_id(synset)] = _list_hypernyms(synset)
            for form, base_forms in reader.exceptions(part).items():
                lexicon.exceptions[make_entry(part, form)] = base_forms
        lexicon.links += find_ancestors(hypernyms, depth)
        progress("reading WordNet", len(parts), len(parts))
    return lexicon


def _add_synsets(lexicon: Lexicon, synsets: Sequence[Any], relations: Collection[str]) -> None:
    """Add the words and relations of synsets to a lexicon, except for hypernyms."""
    for synset in synsets:
        distinct_words = dict.fromkeys(name.lower() for name in synset.lemma_names())
        lexicon.synsets[_make_id(synset)] = list(distinct_words)
        lexicon.links += _list_related_synsets(synset, relations)
        if "derivations" in relations:
            lexicon.word_links += _list_derivations(synset)


def _list_hypernyms(synset: Any) -> list[Synset]:
    """Return the identifiers of the direct hypernyms of a synset."""
    return [_make_id(hypernym) for hypernym in [*synset.hypernyms(), *synset.instance_hypernyms()]]


def read_version(source: Princeton) -> str:
    """Return the version in the WordNet files, such as ``3.0``, or an empty string if the version is missing."""
    with _open_reader(source) as reader:
        return str(reader.get_version() or "")


def _list_related_synsets(synset: Any, relations: Collection[str]) -> list[tuple[str, str]]:
    """Return a pair of synsets for each relation of a synset, except for hypernyms and derivations."""
    pairs = []
    for relation in relations:
        if relation in _METHODS:
            related_synsets = getattr(synset, _METHODS[relation])()
            pairs += [_make_pair(_make_id(synset), _make_id(related)) for related in related_synsets]
    return pairs


def _list_derivations(synset: Any) -> list[tuple[str, str]]:
    """Pair each word of a synset with its derivationally related words, and return the pairs as index entries."""
    pairs = []
    for lemma in synset.lemmas():
        word_entry = _make_entry(lemma)
        for related_lemma in lemma.derivationally_related_forms():
            pairs.append(_make_pair(word_entry, _make_entry(related_lemma)))
    return pairs


def _make_entry(lemma: Any) -> str:
    """Return the entry of a lemma of nltk."""
    part = _make_id(lemma.synset())[0]
    return make_entry(part, lemma.name().lower())


def _make_pair(first: str, second: str) -> tuple[str, str]:
    """Return two strings in alphabetical order, so that pairs can be compared regardless of order."""
    return (first, second) if first < second else (second, first)


def _make_id(synset: Any) -> Synset:
    """Return the identifier of an nltk synset. Satellite adjectives are treated as adjectives."""
    part = synset.pos()
    return f"{'a' if part == 's' else part}{synset.offset():08d}"


@contextmanager
def _open_reader(source: Princeton) -> Iterator[Any]:
    """Open WordNet with nltk.

    Raises:
        ResourceError: if the files are damaged or incomplete.
    """
    folder = str(source.root.parent if source.inner else source.root)
    with _data_folder(folder), _wordnet_errors(source), warnings.catch_warnings(), ExitStack() as open_files:
        # nltk warns about missing multilingual data, which is not needed.
        warnings.simplefilter("ignore")
        root = nltk.data.find(f"{source.root.name}/{source.inner}/", [folder]) if source.inner else folder
        yield _WordnetReader(root, open_files)


@contextmanager
def _data_folder(folder: str) -> Iterator[None]:
    """Add a folder to nltk's search path while the ``with`` block runs. nltk only reads folders on this path."""
    with _nltk_lock:
        nltk.data.path.append(folder)
        try:
            yield
        finally:
            nltk.data.path.remove(folder)


@contextmanager
def _wordnet_errors(source: Princeton) -> Iterator[None]:
    """Convert errors that nltk raises for damaged or incomplete files to ResourceError."""
    try:
        yield
    except (OSError, LookupError, ValueError, AssertionError, AttributeError, zipfile.BadZipFile) as error:
        reason = getattr(error, "strerror", None) or " ".join(str(error).split())
        raise ResourceError(f"WordNet in {source} is damaged or incomplete: {reason[:200]}") from error
    except Exception as error:
        # The errors of nltk do not have a common base class.
        if type(error).__module__.startswith("nltk"):
            raise ResourceError(f"WordNet in {source} is damaged: {error}") from error
        raise


class _WordnetReader(WordNetCorpusReader):  # type: ignore[misc]
    """A reader that does not need the files ``lexnames`` and ``index.sense``, which Debian does not install.

    Args:
        root: the folder of WordNet's files, as a path or as a pointer of nltk.
        open_files: a stack that closes the files of the reader.
    """

    def __init__(self, root: Any, open_files: ExitStack) -> None:
        self._open_files = open_files
        super().__init__(root, None)

    def open(self, file: str) -> Any:
        """Open a WordNet file. The file ``lexnames`` is replaced by dummy names, because it is not needed."""
        if file == "lexnames":
            return io.StringIO("".join(f"{number:02d}\t{number:02d}\t1\n" for number in range(64)))
        stream = super().open(file)
        self._open_files.callback(stream.close)
        return stream

    def map_wn(self, version: str = "wordnet") -> None:
        """Disable nltk's mapping to other WordNet versions, because the mapping would need the file ``index.sense``."""

    def exceptions(self, part: str) -> dict[str, list[str]]:
        """Return the base forms of all irregular word forms."""
        base_forms: dict[str, list[str]] = self._exception_map[part]
        return base_forms
