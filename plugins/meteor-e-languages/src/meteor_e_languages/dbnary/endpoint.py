"""Extraction from a SPARQL endpoint, page by page.

First the relations of an edition, then the words of the nodes that they relate, in batches. No query needs much of
the server: a page of relations is one scan of a property, a batch of nodes a few look-ups each.

Pages are not cut by ``OFFSET``, which loses and doubles rows when the server's order changes from query to query, and
which public servers refuse beyond a few thousand rows. Each page begins behind the last key of the one before. A row
of our own, sorted behind all others, says that nothing is missing at an answer's end: servers cut long answers without
a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from meteor_e import ResourceError
from meteor_e.base.progress import Progress, silent
from meteor_e_languages.dbnary.harvest import Harvest
from meteor_e_languages.dbnary.model import CANONICAL_FORM, DESCRIBES, LABEL, LANGUAGE, SENSE, WRITTEN, Edition
from meteor_e_languages.dbnary.sparql import Endpoint, Row

DEFAULT_ENDPOINT = "http://kaiko.getalp.org/sparql"
PAGE = 10_000
"""Rows of a page."""
BATCH = 200
"""Nodes whose words are asked for at once."""

_END = "zzzz"
"""The key of the row that ends a complete answer: behind all addresses, in any order of letters."""
_NOT_IN_ADDRESSES = re.compile(r"[\x00-\x20<>\"{}|^`\\]")


def extract(
    harvest: Harvest,
    endpoint: Endpoint,
    edition: Edition,
    kinds: Sequence[str],
    *,
    page: int = PAGE,
    batch: int = BATCH,
    progress: Progress = silent,
) -> list[str]:
    """Fill a work file from an endpoint; go on where it was left.

    Args:
        harvest: the work file.
        endpoint: the endpoint.
        edition: the language.
        kinds: addresses of the properties that make synonyms.
        page: rows of a page of relations.
        batch: nodes whose words are asked for at once.
        progress: told how far it is.

    Returns:
        What the user has to know of the result, a sentence each; empty if all is well.

    Raises:
        ResourceError: if the endpoint fails to the end, or its answers contradict each other.
    """
    remarks = []
    for kind in kinds:
        remarks += _relations(harvest, endpoint, edition, kind, page, progress)
    remarks += _words(harvest, endpoint, edition, page, batch, progress)
    return remarks


def _relations(
    harvest: Harvest, endpoint: Endpoint, edition: Edition, kind: str, page: int, progress: Progress
) -> list[str]:
    """Read the pairs of one property, and check their number against the server's own count."""
    name = kind.rpartition("#")[2]
    cursor, done = f"cursor {kind}", f"done {kind}"
    if harvest.note(done) is not None:
        return []
    pattern = _relation_pattern(edition, kind)
    total = _count(endpoint, pattern)
    progress(f"{name} pairs", harvest.count_relations(kind), total)
    for rows, last in _pages(endpoint, pattern, "?source ?target", harvest.note(cursor) or "", page):
        with harvest.saving():
            harvest.add_relations(kind, ((row["source"], row["target"]) for row in rows))
            harvest.set_note(cursor, last)
        progress(f"{name} pairs", harvest.count_relations(kind), total)
    arrived = harvest.count_relations(kind)
    if arrived != total:
        total = _count(endpoint, pattern)
    if total is not None and arrived != total:
        with harvest.saving():
            harvest.forget_relations(kind)
            harvest.set_note(cursor, None)
        raise ResourceError(
            f"the SPARQL endpoint {endpoint.url} counts {total} {name} pairs, but {arrived} arrived; "
            "its data changed meanwhile or it answers in part: run the command again, which begins anew"
        )
    with harvest.saving():
        harvest.set_note(done, str(arrived))
    if total is None:
        return [f"the endpoint does not count its {name} pairs, so that nothing says whether all have arrived"]
    return []


def _relation_pattern(edition: Edition, kind: str) -> str:
    from rdflib import Literal

    namespace = Literal(edition.namespace).n3()
    return (
        f"?source <{kind}> ?target . FILTER(isIRI(?source) && isIRI(?target)) "
        f"FILTER(STRSTARTS(STR(?source), {namespace})) "
        'BIND(CONCAT(STR(?source), "\\n", STR(?target)) AS ?key)'
    )


def _count(endpoint: Endpoint, pattern: str) -> int | None:
    """Return the number of pairs as the server counts them, ``None`` if it refuses to."""
    query = f"SELECT (COUNT(*) AS ?count) WHERE {{ SELECT DISTINCT ?source ?target WHERE {{ {pattern} }} }}"
    try:
        rows = endpoint.select(query, retries=2)
        return int(rows[0]["count"])
    except (ResourceError, LookupError, ValueError):
        return None


def _words(
    harvest: Harvest, endpoint: Endpoint, edition: Edition, page: int, batch: int, progress: Progress
) -> list[str]:
    """Find the words of all nodes of relations."""
    harvest.index_targets()
    total = harvest.count_nodes()
    cursor = harvest.note("resolved") or ""
    count = int(harvest.note("resolved count") or 0)
    odd = int(harvest.note("odd nodes") or 0)
    while nodes := harvest.nodes_after(cursor, batch):
        progress("words", count, total)
        usable = [node for node in nodes if not _NOT_IN_ADDRESSES.search(node)]
        found = _words_of(endpoint, edition, usable, page) if usable else []
        cursor, count, odd = nodes[-1], count + len(nodes), odd + len(nodes) - len(usable)
        with harvest.saving():
            harvest.add_words(found)
            harvest.set_note("resolved", cursor)
            harvest.set_note("resolved count", str(count))
            harvest.set_note("odd nodes", str(odd))
    progress("words", count, total)
    return [f"{odd} nodes have addresses that no query can hold and are left out"] if odd else []


def _words_of(endpoint: Endpoint, edition: Edition, nodes: Sequence[str], page: int) -> list[tuple[str, str]]:
    """Return the words of nodes, each with its node: the written forms of their entries or else their labels."""
    pattern = _word_pattern(edition, nodes)
    written: dict[tuple[str, str], set[str]] = {}
    labels: dict[tuple[str, str], set[str]] = {}
    for rows, _ in _pages(endpoint, pattern, "?node ?entry ?word ?label", "", page):
        for row in rows:
            table, text = (written, row["word"]) if "word" in row else (labels, row.get("label", ""))
            table.setdefault((row["node"], row["entry"]), set()).add(text)
    for entry, texts in labels.items():
        written.setdefault(entry, texts)
    return sorted({(node, text) for (node, _), texts in written.items() for text in texts})


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


def _pages(endpoint: Endpoint, pattern: str, variables: str, last: str, page: int) -> Iterator[tuple[list[Row], str]]:
    """Yield the pages of a query behind a key, each with the last key in it, up to the row that ends the answer.

    The pattern has to bind ``?key``; rows of one key are one row.
    """
    from rdflib import Literal

    while True:
        after = Literal(last).n3()

        def query(rows: int, after: str = after) -> str:
            return (
                f"SELECT DISTINCT ?key {variables} WHERE {{ "
                f"{{ {pattern} FILTER(?key > {after}) }} UNION {{ BIND({Literal(_END).n3()} AS ?key) }} "
                f"}} ORDER BY ?key LIMIT {rows + 1}"
            )

        rows = endpoint.select(query, page)
        whole = bool(rows) and rows[-1].get("key") == _END
        if whole:
            rows.pop()
        keys = [row.get("key", "") for row in rows]
        if any(one >= other for one, other in zip([last, *keys], keys, strict=False)):
            raise ResourceError(
                f"the SPARQL endpoint {endpoint.url} does not sort texts by their code points, "
                "so that pages of it cannot be told apart; use a dump instead"
            )
        if keys:
            last = keys[-1]
            yield rows, last
        if whole:
            return
        if not keys:
            raise ResourceError(f"the SPARQL endpoint {endpoint.url} gives empty answers; use a dump instead")
