"""Extraction from a SPARQL endpoint, page by page.

First the relations of an edition, then the words of the nodes that they relate, in batches. No query needs much of
the server.

Pages are not cut by ``OFFSET``, which loses and doubles rows when the server's order changes, and which public servers
refuse beyond a few thousand rows. Each page begins after the last key of the one before. A row of our own, sorted after
all others, shows that an answer is complete: servers cut long answers without a word.
"""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Iterator, Sequence

from meteor_e import ConfigError, ResourceError, __version__
from meteor_e.base.progress import Progress, silent
from meteor_e_languages.dbnary.harvest import Harvest
from meteor_e_languages.dbnary.model import CANONICAL_FORM, DESCRIBES, LABEL, LANGUAGE, SENSE, WRITTEN, Edition

PAGE = 10_000
"""Rows of a page."""
BATCH = 200
"""Nodes whose words are asked for at once."""
RETRIES = 8
WAIT = 1.0
"""Seconds before a failed query is sent again; doubled each time."""
TIMEOUT = 120
"""Seconds to wait for an answer."""
MAX_ANSWER = 256 << 20
"""Bytes of an answer; no page comes near."""

_END = "zzzz"
"""The key of the row that ends a complete answer: after all addresses, in any order of letters."""
_REFUSED_IN_ADDRESSES = frozenset(map(chr, range(0x21))) | set('<>"{}|^`\\')

Row = dict[str, str]


class _TemporaryError(Exception):
    """It may work next time."""


def extract(harvest: Harvest, url: str, edition: Edition, kinds: Sequence[str], progress: Progress = silent) -> None:
    """Fill a work file from an endpoint.

    Args:
        harvest: the work file.
        url: the endpoint's address.
        edition: the language.
        kinds: addresses of the properties that make synonyms.
        progress: told how far it is.

    Raises:
        ConfigError: if the address is not one of http or https.
        ResourceError: if the endpoint refuses a query, or fails to the end.
    """
    if not url.lower().startswith(("http://", "https://")):
        raise ConfigError(f"{url!r} is not the address of a SPARQL endpoint; it begins with http:// or https://")
    nodes: set[str] = set()
    for kind in kinds:
        for rows in _pages(url, _relation_pattern(edition, kind), "?source ?target"):
            harvest.add_rows("relation", [(kind, row["source"], row["target"]) for row in rows])
            nodes.update(row[side] for row in rows for side in ("source", "target"))
            progress("nodes of relations", len(nodes), None)
    ordered = sorted(node for node in nodes if _REFUSED_IN_ADDRESSES.isdisjoint(node))
    for start in range(0, len(ordered), BATCH):
        if words := _words(url, edition, ordered[start : start + BATCH]):
            harvest.add_rows("word", words)
        progress("words", start, len(ordered))


def _relation_pattern(edition: Edition, kind: str) -> str:
    from rdflib import Literal

    return (
        f"?source <{kind}> ?target . FILTER(isIRI(?source) && isIRI(?target)) "
        f"FILTER(STRSTARTS(STR(?source), {Literal(edition.namespace).n3()})) "
        'BIND(CONCAT(STR(?source), "\\n", STR(?target)) AS ?key)'
    )


def _words(url: str, edition: Edition, nodes: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the words of nodes, each with its node: the written forms of their entries or else their labels."""
    written: dict[tuple[str, str], set[str]] = {}
    labels: dict[tuple[str, str], set[str]] = {}
    for rows in _pages(url, _word_pattern(edition, nodes), "?node ?entry ?word ?label"):
        for row in rows:
            table, text = (written, row["word"]) if "word" in row else (labels, row.get("label", ""))
            table.setdefault((row["node"], row["entry"]), set()).add(text)
    entries = {**labels, **written}
    return sorted({(node, text) for (node, _), texts in entries.items() for text in texts})


def _word_pattern(edition: Edition, nodes: Sequence[str]) -> str:
    from rdflib import Literal, URIRef

    def either(properties: Sequence[str]) -> str:
        return "|".join(f"<{one}>" for one in properties)

    values = "VALUES ?node { " + " ".join(URIRef(node).n3() for node in nodes) + " }"
    languages = ", ".join(Literal(one).n3() for one in (*edition.codes, *edition.resources))
    return (
        f"{{ {values} BIND(?node AS ?entry) }} "
        f"UNION {{ {values} ?node {either(DESCRIBES)} ?entry }} "
        f"UNION {{ {values} ?entry {either(SENSE)} ?node }} "
        f"?entry {either(LANGUAGE)} ?language . FILTER(STR(?language) IN ({languages})) "
        f"OPTIONAL {{ ?entry ({either(CANONICAL_FORM)})/({either(WRITTEN)}) ?word }} "
        f"OPTIONAL {{ ?entry <{LABEL}> ?label }} "
        'BIND(CONCAT(STR(?node), "\\n", STR(?entry), "\\n", COALESCE(STR(?word), ""), "\\n", '
        'COALESCE(STR(?label), "")) AS ?key)'
    )


def _pages(url: str, pattern: str, variables: str) -> Iterator[list[Row]]:
    """Yield the pages of a query, up to the row that ends the answer; the pattern binds ``?key``."""
    from rdflib import Literal

    last, whole = "", False
    while not whole:
        query = (
            f"SELECT DISTINCT ?key {variables} WHERE {{ {{ {pattern} FILTER(?key > {Literal(last).n3()}) }} "
            f"UNION {{ BIND({Literal(_END).n3()} AS ?key) }} }} ORDER BY ?key LIMIT "
        )
        rows = _answer(url, query)
        whole = bool(rows) and rows[-1].get("key") == _END
        if whole:
            rows.pop()
        keys = [row.get("key", "") for row in rows]
        if any(one >= other for one, other in zip([last, *keys], keys, strict=False)):
            raise ResourceError(
                f"the SPARQL endpoint {url} does not sort texts by their code points, so that pages of it cannot be "
                "told apart; use a dump instead"
            )
        if keys:
            last = keys[-1]
            yield rows
        elif not whole:
            raise ResourceError(f"the SPARQL endpoint {url} gives empty answers; use a dump instead")


def _answer(url: str, query: str) -> list[Row]:
    """Return the rows of an answer; a query that fails is sent again, later and for fewer rows.

    Raises:
        ResourceError: if the endpoint refuses the query, or fails to the end.
    """
    attempt = 0
    while True:
        try:
            return _ask(url, f"{query}{max(1, PAGE >> attempt) + 1}")
        except _TemporaryError as failure:
            if attempt == RETRIES:
                raise ResourceError(
                    f"the SPARQL endpoint {url} failed {attempt + 1} times, the last time so: {failure}; use a dump "
                    "instead: meteor-e dbnary install CODE --dump FILE"
                ) from failure
            time.sleep(WAIT * 2.0**attempt)
            attempt += 1


def _ask(url: str, query: str) -> list[Row]:
    from SPARQLWrapper import JSON, POST, SPARQLWrapper
    from SPARQLWrapper.SPARQLExceptions import EndPointInternalError, SPARQLWrapperException

    wrapper = SPARQLWrapper(url, agent=f"meteor-e-languages/{__version__}")
    wrapper.setQuery(query)
    wrapper.setMethod(POST)
    wrapper.setReturnFormat(JSON)
    wrapper.setTimeout(TIMEOUT)
    try:
        with wrapper.query().response as response:
            data = response.read(MAX_ANSWER + 1)
            # Virtuoso says in a header that it gave up and sends what it has, with the code 200 or 206.
            partial = response.status == 206 or response.headers.get("X-SQL-State")
    except EndPointInternalError as error:
        raise _TemporaryError("server error 500") from error
    except SPARQLWrapperException as error:
        reason = " ".join(str(error).replace("\\n", " ").split())[:200]
        raise ResourceError(f"the SPARQL endpoint {url} refuses the query: {reason}") from error
    except (http.client.HTTPException, OSError) as error:
        raise _TemporaryError(f"{type(error).__name__}: {error}") from error
    if len(data) > MAX_ANSWER:
        raise ResourceError(f"the SPARQL endpoint {url} answered with more than {MAX_ANSWER >> 20} MiB")
    if partial:
        raise _TemporaryError("a partial answer")
    try:
        bindings = json.loads(data)["results"]["bindings"]
        return [{name: str(value["value"]) for name, value in binding.items()} for binding in bindings]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _TemporaryError(f"an answer that is cut short or no SPARQL result: {data[:60]!r}") from error
