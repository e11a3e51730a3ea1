"""Synonyms from DBnary.

The matcher ``dbnary`` looks up synsets that :mod:`~meteor_e_languages.dbnary.synsets` reads from packs or from synset
files of METEOR-E. The other modules build the packs from a SPARQL endpoint or from RDF dumps.
"""
