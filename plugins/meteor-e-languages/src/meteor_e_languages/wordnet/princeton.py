"""Princeton WordNet, read by nltk."""

from __future__ import annotations

import io
import threading
import warnings
import zipfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

from meteor_e import ResourceError
from meteor_e.base.progress import Progress
from meteor_e_languages.wordnet.relations import HYPERNYMS, Lexicon, Synset, ancestors, entry
from meteor_e_languages.wordnet.sources import Princeton

_METHODS = {
    "similar": "similar_tos",
    "also": "also_sees",
    "entailments": "entailments",
    "causes": "causes",
    "verb-groups": "verb_groups",
}
_lock = threading.Lock()


def read_wordnet(
    source: Princeton, parts: Collection[str], relations: Collection[str], depth: int, progress: Progress
) -> Lexicon:
    """Read WordNet's words and relations.

    Args:
        source: where it is.
        parts: parts of speech, one letter each (n v a r).
        relations: names in :data:`~meteor_e_languages.wordnet.relations.RELATIONS`.
        depth: how many steps up hypernyms may be.
        progress: told how far it is.

    Raises:
        ResourceError: if the files are damaged or incomplete.
    """
    with _reader(source) as reader:
        lexicon = Lexicon()
        parents: dict[Synset, list[Synset]] = {}
        for number, part in enumerate(parts):
            progress("reading WordNet", number, len(parts))
            for synset in reader.all_synsets(part):
                address = _address(synset)
                lexicon.synsets[address] = list(dict.fromkeys(name.lower() for name in synset.lemma_names()))
                if HYPERNYMS in relations:
                    above = [*synset.hypernyms(), *synset.instance_hypernyms()]
                    parents[address] = list(map(_address, above))
                for relation in relations:
                    if relation in _METHODS:
                        related = getattr(synset, _METHODS[relation])()
                        lexicon.links += [_sorted(address, _address(other)) for other in related]
                if "derivations" in relations:
                    for lemma in synset.lemmas():
                        own = entry(address[0], lemma.name().lower())
                        for other in lemma.derivationally_related_forms():
                            there = entry(_address(other.synset())[0], other.name().lower())
                            lexicon.word_links.append(_sorted(own, there))
            for form, bases in reader.exceptions(part).items():
                lexicon.exceptions[entry(part, form)] = bases
        lexicon.links += ancestors(parents, depth)
        progress("reading WordNet", len(parts), len(parts))
        return lexicon


def read_version(source: Princeton) -> str:
    """Return the version that the files state, such as ``3.0``; empty if they state none."""
    with _reader(source) as reader:
        return str(reader.get_version() or "")


def _sorted(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)


def _address(synset: Any) -> Synset:
    part = synset.pos()
    return f"{'a' if part == 's' else part}{synset.offset():08d}"


@contextmanager
def _reader(source: Princeton) -> Iterator[Any]:
    """Open WordNet; nltk reads only from folders that are on its path, so the folder is there for the while."""
    import nltk.data  # type: ignore[import-untyped]
    from nltk.corpus.reader.wordnet import WordNetCorpusReader  # type: ignore[import-untyped]

    opened: list[Any] = []

    class Reader(WordNetCorpusReader):  # type: ignore[misc]
        """Makes do with the files that Debian installs: without ``lexnames`` and ``index.sense``."""

        def open(self, file: str) -> Any:
            """Open a file of WordNet; the names of lexicographers' files do not matter here."""
            if file == "lexnames":
                return io.StringIO("".join(f"{number:02d}\t{number:02d}\t1\n" for number in range(64)))
            stream = super().open(file)
            opened.append(stream)
            return stream

        def map_wn(self, version: str = "wordnet") -> None:
            """Map no versions onto each other, for which nltk needs ``index.sense`` of both."""

        def exceptions(self, part: str) -> dict[str, list[str]]:
            """Return the base forms of irregular forms."""
            found: dict[str, list[str]] = self._exception_map[part]
            return found

    place = str(source.root.parent if source.inner else source.root)
    with _lock:
        nltk.data.path.append(place)
        try:
            with warnings.catch_warnings():
                # It says that there is no multilingual part.
                warnings.simplefilter("ignore")
                root = nltk.data.find(f"{source.root.name}/{source.inner}/", [place]) if source.inner else place
                yield Reader(root, None)
        except (OSError, LookupError, ValueError, AssertionError, AttributeError, zipfile.BadZipFile) as error:
            reason = getattr(error, "strerror", None) or " ".join(str(error).split())
            raise ResourceError(f"WordNet in {source} is damaged or incomplete: {reason[:200]}") from error
        except Exception as error:
            # nltk's own errors have no base that could be named.
            if type(error).__module__.startswith("nltk"):
                raise ResourceError(f"WordNet in {source} is damaged: {error}") from error
            raise
        finally:
            nltk.data.path.remove(place)
            for stream in opened:
                stream.close()
