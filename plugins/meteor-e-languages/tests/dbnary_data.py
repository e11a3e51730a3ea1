"""Small dictionaries in DBnary's format, and a reference implementation that extracts their synonyms."""

from __future__ import annotations

import itertools
import random

import rdflib

PREFIXES = """\
@prefix dbnary: <http://kaiko.getalp.org/dbnary#> .
@prefix dcterms: <http://purl.org/dc/terms/> .
@prefix fra: <http://kaiko.getalp.org/dbnary/fra/> .
@prefix eng: <http://kaiko.getalp.org/dbnary/eng/> .
@prefix lemon: <http://lemon-model.net/lemon#> .
@prefix lexvo: <http://lexvo.org/id/iso639-3/> .
@prefix lime: <http://www.w3.org/ns/lemon/lime#> .
@prefix ontolex: <http://www.w3.org/ns/lemon/ontolex#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""

ONTOLEX = (
    PREFIXES
    + """
fra:voiture a dbnary:Page ; dbnary:describes fra:voiture__nom__1 .
fra:voiture__nom__1 a ontolex:LexicalEntry ; rdfs:label "voiture"@fr ;
    lime:language "fr" ; dcterms:language lexvo:fra ; ontolex:canonicalForm fra:__cf_voiture ;
    ontolex:sense fra:__ws_1_voiture , fra:__ws_2_voiture ; dbnary:synonym fra:caisse .
fra:__cf_voiture ontolex:writtenRep "voiture"@fr .
fra:__ws_1_voiture dbnary:synonym fra:auto , fra:automobile__nom__1 ; dbnary:approximateSynonym fra:camion .
fra:auto dbnary:describes fra:auto__nom__1 , eng:auto__noun__1 ; dbnary:synonym fra:bagnole .
fra:auto__nom__1 lime:language "fr" ; ontolex:canonicalForm [ ontolex:writtenRep "auto"@fr ] .
eng:auto__noun__1 lime:language "en" ; ontolex:canonicalForm [ ontolex:writtenRep "foreign"@en ] .
fra:automobile__nom__1 dcterms:language lexvo:fra ; ontolex:canonicalForm [ ontolex:writtenRep "Automobile"@fr ] ;
    ontolex:sense fra:__ws_1_automobile .
fra:__ws_1_automobile dbnary:synonym fra:__ws_2_voiture .
fra:caisse dbnary:describes fra:caisse__nom__1 .
fra:caisse__nom__1 lime:language "fr" ; rdfs:label "caisse"@fr .
fra:camion dbnary:describes fra:camion__nom__1 .
fra:camion__nom__1 lime:language "fr" ; ontolex:canonicalForm [ ontolex:writtenRep "camion"@fr ] .
fra:bagnole dbnary:describes eng:bagnole__noun__1 .
eng:bagnole__noun__1 lime:language "en" ; ontolex:canonicalForm [ ontolex:writtenRep "bagnole"@en ] .
fra:camion dbnary:synonym fra:page_rouge , "texte" .
fra:pomme dbnary:describes fra:pomme__1 .
fra:pomme__1 lime:language "fr" ; ontolex:canonicalForm [ ontolex:writtenRep "Pomme  de terre"@fr ] ;
    dbnary:synonym fra:patate .
fra:patate dbnary:describes fra:patate__1 .
fra:patate__1 lime:language "fr" ; ontolex:canonicalForm [ ontolex:writtenRep "patate"@fr , "patate’"@fr ] .
eng:car dbnary:describes eng:car__1 ; dbnary:synonym eng:auto .
eng:car__1 lime:language "en" ; ontolex:canonicalForm [ ontolex:writtenRep "car"@en ] .
"""
)

LEMON = (
    PREFIXES
    + """
fra:maison a dbnary:Vocable ; dbnary:refersTo fra:maison__nom__1 .
fra:maison__nom__1 a lemon:LexicalEntry ; lemon:language "fr" ; dcterms:language lexvo:fra ;
    lemon:canonicalForm [ lemon:writtenRep "maison"@fr ] ; lemon:sense fra:__ws_1_maison ;
    dbnary:synonym fra:demeure .
fra:__ws_1_maison dbnary:synonym fra:logis .
fra:demeure dbnary:refersTo fra:demeure__nom__1 .
fra:demeure__nom__1 lemon:language "fr" ; lemon:canonicalForm [ lemon:writtenRep "demeure"@fr ] .
fra:logis dbnary:refersTo fra:logis__nom__1 .
fra:logis__nom__1 dcterms:language <http://www.lexvo.org/page/iso639-3/fra> ;
    lemon:canonicalForm [ lemon:writtenRep "logis"@fr ] .
"""
)

ONTOLEX_PAIRS = {
    ("voiture", "caisse"),
    ("voiture", "auto"),
    ("voiture", "Automobile"),
    ("Automobile", "voiture"),
    ("Pomme  de terre", "patate"),
    ("Pomme  de terre", "patate’"),
}
LEMON_PAIRS = {("maison", "demeure"), ("maison", "logis")}


def random_dictionary(seed: int, page_count: int) -> str:
    """Return a random dictionary that mixes both models.

    It contains all kinds of links, links to missing pages, and entries in another language.
    """
    generator = random.Random(seed)
    lines = [PREFIXES]
    nodes = []
    for page_index in range(page_count):
        uses_lemon = generator.random() < 0.3
        model = "lemon" if uses_lemon else "ontolex"
        page = f"fra:p{page_index}_é"
        nodes.append(page)
        for entry_index in range(generator.randint(0, 3)):
            entry = f"fra:p{page_index}__{entry_index}"
            language = generator.choice(["fr", "fr", "fr", "en"])
            language_property = generator.choice(
                [
                    f'{"lemon" if uses_lemon else "lime"}:language "{language}"',
                    f"dcterms:language lexvo:{'fra' if language == 'fr' else 'eng'}",
                ]
            )
            lines.append(f"{page} dbnary:{'refersTo' if uses_lemon else 'describes'} {entry} .")
            lines.append(f'{entry} {language_property} ; rdfs:label "l{page_index}"@fr .')
            for form in range(generator.choice([0, 1, 1, 1, 2])):
                lines.append(f'{entry} {model}:canonicalForm [ {model}:writtenRep "w{page_index}.{form}"@fr ] .')
            nodes.append(entry)
            for sense_index in range(generator.randint(0, 2)):
                sense = f"fra:ws{sense_index}_{page_index}_{entry_index}"
                lines.append(f"{entry} {model}:sense {sense} .")
                nodes.append(sense)
    nodes += [f"fra:red{page_index}" for page_index in range(page_count // 10)]
    for _ in range(3 * page_count):
        relation = generator.choice(["synonym"] * 4 + ["approximateSynonym", "antonym"])
        lines.append(f"{generator.choice(nodes)} dbnary:{relation} {generator.choice(nodes)} .")
    return "\n".join(lines) + "\n"


def collect_pairs_from_graph(
    turtle: str, *relations: str, code: str = "fr", edition: str = "fra"
) -> set[tuple[str, str]]:
    """Return the pairs of words and synonyms by following the links of the graph with rdflib."""
    graph = rdflib.Graph()
    graph.parse(data=turtle, format="turtle")
    namespaces = {prefix: rdflib.Namespace(str(iri)) for prefix, iri in graph.namespaces()}
    dbnary, lemon, ontolex = (namespaces[name] for name in ("dbnary", "lemon", "ontolex"))
    languages = {code, edition}

    def has_language(entry):
        """Return whether the entry is in the language of the edition."""
        values = [
            *graph.objects(entry, namespaces["lime"].language),
            *graph.objects(entry, lemon.language),
            *graph.objects(entry, namespaces["dcterms"].language),
        ]
        return any(str(value).rpartition("/")[2] in languages for value in values)

    def collect_words(node):
        """Return the written forms of the entries of a node, which is a page, an entry or a sense."""
        entries = {node}
        for link in (dbnary.describes, dbnary.refersTo):
            entries.update(graph.objects(node, link))
        for link in (ontolex.sense, lemon.sense):
            entries.update(graph.subjects(link, node))
        node_words = set()
        for entry in filter(has_language, entries):
            texts = {
                str(text)
                for form_namespace, text_namespace in itertools.product((ontolex, lemon), repeat=2)
                for form in graph.objects(entry, form_namespace.canonicalForm)
                for text in graph.objects(form, text_namespace.writtenRep)
            }
            node_words |= texts or set(map(str, graph.objects(entry, rdflib.RDFS.label)))
        return node_words

    pairs = set()
    for relation in relations or ("synonym",):
        for source, target in graph.subject_objects(dbnary[relation]):
            if isinstance(target, rdflib.URIRef) and str(source).startswith(str(namespaces["fra"])):
                pairs |= {(word, synonym) for word in collect_words(source) for synonym in collect_words(target)}
    return pairs
