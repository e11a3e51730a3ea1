"""Extract synonyms from a SPARQL endpoint of DBnary.

First, the synonym relations of a language are queried page by page. Then, the words of the related nodes are queried in
batches.

Pages are not selected by ``OFFSET``: public servers refuse it beyond a few thousand rows, and rows are lost or repeated
if the order of the server changes. Each page starts after the last key of the previous page. Servers may truncate long
answers silently, so the query adds a row that is sorted after all other rows. If an answer ends with this row, it is
complete.
"""

from __future__ import annotations

import http.client
import itertools
import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from string import Template

from meteor_e import ConfigError, ResourceError, __version__
from meteor_e.base.progress import Progress, silent
from meteor_e_languages.dbnary.harvest import Harvest
from meteor_e_languages.dbnary.model import CANONICAL_FORM, DESCRIBES, LABEL, LANGUAGE, SENSE, WRITTEN, Edition

PAGE = 10_000
"""Number of rows of a page."""
BATCH = 200
"""Number of nodes whose words are queried together."""
RETRIES = 8
"""Maximum number of retries of a failed query."""
WAIT = 1.0
"""Delay before the first retry, in seconds. The delay doubles with each further retry."""
TIMEOUT = 120
"""Timeout of a query in seconds."""
MAX_ANSWER = 256 << 20
"""Maximum size of an answer in bytes."""

_END = "zzzz"
"""The key of the last row of a complete answer. It is sorted after all IRIs, in any order of letters."""
_CONTROL_CHARACTERS_AND_SPACE = frozenset(chr(code) for code in range(0x21))
_FORBIDDEN_IN_IRIS = _CONTROL_CHARACTERS_AND_SPACE | set('<>"{}|^`\\')

Row = dict[str, str]


class _TemporaryError(Exception):
    """A temporary failure of an endpoint, after which a retry may succeed."""


def extract(
    harvest: Harvest, url: str, edition: Edition, properties: Sequence[str], progress: Progress = silent
) -> None:
    """Fill a temporary database with relations and words from a SPARQL endpoint.

    Args:
        harvest: the temporary database.
        url: the address of the endpoint.
        edition: the edition of the language.
        properties: the IRIs of the properties that connect synonyms.
        progress: called with the progress.

    Raises:
        ConfigError: if the address does not start with http:// or https://.
        ResourceError: if the endpoint refuses a query, or fails repeatedly.
    """
    if not url.lower().startswith(("http://", "https://")):
        raise ConfigError(f"{url!r} is not the address of a SPARQL endpoint; it must start with http:// or https://")
    nodes = _extract_relations(harvest, url, edition, properties, progress)
    valid_nodes = sorted(node for node in nodes if _FORBIDDEN_IN_IRIS.isdisjoint(node))
    for start in range(0, len(valid_nodes), BATCH):
        node_words = _query_words(url, edition, valid_nodes[start : start + BATCH])
        if node_words:
            harvest.add_rows("word", node_words)
        progress("words", start, len(valid_nodes))


def _extract_relations(
    harvest: Harvest, url: str, edition: Edition, properties: Sequence[str], progress: Progress
) -> set[str]:
    """Add the relations to a temporary database, and return their nodes. See :func:`extract` for the arguments."""
    nodes: set[str] = set()
    for property_iri in properties:
        for relations in _query_relations(url, edition, property_iri):
            harvest.add_rows("relation", relations)
            for _, source, target in relations:
                nodes.update((source, target))
            progress("nodes of relations", len(nodes), None)
    return nodes


_RELATION_PATTERN = Template(
    r"""
    ?source <$property> ?target .
    FILTER(isIRI(?source) && isIRI(?target))
    FILTER(STRSTARTS(STR(?source), $namespace))
    BIND(CONCAT(STR(?source), "\n", STR(?target)) AS ?key)
    """
)
"""A SPARQL graph pattern that finds all pairs of nodes connected by a property."""


def _query_relations(url: str, edition: Edition, property_iri: str) -> Iterator[list[tuple[str, str, str]]]:
    """Yield pages of relations. Each relation consists of a property, a source node and a target node."""
    from rdflib import Literal

    pattern = _RELATION_PATTERN.substitute(property=property_iri, namespace=Literal(edition.namespace).n3())
    for rows in _query_pages(url, pattern, "?source ?target"):
        yield [(property_iri, row["source"], row["target"]) for row in rows]


def _query_words(url: str, edition: Edition, nodes: Sequence[str]) -> list[tuple[str, ...]]:
    """Find the dictionary entries of each node, and return a (node, word) pair for each word of these entries.

    The words of an entry are its written forms. If an entry does not have written forms, its labels are used instead.

    Args:
        url: the address of the endpoint.
        edition: the edition of the language.
        nodes: the IRIs of the nodes.
    """
    node_words: set[tuple[str, ...]] = set()
    for rows in _query_pages(url, _make_word_pattern(edition, nodes), "?node ?entry ?word ?label"):
        for row in rows:
            # A row lacks ``word`` only if the entry does not have written forms. The entry's label is used instead.
            word = row["word"] if "word" in row else row.get("label", "")
            node_words.add((row["node"], word))
    return sorted(node_words)


_WORD_PATTERN = Template(
    r"""
    { VALUES ?node { $nodes } BIND(?node AS ?entry) }
    UNION { VALUES ?node { $nodes } ?node $describes ?entry }
    UNION { VALUES ?node { $nodes } ?entry $sense ?node }
    ?entry $language ?language .
    FILTER(STR(?language) IN ($edition_languages))
    OPTIONAL { ?entry ($canonical_form)/($written) ?word }
    OPTIONAL { ?entry <$label> ?label }
    BIND(
        CONCAT(STR(?node), "\n", STR(?entry), "\n", COALESCE(STR(?word), ""), "\n", COALESCE(STR(?label), "")) AS ?key
    )
    """
)


def _make_word_pattern(edition: Edition, nodes: Sequence[str]) -> str:
    """Return a SPARQL graph pattern that finds, for each node, its entries with their words and labels."""
    from rdflib import Literal, URIRef

    languages = (*edition.codes, *edition.resources)
    return _WORD_PATTERN.substitute(
        nodes=" ".join(URIRef(node).n3() for node in nodes),
        edition_languages=", ".join(Literal(language).n3() for language in languages),
        describes=_join_paths(DESCRIBES),
        sense=_join_paths(SENSE),
        language=_join_paths(LANGUAGE),
        canonical_form=_join_paths(CANONICAL_FORM),
        written=_join_paths(WRITTEN),
        label=LABEL,
    )


def _join_paths(properties: Sequence[str]) -> str:
    """Return a SPARQL property path that matches any of the properties."""
    return "|".join(f"<{iri}>" for iri in properties)


def _query_pages(url: str, pattern: str, variables: str) -> Iterator[list[Row]]:
    """Yield the rows of a query page by page.

    Args:
        url: the address of the endpoint.
        pattern: the graph pattern, which must bind ``?key``.
        variables: the variables of the rows.

    Raises:
        ResourceError: if the endpoint fails repeatedly, does not sort by code points, or returns empty pages.
    """
    last_key = ""
    while last_key != _END:
        rows = _query_with_retries(url, _make_page_query(pattern, variables, last_key))
        if not rows:
            raise ResourceError(f"the SPARQL endpoint {url} gives empty answers; use a dump instead")
        keys = [last_key, *(row.get("key", "") for row in rows)]
        _check_order(keys, url)
        last_key = keys[-1]
        result_rows = [row for row in rows if row["key"] != _END]
        if result_rows:
            yield result_rows


def _make_page_query(pattern: str, variables: str, last_key: str) -> str:
    """Return a query for the rows after a key. The caller must append the row limit to the query.

    The query also returns a row with the key ``_END``, which marks the end of the results.
    """
    from rdflib import Literal

    return (
        f"SELECT DISTINCT ?key {variables} WHERE {{ {{ {pattern} FILTER(?key > {Literal(last_key).n3()}) }} "
        f"UNION {{ BIND({Literal(_END).n3()} AS ?key) }} }} ORDER BY ?key LIMIT "
    )


def _check_order(keys: Sequence[str], url: str) -> None:
    """Raise a :class:`ResourceError` if the keys are not in ascending order."""
    is_sorted = all(key < next_key for key, next_key in itertools.pairwise(keys))
    if not is_sorted:
        raise ResourceError(
            f"the SPARQL endpoint {url} does not sort texts by code point, so pages of it cannot be told apart; "
            "use a dump instead"
        )


def _query_with_retries(url: str, query: str) -> list[Row]:
    """Send a query, and return the rows of the answer. After a failure, retry with a smaller page.

    Args:
        url: the address of the endpoint.
        query: the query up to its limit of rows.

    Raises:
        ResourceError: if the endpoint refuses the query, or fails repeatedly.
    """
    page_size = PAGE
    delay = WAIT
    for _ in range(RETRIES):
        try:
            return _query(url, query, page_size)
        except _TemporaryError:
            time.sleep(delay)
        delay *= 2
        page_size = max(1, page_size // 2)  # A server that cannot answer a large query may answer a smaller one.
    try:
        return _query(url, query, page_size)
    except _TemporaryError as error:
        raise ResourceError(
            f"the SPARQL endpoint {url} failed {RETRIES + 1} times, most recently with: {error}; use a dump "
            "instead: meteor-e dbnary install CODE --dump FILE"
        ) from error


def _query(url: str, query: str, page_size: int) -> list[Row]:
    """Send a query once, and return the rows of its answer.

    Args:
        url: the address of the endpoint.
        query: the query up to its limit of rows.
        page_size: the maximum number of rows, except for the row that marks the end of the results.

    Raises:
        ResourceError: if the endpoint refuses the query, or its answer is too large.
        _TemporaryError: if the endpoint fails, or its answer is incomplete.
    """
    from SPARQLWrapper import JSON, POST, SPARQLWrapper

    wrapper = SPARQLWrapper(url, agent=f"meteor-e-languages/{__version__}")
    wrapper.setQuery(f"{query}{page_size + 1}")
    wrapper.setMethod(POST)
    wrapper.setReturnFormat(JSON)
    wrapper.setTimeout(TIMEOUT)
    with _endpoint_errors(url), wrapper.query().response as response:
        content = response.read(MAX_ANSWER + 1)
        # Virtuoso marks an incomplete answer with a special header, but the status code can be 200.
        is_partial = response.status == 206 or response.headers.get("X-SQL-State")
    if len(content) > MAX_ANSWER:
        raise ResourceError(f"the SPARQL endpoint {url} answered with more than {MAX_ANSWER >> 20} MiB")
    if is_partial:
        raise _TemporaryError("a partial answer")
    return _parse_answer(content)


@contextmanager
def _endpoint_errors(url: str) -> Iterator[None]:
    """Raise ResourceError if the endpoint refuses a query, or a :class:`_TemporaryError` for other failures."""
    from SPARQLWrapper.SPARQLExceptions import EndPointInternalError, SPARQLWrapperException

    try:
        yield
    except EndPointInternalError as error:
        raise _TemporaryError("server error 500") from error
    except SPARQLWrapperException as error:
        reason = " ".join(str(error).replace("\\n", " ").split())[:200]
        raise ResourceError(f"the SPARQL endpoint {url} refuses the query: {reason}") from error
    except (http.client.HTTPException, OSError) as error:
        raise _TemporaryError(f"{type(error).__name__}: {error}") from error


def _parse_answer(data: bytes) -> list[Row]:
    """Return the rows of a JSON SPARQL result. Raise a :class:`_TemporaryError` if the result is malformed."""
    try:
        bindings = json.loads(data)["results"]["bindings"]
        return [{name: str(value["value"]) for name, value in binding.items()} for binding in bindings]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _TemporaryError(f"an answer that is incomplete or not a SPARQL result: {data[:60]!r}") from error
