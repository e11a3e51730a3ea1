"""Measure the time and memory of `meteor-e dbnary install` on a DBnary dump of several gigabytes.

    python benchmarks/speed/dbnary_dump.py FOLDER --gigabytes 2 [--bz2]

The script writes an artificial dump with the structure of the French DBnary: pages, entries, senses with definitions,
word forms, translations, and relations such as synonymy. Then a new process extracts a pack from the dump. The script
prints the time and the peak memory of this process. Later runs use the dump in FOLDER again.
"""

from __future__ import annotations

import argparse
import bz2
import os
import random
import subprocess
import sys
import time
from pathlib import Path

PREFIXES = """\
@prefix dbnary: <http://kaiko.getalp.org/dbnary#> .
@prefix dcterms: <http://purl.org/dc/terms/> .
@prefix fra: <http://kaiko.getalp.org/dbnary/fra/> .
@prefix lexinfo: <http://www.lexinfo.net/ontology/2.0/lexinfo#> .
@prefix lexvo: <http://lexvo.org/id/iso639-3/> .
@prefix lime: <http://www.w3.org/ns/lemon/lime#> .
@prefix ontolex: <http://www.w3.org/ns/lemon/ontolex#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .

"""
SYLLABLES = [
    "ba",
    "bé",
    "chi",
    "co",
    "da",
    "dre",
    "e",
    "fau",
    "gi",
    "ha",
    "jou",
    "ka",
    "lan",
    "mé",
    "mi",
    "no",
    "oi",
    "pre",
    "que",
    "rou",
    "si",
    "té",
    "ur",
    "vin",
    "xe",
]
LANGUAGES = ["eng", "deu", "spa", "ita", "rus", "por", "nld", "jpn", "fin", "ces"]


def word(number: int) -> str:
    """Return a word that no other number has."""
    parts = []
    number += 25
    while number:
        number, part = divmod(number, len(SYLLABLES))
        parts.append(SYLLABLES[part])
    return "".join(reversed(parts))


def page(number: int, generator: random.Random) -> str:
    """Return the RDF triples of a DBnary page that has one entry."""
    entry_word = word(number)
    entry = f"{entry_word}__nom__1"
    senses = [f"fra:__ws_{sense}_{entry}" for sense in range(1, generator.randint(2, 5))]
    text = [
        f"""\
fra:{entry_word} rdf:type dbnary:Page ; dbnary:describes fra:{entry} .
fra:{entry} rdf:type ontolex:LexicalEntry , ontolex:Word ; rdfs:label "{entry_word}"@fr ;
  dbnary:partOfSpeech "-nom-" ; dcterms:language lexvo:fra ; lexinfo:partOfSpeech lexinfo:noun ;
  lime:language "fr" ; ontolex:canonicalForm fra:__cf_{entry} ; ontolex:sense {" , ".join(senses)} .
fra:__cf_{entry} rdf:type ontolex:Form ; lexinfo:gender lexinfo:masculine ;
  ontolex:phoneticRep "{entry_word[::-1]}"@fr-fonipa ; ontolex:writtenRep "{entry_word}"@fr .
"""
    ]
    for sense in senses:
        gloss = " ".join(word(generator.randrange(10_000)) for _ in range(12))
        text.append(
            f'{sense} rdf:type ontolex:LexicalSense ; dbnary:senseNumber "1" ;\n'
            f'  skos:definition [ rdf:value "{gloss}"@fr ] ; skos:example [ rdf:value "{gloss} {entry_word}"@fr ] .\n'
        )
    for translation in range(generator.randint(0, 8)):
        language = generator.choice(LANGUAGES)
        text.append(
            f"fra:__tr_{language}_{translation}_{entry} rdf:type dbnary:Translation ;\n"
            f"  dbnary:isTranslationOf fra:{entry} ; dbnary:targetLanguage lexvo:{language} ;\n"
            f'  dbnary:writtenForm "{word(generator.randrange(10_000))}"@{language[:2]} .\n'
        )
    if generator.random() < 0.3:
        for _ in range(generator.randint(1, 4)):
            source = generator.choice([f"fra:{entry_word}", f"fra:{entry}", *senses])
            target = word(generator.randrange(max(1, number)))
            text.append(f"{source} dbnary:{generator.choice(['synonym', 'synonym', 'hypernym'])} fra:{target} .\n")
    return "".join(text)


def write_dump(path: Path, size: int) -> None:
    """Write an artificial dump with at least ``size`` bytes before compression."""
    generator = random.Random(0)
    written = number = 0
    building = path.with_suffix(".building")
    with (bz2.open if path.suffix == ".bz2" else open)(building, "wb") as file:
        file.write(PREFIXES.encode())
        while written < size:
            pages = "".join(page(number + offset, generator) for offset in range(1000)).encode()
            file.write(pages)
            written += len(pages)
            number += 1000
    building.replace(path)


def main() -> None:
    """Create the dump unless it exists, extract a pack from it, and print the time and memory."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--gigabytes", type=float, default=2.0)
    parser.add_argument("--bz2", action="store_true", help="compress the dump with bzip2")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    dump = arguments.folder / f"fr_dbnary_{arguments.gigabytes:g}.ttl{'.bz2' if arguments.bz2 else ''}"
    if not dump.exists():
        write_dump(dump, round(arguments.gigabytes * 1e9))
    environment = {**os.environ, "METEOR_E_PACKS": str(arguments.folder / "packs")}
    command = [sys.executable, "-m", "meteor_e", "dbnary", "install", "fr", "--dump", str(dump)]
    start = time.perf_counter()
    process = subprocess.Popen(command, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if status:
        sys.exit("the extraction failed")
    size = dump.stat().st_size / 1e9
    print(f"{dump.name}: {size:.2f} GB in {seconds:.0f} s ({usage.ru_utime + usage.ru_stime:.0f} s of CPU)")
    print(f"most memory held: {usage.ru_maxrss / 1024:.0f} MiB; load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
